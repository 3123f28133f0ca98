#include "dynamics/pgs_batch.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace moraine;

namespace moraine
{

// See pgs_scalar.cpp.
void scalar_prepare_pgs_contacts(std::span<const int32_t> manifolds, const ContactGraph& graph, const Bodies& bodies,
                                 const Movers& movers, const PgsParameters& parameters, PgsBatch& batch);
void scalar_warm_start_contacts(const PgsBatch& batch, MoverVelocity* movers);
void scalar_sweep_contacts(PgsBatch& batch, const PgsParameters& parameters, MoverVelocity* movers);
void scalar_push_apart(const PgsBatch& batch, const Push& push, MoverVelocity* movers);

} // namespace moraine

namespace
{

struct Random
{
    uint64_t state;
    float operator()(float lower, float upper)
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return lower + (upper - lower) * float(state >> 40) * 0x1p-24f;
    }
    Vec3 vector(float size) { return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)}; }
};

// Eight pairs of movers in contact, none in two of them: static, kinematic and dynamic, magnets, bouncing ones.
struct Contacts
{
    Bodies bodies;
    Movers movers;
    ContactGraph graph;
    std::vector<int32_t> manifolds;
    Random random{7};

    Contacts()
    {
        for (int i = 0; i < 17; ++i)
            add_mover(i == 0 || i == 5 ? BodyType::static_ : i == 8 ? BodyType::kinematic : BodyType::dynamic_);
        for (int i = 0; i < 8; ++i)
            add_manifold(1 + 2 * i, 2 + 2 * i, 1 + i % 4);
    }

    void add_mover(BodyType type)
    {
        const int32_t index = movers.movers.create();
        Mover& m = movers[index];
        m.type = type;
        m.pose = {DVec3(random.vector(3)), normalize(Quat{random(-1, 1), random(-1, 1), random(-1, 1), 1})};
        MoverVelocity v;
        v.linear = random.vector(2);
        v.spin = random.vector(2);
        v.shift = random.vector(0.01f);
        v.turn = random.vector(0.01f);
        MoverMass mass;
        if (type == BodyType::dynamic_)
        {
            v.inv_mass = mass.inv_mass = random(0.1f, 2);
            mass.factor = {random(0.5f, 2), random(-1, 1), random(0.5f, 2),
                           random(-1, 1),   random(-1, 1), random(0.5f, 2)};
        }
        movers.velocities.push_back(v);
        movers.masses.push_back(mass);
        Body body;
        body.mover = index;
        body.type = type;
        bodies.bodies.push_back(body);
    }

    void add_manifold(int32_t a, int32_t b, int points)
    {
        const int32_t edge = graph.edges.create();
        graph.edges[edge].body_a = a;
        graph.edges[edge].body_b = b;
        manifolds.push_back(graph.manifolds.create());
        keep_point_friction(graph);
        Manifold& m = graph.manifolds[manifolds.back()];
        PointFriction& friction = graph.point_friction[size_t(manifolds.back())];
        m.edge = edge;
        m.normal = normalize(random.vector(1));
        m.count = uint8_t(points);
        m.friction = a == 11 ? -1.0f : random(0, 1);
        m.restitution = random(-0.5f, 0.8f);
        for (int i = 0; i < points; ++i)
        {
            ContactPoint& p = m.points[i];
            p.position = random.vector(0.5f);
            p.separation = random(-0.02f, 0.005f);
            p.impulse = random(0, 0.5f);
            for (float& along : friction.along[i])
                along = random(-0.1f, 0.1f);
        }
    }
};

constexpr PgsParameters parameters{.dt = 0.01f,
                                   .inv_dt = 100,
                                   .erp = 0.2f,
                                   .cfm = 1e-3f,
                                   .push_speed = 3,
                                   .slop = 0.001f,
                                   .restitution_threshold = 0.5f};

// Of what lies between the members too.
void clear_bits(PgsBatch& batch) { std::memset(static_cast<void*>(&batch), 0, sizeof batch); }

template <class T>
bool has_same_bits(const T& a, const T& b, size_t count = 1)
{
    return std::memcmp(&a, &b, count * sizeof(T)) == 0;
}

} // namespace

TEST(PgsLanes, OneLaneAtATimeGivesTheSameBits)
{
    for (FrictionModel model : {FrictionModel::pyramid, FrictionModel::box, FrictionModel::cone})
        for (size_t used : {8u, 5u, 1u})
        {
            Contacts wide, narrow;
            PgsParameters p = parameters;
            p.friction_model = model;
            const std::span<const int32_t> items(wide.manifolds.data(), used);
            PgsBatch a, b;
            clear_bits(a);
            clear_bits(b);
            prepare_pgs_contacts(items, wide.graph, wide.bodies, wide.movers, p, a);
            scalar_prepare_pgs_contacts(items, narrow.graph, narrow.bodies, narrow.movers, p, b);
            ASSERT_TRUE(has_same_bits(a, b));
            MoverVelocity* va = wide.movers.velocities.data();
            MoverVelocity* vb = narrow.movers.velocities.data();
            warm_start_contacts(a, va);
            scalar_warm_start_contacts(b, vb);
            for (int i = 0; i < 10; ++i)
            {
                sweep_contacts(a, p, va);
                scalar_sweep_contacts(b, p, vb);
            }
            push_apart(a, {0.3f, 0.01f, 0.001f}, va);
            scalar_push_apart(b, {0.3f, 0.01f, 0.001f}, vb);
            EXPECT_TRUE(has_same_bits(a, b));
            EXPECT_TRUE(has_same_bits(*va, *vb, wide.movers.velocities.size()));
        }
}

TEST(PgsLanes, WhatIsNotDynamicIsNotMoved)
{
    Contacts c;
    const Array<MoverVelocity> before = c.movers.velocities;
    PgsBatch batch;
    prepare_pgs_contacts(c.manifolds, c.graph, c.bodies, c.movers, parameters, batch);
    warm_start_contacts(batch, c.movers.velocities.data());
    sweep_contacts(batch, parameters, c.movers.velocities.data());
    push_apart(batch, {0.3f, 0.01f, 0}, c.movers.velocities.data());
    for (size_t i : {0u, 5u, 8u})
        EXPECT_TRUE(has_same_bits(before[i], c.movers.velocities[i]));
    EXPECT_FALSE(has_same_bits(before[1], c.movers.velocities[1]));
}

TEST(PgsLanes, SweepsKeepImpulsesInTheirBounds)
{
    Contacts c;
    PgsBatch batch;
    prepare_pgs_contacts(c.manifolds, c.graph, c.bodies, c.movers, parameters, batch);
    warm_start_contacts(batch, c.movers.velocities.data());
    for (int i = 0; i < 5; ++i)
        sweep_contacts(batch, parameters, c.movers.velocities.data());
    for (int lane = 0; lane < lane_count; ++lane)
        for (int i = 0; i < batch.point_count; ++i)
        {
            const PgsBatch::Point& p = batch.points[i];
            if (batch.friction[lane] < 0)
                continue;
            EXPECT_GE(p.normal.impulse[lane], 0);
            for (const PgsBatch::Row& t : p.tangents)
                EXPECT_LE(std::fabs(t.impulse[lane]), batch.friction[lane] * p.normal.impulse[lane] * 1.00001f + 1e-7f);
        }
}

TEST(PgsLanes, StoredImpulsesComeBack)
{
    Contacts c;
    PgsBatch batch, again;
    clear_bits(batch);
    clear_bits(again);
    prepare_pgs_contacts(c.manifolds, c.graph, c.bodies, c.movers, parameters, batch);
    store_pgs_impulses(batch, c.graph);
    prepare_pgs_contacts(c.manifolds, c.graph, c.bodies, c.movers, parameters, again);
    EXPECT_TRUE(has_same_bits(batch, again));
}
