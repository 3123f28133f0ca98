#include "geometry/hull.h"
#include "random.h"

#include <moraine/shapes.h>

#include <gtest/gtest.h>

namespace moraine::test
{
namespace
{

void expect_close(const Mat3& actual, const Mat3& expected, float tolerance)
{
    for (int i = 0; i < 3; ++i)
    {
        EXPECT_NEAR(actual.x[i], expected.x[i], tolerance);
        EXPECT_NEAR(actual.y[i], expected.y[i], tolerance);
        EXPECT_NEAR(actual.z[i], expected.z[i], tolerance);
    }
}

HullRef hull_of(const std::vector<Vec3>& points)
{
    Result<HullRef> hull = make_hull(points);
    EXPECT_TRUE(hull) << (hull ? "" : hull.error().message);
    return hull ? *hull : nullptr;
}

MassProperties of(Geometry geometry, float density = 1)
{
    return mass_properties(ShapeDef{.geometry = geometry, .density = density});
}

TEST(MassProperties, SphereHasTwoFifthsMassRadiusSquared)
{
    const MassProperties m = of(Sphere{0.5f}, 1000);
    const float mass = 1000 * 4.0f / 3 * pi * 0.125f;
    EXPECT_NEAR(m.mass, mass, 1e-4f * mass);
    expect_close(m.inertia, diagonal({0.4f * mass * 0.25f, 0.4f * mass * 0.25f, 0.4f * mass * 0.25f}), 1e-5f * mass);
    EXPECT_EQ(m.center, Vec3{});
}

TEST(MassProperties, BoxHasOneThirdMassHalfExtentsSquared)
{
    const MassProperties m = of(Box{{1, 2, 3}});
    EXPECT_FLOAT_EQ(m.mass, 48);
    expect_close(m.inertia, diagonal({16 * (4 + 9), 16 * (1 + 9), 16 * (1 + 4)}), 1e-4f);
}

TEST(MassProperties, CylinderAboutItsAxisIsHalfMassRadiusSquared)
{
    const MassProperties m = of(Cylinder{0.5f, 2});
    const float mass = pi * 0.25f * 4;
    EXPECT_NEAR(m.mass, mass, 1e-5f);
    EXPECT_NEAR(m.inertia.y.y, mass * 0.125f, 1e-5f);
    EXPECT_NEAR(m.inertia.x.x, mass * (0.0625f + 4.0f / 3), 1e-5f);
}

// The closed form of a capsule is easy to get wrong: compare with slices.
TEST(MassProperties, CapsuleEqualsTheSumOfItsSlices)
{
    const double r = 0.3, h = 0.7;
    double mass = 0, along = 0, across = 0;
    const int slices = 200000;
    const double step = 2 * (r + h) / slices;
    for (int i = 0; i < slices; ++i)
    {
        const double y = -(r + h) + (i + 0.5) * step;
        const double beyond = std::max(std::fabs(y) - h, 0.0);
        const double squared = r * r - beyond * beyond;
        const double slice = 3.14159265358979 * squared * step;
        mass += slice;
        along += slice * squared / 2;
        across += slice * (squared / 4 + y * y);
    }
    const MassProperties m = of(Capsule{float(r), float(h)});
    EXPECT_NEAR(m.mass, mass, 1e-5 * mass);
    EXPECT_NEAR(m.inertia.y.y, along, 1e-5 * along);
    EXPECT_NEAR(m.inertia.x.x, across, 1e-5 * across);
    EXPECT_EQ(m.inertia.x.x, m.inertia.z.z);
}

TEST(MassProperties, HullOfABoxEqualsTheBoxWhereverItStands)
{
    Random random(1);
    for (int i = 0; i < 50; ++i)
    {
        const Vec3 half = random.vector(0.1f, 2);
        const Transform pose{random.vector(-5, 5), random.rotation()};
        std::vector<Vec3> points = box_points(half);
        for (Vec3& p : points)
            p = apply(pose, p);
        const MassProperties hull = of(hull_of(points));
        const MassProperties box = mass_properties(ShapeDef{.geometry = Box{half}, .pose = pose, .density = 1});
        EXPECT_NEAR(hull.mass, box.mass, 2e-5f * box.mass + 1e-5f);
        EXPECT_LT(distance(hull.center, box.center), 1e-5f);
        expect_close(hull.inertia, box.inertia, 1e-4f * max_component(half) * max_component(half) * box.mass + 1e-5f);
    }
}

// A polyhedron inscribed in a sphere, every triangle of which lies within the cap of angle `a`, holds the sphere of
// radius cos(a): its volume is between cos^3(a) and 1 of the sphere's, its inertia between cos^5(a) and 1.
TEST(MassProperties, HullOfASphereApproachesTheSphere)
{
    std::vector<Vec3> points;
    for (int i = 0; i < 128; ++i)
    {
        const float y = 1 - (2 * float(i) + 1) / 128, angle = float(i) * 2.39996323f;
        const float ring = std::sqrt(1 - y * y);
        points.push_back({ring * std::cos(angle), y, ring * std::sin(angle)});
    }
    const HullRef hull = hull_of(points);
    ASSERT_EQ(hull->corners.size(), 128u);
    const float inner = hull->inner_radius;
    EXPECT_GT(inner, 0.95f);
    const MassProperties m = of(hull), ball = of(Sphere{1});
    EXPECT_LT(m.mass, ball.mass);
    EXPECT_GT(m.mass, ball.mass * inner * inner * inner);
    for (const float moment : {m.inertia.x.x, m.inertia.y.y, m.inertia.z.z})
    {
        EXPECT_LT(moment, ball.inertia.x.x);
        EXPECT_GT(moment, ball.inertia.x.x * std::pow(inner, 5.0f));
    }
}

// A regular n-gon prism: exact closed forms of the polygon's area and polar moment.
TEST(MassProperties, HullOfAPrismHasThePolygonsMoments)
{
    const int n = 24;
    const double r = 0.5, h = 0.8;
    std::vector<Vec3> points;
    for (int i = 0; i < n; ++i)
        for (const double y : {-h, h})
            points.push_back({float(r * std::cos(2 * M_PI * i / n)), float(y), float(r * std::sin(2 * M_PI * i / n))});
    const HullRef hull = hull_of(points);
    EXPECT_EQ(hull->faces.size(), size_t(n + 2));
    const double a = 2 * M_PI / n;
    const double mass = 0.5 * n * r * r * std::sin(a) * 2 * h;
    const double along = mass * r * r / 6 * (2 + std::cos(a));
    const MassProperties m = of(hull);
    EXPECT_NEAR(m.mass, mass, 1e-5 * mass);
    EXPECT_NEAR(m.inertia.y.y, along, 1e-5 * mass);
    EXPECT_NEAR(m.inertia.x.x, along / 2 + mass * h * h / 3, 1e-5 * mass);
}

TEST(MassProperties, TwoHalvesOfABoxAreTheBox)
{
    const Quat turn = axis_angle({1, 2, 3}, 0.8f);
    const auto half = [&](float x) {
        return ShapeDef{.geometry = Box{{1, 1, 1}}, .pose = {rotate(turn, {x, 0, 0}), turn}, .density = 2};
    };
    const ShapeDef halves[2] = {half(-1), half(1)};
    const MassProperties sum = mass_properties(halves);
    const MassProperties whole = mass_properties(
        ShapeDef{.geometry = Box{{2, 1, 1}}, .pose = {{}, turn}, .density = 2});
    EXPECT_FLOAT_EQ(sum.mass, whole.mass);
    EXPECT_LT(length(sum.center), 1e-6f);
    expect_close(sum.inertia, whole.inertia, 1e-5f * whole.mass);
}

TEST(MassProperties, SurfacesDoNotWeigh)
{
    EXPECT_EQ(of(HalfSpace{}).mass, 0);
    const ShapeDef shapes[2] = {{.geometry = HalfSpace{}, .pose = {{5, 5, 5}, {}}},
                                {.geometry = Sphere{1}, .density = 1}};
    EXPECT_EQ(mass_properties(shapes).center, Vec3{});
    EXPECT_EQ(mass_properties(std::span<const ShapeDef>{}).mass, 0);
}

} // namespace
} // namespace moraine::test
