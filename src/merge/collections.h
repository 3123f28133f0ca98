// Collections: bodies that move as one, and what the probe knows about the forces inside them.
//
// The only truth about merging is the merged bit of an edge or a joint; a collection is a connected component over these.
// Static and kinematic bodies are carriers: they end a component and anchor it. A collection on a kinematic carrier
// shares the carrier's mover, so that riding costs nothing; one on static bodies has a static mover of its own.
#pragma once

#include "base/pool.h"
#include "graph/contact_graph.h"
#include "graph/movers.h"

#include <array>
#include <vector>

namespace moraine
{

// How the forces of a collection's welds change with its load: see response.h.
struct Response
{
    struct Point
    {
        float change[3][load_terms]{}; // of the force along normal and tangents
    };
    std::vector<int32_t> welds; // none: not known
    std::vector<Point> points;  // of these welds, one after the other
    LoadTerms missed{};         // acceleration of the worst body that the changes leave over

    bool is_known() const { return !welds.empty(); }
    template <class A>
    void archive(A& a)
    {
        a(welds), a(points), a(missed);
    }
};

struct Collection
{
    int32_t mover = none;
    std::vector<int32_t> members; // bodies
    Response response{};
    LoadRange quiet{};   // where nothing gives way, so that it is not looked at
    FrameLoad load{};    // that the members' loads are for
    Vec3 center{};       // of the members' places, in the mover's frame
    float extent = 0;    // and how far they reach from it
    int32_t root = none; // the heaviest member of a free one, which bears all others
    bool is_anchored = false;
    bool may_move = false;     // it is not on static bodies
    bool is_certified = false; // holds in the whole range of its mover: not looked at while the load stays there
    uint8_t wait = 0;          // steps until its response is sought
    uint8_t failures = 0;      // to find one that holds: each makes the next wait longer
    uint8_t room_wait = 0;     // steps until room for its load is sought
    uint16_t age = 0;          // steps since its members have changed
    uint8_t fresh_steps = 0;   // until the acceleration of its frame is known
    bool is_cut = false;       // is in Collections::cut
    uint8_t touched = 0;       // steps for which it still counts as touched by something free
    uint8_t judged = 0;        // steps after a change of load, in which less of it counts as noise
    uint8_t unheard = 0;       // steps in which the load has been another than this
    FrameLoad heard{};         // the load when it last changed by much
    float noise = 0;           // N: how much forces inside it may wander; if any it is in Collections::noisy

    void reset() // keeps the memory
    {
        members.clear();
        response.welds.clear();
        response.points.clear();
        *this = Collection{.members = std::move(members), .response = std::move(response)};
    }
    template <class A>
    void archive(A& a)
    {
        a(mover), a(members), a(response), a(quiet), a(load), a(center), a(extent), a(root), a(is_anchored),
            a(may_move);
        a(is_certified), a(room_wait);
        a(wait), a(failures), a(age), a(fresh_steps), a(is_cut), a(touched), a(judged), a(unheard), a(heard), a(noise);
    }
};

// A merged body as the probe sees it, in the axes of its mover. Forces in newtons, so that nothing depends on the step.
struct MergedBody
{
    int32_t body = none;
    int32_t collection = none;
    // ---- what the probe comes back to all the time ----
    int32_t weld_first = none; // list of its welds
    int32_t level = 0;         // contacts between it and the anchor; 0 is the root of a free collection
    Vec3 rest{}, turn_rest{};  // acceleration that is left over: zero if the body stays where it is
    Vec3 inv_inertia[2]{};     // xx yy zz, xy xz yz
    float inv_mass = 0;
    float radius = 0;
    float ease = 1;            // its own limit of rest, as a multiple of the world's
    float noise = 0;           // acceleration by forces that wander: see merge_limits.h
    float noise_share = 0;     // of what it bears that may wander too
    float borne = 0;           // what the welds and the outer forces carry through it, as an acceleration
    uint8_t visits = 0;        // in the present run of the probe
    float last_look = 0;       // how restless it was at the last odd visit, in this run or in an earlier one
    bool has_given_up = false; // to come to rest in that run
    uint8_t tired = 0;         // runs in a row in which leaning on others did not bring it to rest
    bool is_queued = false;
    bool is_released = false; // queued because what pressed it is over
    bool is_gathered = false; // is in Collections::gathered
    uint32_t gathered_at = 0; // the last step in which something that acts on it from outside was awake
    bool is_jointed = false;  // to something outside: its outer forces are looked at in every step
    bool is_glued = false;    // by glue that may break
    bool is_new = false;      // came because it rests: the first probe takes it at its word
    bool is_touched = false;  // by the blow that is being followed: it feels what reaches it
    bool is_reached = false;  // and gives way to it
    // ---- what it comes from ----
    int32_t slot = none;          // in the collection's members
    Vec3 load{}, turn_load{};     // gravity and the motion of the frame, as accelerations
    Vec3 outer{}, turn_outer{};   // force and torque of everything outside the collection, as the probe takes them
    Vec3 seen{}, turn_seen{};     // as they have been in the last steps
    Vec3 now{}, turn_now{};       // in this step
    float stopped = 0;            // of that: what would stop those who have just come
    bool is_hit = false;          // by an impulse of the user
    Vec3 spring{}, turn_spring{}; // of springs whose ends do not move: a force and torque that stay
    Vec3 thrown{}, turn_thrown{}; // velocity that the blow that is being followed leaves it with
    Vec3 trim{}, turn_trim{};     // what the forces of the last solve missed when it was seen to rest: taken as it is
    uint8_t struck = 0;           // steps in a row in which it was
    uint32_t young_until = 0;     // until this step those that touch it get used to what it has become part of
};

// A manifold or a joint inside a collection, or between a member and its carrier, in the axes of the mover.
struct Weld
{
    struct Give // acceleration of a side by a unit force
    {
        float normal = 0, tangent_1 = 0, tangent_2 = 0; // along its own direction
        float aside_1 = 0, aside_2 = 0;                 // along the tangents by one along the normal
    };
    struct Point
    {
        Vec3 arm_a{}, arm_b{}; // from the bodies' centres of mass
        Give give_a{}, give_b{};
        float force[3]{}; // along normal and tangents
    };
    int32_t manifold = none;    // none: a joint
    int32_t a = none, b = none; // merged bodies; none: the carrier
    int32_t next[2]{none, none};
    Vec3 normal{};
    Vec3 tangent{};
    float friction = 0;    // negative: a magnet or a joint holds in all directions
    bool is_rod = false;   // holds both ways along the normal
    float most = infinity; // force of a point along the normal, where a motor holds
    int32_t also = none;   // the next weld of the same joint
    int32_t count = 0;
    Point points[LocalManifold::capacity];
};

// A force or impulse of the user on a merged body: it acts on the body, so the probe must see where.
struct Poke
{
    int32_t body = none;
    Vec3 impulse{}, turn_impulse{}; // about the body's centre of mass, world axes
    bool is_force = false;          // multiplied by the step
};

// A change of momentum of a member within one step.
struct Blow
{
    int32_t merged = none;
    Vec3 impulse{}, turn_impulse{}; // about its centre of mass, in the mover's axes
    bool is_hit = false;            // by somebody who has just come; else somebody who was there pushes harder
};
struct BlowWeld
{
    int32_t weld = none;
    int32_t first = 0; // impulse, one for each of its points
};
// Along normal and tangents, and linear and turning: before the last round, and which way they have gone of late.
struct BlowImpulse
{
    float now[3]{}, before[3]{}, heading[3]{};
};
struct BlowVelocity
{
    Vec3 before[2]{}, heading[2]{};
};

struct Blows
{
    std::vector<Blow> struck;
    std::vector<int32_t> bodies; // merged ones that these move
    // Scratch: those that one of them touches, with their velocities; welds of those that it reaches, and what passes through these.
    std::vector<int32_t> touched;
    std::vector<BlowVelocity> velocities;
    std::vector<BlowWeld> welds;
    std::vector<BlowImpulse> impulses;
};

// About the common centre of mass, in double: what merging must not change.
struct Momentum
{
    double mass = 0;
    DVec3 center{};
    DVec3 linear{};
    DVec3 angular{};
};

// A free collection that bodies have just joined, until it is measured.
struct JoinedGroup
{
    int32_t collection = none;
    std::vector<int32_t> came;
    Momentum momentum{};
};

// Lists that structural changes need for a moment, kept so that they do not allocate.
struct CollectionScratch
{
    struct Part
    {
        int32_t first = 0, count = 0; // in part_bodies; none: not listed
        bool is_anchored = false;
    };
    struct Front // of a search for parts
    {
        int32_t part = none;                              // another front that it has met, or itself
        int32_t first = none, last = none, cursor = none; // in found
        int32_t count = 0;                                // of bodies that it has found
        int32_t in_part = 0;                              // and all of its part
        bool is_anchored = false;
    };
    struct Found
    {
        int32_t body = none;
        int32_t next = none;
    };
    std::vector<int32_t> group_a, group_b, front, members, order, woken, part_bodies;
    std::vector<int32_t> front_of; // by slot of a member
    std::vector<Front> fronts;
    std::vector<Found> found;
    std::vector<Part> parts;
    struct Support
    {
        int32_t weld = none;
        bool is_b = false; // the body is its second side
    };
    std::vector<Support> supports; // of the body that is being settled
    std::vector<JoinedGroup> spare_groups;
};

struct Collections
{
    Pool<Collection> pool;
    Pool<MergedBody> bodies;
    Pool<Weld> welds;
    Array<int32_t> merged_of;        // by body: index of its MergedBody, or none
    std::vector<int32_t> queue;      // merged bodies whose forces are out of balance
    std::vector<int32_t> gathered;   // merged bodies with outer forces
    std::vector<int32_t> cut;        // collections that have lost a merged edge
    std::vector<int32_t> cut_bodies; // bodies that have
    std::vector<int32_t> noisy;      // collections that something free touches
    std::vector<int32_t> restless;   // merged bodies that no force could hold, in this step
    std::vector<int32_t> uneasy;     // those among them of before the last cut of this step
    std::vector<int32_t> strained;   // merged bodies whose glue carries another load than before, in this step
    std::vector<int32_t> waiting;    // scratch
    std::vector<int32_t> reload;     // carriers that have just stopped
    std::vector<Poke> pokes;
    Blows blows; // of this step
    CollectionScratch scratch;
    bool is_exhausted = false; // the last run of the probe ended before all was at rest or known not to be
    int merged_count = 0;      // bodies
    int point_count = 0;       // of welds

    int32_t merged(int32_t body) const { return size_t(body) < merged_of.size() ? merged_of[size_t(body)] : none; }
    int32_t collection_of(int32_t body) const
    {
        const int32_t m = merged(body);
        return m == none ? none : bodies[m].collection;
    }
};

} // namespace moraine
