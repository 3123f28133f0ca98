// A world for tests that read as sentences: a few bodies, a clock, and how far things went.
#pragma once

#include <moraine/moraine.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace moraine::test
{

constexpr float gravity = 9.81f;

struct Surface
{
    float friction = 0.5f;
    float restitution = 0;
};

class TestWorld
{
public:
    float dt = 1.0f / 60.0f;

    explicit TestWorld(const WorldDef& def = {}) : world_(def) {}

    World* operator->() { return &world_; }
    const World* operator->() const { return &world_; }
    World& operator*() { return world_; }

    // ---- time ----
    StepReport step() { return world_.step(dt); }
    void run_steps(int count)
    {
        for (int i = 0; i < count; ++i)
            world_.step(dt);
    }
    void run_seconds(double seconds) { run_steps(int(seconds / double(dt) + 0.5)); }

    // ---- bodies ----
    BodyId add(const BodyDef& def)
    {
        Result<BodyId> body = world_.try_create_body(def);
        if (!body)
        {
            ADD_FAILURE() << body.error().message;
            return {};
        }
        start_[*body] = world_.pose(*body);
        return *body;
    }
    BodyId add_floor(Surface surface = {}, float angle_degrees = 0)
    {
        return add(
            {.type = BodyType::static_,
             .rotation = axis_angle({0, 0, 1}, radians(angle_degrees)),
             .shapes = {{.geometry = HalfSpace{}, .friction = surface.friction, .restitution = surface.restitution}}});
    }
    BodyId add_box(DVec3 position, Vec3 half = {0.5f, 0.5f, 0.5f}, Surface surface = {}, float mass = 1)
    {
        return add(
            {.position = position,
             .shapes = {{.geometry = Box{half}, .friction = surface.friction, .restitution = surface.restitution}},
             .mass = mass});
    }
    BodyId add_ball(DVec3 position, float radius = 0.5f, Surface surface = {}, float mass = 1)
    {
        return add(
            {.position = position,
             .shapes = {{.geometry = Sphere{radius}, .friction = surface.friction, .restitution = surface.restitution}},
             .mass = mass});
    }

    // ---- what became of them ----
    DVec3 position(BodyId body) const { return world_.pose(body).position; }
    void mark(BodyId body) { start_[body] = world_.pose(body); }
    DVec3 way(BodyId body) const { return world_.pose(body).position - start_.at(body).position; }
    double moved(BodyId body) const { return length(way(body)); }
    float turned(BodyId body) const
    {
        return length(rotation_vector(world_.pose(body).rotation * conjugate(start_.at(body).rotation)));
    }
    float speed(BodyId body) const { return length(world_.linear_velocity(body)); }

private:
    World world_;
    std::map<BodyId, Pose> start_;
};

inline WorldDef without_gravity()
{
    WorldDef def;
    def.gravity = {};
    return def;
}
inline WorldDef without_sleep()
{
    WorldDef def;
    def.sleeping = false;
    return def;
}

inline DVec3 cross(DVec3 a, DVec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

inline DVec3 momentum(const World& world)
{
    DVec3 sum;
    for (BodyId b : world.bodies())
        if (world.type(b) == BodyType::dynamic_)
            sum += DVec3(world.linear_velocity(b)) * double(world.mass(b));
    return sum;
}

// About the origin.
inline DVec3 angular_momentum(const World& world)
{
    DVec3 sum;
    for (BodyId b : world.bodies())
        if (world.type(b) == BodyType::dynamic_)
            sum += cross(world.center_of_mass(b), DVec3(world.linear_velocity(b)) * double(world.mass(b))) +
                   DVec3(world.inertia(b) * world.angular_velocity(b));
    return sum;
}

inline bool is_finite(const World& world, BodyId body)
{
    return moraine::is_finite(world.pose(body)) && moraine::is_finite(world.linear_velocity(body)) &&
           moraine::is_finite(world.angular_velocity(body));
}

inline bool all_finite(const World& world)
{
    for (BodyId b : world.bodies())
        if (!is_finite(world, b))
            return false;
    return true;
}

// Of the first body whose state is not a number; empty when there is none.
inline std::string not_finite(const World& world)
{
    for (BodyId b : world.bodies())
    {
        if (is_finite(world, b))
            continue;
        const DVec3 p = world.center_of_mass(b);
        const Vec3 v = world.linear_velocity(b), w = world.angular_velocity(b);
        const Quat q = world.pose(b).rotation;
        std::ostringstream out;
        out << "body " << b.index << " of type " << int(world.type(b)) << (world.is_awake(b) ? " awake" : " asleep")
            << " at " << p.x << " " << p.y << " " << p.z << " turned " << q.x << " " << q.y << " " << q.z << " " << q.w
            << " velocity " << v.x << " " << v.y << " " << v.z << " spin " << w.x << " " << w.y << " " << w.z;
        return out.str();
    }
    return {};
}

inline void expect_near(DVec3 a, DVec3 b, double tolerance, const char* what = "")
{
    EXPECT_LE(length(a - b), tolerance) << what << " (" << a.x << ", " << a.y << ", " << a.z << ") and (" << b.x << ", "
                                        << b.y << ", " << b.z << ")";
}

} // namespace moraine::test
