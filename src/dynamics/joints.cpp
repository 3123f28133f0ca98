#include "dynamics/joints.h"

#include "base/assert.h"
#include "dynamics/joint_rows.h"

#include <algorithm>
#include <cstring>

namespace moraine
{

namespace
{

constexpr float largest_bound = 1e18f;

void set3(float (*field)[lane_count], int lane, Vec3 v)
{
    field[0][lane] = v.x;
    field[1][lane] = v.y;
    field[2][lane] = v.z;
}

// R L, which makes the angular velocity from the spin, by columns, and its inverse by rows. Other movers' spin is their
// angular velocity. The fields are zero before.
void set_spin_frame(const Movers& movers, int32_t mover, float (*columns)[lane_count], float (*rows)[lane_count],
                    int lane)
{
    if (!movers[mover].is_dynamic())
    {
        for (int i = 0; i < 9; i += 4)
            columns[i][lane] = rows[i][lane] = 1;
        return;
    }
    const Factor f = movers.masses[size_t(mover)].factor;
    const Factor i = inverse_of(f);
    const Quat q = movers[mover].pose.rotation;
    set3(columns, lane, rotate(q, {f.xx, f.yx, f.zx}));
    set3(columns + 3, lane, rotate(q, {0, f.yy, f.zy}));
    set3(columns + 6, lane, rotate(q, {0, 0, f.zz}));
    set3(rows, lane, rotate(q, {i.xx, 0, 0}));
    set3(rows + 3, lane, rotate(q, {i.yx, i.yy, 0}));
    set3(rows + 6, lane, rotate(q, {i.zx, i.zy, i.zz}));
}

int32_t tagged(const Movers& movers, int32_t mover)
{
    const bool can_move = movers[mover].is_dynamic() && movers.velocities[size_t(mover)].inv_mass > 0;
    return can_move ? mover : mover | read_only;
}

// A spring over a step h acts at the end of the step: λ = -h (k (x + h v) + c v). As a row,
// v + k / (c + h k) x + λ / (h (c + h k)) = 0.
void set_spring(const JointRow& from, float h, JointTriple::Row& row, int lane)
{
    const float strength = from.damping + h * from.stiffness;
    const bool is_on = strength > 0;
    row.bias_rate[lane] = is_on ? from.stiffness / strength : 0.0f;
    row.compliance[lane] = is_on ? 1 / (h * strength) : largest_bound;
}

void set_bounds(const JointRow& from, float h, JointTriple::Row& row, int lane)
{
    row.lower[lane] = -largest_bound;
    row.upper[lane] = largest_bound;
    switch (from.use)
    {
    case RowUse::limit:
        row.lower[lane] = from.lower;
        row.upper[lane] = from.upper;
        row.is_limit[lane] = 1;
        break;
    case RowUse::motor:
    case RowUse::bounded_spring:
        row.upper[lane] = std::min(from.max_force * h, largest_bound);
        row.lower[lane] = -row.upper[lane];
        break;
    default: break;
    }
}

// One row of one joint becomes one lane of a row in a triple.
void set_row(const JointRow& from, float stored, const JointPlacement& place, const JointParameters& parameters,
             JointTriple& triple, JointTriple::Row& row, int lane)
{
    if (from.use == RowUse::empty)
        return;
    const bool is_block = from.use == RowUse::locked || from.use == RowUse::spring;
    const ptrdiff_t i = &row - triple.rows;
    (is_block ? triple.block_lanes : triple.bounded_lanes)[i] |= uint8_t(1 << lane);
    row.is_block[lane] = is_block;
    row.is_bounded[lane] = !is_block;
    row.is_rigid[lane] = from.use == RowUse::locked;
    row.is_angular[lane] = from.is_angular;
    row.follows_a[lane] = from.follows_a;
    set3(row.axis, lane, from.axis);
    row.offset[lane] = from.is_angular ? from.error : from.error - dot(from.axis, place.gap);
    row.target_speed[lane] = from.target_speed;
    if (from.use == RowUse::spring || from.use == RowUse::bounded_spring)
        set_spring(from, parameters.h, row, lane);
    set_bounds(from, parameters.h, row, lane);
    const bool is_limit = from.use == RowUse::limit;
    row.impulse[lane] = is_limit ? stored : std::clamp(stored, row.lower[lane], row.upper[lane]);
    row.last_impulse[lane] = row.impulse[lane];
}

void set_geometry(const JointPlacement& place, const JointRows& rows, const Movers& movers, JointBatch& batch, int lane)
{
    JointGeometry& g = batch.geometry;
    set_spin_frame(movers, mover_index(batch.a[lane]), g.to_world_a, g.to_spin_a, lane);
    set_spin_frame(movers, mover_index(batch.b[lane]), g.to_world_b, g.to_spin_b, lane);
    set3(g.hinge, lane, rows.hinge);
    set3(g.arm_a, lane, place.arm_a);
    set3(g.arm_b, lane, place.arm_b);
    set3(g.gap, lane, place.gap);
    g.is_line[lane] = rows.is_line;
}

} // namespace

void prepare_joints(std::span<const int32_t> joint_indices, const Joints& joints, const Bodies& bodies, Movers& movers,
                    const JointParameters& parameters, JointBatch& batch, JointTriple* triples)
{
    MORAINE_ASSERT(joint_indices.size() <= size_t(lane_count));
    const int32_t first = batch.triple_first, in_turn = batch.lanes_in_turn;
    batch = {};
    batch.triple_first = first;
    batch.lanes_in_turn = in_turn;
    for (int lane = 0; lane < lane_count; ++lane)
    {
        batch.joint[lane] = none;
        batch.a[lane] = batch.b[lane] = read_only;
    }
    for (int32_t index : joint_indices)
        batch.triple_count = std::max(batch.triple_count, triple_count(joints[index]));
    std::memset(triples + first, 0, size_t(batch.triple_count) * sizeof(JointTriple)); // four kilobytes each

    for (int lane = 0; lane < int(joint_indices.size()); ++lane)
    {
        const int32_t index = joint_indices[size_t(lane)];
        const Joint& joint = joints[index];
        const int32_t mover_a = bodies[joint.body_a].mover, mover_b = bodies[joint.body_b].mover;
        if (mover_a == mover_b)
            continue;
        const JointPlacement place = place_joint(joint, bodies, movers);
        JointRows rows;
        build_rows(joint.kind, place, rows);
        batch.joint[lane] = index;
        batch.a[lane] = tagged(movers, mover_a);
        batch.b[lane] = tagged(movers, mover_b);
        batch.angle[lane] = rows.angle;
        set3(batch.side, lane, rows.side);
        set_geometry(place, rows, movers, batch, lane);
        for (int i = 0; i < 3 * rows.triple_count; ++i)
        {
            JointTriple& triple = triples[first + i / 3];
            JointTriple::Row& row = triple.rows[i % 3];
            set_row(rows.rows[i], joint.impulse[i], place, parameters, triple, row, lane);
            if (row.is_rigid[lane] > 0 || row.is_limit[lane] > 0)
                batch.hard_lanes |= 1 << lane;
        }
    }
    begin_joints(batch, triples, movers.velocities.data());
}

void store_joint_impulses(const JointBatch& batch, const JointTriple* triples, Joints& joints)
{
    for (int lane = 0; lane < lane_count; ++lane)
    {
        if (batch.joint[lane] < 0)
            continue;
        Joint& joint = joints[batch.joint[lane]];
        joint.angle = batch.angle[lane];
        joint.side = {batch.side[0][lane], batch.side[1][lane], batch.side[2][lane]};
        std::fill(std::begin(joint.impulse), std::end(joint.impulse), 0.0f);
        Vec3 last{}, twist{};
        for (int t = 0; t < batch.triple_count; ++t)
            for (int i = 0; i < 3; ++i)
            {
                const JointTriple::Row& row = triples[batch.triple_first + t].rows[i];
                joint.impulse[3 * t + i] = row.impulse[lane];
                last += Vec3{row.d[0][lane], row.d[1][lane], row.d[2][lane]} * row.impulse[lane];
                twist += Vec3{row.axis[0][lane], row.axis[1][lane], row.axis[2][lane]} *
                         (row.impulse[lane] * row.is_angular[lane]);
            }
        const auto& sum = batch.linear_impulse;
        joint.pull = batch.relaxations > 0 ? Vec3{sum[0][lane], sum[1][lane], sum[2][lane]} : last;
        joint.twist = twist * float(std::max(batch.relaxations, 1));
        joint.linear_impulse = length(joint.pull);
    }
}

} // namespace moraine
