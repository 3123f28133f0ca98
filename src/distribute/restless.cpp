#include "distribute/restless.h"

#include "collide/narrow_phase.h"
#include "graph/members.h"

#include <algorithm>

namespace moraine::distribute
{

namespace
{

// Metres. Both of two bodies may go so far to either side of where they were seen unnoticed: four times that is a fifth of
// the margin of contacts.
constexpr float unnoticed = 0.001f;

} // namespace

void Restless::note_change(int32_t body)
{
    if (places_.size() <= size_t(body))
        places_.resize(size_t(body) + 1);
    places_[size_t(body)].moved_at = now_ + 1;
}

float Restless::update(const WorldData& world, float dt)
{
    ++now_;
    fast_.clear();
    const Movers& movers = world.movers;
    float most = 0;
    for (int32_t m : movers.awake)
    {
        const Mover& mover = movers[m];
        const MoverVelocity& v = movers.velocities[size_t(m)];
        // As long in the mover's own axes as in the world's.
        const float turn = mover.is_round ? 0.0f
                                          : length(multiply(movers.masses[size_t(m)].factor, v.spin)) * mover.radius;
        const float speed = length(v.linear) + turn;
        most = std::max(most, speed);
        if (dt * speed > 0.5f * default_contact_margin)
            for_each_member(movers, m, [&](int32_t body) { fast_.push_back(body); });
        if (mover.has_members()) // they come and go: all of them are looked at
        {
            for_each_member(movers, m, [&](int32_t body) { places_[size_t(body)].moved_at = now_; });
            continue;
        }
        Place& place = places_[size_t(mover.body)];
        place.turned += dt * turn;
        if (length(relative(mover.pose.position, place.position)) + place.turned > unnoticed)
            place = {mover.pose.position, 0, now_};
    }
    return most;
}

} // namespace moraine::distribute
