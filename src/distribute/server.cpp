#include "distribute/server.h"

#include "distribute/partition.h"
#include "distribute/touch.h"
#include "distribute/weights.h"

#include <algorithm>
#include <optional>

namespace moraine::distribute
{

namespace
{

// Joints have three rows and more, and every body is integrated.
// What is shared is blended and pushed.
constexpr double joint_load = 3, body_load = 1, overlap_load = 2;
constexpr double smoothing = 0.1; // of measured times
constexpr int balance_interval = 4;
constexpr uint64_t change_interval = 64; // steps: one worker at a time, and then the load is evened out first
// Every body's turn comes once in so many steps, should something have changed further away than next to it. The wider
// the overlap is, the longer a search takes and the less it matters where exactly it ends.
int stray_interval(const DistributeDef& def) { return 16 * (1 + std::min(def.growth_depth, 15)); }
int turn_interval(const DistributeDef& def) { return stray_interval(def) / 2; }

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
        for (int32_t b = 0; b < sets_.bodies(); ++b)
            if (sets_[b] != 0 && !graph_.links(b).empty())
                sets_.set(b, ownership_.workers_near(b, graph_));
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
    for (int32_t body : asleep_)
        is_asleep_[size_t(body)] = false;
    asleep_.clear();
    for (const Report& report : reports)
        asleep_.insert(asleep_.end(), report.asleep.begin(), report.asleep.end());
    for (int32_t body : asleep_)
        is_asleep_[size_t(body)] = true;
}

std::vector<double> Server::measure_loads(const std::vector<Report>& reports)
{
    const LoadKind kind = shared_.scene().distribute.load;
    std::vector<double> loads;
    double sum = 0, most = 0;
    for (size_t w = 0; w < reports.size(); ++w)
    {
        const WorkerStep& s = reports[w].step;
        smooth_time_[w] += smoothing * (double(s.solve_ms) - smooth_time_[w]);
        const double constraints = s.contacts + joint_load * s.joints + body_load * s.movers + overlap_load * s.overlap;
        if ((active() & mask_of(int(w))) != 0)
        {
            sum += constraints;
            most = std::max(most, constraints);
        }
        loads.push_back(kind == LoadKind::bodies ? s.bodies : kind == LoadKind::time ? smooth_time_[w] : constraints);
    }
    last_.active = count_of(active());
    last_.imbalance = sum > 0 ? most * double(last_.active) / sum : 1;
    return loads;
}

WorkerMask Server::active() const
{
    return shared_.scene().distribute.balance == Balance::steady ? ownership_.workers() : mask_of(workers_) - 1;
}

// One worker more or less where the load is beyond its thresholds. The main server's own worker never ends.
void Server::change_workers(std::span<const double> loads, const std::vector<Report>& reports,
                            std::vector<Command>& commands)
{
    const DistributeDef& def = shared_.scene().distribute;
    const WorkerMask idle = (mask_of(workers_) - 1) & ~active();
    if (divided_ >= 0)
    {
        const std::vector<int32_t>& half = reports[size_t(divided_)].half;
        if (!half.empty() && idle != 0)
            ownership_.begin_worker(first_of(idle), divided_, half), ++last_.begun;
        divided_ = -1;
        return;
    }
    if (step_ < changed_workers_ + change_interval)
        return;
    double sum = 0;
    int most = 0, least = -1;
    for_each_worker(active(), [&](int w) {
        const double load = loads[size_t(w)];
        sum += load;
        most = load > loads[size_t(most)] ? w : most;
        least = w > 0 && (least < 0 || load < loads[size_t(least)]) ? w : least;
    });
    const double mean = sum / std::max(count_of(active()), 1);
    if (def.grow_above > 0 && mean > double(def.grow_above) && idle != 0)
    {
        divided_ = most;
        commands[size_t(most)].divides = 1;
    }
    else if (mean < double(def.shrink_below) && least > 0)
        ownership_.end_worker(least, ownership_.find_heir(least, loads, graph_)), ++last_.ended;
    else
        return;
    changed_workers_ = step_;
}

// A body that nothing of a worker touches any more, and that no collision will send away.
void Server::drop_strays()
{
    std::vector<std::pair<int32_t, WorkerMask>> strays;
    const auto interval = uint64_t(stray_interval(shared_.scene().distribute));
    for (int32_t body : sets_.overlap())
    {
        if ((uint64_t(body) + step_) % interval != 0 || is_asleep_[size_t(body)])
            continue;
        WorkerMask needed = 0;
        for (const ConstraintLink& link : graph_.links(body))
            needed |= sets_[link.other];
        const WorkerMask left = sets_[body] & needed;
        strays.emplace_back(body, left != 0 ? left : mask_of(first_of(sets_[body])));
    }
    for (const auto& [body, mask] : strays)
        sets_.set(body, mask);
}

std::vector<WorkerSets::Change> Server::tell_changes(std::vector<Command>& commands)
{
    std::vector<WorkerSets::Change> changes = sets_.take_changes();
    for (const WorkerSets::Change& change : changes)
    {
        const WorkerMask now = sets_[change.body], came = now & ~change.before, went = change.before & ~now;
        const int source = first_of(change.before);
        if (went != 0 || first_of(now) != source) // somebody else speaks for it, or those that had both no longer do
            look_again(first_of(now));
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

// The overlap is as thick as it shall be around what each worker owns, wherever something has changed.
void Server::follow_owners(std::span<const double> loads)
{
    if (step_ % balance_interval == 0)
        ownership_.even_out(loads, is_asleep_, graph_, sets_);
    ownership_.hand_over(met_, graph_);
    std::vector<int32_t> changed, reviewed;
    // Where one worker has all around a body, nothing follows from its contacts.
    for (int32_t body : dirty_)
    {
        bool is_border = sets_.is_overlap(body);
        for (const ConstraintLink& link : graph_.links(body))
            is_border |= sets_[link.other] != sets_[body];
        if (is_border)
            changed.push_back(body);
    }
    for (const ContactPair& pair : met_)
        changed.push_back(pair.body_a), changed.push_back(pair.body_b);
    const int interval = stray_interval(shared_.scene().distribute);
    if (steps_since_change_ <= interval) // else all have had their turn
        for (int32_t body : sets_.overlap())
            if ((uint64_t(body) + step_) % uint64_t(interval) == 0 && !is_asleep_[size_t(body)])
                reviewed.push_back(body);
    ownership_.update_sets(changed, reviewed, graph_, sets_);
}

void Server::update_weights(std::vector<Command>& commands)
{
    const DistributeDef& def = shared_.scene().distribute;
    const int interval = turn_interval(def);
    const std::span<const int> owners = def.balance == Balance::steady ? ownership_.owners() : std::span<const int>();
    for (int32_t body : sets_.overlap())
    {
        const bool is_turn = steps_since_change_ <= interval && (uint64_t(body) + step_) % uint64_t(interval) == 0;
        if (!is_turn && !is_dirty_[size_t(body)])
            continue;
        const WorkerMask held = find_held(body, def, graph_, sets_);
        compute_weights(body, find_idle(body, def, graph_, sets_), def, graph_, sets_, owners, new_weights_);
        if (std::vector<float>& weights = weights_[size_t(body)]; weights != new_weights_)
        {
            weights = new_weights_;
            for_each_worker(sets_[body], [&](int w) {
                Command& command = commands[size_t(w)];
                command.weighted.push_back(body);
                command.weights.insert(command.weights.end(), weights.begin(), weights.end());
            });
        }
        if (held == held_[size_t(body)])
            continue;
        held_[size_t(body)] = held;
        for_each_worker(sets_[body], [&](int w) { commands[size_t(w)].holds.push_back({held, body, 0}); });
    }
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
    plan_meetings(reports, dt, commands);
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
    }

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
