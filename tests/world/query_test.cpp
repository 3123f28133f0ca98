// Questions about space, against every shape asked one by one and against closed forms.
#include "collide/shape_query.h"
#include "geometry/shape.h"
#include "scene/random.h"
#include "support/test_world.h"

#include <algorithm>

using namespace moraine;
using namespace moraine::test;

namespace
{

HullRef random_hull(Random& random)
{
    std::vector<Vec3> points;
    for (int i = 0; i < 14; ++i)
        points.push_back(random.within({0.6f, 0.6f, 0.6f}));
    return *make_hull(points);
}

Geometry random_convex(int kind, Random& random)
{
    const auto size = [&] { return random.between(0.2f, 0.7f); };
    switch (kind % 5)
    {
    case 0: return Sphere{size()};
    case 1: return Box{{size(), size(), size()}};
    case 2: return Capsule{size(), size()};
    case 3: return Cylinder{size(), size()};
    default: return random_hull(random);
    }
}

// Bodies of every kind, some of several shapes, some static, some triggers, scattered in a cube.
TestWorld crowd(uint64_t seed, DVec3 origin = {})
{
    TestWorld w(without_gravity());
    Random random(seed);
    for (int i = 0; i < 120; ++i)
    {
        BodyDef def;
        def.position = origin + DVec3(random.within({6, 6, 6}));
        def.rotation = random.rotation();
        def.type = i % 3 == 0 ? BodyType::static_ : BodyType::dynamic_;
        def.is_trigger = i % 10 == 9;
        def.filter.category = 1u << (i % 4);
        for (int s = 0; s <= i % 3; ++s)
            def.shapes.push_back({.geometry = random_convex(i + s, random),
                                  .pose = {random.within({0.5f, 0.5f, 0.5f}), random.rotation()}});
        w.add(def);
    }
    return w;
}

bool passes(const World& w, BodyId b, bool is_trigger, const QueryFilter& f)
{
    return (w.filter(b).category & f.mask) && !(f.except && f.except == b) && (f.triggers || !is_trigger) &&
           (f.statics || w.type(b) != BodyType::static_);
}

// visit(body, shape, shape's pose in the body's frame, body's pose) for all that pass.
template <class Visit>
void for_each_shape(const World& w, const QueryFilter& filter, Visit&& visit)
{
    const std::vector<BodyId> bodies = w.bodies();
    for (size_t i = 0; i < bodies.size(); ++i)
        if (passes(w, bodies[i], i % 10 == 9, filter))
            for (const ShapeDef& def : w.shapes(bodies[i]))
                visit(bodies[i], make_shape(def, def.pose), w.pose(bodies[i]));
}

std::vector<QueryFilter> filters(const World& w)
{
    return {{}, {.mask = 5}, {.triggers = true}, {.statics = false}, {.except = w.bodies()[3]}};
}

} // namespace

TEST(Queries, RayCastsFindWhatEveryShapeAskedAloneSays)
{
    TestWorld w = crowd(1);
    Random random(2);
    int hits = 0;
    for (int i = 0; i < 2000; ++i)
    {
        const QueryFilter filter = filters(*w)[size_t(i % 5)];
        const Vec3 from = random.within({9, 9, 9}), way = random.within({12, 12, 12});
        float best = 2;
        std::vector<BodyId> all;
        for_each_shape(*w, filter, [&](BodyId b, const Shape& shape, const Pose& pose) {
            const auto hit = ray_cast(shape, shape.pose, apply_inverse(pose, from), inverse_rotate(pose.rotation, way));
            if (!hit)
                return;
            best = std::min(best, hit->fraction);
            if (all.empty() || all.back() != b)
                all.push_back(b);
        });
        const auto hit = w->ray_cast(from, way, filter);
        ASSERT_EQ(hit.has_value(), best <= 1) << i;
        const std::vector<RayHit> found = w->ray_cast_all(from, way, filter);
        ASSERT_EQ(found.size(), all.size()) << i;
        ASSERT_TRUE(std::ranges::is_sorted(found, {}, &RayHit::fraction));
        if (!hit)
            continue;
        ++hits;
        ASSERT_NEAR(hit->fraction, best, 1e-5f) << i;
        ASSERT_NEAR(length(hit->normal), 1, 1e-3f);
        ASSERT_LE(dot(hit->normal, way), 1e-3f);
        expect_near(hit->point, DVec3(from) + DVec3(way) * double(hit->fraction), 1e-4);
    }
    EXPECT_GT(hits, 200);
}

TEST(Queries, ShapeCastsFindWhatEveryShapeAskedAloneSays)
{
    TestWorld w = crowd(3);
    Random random(4);
    int hits = 0;
    for (int i = 0; i < 600; ++i)
    {
        const QueryFilter filter = filters(*w)[size_t(i % 5)];
        const Geometry geometry = random_convex(i, random);
        const Pose start{random.within({12, 12, 12}), random.rotation()};
        const Vec3 way = random.within({12, 12, 12});
        const Shape moving = make_shape({.geometry = geometry}, {});
        float best = 2;
        for_each_shape(*w, filter, [&](BodyId, const Shape& shape, const Pose& pose) {
            Sweep sweep;
            sweep.start = relative(start, pose);
            sweep.translation = inverse_rotate(pose.rotation, way);
            const CastResult hit = cast_shape(shape, shape.pose, moving, sweep, 0);
            if (hit.has_hit)
                best = std::min(best, hit.fraction);
        });
        const auto hit = w->shape_cast(geometry, start, way, filter);
        ASSERT_EQ(hit.has_value(), best <= 1) << i;
        if (hit)
            ASSERT_NEAR(hit->fraction, best, 1e-4f) << i;
        hits += hit.has_value();
    }
    EXPECT_GT(hits, 100);
}

TEST(Queries, OverlapFindsWhatEveryShapeAskedAloneSays)
{
    TestWorld w = crowd(5);
    Random random(6);
    size_t hits = 0;
    for (int i = 0; i < 600; ++i)
    {
        const QueryFilter filter = filters(*w)[size_t(i % 5)];
        const Geometry geometry = random_convex(i, random);
        const Pose place{random.within({7, 7, 7}), random.rotation()};
        const Shape probe = make_shape({.geometry = geometry}, {});
        std::vector<BodyId> expected;
        for_each_shape(*w, filter, [&](BodyId b, const Shape& shape, const Pose& pose) {
            if (overlaps(shape, shape.pose, probe, relative(place, pose)) && (expected.empty() || expected.back() != b))
                expected.push_back(b);
        });
        ASSERT_EQ(w->overlap(geometry, place, filter), expected) << i;
        hits += expected.size();
    }
    EXPECT_GT(hits, 100u);
}

TEST(Queries, ClosestPointFindsWhatEveryShapeAskedAloneSays)
{
    TestWorld w = crowd(7);
    Random random(8);
    int hits = 0;
    for (int i = 0; i < 1000; ++i)
    {
        const QueryFilter filter = filters(*w)[size_t(i % 5)];
        const DVec3 point = random.within({9, 9, 9});
        const float reach = random.between(0.1f, 6);
        float best = 1e9f;
        for_each_shape(*w, filter, [&](BodyId, const Shape& shape, const Pose& pose) {
            const auto hit = closest_point(shape, shape.pose, apply_inverse(pose, point), reach);
            if (hit)
                best = std::min(best, hit->distance);
        });
        const auto hit = w->closest_point(point, reach, filter);
        ASSERT_EQ(hit.has_value(), best < 1e9f) << i;
        if (!hit)
            continue;
        ++hits;
        ASSERT_NEAR(hit->distance, best, 1e-4f) << i;
        ASSERT_NEAR(length(hit->point - point), std::fabs(double(hit->distance)), 1e-3) << i;
    }
    EXPECT_GT(hits, 500);
}

TEST(Queries, AgreeWithClosedForms)
{
    TestWorld w(without_gravity());
    const BodyId ball = w.add_ball({5, 0, 0}, 1);
    w.add_floor();
    const BodyId box = w.add_box({0, 3, 0}, {1, 1, 1});
    const auto hit = w->ray_cast({0, 0.5, 0}, {10, 0, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, ball);
    EXPECT_NEAR(hit->fraction, (5 - std::sqrt(1 - 0.25f)) / 10, 1e-5f);
    const auto down = w->ray_cast({20, 7, 0}, {0, -10, 0});
    ASSERT_TRUE(down);
    EXPECT_NEAR(down->fraction, 0.7f, 1e-5f);
    EXPECT_NEAR(down->normal.y, 1, 1e-5f);
    const auto fall = w->shape_cast(Sphere{0.5f}, {{0, 9, 0}, {}}, {0, -10, 0});
    ASSERT_TRUE(fall);
    EXPECT_EQ(fall->body, box);
    EXPECT_NEAR(fall->fraction, 0.45f, 1e-3f);
    const auto near = w->closest_point({8, 0.1, 0}, 5, {.statics = false});
    ASSERT_TRUE(near);
    EXPECT_EQ(near->body, ball);
    EXPECT_NEAR(near->distance, std::sqrt(9.01f) - 1, 1e-4f);
    EXPECT_EQ(w->overlap(Sphere{0.5f}, {{0, 4.4, 0}, {}}), std::vector<BodyId>{box});
    EXPECT_TRUE(w->overlap(Sphere{0.5f}, {{0, 4.6, 0}, {}}).empty());
}

TEST(Queries, FollowBodiesThatMoved)
{
    TestWorld w;
    const BodyId ball = w.add_ball({0, 100, 0});
    w.run_seconds(2);
    const auto hit = w->ray_cast(w.position(ball) + DVec3{0, 10, 0}, {0, -20, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, ball);
    w->set_pose(ball, {{50, 0, 0}, {}});
    EXPECT_TRUE(w->ray_cast({50, 5, 0}, {0, -10, 0}));
    EXPECT_EQ(w->overlap(Sphere{1}, {{50, 0, 0}, {}}).size(), 1u);
    w->destroy_body(ball);
    EXPECT_FALSE(w->ray_cast({50, 5, 0}, {0, -10, 0}));
}

TEST(Queries, WorkFiftyKilometresAway)
{
    const DVec3 far{50000, 20, -50000};
    TestWorld here = crowd(9), there = crowd(9, far);
    Random random(10);
    for (int i = 0; i < 500; ++i)
    {
        const DVec3 from = random.within({9, 9, 9});
        const Vec3 way = random.within({12, 12, 12});
        const auto a = here->ray_cast(from, way);
        const auto b = there->ray_cast(from + far, way);
        ASSERT_EQ(a.has_value(), b.has_value()) << i;
        if (!a)
            continue;
        ASSERT_EQ(a->body.index, b->body.index);
        ASSERT_NEAR(a->fraction, b->fraction, 1e-4f);
        ASSERT_LT(length(b->point - far - a->point), 1e-3);
    }
}
