#include "dynamics/colouring.h"

#include <algorithm>

namespace moraine
{

namespace
{

// `slot_of(index)` is where element `index` keeps its place in the list.
template <class SlotOf>
void remove_from(std::vector<int32_t>& list, int32_t slot, SlotOf&& slot_of)
{
    const int32_t last = list.back();
    list[size_t(slot)] = last;
    slot_of(last) = slot;
    list.pop_back();
}

// The last colours are rare: one that comes up for the first time must not need the heap in a warm step.
constexpr size_t least_room = 16;

} // namespace

int take_colour(Mover& a, Mover& b, RowKind kind, Colouring& colouring)
{
    const uint64_t taken = (a.is_dynamic() ? a.colours : 0) | (b.is_dynamic() ? b.colours : 0);
    int colour = std::countr_one(taken); // 64 when all are taken: overflow
    if (kind == RowKind::joint && colour < max_colours)
        colour = max_colours - 1 - std::countl_one(taken);
    if (colour < max_colours)
    {
        if (a.is_dynamic())
            a.colours |= 1ull << colour;
        if (b.is_dynamic())
            b.colours |= 1ull << colour;
    }
    colouring.used = std::max(colouring.used, colour + 1);
    return colour;
}

void release_colour(int colour, Mover& a, Mover& b)
{
    if (colour >= max_colours)
        return;
    if (a.is_dynamic())
        a.colours &= ~(1ull << colour);
    if (b.is_dynamic())
        b.colours &= ~(1ull << colour);
}

void add_contact(int32_t manifold, bool is_crowd, ContactGraph& graph, Mover& a, Mover& b, Colouring& colouring)
{
    if (colouring.contacts[0].capacity() == 0)
        for (std::vector<int32_t>& list : colouring.contacts)
            list.reserve(least_room);
    Manifold& m = graph.manifolds[manifold];
    const int colour = is_crowd ? Colouring::crowd : take_colour(a, b, RowKind::contact, colouring);
    colouring.used = std::max(colouring.used, colour + 1);
    m.colour = int8_t(colour);
    m.slot = int32_t(colouring.contacts[colour].size());
    colouring.contacts[colour].push_back(manifold);
    ++colouring.contact_count;
}

void remove_contact(int32_t manifold, ContactGraph& graph, Mover& a, Mover& b, Colouring& colouring)
{
    Manifold& m = graph.manifolds[manifold];
    if (m.colour < 0)
        return;
    const int colour = uint8_t(m.colour);
    release_colour(colour, a, b);
    remove_from(colouring.contacts[colour], m.slot, [&](int32_t i) -> int32_t& { return graph.manifolds[i].slot; });
    m.colour = -1;
    m.slot = -1;
    --colouring.contact_count;
}

void add_joint(int32_t joint, Joints& joints, Mover& a, Mover& b, Colouring& colouring)
{
    Joint& j = joints[joint];
    j.colour = take_colour(a, b, RowKind::joint, colouring);
    j.slot = int32_t(colouring.joints[j.colour].size());
    colouring.joints[j.colour].push_back(joint);
    ++colouring.joint_count;
}

void remove_joint(int32_t joint, Joints& joints, Mover& a, Mover& b, Colouring& colouring)
{
    Joint& j = joints[joint];
    if (j.colour < 0)
        return;
    release_colour(j.colour, a, b);
    remove_from(colouring.joints[j.colour], j.slot, [&](int32_t i) -> int32_t& { return joints[i].slot; });
    j.colour = j.slot = -1;
    --colouring.joint_count;
}

} // namespace moraine
