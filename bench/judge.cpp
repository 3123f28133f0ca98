#include "judge.h"

#include "collide/narrow_phase.h"
#include "geometry/bvh.h"
#include "peers/script.h"

#include <algorithm>
#include <cmath>

namespace moraine::bench
{

namespace
{

constexpr float resting_margin = 0.02f; // metres between what touches
constexpr float resting_slope = 0.5f;   // cosine between the contact normal and up
constexpr float resting_speed = 0.1f;   // m/s against each other

bool is_dynamic(const SceneDescription& scene, int body)
{
    return scene.bodies[size_t(body)].def.type == BodyType::dynamic_;
}

double gap_of(const SceneJoint& joint, std::span<const Pose> poses)
{
    const auto place = [&](int body, const Transform& frame) {
        return body < 0 ? Pose{DVec3(frame.position), frame.rotation} : poses[size_t(body)] * frame;
    };
    const Pose a = place(joint.body_a, joint.def.frame_a), b = place(joint.body_b, joint.def.frame_b);
    const double apart = length(b.position - a.position);
    const JointKind& kind = joint.def.kind;
    if (const auto* d = std::get_if<DistanceJoint>(&kind))
        return std::max({0.0, double(d->lower) - apart, apart - double(d->upper)});
    if (std::holds_alternative<SliderJoint>(kind))
    {
        const Vec3 local = apply_inverse(a, b.position);
        return double(std::hypot(local.y, local.z));
    }
    const bool is_soft = std::holds_alternative<SpringJoint>(kind) || std::holds_alternative<DragJoint>(kind) ||
                         std::holds_alternative<SixDofJoint>(kind);
    return is_soft ? 0 : apart;
}

} // namespace

Judge::Judge(const SceneDescription& scene) : scene_(scene)
{
    for (size_t i = 0; i < scene.bodies.size(); ++i)
        for (const ShapeDef& shape : scene.bodies[i].def.shapes)
            parts_.push_back({int(i), make_shape(shape, shape.pose)});
    for (const SceneJoint& joint : scene.joints)
        if (!joint.def.collides)
            apart_.insert(std::minmax(joint.body_a, joint.body_b));
}

bool Judge::can_meet(int a, int b) const
{
    if (a == b || (!is_dynamic(scene_, a) && !is_dynamic(scene_, b)))
        return false;
    const BodyDef &def_a = scene_.bodies[size_t(a)].def, &def_b = scene_.bodies[size_t(b)].def;
    if (def_a.is_trigger || def_b.is_trigger || def_a.is_passive || def_b.is_passive)
        return false;
    return can_touch(def_a.filter, def_b.filter) && !apart_.contains(std::minmax(a, b));
}

// `a` has the lower kind: the narrow phase wants them sorted.
template <class Visit>
void Judge::touch_pair(const Part& a, const Part& b, std::span<const Pose> poses, float margin, Visit&& visit) const
{
    const Pose& pose_a = poses[size_t(a.body)];
    const Transform pose_b = relative(poses[size_t(b.body)], pose_a) * b.shape.pose;
    const auto report = [&](const LocalManifold& manifold) {
        for (int i = 0; i < manifold.count; ++i)
            visit(Touch{a.body, b.body, rotate(pose_a.rotation, manifold.normal), manifold.points[i].separation});
    };
    if (!is_convex(a.shape.kind))
        return;
    if (is_convex(b.shape.kind) || b.shape.kind == ShapeKind::half_space)
    {
        PairCache cache;
        LocalManifold manifold;
        if (collide_convex(a.shape, a.shape.pose, b.shape, pose_b, margin, cache, manifold))
            report(manifold);
        return;
    }
    ManifoldList list;
    collide_surface(a.shape, a.shape.pose, b.shape, pose_b, margin, list);
    for (const LocalManifold& manifold : list)
        report(manifold);
}

template <class Visit>
void Judge::for_each_touch(std::span<const Pose> poses, float margin, Visit&& visit) const
{
    std::vector<Aabb> boxes;
    boxes.reserve(parts_.size());
    for (const Part& part : parts_)
        boxes.push_back(world_bounds(part.shape.bounds, poses[size_t(part.body)] * part.shape.pose, 0.5f * margin));
    Bvh tree;
    tree.build(boxes);

    for (size_t i = 0; i < parts_.size(); ++i)
    {
        if (!is_dynamic(scene_, parts_[i].body))
            continue;
        tree.query(boxes[i], [&](int32_t j) {
            const Part &a = parts_[i], &b = parts_[size_t(j)];
            // Two dynamic bodies find each other twice.
            const bool is_second = is_dynamic(scene_, b.body) && size_t(j) < i;
            if (is_second || !can_meet(a.body, b.body))
                return true;
            if (a.shape.kind <= b.shape.kind)
                touch_pair(a, b, poses, margin, visit);
            else
                touch_pair(b, a, poses, margin, visit);
            return true;
        });
    }
}

Penetration Judge::penetration(std::span<const Pose> poses) const
{
    Penetration result;
    double sum = 0;
    for_each_touch(poses, 0, [&](const Touch& touch) {
        if (touch.separation >= 0)
            return;
        sum -= double(touch.separation);
        result.max = std::max(result.max, -double(touch.separation));
        ++result.points;
    });
    result.mean = result.points > 0 ? sum / result.points : 0;
    return result;
}

std::vector<Rest> Judge::find_rests(std::span<const Pose> before, std::span<const Pose> now, float dt) const
{
    const Vec3 gravity = scene_.world.gravity;
    if (length(gravity) == 0)
        return {};
    const Vec3 up = normalize(-gravity);
    std::vector<Rest> rests(scene_.bodies.size(), Rest{-1, -1, {}});
    for_each_touch(now, resting_margin, [&](const Touch& touch) {
        const float slope = dot(touch.normal, up);
        const bool b_on_a = slope > resting_slope;
        if (!b_on_a && slope > -resting_slope)
            return;
        const int rider = b_on_a ? touch.body_b : touch.body_a, carrier = b_on_a ? touch.body_a : touch.body_b;
        Rest& rest = rests[size_t(rider)];
        // Of several carriers the one of the lowest index counts, so that the choice does not hang on tiny gaps.
        if (!is_dynamic(scene_, rider) || (rest.rider >= 0 && rest.carrier <= carrier))
            return;
        const Vec3 place = relative(now[size_t(rider)], now[size_t(carrier)]).position;
        const Vec3 earlier = relative(before[size_t(rider)], before[size_t(carrier)]).position;
        if (distance(place, earlier) <= resting_speed * dt)
            rest = {rider, carrier, place};
    });
    std::erase_if(rests, [](const Rest& rest) { return rest.rider < 0; });
    return rests;
}

Drift Judge::drift(std::span<const Rest> rests, std::span<const Pose> poses) const
{
    Drift result;
    result.riders = int(rests.size());
    for (const Rest& rest : rests)
    {
        const Vec3 place = relative(poses[size_t(rest.rider)], poses[size_t(rest.carrier)]).position;
        const double moved = double(distance(place, rest.place));
        result.max = std::max(result.max, moved);
        result.count += moved > drift_limit ? 1 : 0;
    }
    return result;
}

double Judge::joint_gap(std::span<const Pose> poses) const
{
    double gap = 0;
    for (const SceneJoint& joint : scene_.joints)
        gap = std::max(gap, gap_of(joint, poses));
    return gap;
}

} // namespace moraine::bench
