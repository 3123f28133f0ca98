#include "dynamics/joint_bench.h"

#include "dynamics/joint_kernel.h"

#include <algorithm>
#include <bit>

namespace moraine
{

namespace
{

// Lane by lane, in place of solve_joints and relax_joints.
void solve_scalar(JointBatch& batch, JointTriple* triples, const JointParameters& p, MoverVelocity* movers)
{
    for (int lane = 0; lane < lane_count; ++lane)
        joint_kernel::solve<float>(batch, triples, p, movers, lane);
    batch.is_owing = false;
}
void relax_scalar(JointBatch& batch, JointTriple* triples, const JointParameters& p, MoverVelocity* movers)
{
    for (int lane = 0; lane < lane_count; ++lane)
        joint_kernel::relax<float>(batch, triples, p, movers, lane);
    ++batch.relaxations;
    batch.is_owing = true;
}

void refine_scalar(JointBatch& batch, JointTriple* triples, const JointParameters& p, MoverVelocity* movers)
{
    for (int lane = 0; lane < lane_count; ++lane)
        joint_kernel::refine<float>(batch, triples, p, movers, lane);
}

void project_scalar(JointBatch& batch, JointTriple* triples, float share, MoverVelocity* movers)
{
    for (int lane = 0; lane < lane_count; ++lane)
        joint_kernel::project<float>(batch, triples, share, movers, lane);
}

Mat3 box_inertia(float mass, Vec3 half)
{
    const Vec3 s = multiply(half, half);
    return diagonal(Vec3{s.y + s.z, s.x + s.z, s.x + s.y} * (mass / 3));
}

} // namespace

int32_t JointBench::add(BodyType type, const Pose& pose, float mass, const Mat3& inertia)
{
    const int32_t index = movers.movers.create();
    Mover& mover = movers[index];
    mover.pose = pose;
    mover.type = type;
    mover.body = index;
    MoverMass m;
    m.factor = {1, 0, 1, 0, 0, 1};
    if (type == BodyType::dynamic_)
    {
        m.inv_mass = 1 / mass;
        m.factor = factor_of_inverse(inertia, false);
    }
    movers.masses.push_back(m);
    movers.velocities.emplace_back().inv_mass = m.inv_mass;
    if (type != BodyType::static_)
        movers.awake.add(index, mover.awake_slot);
    bodies.bodies.emplace_back().mover = index;
    used.push_back(0);
    return index;
}

int32_t JointBench::add_sphere(DVec3 position, float mass, float radius)
{
    const float i = 0.4f * mass * radius * radius;
    return add(BodyType::dynamic_, {position, {}}, mass, diagonal({i, i, i}));
}

int32_t JointBench::add_box(const Pose& pose, float mass, Vec3 half)
{
    return add(BodyType::dynamic_, pose, mass, box_inertia(mass, half));
}

int32_t JointBench::add_capsule(const Pose& pose, float mass, float radius, float half_height)
{
    return add_box(pose, mass, {0.8f * radius, half_height + 0.7f * radius, 0.8f * radius});
}

int32_t JointBench::join(int32_t a, int32_t b, const Pose& frame, const JointKind& kind)
{
    const int32_t index = join_points(a, {}, b, {}, kind);
    joints[index].frame_a = relative(frame, pose(a));
    joints[index].frame_b = relative(frame, pose(b));
    return index;
}

int32_t JointBench::join_points(int32_t a, Vec3 in_a, int32_t b, Vec3 in_b, const JointKind& kind)
{
    const int32_t index = int32_t(joints.joints.size());
    Joint& joint = joints.joints.emplace_back();
    joint.body_a = a;
    joint.body_b = b;
    joint.frame_a.position = in_a;
    joint.frame_b.position = in_b;
    joint.kind = kind;

    uint64_t taken = 0;
    for (int32_t m : {a, b})
        if (movers[m].is_dynamic())
            taken |= used[size_t(m)];
    const int colour = std::countr_one(taken);
    for (int32_t m : {a, b})
        used[size_t(m)] |= uint64_t(1) << colour;
    if (int(colours.size()) <= colour)
        colours.resize(size_t(colour) + 1);
    colours[size_t(colour)].push_back(index);
    return index;
}

void JointBench::step()
{
    const float h = dt / float(substeps);
    const JointParameters p{.h = h, .inv_h = 1 / h, .dt = dt};
    MoverVelocity* velocities = movers.velocities.data();
    Arena arena;
    const Drives drives = make_drives(gravity, size_t(movers.awake.size()), arena);
    for (int32_t i = 0; i < movers.awake.size(); ++i)
        begin_drive(movers, i, drives);

    std::vector<JointBatch> batches;
    std::vector<JointTriple> triples(joints.joints.size() * max_joint_triples);
    int32_t triple_first = 0;
    for (const std::vector<int32_t>& colour : colours)
        for (size_t i = 0; i < colour.size(); i += size_t(lane_count))
        {
            JointBatch& batch = batches.emplace_back();
            const std::span items = std::span(colour).subspan(i, std::min(size_t(lane_count), colour.size() - i));
            batch.triple_first = triple_first;
            batch.lanes_in_turn = in_turn ? int32_t(items.size()) : 0;
            prepare_joints(items, joints, bodies, movers, p, batch, triples.data());
            triple_first += batch.triple_count;
        }
    for (int s = 0; s < substeps; ++s)
    {
        for (int32_t i = 0; i < movers.awake.size(); ++i)
            (s == 0 ? first_velocity : next_velocity)(velocities[movers.awake[i]], h, drives, i);
        for (int pass = 0; pass < 2; ++pass)
            for (JointBatch& batch : batches)
                (is_scalar ? solve_scalar : solve_joints)(batch, triples.data(), p, velocities);
        for (int32_t i : movers.awake)
            advance_shift(velocities[i], h);
        for (JointBatch& batch : batches)
            (is_scalar ? relax_scalar : relax_joints)(batch, triples.data(), p, velocities);
        for (JointBatch& batch : batches)
            (is_scalar ? refine_scalar : refine_joints)(batch, triples.data(), p, velocities);
    }
    for (int pass = 0; pass < joint_projections; ++pass)
        for (JointBatch& batch : batches)
            (is_scalar ? project_scalar : project_joints)(batch, triples.data(), joint_projection_share, velocities);
    for (const JointBatch& batch : batches)
        store_joint_impulses(batch, triples.data(), joints);
    for (int32_t i : movers.awake)
        integrate_mover(movers[i], movers.masses[size_t(i)], velocities[i], dt, gyroscopic, used[size_t(i)] != 0);
    for (size_t i = 0; i < joints.joints.size(); ++i)
        largest_error = std::max(largest_error, error(int32_t(i)));
}

void JointBench::run(float seconds)
{
    for (int i = 0; i < int(std::lround(seconds / dt)); ++i)
        step();
}

Vec3 JointBench::omega(int32_t body) const
{
    return angular_velocity(movers[body], movers.masses[size_t(body)], movers.velocities[size_t(body)]);
}

void JointBench::set_omega(int32_t body, Vec3 omega)
{
    movers.velocities[size_t(body)].spin = spin_of(movers[body], movers.masses[size_t(body)], omega);
}

Transform JointBench::between(int32_t joint) const
{
    const Joint& j = joints[joint];
    return relative(pose(j.body_b) * j.frame_b, pose(j.body_a) * j.frame_a);
}

double JointBench::energy() const
{
    double sum = 0;
    for (int32_t i : movers.awake)
    {
        const MoverVelocity& v = movers.velocities[size_t(i)];
        if (v.inv_mass == 0)
            continue;
        sum += 0.5 * double(length_squared(v.linear)) / double(v.inv_mass) + 0.5 * double(length_squared(v.spin));
        sum -= dot(DVec3(gravity), movers[i].pose.position) / double(v.inv_mass);
    }
    return sum;
}

} // namespace moraine
