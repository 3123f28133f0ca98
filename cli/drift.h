// How far bodies creep on what carries them: the measure of a load on a moving deck.
#pragma once

#include <moraine/world.h>

#include <vector>

namespace moraine::cli
{

class CarrierDrift
{
public:
    // Remembers which bodies rest on which, and where.
    void begin(const World& world);
    // Largest distance that a rider has moved in its carrier's frame since then; 0 where nothing rested.
    double largest(const World& world) const;
    size_t riders() const { return rests_.size(); }

private:
    struct Rest
    {
        BodyId rider{}, carrier{};
        float impulse = 0;
        Vec3 place{}; // of the rider in the carrier's frame
    };
    std::vector<Rest> rests_;
};

} // namespace moraine::cli
