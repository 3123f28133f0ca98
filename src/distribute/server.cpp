#include "distribute/server.h"

#include "distribute/partition.h"
#include "distribute/touch.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace moraine::distribute
{

namespace
{

SceneDescription moved_scene(const SceneDescription& scene, std::span<const BodyCopy> bodies)
{
    SceneDescription moved = scene;
    for (const BodyCopy& copy : bodies)
    {
        moved.bodies[size_t(copy.body)].def.position = copy.state.pose.position;
        moved.bodies[size_t(copy.body)].def.rotation = copy.state.pose.rotation;
    }
    return moved;
}

} // namespace

Server::Server(const SharedScene& shared, int workers)
    : shared_(shared),
      workers_(workers),
      graph_(int(shared.scene().bodies.size())),
      is_asleep_(shared.scene().bodies.size()),
      weights_(shared.scene().bodies.size()),
      held_(shared.scene().bodies.size()),
      is_dirty_(shared.scene().bodies.size()),
      smooth_time_(size_t(workers)),
      tested_(size_t(workers)),
      travelled_(size_t(workers)),
      outlooks_(size_t(workers * workers)),
      meets_(size_t(workers), ~WorkerMask(0))
{}

Status Server::begin(std::span<const BodyCopy> bodies)
{
    const DistributeDef& def = shared_.scene().distribute;
    const int first = def.first_workers > 0 ? std::min(def.first_workers, workers_) : workers_;
    const SceneDescription& scene = shared_.scene();
    const std::optional<SceneDescription> moved = bodies.empty() ? std::nullopt
                                                                 : std::optional(moved_scene(scene, bodies));
    std::vector<ContactPair> touching;
    if (workers_ > 1)
        touching = find_first_touches(moved ? *moved : scene, shared_.joints_of);
    const Result<std::vector<int>> parts = make_partition(moved ? *moved : scene, def, first, touching);
    if (!parts)
        return parts.error();
    ownership_ = Ownership(*parts, def.growth_depth);
    std::vector<WorkerMask> masks(parts->size());
    for (size_t b = 0; b < masks.size(); ++b)
        masks[b] = (*parts)[b] < 0 ? 0 : mask_of((*parts)[b]);
    sets_ = WorkerSets(std::move(masks), workers_);
    for (const JointPair& joint : shared_.joint_pairs)
        graph_.add_joint(joint.body_a, joint.body_b);
    // Contacts are known from the beginning too, so that worlds are built with all that they share, in the scene's order.
    if (workers_ > 1 && bodies.empty() && def.balance == Balance::steady)
        met_ = std::move(touching);
    for (const ContactPair& pair : met_)
        graph_.add_contact(pair.body_a, pair.body_b, ConstraintGraph::met);
    if (def.balance != Balance::steady)
        assign_to_overlap(shared_.joint_pairs, def.growth_depth, graph_, sets_);
    else
    {
        std::vector<int32_t> all(size_t(sets_.bodies()));
        std::iota(all.begin(), all.end(), 0);
        ownership_.grow(all, graph_);
        for (int32_t b = 0; b < sets_.bodies(); ++b)
            if (sets_[b] != 0 && !graph_.links(b).empty())
                sets_.set(b, ownership_.workers_near(b, graph_));
    }
    sets_.take_changes();
    for (int32_t b = 0; b < sets_.bodies(); ++b)
        masks_.push_back(sets_[b]);
    for (int32_t body : sets_.overlap())
        mark_dirty(body); // the workers do not know yet what they hold and what counts
    return Ok{};
}

int Server::known_owner(int32_t body) const
{
    return shared_.scene().distribute.balance == Balance::steady ? ownership_.owner(body) : -1;
}

template <class A>
void Server::archive(A& a)
{
    a(sets_), a(ownership_), a(graph_), a(met_), a(asleep_), a(weights_), a(held_), a(dirty_), a(steps_since_change_);
    a(smooth_time_), a(travelled_), a(outlooks_), a(meets_), a(step_), a(changed_workers_), a(divided_);
    a(balance_interval_), a(balanced_), a(idle_gifts_), a(tested_);
}

Bytes Server::save() const
{
    Bytes bytes;
    WriteArchive a(bytes);
    const_cast<Server&>(*this).archive(a);
    return bytes;
}

Status Server::restore(const Bytes& bytes)
{
    const size_t bodies = shared_.scene().bodies.size();
    sets_ = WorkerSets({}, workers_);
    ReadArchive a(bytes);
    archive(a);
    if (!a.is_good() || size_t(sets_.bodies()) != bodies || size_t(graph_.bodies()) != bodies)
        return Error{"the checkpoint does not fit this scene: start from the scene it was made with"};
    for (int32_t body : dirty_)
        is_dirty_[size_t(body)] = 1;
    for (int32_t body : asleep_)
        is_asleep_[size_t(body)] = true;
    return Ok{};
}

void Server::mark_dirty(int32_t body)
{
    steps_since_change_ = 0;
    if (is_dirty_[size_t(body)])
        return;
    is_dirty_[size_t(body)] = 1;
    dirty_.push_back(body);
}

void Server::update_graph(const std::vector<Report>& reports)
{
    for (size_t w = 0; w < reports.size(); ++w)
    {
        for (const ContactPair& pair : reports[w].began)
            graph_.add_contact(pair.body_a, pair.body_b, mask_of(int(w)));
        for (const ContactPair& pair : reports[w].ended)
            graph_.remove_contact(pair.body_a, pair.body_b, mask_of(int(w)));
        for (const auto* pairs : {&reports[w].began, &reports[w].ended})
            for (const ContactPair& pair : *pairs)
                mark_dirty(pair.body_a), mark_dirty(pair.body_b);
    }
    // By now some worker has both and has said whether they touch, but for the first call, before which nobody has stepped.
    if (step_ > 1)
    {
        for (const ContactPair& pair : met_)
            graph_.remove_contact(pair.body_a, pair.body_b, ConstraintGraph::met);
        met_.clear();
    }
    for (const Report& report : reports)
        met_.insert(met_.end(), report.met.begin(), report.met.end());
}

void Server::note_sleepers(const std::vector<Report>& reports)
{
    std::vector<int32_t> asleep;
    for (const Report& report : reports)
        asleep.insert(asleep.end(), report.asleep.begin(), report.asleep.end());
    if (asleep == asleep_)
        return;
    settled_loads_.clear();
    for (int32_t body : asleep_)
        is_asleep_[size_t(body)] = false;
    asleep_ = std::move(asleep);
    for (int32_t body : asleep_)
        is_asleep_[size_t(body)] = true;
}

std::vector<WorkerSets::Change> Server::tell_changes(std::vector<Command>& commands)
{
    std::vector<WorkerSets::Change> changes = sets_.take_changes();
    for (const WorkerSets::Change& change : changes)
    {
        const WorkerMask now = sets_[change.body], came = now & ~change.before, went = change.before & ~now;
        const int source = first_of(change.before);
        for_each_worker(came, [&](int w) {
            commands[size_t(w)].activates.push_back({change.body, source});
            commands[size_t(source)].sends.push_back({change.body, w});
        });
        for_each_worker(went, [&](int w) { commands[size_t(w)].deactivates.push_back(change.body); });
        for_each_worker(now | went, [&](int w) {
            commands[size_t(w)].masks.push_back({now, change.body, known_owner(change.body)});
        });
        graph_.remove_contacts(change.body, went);
        last_.moved += count_of(came) + count_of(went);
        // A copy that is made now is not held yet, and one that is left alone must not be.
        WorkerMask& held = held_[size_t(change.body)];
        const bool was_held = (held & now) != 0;
        held = sets_.is_overlap(change.body) ? held & change.before & now : 0;
        if (was_held && held == 0)
            for_each_worker(now, [&](int w) { commands[size_t(w)].holds.push_back({0, change.body, 0}); });
        weights_[size_t(change.body)].clear(); // somebody may not know them
        mark_dirty(change.body);
        for (const ConstraintLink& link : graph_.links(change.body))
            mark_dirty(link.other);
    }
    look_again(changes);
    tell_owners(commands);
    return changes;
}

// Of bodies whose set is the same as before.
void Server::tell_owners(std::vector<Command>& commands)
{
    if (ownership_.given().empty())
        return;
    for (int32_t body : ownership_.given())
        for_each_worker(sets_[body], [&](int w) {
            commands[size_t(w)].masks.push_back({sets_[body], body, ownership_.owner(body)});
        });
    for (Command& command : commands)
    {
        std::stable_sort(command.masks.begin(), command.masks.end(),
                         [](const MaskChange& a, const MaskChange& b) { return a.body < b.body; });
        const auto same = [](const MaskChange& a, const MaskChange& b) { return a.body == b.body; };
        command.masks.erase(std::unique(command.masks.begin(), command.masks.end(), same), command.masks.end());
    }
    ownership_.forget_given();
}

std::vector<Command> Server::decide(std::vector<Report>& reports, float dt)
{
    const double start = thread_seconds();
    std::vector<Command> commands(reports.size());
    last_ = {};
    ++step_;
    note_sleepers(reports);
    update_graph(reports);
    if (shared_.scene().distribute.detection == Detection::central)
        find_central_meetings(reports, dt);
    see_gaps(reports, dt);
    std::sort(met_.begin(), met_.end());
    met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
    for (const ContactPair& pair : met_)
        graph_.add_contact(pair.body_a, pair.body_b, ConstraintGraph::met);
    const std::vector<double> loads = measure_loads(reports);
    if (workers_ > 1)
    {
        ++steps_since_change_;
        if (shared_.scene().distribute.balance == Balance::steady)
        {
            change_workers(loads, reports, commands);
            follow_owners(loads);
        }
        else
        {
            drop_strays();
            balance_load(met_, sets_.overlap(), shared_.scene().distribute, is_asleep_, Loads(loads, sets_), graph_,
                         sets_);
        }
        const std::vector<WorkerSets::Change> changes = tell_changes(commands);
        update_weights(commands);
        for (int32_t body : dirty_)
            is_dirty_[size_t(body)] = 0;
        dirty_.clear();
        for (const WorkerSets::Change& change : changes) // what they leave behind is looked at in the next step
            mark_dirty(change.body);
        plan_meetings(reports, dt, commands);
    }

    tell_shakes(reports, commands);
    last_.overlap = sets_.overlap_count();
    last_.server_ms = 1000 * (thread_seconds() - start);
    float slowest = 0;
    for (const Report& report : reports)
    {
        const WorkerStep& s = report.step;
        last_.workers.push_back(s);
        slowest = std::max(slowest, s.busy_ms());
        last_.residual = std::max(last_.residual, double(s.residual));
        last_.bytes += s.bytes;
        last_.messages += s.messages;
        last_.asks_to_stop |= report.asks_to_stop != 0;
    }
    last_.critical_ms = double(slowest) + last_.server_ms;
    return commands;
}

} // namespace moraine::distribute
