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

double furthest(const std::vector<DVec3>& a, const std::vector<DVec3>& b)
{
    double far = 0;
    for (size_t i = 0; i < a.size(); ++i)
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

// Nothing is between the two but rounding: 10 s at rest may cost a tenth of a millimetre.
TEST_P(PileAtRest, KeepsItsPlaceWithAndWithoutCoherence)
{
    Result<Scene> pile = make_pile(GetParam());
    ASSERT_TRUE(pile);
    Scene& scene = *pile;
    run(scene, true, 30);
    const std::vector<uint8_t> start = scene.world().snapshot();
    const std::vector<DVec3> first = places_of(scene);
    for (bool coherence : {false, true})
    {
        ASSERT_TRUE(scene.world().restore(start));
        run(scene, coherence, 10);
        EXPECT_LT(furthest(first, places_of(scene)), 1e-4) << "coherence " << coherence;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, PileAtRest, testing::Values("1", "2"),
                         [](const auto& info) { return std::string("seed_") + info.param; });

} // namespace
} // namespace moraine::test
