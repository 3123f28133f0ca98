// The rows of a step as a list for each group of movers that they connect, for the direct solver.
#pragma once

#include "dynamics/pgs_rows.h"

namespace moraine
{

struct DirectRow
{
    int32_t slot[2]; // awake slots of movers A and B; -1: rows do not change it
    Vec3 d{};        // as in rows.h
    Vec3 j[2]{};
    float free_speed = 0; // what the row asks for is w + free_speed + compliance λ = 0, with w made by impulses
    float compliance = 0;
    float lower = 0;
    float upper = 0;
    float friction = 0; // bounds are ± friction times the impulse of the row `normal` places before this one
    int32_t normal = 0; // 0: the bounds are those above
    float guess = 0;
    float* impulse = nullptr; // the result is added here
};

struct DirectRows
{
    std::span<DirectRow> rows;      // group after group
    std::span<int32_t> group_first; // into rows; one more than there are groups
    int group_count() const { return int(group_first.size()) - 1; }
};

// Velocities must be those without any impulse of this step. Clears the impulses in the batches.
// Groups are those that the rows connect, or one for all (without contact_groups); with subgrouping they end at movers
// that are about to sleep.
DirectRows list_direct_rows(const SolverWorld& world, const WorldDef& settings, PgsRows& rows, Arena& arena);

} // namespace moraine
