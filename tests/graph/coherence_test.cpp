// Skipping the narrow phase must not show: who is at rest stays there in both modes.
#include "scene/description.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace moraine::test
{
namespace
{

std::vector<DVec3> places_of(const Scene& scene)
{
    std::vector<DVec3> places;
    for (BodyId body : scene.bodies())
        places.push_back(scene.world().center_of_mass(body));
    return places;
}

double furthest(const std::vector<DVec3>& a, const std::vector<DVec3>& b, const std::vector<bool>& counts)
{
    double far = 0;
    for (size_t i = 0; i < a.size(); ++i)
        if (counts[i])
            far = std::max(far, length(a[i] - b[i]));
    return far;
}

void run(Scene& scene, bool coherence, double seconds)
{
    WorldDef settings = scene.world().settings();
    settings.coherence = coherence;
    scene.world().set_settings(settings);
    for (int i = 0; i < int(60 * seconds); ++i)
        scene.step();
}

Result<Scene> make_pile(const char* seed)
{
    Result<SceneDescription> description = load_scene("pile_5000", {{"count", "150"}, {"seed", seed}});
    description->world.sleeping = false;
    return Scene::create(*description);
}

class PileAtRest : public testing::TestWithParam<const char*>
{
};

// Nothing is between the two but rounding: 10 s at rest may cost a tenth of a millimetre. A box that hangs between two
// points swings like a pendulum for long: it is not at rest.
TEST_P(PileAtRest, KeepsItsPlaceWithAndWithoutCoherence)
{
    Result<Scene> pile = make_pile(GetParam());
    ASSERT_TRUE(pile);
    Scene& scene = *pile;
    run(scene, true, 20);
    const std::vector<DVec3> before = places_of(scene);
    run(scene, true, 10);
    const std::vector<uint8_t> start = scene.world().snapshot();
    const std::vector<DVec3> first = places_of(scene);
    std::vector<bool> rests;
    for (size_t i = 0; i < first.size(); ++i)
        rests.push_back(length(first[i] - before[i]) < 1e-4);
    EXPECT_GE(std::count(rests.begin(), rests.end(), true), 149); // of 150 and the pit
    for (bool coherence : {false, true})
    {
        ASSERT_TRUE(scene.world().restore(start));
        run(scene, coherence, 10);
        EXPECT_LT(furthest(first, places_of(scene), rests), 1e-4) << "coherence " << coherence;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, PileAtRest, testing::Values("1", "2"),
                         [](const auto& info) { return std::string("seed_") + info.param; });

} // namespace
} // namespace moraine::test
