// What constraints that a worker does not have do to its copies of bodies: a worker that has them says how they pushed and
// pulled in the last step. What rests or hangs across a border then does so in every worker as it would in one world, and
// copies have nothing to disagree about.
#include "distribute/worker.h"
#include "world/body_forces.h"

#include <algorithm>

namespace moraine::distribute
{

namespace
{

constexpr float share_of_new = 0.5f;

} // namespace

// One worker speaks for a constraint of two bodies: the owner of the far one has all that acts on that.
int Worker::speaker_of(int32_t body, int32_t other) const
{
    const WorkerMask both = masks_[size_t(body)] & masks_[size_t(other)];
    const int owner = owners_[size_t(other)];
    return owner >= 0 && (both & mask_of(owner)) != 0 ? owner : first_of(both);
}

// Contacts on both sides of a border answer to each other with a step in between. Where loads can shift between several of
// them, as under a slab on many bricks, the answers would grow from step to step: each is damped by what it was.
CarriedForce Worker::smooth(const CarriedForce& now)
{
    const auto is_before = [](const CarriedForce& a, const CarriedForce& b) {
        return a.body != b.body ? a.body < b.body : a.other < b.other;
    };
    CarriedForce smoothed = now;
    const auto last = std::lower_bound(carried_.begin(), carried_.end(), now, is_before);
    if (last != carried_.end() && last->body == now.body && last->other == now.other)
    {
        smoothed.force = last->force + (now.force - last->force) * share_of_new;
        smoothed.torque = last->torque + (now.torque - last->torque) * share_of_new;
    }
    next_carried_.push_back(smoothed);
    return smoothed;
}

// Who speaks follows from the sets of the last step, and who listens from those of the next one. Bodies that go are still
// here.
void Worker::collect_pushes(const Command& command, std::vector<std::vector<Push>>& pushes)
{
    const std::vector<MaskChange>& changes = command.masks;
    next_carried_.clear();
    const auto find_change = [&](int32_t body) -> const MaskChange* { // of the world
        const auto change = std::lower_bound(changes.begin(), changes.end(), global_[size_t(body)],
                                             [](const MaskChange& c, int32_t b) { return c.body < b; });
        return change != changes.end() && change->body == global_[size_t(body)] ? &*change : nullptr;
    };
    const auto next_mask = [&](int32_t body) {
        const MaskChange* change = find_change(body);
        return change ? change->workers : masks_[size_t(body)];
    };
    const auto collect = [&](int32_t global) {
        const auto body = int32_t(local_[size_t(global)].index);
        const MaskChange* change = find_change(body);
        const int owner = change ? change->owner : owners_[size_t(body)];
        // The owner of a body has all its neighbours, and so has who counts, unless that is about to change.
        const bool is_known = owner >= 0 && !change &&
                              !std::binary_search(command.weighted.begin(), command.weighted.end(), global);
        const WorkerMask complete = (owner >= 0 ? mask_of(owner) : 0) | (is_known ? counting_[size_t(body)] : 0);
        const WorkerMask listeners = next_mask(body) & ~complete;
        if ((listeners & ~mask_of(index_)) == 0)
            return;
        const auto is_wanted = [&](int32_t other) { // fixed bodies are in every worker
            return masks_[size_t(other)] != 0 && speaker_of(body, other) == index_ &&
                   (listeners & ~next_mask(other)) != 0;
        };
        for_each_constraint_force(world_.data(), body, is_wanted,
                                  [&](int32_t other, const BodyForce& f, bool is_contact) {
                                      const CarriedForce now{f.force, f.torque, global, global_[size_t(other)]};
                                      const CarriedForce carried = is_contact ? smooth(now) : now;
                                      for_each_worker(listeners & ~next_mask(other), [&](int w) {
                                          std::vector<Push>& list = pushes[size_t(w)];
                                          if (list.empty() || list.back().body != global)
                                              list.push_back({{}, {}, global});
                                          list.back().force += carried.force;
                                          list.back().torque += carried.torque;
                                      });
                                  });
    };
    for (int32_t body : overlap_)
        collect(body);
    for (const MaskChange& change : changes)
        if (has(change.body) && count_of(mask(change.body)) < 2)
            collect(change.body);
    std::sort(next_carried_.begin(), next_carried_.end(), [](const CarriedForce& a, const CarriedForce& b) {
        return a.body != b.body ? a.body < b.body : a.other < b.other;
    });
    carried_.swap(next_carried_);
}

// Workers that share a body talk to each other, whether there is something to say or not.
void Worker::exchange_pushes(const std::vector<std::vector<Push>>& pushes, Transport& transport)
{
    WorkerMask partners = 0;
    for (int32_t body : overlap_)
        partners |= mask(body);
    partners &= ~mask_of(index_);
    for_each_worker(partners, [&](int w) { transport.send(w, pack(pushes[size_t(w)])); });
    const auto take = [&](const std::vector<Push>& list) {
        for (const Push& push : list)
            if (has(push.body))
                push_body(world_.data(), int32_t(local_[size_t(push.body)].index), push.force, push.torque);
    };
    for_each_worker(partners | mask_of(index_), [&](int w) {
        take(w == index_ ? pushes[size_t(w)] : unpack<std::vector<Push>>(transport.receive(w)));
    });
}

} // namespace moraine::distribute
