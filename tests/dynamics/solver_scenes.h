// Small scenes whose outcome is known, for the solvers that take a step as a whole.
#pragma once

#include <moraine/world.h>

#include <gtest/gtest.h>

#include <vector>

namespace moraine::solver_scenes
{

inline WorldDef settings(SolverKind solver, int iterations = 10)
{
    WorldDef def;
    def.solver = solver;
    def.iterations = iterations;
    def.merging = false;
    def.sleeping = false;
    return def;
}

struct Scene
{
    World world;
    std::vector<BodyId> bodies;
    float dt = 0.01f;

    explicit Scene(const WorldDef& def) : world(def) {}

    void run(float seconds)
    {
        for (int i = 0, n = int(seconds / dt + 0.5f); i < n; ++i)
            world.step(dt);
    }
    BodyId add_floor(float angle_degrees = 0, float friction = 0.5f, float restitution = 0)
    {
        return world.create_body(
            {.type = BodyType::static_,
             .rotation = axis_angle({0, 0, 1}, radians(angle_degrees)),
             .shapes = {{.geometry = HalfSpace{}, .friction = friction, .restitution = restitution}}});
    }
    BodyId add_box(DVec3 position, Vec3 half = {0.5f, 0.5f, 0.5f}, float mass = 1, float friction = 0.5f)
    {
        bodies.push_back(world.create_body(
            {.position = position, .shapes = {{.geometry = Box{half}, .friction = friction}}, .mass = mass}));
        return bodies.back();
    }
    BodyId add_ball(DVec3 position, float radius = 0.5f, float mass = 1, float restitution = 0, Vec3 velocity = {})
    {
        bodies.push_back(world.create_body({.position = position,
                                            .linear_velocity = velocity,
                                            .shapes = {{.geometry = Sphere{radius}, .restitution = restitution}},
                                            .mass = mass}));
        return bodies.back();
    }
    double height(size_t i) const { return world.center_of_mass(bodies[i]).y; }
};

// A box whose face lies on a plane at an angle.
inline Scene slope(const WorldDef& def, float angle_degrees, float friction)
{
    Scene s(def);
    s.add_floor(angle_degrees, friction);
    const Quat q = axis_angle({0, 0, 1}, radians(angle_degrees));
    s.bodies.push_back(s.world.create_body({.position = DVec3(rotate(q, {0, 0.25f, 0})),
                                            .rotation = q,
                                            .shapes = {{.geometry = Box{{0.5f, 0.25f, 0.5f}}, .friction = friction}},
                                            .mass = 1}));
    return s;
}

inline Scene stack(const WorldDef& def, int count, float top_mass = 1)
{
    Scene s(def);
    s.add_floor();
    for (int i = 0; i < count; ++i)
        s.add_box({0, 0.5 + i, 0}, {0.5f, 0.5f, 0.5f}, i == count - 1 ? top_mass : 1.0f);
    return s;
}

// Boxes that lie askew on each other, one on a slope of its own weight: no two contacts alike.
inline Scene crooked_stack(const WorldDef& def, float angle_degrees)
{
    Scene s(def);
    s.add_floor(angle_degrees, 0.6f);
    const Quat q = axis_angle({0, 0, 1}, radians(angle_degrees));
    const Vec3 halves[3] = {{0.6f, 0.2f, 0.5f}, {0.4f, 0.3f, 0.4f}, {0.5f, 0.1f, 0.2f}};
    const float masses[3] = {3, 1, 2};
    float height = 0;
    for (int i = 0; i < 3; ++i)
    {
        height += halves[i].y;
        const Quat turned = q * axis_angle({0, 1, 0}, 0.3f * float(i));
        s.bodies.push_back(s.world.create_body({.position = DVec3(rotate(q, {0.05f * float(i), height, 0.02f})),
                                                .rotation = turned,
                                                .shapes = {{.geometry = Box{halves[i]}, .friction = 0.6f}},
                                                .mass = masses[i]}));
        height += halves[i].y;
    }
    return s;
}

inline DVec3 momentum(const Scene& s)
{
    DVec3 sum;
    for (BodyId b : s.bodies)
        sum += DVec3(s.world.linear_velocity(b)) * double(s.world.mass(b));
    return sum;
}

// About the origin.
inline DVec3 angular_momentum(const Scene& s)
{
    DVec3 sum;
    for (BodyId b : s.bodies)
    {
        const DVec3 x = s.world.center_of_mass(b), p = DVec3(s.world.linear_velocity(b)) * double(s.world.mass(b));
        sum += DVec3(x.y * p.z - x.z * p.y, x.z * p.x - x.x * p.z, x.x * p.y - x.y * p.x);
        sum += DVec3(s.world.inertia(b) * s.world.angular_velocity(b));
    }
    return sum;
}

inline double total_impulse(const Scene& s, BodyId body)
{
    double sum = 0;
    for (const ContactInfo& c : s.world.contacts(body))
        sum += double(c.impulse);
    return sum;
}

} // namespace moraine::solver_scenes
