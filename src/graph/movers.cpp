#include "graph/movers.h"

#include "collide/narrow_phase.h"
#include "graph/members.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

void Members::reset()
{
    tree.clear();
    collections.clear();
    watched.clear();
    *this = Members{.tree = std::move(tree), .collections = std::move(collections), .watched = std::move(watched)};
}

namespace
{

// A mover gets room for the motion of a few steps, so that it need not be searched in each. Not for more: bodies that
// fall side by side would all be taken for neighbours.
constexpr float steps_ahead = 3;
constexpr float farthest_ahead = 0.25f; // of its radius
// Who was alone may turn freely in its box, and looks farther ahead: whom it meets makes the next box small again.
constexpr float farthest_ahead_alone = 1;
// Less room until the next search for pairs means fewer pairs that are merely near, and more searches while it moves.
constexpr float room_steps = 2;
constexpr float farthest_room = 0.08f; // of its radius

} // namespace

Aabb mover_bounds(const Mover& mover, const Pose& pose)
{
    return world_bounds(mover.bounds, mover.is_round ? Pose{pose.position, {}} : pose, 0);
}

float fat_margin(const Mover& mover)
{
    if (mover.type == BodyType::static_)
        return pair_margin;
    if (mover.has_members())
        return pair_margin + search_slack(mover);
    return pair_margin + std::min(0.05f, 0.08f * mover.radius);
}

Aabb fat_bounds(const Mover& mover, Vec3 velocity, float dt)
{
    const bool is_alone = mover.is_alone && !mover.has_members();
    Aabb box = enlarge(mover.tight, fat_margin(mover));
    if (is_alone)
    {
        const Vec3 reach{mover.radius, mover.radius, mover.radius};
        box = merge(box, world_bounds({-reach, reach}, {mover.pose.position, {}}, fat_margin(mover)));
    }
    const float reach = steps_ahead * dt;
    const float most = (is_alone ? farthest_ahead_alone : farthest_ahead) * mover.radius;
    const auto ahead = [&](float v) { return std::clamp(v * reach, -most, most); };
    const Vec3 move{ahead(velocity.x), ahead(velocity.y), ahead(velocity.z)};
    return {box.lower + min(move, {}), box.upper + max(move, {})};
}

float room_of(const Mover& mover, float speed, float dt)
{
    if (mover.is_round || mover.has_members()) // turning its box tells nothing; or it has a slack of its own
        return infinity;
    return std::min(0.02f, 0.03f * mover.radius) + std::min(room_steps * dt * speed, farthest_room * mover.radius);
}

bool are_far_apart(const Movers& movers, int32_t index_a, int32_t index_b)
{
    const Mover& a = movers[index_a];
    const Mover& b = movers[index_b];
    const float reach = movers.velocities[size_t(index_a)].room + movers.velocities[size_t(index_b)].room +
                        default_contact_margin;
    if (!(reach < infinity))
        return false;
    const Transform b_in_a = relative(b.pose, a.pose);
    return gap_between(a.bounds, transform(b.bounds, b_in_a)) > reach ||
           gap_between(b.bounds, transform(a.bounds, inverse(b_in_a))) > reach;
}

void mark_moved(Movers& movers, int32_t index)
{
    if (movers[index].is_moved)
        return;
    movers[index].is_moved = true;
    movers.moved.push_back(index);
}

void refit_mover(Movers& movers, int32_t index, const Aabb& fat, float room)
{
    Mover& mover = movers[index];
    movers.velocities[size_t(index)].room = mover.has_members() ? infinity : room; // these have a slack of their own
    if (mover.leaf < 0)
        mover.leaf = movers.tree_of(mover).insert(fat, index);
    else if (mover.type == BodyType::static_)
        movers.static_tree.move(mover.leaf, fat);
    else
    {
        movers.dynamic_tree.enlarge(mover.leaf, fat);
        ++movers.enlarged_count;
    }
    mark_moved(movers, index);
}

MoverForce& force_of(Movers& movers, int32_t index)
{
    if (movers.forces.size() <= size_t(index))
        movers.forces.resize(size_t(movers.movers.capacity()));
    return movers.forces[size_t(index)];
}

// Cholesky of the inverse, in double: thin plates and long rods are badly conditioned.
Factor factor_of_inverse(const Mat3& inertia, bool is_planar)
{
    Factor f;
    if (is_planar)
    {
        f.zz = inertia.z.z > 0 ? 1.0f / std::sqrt(inertia.z.z) : 0.0f;
        return f;
    }
    const double a = inertia.x.x, b = inertia.y.y, c = inertia.z.z, d = inertia.x.y, e = inertia.x.z, g = inertia.y.z;
    const double det = a * (b * c - g * g) - d * (d * c - g * e) + e * (d * g - b * e);
    if (!(det > 0))
        return f;
    const double s = 1 / det;
    const double ixx = (b * c - g * g) * s, iyx = (e * g - d * c) * s, izx = (d * g - b * e) * s;
    const double iyy = (a * c - e * e) * s, izy = (d * e - a * g) * s, izz = (a * b - d * d) * s;
    if (!(ixx > 0))
        return f;
    const double lxx = std::sqrt(ixx), lyx = iyx / lxx, lzx = izx / lxx;
    const double lyy = std::sqrt(std::fmax(iyy - lyx * lyx, 0.0));
    const double lzy = lyy > 0 ? (izy - lzx * lyx) / lyy : 0.0;
    const double lzz = std::sqrt(std::fmax(izz - lzx * lzx - lzy * lzy, 0.0));
    return {float(lxx), float(lyx), float(lyy), float(lzx), float(lzy), float(lzz)};
}

// A locked axis has no factor and no inverse.
Factor inverse_of(const Factor& f)
{
    Factor i;
    i.xx = f.xx > 0 ? 1 / f.xx : 0;
    i.yy = f.yy > 0 ? 1 / f.yy : 0;
    i.zz = f.zz > 0 ? 1 / f.zz : 0;
    i.yx = -f.yx * i.xx * i.yy;
    i.zy = -f.zy * i.yy * i.zz;
    i.zx = -(f.zx * i.xx + f.zy * i.yx) * i.zz;
    return i;
}

Vec3 angular_velocity(const Mover& mover, const MoverMass& mass, const MoverVelocity& velocity)
{
    if (!mover.is_dynamic())
        return velocity.spin;
    return rotate(mover.pose.rotation, multiply(mass.factor, velocity.spin));
}

Vec3 spin_of(const Mover& mover, const MoverMass& mass, Vec3 angular_velocity)
{
    if (!mover.is_dynamic())
        return angular_velocity;
    return multiply(inverse_of(mass.factor), inverse_rotate(mover.pose.rotation, angular_velocity));
}

} // namespace moraine
