#include "dynamics/joint_rows.h"

#include "base/assert.h"
#include "graph/movers.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

// A narrower cone is held by locked rows: a single row along the swing has no direction at its tip.
constexpr float narrow_cone = 1e-3f;
constexpr float largest_bound = 1e18f; // instead of infinity, which times zero is not a number

float finite(float v) { return std::clamp(v, -largest_bound, largest_bound); }
bool has_limit(const Limit& limit) { return std::isfinite(limit.lower) || std::isfinite(limit.upper); }
bool has_limit(const Axis& axis) { return axis.mode == AxisMode::limited && has_limit(axis.limit); }
bool has_motor(const Axis& axis) { return axis.mode != AxisMode::locked && axis.motor.max_force > 0; }
bool has_spring(const Axis& axis)
{
    return axis.mode != AxisMode::locked && (axis.spring.stiffness > 0 || axis.spring.damping > 0);
}

// ---- most kinds are six axes ----

template <class Joint>
Axis one_axis(const Joint& joint)
{
    return {AxisMode::limited, joint.limit, joint.motor, joint.spring};
}

SixDofJoint axes_of(const HingeJoint& joint)
{
    SixDofJoint out;
    out.angular[0] = one_axis(joint);
    return out;
}

SixDofJoint axes_of(const SliderJoint& joint)
{
    SixDofJoint out;
    out.linear[0] = one_axis(joint);
    return out;
}

// ---- counting ----

struct RowCounts
{
    int linear = 0; // solved together
    int angular = 0;
    int bounded = 0;

    friend bool operator==(const RowCounts&, const RowCounts&) = default;
    int triples() const { return std::max(int(linear > 0) + int(angular > 0), (linear + angular + bounded + 2) / 3); }
};

void count_axis(const Axis& axis, int& block, int& bounded)
{
    block += axis.mode == AxisMode::locked || has_spring(axis);
    bounded += int(has_limit(axis)) + int(has_motor(axis));
}

RowCounts count(const SixDofJoint& joint)
{
    RowCounts n;
    for (const Axis& axis : joint.linear)
        count_axis(axis, n.linear, n.bounded);
    for (const Axis& axis : joint.angular)
        count_axis(axis, n.angular, n.bounded);
    return n;
}
RowCounts count(const HingeJoint& joint) { return count(axes_of(joint)); }
RowCounts count(const SliderJoint& joint) { return count(axes_of(joint)); }
RowCounts count(const FixedJoint&) { return {3, 3, 0}; }
RowCounts count(const UniversalJoint&) { return {3, 1, 0}; }
RowCounts count(const BallJoint& joint)
{
    const bool is_narrow = joint.cone_limit < narrow_cone;
    return {3, is_narrow ? 2 : 0, int(!is_narrow && joint.cone_limit < pi) + int(has_limit(joint.twist))};
}
RowCounts count(const DistanceJoint& joint)
{
    return joint.lower == joint.upper ? RowCounts{1, 0, 0} : RowCounts{0, 0, 1};
}
RowCounts count(const SpringJoint& joint) { return {joint.rest_length > 0 ? 1 : 3, 0, 0}; }
RowCounts count(const DragJoint& joint)
{
    return std::isfinite(joint.max_force) ? RowCounts{0, 0, 3} : RowCounts{3, 0, 0};
}

// ---- building ----

// Collects rows and lays them out: linear ones that are solved together in the first triple, angular ones in the next,
// bounded ones wherever there is room. The order depends on the kind only, so stored impulses find their rows again.
class RowBuilder
{
public:
    RowBuilder(const JointPlacement& place, JointRows& out) : place(place), out_(out) { out_.angle = place.angle; }

    const JointPlacement& place;

    JointRow& add(const JointRow& row)
    {
        if (row.use != RowUse::locked && row.use != RowUse::spring)
            return bounded_[bounded_count_++] = row;
        if (row.is_angular)
            return angular_[angular_count_++] = row;
        return linear_[linear_count_++] = row;
    }

    static JointRow linear(RowUse use, Vec3 d, float error, bool follows_a = false)
    {
        return {.use = use, .follows_a = follows_a, .axis = d, .error = error};
    }
    static JointRow angular(RowUse use, Vec3 axis, float error, bool follows_a = true)
    {
        return {.use = use, .is_angular = true, .follows_a = follows_a, .axis = axis, .error = error};
    }

    // `row` has direction and position of a free or limited axis.
    void add_axis(const Axis& axis, JointRow row)
    {
        if (has_spring(axis))
        {
            JointRow& spring = add_as(RowUse::spring, row);
            spring.error -= axis.spring.target;
            spring.stiffness = axis.spring.stiffness;
            spring.damping = axis.spring.damping;
        }
        if (has_limit(axis))
            add_limit(axis.limit, row);
        if (has_motor(axis))
        {
            JointRow& motor = add_as(RowUse::motor, row);
            motor.target_speed = axis.motor.speed;
            motor.max_force = axis.motor.max_force;
        }
    }

    void add_limit(const Limit& limit, const JointRow& row)
    {
        JointRow& added = add_as(RowUse::limit, row);
        added.lower = finite(limit.lower);
        added.upper = finite(limit.upper);
    }

    void act_along_gap() { out_.is_line = true; }
    void set_hinge(Vec3 axis, Vec3 side)
    {
        out_.hinge = axis;
        out_.side = side;
    }
    void set_angle(float angle) { out_.angle = angle; }

    void finish()
    {
        const RowCounts counts{linear_count_, angular_count_, bounded_count_};
        out_.triple_count = counts.triples();
        std::copy_n(linear_, linear_count_, out_.rows);
        std::copy_n(angular_, angular_count_, out_.rows + (linear_count_ > 0 ? 3 : 0));
        JointRow* slot = out_.rows;
        for (int i = 0; i < bounded_count_; ++i)
        {
            while (slot->use != RowUse::empty)
                ++slot;
            *slot = bounded_[i];
        }
    }

private:
    JointRow& add_as(RowUse use, JointRow row)
    {
        row.use = use;
        return add(row);
    }

    JointRows& out_;
    JointRow linear_[3], angular_[3], bounded_[12];
    int linear_count_ = 0, angular_count_ = 0, bounded_count_ = 0;
};

Vec3 unit_axis(int i) { return {i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f}; }

bool all_locked(const Axis (&axes)[3])
{
    return std::all_of(axes, axes + 3, [](const Axis& axis) { return axis.mode == AxisMode::locked; });
}

// Three locked directions are held in the world's axes: their impulses then stay what they are while the bodies turn.
void lock_point(RowBuilder& rows)
{
    for (int i = 0; i < 3; ++i)
        rows.add(RowBuilder::linear(RowUse::locked, unit_axis(i), rows.place.gap[i]));
}

void add_linear(RowBuilder& rows, const Axis (&axes)[3])
{
    if (all_locked(axes))
        return lock_point(rows);
    for (int i = 0; i < 3; ++i)
    {
        const Vec3 d = rotate(rows.place.frame_a, unit_axis(i));
        const JointRow row = RowBuilder::linear(RowUse::locked, d, dot(d, rows.place.gap), true);
        if (axes[i].mode == AxisMode::locked)
            rows.add(row);
        else
            rows.add_axis(axes[i], row);
    }
}

// The rotation vector that takes the unit vector `from` to `to`, up to half a turn.
Vec3 swing_vector(Vec3 from, Vec3 to, Vec3 fallback)
{
    const Vec3 n = cross(from, to);
    const float sine = length(n), cosine = dot(from, to);
    if (sine < 1e-6f)
        return cosine > 0 ? n : pi * fallback;
    return n * (std::atan2(sine, cosine) / sine);
}

// The turn of B about axis k of frame A, without the swing of that axis, nearest to the angle it had before.
float twist_angle(const JointPlacement& place, int k)
{
    const Quat q = conjugate(place.frame_a) * place.frame_b;
    const float sine = k == 0 ? q.x : k == 1 ? q.y : q.z;
    const float angle = 2 * std::atan2(sine, q.w);
    return angle - 2 * pi * std::round((angle - place.angle) / (2 * pi));
}

// Two locked rows keep axis k of both frames parallel. Their directions are carried along with that axis and do not turn
// about it with either body: the load of a fast wheel does not turn with the wheel, and stored impulses stay valid.
void align_axis(RowBuilder& rows, int k)
{
    const JointPlacement& p = rows.place;
    const Vec3 axis = rotate(p.frame_a, unit_axis(k));
    const Vec3 u = normalize(p.side - axis * dot(axis, p.side), perpendicular(axis)), v = cross(axis, u);
    const Vec3 swing = swing_vector(axis, rotate(p.frame_b, unit_axis(k)), u);
    rows.add(RowBuilder::angular(RowUse::locked, u, dot(u, swing)));
    rows.add(RowBuilder::angular(RowUse::locked, v, dot(v, swing)));
    rows.set_hinge(axis, u);
}

void lock_rotation(RowBuilder& rows)
{
    const JointPlacement& p = rows.place;
    const Vec3 error = rotate(p.frame_a, rotation_vector(conjugate(p.frame_a) * p.frame_b));
    for (int i = 0; i < 3; ++i)
        rows.add(RowBuilder::angular(RowUse::locked, unit_axis(i), error[i], false));
}

void add_hinge(RowBuilder& rows, int k, const Axis& axis)
{
    align_axis(rows, k);
    const float angle = twist_angle(rows.place, k);
    rows.set_angle(angle);
    rows.add_axis(axis, RowBuilder::angular(RowUse::locked, rotate(rows.place.frame_a, unit_axis(k)), angle));
}

// The rotation vector e of B seen from A, component by component. Its rate is J⁻¹ ω with the left Jacobian of the
// exponential map, J⁻¹ = 1 - [e]/2 + c [e]², c = 1/φ² - (1 + cos φ) / (2 φ sin φ): exact for any angle below a turn.
void add_rotation_vector(RowBuilder& rows, const Axis (&axes)[3])
{
    const Vec3 e = rotation_vector(conjugate(rows.place.frame_a) * rows.place.frame_b);
    const float phi = length(e);
    const float c = phi < 0.1f ? 1.0f / 12 + phi * phi / 720
                               : 1 / (phi * phi) - std::cos(0.5f * phi) / (2 * phi * std::sin(0.5f * phi));
    for (int i = 0; i < 3; ++i)
    {
        const Vec3 u = unit_axis(i);
        // Row i of the matrix is its transpose times the unit vector.
        const Vec3 in_a = u + 0.5f * cross(e, u) + c * cross(e, cross(e, u));
        const JointRow row = RowBuilder::angular(RowUse::locked, rotate(rows.place.frame_a, in_a), e[i]);
        if (axes[i].mode == AxisMode::locked)
            rows.add(row);
        else
            rows.add_axis(axes[i], row);
    }
}

void add_angular(RowBuilder& rows, const Axis (&axes)[3])
{
    int open = 0, last_open = 0;
    for (int i = 0; i < 3; ++i)
        if (axes[i].mode != AxisMode::locked)
        {
            ++open;
            last_open = i;
        }
    if (open == 0)
        lock_rotation(rows);
    else if (open == 1)
        add_hinge(rows, last_open, axes[last_open]);
    else
        add_rotation_vector(rows, axes);
}

void build(const SixDofJoint& joint, RowBuilder& rows)
{
    add_linear(rows, joint.linear);
    add_angular(rows, joint.angular);
}
void build(const HingeJoint& joint, RowBuilder& rows) { build(axes_of(joint), rows); }
void build(const SliderJoint& joint, RowBuilder& rows) { build(axes_of(joint), rows); }
void build(const FixedJoint&, RowBuilder& rows) { build(SixDofJoint{}, rows); }

void build(const BallJoint& joint, RowBuilder& rows)
{
    lock_point(rows);
    const Vec3 a = rotate(rows.place.frame_a, {1, 0, 0}), b = rotate(rows.place.frame_b, {1, 0, 0});
    if (joint.cone_limit < narrow_cone)
        align_axis(rows, 0);
    else if (joint.cone_limit < pi)
    {
        const Vec3 swing = swing_vector(a, b, perpendicular(a));
        rows.add_limit({-infinity, joint.cone_limit},
                       RowBuilder::angular(RowUse::limit, normalize(swing, perpendicular(a)), length(swing)));
    }
    if (has_limit(joint.twist))
    {
        // The rate of the twist is ω · (a + b) / (1 + a · b): both axes count alike, and the swing does not.
        const Vec3 axis = (a + b) / std::max(1 + dot(a, b), 0.05f);
        const float angle = twist_angle(rows.place, 0);
        rows.set_angle(angle);
        rows.add_limit(joint.twist, RowBuilder::angular(RowUse::limit, axis, angle));
    }
}

// With φ the angle from A's x axis to B's y axis, φ - π/2 is the error and their cross product the axis of φ.
void build(const UniversalJoint&, RowBuilder& rows)
{
    lock_point(rows);
    const Vec3 x = rotate(rows.place.frame_a, {1, 0, 0}), y = rotate(rows.place.frame_b, {0, 1, 0});
    const Vec3 n = cross(x, y);
    rows.add(RowBuilder::angular(RowUse::locked, normalize(n, perpendicular(x)),
                                 std::atan2(length(n), dot(x, y)) - 0.5f * pi));
}

void build(const DistanceJoint& joint, RowBuilder& rows)
{
    rows.act_along_gap();
    const float distance = length(rows.place.gap);
    const JointRow row = RowBuilder::linear(RowUse::locked, normalize(rows.place.gap), distance);
    if (joint.lower != joint.upper)
        return rows.add_limit({joint.lower > 0 ? joint.lower : -infinity, joint.upper}, row);
    rows.add(row).error -= joint.upper;
}

void build(const SpringJoint& joint, RowBuilder& rows)
{
    const auto add = [&](Vec3 d, float error) {
        JointRow& row = rows.add(RowBuilder::linear(RowUse::spring, d, error));
        row.stiffness = joint.stiffness;
        row.damping = joint.damping;
    };
    if (joint.rest_length > 0)
    {
        rows.act_along_gap();
        return add(normalize(rows.place.gap), length(rows.place.gap) - joint.rest_length);
    }
    for (int i = 0; i < 3; ++i)
        add(unit_axis(i), rows.place.gap[i]);
}

void build(const DragJoint& joint, RowBuilder& rows)
{
    const float omega = 2 * pi * joint.frequency, mass = rows.place.linear_mass;
    const bool is_bounded = std::isfinite(joint.max_force);
    for (int i = 0; i < 3; ++i)
    {
        JointRow& row = rows.add(
            RowBuilder::linear(is_bounded ? RowUse::bounded_spring : RowUse::spring, unit_axis(i), rows.place.gap[i]));
        row.stiffness = mass * omega * omega;
        row.damping = 2 * joint.damping_ratio * mass * omega;
        row.max_force = joint.max_force;
    }
}

} // namespace

int triple_count(const JointKind& kind)
{
    return std::visit([](const auto& k) { return count(k).triples(); }, kind);
}

int triple_count(const Joint& joint) { return triple_count(joint.kind); }

void set_kind(Joint& joint, const JointKind& kind)
{
    const auto counts = [](const auto& k) { return count(k); };
    if (!(std::visit(counts, joint.kind) == std::visit(counts, kind)))
        std::fill(std::begin(joint.impulse), std::end(joint.impulse), 0.0f);
    joint.kind = kind;
}

JointPlacement place_joint(const Joint& joint, const Bodies& bodies, const Movers& movers)
{
    const Body& a = bodies[joint.body_a];
    const Body& b = bodies[joint.body_b];
    const Pose& pose_a = movers[a.mover].pose;
    const Pose& pose_b = movers[b.mover].pose;
    const Transform frame_a = a.pose_in_mover * joint.frame_a;
    const Transform frame_b = b.pose_in_mover * joint.frame_b;

    JointPlacement place;
    place.arm_a = rotate(pose_a.rotation, frame_a.position);
    place.arm_b = rotate(pose_b.rotation, frame_b.position);
    place.frame_a = normalize(pose_a.rotation * frame_a.rotation);
    place.frame_b = normalize(pose_b.rotation * frame_b.rotation);
    const DVec3 at_a = pose_a.position + joint.origin_a;
    const DVec3 at_b = pose_b.position + joint.origin_b;
    place.gap = relative(at_b + DVec3(place.arm_b), at_a + DVec3(place.arm_a));
    place.angle = joint.angle;
    place.side = joint.side;
    const float inv_mass = movers.velocities[size_t(a.mover)].inv_mass + movers.velocities[size_t(b.mover)].inv_mass;
    place.linear_mass = inv_mass > 0 ? 1 / inv_mass : 0;
    return place;
}

void build_rows(const JointKind& kind, const JointPlacement& place, JointRows& out)
{
    RowBuilder rows(place, out);
    std::visit([&](const auto& k) { build(k, rows); }, kind);
    rows.finish();
    MORAINE_ASSERT(out.triple_count == triple_count(kind));
}

} // namespace moraine
