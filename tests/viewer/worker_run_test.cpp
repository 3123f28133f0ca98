// A scene that workers step, as one world to look at.
#include "scene/catalogue.h"
#include "viewer/worker_run.h"

#include <gmock/gmock.h>

namespace moraine::test
{

namespace
{

using namespace moraine::viewer;

Scene bowl(int count)
{
    const CatalogueEntry* entry = find_catalogue_entry("bowl");
    auto description = build_catalogue_scene(*entry, {{"count", std::to_string(count)}});
    EXPECT_TRUE(description.has_value());
    auto scene = Scene::create(*description);
    EXPECT_TRUE(scene.has_value());
    return std::move(*scene);
}

} // namespace

// One worker has the very world of a run without workers, so whoever follows must see it exactly there.
TEST(WorkerRun, TheWorldThatFollowsOneWorkerIsTheWorldItself)
{
    Scene alone = bowl(60), followed = bowl(60);
    const auto colors = std::make_shared<WorkerColors>(1);
    auto run = WorkerRun::create(followed, 1, colors);
    ASSERT_TRUE(run.has_value()) << run.error().message;
    for (int i = 0; i < 120; ++i)
    {
        alone.step();
        ASSERT_TRUE((*run)->step(followed).has_value());
        ASSERT_EQ(followed.world().step_count(), alone.world().step_count());
        ASSERT_DOUBLE_EQ(followed.world().time(), alone.world().time());
        for (BodyId body : alone.world().bodies())
        {
            ASSERT_EQ(followed.world().pose(body), alone.world().pose(body)) << "step " << i;
            if (alone.world().type(body) == BodyType::dynamic_)
                ASSERT_EQ(followed.world().is_awake(body), alone.world().is_awake(body)) << "step " << i;
        }
    }
}

TEST(WorkerRun, ColoursTellTheWorkersAndSharedBodiesAreMixed)
{
    Scene scene = bowl(300);
    const auto colors = std::make_shared<WorkerColors>(2);
    auto run = WorkerRun::create(scene, 2, colors);
    ASSERT_TRUE(run.has_value()) << run.error().message;
    for (int i = 0; i < 90; ++i)
        ASSERT_TRUE((*run)->step(scene).has_value());
    const Channel channel = WorkerColors::channel(colors);
    EXPECT_EQ(channel.legend.size(), 2u);
    std::vector<float> values;
    channel.values_of(scene.world(), values);
    const uint32_t own[2] = {category_color(0), category_color(1)};
    int count[3] = {};
    for (BodyId body : scene.world().bodies())
    {
        if (scene.world().type(body) != BodyType::dynamic_)
            continue;
        const uint32_t color = uint32_t(values.at(body.index));
        ++count[color == own[0] ? 0 : color == own[1] ? 1 : 2];
        for (int shift : {0, 8, 16}) // a mixture lies between the two
        {
            const uint32_t a = own[0] >> shift & 255, b = own[1] >> shift & 255, mixed = color >> shift & 255;
            EXPECT_GE(mixed, std::min(a, b));
            EXPECT_LE(mixed, std::max(a, b));
        }
    }
    EXPECT_GT(count[0], 50);
    EXPECT_GT(count[1], 50);
    EXPECT_GT(count[2], 0) << "bodies at the border are shared";
}

TEST(WorkerRun, MixesByTheWeightsOfTheBlend)
{
    Scene scene = bowl(10);
    distribute::Shown shown;
    const size_t bodies = scene.bodies().size();
    shown.masks.assign(bodies, 1);
    shown.weights.resize(bodies);
    shown.masks.back() = 0b101; // workers 0 and 2
    shown.weights.back() = {0.25f, 0.75f};
    const auto colors = std::make_shared<WorkerColors>(3);
    colors->follow(shown, scene);
    std::vector<float> values;
    WorkerColors::channel(colors).values_of(scene.world(), values);
    const ColorShare shares[] = {{category_color(0), 0.25f}, {category_color(2), 0.75f}};
    EXPECT_EQ(uint32_t(values.at(scene.bodies().back().index)), mixed_color(shares));
    EXPECT_EQ(uint32_t(values.at(scene.bodies().front().index)), category_color(0));
}

TEST(WorkerRun, SaysWhyASceneCannotBeDivided)
{
    Scene scene = bowl(10);
    const auto run = WorkerRun::create(scene, 1000, std::make_shared<WorkerColors>(1));
    ASSERT_FALSE(run.has_value());
    EXPECT_THAT(run.error().message, testing::HasSubstr("workers"));
}

} // namespace moraine::test
