// A scene that workers step, as one world to look at.
#include "scene/catalogue.h"
#include "viewer/worker_run.h"

#include <gmock/gmock.h>

namespace moraine::test
{

namespace
{

using namespace moraine::viewer;

Scene make(const char* name, const SceneParameters& parameters)
{
    auto description = build_catalogue_scene(*find_catalogue_entry(name), parameters);
    EXPECT_TRUE(description.has_value());
    auto scene = Scene::create(*description);
    EXPECT_TRUE(scene.has_value());
    return std::move(*scene);
}

Scene bowl(int count) { return make("bowl", {{"count", std::to_string(count)}}); }

} // namespace

// One worker has the very world of a run without workers, so whoever follows must see it exactly there.
TEST(WorkerRun, TheWorldThatFollowsOneWorkerIsTheWorldItself)
{
    Scene alone = bowl(60), followed = bowl(60);
    const auto known = std::make_shared<WorkerKnowledge>(1);
    auto run = WorkerRun::create(followed, 1, known);
    ASSERT_TRUE(run.has_value()) << run.error().message;
    const ContactsOf contacts_of = WorkerKnowledge::contacts_of(known);
    for (int i = 0; i < 120; ++i)
    {
        alone.step();
        ASSERT_TRUE((*run)->step(followed).has_value());
        ASSERT_EQ(followed.world().step_count(), alone.world().step_count());
        ASSERT_DOUBLE_EQ(followed.world().time(), alone.world().time());
        const std::vector<ContactInfo> own = alone.world().contacts(), told = contacts_of(alone.world());
        ASSERT_EQ(told.size(), own.size()) << "step " << i;
        for (size_t k = 0; k < own.size(); ++k)
        {
            ASSERT_EQ(told[k].point, own[k].point);
            ASSERT_EQ(told[k].impulse, own[k].impulse);
            ASSERT_EQ(told[k].body_a, own[k].body_a);
            ASSERT_EQ(told[k].body_b, own[k].body_b);
        }
        for (BodyId body : alone.world().bodies())
        {
            ASSERT_EQ(followed.world().pose(body), alone.world().pose(body)) << "step " << i;
            if (alone.world().type(body) == BodyType::dynamic_)
                ASSERT_EQ(followed.world().is_awake(body), alone.world().is_awake(body)) << "step " << i;
        }
    }
}

// A pyramid at rest, cut in two: the floor carries the weight of all of it, and where bodies of both workers touch is
// told once.
TEST(WorkerRun, ContactsOfAllWorkersCarryTheWeight)
{
    const SceneParameters parameters{{"base", "8"}};
    Scene alone = make("pyramid", parameters), scene = make("pyramid", parameters);
    const auto known = std::make_shared<WorkerKnowledge>(2);
    auto run = WorkerRun::create(scene, 2, known);
    ASSERT_TRUE(run.has_value()) << run.error().message;
    for (int i = 0; i < 100; ++i) // until it has come to rest, and before anything sleeps
    {
        alone.step();
        ASSERT_TRUE((*run)->step(scene).has_value());
    }
    const std::vector<ContactInfo> contacts = WorkerKnowledge::contacts_of(known)(scene.world());
    EXPECT_EQ(contacts.size(), alone.world().contacts().size());
    const World& world = scene.world();
    double weight = 0, carried = 0;
    for (BodyId body : world.bodies())
        weight += world.type(body) == BodyType::dynamic_ ? 9.81 * double(world.mass(body)) : 0;
    for (const ContactInfo& c : contacts)
        if (world.type(c.body_a) != BodyType::dynamic_ || world.type(c.body_b) != BodyType::dynamic_)
            carried += std::fabs(double(c.normal.y) * double(c.impulse)) / double(scene.description().dt);
    EXPECT_NEAR(carried, weight, 0.01 * weight);

    // The channel sums the same forces for each body.
    std::vector<float> forces;
    const std::vector<Channel> channels = WorkerKnowledge::channels(known);
    ASSERT_EQ(channels.back().name, "contact_force");
    channels.back().values_of(world, forces);
    const BodyId top = scene.bodies().back();
    EXPECT_NEAR(forces.at(top.index), 9.81f * world.mass(top), 0.05f * 9.81f * world.mass(top));
}

TEST(WorkerRun, ColoursTellTheWorkersAndSharedBodiesAreMixed)
{
    Scene scene = bowl(300);
    const auto known = std::make_shared<WorkerKnowledge>(2);
    auto run = WorkerRun::create(scene, 2, known);
    ASSERT_TRUE(run.has_value()) << run.error().message;
    for (int i = 0; i < 400; ++i) // the balls lie still in the bowl, and the border runs through them
        ASSERT_TRUE((*run)->step(scene).has_value());
    const Channel channel = WorkerKnowledge::channels(known).front();
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
    const auto known = std::make_shared<WorkerKnowledge>(3);
    known->follow(shown, scene);
    std::vector<float> values;
    WorkerKnowledge::channels(known).front().values_of(scene.world(), values);
    const ColorShare shares[] = {{category_color(0), 0.25f}, {category_color(2), 0.75f}};
    EXPECT_EQ(uint32_t(values.at(scene.bodies().back().index)), mixed_color(shares));
    EXPECT_EQ(uint32_t(values.at(scene.bodies().front().index)), category_color(0));
}

TEST(WorkerRun, SaysWhyASceneCannotBeDivided)
{
    Scene scene = bowl(10);
    const auto run = WorkerRun::create(scene, 1000, std::make_shared<WorkerKnowledge>(1));
    ASSERT_FALSE(run.has_value());
    EXPECT_THAT(run.error().message, testing::HasSubstr("workers"));
}

} // namespace moraine::test
