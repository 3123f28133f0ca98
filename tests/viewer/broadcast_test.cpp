// What goes over the wire: how much of it, and whether colours and marks tell the truth.
#include "merge/welds.h"
#include "page_client.h"
#include "respond/beam.h"
#include "support/test_world.h"
#include "viewer/broadcast.h"
#include "viewer/settings.h"
#include "world/world_data.h"

#include <gmock/gmock.h>

#include <cmath>

namespace moraine::test
{

namespace
{

using namespace moraine::viewer;

// A page that keeps up with a world.
class Follower
{
public:
    explicit Follower(TestWorld& world) : world_(world)
    {
        broadcast.begin(*world, {});
        next();
    }
    // Size of the next frame.
    size_t next()
    {
        broadcast.publish(*world_, {}, {}, {});
        const FrameBytes frame = broadcast.next_frame(cursor_);
        EXPECT_TRUE(frame && state.apply(*frame));
        return frame->size();
    }
    Broadcast broadcast;
    PageState state;

private:
    TestWorld& world_;
    Cursor cursor_{};
};

constexpr size_t head_size = 80; // of a frame in which nothing moves

WorldDef merging_world()
{
    WorldDef def;
    def.merging = true;
    return def;
}

std::vector<float> values_of(const World& world, std::string_view name)
{
    std::vector<float> values;
    for (const Channel& channel : world_channels())
        if (channel.name == name)
            channel.values_of(world, values);
    return values;
}

// Points, normals and used friction as `write_overlays` tells them.
struct Rub
{
    Vec3 normal{}, use{};
};
std::vector<Rub> rubs_of(const World& world)
{
    std::vector<uint8_t> bytes;
    ByteWriter out(bytes);
    write_overlays(world, overlay_friction, {}, out);
    ByteReader in(bytes);
    EXPECT_EQ(in.varint(), overlay_friction);
    std::vector<Rub> rubs(in.count(36));
    const auto vector = [&] {
        Vec3 v;
        v.x = in.raw<float>(), v.y = in.raw<float>(), v.z = in.raw<float>();
        return v;
    };
    for (Rub& rub : rubs)
        vector(), rub.normal = vector(), rub.use = vector();
    return rubs;
}

// A box on a slope of 20 degrees, which it holds on to.
TestWorld slope(const WorldDef& def)
{
    TestWorld w(def);
    const Quat turn = axis_angle({0, 0, 1}, radians(20.0f));
    w.add_floor({.friction = 0.8f}, 20);
    w.add({.position = DVec3(rotate(turn, {0, 0.5f, 0})),
           .rotation = turn,
           .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}, .friction = 0.8f}}});
    return w;
}

} // namespace

TEST(Broadcast, ABodyThatMovesCostsFortyBytesAtMost)
{
    TestWorld w;
    for (int i = 0; i < 500; ++i)
        w.add_box({2.0 * i, 10, 0});
    Follower page(w);
    w.step();
    const size_t size = page.next();
    EXPECT_EQ(page.state.movers_told, 500u);
    EXPECT_LE(size, 40 * 500 + head_size);
}

TEST(Broadcast, BodiesThatSleepCostNothing)
{
    TestWorld w;
    w.add_floor();
    for (int i = 0; i < 200; ++i)
        w.add_box({2.0 * i, 0.5, 0});
    w.run_seconds(3);
    ASSERT_FALSE(w->is_awake(w->bodies().back()));
    Follower page(w);
    w.step();
    EXPECT_LE(page.next(), head_size);
    EXPECT_EQ(page.state.movers_told, 0u);
}

TEST(Broadcast, MembersOfCollectionsCostNothingWhileTheirCarrierMoves)
{
    TestWorld w(merging_world());
    const BodyId deck = w.add({.type = BodyType::kinematic, .shapes = {{.geometry = Box{{60, 0.5f, 5}}}}});
    w->set_motion(deck, SineMotion{.translation = {0, 0.2f, 0}, .period = 8});
    for (int i = 0; i < 50; ++i)
        w.add_box({-50 + 2.0 * i, 1, 0});
    w.run_seconds(6);
    int merged = 0;
    for (BodyId body : w->bodies())
        merged += w->is_merged(body);
    ASSERT_EQ(merged, 50);
    Follower page(w);
    const DVec3 before = w->pose(w->bodies().back()).position;
    w.step();
    EXPECT_LE(page.next(), 40 + head_size);
    EXPECT_EQ(page.state.movers_told, 1u) << "the deck alone";
    // And yet the page knows where they all are.
    const BodyId last = w->bodies().back();
    EXPECT_GT(length(w->pose(last).position - before), 1e-5);
    EXPECT_LT(length(page.state.position(last.index) - w->pose(last).position), 1e-4);
}

TEST(Broadcast, ASlowPageIsToldWhatItMissedOnce)
{
    TestWorld w;
    w.add_floor();
    const BodyId ball = w.add_ball({0, 20, 0}, 0.5f);
    Broadcast broadcast;
    broadcast.begin(*w, {});
    Cursor cursor;
    PageState state;
    for (int i = 0; i < 30; ++i)
    {
        w.step();
        broadcast.publish(*w, {}, {}, {});
    }
    ASSERT_TRUE(state.apply(*broadcast.next_frame(cursor)));
    EXPECT_EQ(broadcast.next_frame(cursor), nullptr) << "it is up to date";
    for (int i = 0; i < 30; ++i)
    {
        w.step();
        broadcast.publish(*w, {}, {}, {});
    }
    const FrameBytes frame = broadcast.next_frame(cursor);
    EXPECT_LE(frame->size(), 40 + head_size);
    ASSERT_TRUE(state.apply(*frame));
    EXPECT_LT(length(state.position(ball.index) - w->pose(ball).position), 1e-5);
}

TEST(Channels, TellContactsForcesAndGroups)
{
    TestWorld w;
    w.add_floor();
    std::vector<BodyId> stack;
    for (int i = 0; i < 3; ++i)
        stack.push_back(w.add_box({0, 0.5 + i, 0}));
    const BodyId alone = w.add_box({10, 0.5, 0});
    w.run_seconds(0.4);
    const float weight = w->mass(alone) * 9.81f;
    const std::vector<float> forces = values_of(*w, "contact_force");
    EXPECT_NEAR(forces[alone.index], weight, 0.03f * weight);
    EXPECT_NEAR(forces[stack[2].index], weight, 0.03f * weight);
    EXPECT_NEAR(forces[stack[1].index], 3 * weight, 0.09f * weight) << "carries one, is carried with two";
    const std::vector<float> counts = values_of(*w, "contact_count");
    EXPECT_EQ(counts[alone.index], 4);
    EXPECT_EQ(counts[stack[1].index], 8);
    const std::vector<float> groups = values_of(*w, "group");
    EXPECT_EQ(groups[stack[0].index], groups[stack[2].index]);
    EXPECT_NE(groups[stack[0].index], groups[alone.index]);
}

TEST(Channels, OthersCanBeAddedAndReachThePageWhenWanted)
{
    TestWorld w;
    w.add_box({0, 5, 0});
    Follower page(w);
    w.step();
    const size_t before = page.next();
    page.broadcast.add_channel(
        {.name = "owner", .kind = ChannelKind::color, .values_of = [](const World&, std::vector<float>& values) {
             values.assign(2, float(0xffffff));
         }});
    page.broadcast.set_wanted({.channels = 1u << (page.broadcast.channels().size() - 1)});
    w.step();
    // Its number, how many, two colours of four bytes each as whole numbers.
    EXPECT_EQ(page.next(), before + 2 + 2 * 4);
}

// A hammer falls on a beam, and a ball that lies elsewhere on it is shaken: by how much the model says in closed form.
TEST(Channels, ABodyShakenByADistantHitShowsItUntilItFades)
{
    const Beam beam;
    WorldDef def = without_sleep();
    def.slop = 0;
    TestWorld w(def);
    w.dt = 0.01f;
    const BodyId body = w.add({.type = BodyType::static_, .shapes = {{.geometry = beam.box(), .friction = 0.5f}}});
    ASSERT_TRUE(w->set_response(body, {.model = beam.model()}));
    const BodyId rider = w.add_ball({0.6, beam.top() + 0.05, 0}, 0.05f, {}, 0.2f);
    const BodyId hammer = w.add_ball({-0.5, beam.top() + 0.12, 0}, 0.1f, {}, 5);
    w->set_linear_velocity(hammer, {0, -2, 0});

    Broadcast broadcast;
    const auto value_of = [&](std::string_view name) {
        std::vector<float> values;
        for (const Channel& channel : broadcast.channels())
            if (channel.name == name)
                channel.values_of(*w, values);
        return values.at(rider.index);
    };
    for (int i = 0; i < 20 && !(value_of("response") > 0); ++i)
    {
        w.step();
        broadcast.after_step(*w);
    }
    EXPECT_NEAR(value_of("response"), 1000 * beam.largest(0.6, -0.5, 5 * 2, 0.01), 0.1f * value_of("response"));
    EXPECT_NEAR(value_of("response_distance"), 1.1, 0.01);

    const float shaken = value_of("response");
    w->set_gravity({}); // nothing falls back and hits again
    w->destroy_body(hammer);
    for (int i = 0; i < 50; ++i)
    {
        w.step();
        broadcast.after_step(*w);
    }
    EXPECT_NEAR(value_of("response"), shaken * std::exp(-1.0), 0.01f * shaken);
}

TEST(Channels, ColoursAreMixedByWeight)
{
    const ColorShare shares[] = {{0xff0000, 0.75f}, {0x0000ff, 0.25f}};
    EXPECT_EQ(mixed_color(shares), 0xbf0040u);
    const ColorShare whole[] = {{category_color(3), 1}};
    EXPECT_EQ(mixed_color(whole), category_color(3));
    EXPECT_NE(category_color(1), category_color(2));
}

// On a slope of angle a held by friction m the share that is used is tan(a) / m, and it points uphill on the box.
TEST(Overlays, FrictionIsShownAsTheShareThatIsUsed)
{
    for (bool merging : {false, true})
    {
        WorldDef def;
        def.merging = merging;
        def.sleeping = false;
        TestWorld w = slope(def);
        w.run_seconds(3);
        ASSERT_EQ(w->is_merged(w->bodies().back()), merging);
        const std::vector<Rub> rubs = rubs_of(*w);
        ASSERT_EQ(rubs.size(), 1u);
        EXPECT_NEAR(length(rubs[0].use), std::tan(radians(20.0f)) / 0.8f, 0.02f) << "merging " << merging;
        EXPECT_NEAR(dot(rubs[0].use, rubs[0].normal), 0, 1e-3f);
    }
}

// Two boxes side by side on a slope, jointed and merged: the joint holds them together inside the collection but is no
// surface. Marks of friction are those of the contacts with the slope, which carry the whole weight.
TEST(Overlays, JointsInsideACollectionAreNoSurfaces)
{
    WorldDef def = merging_world();
    def.sleeping = false;
    TestWorld w = slope(def);
    const Quat turn = axis_angle({0, 0, 1}, radians(20.0f));
    const BodyId first = w->bodies().back();
    const BodyId second = w.add({.position = DVec3(rotate(turn, {0, 0.5f, 2})),
                                 .rotation = turn,
                                 .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}, .friction = 0.8f}}});
    w->create_joint(w->joint_at(first, second, {DVec3(rotate(turn, {0, 0.5f, 1})), turn}, FixedJoint{}));
    w.run_seconds(4);
    for (BodyId body : {first, second})
        ASSERT_TRUE(w->is_merged(body));
    const Collections& collections = w->data().collections;
    int joint_welds = 0;
    for_each_weld(collections, collections.merged(int32_t(first.index)),
                  [&](int32_t weld) { joint_welds += collections.welds[weld].manifold == none; });
    ASSERT_EQ(joint_welds, 1);
    const std::vector<Rub> rubs = rubs_of(*w);
    ASSERT_EQ(rubs.size(), 2u) << "one for each box";
    for (const Rub& rub : rubs)
        EXPECT_NEAR(length(rub.use), std::tan(radians(20.0f)) / 0.8f, 0.05f);

    std::vector<uint8_t> bytes;
    ByteWriter out(bytes);
    write_overlays(*w, overlay_joints | overlay_welds, {}, out);
    ByteReader in(bytes);
    EXPECT_EQ(in.varint(), overlay_joints | overlay_welds);
    ASSERT_EQ(in.varint(), 1u) << "the joint is still shown";
    float ends[6];
    for (float& x : ends)
        x = in.raw<float>();
    EXPECT_LT(length(Vec3{ends[0] - ends[3], ends[1] - ends[4], ends[2] - ends[5]}), 1e-3f);
    static_cast<void>(in.raw<uint8_t>()); // kind
    static_cast<void>(in.raw<float>());   // impulse
    EXPECT_EQ(in.varint(), first.index);
    EXPECT_EQ(in.varint(), second.index);
    EXPECT_EQ(in.varint(), 0u) << "nothing is about to break: tan(20) / 0.8 is less than half";
    EXPECT_TRUE(in.is_good());
}

TEST(Settings, AreAllThatASceneFileCanSet)
{
    SceneDescription scene;
    const std::vector<Setting> all = settings_of(scene);
    const auto find = [&](std::string_view name) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const Setting& s) { return s.name == name; });
        EXPECT_NE(found, all.end()) << name;
        return found == all.end() ? Setting{} : *found;
    };
    EXPECT_NEAR(find("gravity").value, -9.81, 1e-6);
    EXPECT_THAT(find("solver").choices, testing::ElementsAre("substep", "pgs", "direct"));
    EXPECT_TRUE(find("sleeping").is_switch);
    EXPECT_TRUE(find("merging").restarts);
    EXPECT_TRUE(find("response_is_on").is_switch);
    EXPECT_TRUE(find("workers_growth_depth").restarts);
    for (const Setting& s : all)
    {
        EXPECT_LE(s.lower, s.value) << s.name;
        EXPECT_GE(s.upper, s.value) << s.name;
        EXPECT_LT(s.lower, s.upper) << s.name;
    }
    EXPECT_TRUE(set_setting("substeps", 7.4, scene));
    EXPECT_EQ(scene.world.substeps, 7);
    EXPECT_TRUE(set_setting("substeps", 1e9, scene));
    EXPECT_EQ(scene.world.substeps, 32);
    EXPECT_TRUE(set_setting("friction_model", 2, scene));
    EXPECT_EQ(scene.world.friction_model, FrictionModel::cone);
    EXPECT_TRUE(set_setting("response_threshold", 0.25, scene));
    EXPECT_EQ(scene.world.response.threshold, 0.25f);
    EXPECT_TRUE(set_setting("workers_growth_depth", 3, scene));
    EXPECT_EQ(scene.distribute.growth_depth, 3);
    EXPECT_FALSE(set_setting("no_such_thing", 1, scene));
}

} // namespace moraine::test
