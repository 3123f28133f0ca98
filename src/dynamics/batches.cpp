#include "dynamics/batches.h"

#include <algorithm>

namespace moraine
{

namespace
{

int batch_count(const std::vector<int32_t>& list) { return (int(list.size()) + lane_count - 1) / lane_count; }

// The manifolds of a colour, those with most points first: batches then hold manifolds of one size, and neither memory
// nor time goes to points that are not there.
std::span<const int32_t> by_point_count(std::span<const int32_t> list, const ContactGraph& graph, Arena& arena)
{
    constexpr size_t ahead = 16;
    std::span<int32_t> order = arena.allocate<int32_t>(list.size());
    std::span<uint8_t> counts = arena.allocate<uint8_t>(list.size());
    size_t ends[LocalManifold::capacity + 2] = {};
    for (size_t i = 0; i < list.size(); ++i)
    {
        if (i + ahead < list.size())
            __builtin_prefetch(&graph.manifolds[list[i + ahead]].count);
        counts[i] = uint8_t(LocalManifold::capacity - graph.manifolds[list[i]].count);
        ++ends[counts[i] + 1];
    }
    for (int n = 1; n <= LocalManifold::capacity; ++n)
        ends[n] += ends[n - 1];
    for (size_t i = 0; i < list.size(); ++i)
        order[ends[counts[i]]++] = list[i];
    return order;
}

// A single point does not hold a twist, unless it is held by a magnet.
bool can_twist(std::span<const int32_t> manifolds, const ContactGraph& graph)
{
    return graph.manifolds[manifolds[0]].count > 1 ||
           std::ranges::any_of(manifolds, [&](int32_t m) { return graph.manifolds[m].friction < 0; });
}

// Two joints of different kinds do twice each other's work in lanes, which have the rows of both.
int32_t joint_lanes_in_turn(int colour, size_t item_count)
{
    return item_count == 2 ? 2 : lanes_in_turn(colour, item_count);
}

void set_turns(Batches& out)
{
    const auto add = [&](int c) {
        if (out.colours[c].contact_count + out.colours[c].joint_count > 0)
            out.turns[out.turn_count++] = uint8_t(c);
    };
    add(Colouring::overflow);
    for (int c = 0; c < Colouring::overflow; ++c)
        add(c);
    add(Colouring::crowd);
}

} // namespace

std::span<const int32_t> batch_items(std::span<const int32_t> list, int i)
{
    const size_t first = size_t(i) * lane_count;
    return list.subspan(first, std::min(size_t(lane_count), list.size() - first));
}

std::span<const int32_t> contact_items(const Batches& batches, int colour, int i)
{
    return colour == Colouring::crowd ? batches.crowds.items(i) : batch_items(batches.contact_order[colour], i);
}

int32_t lanes_in_turn(int colour, size_t item_count)
{
    return Colouring::is_serial(colour) || item_count == 1 ? int32_t(item_count) : 0;
}

int contact_batch_count(const Batches& batches)
{
    const ColourRange& last = batches.colours[Colouring::crowd];
    return last.contact_first + last.contact_count;
}

Batches lay_out_joints(const SolverWorld& world, bool may_share, Arena& arena)
{
    Batches out;
    const Colouring& colouring = world.colouring;
    out.crowds = pack_crowds(by_point_count(colouring.contacts[Colouring::crowd], world.graph, arena), world.graph,
                             world.movers, may_share, arena);
    int contacts = 0, joints = 0;
    for (int c = 0; c < Colouring::list_count; ++c)
    {
        ColourRange& range = out.colours[c];
        if (c != Colouring::crowd)
            out.contact_order[c] = by_point_count(colouring.contacts[c], world.graph, arena);
        const int count = c == Colouring::crowd ? int(out.crowds.batches.size()) : batch_count(colouring.contacts[c]);
        range = {contacts, count, joints, batch_count(colouring.joints[c])};
        contacts += range.contact_count;
        joints += range.joint_count;
        if (range.contact_count + range.joint_count > 0)
            out.colour_count = c + 1;
    }
    set_turns(out);
    out.joints = arena.allocate<JointBatch>(size_t(joints));

    int triples = 0;
    for (int n = 0; n < out.turn_count; ++n)
    {
        const int c = out.turns[n];
        for (int i = 0; i < out.colours[c].joint_count; ++i)
        {
            JointBatch& batch = out.joints[size_t(out.colours[c].joint_first + i)];
            batch.triple_first = triples;
            batch.triple_count = 0;
            batch.lanes_in_turn = joint_lanes_in_turn(c, batch_items(colouring.joints[c], i).size());
            for (int32_t joint : batch_items(colouring.joints[c], i))
                batch.triple_count = std::max(batch.triple_count, triple_count(world.joints[joint]));
            triples += batch.triple_count;
        }
    }
    out.triples = arena.allocate<JointTriple>(size_t(triples));
    return out;
}

Batches lay_out_batches(const SolverWorld& world, const LaneCopies& copies, Arena& arena)
{
    Batches out = lay_out_joints(world, true, arena);
    out.contacts = arena.allocate<ContactBatch>(size_t(contact_batch_count(out)));
    // Room for all; what is not used is not touched.
    ContactBatch::Twist* twist = arena.allocate<ContactBatch::Twist>(out.contacts.size()).data();
    size_t points = 0;
    for (int c = 0; c < out.colour_count; ++c)
        for (int i = 0; i < out.colours[c].contact_count; ++i)
        {
            ContactBatch& batch = out.contacts[size_t(out.colours[c].contact_first + i)];
            const std::span<const int32_t> items = contact_items(out, c, i);
            batch.point_count = world.graph.manifolds[items[0]].count;
            const int32_t heavy = c == Colouring::crowd ? out.crowds.batches[size_t(i)].heavy : -1;
            batch.shared = {heavy, copies.first()};
            batch.lanes_in_turn = heavy >= 0 ? uint8_t(0) : uint8_t(lanes_in_turn(c, items.size()));
            batch.twist = can_twist(items, world.graph) ? twist++ : nullptr;
            points += size_t(batch.point_count);
        }
    std::span<ContactBatch::Point> rows = arena.allocate<ContactBatch::Point>(points);
    for (ContactBatch& batch : out.contacts)
    {
        batch.points = rows.data();
        rows = rows.subspan(size_t(batch.point_count));
    }
    return out;
}

} // namespace moraine
