// What lies on a vibrating surface: it stays behind where the surface goes down, is pushed where it comes up, and flies on
// when the surface slows down. Surface and riders push each other, so that heavy ones hold it back, and what hits it
// presses for as long as it takes to be stopped.
//
// The modes go from sample to sample by the filter of eq. 10 (distant-collision-response-2020); press_points.h has what
// happens where they meet.
#pragma once

#include "dynamics/contact_row.h"
#include "respond/filter.h"

namespace moraine
{

// A contact point of a rigid body on the surface. Points of one group lie one after the other.
struct Rider
{
    int32_t group = 0;              // is thrown together
    ContactRow row{};               // along the normal; without mass, the rider is a point by itself
    float mass = 0;                 // of such a point; 0: it never moves
    std::span<const Vec3> shapes{}; // of the surface there, by mode
    Vec3 position{}, normal{};      // of the surface there, in its frame
    float gap = 0;                  // from the surface at rest
    float load = 0;                 // N: what presses it on the surface at rest

    // ---- found ----
    float speed = 0; // along the row, of the throw that takes it highest, as if it began where it rests; 0: none
    Vec3 aside{};    // velocity of the surface along itself at that time, in its frame
};

// A contact point of what hits the surface. Those of one body lie one after the other.
struct Hitter
{
    std::span<const Vec3> shapes{};
    Vec3 normal{};         // out of the surface
    ContactRow row{};      // of its body alone; without mass, it is a point by itself
    Vec3 linear{}, spin{}; // of that body, before anything has stopped it
    float impulse = 0;     // all at once, if it has no mass
    float mass = 0;
    float speed = 0;  // that it comes in with
    float weight = 0; // m/s² towards the surface
};

// From rest for one period of the slowest mode, and at least for a step. Movers stay as they are.
void ride(const ResponseModel& model, float dt, std::span<Rider> riders, std::span<const Hitter> hitters,
          Movers& movers, Arena& arena);

} // namespace moraine
