// Do two bodies that no world holds together touch?
#pragma once

#include "distribute/messages.h"
#include "scene/description.h"

#include <algorithm>

namespace moraine::distribute
{

// How far two workers look for contacts between them.
struct Sight
{
    float horizon = 0;      // metres further than contacts reach
    uint32_t looked_at = 0; // when they last did, in steps

    bool is_quick() const { return horizon <= 0; }
};

// As near as contacts are made, and as they will come in the next step.
bool may_touch(const SceneDescription& scene, const BoundaryBody& a, const BoundaryBody& b, float dt);
// By filters and joints: do they collide at all?
bool can_collide(const SceneDescription& scene, std::span<const std::vector<int32_t>> joints_of, int32_t a, int32_t b);

// All dynamic bodies that touch when the scene begins, each pair once, sorted.
std::vector<ContactPair> find_first_touches(const SceneDescription& scene,
                                            std::span<const std::vector<int32_t>> joints_of);

// Of two workers the one that looks: as many pairs for each.
inline bool looks(int worker, int other) { return (worker + other) % 2 == 0 ? worker < other : worker > other; }

constexpr float reach = 0.02f; // as far as contacts are made
float distance(const Aabb& a, const Aabb& b);

// One worker looks at what another has: who meets, and how far the others are apart at least. Without a horizon it is a
// quick look: only pairs count of which one has moved since the last one.
class Lookout
{
public:
    // No point of its own bodies comes further than `ahead` in a step.
    Lookout(const SceneDescription& scene, std::span<const std::vector<int32_t>> joints_of, float ahead, float dt,
            const Sight& sight)
        : scene_(scene),
          joints_of_(joints_of),
          ahead_(ahead),
          gap_(sight.horizon),
          dt_(dt),
          counts_after_(sight.is_quick() ? int64_t(sight.looked_at) : -1)
    {}

    // Where something may be that counts.
    Aabb box_around(const BoundaryBody& other) const { return enlarge(other.box, near(other) + gap_); }

    // `make_own` gives the body itself, where its box is not enough to tell.
    template <class MakeOwn>
    bool meets(const Aabb& box, int32_t own, uint32_t moved_at, const BoundaryBody& other, MakeOwn&& make_own)
    {
        if (std::max(moved_at, other.moved_at) <= counts_after_)
            return false;
        const float beyond = distance(box, other.box) - near(other);
        if (beyond > 0 && beyond >= gap_)
            return false;
        if (!can_collide(scene_, joints_of_, own, other.body))
            return false;
        if (beyond <= 0 && may_touch(scene_, make_own(), other, dt_))
            return true;
        gap_ = std::max(std::min(gap_, beyond), 0.0f);
        return false;
    }

    float gap() const { return gap_; } // metres: what does not meet is further apart, at most the horizon

private:
    float near(const BoundaryBody& other) const { return reach + ahead_ + dt_ * length(other.velocity); }

    const SceneDescription& scene_;
    std::span<const std::vector<int32_t>> joints_of_;
    float ahead_, gap_, dt_;
    int64_t counts_after_; // pairs that have moved since then
};

} // namespace moraine::distribute
