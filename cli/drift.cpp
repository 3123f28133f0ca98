#include "cli/drift.h"

#include <algorithm>

namespace moraine::cli
{

namespace
{

constexpr float resting_slope = 0.5f; // cosine between the contact normal and up
constexpr float resting_speed = 0.1f; // m/s between the two bodies at the contact
constexpr float resting_gap = 0.005f; // metres

Vec3 velocity_at(const World& world, BodyId body, DVec3 point)
{
    const Vec3 arm = relative(point, world.center_of_mass(body));
    return world.linear_velocity(body) + cross(world.angular_velocity(body), arm);
}

} // namespace

void CarrierDrift::begin(const World& world)
{
    rests_.clear();
    const Vec3 gravity = world.gravity();
    if (length(gravity) == 0)
        return;
    const Vec3 up = normalize(-gravity);

    for (const ContactInfo& contact : world.contacts())
    {
        const float slope = dot(contact.normal, up); // the normal points from A to B
        const bool b_on_a = slope > resting_slope;
        if ((!b_on_a && slope > -resting_slope) || contact.separation > resting_gap)
            continue;
        const BodyId rider = b_on_a ? contact.body_b : contact.body_a;
        const BodyId carrier = b_on_a ? contact.body_a : contact.body_b;
        if (world.type(rider) != BodyType::dynamic_)
            continue;
        const Vec3 slip = velocity_at(world, rider, contact.point) - velocity_at(world, carrier, contact.point);
        if (length(slip) > resting_speed)
            continue;
        rests_.push_back({rider, carrier, contact.impulse, {}});
    }

    // Of several carriers the one that bears most counts.
    std::stable_sort(rests_.begin(), rests_.end(), [](const Rest& a, const Rest& b) {
        return a.rider != b.rider ? a.rider < b.rider : a.impulse > b.impulse;
    });
    const auto same = [](const Rest& a, const Rest& b) { return a.rider == b.rider; };
    rests_.erase(std::unique(rests_.begin(), rests_.end(), same), rests_.end());
    for (Rest& rest : rests_)
        rest.place = relative(world.pose(rest.rider), world.pose(rest.carrier)).position;
}

double CarrierDrift::largest(const World& world) const
{
    double result = 0;
    for (const Rest& rest : rests_)
    {
        if (!world.is_valid(rest.rider) || !world.is_valid(rest.carrier))
            continue;
        const Vec3 place = relative(world.pose(rest.rider), world.pose(rest.carrier)).position;
        result = std::max(result, double(distance(place, rest.place)));
    }
    return result;
}

} // namespace moraine::cli
