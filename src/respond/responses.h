// Bodies with a response model, what they were hit by, and what they do with it.
#pragma once

#include "dynamics/impacts.h"
#include "dynamics/kicks.h"
#include "respond/filter.h"
#include "respond/guests.h"
#include "respond/model_surface.h"

#include <algorithm>

namespace moraine
{

// One contact point of a body with a model in which an impulse came in: of the last step, to be felt elsewhere in this.
struct Impact
{
    int32_t body = -1;
    int32_t other = -1; // negative: what hit is in another world
    Vec3 point{};       // in the body's frame
    Vec3 normal{};      // out of the body, in its frame
    Vec3 impulse{};     // on the body, against the normal; none at points of the hit that others have taken it from
    float energy = 0;
    float mass = 0;              // of what hit, as far as this point has stopped it; 0: it came all at once
    float speed = 0;             // that it came in with
    IncomingVelocity incoming{}; // of what hit
};

// A contact point of a body that was hit, and how its surface shakes what lies there.
struct ShakenPoint
{
    int32_t manifold = -1;
    int32_t point = 0;
    float sign = 1; // 1 where the body is A of the edge
    SurfacePoint at{};
    Vec3 position{}, normal{}; // in the body's frame; out of it
    float speed = 0;           // at which the contact is asked to part
    Vec3 aside{};              // velocity along the surface, in the body's frame
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

// What the kicks of one body that shakes would take.
struct KickDemand
{
    double work = 0;      // J
    double passed_on = 0; // N s, on bodies that pass kicks on
    int32_t body = -1;    // that shakes
    int32_t passing = 0;  // kicks on bodies that pass them on
    int32_t worlds = 1;   // in which it shakes
    uint32_t padding = 0;
};

// Where other worlds have some of the bodies, too: a body that shakes has its energy once for all of them.
class KickSharing
{
public:
    virtual ~KickSharing() = default;
    // Tells other worlds who rides here, and puts those in the place whom this one lacks.
    virtual void exchange(std::vector<Guest>& guests) = 0;
    // Says how much each kick counts, and who passes it on.
    virtual void weigh(std::span<ContactKick> kicks) = 0;
    // Puts what the kicks of all worlds would take into the place of what those of this one would.
    virtual void add_up(std::span<KickDemand> demands) = 0;
};

struct Responses
{
    std::vector<ResponseBody> bodies; // sorted by body
    std::vector<Impact> impacts;      // in the order in which the solve found them

    // ---- scratch ----
    ImpactWatch watch;
    std::vector<ShakenPoint> points; // of one body
    std::vector<ContactKick> kicks;  // of this step
    std::vector<double> energy;      // by place in `bodies`: left for the kicks of this step
    std::vector<double> reserved;    // and what is kept for those who feel the kicks
    std::vector<int32_t> active;     // places in `bodies`: hit, or still ringing
    std::vector<KickDemand> demands; // by place in `active`
    KickSharing* sharing = nullptr;  // none: there is no other world
    std::vector<Guest> guests;       // from there

    bool is_empty() const { return bodies.empty(); }
    // Those of one body, which lie one after the other once they are sorted.
    std::span<const Impact> impacts_of(int32_t body) const
    {
        const auto first = std::ranges::lower_bound(impacts, body, {}, &Impact::body);
        return {first, std::ranges::upper_bound(first, impacts.end(), body, {}, &Impact::body)};
    }
    // Place among the bodies, or -1.
    int32_t find(int32_t body) const
    {
        const auto place = std::ranges::lower_bound(bodies, body, {}, &ResponseBody::body);
        return place != bodies.end() && place->body == body ? int32_t(place - bodies.begin()) : -1;
    }
};

} // namespace moraine
