// What is drawn on top of the bodies. Only made while a page asks for it.
#include "viewer/broadcast.h"
#include "world/world_data.h"

#include <algorithm>

namespace moraine::viewer
{

namespace
{

constexpr size_t overlay_limit = 20'000; // things of a kind in a frame: more would only be a blur

void write(ByteWriter& out, Vec3 v) { out.raw(v.x), out.raw(v.y), out.raw(v.z); }

void write_contacts(const World& world, DVec3 origin, ByteWriter& out)
{
    std::vector<ContactInfo> contacts = world.contacts();
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

template <class Visit>
void for_each_live_edge(const WorldData& world, Visit&& visit)
{
    for (int32_t b = 1; b < world.bodies.capacity(); ++b)
        if (world.bodies.ids.is_alive(uint32_t(b)))
            for_each_edge(b, world.bodies, world.graph, [&](int32_t e) {
                const Edge& edge = world.graph.edges[e];
                if (edge.body_a == b || edge.body_a == ground_body) // each one once
                    visit(edge);
            });
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

// A number for each body, by its index.
void write_channel(const std::vector<uint32_t>& values, ByteWriter& out)
{
    out.varint(values.size());
    for (uint32_t value : values)
        out.varint(value);
}

std::vector<uint32_t> contact_counts(const World& world)
{
    std::vector<uint32_t> counts(size_t(world.data().bodies.capacity()));
    for (const ContactInfo& contact : world.contacts())
    {
        ++counts[contact.body_a.index];
        ++counts[contact.body_b.index];
    }
    return counts;
}

// Bodies that touch belong together; static and kinematic ones do not carry on. A group is named by its first body.
std::vector<uint32_t> contact_groups(const WorldData& world)
{
    const size_t count = size_t(world.bodies.capacity());
    std::vector<uint32_t> parent(count);
    for (size_t i = 0; i < count; ++i)
        parent[i] = uint32_t(i);
    const auto root_of = [&](uint32_t i) {
        while (parent[i] != i)
            i = parent[i] = parent[parent[i]];
        return i;
    };
    for_each_live_edge(world, [&](const Edge& edge) {
        const bool carries = world.bodies[edge.body_a].type == BodyType::dynamic_ &&
                             world.bodies[edge.body_b].type == BodyType::dynamic_;
        if (!edge.has(edge_is_touching) || edge.has(edge_is_trigger) || !carries)
            return;
        const uint32_t a = root_of(uint32_t(edge.body_a)), b = root_of(uint32_t(edge.body_b));
        parent[std::max(a, b)] = std::min(a, b);
    });
    std::vector<uint32_t> groups(count);
    for (size_t i = 0; i < count; ++i)
        groups[i] = root_of(uint32_t(i));
    return groups;
}

} // namespace

void write_overlays(const World& world, uint32_t wanted, DVec3 origin, ByteWriter& out)
{
    out.varint(wanted);
    if (wanted & overlay_contacts)
        write_contacts(world, origin, out);
    if (wanted & overlay_graph)
        write_graph(world.data(), out);
    if (wanted & overlay_bounds)
        write_bounds(world.data(), origin, out);
    if (wanted & overlay_joints)
        write_joints(world, origin, out);
    if (wanted & overlay_contact_count)
        write_channel(contact_counts(world), out);
    if (wanted & overlay_group)
        write_channel(contact_groups(world.data()), out);
}

} // namespace moraine::viewer
