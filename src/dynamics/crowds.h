// Contacts with something much heavier: one collection with all that lies around it, a platform with what stands on it.
//
// All of them act on one mover, so as rows of different colours they would be solved one at a time, one lane of eight in
// use. What is much heavier hardly feels a single contact, though, and eight of them may be solved side by side, each
// lane with a copy of the heavy mover; what they have changed is added up afterwards. That is Gauss-Seidel from batch to
// batch and Jacobi among eight, for one side of the contact that answers by less than a thirty-second of the other.
#pragma once

#include "base/arena.h"
#include "dynamics/rows.h"
#include "graph/contact_graph.h"

#include <span>

namespace moraine
{

// Rows that go into one batch. Without a heavy mover they may share anything, and are solved one after the other.
struct Crowd
{
    int32_t first = 0, count = 0; // in Crowds::order
    int32_t heavy = -1;
};

struct Crowds
{
    std::span<const int32_t> order; // manifolds
    std::span<const Crowd> batches;

    std::span<const int32_t> items(int i) const
    {
        return order.subspan(size_t(batches[size_t(i)].first), size_t(batches[size_t(i)].count));
    }
};

// The heavier one, if it is so much heavier that contacts of the other may share it; else -1.
int32_t heavy_of(const Movers& movers, int32_t a, int32_t b);

// Packs manifolds, which come with the number of their points descending, so that no light mover is twice in a batch.
Crowds pack_crowds(std::span<const int32_t> manifolds, const ContactGraph& graph, const Movers& movers, bool may_share,
                   Arena& arena);

// Room behind the velocities of all movers, for the lanes' copies of a heavy one, as long as this lives.
class LaneCopies
{
public:
    explicit LaneCopies(Movers& movers) : movers_(movers), first_(movers.velocities.size())
    {
        movers.velocities.resize(first_ + lane_count);
    }
    ~LaneCopies() { movers_.velocities.resize(first_); }
    LaneCopies(const LaneCopies&) = delete;
    LaneCopies& operator=(const LaneCopies&) = delete;

    int32_t first() const { return int32_t(first_); }

private:
    Movers& movers_;
    size_t first_;
};

// A mover that the lanes of a batch share. Lane i has it as mover `copies` + i.
struct SharedMover
{
    int32_t mover = -1; // -1: none is shared
    int32_t copies = 0;

    int32_t original(int32_t index) const { return mover >= 0 && index >= copies ? mover : index; }
};

// From now on each lane has a copy of its own.
inline void share_mover(SharedMover shared, int count, int32_t (&a)[lane_count], int32_t (&b)[lane_count])
{
    for (int lane = 0; lane < count; ++lane)
        for (int32_t* index : {&a[lane], &b[lane]})
            if (*index == shared.mover)
                *index = shared.copies + lane;
}
inline void unshare_mover(SharedMover shared, int32_t (&a)[lane_count], int32_t (&b)[lane_count])
{
    for (int lane = 0; lane < lane_count; ++lane)
        for (int32_t* index : {&a[lane], &b[lane]})
            if (*index >= 0)
                *index = shared.original(*index);
}

// Calls what reads and writes the movers of a batch.
template <class Call>
void with_copies(SharedMover shared, MoverVelocity* movers, Call&& call)
{
    if (shared.mover < 0)
    {
        call();
        return;
    }
    MoverVelocity& heavy = movers[shared.mover];
    const MoverVelocity before = heavy;
    MoverVelocity* copies = movers + shared.copies;
    for (int lane = 0; lane < lane_count; ++lane)
        copies[lane] = before;
    call();
    for (int lane = 0; lane < lane_count; ++lane)
    {
        heavy.linear += copies[lane].linear - before.linear;
        heavy.spin += copies[lane].spin - before.spin;
        heavy.shift += copies[lane].shift - before.shift;
        heavy.turn += copies[lane].turn - before.turn;
    }
}

// How much of a row's give is that of its heavy side, for the lanes together: where this is much, as at the end of a long
// arm, they must not be solved side by side. `row` has the halves ja and jb, `mass` is what an impulse meets.
template <class Row>
float share_of_heavy(SharedMover shared, const int32_t* a, const int32_t* b, float inv_mass, const Row& row,
                     const float* mass)
{
    float sum = 0;
    for (int lane = 0; lane < lane_count; ++lane)
    {
        const bool is_a = a[lane] >= shared.copies, is_b = b[lane] >= shared.copies;
        if (!is_a && !is_b)
            continue;
        const auto& j = is_a ? row.ja : row.jb;
        const float give = inv_mass + j[0][lane] * j[0][lane] + j[1][lane] * j[1][lane] + j[2][lane] * j[2][lane];
        sum += give * mass[lane];
    }
    return sum;
}
constexpr float bearable_share = 0.5f;

} // namespace moraine
