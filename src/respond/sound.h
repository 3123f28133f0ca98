// Contact sound from the same modes: each impact strikes the modes of its body, and what is heard is how fast the surface
// moves where it moves most.
#pragma once

#include "respond/filter.h"
#include "respond/model_surface.h"

#include <map>

namespace moraine
{

class ModalSound
{
public:
    // Bodies are told apart by any number of the caller's.
    void add_impact(uint64_t body, const std::shared_ptr<const ResponseModel>& model, double time, Vec3 point,
                    Vec3 impulse);
    bool is_empty() const { return instruments_.empty(); }

    // Samples of the first `seconds`, in m/s. Modes beyond what the rate can carry are left out.
    std::vector<float> render(double seconds, int rate) const;

private:
    struct Strike
    {
        double time = 0;
        std::vector<double> impulses{}; // reduced, by mode (eq. 9)
    };
    struct Instrument
    {
        std::shared_ptr<const ModelSurface> surface{};
        std::vector<Strike> strikes{};
    };
    std::map<uint64_t, Instrument> instruments_;
};

// A RIFF file of 16-bit mono samples, as loud as they can be without clipping.
std::vector<uint8_t> wav_file(std::span<const float> samples, int rate);

} // namespace moraine
