// Distances along surfaces against closed forms, and on surfaces that have none.
#include "response/heat_geodesics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace moraine;

namespace
{

Surface plane(int cells, bool is_jittered = false)
{
    Surface s;
    std::mt19937 random(7);
    std::uniform_real_distribution<float> jitter(-0.3f, 0.3f);
    for (int j = 0; j <= cells; ++j)
        for (int i = 0; i <= cells; ++i)
        {
            const bool is_inner = i > 0 && j > 0 && i < cells && j < cells && is_jittered;
            const float x = float(i) + (is_inner ? jitter(random) : 0), z = float(j) + (is_inner ? jitter(random) : 0);
            s.vertices.push_back({x / float(cells), 0, z / float(cells)});
        }
    const auto at = [&](int i, int j) { return uint32_t(j * (cells + 1) + i); };
    for (int j = 0; j < cells; ++j)
        for (int i = 0; i < cells; ++i)
        {
            // Diagonals alternate, so that no direction is favoured.
            if ((i + j) % 2)
                s.triangles.insert(s.triangles.end(), {Triangle{at(i, j), at(i, j + 1), at(i + 1, j)},
                                                       Triangle{at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)}});
            else
                s.triangles.insert(s.triangles.end(), {Triangle{at(i, j), at(i, j + 1), at(i + 1, j + 1)},
                                                       Triangle{at(i, j), at(i + 1, j + 1), at(i + 1, j)}});
        }
    return s;
}

// The largest relative error over all vertices farther away than `near`.
double worst(const Surface& s, uint32_t source, double near, auto exact)
{
    const auto geodesics = make_heat_geodesics(s.vertices, s.triangles);
    EXPECT_TRUE(geodesics) << geodesics.error().message;
    const auto found = (*geodesics)->distances(source);
    double error = 0;
    for (size_t v = 0; v < s.vertices.size(); ++v)
    {
        const double right = exact(s.vertices[source], s.vertices[v]);
        if (right > near)
            error = std::max(error, std::fabs(double((*found)[v]) - right) / right);
    }
    return error;
}

uint32_t nearest(const Surface& s, Vec3 p)
{
    uint32_t best = 0;
    for (uint32_t v = 0; v < s.vertices.size(); ++v)
        if (distance(s.vertices[v], p) < distance(s.vertices[best], p))
            best = v;
    return best;
}

double straight(Vec3 a, Vec3 b) { return double(distance(a, b)); }

double on_sphere(Vec3 a, Vec3 b) { return std::acos(std::clamp(double(dot(normalize(a), normalize(b))), -1.0, 1.0)); }

double on_cylinder(Vec3 a, Vec3 b)
{
    const double turn = std::acos(std::clamp(double(a.x * b.x + a.z * b.z), -1.0, 1.0));
    return std::hypot(turn, double(a.y - b.y));
}

void expect_finite(const Surface& s)
{
    const auto geodesics = make_heat_geodesics(s.vertices, s.triangles);
    ASSERT_TRUE(geodesics) << geodesics.error().message;
    for (const uint32_t source : {0u, uint32_t(s.vertices.size() / 2)})
        for (const float d : *(*geodesics)->distances(source))
            ASSERT_TRUE(d >= 0) << d; // or infinite, but a number
}

} // namespace

TEST(Geodesics, PlaneIsStraight)
{
    for (const bool is_jittered : {false, true})
    {
        const Surface s = plane(71, is_jittered); // 10 082 triangles
        for (const Vec3 p : {Vec3{0.5f, 0, 0.5f}, Vec3{0.1f, 0, 0.3f}, Vec3{0, 0, 0}})
            EXPECT_LT(worst(s, nearest(s, p), 0, straight), 0.02) << is_jittered << " " << p.x;
    }
}

TEST(Geodesics, SphereHasGreatCircles)
{
    const Surface s = make_sphere_surface(1, 35); // 9800 triangles
    for (const Vec3 p : {Vec3{0, 1, 0}, Vec3{1, 0, 0}, Vec3{0.5f, 0.6f, 0.4f}})
        EXPECT_LT(worst(s, nearest(s, normalize(p)), 0, on_sphere), 0.02) << p.x;
}

TEST(Geodesics, CylinderUnrolls)
{
    // The mantle only: a way over a cap could be shorter.
    Surface s = make_cylinder_surface(1, 4, 88);
    const uint32_t caps = uint32_t(s.vertices.size()) - 2;
    std::erase_if(s.triangles, [&](const Triangle& t) { return std::max({t[0], t[1], t[2]}) >= caps; });
    s.vertices.resize(caps);
    EXPECT_NEAR(double(s.triangles.size()), 10'000, 300);
    for (const Vec3 p : {Vec3{1, 0, 0}, Vec3{0, 1.2f, 1}})
        EXPECT_LT(worst(s, nearest(s, p), 0, on_cylinder), 0.02) << p.x;
}

TEST(Geodesics, BetweenPointsInsideTrianglesToo)
{
    const Surface s = plane(40);
    ResponseModel model;
    model.vertices = s.vertices;
    model.triangles = s.triangles;
    const auto geodesics = make_geodesics(model);
    ASSERT_TRUE(geodesics);
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i)
    {
        const auto point = [&] {
            std::uniform_real_distribution<float> unit(0, 1);
            const float u = unit(random), v = unit(random) * (1 - u);
            return SurfacePoint{uint32_t(random() % s.triangles.size()), {u, v, 1 - u - v}};
        };
        const auto place = [&](const SurfacePoint& p) {
            const Triangle& t = s.triangles[p.triangle];
            return p.weights.x * s.vertices[t[0]] + p.weights.y * s.vertices[t[1]] + p.weights.z * s.vertices[t[2]];
        };
        const SurfacePoint a = point(), b = point();
        const double right = straight(place(a), place(b));
        EXPECT_NEAR(double(geodesic_distance(model, **geodesics, a, b)), right, 0.03 * right + 0.01);
    }
}

TEST(Geodesics, DegenerateTrianglesAreNoHarm)
{
    Surface s = plane(10);
    std::mt19937 random(5);
    for (int i = 0; i < 20; ++i) // flat on their own edges, and with two corners in one
    {
        const Triangle t = s.triangles[random() % s.triangles.size()];
        s.vertices.push_back(0.5f * (s.vertices[t[0]] + s.vertices[t[1]]));
        s.triangles.push_back({t[0], t[1], uint32_t(s.vertices.size() - 1)});
        s.triangles.push_back({t[0], t[0], t[1]});
    }
    for (Vec3& v : s.vertices) // slivers everywhere
        v.z *= 1e-5f;
    expect_finite(s);
}

TEST(Geodesics, EdgesWithThreeTrianglesAreNoHarm)
{
    Surface s = plane(10);
    const size_t count = s.triangles.size();
    for (size_t i = 0; i < count; i += 7)
    {
        s.vertices.push_back(s.vertices[s.triangles[i][0]] + Vec3{0, 0.1f, 0});
        s.triangles.push_back({s.triangles[i][0], s.triangles[i][1], uint32_t(s.vertices.size() - 1)});
    }
    expect_finite(s);
}

TEST(Geodesics, NoWayIsInfinite)
{
    Surface s = plane(5);
    const uint32_t count = uint32_t(s.vertices.size());
    const Surface other = plane(5);
    for (const Vec3& v : other.vertices)
        s.vertices.push_back(v + Vec3{5, 0, 0});
    for (const Triangle& t : other.triangles)
        s.triangles.push_back({t[0] + count, t[1] + count, t[2] + count});
    s.vertices.push_back({0, 3, 0}); // and a vertex without triangles
    const auto geodesics = make_heat_geodesics(s.vertices, s.triangles);
    ASSERT_TRUE(geodesics);
    const auto d = (*geodesics)->distances(3);
    EXPECT_TRUE(std::isfinite((*d)[count - 1]));
    EXPECT_TRUE(std::isinf((*d)[count]));
    EXPECT_TRUE(std::isinf(d->back()));
    EXPECT_TRUE(std::isinf((*(*geodesics)->distances(2 * count))[0]));
}

TEST(Geodesics, SourcesAreKeptAndGiveWay)
{
    const Surface s = plane(8);
    const auto geodesics = make_heat_geodesics(s.vertices, s.triangles, 2);
    ASSERT_TRUE(geodesics);
    const auto first = (*geodesics)->distances(0);
    EXPECT_EQ(first, (*geodesics)->distances(0)); // the same list
    const std::vector<float> copy = *first;
    (*geodesics)->distances(1);
    (*geodesics)->distances(2);
    const auto again = (*geodesics)->distances(0);
    EXPECT_NE(first, again);
    EXPECT_EQ(copy, *again); // found anew, the same numbers
}

TEST(Geodesics, BadSurfacesAreErrors)
{
    EXPECT_FALSE(make_heat_geodesics({}, {}));
    EXPECT_FALSE(make_heat_geodesics({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, 1, 2}}));
    EXPECT_FALSE(make_heat_geodesics({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(make_heat_geodesics({{0, 0, 0}, {1, nan, 0}, {0, 1, 0}}, {{0, 1, 2}}));
}
