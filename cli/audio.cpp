#include "cli/audio.h"

#include <fstream>

namespace moraine::cli
{

void AudioFile::add(const World& world)
{
    for (const ImpactEvent& impact : world.events().impacts)
        sound_.add_impact(uint64_t(impact.body.index) << 32 | impact.body.generation, world.response(impact.body).model,
                          world.time() - start_, impact.point, impact.impulse);
}

Status AudioFile::close(double end)
{
    constexpr int rate = 44100;
    constexpr double longest = 600; // seconds: more is likelier a mistake than a symphony
    const double seconds = end - start_;
    if (seconds > longest)
        return Error{path_ + ": sound is written for runs of up to 600 s: take --seconds 600"};
    const std::vector<uint8_t> bytes = wav_file(sound_.render(seconds, rate), rate);
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    file.close();
    if (!file)
        return Error{path_ + ": cannot write the sound: check the folder and the free space"};
    return Ok{};
}

} // namespace moraine::cli
