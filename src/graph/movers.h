// Movers: what actually moves. A free body, or a collection of merged bodies. Poses are those of the centre of mass.
#pragma once

#include "base/pool.h"
#include "base/shared_array.h"
#include "geometry/bvh.h"

#include <moraine/defs.h>

#include <algorithm>
#include <array>
#include <vector>

namespace moraine
{

constexpr int max_colours = 64;
// Boxes of two movers must overlap before their surfaces are the contact margin apart: each side gives half of it.
constexpr float pair_margin = 0.01f;

struct alignas(64) Mover
{
    // What the narrow phase looks at first, in one cache line.
    Pose pose{};
    Aabb tight{}; // in the world, around what the mover holds

    Aabb bounds{};           // in the mover's frame
    int32_t leaf = -1;       // in the tree of its kind
    int32_t body = -1;       // the only member, or the first
    int32_t awake_slot = -1; // in Movers::awake; of one that sleeps in a group: -2 - group
    int32_t members = -1;    // in Movers::members where there are several bodies
    uint64_t colours = 0;    // bit c: a row of colour c acts on it
    float quiet_time = 0;    // seconds below the sleeping speed
    float radius = 0;        // about the centre of mass
    float inner_radius = 0;  // it cannot tunnel while it moves less than this in a step
    BodyType type = BodyType::static_;
    bool can_sleep : 1 = true;
    bool is_fast : 1 = false;
    bool is_planar : 1 = false;
    bool is_round : 1 = false; // its bounds do not turn
    bool can_roll : 1 = false; // a free body with a round shape
    bool is_moved : 1 = false; // is in Movers::moved
    bool is_alone : 1 = false; // nobody's box met its own when pairs were last sought

    bool is_awake() const { return awake_slot >= 0; }
    int32_t sleep_group() const { return awake_slot < -1 ? -2 - awake_slot : -1; }
    void set_sleep_group(int32_t group) { awake_slot = -2 - group; }
    bool is_dynamic() const { return type == BodyType::dynamic_; }
    bool has_members() const { return members >= 0; }
};
static_assert(sizeof(Mover) == 128);

// The factor of the inverse inertia: I⁻¹ = L Lᵀ in the mover's frame, lower triangular. With u = L⁻¹ Rᵀ ω as the
// spin, the inverse inertia is the identity and one vector per row serves as Jacobian and as response.
struct Factor
{
    float xx = 0, yx = 0, yy = 0, zx = 0, zy = 0, zz = 0;
};

struct MoverMass
{
    float inv_mass = 0;
    Factor factor{}; // of the inverse inertia
    float gravity_scale = 1;
    float linear_damping = 0;
    float angular_damping = 0;
};

// What rows gather and scatter. Two cache halves: the velocity, and how far it has moved since the step began.
struct alignas(64) MoverVelocity
{
    Vec3 linear{};
    Vec3 spin{};        // u = L⁻¹ Rᵀ ω for dynamic movers, ω for kinematic ones
    float inv_mass = 0; // 0: rows do not change it
    float padding_a = 0;
    Vec3 shift{};      // of the centre of mass
    Vec3 turn{};       // integral of the spin
    float room = 0;    // how far any point of the mover may still go before pairs must be sought again
    uint32_t path = 0; // how far any point of the mover has gone, in hundredths of a millimetre; turns over
};
static_assert(sizeof(MoverVelocity) == 64);

constexpr float path_unit = 1e-5f; // metres
inline void add_to_path(float way, MoverVelocity& velocity)
{
    constexpr float farthest = 1000; // in one step: whoever is so far from others meets them later than in the next
    velocity.path += way > 0 ? uint32_t(std::min(way, farthest) / path_unit) + 1 : 0;
}

struct MoverForce
{
    Vec3 force{};
    Vec3 torque{};
};

// What the frame of a mover does to its members, in the mover's axes.
struct FrameLoad
{
    Vec3 gravity{};
    Vec3 acceleration{}; // of the mover's origin
    Vec3 turn_acceleration{};
    Vec3 turn{}; // angular velocity
};

// The same as twelve numbers on which the members' loads depend linearly: gravity less acceleration, the turning
// acceleration, and the products xx yy zz xy xz yz of the angular velocity with itself.
constexpr int load_terms = 12;
using LoadTerms = std::array<float, load_terms>;

// A box of loads. Within it what holds at its corners holds, because forces that balance can be mixed.
struct LoadRange
{
    LoadTerms lower, upper;
    LoadRange() { lower.fill(1), upper.fill(0); } // empty
};

// The bodies of a mover that has several: a collection, or a kinematic carrier and what rides on it.
struct Members
{
    Bvh tree;                           // of bodies, in the mover's frame: does not change while the mover moves
    Pose searched{};                    // where the mover was when pairs were last sought
    Vec3 last_linear{}, last_angular{}; // velocity one step ago, in the world
    std::vector<int32_t> collections;   // that the bodies belong to
    std::vector<int32_t> watched;       // those of them that are not known to hold in the whole range
    FrameLoad load{};
    LoadRange range{};  // that the load has been in, and some more
    LoadRange recent{}; // that it has been in for so many steps
    int32_t recent_steps = 0;
    int32_t memory = 0; // how many steps that may be

    void reset(); // keeps the memory
};

struct Movers
{
    Pool<Mover> movers;
    Pool<Members> members;
    Array<int32_t> member_leaf; // by body: in its mover's tree of members, or -1
    SharedArray<MoverMass> masses;
    Array<MoverVelocity> velocities; // linear and spin are the truth between steps
    Array<MoverForce> forces;        // of the next step; empty until the user applies one
    SlotList awake;                  // dynamic movers that are awake, and kinematic ones that move
    Bvh dynamic_tree;                // dynamic and kinematic movers
    Bvh static_tree;
    Array<int32_t> moved;   // movers whose fat box changed since the last search for pairs
    int enlarged_count = 0; // leaves grown in place since the dynamic tree was last put in order

    Mover& operator[](int32_t i) { return movers[i]; }
    const Mover& operator[](int32_t i) const { return movers[i]; }
    Bvh& tree_of(const Mover& m) { return m.type == BodyType::static_ ? static_tree : dynamic_tree; }
    const Bvh& tree_of(const Mover& m) const { return m.type == BodyType::static_ ? static_tree : dynamic_tree; }
    // The box in the tree, larger than what the mover holds. Only of movers that are in a tree.
    const Aabb& fat(const Mover& m) const { return tree_of(m).box(m.leaf); }
};

MoverForce& force_of(Movers& movers, int32_t index);

// How far two of them have gone together, in path units.
inline uint32_t path_of(const Movers& movers, int32_t a, int32_t b)
{
    return movers.velocities[size_t(a)].path + movers.velocities[size_t(b)].path;
}

// The world box of what the mover holds, at any pose of it.
Aabb mover_bounds(const Mover& mover, const Pose& pose);
// After every change of the pose.
inline void update_tight(Mover& mover) { mover.tight = mover_bounds(mover, mover.pose); }
// New fat box, and room to move in before the next search for pairs, which is due.
void refit_mover(Movers& movers, int32_t index, const Aabb& fat, float room = 0);
void mark_moved(Movers& movers, int32_t index);
Aabb fat_bounds(const Mover& mover, Vec3 velocity, float dt); // grown ahead along the motion expected
float room_of(const Mover& mover, float speed, float dt);     // speed: of its fastest point
// The boxes of the two, each turned with its mover, are so far apart that one of them must run out of room before they
// can touch: they need no edge until then.
bool are_far_apart(const Movers& movers, int32_t a, int32_t b);
// Boxes in the tree are this much larger than their contents, so that a mover can move a little without a search.
float fat_margin(const Mover& mover);

Factor factor_of_inverse(const Mat3& inertia, bool is_planar); // L with L Lᵀ = I⁻¹
Factor inverse_of(const Factor& f);

inline Vec3 multiply(const Factor& f, Vec3 v)
{
    return {f.xx * v.x, f.yx * v.x + f.yy * v.y, f.zx * v.x + f.zy * v.y + f.zz * v.z};
}
inline Vec3 transpose_multiply(const Factor& f, Vec3 v)
{
    return {f.xx * v.x + f.yx * v.y + f.zx * v.z, f.yy * v.y + f.zy * v.z, f.zz * v.z};
}

Vec3 angular_velocity(const Mover& mover, const MoverMass& mass, const MoverVelocity& velocity);
Vec3 spin_of(const Mover& mover, const MoverMass& mass, Vec3 angular_velocity);

} // namespace moraine
