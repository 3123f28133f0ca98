#include "merge/joint_holds.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr float near = 1e-3f;    // to a limit, m or radians: what rests there does not touch it in every step
constexpr float across = 0.02f;  // cosine: as good as at right angles
constexpr float stalled = 0.99f; // of the motor's force: it is held by something else

class Holding
{
public:
    Holding(const Joint& joint, const JointPlacement& place, const HoldMeasures& measures, JointHolds& out)
        : joint_(joint),
          place_(place),
          measures_(measures),
          out_(out)
    {
        build_rows(joint.kind, place, rows_);
        for (int i = 0; i < 3 * rows_.triple_count; ++i)
            if (const JointRow& row = rows_.rows[i]; row.use == RowUse::locked)
                row.is_angular ? turns_[turn_count_++] = row.axis : locked_[locked_count_++] = row.axis;
    }
    void add_locked() { locked_count_ == 3 ? hold_point() : hold_directions(); }
    void add_driven();

private:
    void hold_point();
    void hold_directions();
    // A direction at right angles to the turn in which nothing moves; none: zero.
    Vec3 lever_of(Vec3 turn) const;
    float turning(Vec3 turn) const { return dot(joint_.twist, turn) * measures_.step_rate; }
    // A push along the row, or about it.
    void push(const JointRow& row, float sign, bool is_rod, float most, float force);
    void add_limit(const JointRow& row, float force);
    void add_motor(const JointRow& row, float force);
    void add_load(const JointRow& row, float force);
    bool is_at(const JointRow& row, bool is_upper) const;
    bool is_at_end(const JointRow& motor) const;

    const Joint& joint_;
    const JointPlacement& place_;
    const HoldMeasures& measures_;
    JointHolds& out_;
    JointRows rows_;
    Vec3 locked_[3], turns_[3];
    int locked_count_ = 0, turn_count_ = 0;
};

Vec3 Holding::lever_of(Vec3 turn) const
{
    if (locked_count_ == 3)
        return perpendicular(turn);
    for (int i = 0; i < locked_count_; ++i)
        if (std::fabs(dot(locked_[i], turn)) < across)
            return locked_[i];
    return {};
}

// One point, two on the axis of a hinge, or three.
void Holding::hold_point()
{
    JointHold& hold = out_.add({0, 1, 0});
    hold.is_all_ways = true;
    hold.count = 1;
    const float reach = measures_.reach;
    if (turn_count_ == 3)
    {
        hold.count = 3;
        hold.offsets[0] = rotate(place_.frame_b, Vec3{reach, 0, 0});
        hold.offsets[1] = rotate(place_.frame_b, Vec3{-0.5f * reach, 0.866f * reach, 0});
        hold.offsets[2] = rotate(place_.frame_b, Vec3{-0.5f * reach, -0.866f * reach, 0});
    }
    else if (turn_count_ == 2)
    {
        hold.count = 2;
        hold.offsets[0] = normalize(cross(turns_[0], turns_[1])) * reach;
        hold.offsets[1] = -hold.offsets[0];
    }
    else if (turn_count_ == 1)
    {
        const Vec3 turn = normalize(turns_[0]), lever = lever_of(turn);
        JointHold& held = out_.add(lever);
        held.count = 1;
        held.offsets[0] = cross(lever, turn) * reach;
        held.force[0] = turning(turn) / reach;
    }
}

// Each locked direction by itself, in two points for each turn that it holds too.
void Holding::hold_directions()
{
    // Where several turns are locked, those about the axes of frame A are: rows may lie otherwise.
    Vec3 turns[3];
    int count = 0;
    const Vec3 open = turn_count_ == 2 ? normalize(cross(turns_[0], turns_[1])) : Vec3{};
    for (const Vec3 axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
        if (const Vec3 turn = rotate(place_.frame_a, axis); turn_count_ > 1 && std::fabs(dot(turn, open)) < across)
            turns[count++] = turn;
    if (turn_count_ == 1)
        turns[count++] = normalize(turns_[0]);
    out_.is_possible &= count == turn_count_;
    for (int i = 0; i < locked_count_; ++i)
        out_.add(locked_[i]);
    JointHold* first = out_.all + out_.count - locked_count_;
    for (int k = 0; k < count; ++k)
    {
        JointHold* held = nullptr;
        for (JointHold* hold = first; hold != first + locked_count_; ++hold)
            if (std::fabs(dot(hold->direction, turns[k])) < across && (!held || hold->count < held->count))
                held = hold;
        out_.is_possible &= held != nullptr;
        if (!held)
            return;
        const Vec3 lever = cross(held->direction, turns[k]) * measures_.reach;
        const float force = 0.5f * turning(turns[k]) / measures_.reach;
        for (const float side : {1.0f, -1.0f})
        {
            held->force[held->count] = side * force;
            held->offsets[held->count++] = lever * side;
        }
    }
    for (JointHold* hold = first; hold != first + locked_count_; ++hold)
    {
        hold->count = std::max(hold->count, 1);
        for (int i = 0; i < hold->count; ++i)
            hold->force[i] += dot(joint_.pull, hold->direction) * measures_.step_rate / float(hold->count);
    }
}

void Holding::push(const JointRow& row, float sign, bool is_rod, float most, float force)
{
    const float size = length(row.axis);
    Vec3 direction = normalize(row.axis) * sign, offset{};
    float scale = size * sign;
    if (row.is_angular)
    {
        const Vec3 lever = lever_of(direction);
        out_.is_possible &= length_squared(lever) > 0;
        offset = cross(lever, direction) * measures_.reach;
        direction = lever;
        scale /= measures_.reach;
    }
    JointHold& hold = out_.add(direction);
    hold.is_rod = is_rod;
    hold.most = most * std::fabs(scale);
    hold.count = 1;
    hold.offsets[0] = offset;
    hold.force[0] = std::clamp(force * scale, is_rod ? -hold.most : 0.0f, hold.most);
}

void Holding::add_load(const JointRow& row, float force)
{
    (row.is_angular ? out_.torque : out_.force) += row.axis * force;
}

bool Holding::is_at(const JointRow& row, bool is_upper) const
{
    const float end = is_upper ? row.upper : row.lower;
    const float margin = near * (1 + (row.is_angular ? 0.0f : std::fabs(end)));
    return is_upper ? row.error > end - margin : row.error < end + margin;
}

void Holding::add_limit(const JointRow& row, float force)
{
    const bool is_lower = is_at(row, false), is_upper = is_at(row, true);
    if (is_lower || is_upper)
        push(row, is_lower ? 1.0f : -1.0f, is_lower && is_upper, infinity, force);
}

// Does it drive into a limit of its axis?
bool Holding::is_at_end(const JointRow& motor) const
{
    for (int i = 0; i < 3 * rows_.triple_count; ++i)
    {
        const JointRow& row = rows_.rows[i];
        const bool is_same = row.use == RowUse::limit && row.is_angular == motor.is_angular && row.axis == motor.axis;
        if (is_same && is_at(row, motor.target_speed > 0))
            return true;
    }
    return false;
}

// One that should stand holds with what it has, and so does one that drives into a limit, which takes up the rest. Any
// other moves its bodies, or has been brought to a stand by something else and pushes with all it has.
void Holding::add_motor(const JointRow& row, float force)
{
    if (row.target_speed == 0 || is_at_end(row))
        return push(row, 1, true, row.max_force, force);
    const float full = row.target_speed > 0 ? row.max_force : -row.max_force;
    out_.is_possible &= full * force >= stalled * full * full && std::isfinite(full);
    add_load(row, full);
}

void Holding::add_driven()
{
    for (int i = 0; i < 3 * rows_.triple_count; ++i)
    {
        const JointRow& row = rows_.rows[i];
        const float force = joint_.impulse[i] * measures_.rate;
        switch (row.use)
        {
        case RowUse::limit: add_limit(row, force); break;
        case RowUse::motor: add_motor(row, force); break;
        case RowUse::spring: add_load(row, -row.stiffness * row.error); break;
        case RowUse::bounded_spring: out_.is_possible = false; break;
        default: break;
        }
    }
}

} // namespace

JointHolds holds_of(const Joint& joint, const JointPlacement& place, const HoldMeasures& measures)
{
    JointHolds out;
    if (std::holds_alternative<DragJoint>(joint.kind))
    {
        out.is_possible = false;
        return out;
    }
    Holding holding(joint, place, measures, out);
    holding.add_locked();
    holding.add_driven();
    return out;
}

} // namespace moraine
