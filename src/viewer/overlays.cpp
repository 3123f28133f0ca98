// What is drawn on top of the bodies. Only made while a page asks for it.
#include "merge/probe.h"
#include "viewer/broadcast.h"
#include "viewer/live_edges.h"

#include <algorithm>
#include <cmath>

namespace moraine::viewer
{

namespace
{

constexpr size_t overlay_limit = 20'000; // things of a kind in a frame: more would only be a blur

void write(ByteWriter& out, Vec3 v) { out.raw(v.x), out.raw(v.y), out.raw(v.z); }

void write_contacts(std::vector<ContactInfo> contacts, DVec3 origin, ByteWriter& out)
{
    contacts.resize(std::min(contacts.size(), overlay_limit));
    out.varint(contacts.size());
    for (const ContactInfo& contact : contacts)
    {
        write(out, relative(contact.point, origin));
        write(out, contact.normal);
        out.raw(contact.separation);
        out.raw(contact.impulse);
    }
}

void write_graph(const WorldData& world, ByteWriter& out)
{
    std::vector<const Edge*> edges;
    for_each_live_edge(world, [&](const Edge& edge) {
        if (edges.size() < overlay_limit)
            edges.push_back(&edge);
    });
    out.varint(edges.size());
    for (const Edge* edge : edges)
    {
        out.varint(uint64_t(edge->body_a));
        out.varint(uint64_t(edge->body_b));
        out.raw(edge->flags);
    }
}

void write_bounds(const WorldData& world, DVec3 origin, ByteWriter& out)
{
    std::vector<int32_t> movers;
    for (int32_t b = 1; b < world.bodies.capacity(); ++b)
        if (world.bodies.ids.is_alive(uint32_t(b)) && world.bodies[b].type != BodyType::static_)
            movers.push_back(world.bodies[b].mover);
    std::sort(movers.begin(), movers.end());
    movers.erase(std::unique(movers.begin(), movers.end()), movers.end());
    movers.resize(std::min(movers.size(), overlay_limit));
    out.varint(movers.size());
    const Vec3 shift = Vec3(origin);
    for (int32_t m : movers)
    {
        const Aabb& box = world.movers[m].tight;
        write(out, Vec3(box.lower) - shift);
        write(out, Vec3(box.upper) - shift);
        out.raw(uint8_t(world.movers[m].is_awake()));
    }
}

void write_joints(const World& world, DVec3 origin, ByteWriter& out)
{
    std::vector<JointId> joints = world.joints();
    joints.resize(std::min(joints.size(), overlay_limit));
    out.varint(joints.size());
    for (JointId joint : joints)
    {
        const JointDef def = world.joint_def(joint);
        const auto place = [&](BodyId body, const Transform& frame) {
            const bool is_world = !body || body == world.ground();
            return relative(is_world ? def.origin + DVec3(frame.position) : apply(world.pose(body), frame.position),
                            origin);
        };
        write(out, place(def.body_a, def.frame_a));
        write(out, place(def.body_b, def.frame_b));
        out.raw(uint8_t(def.kind.index()));
        out.raw(world.joint_impulse(joint));
        out.varint(def.body_a ? def.body_a.index : 0);
        out.varint(def.body_b ? def.body_b.index : 0);
    }
}

// Where two surfaces rub, and how much of what friction could give is used: a vector of length 0 to 1 along the force.
struct Rub
{
    DVec3 point{};
    Vec3 normal{};
    Vec3 use{};
};

Rub rub_of(const Manifold& m, const Pose& frame)
{
    Vec3 center{};
    float impulse = 0;
    for (int i = 0; i < m.count; ++i)
    {
        center += m.points[i].position * m.points[i].impulse;
        impulse += m.points[i].impulse;
    }
    center = impulse > 0 ? center * (1 / impulse) : m.points[0].position;
    const float bound = m.friction * impulse;
    return {apply(frame, center), rotate(frame.rotation, m.normal),
            bound > 0 ? rotate(frame.rotation, m.friction_impulse * (1 / bound)) : Vec3{}};
}

// The forces of a merged contact are the probe's.
Rub rub_of(const WorldData& world, const Weld& w, const Manifold& m, const Pose& frame)
{
    const auto place = [&](int i) { return contact_place(world.bodies, world.collections, m, i); };
    const Vec3 second = cross(w.normal, w.tangent);
    Vec3 center{}, friction{};
    float force = 0;
    for (int i = 0; i < std::min<int>(w.count, m.count); ++i)
    {
        const Weld::Point& p = w.points[i];
        center += place(i) * p.force[0];
        force += p.force[0];
        friction += w.tangent * p.force[1] + second * p.force[2];
    }
    center = force > 0 ? center * (1 / force) : place(0);
    const float bound = w.friction * force;
    return {apply(frame, center), rotate(frame.rotation, w.normal),
            bound > 0 ? rotate(frame.rotation, friction * (1 / bound)) : Vec3{}};
}

// visit(weld) for each merged contact once; those of joints are not surfaces.
template <class Visit>
void for_each_live_weld(const WorldData& world, Visit&& visit)
{
    const Collections& c = world.collections;
    for (int32_t b = 1; b < world.bodies.capacity(); ++b)
        if (const int32_t merged = c.merged(b); world.bodies.ids.is_alive(uint32_t(b)) && merged != none)
            for_each_weld(c, merged, [&](int32_t w) {
                if (c.welds[w].manifold != none && (c.welds[w].a == merged || c.welds[w].a == none))
                    visit(w);
            });
}

void write_friction(const WorldData& world, DVec3 origin, ByteWriter& out)
{
    std::vector<Rub> rubs;
    for_each_live_edge(world, [&](const Edge& edge) {
        if (!edge.has(edge_is_touching) || edge.has(edge_is_merged) || edge.has(edge_is_trigger))
            return;
        for (int32_t m = edge.manifold; m != none; m = world.graph.manifolds[m].next)
            if (rubs.size() < overlay_limit && world.graph.manifolds[m].count > 0)
                rubs.push_back(rub_of(world.graph.manifolds[m], world.movers[edge.mover_a].pose));
    });
    for_each_live_weld(world, [&](int32_t index) {
        const Weld& weld = world.collections.welds[index];
        const Manifold& m = world.graph.manifolds[weld.manifold];
        if (rubs.size() < overlay_limit && m.count > 0)
            rubs.push_back(rub_of(world, weld, m, world.movers[world.graph.edges[m.edge].mover_a].pose));
    });
    out.varint(rubs.size());
    for (const Rub& rub : rubs)
    {
        write(out, relative(rub.point, origin));
        write(out, rub.normal);
        write(out, rub.use);
    }
}

// How near a merged contact is to giving way: 1 when no point bears any load, or friction is used up at all that do, or
// the step has begun to count how long the two look as if they would part.
float strain_of(const WorldData& world, const Weld& weld)
{
    if (world.graph.edges[world.graph.manifolds[weld.manifold].edge].steps > 0)
        return 1;
    float least = 1;
    for (int i = 0; i < weld.count; ++i)
    {
        const Weld::Point& p = weld.points[i];
        if (p.force[0] > 0 || weld.friction < 0)
            least = std::min(least, weld.friction < 0 ? 0
                                                      : std::hypot(p.force[1], p.force[2]) /
                                                            std::max(1e-9f, weld.friction * p.force[0]));
    }
    return least;
}

// Edges with several contacts hold as long as one of them does.
void write_welds(const WorldData& world, DVec3 origin, ByteWriter& out)
{
    constexpr float shown = 0.5f;
    struct Strain
    {
        int32_t edge;
        float value;
        DVec3 point;
    };
    std::vector<Strain> strains;
    for_each_live_weld(world, [&](int32_t index) {
        const Weld& weld = world.collections.welds[index];
        const Manifold& m = world.graph.manifolds[weld.manifold];
        if (m.count > 0)
            strains.push_back({m.edge, strain_of(world, weld),
                               apply(world.movers[world.graph.edges[m.edge].mover_a].pose,
                                     contact_place(world.bodies, world.collections, m, 0))});
    });
    std::stable_sort(strains.begin(), strains.end(), [](const Strain& a, const Strain& b) {
        return a.edge < b.edge || (a.edge == b.edge && a.value < b.value);
    });
    const auto is_same = [](const Strain& a, const Strain& b) { return a.edge == b.edge; };
    strains.erase(std::unique(strains.begin(), strains.end(), is_same), strains.end());
    std::erase_if(strains, [&](const Strain& s) { return s.value < shown; });
    strains.resize(std::min(strains.size(), overlay_limit));
    out.varint(strains.size());
    for (const Strain& strain : strains)
    {
        const Edge& edge = world.graph.edges[strain.edge];
        write(out, relative(strain.point, origin));
        out.raw(strain.value);
        out.varint(uint64_t(edge.body_a));
        out.varint(uint64_t(edge.body_b));
    }
}

} // namespace

void write_overlays(const World& world, uint32_t wanted, DVec3 origin, ByteWriter& out, const ContactsOf& contacts_of)
{
    out.varint(wanted);
    if (wanted & overlay_contacts)
        write_contacts(contacts_of ? contacts_of(world) : world.contacts(), origin, out);
    if (wanted & overlay_graph)
        write_graph(world.data(), out);
    if (wanted & overlay_bounds)
        write_bounds(world.data(), origin, out);
    if (wanted & overlay_joints)
        write_joints(world, origin, out);
    if (wanted & overlay_friction)
        write_friction(world.data(), origin, out);
    if (wanted & overlay_welds)
        write_welds(world.data(), origin, out);
}

void write_channels(const World& world, std::span<const Channel> channels, uint32_t wanted, ByteWriter& out)
{
    std::vector<float> values;
    for (size_t i = 0; i < channels.size(); ++i)
    {
        if ((wanted >> i & 1) == 0)
            continue;
        out.varint(i + 1);
        channels[i].values_of(world, values);
        out.varint(values.size());
        for (float value : values)
            if (channels[i].kind == ChannelKind::number)
                out.raw(value);
            else
                out.varint(uint64_t(std::max(0.0f, value)));
    }
    out.varint(0);
}

} // namespace moraine::viewer
