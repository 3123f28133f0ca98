// Bodies with a response model, what they were hit by, and what they do with it.
#pragma once

#include "dynamics/impacts.h"
#include "dynamics/kicks.h"
#include "respond/filter.h"
#include "respond/model_surface.h"

#include <algorithm>

namespace moraine
{

// One contact point of a body with a model in which an impulse came in: of the last step, to be felt elsewhere in this.
struct Impact
{
    int32_t body = -1;
    int32_t other = -1;
    Vec3 point{};   // in the body's frame
    Vec3 impulse{}; // on the body, in its frame
    float energy = 0;
};

struct ResponseBody
{
    int32_t body = -1;
    std::shared_ptr<const ModelSurface> surface{};
    std::shared_ptr<const Geodesics> geodesics{};
    Attenuation attenuation{};
    bool has_own_attenuation = false;
    float blend = 0;
    bool is_ringing = false; // from earlier steps
    FilterState filter{};
    double energy = 0; // J of earlier impacts that is left while it rings
};

struct Responses
{
    std::vector<ResponseBody> bodies; // sorted by body
    std::vector<Impact> impacts;      // in the order in which the solve found them

    // ---- scratch ----
    ImpactWatch watch;
    std::vector<ContactKick> kicks; // of this step
    std::vector<double> energy;     // by place in `bodies`: left for the kicks of this step
    std::vector<double> reserved;   // and what is kept for those who feel the kicks
    std::vector<int32_t> active;    // places in `bodies`: hit, or still ringing

    bool is_empty() const { return bodies.empty(); }
    // Place among the bodies, or -1.
    int32_t find(int32_t body) const
    {
        const auto place = std::ranges::lower_bound(bodies, body, {}, &ResponseBody::body);
        return place != bodies.end() && place->body == body ? int32_t(place - bodies.begin()) : -1;
    }
};

} // namespace moraine
