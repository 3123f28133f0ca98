// The public interface: joints and contacts.
#include "world/activity.h"
#include "world/body_store.h"
#include "world/collections.h"
#include "world/joint_bonds.h"

#include <moraine/world.h>

namespace moraine
{

Result<JointId> World::try_create_joint(const JointDef& def)
{
    const std::string who = def.name.empty() ? "joint: " : "joint '" + def.name + "': ";
    const std::string problem = joint_problem(def);
    if (!problem.empty())
        return Error{who + problem};
    const BodyId a = def.body_a ? def.body_a : ground();
    const BodyId b = def.body_b ? def.body_b : ground();
    if (!is_valid(a) || !is_valid(b))
        return Error{who + "one of its bodies does not exist (any more): create the bodies first"};
    if (a == b)
        return Error{who + "joins a body to itself: name two bodies, or leave one out to join to the world"};
    if (type(a) != BodyType::dynamic_ && type(b) != BodyType::dynamic_)
        return Error{who + "joins two bodies that cannot be moved: one of them must be dynamic"};
    return data_->joints.id(moraine::create_joint(*data_, def, int32_t(a.index), int32_t(b.index)));
}

JointId World::create_joint(const JointDef& def)
{
    Result<JointId> joint = try_create_joint(def);
    if (!joint)
        data_->last_error = joint.error().message;
    return joint.value_or({});
}

void World::destroy_joint(JointId joint)
{
    if (is_valid(joint))
        moraine::destroy_joint(*data_, int32_t(joint.index));
}

bool World::is_valid(JointId joint) const
{
    return data_->joints.is_valid(joint) && !data_->joints[int32_t(joint.index)].is_glue;
}

std::vector<JointId> World::joints() const
{
    std::vector<JointId> out;
    for (uint32_t i = 0; i < data_->joints.ids.capacity(); ++i)
        if (data_->joints.ids.is_alive(i) && !data_->joints[int32_t(i)].is_glue)
            out.push_back(data_->joints.id(int32_t(i)));
    return out;
}

int World::joint_count() const { return int(data_->joints.ids.count()) - data_->joints.glue_count; }

JointDef World::joint_def(JointId id) const
{
    JointDef def;
    if (!is_valid(id))
        return def;
    const Joint& joint = data_->joints[int32_t(id.index)];
    const auto in_body = [&](int32_t body, const Transform& frame) {
        return Transform{frame.position + data_->bodies.infos[size_t(body)].center, frame.rotation};
    };
    def.body_a = data_->bodies.id(joint.body_a);
    def.body_b = data_->bodies.id(joint.body_b);
    def.frame_a = in_body(joint.body_a, joint.frame_a);
    def.frame_b = in_body(joint.body_b, joint.frame_b);
    def.origin = joint.body_a == ground_body ? joint.origin_a : joint.origin_b;
    def.kind = joint.kind;
    def.collides = joint.collides;
    def.break_impulse = joint.break_impulse;
    const auto name = data_->joints.names.find(int32_t(id.index));
    if (name != data_->joints.names.end())
        def.name = name->second;
    return def;
}

float World::joint_impulse(JointId joint) const
{
    if (!is_valid(joint))
        return 0;
    const Joint& j = data_->joints[int32_t(joint.index)];
    return j.weld >= 0 ? inner_impulse(*data_, j) : j.linear_impulse;
}

float World::joint_error(JointId joint) const
{
    return is_valid(joint) ? moraine::joint_error(data_->joints[int32_t(joint.index)], data_->bodies, data_->movers)
                           : 0;
}

void World::set_joint_kind(JointId id, const JointKind& kind)
{
    if (!is_valid(id))
        return;
    Joint& joint = data_->joints[int32_t(id.index)];
    JointDef changed = joint_def(id);
    changed.kind = kind;
    if (joint.kind.index() != kind.index() || !joint_problem(changed).empty())
    {
        data_->last_error = "set_joint_kind: give the same kind of joint with valid limits, motor and spring";
        return;
    }
    if (is_inner(*data_, joint))
    {
        detach_body(*data_, joint.body_a);
        detach_body(*data_, joint.body_b);
    }
    set_kind(joint, kind);
    wake_body(*data_, joint.body_a);
    wake_body(*data_, joint.body_b);
}

void World::set_drag_target(JointId id, DVec3 target)
{
    if (!is_valid(id) || !is_finite(target))
        return;
    Joint& joint = data_->joints[int32_t(id.index)];
    if (!std::holds_alternative<DragJoint>(joint.kind) || joint.body_a != ground_body)
        return;
    joint.origin_a = target;
    joint.frame_a.position = {};
    wake_body(*data_, joint.body_b);
}

JointDef World::joint_at(BodyId a, BodyId b, const Pose& frame, const JointKind& kind) const
{
    JointDef def;
    def.body_a = a;
    def.body_b = b;
    def.kind = kind;
    def.origin = frame.position;
    const Pose world{frame.position, {}};
    def.frame_a = relative(frame, a ? pose(a) : world);
    def.frame_b = relative(frame, b ? pose(b) : world);
    return def;
}

namespace
{

// Inside a collection nothing is solved: the probe knows the forces.
const Weld* weld_of(const WorldData& w, const Manifold& manifold)
{
    const bool is_weld = manifold.colour < 0 && manifold.slot >= 0;
    return is_weld && w.collections.welds[manifold.slot].count == manifold.count ? &w.collections.welds[manifold.slot]
                                                                                 : nullptr;
}

void append(const WorldData& w, const Edge& edge, std::vector<ContactInfo>& out)
{
    const Mover& a = mover_of(w, edge.body_a);
    for (int32_t m = edge.manifold; m != none; m = w.graph.manifolds[m].next)
    {
        const Manifold& manifold = w.graph.manifolds[m];
        const Weld* weld = weld_of(w, manifold);
        float sum = 0;
        for (int i = 0; i < manifold.count; ++i)
            sum += manifold.points[i].impulse;
        for (int i = 0; i < manifold.count; ++i)
        {
            const ContactPoint& p = manifold.points[i];
            // The step's impulse, shared out as the points carried it last.
            const float share = sum > 0 ? p.impulse / sum : 0;
            const float impulse = weld ? weld->points[i].force[0] * w.step_dt : manifold.total_impulse * share;
            out.push_back({w.bodies.id(edge.body_a), w.bodies.id(edge.body_b),
                           apply(a.pose, contact_place(w.bodies, w.collections, manifold, i)),
                           rotate(a.pose.rotation, manifold.normal), p.separation, impulse});
        }
    }
}

} // namespace

std::vector<ContactInfo> World::contacts() const
{
    std::vector<ContactInfo> out;
    for (int32_t body = 0; body < data_->bodies.capacity(); ++body)
        for_each_edge(body, data_->bodies, data_->graph, [&](int32_t e) {
            if (data_->graph.edges[e].body_a == body)
                append(*data_, data_->graph.edges[e], out);
        });
    return out;
}

std::vector<ContactInfo> World::contacts(BodyId body) const
{
    std::vector<ContactInfo> out;
    if (is_valid(body))
        for_each_edge(int32_t(body.index), data_->bodies, data_->graph,
                      [&](int32_t e) { append(*data_, data_->graph.edges[e], out); });
    return out;
}

} // namespace moraine
