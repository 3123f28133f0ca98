// Kicks: contacts that something shakes are to part at a given speed (distant-collision-response-2020, sections 4.3, 4.5).
//
// With w the speed of a contact's normal row, a kick asks for w >= speed. Work is counted row by row: an impulse p that
// takes a row from w0 to w1 does the work p (w0 + w1) / 2, exactly. Each kick takes it from a source of energy, and the
// sources never go below zero.
#pragma once

#include "base/arena.h"
#include "graph/contact_graph.h"
#include "graph/movers.h"

#include <span>

namespace moraine
{

struct ContactKick
{
    int32_t manifold = -1;
    int32_t point = 0;
    int32_t source = 0; // whose energy it takes
    float speed = 0;    // along the normal
    Vec3 slide{};       // of B against A along the surface, in the world
    float impulse = 0;  // along the normal; what it is expected to take, and then what it took
    double work = 0;    // J
    float distance = 0; // from the nearest hit: along the surface where the answer depends on it, else straight
    // Of a body that other worlds have copies of.
    float share = 1;          // of the work that counts: as much as this copy does
    bool is_passed_on = true; // else another world does that
};

struct Kicks
{
    std::span<ContactKick> all{};
    std::span<double> energy{}; // left, by source
};

// How many sweeps over the kicked rows: one is eq. 18, in which each point takes what those before it have left.
constexpr int kick_sweeps = 4;

// Notes what each would take if its source could pay for all. Velocities stay as they are.
void measure_kicks(const ContactGraph& graph, Movers& movers, Arena& arena, std::span<ContactKick> kicks);
// Makes kicks that were measured smaller until their sources can pay for them.
void fit_kicks(Arena& arena, const Kicks& kicks);
// Pushes the movers. Energy is taken from the sources, and where one is empty its kicks end.
void apply_kicks(const ContactGraph& graph, int sweeps, Movers& movers, Arena& arena, const Kicks& kicks);

} // namespace moraine
