// Which bodies of a worker have moved since contacts with other workers were last looked for. Of two bodies that were further
// apart than contacts reach, and of which neither has moved, nobody needs to be told.
#pragma once

#include "world/world_data.h"

#include <span>

namespace moraine::distribute
{

class Restless
{
public:
    // By body of the world. A new one counts as moved, and so does one that other workers have now.
    void note_change(int32_t body);

    // After each step. Returns the largest speed of any point of what is awake, as far as it takes up new space: a ball that
    // turns does not.
    float update(const WorldData& world, float dt);

    // Bodies so fast that contacts of the next step are not there yet.
    std::span<const int32_t> fast() const { return fast_; }
    uint32_t now() const { return now_; } // updates so far
    uint32_t moved_at(int32_t body) const { return places_[size_t(body)].moved_at; }

    template <class A>
    void archive(A& a)
    {
        a(places_), a(now_);
    }

private:
    struct Place
    {
        DVec3 position{};      // when it was last said to have moved
        float turned = 0;      // metres: as far as turning has moved any point since then
        uint32_t moved_at = 0; // the update that said so
    };
    std::vector<Place> places_; // by body of the world
    uint32_t now_ = 0;
    std::vector<int32_t> fast_; // of the last update
};

} // namespace moraine::distribute
