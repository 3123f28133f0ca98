#include "respond/beam.h"
#include "respond/sound.h"

#include <gtest/gtest.h>

#include <cstring>

namespace moraine::test
{
namespace
{

TEST(Sound, AStruckBeamSoundsAtItsFrequency)
{
    Beam beam{.length = 0.5, .modes = 1};
    beam.material.young = 1e10;
    ModalSound sound;
    const double start = 0.25;
    sound.add_impact(1, beam.model(), start, {0, 0.02f, 0}, {0, -1, 0});
    const std::vector<float> samples = sound.render(1.25, 44100);
    ASSERT_EQ(samples.size(), 55125u);
    int crossings = 0;
    float loudest = 0;
    for (size_t i = 1; i < samples.size(); ++i)
    {
        crossings += (samples[i] < 0) != (samples[i - 1] < 0);
        loudest = std::max(loudest, std::fabs(samples[i]));
        if (i < size_t(start * 44100) - 1)
            EXPECT_EQ(samples[i], 0);
    }
    EXPECT_NEAR(crossings, beam.frequency(1) / std::numbers::pi, 3);
    // J φ² at the middle, where φ is largest.
    EXPECT_NEAR(loudest, 2 / beam.mass(), 0.02 * 2 / beam.mass());
}

TEST(Sound, AWavFileHasItsLengthsRight)
{
    const std::vector<float> samples{0, 0.5f, -1, 0.25f};
    const std::vector<uint8_t> file = wav_file(samples, 8000);
    ASSERT_EQ(file.size(), 44u + 8u);
    EXPECT_EQ(std::string(file.begin(), file.begin() + 4), "RIFF");
    EXPECT_EQ(file[4], 36 + 8);
    EXPECT_EQ(file[40], 8);
    int16_t lowest;
    std::memcpy(&lowest, &file[44 + 4], 2);
    EXPECT_EQ(lowest, -32000);
}

} // namespace
} // namespace moraine::test
