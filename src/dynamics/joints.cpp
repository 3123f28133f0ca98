#include "dynamics/joints.h"

#include "base/assert.h"
#include "dynamics/joint_rows.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr float largest_bound = 1e18f;

// One side of a joint, as its mover's rows see it.
struct Side
{
    Vec3 to_world[3]; // columns of R L: angular velocity from spin
    float inv_mass = 0;
    int32_t tagged = read_only;

    bool is_dynamic() const { return tagged >= 0; }
    Vec3 jacobian(Vec3 angular) const
    {
        return {dot(to_world[0], angular), dot(to_world[1], angular), dot(to_world[2], angular)};
    }
};

// The spin of movers that are not dynamic is their angular velocity.
Side make_side(const Movers& movers, int32_t mover)
{
    Side side;
    const bool is_dynamic = movers[mover].is_dynamic();
    side.inv_mass = is_dynamic ? movers.velocities[size_t(mover)].inv_mass : 0.0f;
    side.tagged = side.inv_mass > 0 ? mover : mover | read_only;
    if (!is_dynamic)
    {
        side.to_world[0] = {1, 0, 0};
        side.to_world[1] = {0, 1, 0};
        side.to_world[2] = {0, 0, 1};
        return side;
    }
    const Factor& f = movers.masses[size_t(mover)].factor;
    const Quat q = movers[mover].pose.rotation;
    side.to_world[0] = rotate(q, {f.xx, f.yx, f.zx});
    side.to_world[1] = rotate(q, {0, f.yy, f.zy});
    side.to_world[2] = rotate(q, {0, 0, f.zz});
    return side;
}

struct RowVectors // of the three rows of a triple
{
    Vec3 d[3], ja[3], jb[3];
};

double inverse_mass(const RowVectors& v, int i, int k, const Side& a, const Side& b)
{
    double sum = double(dot(v.d[i], v.d[k])) * (double(a.inv_mass) + double(b.inv_mass));
    if (a.is_dynamic())
        sum += double(dot(v.ja[i], v.ja[k]));
    if (b.is_dynamic())
        sum += double(dot(v.jb[i], v.jb[k]));
    return sum;
}

// Inverts the symmetric matrix over the rows in use, by the sweep operator; the others become zero. Rows that depend on
// those before them, or that move nothing (locked axes of planar bodies), drop out.
void invert(double (&k)[3][3], const bool (&in_use)[3])
{
    const double diagonal[3] = {k[0][0], k[1][1], k[2][2]};
    const double trace = diagonal[0] + diagonal[1] + diagonal[2];
    bool is_swept[3]{};
    for (int p = 0; p < 3; ++p)
    {
        const double pivot = k[p][p];
        if (!in_use[p] || !(pivot > 1e-7 * diagonal[p]) || !(diagonal[p] > 1e-10 * trace))
            continue;
        is_swept[p] = true;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                if (i != p && j != p)
                    k[i][j] -= k[i][p] * k[p][j] / pivot;
        for (int i = 0; i < 3; ++i)
            if (i != p)
                k[i][p] = k[p][i] = k[p][i] / pivot;
        k[p][p] = -1 / pivot;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            k[i][j] = is_swept[i] && is_swept[j] ? -k[i][j] : 0;
}

bool is_block(RowUse use) { return use == RowUse::locked || use == RowUse::spring; }

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

void set3(float (*field)[lane_count], int lane, Vec3 v)
{
    field[0][lane] = v.x;
    field[1][lane] = v.y;
    field[2][lane] = v.z;
}

void set_row(const JointRow& from, const JointParameters& parameters, JointTriple::Row& row, int lane)
{
    row.error[lane] = from.error;
    row.target_speed[lane] = from.target_speed;
    row.is_rigid[lane] = from.use == RowUse::locked;
    if (from.use == RowUse::locked)
        row.bias_rate[lane] = parameters.rigid.bias_rate;
    if (from.use == RowUse::spring || from.use == RowUse::bounded_spring)
        set_spring(from, parameters.h, row, lane);
    set_bounds(from, parameters.h, row, lane);
}

// Effective masses of three rows: of the block by inversion, of the bounded rows one by one.
void set_masses(const JointRow* rows, const RowVectors& vectors, const Side& a, const Side& b, JointTriple& triple,
                int lane)
{
    double k[3][3];
    bool in_block[3];
    for (int i = 0; i < 3; ++i)
    {
        in_block[i] = is_block(rows[i].use);
        for (int j = 0; j < 3; ++j)
            k[i][j] = inverse_mass(vectors, i, j, a, b);
        k[i][i] += double(triple.rows[i].compliance[lane]);
        const bool is_bounded = rows[i].use != RowUse::empty && !in_block[i];
        triple.rows[i].bounded_mass[lane] = is_bounded && k[i][i] > 1e-20 ? float(1 / k[i][i]) : 0.0f;
        triple.has_bounded |= is_bounded;
        triple.has_block |= in_block[i];
    }
    invert(k, in_block);
    const double packed[6] = {k[0][0], k[0][1], k[0][2], k[1][1], k[1][2], k[2][2]};
    for (int i = 0; i < 6; ++i)
        triple.block_mass[i][lane] = float(packed[i]);
}

void push(MoverVelocity& mover, const Side& side, Vec3 linear, Vec3 spin)
{
    if (!side.is_dynamic())
        return;
    mover.linear += side.inv_mass * linear;
    mover.spin += spin;
}

// Three rows of one joint become one lane of a triple; returns the impulse they start with, along their vectors.
void fill_triple(const JointRow* rows, const float* stored, const Side& a, const Side& b,
                 const JointParameters& parameters, Movers& movers, JointTriple& triple, int lane)
{
    RowVectors vectors;
    Vec3 linear{}, spin_a{}, spin_b{};
    for (int i = 0; i < 3; ++i)
    {
        JointTriple::Row& row = triple.rows[i];
        vectors.d[i] = rows[i].d;
        vectors.ja[i] = a.jacobian(rows[i].angular_a);
        vectors.jb[i] = b.jacobian(rows[i].angular_b);
        set3(row.d, lane, vectors.d[i]);
        set3(row.ja, lane, vectors.ja[i]);
        set3(row.jb, lane, vectors.jb[i]);
        set_row(rows[i], parameters, row, lane);
        if (rows[i].use == RowUse::empty)
            continue;
        const bool is_limit = rows[i].use == RowUse::limit;
        const float impulse = is_limit ? stored[i] : std::clamp(stored[i], row.lower[lane], row.upper[lane]);
        row.impulse[lane] = impulse;
        linear += vectors.d[i] * impulse;
        spin_a += vectors.ja[i] * impulse;
        spin_b += vectors.jb[i] * impulse;
    }
    set_masses(rows, vectors, a, b, triple, lane);
    push(movers.velocities[size_t(mover_index(a.tagged))], a, -linear, -spin_a);
    push(movers.velocities[size_t(mover_index(b.tagged))], b, linear, spin_b);
}

void fill_drift(const JointRows& rows, const JointPlacement& place, const Side& a, const Side& b, JointDrift& drift,
                int lane)
{
    for (int i = 0; i < 3; ++i)
    {
        set3(drift.to_world_a + 3 * i, lane, a.to_world[i]);
        set3(drift.to_world_b + 3 * i, lane, b.to_world[i]);
    }
    set3(drift.arm_a, lane, rows.follows_a ? place.arm_a + place.gap : place.arm_a);
    set3(drift.arm_b, lane, place.arm_b);
    set3(drift.gap, lane, rows.is_line ? place.gap : Vec3{});
    drift.follows_a[lane] = rows.follows_a;
}

} // namespace

void prepare_joints(std::span<const int32_t> joint_indices, const Joints& joints, const Bodies& bodies, Movers& movers,
                    const JointParameters& parameters, JointBatch& batch, JointTriple* triples)
{
    MORAINE_ASSERT(joint_indices.size() <= size_t(lane_count));
    const int32_t first = batch.triple_first;
    batch = {};
    batch.triple_first = first;
    for (int lane = 0; lane < lane_count; ++lane)
    {
        batch.joint[lane] = none;
        batch.a[lane] = batch.b[lane] = read_only;
    }
    for (int32_t index : joint_indices)
        batch.triple_count = std::max(batch.triple_count, triple_count(joints[index]));
    std::fill_n(triples + first, batch.triple_count, JointTriple{});

    for (int lane = 0; lane < int(joint_indices.size()); ++lane)
    {
        const int32_t index = joint_indices[size_t(lane)];
        const Joint& joint = joints[index];
        const int32_t mover_a = bodies[joint.body_a].mover, mover_b = bodies[joint.body_b].mover;
        if (mover_a == mover_b)
            continue;
        const Side a = make_side(movers, mover_a), b = make_side(movers, mover_b);
        const JointPlacement place = place_joint(joint, bodies, movers);
        JointRows rows;
        build_rows(joint.kind, place, rows);
        batch.joint[lane] = index;
        batch.a[lane] = a.tagged;
        batch.b[lane] = b.tagged;
        batch.angle[lane] = rows.angle;
        fill_drift(rows, place, a, b, batch.drift, lane);
        for (int t = 0; t < rows.triple_count; ++t)
            fill_triple(rows.rows + 3 * t, joint.impulse + 3 * t, a, b, parameters, movers, triples[first + t], lane);
    }
}

void store_joint_impulses(const JointBatch& batch, const JointTriple* triples, Joints& joints)
{
    for (int lane = 0; lane < lane_count; ++lane)
    {
        if (batch.joint[lane] < 0)
            continue;
        Joint& joint = joints[batch.joint[lane]];
        joint.angle = batch.angle[lane];
        std::fill(std::begin(joint.impulse), std::end(joint.impulse), 0.0f);
        Vec3 last{};
        for (int t = 0; t < batch.triple_count; ++t)
            for (int i = 0; i < 3; ++i)
            {
                const JointTriple::Row& row = triples[batch.triple_first + t].rows[i];
                joint.impulse[3 * t + i] = row.impulse[lane];
                last += Vec3{row.d[0][lane], row.d[1][lane], row.d[2][lane]} * row.impulse[lane];
            }
        const auto& sum = batch.linear_impulse;
        joint.linear_impulse = length(batch.relaxations > 0 ? Vec3{sum[0][lane], sum[1][lane], sum[2][lane]} : last);
    }
}

} // namespace moraine
