// Distant response across workers: what hits a body in one worker is felt in all that have it, in the next step.
//
// One worker speaks for a contact, and so for the impacts in it; what others that have both bodies have found there is
// dropped. They all hear the same then, once, from the main server: with the report after a step and the command before
// the next one. So a body shakes in the same way wherever it is.
#include "distribute/worker.h"
#include "world/kick_energy.h"

#include <algorithm>

namespace moraine::distribute
{

namespace
{

// A body of the scene that this worker does not have.
int32_t foreign(int32_t body) { return -1 - body; }

} // namespace

// What impacts have lost is there once for all workers: each says what its kicks would take, and gets as much of it.
class Worker::Sharing : public KickSharing
{
public:
    Sharing(const Worker& worker, Transport& transport) : worker_(worker), transport_(transport) {}

    // Of a body in several workers as much counts as of the copy in the blend: which has no more energy than its parts.
    void weigh(std::span<ContactKick> kicks) override
    {
        const WorldData& world = worker_.world_.data();
        for (ContactKick& kick : kicks)
        {
            const int32_t source = world.responses.bodies[size_t(kick.source)].body;
            const int32_t receiver = receiver_of(world, kick);
            kick.share = worker_.weight_of(size_t(worker_.masks_[size_t(receiver)] != 0 ? receiver : source));
            kick.is_passed_on = worker_.contact_speaker(source, receiver) == worker_.index_;
        }
    }

    // Who speaks for a contact tells who rides or hits there.
    void exchange(std::vector<Guest>& guests) override
    {
        std::erase_if(guests,
                      [&](const Guest& g) { return worker_.contact_speaker(g.source, g.body) != worker_.index_; });
        for (Guest& g : guests)
        {
            g.source = worker_.global_[size_t(g.source)];
            g.body = worker_.global_[size_t(g.body)];
            g.world = worker_.index_;
        }
        together(guests, [](const std::vector<Guest>& more, std::vector<Guest>& list) {
            list.insert(list.end(), more.begin(), more.end());
        });
        std::erase_if(guests, [&](const Guest& g) { return !worker_.has(g.source) || worker_.has(g.body); });
        for (Guest& g : guests)
        {
            g.source = int32_t(worker_.local_[size_t(g.source)].index);
            g.body = foreign(g.body);
        }
        std::ranges::stable_sort(guests, {}, &Guest::source);
    }

    void add_up(std::span<KickDemand> demands) override
    {
        std::vector<KickDemand> list(demands.begin(), demands.end());
        for (KickDemand& d : list)
            d.body = worker_.global_[size_t(d.body)];
        together(list, add);
        for (KickDemand& d : demands)
        {
            const int32_t local = d.body;
            d = *std::ranges::find(list, worker_.global_[size_t(local)], &KickDemand::body);
            d.body = local;
        }
    }

private:
    // The first of those who share puts all lists together, in the order of workers, and tells the others.
    template <class T, class Add>
    void together(std::vector<T>& list, Add&& add_list)
    {
        const int first = first_of(worker_.sharers_);
        const WorkerMask others = worker_.sharers_ & ~mask_of(first);
        if (worker_.index_ != first)
        {
            transport_.send(first, pack(list));
            list = unpack<std::vector<T>>(transport_.receive(first));
            return;
        }
        for_each_worker(others, [&](int w) { add_list(unpack<std::vector<T>>(transport_.receive(w)), list); });
        for_each_worker(others, [&](int w) { transport_.send(w, pack(list)); });
    }

    static void add(const std::vector<KickDemand>& more, std::vector<KickDemand>& list)
    {
        for (const KickDemand& m : more)
        {
            const auto known = std::ranges::find(list, m.body, &KickDemand::body);
            if (known == list.end())
            {
                list.push_back(m);
                continue;
            }
            known->work += m.work;
            known->passed_on += m.passed_on;
            known->passing += m.passing;
            known->worlds += m.worlds;
        }
    }

    const Worker& worker_;
    Transport& transport_;
};

// A body may come and go: its model is made once.
Status Worker::give_response(int32_t body, BodyId id)
{
    const SceneBody& b = shared_.scene().bodies[size_t(body)];
    if (!b.response || !world_.settings().response.is_on)
        return Ok{};
    auto known = responses_.find(body);
    if (known == responses_.end())
    {
        Result<ResponseDef> def = make_response(b);
        if (!def)
            return def.error();
        known = responses_.emplace(body, std::move(*def)).first;
    }
    return world_.set_response(id, known->second);
}

StepReport Worker::step_world(float dt, Transport& transport)
{
    Sharing sharing(*this, transport);
    KickSharing*& place = world_.data().responses.sharing;
    place = (sharers_ & mask_of(index_)) != 0 ? &sharing : nullptr;
    const StepReport report = world_.step(dt);
    place = nullptr;
    return report;
}

float Worker::weight_of(size_t body) const
{
    const WorkerMask workers = masks_[body];
    return count_of(workers) < 2 ? 1 : weights_[body][size_t(count_of(workers & (mask_of(index_) - 1)))];
}

// All that this worker knows of the step's impacts, also on bodies that it has alone: they may be elsewhere in the next step.
Shakes Worker::take_shakes()
{
    Shakes shakes;
    Responses& r = world_.data().responses;
    for (Impact impact : r.impacts)
    {
        if (contact_speaker(impact.body, impact.other) != index_)
            continue;
        impact.body = global_[size_t(impact.body)];
        impact.other = global_[size_t(impact.other)];
        shakes.impacts.push_back(impact);
    }
    r.impacts.clear();
    for (ResponseBody& b : r.bodies)
        if (const double energy = std::exchange(b.energy, 0.0); b.is_ringing && energy > 0)
            shakes.left.push_back({.energy = energy, .body = global_[size_t(b.body)]});
    return shakes;
}

void Worker::feel(const Shakes& shakes)
{
    Responses& r = world_.data().responses;
    for (Impact impact : shakes.impacts)
    {
        impact.body = int32_t(local_[size_t(impact.body)].index);
        impact.other = has(impact.other) ? int32_t(local_[size_t(impact.other)].index) : foreign(impact.other);
        r.impacts.push_back(impact);
    }
    for (const Shakes::LeftEnergy& left : shakes.left)
        if (const int32_t place = r.find(int32_t(local_[size_t(left.body)].index)); place >= 0)
            r.bodies[size_t(place)].energy = left.energy;
    sharers_ = shakes.sharers;
}

std::vector<RingingBody> Worker::ringing_of(std::span<const BodyCopy> copies) const
{
    std::vector<RingingBody> ringing;
    const Responses& r = world_.data().responses;
    if (r.is_empty())
        return ringing;
    for (const BodyCopy& copy : copies)
        if (const int32_t place = r.find(int32_t(local_[size_t(copy.body)].index));
            place >= 0 && r.bodies[size_t(place)].is_ringing)
            ringing.push_back({copy.body, r.bodies[size_t(place)].filter});
    return ringing;
}

void Worker::set_ringing(std::span<const RingingBody> ringing)
{
    Responses& r = world_.data().responses;
    for (const RingingBody& body : ringing)
    {
        const int32_t place = has(body.body) ? r.find(int32_t(local_[size_t(body.body)].index)) : -1;
        if (place < 0)
            continue;
        r.bodies[size_t(place)].filter = body.filter;
        r.bodies[size_t(place)].is_ringing = true;
    }
}

} // namespace moraine::distribute
