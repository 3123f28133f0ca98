// Colours: rows of one colour never share a mover, so that lanes and threads can solve them side by side. A row keeps
// its colour for as long as it is in the solve; nothing is rebuilt from step to step.
#pragma once

#include "dynamics/joints.h"
#include "graph/contact_graph.h"
#include "graph/movers.h"

#include <bit>
#include <vector>

namespace moraine
{

// A mover has one bit for each colour. Rows that find no free colour go to the last list, whose batches are
// serial: as full as others, but solved lane after lane. Contacts with a collection that is much heavier would use up
// its colours: they have a list of their own, see crowds.h.
struct Colouring
{
    static constexpr int overflow = max_colours;
    static constexpr int crowd = max_colours + 1;
    static constexpr int list_count = max_colours + 2;
    static bool is_serial(int list) { return list >= overflow; } // its batches are solved one after the other

    std::vector<int32_t> contacts[list_count]; // manifold indices
    std::vector<int32_t> joints[list_count];   // joint indices; none in a crowd
    int used = 0;                              // colours below this may have rows
    int contact_count = 0;
    int joint_count = 0;
};

enum class RowKind : uint8_t
{
    contact,
    joint
};

// A colour free on both movers (on the dynamic ones of them), taken: the first for contacts, the last for joints, which
// then come after the contacts in every sweep, and do not change the order of these: tall stacks do not bear every order.
int take_colour(Mover& a, Mover& b, RowKind kind, Colouring& colouring);
void release_colour(int colour, Mover& a, Mover& b);

void add_contact(int32_t manifold, bool is_crowd, ContactGraph& graph, Mover& a, Mover& b, Colouring& colouring);
void remove_contact(int32_t manifold, ContactGraph& graph, Mover& a, Mover& b, Colouring& colouring);
void add_joint(int32_t joint, Joints& joints, Mover& a, Mover& b, Colouring& colouring);
void remove_joint(int32_t joint, Joints& joints, Mover& a, Mover& b, Colouring& colouring);

} // namespace moraine
