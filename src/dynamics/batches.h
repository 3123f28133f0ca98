// The rows of a step, in colour order.
#pragma once

#include "dynamics/solver.h"

namespace moraine
{

struct ColourRange
{
    int32_t contact_first = 0, contact_count = 0; // batches
    int32_t joint_first = 0, joint_count = 0;
};

struct Batches
{
    ColourRange colours[Colouring::list_count];
    int colour_count = 0;
    // Colours that have rows, in the order of the solve. The overflow comes first: what pushes each other about has no last
    // word over the ground. What is as heavy as ground has it: contacts with that come last.
    uint8_t turns[Colouring::list_count];
    int turn_count = 0;
    std::span<ContactBatch> contacts;
    std::span<const int32_t> contact_order[Colouring::crowd]; // manifolds by colour, as the batches take them
    Crowds crowds;
    std::span<JointBatch> joints;
    std::span<JointTriple> triples;
    std::span<RestitutionBatch> restitutions; // one for each contact batch, or empty
};

// Room for the rows of joints, not filled yet, and where each colour's batches are.
Batches lay_out_joints(const SolverWorld& world, bool may_share, Arena& arena);
int contact_batch_count(const Batches& batches);
// The same, and room for contacts.
Batches lay_out_batches(const SolverWorld& world, const LaneCopies& copies, Arena& arena);

// The manifolds or joints of batch `i` of a colour.
std::span<const int32_t> batch_items(std::span<const int32_t> list, int i);
std::span<const int32_t> contact_items(const Batches& batches, int colour, int i);

// How many lanes of a batch are solved one after the other: those of the overflow share movers, and one alone is faster
// that way. 0: all at once.
int32_t lanes_in_turn(int colour, size_t item_count);

// visit_joint(batch), visit_contact(batch) for all batches, colour after colour; within a colour in parallel.
template <class VisitJoint, class VisitContact>
void for_each_batch(Batches& batches, Tasks& tasks, VisitJoint&& visit_joint, VisitContact&& visit_contact)
{
    constexpr int grain = 8; // batches a block: 64 manifolds, some microseconds
    for (int n = 0; n < batches.turn_count; ++n)
    {
        const int c = batches.turns[n];
        const ColourRange& range = batches.colours[c];
        const int count = range.joint_count + range.contact_count;
        tasks.parallel_for(count, Colouring::is_serial(c) ? count : grain, [&](int begin, int end, int) {
            for (int i = begin; i < end; ++i)
                if (i < range.joint_count)
                    visit_joint(range.joint_first + i);
                else
                    visit_contact(range.contact_first + i - range.joint_count);
        });
    }
}

// The joints alone, colour after colour.
template <class VisitJoint>
void for_each_joint_batch(Batches& batches, Tasks& tasks, VisitJoint&& visit)
{
    constexpr int grain = 8;
    for (int n = 0; n < batches.turn_count; ++n)
    {
        const int c = batches.turns[n];
        const ColourRange& range = batches.colours[c];
        if (range.joint_count == 0)
            continue;
        tasks.parallel_for(range.joint_count, Colouring::is_serial(c) ? range.joint_count : grain,
                           [&](int begin, int end, int) {
                               for (int i = begin; i < end; ++i)
                                   visit(range.joint_first + i);
                           });
    }
}

} // namespace moraine
