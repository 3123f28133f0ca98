// How one body that was hit shakes what else touches it.
#pragma once

#include "world/world_data.h"

namespace moraine
{

// What is known of the body while its contacts are visited.
struct Shaking
{
    ResponseBody& source;
    const ResponseModel& model;
    int32_t place;
    std::span<const Impact> impacts;
    std::span<const SurfacePoint> hits; // where the impacts are
    std::span<ShakenPoint> points{};
    Pose frame{};
    float dt = 0;
};

// Says who rides on bodies that shake elsewhere, too, and hears who rides on them there.
void share_riders(WorldData& world, float dt);

// Adds kicks for the contacts of the body at `place` in world.responses.bodies.
void shake(WorldData& world, int32_t place, float dt);

} // namespace moraine
