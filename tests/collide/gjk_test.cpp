// Distance, penetration and casts, judged by closed forms and, where this machine has it, by FCL.
#include "random_shapes.h"

#include <gtest/gtest.h>

#include <algorithm>

#if MORAINE_HAVE_FCL
#include <fcl/fcl.h>
#endif

namespace moraine::test
{
namespace
{

TEST(Gjk, DistanceOfBoxesIsTheGapBetweenFaces)
{
    ShapeStore store;
    const Shape box = store.box({0.5f, 0.5f, 0.5f});
    Vec3 axis{};
    const DistanceResult d = distance(make_view(box, {}), make_view(box, {{3, 0.2f, 0.1f}, {}}), axis);
    EXPECT_FALSE(d.is_overlapping);
    EXPECT_NEAR(d.distance, 2, 1e-6f);
    EXPECT_NEAR(distance(d.normal, {1, 0, 0}), 0, 1e-6f);
    EXPECT_NEAR(distance(axis, {1, 0, 0}), 0, 1e-6f);
    EXPECT_NEAR(d.point_a.x, 0.5f, 1e-6f);
    EXPECT_NEAR(d.point_b.x, 2.5f, 1e-6f);
}

TEST(Gjk, RoundingsThatOverlapGiveNegativeDistance)
{
    ShapeStore store;
    const Shape sphere = store.sphere(1);
    Vec3 axis{};
    const DistanceResult d = distance(make_view(sphere, {}), make_view(sphere, {{0, 1.5f, 0}, {}}), axis);
    EXPECT_FALSE(d.is_overlapping);
    EXPECT_NEAR(d.distance, -0.5f, 1e-6f);
}

TEST(Gjk, PointQueriesNeedNoShape)
{
    ShapeStore store;
    const Shape box = store.box({1, 1, 1});
    Vec3 axis{};
    const ConvexView point{nullptr, {{2, 2, 0}, {}}, 0};
    EXPECT_NEAR(distance(make_view(box, {}), point, axis).distance, std::sqrt(2.0f), 1e-6f);
}

TEST(Gjk, TheFirstGuessDoesNotChangeTheAnswer)
{
    ShapeStore store;
    Random r(21);
    for (int i = 0; i < 2000; ++i)
    {
        SCOPED_TRACE(i);
        const Shape a = store.random(convex_kinds[r.below(6)], r), b = store.random(convex_kinds[r.below(6)], r);
        const ConvexView view_a = make_view(a, {{}, r.rotation()}), view_b = make_view(b, {r.in_box(2), r.rotation()});
        Vec3 none{}, some = r.unit();
        const DistanceResult plain = distance(view_a, view_b, none), guessed = distance(view_a, view_b, some);
        ASSERT_EQ(plain.is_overlapping, guessed.is_overlapping);
        EXPECT_NEAR(plain.distance, guessed.distance, 1e-4f);
        if (!plain.is_overlapping)
        {
            EXPECT_NEAR(length(plain.normal), 1, 1e-5f);
            EXPECT_NEAR(distance(plain.point_a, plain.point_b), std::fabs(plain.distance), 1e-5f);
        }
    }
}

TEST(Gjk, PenetrationOfBoxesIsTheShortestWayOut)
{
    ShapeStore store;
    const PenetrationResult p = penetration(make_view(store.box({1, 1, 1}), {}),
                                            make_view(store.box({0.5f, 0.5f, 0.5f}), {{0.1f, 1.2f, -0.2f}, {}}));
    ASSERT_TRUE(p.is_valid);
    EXPECT_NEAR(p.depth, 0.3f, 1e-5f);
    EXPECT_NEAR(distance(p.normal, {0, 1, 0}), 0, 1e-5f);
}

TEST(Gjk, FlatAndCoincidentCoresStillHaveANormal)
{
    ShapeStore store;
    const Shape sphere = store.sphere(0.5f), capsule = store.capsule(0.25f, 1);
    const Shape triangle = store.triangle({-1, 0, -1}, {1, 0, -1}, {0, 0, 1});
    for (const Shape* a : {&sphere, &capsule, &triangle})
    {
        for (const Shape* b : {&sphere, &capsule, &triangle})
        {
            const PenetrationResult p = penetration(make_view(*a, {}), make_view(*b, {}));
            EXPECT_TRUE(p.is_valid);
            EXPECT_NEAR(length(p.normal), 1, 1e-5f);
        }
    }
}

TEST(Cast, FallingBoxHitsTheGroundWhenItShould)
{
    ShapeStore store;
    const Shape box = store.box({0.5f, 0.5f, 0.5f}), slab = store.box({5, 0.5f, 5}), ground = store.half_space();
    const Sweep sweep{{{0.3f, 10, 0}, {}}, {0, -20, 0}, {}};
    const CastResult on_slab = cast(slab, {}, box, sweep, 0.01f);
    ASSERT_TRUE(on_slab.has_hit);
    EXPECT_NEAR(on_slab.fraction, (10 - 1.01f) / 20, 1e-4f);
    EXPECT_NEAR(on_slab.normal.y, 1, 1e-4f);
    const CastResult on_ground = cast(ground, {{0, 0.5f, 0}, {}}, box, sweep, 0.01f);
    ASSERT_TRUE(on_ground.has_hit);
    EXPECT_NEAR(on_ground.fraction, on_slab.fraction, 1e-4f);
    EXPECT_FALSE(cast(slab, {}, box, {{{0, 10, 0}, {}}, {0, 5, 0}, {}}, 0.01f).has_hit);
    const CastResult inside = cast(slab, {}, box, {{{0, 0.2f, 0}, {}}, {0, -1, 0}, {}}, 0.01f);
    EXPECT_TRUE(inside.has_hit);
    EXPECT_EQ(inside.fraction, 0);
}

TEST(Cast, NeverPassesThrough)
{
    ShapeStore store;
    Random r(22);
    for (int i = 0; i < 500; ++i)
    {
        SCOPED_TRACE(i);
        const Shape a = store.random(convex_kinds[r.below(6)], r), b = store.random(convex_kinds[r.below(5)], r);
        const Transform pose_a{{}, r.rotation()};
        const Sweep sweep{{r.unit() * 4, r.rotation()}, r.in_box(8), r.in_box(3), {r.in_box(0.3f), r.rotation()}};
        const CastResult hit = cast(a, pose_a, b, sweep, 0.01f);
        // Before the hit, or all the way, the two are apart at every sample.
        for (int k = 0; k <= 50; ++k)
        {
            const float f = float(k) / 50 * (hit.has_hit ? hit.fraction : 1.0f);
            Vec3 axis{};
            const DistanceResult d = distance(make_view(a, pose_a), make_view(b, at(sweep, f)), axis);
            if (hit.has_hit && hit.fraction == 0)
                break;
            ASSERT_FALSE(d.is_overlapping) << f;
            ASSERT_GE(d.distance, 0.009f) << f;
        }
        if (!hit.has_hit)
            continue;
        Vec3 axis{};
        const DistanceResult d = distance(make_view(a, pose_a), make_view(b, at(sweep, hit.fraction)), axis);
        EXPECT_LE(d.distance, 0.02f);
    }
}

#if MORAINE_HAVE_FCL

std::shared_ptr<fcl::CollisionGeometryd> make_fcl(const Shape& shape)
{
    switch (shape.kind)
    {
    case ShapeKind::sphere: return std::make_shared<fcl::Sphered>(shape.radius);
    case ShapeKind::box:
        return std::make_shared<fcl::Boxd>(2.0 * shape.half_extents.x, 2.0 * shape.half_extents.y,
                                           2.0 * shape.half_extents.z);
    case ShapeKind::capsule: return std::make_shared<fcl::Capsuled>(shape.radius, 2.0 * shape.half_length);
    case ShapeKind::cylinder: return std::make_shared<fcl::Cylinderd>(shape.radius, 2.0 * shape.half_length);
    default:
    {
        const auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
        for (const Vec3& p : shape.hull->corners)
            vertices->push_back({p.x, p.y, p.z});
        const auto faces = std::make_shared<std::vector<int>>();
        for (const HullFace& face : shape.hull->faces)
        {
            faces->push_back(face.count);
            for (int i = 0; i < face.count; ++i)
                faces->push_back(shape.hull->loops[face.first + i]);
        }
        return std::make_shared<fcl::Convexd>(vertices, int(shape.hull->faces.size()), faces);
    }
    }
}

fcl::Transform3d make_fcl(const Shape& shape, const Transform& pose)
{
    // The long axis is z there.
    const bool is_long = shape.kind == ShapeKind::capsule || shape.kind == ShapeKind::cylinder;
    const Quat q = is_long ? pose.rotation * axis_angle({1, 0, 0}, -0.5f * pi) : pose.rotation;
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() = Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized().toRotationMatrix();
    t.translation() = fcl::Vector3d(pose.position.x, pose.position.y, pose.position.z);
    return t;
}

double fcl_distance(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b)
{
    fcl::CollisionObjectd object_a(make_fcl(a), make_fcl(a, pose_a)), object_b(make_fcl(b), make_fcl(b, pose_b));
    fcl::DistanceRequestd request(true, false);
    request.gjk_solver_type = fcl::GJKSolverType::GST_LIBCCD;
    request.distance_tolerance = 1e-9;
    fcl::DistanceResultd result;
    fcl::distance(&object_a, &object_b, request, result);
    return result.min_distance;
}

// The way out of an overlap that FCL proposes, from A to B.
Vec3 fcl_way_out(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b)
{
    fcl::CollisionObjectd object_a(make_fcl(a), make_fcl(a, pose_a)), object_b(make_fcl(b), make_fcl(b, pose_b));
    fcl::CollisionRequestd request(1, true);
    // Its EPA on libccd stops at an assertion now and then.
    request.gjk_solver_type = fcl::GJKSolverType::GST_INDEP;
    fcl::CollisionResultd result;
    fcl::collide(&object_a, &object_b, request, result);
    if (!result.isCollision())
        return {};
    const fcl::Contactd& contact = result.getContact(0);
    const fcl::Vector3d way = contact.normal * std::fabs(contact.penetration_depth);
    return {float(way.x()), float(way.y()), float(way.z())};
}

TEST(Gjk, FclFindsTheSameDistanceAndNoShorterWayOut)
{
    ShapeStore store;
    Random r(23);
    int apart = 0, overlapping = 0, agreed = 0;
    for (int i = 0; i < 2000; ++i)
    {
        SCOPED_TRACE(i);
        const Shape a = store.random(convex_kinds[r.below(5)], r), b = store.random(convex_kinds[r.below(5)], r);
        const Transform pose_a{r.in_box(1), r.rotation()}, pose_b{pose_a.position + r.in_box(2), r.rotation()};
        SCOPED_TRACE(std::string(name_of(a.kind)) + " " + name_of(b.kind));
        Vec3 axis{};
        const ConvexView view_a = make_view(a, pose_a), view_b = make_view(b, pose_b);
        const DistanceResult d = distance(view_a, view_b, axis);
        if (!d.is_overlapping && d.distance > 1e-3f)
        {
            ++apart;
            EXPECT_NEAR(d.distance, fcl_distance(a, pose_a, b, pose_b), 1e-3f);
            continue;
        }
        ++overlapping;
        const PenetrationResult p = penetration(view_a, view_b);
        ASSERT_TRUE(p.is_valid);
        const auto distance_after = [&](Vec3 way) {
            return fcl_distance(a, pose_a, b, {pose_b.position + way, pose_b.rotation});
        };
        EXPECT_GT(distance_after(p.normal * (p.depth + 2e-3f)), 0);
        // A shorter way that FCL proposes must not lead out.
        const Vec3 way = fcl_way_out(a, pose_a, b, pose_b);
        const float theirs = length(way);
        agreed += std::fabs(theirs - p.depth) < 2e-3f;
        if (theirs < p.depth - 4e-3f && theirs > 1e-3f)
        {
            EXPECT_LE(distance_after(way * ((theirs + 1e-3f) / theirs)), 0);
        }
    }
    EXPECT_GT(apart, 500);
    EXPECT_GT(agreed, overlapping / 2);
}

#endif

} // namespace
} // namespace moraine::test
