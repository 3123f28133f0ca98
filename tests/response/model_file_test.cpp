// The model file: what is saved is loaded, and nothing else is.
#include "response/model_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

using namespace moraine;

namespace
{

ResponseModel small_model()
{
    ResponseModel model;
    model.mass = 3;
    model.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    model.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    model.frequencies = {100, 250};
    for (int i = 0; i < 8; ++i)
        model.shapes.push_back({float(i), 0.5f, -float(i)});
    model.amplitude = {1e-3f, 2e-3f, 3e-3f, 4e-3f};
    return model;
}

} // namespace

TEST(ModelFile, GivesBackWhatWasSaved)
{
    const ResponseModel model = small_model();
    const std::string path = testing::TempDir() + "/small.modes";
    ASSERT_TRUE(save_response_model(model, path));
    const auto loaded = load_response_model(path);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(to_bytes(*loaded), to_bytes(model));
    EXPECT_EQ(loaded->shapes_of(3)[1], model.shapes[7]);
    std::filesystem::remove(path);
}

TEST(ModelFile, CutOffAtAnyByteIsRefusedWithAReason)
{
    const std::vector<uint8_t> bytes = to_bytes(small_model());
    for (size_t size = 0; size < bytes.size(); ++size)
    {
        const auto loaded = response_model_from_bytes(std::span(bytes).first(size), "cut.modes");
        ASSERT_FALSE(loaded) << size;
        ASSERT_EQ(loaded.error().message.find("cut.modes: "), 0u);
    }
}

TEST(ModelFile, AnyFlippedBitIsRefused)
{
    std::vector<uint8_t> bytes = to_bytes(small_model());
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit)
    {
        bytes[bit / 8] ^= uint8_t(1u << bit % 8);
        ASSERT_FALSE(response_model_from_bytes(bytes, "bad.modes")) << bit;
        bytes[bit / 8] ^= uint8_t(1u << bit % 8);
    }
}

TEST(ModelFile, AnotherVersionIsNamed)
{
    std::vector<uint8_t> bytes = to_bytes(small_model());
    bytes[8] = 77;
    const auto loaded = response_model_from_bytes(bytes, "old.modes");
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find("version 77"), std::string::npos) << loaded.error().message;
}

TEST(ModelFile, ValuesThatMakeNoSenseAreRefused)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<void (*)(ResponseModel&, float)> damages = {
        [](ResponseModel& m, float bad) { m.vertices[1].y = bad; },
        [](ResponseModel& m, float bad) { m.shapes[5].z = bad; },
        [](ResponseModel& m, float bad) { m.amplitude[0] = bad; },
        [](ResponseModel& m, float bad) { m.frequencies[1] = bad; },
        [](ResponseModel& m, float bad) { m.material.young = double(bad); },
        [](ResponseModel& m, float) { m.material.poisson = 0.5; },
        [](ResponseModel& m, float) { m.triangles[2][1] = 4; },
        [](ResponseModel& m, float) { m.frequencies[1] = 50; },
        [](ResponseModel& m, float) { m.shapes.pop_back(); },
        [](ResponseModel& m, float) { m.triangles.clear(); },
    };
    for (size_t i = 0; i < damages.size(); ++i)
    {
        ResponseModel model = small_model();
        damages[i](model, nan);
        EXPECT_NE(check_response_model(model), "") << i;
        EXPECT_FALSE(response_model_from_bytes(to_bytes(model), "bad.modes")) << i;
        EXPECT_FALSE(save_response_model(model, testing::TempDir() + "/bad.modes")) << i;
    }
}

TEST(ModelFile, MissingFileIsAnError) { EXPECT_FALSE(load_response_model("/nowhere/to/be.modes")); }
