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

const MaskChange* find_change(const std::vector<MaskChange>& changes, int32_t body)
{
    const auto change = std::lower_bound(changes.begin(), changes.end(), body,
                                         [](const MaskChange& c, int32_t b) { return c.body < b; });
    return change != changes.end() && change->body == body ? &*change : nullptr;
}

} // namespace

// One worker speaks for a constraint of two bodies: the owner of the far one has all that acts on that.
int Worker::speaker_of(int32_t body, int32_t other) const
{
    const WorkerMask both = masks_[size_t(body)] & masks_[size_t(other)];
    const int owner = owners_[size_t(other)];
    return owner >= 0 && (both & mask_of(owner)) != 0 ? owner : first_of(both);
}

// The same in all workers that have the two.
int Worker::contact_speaker(int32_t a, int32_t b) const
{
    if (masks_[size_t(a)] == 0 || masks_[size_t(b)] == 0) // fixed bodies are in every worker
        return masks_[size_t(a)] == 0 ? speaker_of(b, b) : speaker_of(a, a);
    return global_[size_t(a)] < global_[size_t(b)] ? speaker_of(b, a) : speaker_of(a, b);
}

// Contacts on both sides of a border answer to each other with a step in between. Where loads can shift between several of
// them, as under a slab on many bricks, the answers would grow from step to step: each is damped by what it was. `next` is
// where the last step's forces are looked at: they are in the order of edges, and edges are asked for in that order.
BodyForce Worker::smooth(const CarriedForce& now, size_t& next)
{
    const auto is_before = [](const CarriedForce& a, const CarriedForce& b) {
        return a.edge != b.edge ? a.edge < b.edge : a.body < b.body;
    };
    while (next < carried_.size() && is_before(carried_[next], now))
        ++next;
    CarriedForce smoothed = now;
    if (next < carried_.size() && carried_[next].edge == now.edge && carried_[next].body == now.body &&
        carried_[next].other == now.other)
    {
        const CarriedForce& last = carried_[next];
        smoothed.force = last.force + (now.force - last.force) * share_of_new;
        smoothed.torque = last.torque + (now.torque - last.torque) * share_of_new;
    }
    next_carried_.push_back(smoothed);
    return {smoothed.force, smoothed.torque};
}

// Workers that have the body and may miss neighbours of it in the next step. Who owns a body has them all, and so has who
// counts, unless that is about to change.
WorkerMask Worker::listeners_of(int32_t global, const Command& command) const
{
    const size_t body = local_[size_t(global)].index;
    const MaskChange* change = find_change(command.masks, global);
    const int owner = change ? change->owner : owners_[body];
    const bool is_known = owner >= 0 && !change &&
                          !std::binary_search(command.weighted.begin(), command.weighted.end(), global);
    const WorkerMask complete = (owner >= 0 ? mask_of(owner) : 0) | (is_known ? counting_[body] : 0);
    const WorkerMask listeners = (change ? change->workers : masks_[body]) & ~complete;
    return (listeners & ~mask_of(index_)) != 0 ? listeners : 0;
}

void Worker::find_listeners(const Command& command)
{
    listeners_.assign(masks_.size(), 0);
    first_told_.resize(masks_.size());
    told_.clear();
    const auto note = [&](int32_t global) {
        const WorkerMask listeners = listeners_of(global, command);
        if (listeners == 0)
            return;
        const size_t body = local_[size_t(global)].index;
        listeners_[body] = listeners;
        first_told_[body] = int32_t(told_.size());
        for_each_worker(listeners, [&](int w) { told_.push_back({{{}, {}, global}, w, false}); });
    };
    for (int32_t body : overlap_)
        note(body);
    for (const MaskChange& change : command.masks)
        if (has(change.body) && count_of(mask(change.body)) < 2)
            note(change.body);
}

// To those of its listeners that do not have the other end.
void Worker::tell(int32_t body, WorkerMask lacking, const BodyForce& force)
{
    for_each_worker(lacking, [&](int w) {
        const int place = count_of(listeners_[size_t(body)] & (mask_of(w) - 1));
        Told& told = told_[size_t(first_told_[size_t(body)] + place)];
        told.push.force += force.force;
        told.push.torque += force.torque;
        told.is_told = true;
    });
}

// Who speaks follows from the sets of the last step, and who listens from those of the next one. Bodies that go are still
// here. All edges are looked at in a row, which takes less than following the lists of the bodies at the border.
void Worker::collect_pushes(const Command& command, std::vector<std::vector<Push>>& pushes)
{
    find_listeners(command);
    const WorldData& world = world_.data();
    const auto lacking = [&](int32_t body, int32_t other) -> WorkerMask {
        const WorkerMask listeners = listeners_[size_t(body)];
        if (listeners == 0 || masks_[size_t(other)] == 0 || speaker_of(body, other) != index_)
            return 0; // fixed bodies are in every worker
        const MaskChange* change = command.masks.empty() ? nullptr : find_change(command.masks, global_[size_t(other)]);
        return listeners & ~(change ? change->workers : masks_[size_t(other)]);
    };
    next_carried_.clear();
    size_t next = 0;
    for_each_touching_edge(world, [&](int32_t e, const Edge& edge) {
        if ((listeners_[size_t(edge.body_a)] | listeners_[size_t(edge.body_b)]) == 0)
            return;
        for (const auto& [body, other] : {std::pair(edge.body_a, edge.body_b), std::pair(edge.body_b, edge.body_a)})
            if (const WorkerMask workers = lacking(body, other); workers != 0)
            {
                const BodyForce f = contact_force(world, edge, body);
                tell(body, workers, smooth({f.force, f.torque, body, other, e}, next));
            }
    });
    carried_.swap(next_carried_);
    for (size_t i = 0; i < told_.size(); ++i)
    {
        const auto body = int32_t(local_[size_t(told_[i].push.body)].index);
        if (first_told_[size_t(body)] != int32_t(i))
            continue; // one of its listeners is enough to get here
        for_each_joint_force(world, body, [&](int32_t other, const BodyForce& f) {
            if (const WorkerMask workers = lacking(body, other); workers != 0)
                tell(body, workers, f);
        });
    }
    for (const Told& told : told_)
        if (told.is_told)
            pushes[size_t(told.worker)].push_back(told.push);
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
