// Penetration by expanding a polytope inside the Minkowski difference until its nearest face is on the border.
#include "collide/gjk_simplex.h"
#include "collide/scratch.h"

#include <algorithm>
#include <limits>

namespace moraine
{
namespace
{

constexpr int max_vertices = 96;
constexpr int max_faces = 2 * max_vertices;

struct Face
{
    int vertex[3];
    DVec3 normal;
    double distance;
};

struct Polytope
{
    Scratch<DVec3, max_vertices> w;
    Scratch<DVec3, max_vertices> a;
    int vertex_count = 0;
    Scratch<Face, max_faces> faces;
    int face_count = 0;
    double size = 0; // largest coordinate scale, for tolerances
};

void add_vertex(Polytope& p, const Core& a, const Core& b, DVec3 direction)
{
    p.a[p.vertex_count] = support(a, direction);
    p.w[p.vertex_count] = p.a[p.vertex_count] - support(b, -direction);
    p.size = std::max(p.size, length(p.w[p.vertex_count]));
    ++p.vertex_count;
}

// Faces without area get an infinite distance: they close the polytope but are never the nearest.
void add_face(Polytope& p, int i, int j, int k)
{
    Face& f = p.faces[p.face_count++];
    f = {{i, j, k}, cross(p.w[j] - p.w[i], p.w[k] - p.w[i]), std::numeric_limits<double>::infinity()};
    const double area = length(f.normal);
    if (area <= 1e-14 * p.size * p.size)
        return;
    f.normal = f.normal * (1 / area);
    f.distance = dot(f.normal, p.w[i]);
}

// How far the vertex is off the point, line or plane through the ones before it.
double offset_from_flat(const Polytope& p, int dimension, DVec3 w)
{
    const DVec3 d = w - p.w[0];
    if (dimension == 0)
        return length(d);
    const DVec3 e = p.w[1] - p.w[0];
    if (dimension == 1)
        return length(cross(e, d)) / length(e);
    const DVec3 n = cross(e, p.w[2] - p.w[0]);
    return std::fabs(dot(n, d)) / length(n);
}

// Directions at right angles to what there is already, in which to look for the next vertex.
int search_directions(const Polytope& p, int dimension, DVec3* out)
{
    if (dimension == 0)
    {
        const DVec3 axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
        std::copy(axes, axes + 6, out);
        return 6;
    }
    const DVec3 e = p.w[1] - p.w[0];
    if (dimension == 1)
    {
        const DVec3 u = any_perpendicular(e), t = cross(e, u) * (1 / length(e));
        const DVec3 around[6] = {u, t, -u, -t, u + t, u - t};
        std::copy(around, around + 6, out);
        return 6;
    }
    const DVec3 n = cross(e, p.w[2] - p.w[0]);
    out[0] = n;
    out[1] = -n;
    return 2;
}

// Grows the GJK simplex to a tetrahedron. Returns its dimension, less than 3 where A - B is flat.
int make_tetrahedron(Polytope& p, const Core& a, const Core& b, const Simplex& simplex, DVec3& flat_normal)
{
    for (int i = 0; i < simplex.count; ++i)
        p.size = std::max(p.size, length(simplex.w[i]));
    int dimension = -1;
    for (int i = 0; i < simplex.count; ++i)
    {
        if (dimension >= 0 && offset_from_flat(p, dimension, simplex.w[i]) <= 1e-9 * p.size)
            continue;
        p.w[p.vertex_count] = simplex.w[i];
        p.a[p.vertex_count++] = simplex.a[i];
        ++dimension;
    }
    while (dimension < 3)
    {
        DVec3 directions[6];
        const int count = search_directions(p, dimension, directions);
        bool has_grown = false;
        for (int i = 0; i < count && !has_grown; ++i)
        {
            add_vertex(p, a, b, directions[i]);
            has_grown = offset_from_flat(p, dimension, p.w[p.vertex_count - 1]) > 1e-9 * p.size;
            p.vertex_count -= has_grown ? 0 : 1;
        }
        if (!has_grown)
        {
            flat_normal = directions[0];
            return dimension;
        }
        ++dimension;
    }
    return 3;
}

void make_first_faces(Polytope& p)
{
    if (dot(cross(p.w[1] - p.w[0], p.w[2] - p.w[0]), p.w[3] - p.w[0]) > 0)
    {
        std::swap(p.w[1], p.w[2]);
        std::swap(p.a[1], p.a[2]);
    }
    add_face(p, 0, 1, 2);
    add_face(p, 0, 3, 1);
    add_face(p, 0, 2, 3);
    add_face(p, 1, 3, 2);
}

struct Edge
{
    int from, to;
};

// Removes the faces that the new vertex sees and closes the hole with faces to it. False when out of room.
bool expand(Polytope& p, int vertex)
{
    Edge horizon[max_faces];
    int horizon_count = 0;
    const auto add_edge = [&](int from, int to) {
        for (int i = 0; i < horizon_count; ++i)
        {
            if (horizon[i].from != to || horizon[i].to != from)
                continue;
            horizon[i] = horizon[--horizon_count];
            return true;
        }
        if (horizon_count == max_faces)
            return false;
        horizon[horizon_count++] = {from, to};
        return true;
    };
    for (int i = 0; i < p.face_count;)
    {
        const Face f = p.faces[i];
        const bool is_seen = dot(f.normal, p.w[vertex] - p.w[f.vertex[0]]) > 1e-12 * p.size;
        if (!is_seen)
        {
            ++i;
            continue;
        }
        for (int k = 0; k < 3; ++k)
            if (!add_edge(f.vertex[k], f.vertex[(k + 1) % 3]))
                return false;
        p.faces[i] = p.faces[--p.face_count];
    }
    if (p.face_count + horizon_count > max_faces || horizon_count == 0)
        return false;
    for (int i = 0; i < horizon_count; ++i)
        add_face(p, horizon[i].from, horizon[i].to, vertex);
    return true;
}

int nearest_face(const Polytope& p)
{
    int best = 0;
    for (int i = 1; i < p.face_count; ++i)
        if (p.faces[i].distance < p.faces[best].distance)
            best = i;
    return best;
}

// The point of A that belongs to the point of the face closest to the origin.
DVec3 witness(const Polytope& p, const Face& f)
{
    Simplex s;
    for (int i = 0; i < 3; ++i)
    {
        s.w[i] = p.w[f.vertex[i]];
        s.a[i] = p.a[f.vertex[i]];
    }
    s.count = 3;
    reduce_to_closest(s);
    return point_on_a(s);
}

} // namespace

Deepest run_epa(const Core& a, const Core& b, const Simplex& simplex)
{
    Polytope p;
    DVec3 flat_normal{0, 1, 0};
    if (make_tetrahedron(p, a, b, simplex, flat_normal) < 3)
    {
        // The origin lies in a flat A - B: any push across the flat separates.
        DVec3 on_a{};
        for (int i = 0; i < simplex.count; ++i)
            on_a += simplex.a[i] * (1.0 / simplex.count);
        return {flat_normal * (1 / length(flat_normal)), on_a, 0};
    }
    make_first_faces(p);
    Face best = p.faces[nearest_face(p)];
    while (p.vertex_count < max_vertices)
    {
        add_vertex(p, a, b, best.normal);
        const double gap = dot(best.normal, p.w[p.vertex_count - 1]) - best.distance;
        if (gap <= 1e-7 * p.size + 1e-5 * std::max(best.distance, 0.0))
            break;
        if (!expand(p, p.vertex_count - 1))
            break;
        const Face& next = p.faces[nearest_face(p)];
        // Rounding: only faces without area are left.
        if (!std::isfinite(next.distance))
            break;
        best = next;
    }
    return {best.normal, witness(p, best), std::max(best.distance, 0.0)};
}

PenetrationResult penetration(const ConvexView& a, const ConvexView& b)
{
    const CorePair pair = make_core_pair(a, b);
    const GjkState state = run_gjk(pair.a, pair.b, {}, std::numeric_limits<double>::infinity());
    PenetrationResult result;
    Deepest deepest;
    if (state.is_overlapping)
        deepest = run_epa(pair.a, pair.b, state.simplex);
    else
    {
        // Only the roundings can overlap.
        const double core_distance = length(state.v);
        deepest.on_a = point_on_a(state.simplex);
        deepest.normal = state.v * (-1 / core_distance);
        deepest.depth = -core_distance;
    }
    const DVec3 n = pair.rotation * deepest.normal;
    const DVec3 on_a = pair.rotation * deepest.on_a + pair.position;
    result.depth = float(deepest.depth + a.radius + b.radius);
    result.normal = Vec3(n);
    result.point_a = Vec3(on_a + n * a.radius);
    result.point_b = Vec3(on_a - n * (deepest.depth + b.radius));
    result.is_valid = result.depth >= 0 && is_finite(result.normal) && is_finite(result.point_a);
    return result;
}

} // namespace moraine
