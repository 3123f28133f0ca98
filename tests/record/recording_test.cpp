// A recording gives back what was recorded, as exactly as it promises, and survives damage.
#include "record/recording.h"
#include "support/test_world.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <random>

namespace moraine::test
{

namespace
{

using testing::HasSubstr;

class TemporaryFile
{
public:
    TemporaryFile()
    {
        std::string pattern = testing::TempDir() + "/moraine_XXXXXX";
        const int file = mkstemp(pattern.data());
        EXPECT_GE(file, 0);
        path_ = pattern;
    }
    ~TemporaryFile() { std::remove(path_.c_str()); }
    const std::string& path() const { return path_; }
    std::vector<uint8_t> bytes() const
    {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
    std::string path_;
};

struct Seen
{
    uint64_t hash = 0;
    double time = 0;
    std::map<uint32_t, Pose> poses{};
};

Seen look(const World& world)
{
    Seen seen{world.state_hash(), world.time(), {}};
    for (BodyId body : world.bodies())
        seen.poses[body.index] = world.pose(body);
    return seen;
}

void expect_same(Recording& recording, size_t frame, const Seen& seen)
{
    ASSERT_TRUE(recording.seek(frame).has_value());
    EXPECT_EQ(recording.frame().state_hash, seen.hash);
    EXPECT_DOUBLE_EQ(recording.frame().time, seen.time);
    size_t count = 0;
    for (size_t i = 0; i < recording.state().bodies.size(); ++i)
        count += recording.state().has_body(int32_t(i));
    ASSERT_EQ(count, seen.poses.size()) << "frame " << frame;
    for (const auto& [index, pose] : seen.poses)
    {
        ASSERT_TRUE(recording.state().has_body(int32_t(index)));
        const Pose shown = recording.state().pose(int32_t(index));
        EXPECT_LE(length(shown.position - pose.position), 1e-4) << "body " << index << " in frame " << frame;
        const float angle = length(rotation_vector(shown.rotation * conjugate(pose.rotation)));
        EXPECT_LE(angle, radians(0.1f)) << "body " << index << " in frame " << frame;
    }
}

// Things that fall, tumble, sleep, come and go, far from the origin too.
class Lively
{
public:
    explicit Lively(DVec3 origin = {}) : origin_(origin)
    {
        world.add(
            {.type = BodyType::static_, .position = origin, .shapes = {{.geometry = HalfSpace{}}}, .name = "floor"});
        std::mt19937 random(7);
        std::uniform_real_distribution<float> within(-1, 1);
        for (int i = 0; i < 30; ++i)
        {
            const DVec3 at = origin + DVec3(within(random), 1 + 0.7 * i, within(random));
            bodies_.push_back(world.add({.position = at,
                                         .rotation = normalize(Quat{within(random), within(random), within(random), 1}),
                                         .angular_velocity = {9 * within(random), 9 * within(random), 0},
                                         .shapes = {{.geometry = Box{{0.3f, 0.2f, 0.25f}}}}}));
        }
        // A body whose centre of mass is far from its origin.
        bodies_.push_back(world.add(
            {.position = origin + DVec3(8, 2, 0),
             .angular_velocity = {1, 2, 3},
             .shapes = {{.geometry = Box{{0.2f, 0.2f, 0.2f}}, .pose = {{3, 0, 0}, {}}}, {.geometry = Sphere{0.1f}}}}));
    }
    Seen record(Recorder& recorder, int step)
    {
        if (step == 40)
            world->destroy_body(bodies_[3]);
        if (step == 45)
            world.add_ball(origin_ + DVec3(0, 12, 0), 0.4f);
        if (step == 100)
            world->set_pose(bodies_[5], {origin_ + DVec3(4, 3, 0), {}});
        recorder.add(*world, world.step());
        return look(*world);
    }

    TestWorld world;

private:
    DVec3 origin_;
    std::vector<BodyId> bodies_;
};

std::vector<Seen> record(const std::string& path, int steps, DVec3 origin = {})
{
    Lively lively(origin);
    auto recorder = Recorder::create(path, *lively.world, {.scene = "lively", .dt = 1.0 / 60});
    EXPECT_TRUE(recorder.has_value());
    std::vector<Seen> seen{look(*lively.world)};
    for (int step = 0; step < steps; ++step)
        seen.push_back(lively.record(*recorder, step));
    EXPECT_TRUE(recorder->close().has_value());
    return seen;
}

} // namespace

TEST(Recording, GivesBackEveryFrame)
{
    TemporaryFile file;
    const std::vector<Seen> seen = record(file.path(), 200);
    auto recording = Recording::open(file.path());
    ASSERT_TRUE(recording.has_value()) << recording.error().message;
    EXPECT_EQ(recording->info().scene, "lively");
    EXPECT_EQ(recording->warning(), "");
    ASSERT_EQ(recording->frame_count(), seen.size());
    for (size_t frame = 0; frame < seen.size(); ++frame)
        expect_same(*recording, frame, seen[frame]);
}

TEST(Recording, SeeksInAnyOrder)
{
    TemporaryFile file;
    const std::vector<Seen> seen = record(file.path(), 200);
    auto recording = Recording::open(file.path());
    ASSERT_TRUE(recording.has_value());
    for (size_t frame : {200, 0, 61, 60, 59, 120, 119, 7, 7, 8, 180})
        expect_same(*recording, frame, seen[frame]);
}

TEST(Recording, IsAsExactFarFromTheOrigin)
{
    TemporaryFile file;
    const DVec3 origin(50'000, 120, -31'000);
    const std::vector<Seen> seen = record(file.path(), 70, origin);
    auto recording = Recording::open(file.path());
    ASSERT_TRUE(recording.has_value());
    for (size_t frame : {0, 30, 70})
        expect_same(*recording, frame, seen[frame]);
}

// The world goes back within a chunk, over several and to the very beginning, and each time lives on otherwise: with
// another ball at the place of the one that came before. The file holds what was lived in the end.
TEST(Recording, ForgetsWhatTheWorldHasGoneBackFrom)
{
    TemporaryFile file;
    Lively lively;
    World& world = *lively.world;
    const auto step_as_bytes = [](const World& w, ByteWriter& out) { out.raw(uint32_t(w.step_count())); };
    auto recorder = Recorder::create(file.path(), world, {.dt = 1.0 / 60, .details = "{}"}, {}, step_as_bytes);
    ASSERT_TRUE(recorder.has_value());
    std::vector<Seen> seen{look(world)};
    std::vector<std::vector<uint8_t>> copies{world.snapshot()};
    const auto live_until = [&](size_t step) {
        while (seen.size() <= step)
        {
            seen.push_back(lively.record(*recorder, int(seen.size()) - 1));
            copies.push_back(world.snapshot());
        }
    };
    const auto go_back_to = [&](size_t step, float radius) {
        ASSERT_TRUE(world.restore(copies[step]));
        recorder->go_back(world);
        seen.resize(step + 1), copies.resize(step + 1);
        lively.world.add_ball({2, 3, 0}, radius);
    };
    live_until(150);
    go_back_to(147, 0.1f);
    go_back_to(146, 0.2f); // the frames of the chunk that is being filled are gone twice
    live_until(190);
    go_back_to(60, 0.3f); // the last of a chunk
    live_until(100);
    go_back_to(59, 0.4f);
    live_until(61);
    go_back_to(0, 0.5f);
    live_until(130);
    EXPECT_EQ(recorder->frame_count(), seen.size());
    ASSERT_TRUE(recorder->close().has_value());

    auto recording = Recording::open(file.path());
    ASSERT_TRUE(recording.has_value()) << recording.error().message;
    EXPECT_EQ(recording->warning(), "");
    ASSERT_EQ(recording->frame_count(), seen.size());
    for (size_t frame = 0; frame < seen.size(); ++frame)
    {
        expect_same(*recording, frame, seen[frame]);
        const auto details = recording->details();
        ASSERT_TRUE(details.has_value() && details->size() == 4u);
        EXPECT_EQ((*details)[0], frame);
    }
    const Visual& ball = recording->visuals()[recording->state().bodies.back().visual];
    EXPECT_EQ(std::get<Sphere>(ball.shapes[0].geometry).radius, 0.5f);
}

TEST(Recording, TellsEventsAndNumbers)
{
    TestWorld w;
    const BodyId floor = w.add_floor();
    const BodyId ball = w.add_ball({0, 2, 0});
    TemporaryFile file;
    auto recorder = Recorder::create(file.path(), *w, {});
    ASSERT_TRUE(recorder.has_value());
    for (int i = 0; i < 120; ++i)
        recorder->add(*w, w.step());
    ASSERT_TRUE(recorder->close().has_value());

    auto recording = Recording::open(file.path());
    ASSERT_TRUE(recording.has_value());
    const auto& names = recording->info().stat_names;
    const size_t kinetic = size_t(std::find(names.begin(), names.end(), "kinetic_energy") - names.begin());
    ASSERT_LT(kinetic, names.size());
    // Free fall from 2 m to 0.5 m takes 0.553 s, and the speed then is g t.
    int touched_at = 0;
    for (size_t frame = 0; frame < recording->frame_count(); ++frame)
    {
        ASSERT_TRUE(recording->seek(frame).has_value());
        for (const FrameEvent& event : recording->frame().events)
            if (event.kind == EventKind::touch_began && touched_at == 0)
            {
                touched_at = int(frame);
                EXPECT_EQ(std::minmax(event.a, event.b), std::minmax(floor.index, ball.index));
            }
        if (frame == 30)
        {
            const double v = 9.81 * 0.5;
            EXPECT_NEAR(double(recording->frame().stats[kinetic]), 0.5 * v * v, 0.02 * v * v);
        }
    }
    EXPECT_NEAR(touched_at, 0.553 * 60, 2);
}

TEST(Recording, CostsNothingForWhatSleeps)
{
    TestWorld w;
    w.add_floor();
    for (int i = 0; i < 400; ++i)
        w.add_box({2.0 * (i % 20), 0.5, 2.0 * (i / 20)});
    w.run_seconds(3);
    ASSERT_FALSE(w->is_awake(w->bodies().back()));
    TemporaryFile file;
    auto recorder = Recorder::create(file.path(), *w, {});
    ASSERT_TRUE(recorder.has_value());
    for (int i = 0; i < 600; ++i)
        recorder->add(*w, w.step());
    ASSERT_TRUE(recorder->close().has_value());
    // Ten key frames and the numbers of each step, but no poses.
    EXPECT_LT(recorder->bytes_written(), 200'000u);
}

// Stacks on a swaying deck: nothing sleeps there, all of it moves.
class LoadedDeck
{
public:
    explicit LoadedDeck(bool merging) : world(def_with(merging))
    {
        const BodyId deck = world.add({.type = BodyType::kinematic, .shapes = {{.geometry = Box{{30, 0.5f, 30}}}}});
        world->set_motion(deck,
                          SineMotion{.translation = {0, 0.3f, 0}, .rotation = {0.02f, 0.02f, 0.02f}, .period = 8});
        for (int stack = 0; stack < 50; ++stack)
            for (int level = 0; level < 4; ++level)
                world.add_box({-24 + 5.0 * (stack % 10), 1.0 + level, -20 + 9.0 * (stack / 10)}, {0.5f, 0.5f, 0.5f},
                              {.friction = 0.8f});
        world.run_seconds(8);
    }
    std::vector<Seen> record(const std::string& path)
    {
        auto recorder = Recorder::create(path, *world, {});
        EXPECT_TRUE(recorder.has_value());
        std::vector<Seen> seen{look(*world)};
        for (int i = 0; i < 120; ++i)
        {
            recorder->add(*world, world.step());
            seen.push_back(look(*world));
        }
        EXPECT_TRUE(recorder->close().has_value());
        return seen;
    }
    TestWorld world;

private:
    static WorldDef def_with(bool merging)
    {
        WorldDef def;
        def.merging = merging;
        return def;
    }
};

// Merged bodies hang on the deck, are as exact as free ones, and cost nothing while it moves.
TEST(Recording, OfCollectionsIsAsExactAndSmaller)
{
    LoadedDeck merged(true), apart(false);
    int count = 0;
    for (BodyId body : merged.world->bodies())
        count += merged.world->is_merged(body);
    ASSERT_GT(count, 150) << "nothing to test";
    TemporaryFile file, other;
    const std::vector<Seen> seen = merged.record(file.path());
    apart.record(other.path());
    auto recording = Recording::open(file.path());
    ASSERT_TRUE(recording.has_value());
    for (size_t frame : {0, 30, 61, 120})
        expect_same(*recording, frame, seen[frame]);
    EXPECT_LT(file.bytes().size(), other.bytes().size());
}

TEST(Recording, OfARunThatBrokeOffIsReadAsFarAsItGoes)
{
    TemporaryFile file;
    const std::vector<Seen> seen = record(file.path(), 200);
    std::vector<uint8_t> bytes = file.bytes();
    bytes.resize(bytes.size() * 3 / 4);
    auto recording = Recording::read(bytes, "cut.mrec");
    ASSERT_TRUE(recording.has_value()) << recording.error().message;
    EXPECT_THAT(recording->warning(), HasSubstr("cut.mrec: breaks off after"));
    ASSERT_GE(recording->frame_count(), 60u);
    expect_same(*recording, 59, seen[59]);
}

TEST(Recording, RefusesWhatIsNone)
{
    EXPECT_THAT(Recording::open("/nowhere/x.mrec").error().message, HasSubstr("/nowhere/x.mrec: cannot be read"));
    EXPECT_THAT(Recording::open("/").error().message, HasSubstr("cannot be read"));
    EXPECT_THAT(Recording::read({1, 2, 3}, "x.mrec").error().message, HasSubstr("not a recording"));
    TemporaryFile file;
    record(file.path(), 3);
    std::vector<uint8_t> bytes = file.bytes();
    bytes[8] = 77;
    EXPECT_THAT(Recording::read(bytes, "x.mrec").error().message, HasSubstr("version 77"));
    EXPECT_THAT(Recorder::create("/nowhere/x.mrec", World(), {}).error().message, HasSubstr("cannot be written"));
}

TEST(Recording, SurvivesAnyDamage)
{
    TemporaryFile file;
    record(file.path(), 70);
    const std::vector<uint8_t> good = file.bytes();
    std::mt19937 random(1);
    int refused = 0;
    for (int round = 0; round < 2000; ++round)
    {
        std::vector<uint8_t> bytes = good;
        for (int edits = 1 + int(random() % 3); edits > 0; --edits)
            bytes[random() % bytes.size()] = uint8_t(random());
        if (random() % 4 == 0)
            bytes.resize(random() % bytes.size());
        auto recording = Recording::read(bytes, "x.mrec");
        if (!recording)
        {
            ++refused;
            EXPECT_THAT(recording.error().message, HasSubstr("x.mrec"));
            continue;
        }
        for (size_t frame : {size_t(70), size_t(0), size_t(30)})
            if (const Status status = recording->seek(frame); !status)
            {
                EXPECT_THAT(status.error().message, HasSubstr("x.mrec"));
                ++refused;
            }
    }
    EXPECT_GT(refused, 0);
}

// Past the checksums: the frame decoder by itself.
TEST(Recording, DecoderSurvivesAnyBytes)
{
    Lively lively;
    Observer observer;
    observer.observe(*lively.world);
    std::vector<uint8_t> good;
    ByteWriter out(good);
    FrameEncoder encoder;
    encoder.begin_chunk(observer.state(), out);
    for (int i = 0; i < 20; ++i)
    {
        const StepReport report = lively.world.step();
        observer.observe(*lively.world);
        Frame frame;
        gather_stats(*lively.world, report, frame.stats);
        gather_events(*lively.world, frame.events);
        encoder.add(observer.state(), observer.changes(), frame, out);
    }
    std::mt19937 random(2);
    for (int round = 0; round < 5000; ++round)
    {
        std::vector<uint8_t> bytes = good;
        for (int edits = int(random() % 6); edits >= 0; --edits)
            bytes[random() % bytes.size()] = uint8_t(random());
        ByteReader in(bytes);
        FrameDecoder decoder;
        ViewState state;
        Frame frame;
        bool is_good = decoder.begin_chunk(in, observer.visuals().count(), state);
        for (int i = 0; i < 20 && is_good; ++i)
            is_good = decoder.next(in, state, frame);
        if (is_good)
            for (size_t b = 0; b < state.bodies.size(); ++b)
                if (state.has_body(int32_t(b)))
                    (void)state.pose(int32_t(b));
    }
}

TEST(VisualTable, ComesBackAsItWent)
{
    const Vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const HullRef hull = *make_hull(corners);
    const float heights[] = {0, 1, 2, 0, 1, 2};
    const HeightFieldRef field = *make_height_field(heights, 3, 2, 0.5f);
    VisualTable table;
    table.add({.body = 4,
               .type = BodyType::dynamic_,
               .color = 0x123456,
               .mass = 3,
               .name = "odd \"name\"",
               .shapes = {{.geometry = hull}, {.geometry = Capsule{0.1f, 0.7f}}, {.geometry = hull}}});
    table.add({.body = 9, .shapes = {{.geometry = field}, {.geometry = HalfSpace{}}}});
    std::vector<uint8_t> bytes;
    ByteWriter out(bytes);
    table.write(out, 0, 0);
    VisualTable read;
    ByteReader in(bytes);
    ASSERT_TRUE(read.read(in).has_value());
    EXPECT_EQ(in.left(), 0u);
    ASSERT_EQ(read.count(), 2u);
    EXPECT_EQ(read[0].name, "odd \"name\"");
    EXPECT_EQ(read[0].color, 0x123456u);
    ASSERT_EQ(read[0].shapes.size(), 3u);
    EXPECT_EQ(triangles_of(read[0].shapes[2].geometry).indices.size(), 12u); // a tetrahedron has four faces
    EXPECT_EQ(std::get<Capsule>(read[0].shapes[1].geometry).half_length, 0.7f);
    EXPECT_EQ(triangles_of(read[1].shapes[0].geometry).indices.size(), 12u); // two cells of two triangles
}

} // namespace moraine::test
