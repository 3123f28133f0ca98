// Whole runs of a scene among workers, for tests.
#pragma once

#include "distribute/run.h"
#include "scene/builder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace moraine::distribute
{

inline std::shared_ptr<SceneDescription> load(const std::string& name, const SceneParameters& parameters,
                                              const std::function<void(SceneDescription&)>& change = {})
{
    auto scene = load_scene(name, parameters);
    EXPECT_TRUE(bool(scene)) << name;
    if (change)
        change(*scene);
    return std::make_shared<SceneDescription>(std::move(*scene));
}

using Show = std::function<void(const Shown&)>;

inline RunResult run(const std::shared_ptr<const SceneDescription>& scene, int workers, uint64_t steps,
                     ServerStep* last = nullptr, const Show& show = {})
{
    const auto observe = [&](const ServerStep& s, uint64_t) {
        if (last)
            *last = s;
        return Decision{};
    };
    const auto result = run_workers(scene, {.steps = steps, .observe = observe, .show = show}, workers);
    EXPECT_TRUE(bool(result)) << (result ? "" : result.error().message);
    return result ? *result : RunResult{};
}

inline double largest_distance(const RunResult& a, const RunResult& b)
{
    double most = 0;
    for (size_t i = 0; i < a.bodies.size(); ++i)
    {
        const DVec3 d = a.bodies[i].state.pose.position - b.bodies[i].state.pose.position;
        most = std::max(most, std::sqrt(dot(d, d)));
    }
    return most;
}

} // namespace moraine::distribute
