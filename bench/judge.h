// Judges how well an engine did from nothing but the poses of its bodies, with one narrow phase for all engines.
#pragma once

#include "geometry/shape.h"
#include "scene/description.h"

#include <set>
#include <span>
#include <vector>

namespace moraine::bench
{

struct Penetration
{
    double max = 0;  // metres
    double mean = 0; // over the contact points that overlap
    int points = 0;
};

struct Drift
{
    double max = 0; // metres
    int count = 0;  // riders that moved more than drift_limit
    int riders = 0; // bodies that rested on something
};
constexpr double drift_limit = 0.1;

// A body that rests on another, and where.
struct Rest
{
    int rider = 0, carrier = 0;
    Vec3 place{}; // of the rider in the carrier's frame
};

class Judge
{
public:
    explicit Judge(const SceneDescription& scene);

    Penetration penetration(std::span<const Pose> poses) const;
    // Which bodies rest on which: touching from above, and not moving against each other between two steps.
    std::vector<Rest> find_rests(std::span<const Pose> before, std::span<const Pose> now, float dt) const;
    Drift drift(std::span<const Rest> rests, std::span<const Pose> poses) const;
    // Metres between what the joints should hold together.
    double joint_gap(std::span<const Pose> poses) const;

private:
    struct Part
    {
        int body = 0;
        Shape shape{}; // placed in the body's frame
    };
    // One contact point; the normal is in world axes from A to B.
    struct Touch
    {
        int body_a = 0, body_b = 0;
        Vec3 normal{};
        float separation = 0;
    };
    template <class Visit>
    void for_each_touch(std::span<const Pose> poses, float margin, Visit&& visit) const;
    template <class Visit>
    void touch_pair(const Part& a, const Part& b, std::span<const Pose> poses, float margin, Visit&& visit) const;
    bool can_meet(int a, int b) const;

    const SceneDescription& scene_;
    std::vector<Part> parts_;
    std::set<std::pair<int, int>> apart_; // by a joint; lower index first
};

} // namespace moraine::bench
