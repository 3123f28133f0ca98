#include "response_scenes.h"

#include "scene/description.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace moraine::bench
{

namespace
{

Result<Scene> open(const char* name, bool with_response, const SceneParameters& parameters = {})
{
    Result<SceneDescription> description = load_scene(name, parameters);
    if (!description)
        return description.error();
    description->world.response.is_on = with_response;
    return Scene::create(*description);
}

std::vector<BodyId> called(const Scene& scene, const std::string& name)
{
    std::vector<BodyId> found;
    for (size_t i = 0; i < scene.bodies().size(); ++i)
        if (scene.description().bodies[i].def.name == name)
            found.push_back(scene.bodies()[i]);
    return found;
}

// Metres in ten seconds.
Result<double> slide_of_wrench(bool with_response)
{
    Result<Scene> scene = open("wrench_roof", with_response);
    if (!scene)
        return scene.error();
    const BodyId wrench = called(*scene, "wrench").at(0);
    const DVec3 start = scene->world().pose(wrench).position;
    for (int i = 0; i < 1000; ++i)
        scene->step();
    return length(scene->world().pose(wrench).position - start);
}

struct Kitchen
{
    double fridge = 0; // metres that it moves at most
    double leaves = 0; // rad/s at most
};
Result<Kitchen> run_kitchen(bool with_response)
{
    Result<Scene> scene = open("washing_machine", with_response);
    if (!scene)
        return scene.error();
    const BodyId fridge = called(*scene, "fridge").at(0);
    for (int i = 0; i < 50; ++i) // until leaves hang
        scene->step();
    const DVec3 start = scene->world().pose(fridge).position;
    Kitchen out;
    for (int i = 0; i < 450; ++i)
    {
        scene->step();
        out.fridge = std::max(out.fridge, length(scene->world().pose(fridge).position - start));
        for (const BodyId leaf : called(*scene, "leaf"))
            if (i > 100)
                out.leaves = std::max(out.leaves, double(length(scene->world().angular_velocity(leaf))));
    }
    return out;
}

// How fast the far row of cones gets, by the near one.
Result<double> reach_of_truck(const char* beta)
{
    Result<Scene> scene = open("low_rider", true, {{"beta", beta}, {"scale", "1"}});
    if (!scene)
        return scene.error();
    const std::vector<BodyId> cones = called(*scene, "cone");
    std::vector<double> fastest(cones.size(), 0);
    std::vector<bool> is_near;
    for (const BodyId cone : cones)
        is_near.push_back(std::fabs(scene->world().pose(cone).position.z) < 3.5);
    for (int step = 0; step < 200; ++step)
    {
        scene->step();
        for (size_t k = 0; k < cones.size(); ++k)
            fastest[k] = std::max(fastest[k], double(length(scene->world().linear_velocity(cones[k]))));
    }
    double near = 0, far = 0;
    for (size_t k = 0; k < cones.size(); ++k)
        (is_near[k] ? near : far) += fastest[k];
    return near > 0 ? far / near : 0;
}

// Of the pot in its own scene, which has more modes and points than the paper's; the best of several worlds.
Result<std::string> describe_dinner()
{
    double best = 1e9;
    int kicks = 0;
    for (int round = 0; round < 10; ++round)
    {
        Result<Scene> scene = open("dinner", true);
        if (!scene)
            return scene.error();
        for (int i = 0; i < 40; ++i)
        {
            const StepReport report = scene->step();
            if (report.kicks <= kicks / 2)
                continue;
            kicks = report.kicks;
            best = std::min(best, double(report.phase_ms[size_t(Phase::respond)]));
            break;
        }
    }
    return fmt::format("dinner: the pot's impact takes {:.2f} ms, cold, with {} contacts", best, kicks);
}

} // namespace

Result<std::vector<std::string>> describe_response_scenes()
{
    std::vector<std::string> out;
    const Result<double> still = slide_of_wrench(false), slid = slide_of_wrench(true);
    if (!still || !slid)
        return still ? slid.error() : still.error();
    out.push_back(
        fmt::format("wrench_roof: in 10 s the wrench moves by {:.2g} mm without the response and {:.0f} mm with it",
                    1000 * *still, 1000 * *slid));
    std::array<double, 3> reach{};
    constexpr const char* betas[] = {"0.5", "1", "2"};
    for (size_t i = 0; i < reach.size(); ++i)
    {
        const Result<double> found = reach_of_truck(betas[i]);
        if (!found)
            return found.error();
        reach[i] = *found;
    }
    out.push_back(fmt::format("low_rider: far cones by near ones {:.2f}, {:.2f}, {:.2f} for beta 0.5, 1, 2", reach[0],
                              reach[1], reach[2]));
    const Result<Kitchen> quiet = run_kitchen(false), shaken = run_kitchen(true);
    if (!quiet || !shaken)
        return quiet ? shaken.error() : quiet.error();
    out.push_back(fmt::format("washing_machine: the fridge moves by {:.2g} mm at most, leaves turn at {:.2g} rad/s "
                              "({:.2g} without the response)",
                              1000 * shaken->fridge, shaken->leaves, quiet->leaves));
    const Result<std::string> dinner = describe_dinner();
    if (!dinner)
        return dinner.error();
    out.push_back(*dinner);
    return out;
}

} // namespace moraine::bench
