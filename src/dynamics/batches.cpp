#include "dynamics/batches.h"

#include <algorithm>

namespace moraine
{

namespace
{

int lanes_used(int colour) { return colour == Colouring::overflow ? 1 : lane_count; }

int batch_count(const std::vector<int32_t>& list, int colour)
{
    const int lanes = lanes_used(colour);
    return (int(list.size()) + lanes - 1) / lanes;
}

} // namespace

std::span<const int32_t> batch_items(const std::vector<int32_t>& list, int colour, int i)
{
    const size_t lanes = size_t(lanes_used(colour));
    const size_t first = size_t(i) * lanes;
    return std::span(list).subspan(first, std::min(lanes, list.size() - first));
}

int contact_batch_count(const Batches& batches)
{
    const ColourRange& last = batches.colours[max_colours];
    return last.contact_first + last.contact_count;
}

Batches lay_out_joints(const SolverWorld& world, Arena& arena)
{
    Batches out;
    const Colouring& colouring = world.colouring;
    int contacts = 0, joints = 0;
    for (int c = 0; c <= max_colours; ++c)
    {
        ColourRange& range = out.colours[c];
        range = {contacts, batch_count(colouring.contacts[c], c), joints, batch_count(colouring.joints[c], c)};
        contacts += range.contact_count;
        joints += range.joint_count;
        if (range.contact_count + range.joint_count > 0)
            out.colour_count = c + 1;
    }
    out.joints = arena.allocate<JointBatch>(size_t(joints));

    int triples = 0;
    for (int c = 0; c < out.colour_count; ++c)
        for (int i = 0; i < out.colours[c].joint_count; ++i)
        {
            JointBatch& batch = out.joints[size_t(out.colours[c].joint_first + i)];
            batch.triple_first = triples;
            batch.triple_count = 0;
            for (int32_t joint : batch_items(colouring.joints[c], c, i))
                batch.triple_count = std::max(batch.triple_count, triple_count(world.joints[joint]));
            triples += batch.triple_count;
        }
    out.triples = arena.allocate<JointTriple>(size_t(triples));
    return out;
}

Batches lay_out_batches(const SolverWorld& world, Arena& arena)
{
    Batches out = lay_out_joints(world, arena);
    out.contacts = arena.allocate<ContactBatch>(size_t(contact_batch_count(out)));
    return out;
}

} // namespace moraine
