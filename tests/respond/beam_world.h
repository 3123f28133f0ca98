// A beam with a model, a ball that rides on it, and a hammer.
#pragma once

#include "respond/beam.h"
#include "support/test_world.h"

#include <gtest/gtest.h>

namespace moraine::test
{

inline constexpr float step = 0.01f;

struct BeamWorld
{
    Beam beam{};
    TestWorld w;
    BodyId body{}, hammer{}, rider{};

    explicit BeamWorld(const WorldDef& def = without_sleep(), const ResponseDef& response = {}, Beam b = {})
        : beam(b),
          w(def)
    {
        w.dt = step;
        body = w.add({.type = BodyType::static_, .shapes = {{.geometry = beam.box(), .friction = 0.5f}}});
        ResponseDef with = response;
        if (!with.model)
            with.model = beam.model();
        const Status status = w->set_response(body, with);
        EXPECT_TRUE(bool(status));
        rider = w.add_ball({0.6, beam.top() + 0.05, 0}, 0.05f, {}, 0.2f);
    }
    void drop(double x = -0.5, float mass = 5, float speed = 2)
    {
        hammer = w.add_ball({x, beam.top() + 0.1 + 0.02, 0}, 0.1f, {}, mass);
        w->set_linear_velocity(hammer, {0, -speed, 0});
    }
    // Steps until something was hit, and gives the impulse.
    float run_to_impact()
    {
        for (int i = 0; i < 50; ++i)
        {
            w.step();
            for (const ImpactEvent& e : w->events().impacts)
                if (e.other == hammer)
                    return length(e.impulse);
        }
        return 0;
    }
};

inline WorldDef with_solver(SolverKind solver)
{
    WorldDef def = without_sleep();
    def.solver = solver;
    def.slop = 0;
    def.iterations = 50;
    return def;
}

inline WorldDef thrown(WorldDef def = without_sleep())
{
    def.response.kick = ResponseKick::thrown;
    return def;
}

} // namespace moraine::test
