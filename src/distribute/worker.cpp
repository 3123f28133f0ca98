#include "distribute/worker.h"

#include <algorithm>
#include <cmath>

namespace moraine::distribute
{

namespace
{

int32_t index_of(BodyId id) { return int32_t(id.index); }

} // namespace

SharedScene::SharedScene(std::shared_ptr<const SceneDescription> scene)
    : description(std::move(scene)),
      joints_of(description->bodies.size())
{
    for (size_t j = 0; j < description->joints.size(); ++j)
    {
        const SceneJoint& joint = description->joints[j];
        for (int body : {joint.body_a, joint.body_b})
            if (body >= 0)
                joints_of[size_t(body)].push_back(int32_t(j));
        if (joint.body_a >= 0 && joint.body_b >= 0 && is_dynamic(joint.body_a) && is_dynamic(joint.body_b))
            joint_pairs.push_back({joint.body_a, joint.body_b});
    }
}

bool SharedScene::is_dynamic(int32_t body) const
{
    return description->bodies[size_t(body)].def.type == BodyType::dynamic_;
}

Worker::Worker(const SharedScene& shared, const WorldDef& settings, int index, int workers)
    : shared_(shared),
      index_(index),
      workers_(workers),
      world_(settings),
      local_(shared.scene().bodies.size()),
      joints_(shared.scene().joints.size()),
      sights_(size_t(workers))
{}

WorkerMask Worker::mask(int32_t body) const { return masks_[local_[size_t(body)].index]; }

Status Worker::create(int32_t body, const BodyDef& def)
{
    BodyDef wanted = def;
    wanted.events |= EventMask::touch; // the constraint graph is made of them
    const Result<BodyId> id = world_.try_create_body(wanted);
    if (!id)
        return Error{"scene " + shared_.scene().name + ": body " + std::to_string(body) + ": " + id.error().message};
    if (const Status status = give_response(body, *id); !status)
        return Error{"scene " + shared_.scene().name + ": body " + std::to_string(body) +
                     ": response: " + status.error().message};
    local_[size_t(body)] = *id;
    if (global_.size() <= id->index)
    {
        global_.resize(size_t(id->index) + 1, -1);
        masks_.resize(size_t(id->index) + 1);
        owners_.resize(size_t(id->index) + 1);
        seen_.resize(size_t(id->index) + 1);
        is_held_.resize(size_t(id->index) + 1);
        weights_.resize(size_t(id->index) + 1);
        counting_.resize(size_t(id->index) + 1);
    }
    restless_.note_change(int32_t(id->index));
    global_[id->index] = body;
    masks_[id->index] = 0;
    owners_[id->index] = -1;
    is_held_[id->index] = 0;
    return Ok{};
}

Status Worker::build(std::span<const WorkerMask> masks, std::span<const int> owners)
{
    const SceneDescription& scene = shared_.scene();
    for (int32_t body = 0; body < int32_t(scene.bodies.size()); ++body)
    {
        const SceneBody& b = scene.bodies[size_t(body)];
        const bool is_fixed = !shared_.is_dynamic(body);
        if (!is_fixed && (masks[size_t(body)] & mask_of(index_)) == 0)
            continue;
        if (const Status created = create(body, b.def); !created)
            return created;
        if (b.motion.index() != 0)
            world_.set_motion(local_[size_t(body)], b.motion);
        set_mask(body, masks[size_t(body)]);
        owners_[local_[size_t(body)].index] = owners[size_t(body)];
    }
    for (const RuleDef& rule : scene.rules)
        if (const Result<RuleId> id = world_.try_create_rule(rule); !id)
            return Error{"scene " + scene.name + ": " + id.error().message};
    for (size_t j = 0; j < scene.joints.size(); ++j)
    {
        const SceneJoint& joint = scene.joints[j];
        if ((joint.body_a >= 0 && !has(joint.body_a)) || (joint.body_b >= 0 && !has(joint.body_b)))
            continue;
        JointDef def = joint.def;
        def.body_a = joint.body_a < 0 ? BodyId{} : local_[size_t(joint.body_a)];
        def.body_b = joint.body_b < 0 ? BodyId{} : local_[size_t(joint.body_b)];
        const Result<JointId> id = world_.try_create_joint(def);
        if (!id)
            return Error{"scene " + scene.name + ": joint " + std::to_string(j) + ": " + id.error().message};
        joints_[j] = *id;
    }
    played_until_ = world_.time();
    return Ok{};
}

// Joints whose other side is here too.
void Worker::create_joints(int32_t body)
{
    for (int32_t j : shared_.joints_of[size_t(body)])
    {
        const SceneJoint& joint = shared_.scene().joints[size_t(j)];
        if ((joint.body_a >= 0 && !has(joint.body_a)) || (joint.body_b >= 0 && !has(joint.body_b)))
            continue;
        if (world_.is_valid(joints_[size_t(j)]))
            continue;
        JointDef def = joint.def;
        def.body_a = joint.body_a < 0 ? BodyId{} : local_[size_t(joint.body_a)];
        def.body_b = joint.body_b < 0 ? BodyId{} : local_[size_t(joint.body_b)];
        joints_[size_t(j)] = world_.create_joint(def);
    }
}

void Worker::activate(const BodyCopy& copy)
{
    BodyDef def = shared_.scene().bodies[size_t(copy.body)].def;
    // Near enough to find its neighbours; the state follows to the bit.
    def.position = copy.state.pose.position;
    def.rotation = copy.state.pose.rotation;
    def.linear_velocity = copy.state.linear;
    def.angular_velocity = copy.state.angular;
    def.is_awake = copy.is_asleep == 0;
    if (!create(copy.body, def))
        return;
    const int32_t local = index_of(local_[size_t(copy.body)]);
    set_body_state(world_.data(), local, copy.state);
    set_quiet_time(world_.data(), local, copy.quiet_time);
    create_joints(copy.body);
}

void Worker::deactivate(int32_t body)
{
    set_mask(body, 0);
    world_.destroy_body(local_[size_t(body)]);
    local_[size_t(body)] = {};
}

// Copies of one body must stay free to be brought into line, so they do not merge.
void Worker::set_mask(int32_t body, WorkerMask mask)
{
    const BodyId id = local_[size_t(body)];
    const bool was_overlap = count_of(masks_[id.index]) > 1, is_overlap = count_of(mask) > 1;
    if (masks_[id.index] != mask)
        restless_.note_change(index_of(id));
    masks_[id.index] = mask;
    if (was_overlap == is_overlap)
        return;
    const auto place = std::lower_bound(overlap_.begin(), overlap_.end(), body);
    if (is_overlap)
        overlap_.insert(place, body);
    else
        overlap_.erase(place);
    const bool can_merge = shared_.scene().bodies[size_t(body)].def.can_merge;
    set_can_merge(world_.data(), index_of(id), can_merge && !is_overlap);
}

void Worker::set_held(int32_t body, WorkerMask held)
{
    const BodyId id = local_[size_t(body)];
    const bool is_held = (held & mask_of(index_)) != 0;
    if (is_held_[id.index] == uint8_t(is_held))
        return;
    is_held_[id.index] = uint8_t(is_held);
    hold_body(world_.data(), index_of(id), is_held);
}

void Worker::apply(const Command& command, Transport& transport)
{
    const double start = transport.seconds();
    meets_ = command.meets;
    divides_ = command.divides;
    for (size_t w = 0; w < command.horizons.size(); ++w)
        sights_[w].horizon = command.horizons[w];
    const bool carries = shared_.scene().distribute.border == Border::carried && workers_ > 1;
    std::vector<std::vector<Push>> pushes(static_cast<size_t>(workers_));
    if (carries)
        collect_pushes(command, pushes);
    exchange_copies(command, transport);
    for (const MaskChange& change : command.masks)
        if (has(change.body))
        {
            set_mask(change.body, change.workers);
            owners_[local_[size_t(change.body)].index] = change.owner;
        }
    set_weights(command);
    for (const MaskChange& change : command.holds)
        set_held(change.body, change.workers);
    if (carries)
        exchange_pushes(pushes, transport);
    feel(command.shakes);
    last_.apply_ms = float(1000 * (transport.seconds() - start));
    last_.joint_error_max = joint_error();
}

float Worker::joint_error() const
{
    float most = 0;
    for (JointId joint : joints_)
        if (world_.is_valid(joint))
            most = std::max(most, world_.joint_error(joint));
    return most;
}

void Worker::step(float dt, Transport& transport)
{
    const double start = transport.seconds();
    play_events(dt);
    const StepReport r = step_world(dt, transport);
    last_.solve_ms = float(1000 * (transport.seconds() - start));
    last_.bodies = r.bodies_dynamic;
    last_.overlap = int32_t(overlap_.size());
    last_.contacts = r.contacts_solved;
    last_.touching = r.edges_touching;
    last_.tested = r.edges_tested;
    last_.joints = world_.joint_count();
    last_.merged = r.bodies_merged;
    last_.asleep = r.bodies_asleep;
    last_.movers = r.movers_awake;
    last_.merges = r.merges;
    last_.unmerges = r.unmerges;
    last_.frozen = int32_t(world_.events().frozen.size());
    last_.penetration_max = r.penetration_max;
    last_.penetration_sum = float(r.penetration_sum);
}

void Worker::note_touches(const std::vector<ContactEvent>& events, std::vector<ContactPair>& pairs) const
{
    for (const ContactEvent& e : events)
    {
        // Of a body that is no longer here the main server knows that nothing touches it.
        if (!world_.is_valid(e.body_a) || !world_.is_valid(e.body_b))
            continue;
        const int32_t a = global_[e.body_a.index], b = global_[e.body_b.index];
        if (a >= 0 && b >= 0 && shared_.is_dynamic(a) && shared_.is_dynamic(b))
            pairs.push_back({std::min(a, b), std::max(a, b)});
    }
}

Report Worker::report(float dt, Transport& transport)
{
    Report report;
    const double start = transport.seconds();
    report.shakes = take_shakes();
    if (workers_ > 1)
    {
        last_.speed_max = restless_.update(world_.data(), dt);
        ahead_ = dt * last_.speed_max;
        foresee(dt, report.met);
        report.asleep = asleep_;
        if (divides_)
            report.half = half_of_owned();
        note_touches(world_.events().touch_began, report.began);
        note_touches(world_.events().touch_ended, report.ended);
        if (shared_.scene().distribute.detection == Detection::distributed)
            find_meetings(dt, transport, report);
        else
            for (int32_t body = 0; body < int32_t(local_.size()); ++body)
                if (has(body) && shared_.is_dynamic(body) && first_of(mask(body)) == index_)
                    report.bodies.push_back(boundary_of(body));
    }
    last_.detect_ms = float(1000 * (transport.seconds() - start));
    report.step = last_;
    return report;
}

// Those beyond the middle along the side that they are spread along most.
std::vector<int32_t> Worker::half_of_owned() const
{
    std::vector<std::pair<DVec3, int32_t>> places;
    DVec3 lower{infinity, infinity, infinity}, upper = lower * -1.0;
    for (int32_t body = 0; body < int32_t(local_.size()); ++body)
    {
        if (!has(body) || owners_[local_[size_t(body)].index] != index_)
            continue;
        const DVec3 p = world_.center_of_mass(local_[size_t(body)]);
        lower = {std::min(lower.x, p.x), std::min(lower.y, p.y), std::min(lower.z, p.z)};
        upper = {std::max(upper.x, p.x), std::max(upper.y, p.y), std::max(upper.z, p.z)};
        places.emplace_back(p, body);
    }
    const DVec3 size = upper - lower;
    const auto along = [&](const DVec3& p) {
        return size.x >= size.y && size.x >= size.z ? p.x : size.z >= size.y ? p.z : p.y;
    };
    std::sort(places.begin(), places.end(), [&](const auto& a, const auto& b) {
        const double at_a = along(a.first), at_b = along(b.first);
        return at_a != at_b ? at_a < at_b : a.second < b.second;
    });
    std::vector<int32_t> half;
    for (size_t i = (places.size() + 1) / 2; i < places.size(); ++i)
        half.push_back(places[i].second);
    std::sort(half.begin(), half.end());
    return half;
}

std::vector<BodyCopy> Worker::owned() const
{
    std::vector<BodyCopy> copies;
    for (int32_t body = 0; body < int32_t(local_.size()); ++body)
        if (has(body) && (shared_.is_dynamic(body) ? first_of(mask(body)) == index_ : index_ == 0))
            copies.push_back(copy_of(body));
    return copies;
}

std::vector<ShownContact> Worker::contacts() const
{
    std::vector<ShownContact> shown;
    for (const ContactInfo& c : world_.contacts())
    {
        const int32_t a = global_[c.body_a.index], b = global_[c.body_b.index];
        if (a < 0 || b < 0)
            continue;
        if (contact_speaker(index_of(c.body_a), index_of(c.body_b)) == index_)
            shown.push_back({c.point, c.normal, c.separation, c.impulse, a, b});
    }
    return shown;
}

double Worker::energy() const
{
    double sum = 0;
    const Vec3 gravity = world_.gravity();
    for (int32_t body = 0; body < int32_t(local_.size()); ++body)
    {
        if (!has(body) || !shared_.is_dynamic(body) || first_of(mask(body)) != index_)
            continue;
        const BodyId id = local_[size_t(body)];
        const Vec3 v = world_.linear_velocity(id), w = world_.angular_velocity(id);
        const double mass = double(world_.mass(id)),
                     scale = double(shared_.scene().bodies[size_t(body)].def.gravity_scale);
        sum += 0.5 * mass * double(dot(v, v)) + 0.5 * double(dot(w, world_.inertia(id) * w)) -
               mass * scale * dot(DVec3(gravity), world_.center_of_mass(id));
    }
    return sum;
}

void Worker::place(std::span<const BodyCopy> copies, std::span<const RingingBody> ringing, uint64_t step, double time)
{
    for (const BodyCopy& copy : copies)
    {
        if (!has(copy.body))
            continue;
        const int32_t local = index_of(local_[size_t(copy.body)]);
        set_body_state(world_.data(), local, copy.state);
        set_quiet_time(world_.data(), local, copy.quiet_time);
    }
    set_ringing(ringing);
    world_.data().step_count = step;
    world_.data().time = played_until_ = time;
}

Bytes Worker::save() const
{
    Bytes bytes;
    WriteArchive a(bytes);
    Worker& self = const_cast<Worker&>(*this);
    Bytes snapshot = world_.snapshot();
    a(snapshot), a(self.local_), a(self.global_), a(self.masks_), a(self.owners_), a(self.is_held_), a(self.weights_),
        a(self.counting_), a(self.joints_), a(self.overlap_);
    a(self.played_until_), a(self.meets_), a(self.sights_), a(self.restless_), a(self.divides_), a(self.carried_),
        a(self.sharers_);
    return bytes;
}

Status Worker::restore(const Bytes& bytes)
{
    ReadArchive a(bytes);
    Bytes snapshot;
    a(snapshot), a(local_), a(global_), a(masks_), a(owners_), a(is_held_), a(weights_), a(counting_), a(joints_),
        a(overlap_), a(played_until_), a(meets_), a(sights_), a(restless_), a(divides_), a(carried_), a(sharers_);
    seen_.assign(global_.size(), 0);
    if (!a.is_good() || local_.size() != shared_.scene().bodies.size() ||
        joints_.size() != shared_.scene().joints.size())
        return Error{"the checkpoint does not fit this scene: start from the scene it was made with"};
    const int threads = world_.settings().threads;
    if (Status restored = world_.restore(snapshot); !restored)
        return restored;
    world_.set_threads(threads);
    return Ok{};
}

} // namespace moraine::distribute
