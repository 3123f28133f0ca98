// Copies of one body in several workers: brought into line after every step, and handed over where a worker gets a body.
#include "distribute/blend.h"
#include "distribute/worker.h"

#include <algorithm>

namespace moraine::distribute
{

namespace
{

bool is_quiet(const BodyState& state, const WorldDef& settings)
{
    return length(state.linear) + length(state.angular) < settings.sleep_speed;
}

} // namespace

BodyCopy Worker::copy_of(int32_t body) const
{
    const auto local = int32_t(local_[size_t(body)].index);
    return {body_state(world_.data(), local), quiet_time(world_.data(), local), body,
            uint32_t(!world_.is_awake(local_[size_t(body)]))};
}

void Worker::set_weights(const Command& command)
{
    const float* next = command.weights.data();
    for (int32_t body : command.weighted)
    {
        const BodyId id = local_[size_t(body)];
        const auto count = count_of(masks_[id.index]);
        weights_[id.index].assign(next, next + count);
        next += count;
        count_copies(id.index);
    }
}

void Worker::count_copies(size_t body)
{
    counting_[body] = 0;
    size_t i = 0;
    for_each_worker(masks_[body], [&](int w) { counting_[body] |= weights_[body][i++] > 0 ? mask_of(w) : 0; });
}

// What the copies that count are together. One that sleeps says where the body is as long as the others are quiet: else
// workers would wake each other in turns.
BodyState Worker::blend_of(size_t body, bool& is_calm)
{
    blended_states_.clear(), blended_weights_.clear();
    for (float weight : weights_[body])
        if (weight > 0)
            blended_weights_.push_back(weight);
    const BodyCopy* sleeper = nullptr;
    bool are_quiet = true;
    for (const BodyCopy* copy : counted_)
    {
        blended_states_.push_back(copy->state);
        if (copy->is_asleep == 0)
            are_quiet = are_quiet && is_quiet(copy->state, shared_.scene().world);
        else if (!sleeper)
            sleeper = copy;
    }
    is_calm = sleeper && are_quiet;
    return is_calm ? sleeper->state : blend(blended_states_, blended_weights_);
}

// Copies that count go straight to the other workers that have the body, and each of these makes the same state of them:
// the main server does not see them.
void Worker::blend_copies(Transport& transport)
{
    const double start = transport.seconds();
    copies_.resize(size_t(workers_)); // first to others, then from them; its own that count
    for (std::vector<BodyCopy>& list : copies_)
        list.clear();
    WorkerMask listeners = 0, speakers = 0;
    last_.copies = 0;
    for (int32_t body : overlap_)
    {
        const size_t local = local_[size_t(body)].index;
        const WorkerMask counts = counting_[local];
        speakers |= counts;
        last_.copies += count_of(masks_[local]) - 1;
        if ((counts & mask_of(index_)) == 0)
            continue;
        const BodyCopy own = copy_of(body);
        listeners |= masks_[local];
        for_each_worker(masks_[local], [&](int w) { copies_[size_t(w)].push_back(own); });
    }
    for_each_worker(listeners & ~mask_of(index_), [&](int w) { transport.send(w, pack(copies_[size_t(w)])); });
    for_each_worker(speakers & ~mask_of(index_),
                    [&](int w) { copies_[size_t(w)] = unpack<std::vector<BodyCopy>>(transport.receive(w)); });
    last_.residual = take_blended();
    last_.blend_ms = float(1000 * (transport.seconds() - start));
}

// The lists are in the order of the bodies. Returns how far a copy was from the blended state at most.
float Worker::take_blended()
{
    next_copies_.assign(copies_.size(), 0);
    float residual = 0;
    asleep_.clear();
    for (int32_t body : overlap_)
    {
        const size_t local = local_[size_t(body)].index;
        counted_.clear();
        for_each_worker(counting_[local],
                        [&](int w) { counted_.push_back(&copies_[size_t(w)][next_copies_[size_t(w)]++]); });
        bool is_calm = counted_.front()->is_asleep != 0; // where only one counts, the body is where that has it
        if (counted_.size() > 1)
            residual = std::max(residual, set_body_state(world_.data(), int32_t(local), blend_of(local, is_calm)));
        else if (counting_[local] != mask_of(index_))
            residual = std::max(residual, set_body_state(world_.data(), int32_t(local), counted_.front()->state));
        if (is_calm && first_of(masks_[local]) == index_)
            asleep_.push_back(body);
    }
    return residual;
}

// All that goes to one worker is one message. The lists are sorted by body, so both ends agree on the order.
void Worker::exchange_copies(const Command& command, Transport& transport)
{
    std::vector<Handover> outgoing(static_cast<size_t>(workers_));
    for (const Transfer& t : command.sends)
        outgoing[size_t(t.worker)].bodies.push_back(copy_of(t.body));
    for (int w = 0; w < workers_; ++w)
        if (Handover& handover = outgoing[size_t(w)]; !handover.bodies.empty())
        {
            handover.ringing = ringing_of(handover.bodies);
            transport.send(w, pack(handover));
        }
    for (int32_t body : command.deactivates)
        deactivate(body);
    WorkerMask sources = 0;
    for (const Transfer& t : command.activates)
        sources |= mask_of(t.worker);
    Handover incoming;
    for_each_worker(sources, [&](int w) {
        const auto from = unpack<Handover>(transport.receive(w));
        incoming.bodies.insert(incoming.bodies.end(), from.bodies.begin(), from.bodies.end());
        incoming.ringing.insert(incoming.ringing.end(), from.ringing.begin(), from.ringing.end());
    });
    std::ranges::sort(incoming.bodies, {}, &BodyCopy::body);
    for (const BodyCopy& copy : incoming.bodies)
        activate(copy);
    set_ringing(incoming.ringing);
}

} // namespace moraine::distribute
