#include "respond/sound.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace moraine
{

void ModalSound::add_impact(uint64_t body, const std::shared_ptr<const ResponseModel>& model, double time, Vec3 point,
                            Vec3 impulse)
{
    if (!model || model->mode_count() == 0)
        return;
    Instrument& instrument = instruments_[body];
    if (!instrument.surface)
        instrument.surface = make_model_surface(model);
    std::vector<Vec3> shapes(model->mode_count());
    shapes_at(*model, closest_point(*instrument.surface, point), shapes);
    Strike strike{time, {}};
    for (Vec3 shape : shapes)
        strike.impulses.push_back(double(dot(shape, impulse)));
    instrument.strikes.push_back(std::move(strike));
}

std::vector<float> ModalSound::render(double seconds, int rate) const
{
    const size_t count = size_t(std::max(0.0, seconds) * rate);
    std::vector<double> sum(count, 0);
    for (const auto& [body, instrument] : instruments_)
    {
        const ResponseModel& model = *instrument.surface->model;
        for (size_t j = 0; j < model.mode_count(); ++j)
        {
            const double w = double(model.frequencies[j]);
            if (w >= std::numbers::pi * rate)
                continue;
            const FilterCoefficients c = filter_coefficients(w, model.material, 1.0 / rate, ResponseForcing::exact);
            const double weight = double(instrument.surface->largest_shape[j]) * rate;
            double last = 0, before = 0;
            size_t next = 0;
            for (size_t k = 0; k < count; ++k)
            {
                double now = c.a1 * last - c.a2 * before;
                for (; next < instrument.strikes.size() && instrument.strikes[next].time * rate < double(k + 1); ++next)
                    now += c.force * instrument.strikes[next].impulses[j];
                before = last;
                last = now;
                sum[k] += weight * (last - before);
            }
        }
    }
    return {sum.begin(), sum.end()};
}

std::vector<uint8_t> wav_file(std::span<const float> samples, int rate)
{
    const uint32_t bytes = uint32_t(2 * samples.size());
    std::vector<uint8_t> out;
    const auto text = [&](const char* four) { out.insert(out.end(), four, four + 4); };
    const auto number = [&](uint32_t value, int size) {
        for (int i = 0; i < size; ++i)
            out.push_back(uint8_t(value >> (8 * i)));
    };
    text("RIFF"), number(36 + bytes, 4), text("WAVE");
    text("fmt "), number(16, 4), number(1, 2), number(1, 2);
    number(uint32_t(rate), 4), number(uint32_t(2 * rate), 4), number(2, 2), number(16, 2);
    text("data"), number(bytes, 4);
    float loudest = 0;
    for (float s : samples)
        loudest = std::max(loudest, std::fabs(s));
    const float gain = loudest > 0 ? 32000 / loudest : 0;
    for (float s : samples)
        number(uint32_t(uint16_t(int16_t(std::lround(s * gain)))), 2);
    return out;
}

} // namespace moraine
