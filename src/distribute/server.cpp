#include "distribute/server.h"

#include "distribute/blend.h"
#include "distribute/partition.h"
#include "distribute/touch.h"
#include "distribute/weights.h"
#include "geometry/bvh.h"

#include <algorithm>

namespace moraine::distribute
{

namespace
{

// Joints have three rows and more, and every body is integrated.
constexpr double joint_load = 3, body_load = 1;
constexpr double smoothing = 0.1; // of measured times
constexpr int stray_interval = 16;

bool is_quiet(const BodyCopy& copy, const WorldDef& settings)
{
    return length(copy.state.linear) + length(copy.state.angular) < settings.sleep_speed;
}

} // namespace

Server::Server(const SharedScene& shared, int workers)
    : shared_(shared),
      workers_(workers),
      graph_(int(shared.scene().bodies.size())),
      is_asleep_(shared.scene().bodies.size()),
      smooth_time_(size_t(workers))
{}

Status Server::begin()
{
    const DistributeDef& def = shared_.scene().distribute;
    const Result<std::vector<int>> parts = make_partition(shared_.scene(), def, workers_);
    if (!parts)
        return parts.error();
    std::vector<WorkerMask> masks(parts->size());
    for (size_t b = 0; b < masks.size(); ++b)
        masks[b] = (*parts)[b] < 0 ? 0 : mask_of((*parts)[b]);
    sets_ = WorkerSets(std::move(masks), workers_);
    for (const JointPair& joint : shared_.joint_pairs)
        graph_.add_joint(joint.body_a, joint.body_b);
    assign_to_overlap(shared_.joint_pairs, def.growth_depth, graph_, sets_);
    sets_.take_changes();
    for (int32_t b = 0; b < sets_.bodies(); ++b)
        masks_.push_back(sets_[b]);
    update_weights();
    return Ok{};
}

void Server::update_graph(const std::vector<Report>& reports)
{
    for (size_t w = 0; w < reports.size(); ++w)
    {
        for (const ContactPair& pair : reports[w].began)
            graph_.add_contact(pair.body_a, pair.body_b, mask_of(int(w)));
        for (const ContactPair& pair : reports[w].ended)
            graph_.remove_contact(pair.body_a, pair.body_b, mask_of(int(w)));
    }
    // By now some worker has both and has said whether they touch.
    for (const ContactPair& pair : met_)
        graph_.remove_contact(pair.body_a, pair.body_b, ConstraintGraph::met);
    met_.clear();
    for (const Report& report : reports)
        met_.insert(met_.end(), report.met.begin(), report.met.end());
}

void Server::find_central_meetings(const std::vector<Report>& reports, float dt)
{
    std::vector<const BoundaryBody*> bodies;
    std::vector<Aabb> boxes;
    for (const Report& report : reports)
        for (const BoundaryBody& body : report.bodies)
        {
            bodies.push_back(&body);
            boxes.push_back(enlarge(body.box, 0.02f + dt * length(body.velocity)));
        }
    if (bodies.empty())
        return;
    Bvh tree;
    tree.build(boxes);
    for (size_t i = 0; i < bodies.size(); ++i)
        tree.query(boxes[i], [&](int32_t j) {
            const BoundaryBody& a = *bodies[i];
            const BoundaryBody& b = *bodies[size_t(j)];
            if (a.body >= b.body || (a.workers & b.workers) != 0)
                return;
            if (can_collide(shared_.scene(), shared_.joints_of, a.body, b.body) && may_touch(shared_.scene(), a, b, dt))
                met_.push_back({a.body, b.body});
        });
}

// A copy that sleeps says where the body is as long as the others are quiet: else workers would wake each other in turns.
void Server::blend_copies(const std::vector<Report>& reports, std::vector<Command>& commands)
{
    std::vector<size_t> at(reports.size());
    std::vector<const BodyCopy*> copies;
    std::vector<BodyState> states;
    size_t weight = 0;
    for (int32_t body : sets_.overlap())
    {
        copies.clear(), states.clear();
        for_each_worker(sets_[body], [&](int w) {
            copies.push_back(&reports[size_t(w)].overlap[at[size_t(w)]++]);
            states.push_back(copies.back()->state);
        });
        const std::span<const float> weights(&weights_[weight], copies.size());
        weight += copies.size();
        last_.residual = std::max(last_.residual, disagreement(states));
        const auto sleeper = std::find_if(copies.begin(), copies.end(), [](const BodyCopy* c) { return c->is_asleep; });
        const bool is_calm = sleeper != copies.end() &&
                             std::all_of(copies.begin(), copies.end(), [&](const BodyCopy* c) {
                                 return c->is_asleep || is_quiet(*c, shared_.scene().world);
                             });
        is_asleep_[size_t(body)] = is_calm;
        BodyCopy blended;
        blended.body = body;
        blended.state = is_calm ? (*sleeper)->state : blend(states, weights);
        size_t i = 0;
        for_each_worker(sets_[body], [&](int w) {
            if (!(states[i++] == blended.state))
                commands[size_t(w)].blended.push_back(blended);
        });
    }
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
        const double constraints = s.contacts + joint_load * s.joints + body_load * s.movers;
        sum += constraints;
        most = std::max(most, constraints);
        loads.push_back(kind == LoadKind::bodies ? s.bodies : kind == LoadKind::time ? smooth_time_[w] : constraints);
    }
    last_.imbalance = sum > 0 ? most * double(reports.size()) / sum : 1;
    return loads;
}

// A body that nothing of a worker touches any more, and that no collision will send away.
void Server::drop_strays()
{
    std::vector<std::pair<int32_t, WorkerMask>> strays;
    for (int32_t body : sets_.overlap())
    {
        if ((uint64_t(body) + step_) % stray_interval != 0 || is_asleep_[size_t(body)])
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

void Server::tell_changes(std::vector<Command>& commands)
{
    for (const WorkerSets::Change& change : sets_.take_changes())
    {
        const WorkerMask now = sets_[change.body], came = now & ~change.before, went = change.before & ~now;
        const int source = first_of(change.before);
        for_each_worker(came, [&](int w) {
            commands[size_t(w)].activates.push_back({change.body, source});
            commands[size_t(source)].sends.push_back({change.body, w});
        });
        for_each_worker(went, [&](int w) { commands[size_t(w)].deactivates.push_back(change.body); });
        for_each_worker(now, [&](int w) { commands[size_t(w)].masks.push_back({now, change.body, 0}); });
        graph_.remove_contacts(change.body, went);
        last_.moved += count_of(came) + count_of(went);
    }
}

void Server::update_weights()
{
    weights_.clear();
    std::vector<float> weights;
    for (int32_t body : sets_.overlap())
    {
        compute_weights(body, shared_.scene().distribute, graph_, sets_, weights);
        weights_.insert(weights_.end(), weights.begin(), weights.end());
    }
}

std::vector<Command> Server::decide(std::vector<Report>& reports, float dt)
{
    const double start = thread_seconds();
    std::vector<Command> commands(reports.size());
    last_ = {};
    ++step_;
    blend_copies(reports, commands);
    update_graph(reports);
    if (shared_.scene().distribute.detection == Detection::central)
        find_central_meetings(reports, dt);
    std::sort(met_.begin(), met_.end());
    met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
    for (const ContactPair& pair : met_)
        graph_.add_contact(pair.body_a, pair.body_b, ConstraintGraph::met);
    const std::vector<double> loads = measure_loads(reports);
    if (workers_ > 1)
    {
        drop_strays();
        balance_load(met_, shared_.scene().distribute, is_asleep_, Loads(loads, sets_), graph_, sets_);
        tell_changes(commands);
        update_weights();
    }

    last_.overlap = sets_.overlap_count();
    last_.server_ms = 1000 * (thread_seconds() - start);
    float slowest = 0;
    for (const Report& report : reports)
    {
        const WorkerStep& s = report.step;
        last_.workers.push_back(s);
        slowest = std::max(slowest, s.solve_ms + s.detect_ms + s.apply_ms);
        last_.bytes += s.bytes;
        last_.messages += s.messages;
    }
    last_.critical_ms = double(slowest) + last_.server_ms;
    return commands;
}

} // namespace moraine::distribute
