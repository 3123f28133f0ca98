// Triangle surfaces before they become models: primitives, mending, refining.
#pragma once

#include <moraine/math.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace moraine
{

using Triangle = std::array<uint32_t, 3>;

struct Surface
{
    std::vector<Vec3> vertices{};
    std::vector<Triangle> triangles{}; // counter-clockwise seen from outside
};

Surface make_box_surface(Vec3 size, Vec3 center = {});
Surface make_sphere_surface(float radius, int divisions);
Surface make_cylinder_surface(float radius, float length, int segments); // along y

// Vertices in one place become one, triangles without area go. Both come often from files.
Surface weld(const Surface& surface, float tolerance);

// Splits edges, without gaps, until none is longer.
Surface refine(Surface surface, float longest_edge);

struct SurfaceReport
{
    int parts = 0; // connected by edges
    int parts_without_volume = 0;
    int open_edges = 0;    // with one triangle
    int crowded_edges = 0; // with more than two
    int flipped_edges = 0; // whose two triangles do not agree which side is outside
    double volume = 0;     // enclosed, by the divergence theorem
    double area = 0;
};

SurfaceReport inspect(const Surface& surface);

std::vector<Vec3> vertex_normals(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles);

double surface_area(const Surface& surface);
float bounding_box(const std::vector<Vec3>& vertices, Vec3& lower, Vec3& upper); // gives its diagonal

} // namespace moraine
