#include "geometry/hull.h"
#include "geometry/hull_builder.h"
#include "random.h"

#include <gtest/gtest.h>

namespace moraine::test
{
namespace
{

// Everything that must hold for any hull of these points, unless corners had to be left out.
void expect_sound(const Hull& hull, std::span<const Vec3> points, float tolerance)
{
    EXPECT_EQ(hull.corners.size() + hull.faces.size(), hull.edges.size() + 2);
    EXPECT_LE(hull.corners.size(), size_t(max_hull_corners));
    EXPECT_GT(hull.volume, 0);
    for (const HullFace& face : hull.faces)
    {
        ASSERT_GE(face.count, 3);
        EXPECT_NEAR(length(face.normal), 1, 1e-6f);
        for (const Vec3& p : points)
            ASSERT_LE(dot(face.normal, p) - face.offset, tolerance);
        for (int i = 0; i < face.count; ++i)
            EXPECT_NEAR(dot(face.normal, hull.corners[loop_corner(hull, face, i)]), face.offset, tolerance);
        EXPECT_GE(face.offset - dot(face.normal, hull.center), 0.999f * hull.inner_radius - tolerance);
    }
    for (const HullEdge& edge : hull.edges)
    {
        // face_a runs from corner_a to corner_b, face_b back.
        const auto runs_along = [&](const HullFace& face, int from, int to) {
            for (int i = 0; i < face.count; ++i)
                if (loop_corner(hull, face, i) == from && loop_corner(hull, face, i + 1) == to)
                    return true;
            return false;
        };
        EXPECT_TRUE(runs_along(hull.faces[edge.face_a], edge.corner_a, edge.corner_b));
        EXPECT_TRUE(runs_along(hull.faces[edge.face_b], edge.corner_b, edge.corner_a));
    }
    EXPECT_EQ(hull.neighbours.size(), 2 * hull.edges.size());
    EXPECT_EQ(hull.neighbour_first.size(), hull.corners.size() + 1);
}

float extent_of(std::span<const Vec3> points)
{
    Aabb bounds;
    for (const Vec3& p : points)
        bounds = merge(bounds, {p, p});
    return max_component(bounds.upper - bounds.lower);
}

TEST(Hull, BoxHasSixQuads)
{
    const std::vector<Vec3> points = box_points({1, 2, 3});
    const HullRef hull = make_hull(points).value();
    EXPECT_EQ(hull->corners.size(), 8u);
    EXPECT_EQ(hull->faces.size(), 6u);
    EXPECT_EQ(hull->edges.size(), 12u);
    EXPECT_FLOAT_EQ(hull->volume, 48);
    EXPECT_FLOAT_EQ(hull->inner_radius, 1);
    expect_sound(*hull, points, 1e-6f);
    for (const std::vector<uint32_t>& face : faces(*hull))
        EXPECT_EQ(face.size(), 4u);
}

TEST(Hull, TurnedBoxWrittenWithFourDigitsStillHasSixQuads)
{
    Random random(2);
    for (int i = 0; i < 100; ++i)
    {
        const Quat turn = random.rotation();
        std::vector<Vec3> points = box_points(random.vector(0.5f, 1.5f));
        for (Vec3& p : points)
        {
            p = rotate(turn, p);
            for (int axis = 0; axis < 3; ++axis)
                p[axis] = std::round(p[axis] * 1e4f) * 1e-4f;
        }
        const HullRef hull = make_hull(points).value();
        EXPECT_EQ(hull->faces.size(), 6u);
        EXPECT_EQ(hull->corners.size(), 8u);
    }
}

TEST(Hull, PointsOnTheSidesOfABoxAreNoCorners)
{
    Random random(3);
    const Quat turn = random.rotation();
    std::vector<Vec3> points;
    for (int i = 0; i < 11 * 11 * 11; ++i)
        points.push_back(rotate(turn, Vec3{float(i % 11), float(i / 11 % 11), float(i / 121)}));
    const HullRef hull = make_hull(points).value();
    EXPECT_EQ(hull->corners.size(), 8u);
    EXPECT_EQ(hull->faces.size(), 6u);
    EXPECT_NEAR(hull->volume, 1000, 0.01f);
    expect_sound(*hull, points, 1e-4f);
}

TEST(Hull, RandomCloudsAreInsideAllFaces)
{
    Random random(4);
    for (int round = 0; round < 400; ++round)
    {
        const float scale = std::pow(10.0f, random.between(-3, 3));
        const Vec3 stretch = random.vector(0.01f, 1);
        std::vector<Vec3> points(size_t(4 + random.below(60)));
        for (Vec3& p : points)
            p = scale * multiply(stretch, round % 2 ? random.vector(-1, 1) : random.direction());
        const Result<HullRef> hull = make_hull(points);
        ASSERT_TRUE(hull) << hull.error().message;
        expect_sound(**hull, points, 4e-4f * extent_of(points));
    }
}

// Small integer coordinates: many points in one plane, on one line and in one place.
TEST(Hull, LatticeCloudsAreSound)
{
    Random random(5);
    int made = 0;
    for (int round = 0; round < 1000; ++round)
    {
        std::vector<Vec3> points(size_t(4 + random.below(40)));
        for (Vec3& p : points)
            p = {float(random.below(4)), float(random.below(4)), float(random.below(4))};
        const Result<HullRef> hull = make_hull(points);
        if (!hull)
            continue;
        ++made;
        expect_sound(**hull, points, 1e-5f);
        // Six times the volume of a lattice polytope is a whole number.
        EXPECT_NEAR(6 * (*hull)->volume, std::round(6 * (*hull)->volume), 1e-3f);
    }
    EXPECT_GT(made, 900);
}

TEST(Hull, NoiseOfAnySizeMakesASoundHull)
{
    Random random(6);
    for (int round = 0; round < 200; ++round)
    {
        const float noise = std::pow(10.0f, random.between(-8, -1));
        const Quat turn = random.rotation();
        std::vector<Vec3> points;
        for (int i = 0; i < 125; ++i)
            points.push_back(rotate(turn, Vec3{float(i % 5), float(i / 5 % 5), float(i / 25)}) +
                             noise * random.vector(-1, 1));
        const Result<HullRef> hull = make_hull(points);
        ASSERT_TRUE(hull) << hull.error().message << " at noise " << noise;
        expect_sound(**hull, points, 4e-4f * extent_of(points));
        EXPECT_NEAR((*hull)->volume, 64, 64 * 1.5f * noise + 0.02f);
    }
}

TEST(Hull, VolumeMatchesCountedPoints)
{
    Random random(7);
    std::vector<Vec3> points(30);
    for (Vec3& p : points)
        p = random.vector(-1, 1);
    const HullRef hull = make_hull(points).value();
    int inside = 0;
    const int samples = 200000;
    for (int i = 0; i < samples; ++i)
    {
        const Vec3 p = random.vector(-1, 1);
        bool is_inside = true;
        for (const HullFace& face : hull->faces)
            is_inside = is_inside && dot(face.normal, p) <= face.offset;
        inside += is_inside;
    }
    EXPECT_NEAR(hull->volume, 8.0f * float(inside) / samples, 0.04f); // about four standard deviations
}

TEST(Hull, SupportIsTheFurthestCorner)
{
    Random random(8);
    for (int round = 0; round < 50; ++round)
    {
        std::vector<Vec3> points(size_t(5 + random.below(120)));
        for (Vec3& p : points)
            p = random.direction();
        const HullRef hull = make_hull(points).value();
        for (int i = 0; i < 100; ++i)
        {
            const Vec3 direction = random.vector(-1, 1);
            const int found = support_corner(*hull, direction);
            for (const Vec3& corner : hull->corners)
                ASSERT_LE(dot(corner, direction), dot(hull->corners[found], direction));
        }
        const int any = support_corner(*hull, {0, 0, 0});
        EXPECT_TRUE(any >= 0 && any < int(hull->corners.size()));
        const float nan = std::numeric_limits<float>::quiet_NaN();
        EXPECT_EQ(support_corner(*hull, {nan, nan, nan}), 0);
    }
}

TEST(Hull, AMillionPointsGiveTheMostExtreme)
{
    Random random(9);
    std::vector<Vec3> points(1'000'000);
    for (Vec3& p : points)
        p = random.direction();
    const HullRef hull = make_hull(points).value();
    EXPECT_EQ(hull->corners.size(), size_t(max_hull_corners));
    EXPECT_GT(hull->inner_radius, 0.95f);
    expect_sound(*hull, hull->corners, 1e-3f);
}

TEST(Hull, AMillionCopiesOfTheSameCornersAreABox)
{
    const std::vector<Vec3> box = box_points({1, 1, 1});
    Random random(10);
    std::vector<Vec3> points;
    for (int i = 0; i < 1'000'000; ++i)
        points.push_back(box[size_t(i % 8)] + 2e-6f * random.vector(-1, 1));
    const HullRef hull = make_hull(points).value();
    EXPECT_EQ(hull->corners.size(), 8u);
    EXPECT_EQ(hull->faces.size(), 6u);
}

TEST(Hull, FarFromItsOriginItKeepsItsSides)
{
    std::vector<Vec3> points = box_points({1, 1, 1});
    for (Vec3& p : points)
        p += Vec3{3000, -2000, 500};
    const HullRef hull = make_hull(points).value();
    EXPECT_EQ(hull->faces.size(), 6u);
    EXPECT_NEAR(hull->volume, 8, 1e-3f);
}

TEST(Hull, DegenerateInputIsAnError)
{
    const auto message = [](const std::vector<Vec3>& points) {
        const Result<HullRef> hull = make_hull(points);
        return hull ? std::string() : hull.error().message;
    };
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    EXPECT_NE(message({}).find("four points"), std::string::npos);
    EXPECT_NE(message({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}).find("four points"), std::string::npos);
    EXPECT_NE(message(std::vector<Vec3>(9, {1, 2, 3})).find("same"), std::string::npos);
    EXPECT_NE(message({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}).find("line"), std::string::npos);
    EXPECT_NE(message({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}).find("plane"), std::string::npos);
    EXPECT_NE(message({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, nan}}).find("finite"), std::string::npos);
    EXPECT_NE(message({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, inf, 0}}).find("finite"), std::string::npos);
    EXPECT_NE(message({{0, 0, 0}, {1e30f, 0, 0}, {0, 1e30f, 0}, {0, 0, 1e30f}}).find("large"), std::string::npos);
    EXPECT_NE(message({{0, 0, 0}, {1e-30f, 0, 0}, {0, 1e-30f, 0}, {0, 0, 1e-30f}}).find("small"), std::string::npos);
}

} // namespace
} // namespace moraine::test
