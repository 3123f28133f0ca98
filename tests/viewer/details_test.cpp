// What a recording shows besides bodies is what a live page would have been told.
#include "support/test_world.h"
#include "viewer/details.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace moraine::test
{

namespace
{

using namespace moraine::viewer;
using testing::HasSubstr;

DetailsOf writer_of(Details details)
{
    return [all = std::move(details)](const World& world, ByteWriter& out) { all.write(world, out); };
}

} // namespace

// A box that rests: its weight is on its contacts, in every frame, wherever one looks first.
TEST(Details, OfEveryFrameAreGivenBack)
{
    const std::string path = testing::TempDir() + "/moraine_details.mrec";
    TestWorld w(without_sleep());
    w.add_floor();
    const BodyId box = w.add_box({0, 0.5, 0});
    w.run_seconds(1);
    const auto details = Details::create({"contacts", "contact_force"}, world_channels(), *w);
    ASSERT_TRUE(details.has_value());
    RecordInfo info{.scene = "box", .dt = 1.0 / 60, .details = details->describe()};
    auto recorder = Recorder::create(path, *w, info, {}, writer_of(*details));
    ASSERT_TRUE(recorder.has_value());
    for (int i = 0; i < 150; ++i)
        recorder->add(*w, w.step());
    ASSERT_TRUE(recorder->close().has_value());

    auto recording = Recording::open(path);
    ASSERT_TRUE(recording.has_value()) << recording.error().message;
    const auto json = nlohmann::json::parse(recording->info().details);
    EXPECT_EQ(json["overlays"], nlohmann::json({"contacts"}));
    EXPECT_EQ(json["channels"][0]["name"], "contact_force");
    for (size_t frame : {150, 0, 59, 60, 61, 1})
    {
        ASSERT_TRUE(recording->seek(frame).has_value());
        const auto bytes = recording->details();
        ASSERT_TRUE(bytes.has_value());
        ByteReader in(*bytes);
        ASSERT_EQ(in.varint(), overlay_contacts);
        ASSERT_EQ(in.varint(), 4u);
        float impulse = 0;
        for (int point = 0; point < 4; ++point)
        {
            for (int i = 0; i < 7; ++i)
                static_cast<void>(in.raw<float>()); // point, normal, separation
            impulse += in.raw<float>();
        }
        const float weight = w->mass(box) * 9.81f;
        EXPECT_NEAR(impulse / w.dt, weight, 0.02f * weight) << "frame " << frame;
        ASSERT_EQ(in.varint(), 1u) << "the only channel";
        ASSERT_GT(in.varint(), box.index);
        for (uint32_t i = 0; i < box.index; ++i)
            static_cast<void>(in.raw<float>());
        EXPECT_NEAR(in.raw<float>(), weight, 0.02f * weight);
    }
    std::remove(path.c_str());
}

TEST(Details, AreNamedWhenTheyAreUnknown)
{
    TestWorld w;
    const auto details = Details::create({"contacts", "fish"}, world_channels(), *w);
    ASSERT_FALSE(details.has_value());
    EXPECT_THAT(details.error().message, HasSubstr("fish"));
    EXPECT_THAT(details.error().message, HasSubstr("contact_force"));
}

} // namespace moraine::test
