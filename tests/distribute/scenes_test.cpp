// The paper's scenes have the paper's sizes (table 2).
#include "scene/description.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace moraine
{
namespace
{

struct Size
{
    const char* name;
    int bodies;
    size_t joints;
};

TEST(PaperScenes, HaveThePapersSizes)
{
    for (const Size& size : {Size{"bowl", 5040, 0}, Size{"building", 2408, 0}, Size{"chain_net", 3724, 0},
                             Size{"four_way_bridge", 1691, 3712}, Size{"two_way_bridge", 1798, 3180}})
    {
        const auto scene = load_scene(size.name);
        ASSERT_TRUE(bool(scene)) << size.name;
        const auto is_dynamic = [](const SceneBody& b) { return b.def.type == BodyType::dynamic_; };
        EXPECT_EQ(std::count_if(scene->bodies.begin(), scene->bodies.end(), is_dynamic), size.bodies) << size.name;
        EXPECT_EQ(scene->joints.size(), size.joints) << size.name;
    }
}

// Nothing overlaps at the start, and no joint is torn.
TEST(PaperScenes, BeginWithoutPenetration)
{
    for (const char* name : {"building", "chain_net", "four_way_bridge", "two_way_bridge", "long_plank"})
    {
        const auto description = load_scene(name);
        ASSERT_TRUE(bool(description)) << name;
        auto scene = Scene::create(*description);
        ASSERT_TRUE(bool(scene)) << name;
        EXPECT_LT(scene->step().penetration_max, 1e-3f) << name;
        for (JointId joint : scene->joints())
            ASSERT_LT(scene->world().joint_error(joint), 1e-3f) << name;
    }
}

// Rings that are linked cannot be further apart than two radii of 0.1 m and a wire.
TEST(PaperScenes, TheNetHoldsTogether)
{
    const auto description = load_scene("chain_net", {{"columns", "6"}, {"rows", "10"}});
    ASSERT_TRUE(bool(description));
    auto scene = Scene::create(*description);
    ASSERT_TRUE(bool(scene));
    for (int i = 0; i < 500; ++i)
        scene->step();
    for (size_t i = 0; i + 6 < description->bodies.size(); ++i)
    {
        const int row = int(i) - 1; // the ground is the first body
        if (row < 0)
            continue;
        const DVec3 a = scene->world().center_of_mass(scene->bodies()[i]);
        const DVec3 b = scene->world().center_of_mass(scene->bodies()[i + 6]);
        EXPECT_LT(length(relative(b, a)), 0.21f) << i;
    }
}

} // namespace
} // namespace moraine
