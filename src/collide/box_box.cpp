// Two boxes by separating axes: 3 + 3 face normals and 9 edge pairs, then the incident face clipped to the reference.
#include "collide/narrow_phase.h"
#include "collide/pair_functions.h"
#include "collide/scratch.h"

#include <algorithm>
#include <limits>

namespace moraine
{
namespace
{

// Cached feature: 1-3 a face of A, 4-6 a face of B, 7-15 an edge pair.
struct Axis
{
    float separation;
    int index;
};

struct Search
{
    float r[3][3]; // r[i][j]: axis j of B along axis i of A
    float abs_r[3][3];
    float t[3]; // centre of B in the frame of A
    float u[3]; // the same along the axes of B
    float a[3];
    float b[3];
};

Search make_search(const PairInput& pair)
{
    Search s;
    const Mat3& m = pair.place.rotation;
    const Vec3 columns[3] = {m.x, m.y, m.z};
    for (int j = 0; j < 3; ++j)
    {
        s.r[0][j] = columns[j].x;
        s.r[1][j] = columns[j].y;
        s.r[2][j] = columns[j].z;
        s.u[j] = dot(columns[j], pair.place.position);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            s.abs_r[i][j] = std::fabs(s.r[i][j]);
    s.t[0] = pair.place.position.x;
    s.t[1] = pair.place.position.y;
    s.t[2] = pair.place.position.z;
    s.a[0] = pair.a.half_extents.x;
    s.a[1] = pair.a.half_extents.y;
    s.a[2] = pair.a.half_extents.z;
    s.b[0] = pair.b.half_extents.x;
    s.b[1] = pair.b.half_extents.y;
    s.b[2] = pair.b.half_extents.z;
    return s;
}

float face_a_separation(const Search& s, int i)
{
    return std::fabs(s.t[i]) - (s.a[i] + s.b[0] * s.abs_r[i][0] + s.b[1] * s.abs_r[i][1] + s.b[2] * s.abs_r[i][2]);
}

float face_b_separation(const Search& s, int j)
{
    return std::fabs(s.u[j]) - (s.b[j] + s.a[0] * s.abs_r[0][j] + s.a[1] * s.abs_r[1][j] + s.a[2] * s.abs_r[2][j]);
}

// Edges closer to parallel than about half a degree are left to the faces.
constexpr float parallel_edges = 1e-4f;

// Anything not above `least` may be returned where the separation is not above it: most edge pairs need no root.
float edge_separation(const Search& s, int i, int j, float least)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const float apart = std::fabs(s.t[i2] * s.r[i1][j] - s.t[i1] * s.r[i2][j]);
    const float reach = s.a[i1] * s.abs_r[i2][j] + s.a[i2] * s.abs_r[i1][j] + s.b[j1] * s.abs_r[i][j2] +
                        s.b[j2] * s.abs_r[i][j1];
    const float scaled = apart - reach; // by the sine of the angle: dividing moves it away from zero
    if (scaled <= std::min(least, 0.0f))
        return scaled;
    const float squared = 1 - s.r[i][j] * s.r[i][j];
    return squared < parallel_edges ? -std::numeric_limits<float>::infinity() : scaled / std::sqrt(squared);
}

float separation_at(const Search& s, int feature)
{
    if (feature < 4)
        return face_a_separation(s, feature - 1);
    if (feature < 7)
        return face_b_separation(s, feature - 4);
    return edge_separation(s, (feature - 7) / 3, (feature - 7) % 3, 0);
}

// The feature to build the contact on, or false with the separating feature. Faces are preferred to edges and A to B
// by a little, and the feature of the last step to all, so that the choice does not flicker.
bool find_axis(const Search& s, float margin, int cached, Axis& chosen)
{
    constexpr float none = -std::numeric_limits<float>::infinity();
    Axis face_a{none, 1}, face_b{none, 4}, edge{none, 7};
    for (int i = 0; i < 3; ++i)
    {
        const float separation = face_a_separation(s, i);
        if (separation > face_a.separation)
            face_a = {separation, 1 + i};
    }
    for (int j = 0; j < 3; ++j)
    {
        const float separation = face_b_separation(s, j);
        if (separation > face_b.separation)
            face_b = {separation, 4 + j};
    }
    chosen = face_a.separation > face_b.separation ? face_a : face_b;
    if (chosen.separation > margin)
        return false;
    // An edge pair must beat the faces by more than any preference for it.
    edge.separation = chosen.separation;
    bool has_edge = false;
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            const float separation = edge_separation(s, i, j, edge.separation);
            if (separation <= edge.separation)
                continue;
            edge = {separation, 7 + 3 * i + j};
            has_edge = true;
        }
    }
    if (has_edge && edge.separation > margin)
    {
        chosen = edge;
        return false;
    }
    const float smallest = std::min({s.a[0], s.a[1], s.a[2], s.b[0], s.b[1], s.b[2]});
    const float absolute = 1e-3f * smallest;
    const auto score = [&](const Axis& axis, float handicap) {
        const float bonus = axis.index == cached ? absolute + 0.02f * std::fabs(axis.separation) : 0.0f;
        return axis.separation + bonus - handicap;
    };
    const float score_a = score(face_a, 0);
    const float score_b = score(face_b, absolute);
    const float score_edge = score(edge, 2 * absolute + 0.05f * std::fabs(edge.separation));
    chosen = score_b > score_a ? face_b : face_a;
    if (has_edge && score_edge > std::max(score_a, score_b))
        chosen = edge;
    return true;
}

struct ClipPoint
{
    float u, v, w;   // along the reference face, across it, above it
    uint32_t corner; // key of the point
    uint32_t edge;   // key of the edge that leaves it
};

// Keeps what is on the inner side of sign * coordinate <= limit. `plane` numbers the clip plane for the keys.
template <int axis>
int clip(const ClipPoint* in, int count, float sign, float limit, uint32_t plane, ClipPoint* out)
{
    int kept = 0;
    for (int i = 0; i < count; ++i)
    {
        const ClipPoint& p = in[i];
        const ClipPoint& q = in[i + 1 == count ? 0 : i + 1];
        const float dp = sign * (axis == 0 ? p.u : p.v) - limit;
        const float dq = sign * (axis == 0 ? q.u : q.v) - limit;
        if (dp <= 0)
            out[kept++] = p;
        if ((dp <= 0) == (dq <= 0))
            continue;
        const float f = dp / (dp - dq);
        // Leaving: the next edge runs along the clip plane. Entering: it is what is left of this edge.
        const uint32_t key = (p.edge << 4) | (8 + plane);
        out[kept++] = {p.u + f * (q.u - p.u), p.v + f * (q.v - p.v), p.w + f * (q.w - p.w), key,
                       dp <= 0 ? 8 + plane : p.edge};
    }
    return kept;
}

// A frame on the reference box: `n` is the axis of the reference face, with its outward sign.
struct Reference
{
    const float* half;          // of the reference box
    const float* incident_half; // of the other
    float rotation[3][3];       // rotation[i][j]: axis j of the incident box along axis i of the reference box
    float center[3];            // of the incident box
    int n;
    float sign;
};

// The corners of the incident face, in the frame of the reference face.
int make_incident_face(const Reference& ref, ClipPoint* out, uint32_t& incident_key)
{
    // The face whose normal is most against the reference normal.
    int k = 0;
    for (int j = 1; j < 3; ++j)
        if (std::fabs(ref.rotation[ref.n][j]) > std::fabs(ref.rotation[ref.n][k]))
            k = j;
    const float side = ref.sign * ref.rotation[ref.n][k] > 0 ? -1.0f : 1.0f;
    incident_key = uint32_t(2 * k + (side > 0));
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    const int iu = (ref.n + 1) % 3, iv = (ref.n + 2) % 3;
    const auto along = [&](int i, float s0, float s1, float s2) {
        return s0 * ref.rotation[i][k] * ref.incident_half[k] + s1 * ref.rotation[i][k1] * ref.incident_half[k1] +
               s2 * ref.rotation[i][k2] * ref.incident_half[k2];
    };
    static constexpr float signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int c = 0; c < 4; ++c)
    {
        const float s1 = signs[c][0], s2 = signs[c][1];
        out[c] = {ref.center[iu] + along(iu, side, s1, s2), ref.center[iv] + along(iv, side, s1, s2),
                  ref.sign * (ref.center[ref.n] + along(ref.n, side, s1, s2)) - ref.half[ref.n], uint32_t(c),
                  uint32_t(c)};
    }
    return 4;
}

int clip_to_reference(ClipPoint* points, ClipPoint* spare, int count, float half_u, float half_v)
{
    bool is_inside = true;
    for (int i = 0; i < count; ++i)
        is_inside &= std::fabs(points[i].u) <= half_u && std::fabs(points[i].v) <= half_v;
    if (is_inside)
        return count;
    count = clip<0>(points, count, 1, half_u, 0, spare);
    count = clip<0>(spare, count, -1, half_u, 1, points);
    count = clip<1>(points, count, 1, half_v, 2, spare);
    return clip<1>(spare, count, -1, half_v, 3, points);
}

constexpr float twin_share = 0.01f; // of the smallest half extent

bool face_contact(const Reference& ref, const PairInput& pair, bool is_on_b, const PointKeys& last, LocalManifold& out)
{
    Scratch<ClipPoint, 12> points, spare;
    uint32_t incident_key = 0;
    int count = make_incident_face(ref, points, incident_key);
    const int iu = (ref.n + 1) % 3, iv = (ref.n + 2) % 3;
    count = clip_to_reference(points, spare, count, ref.half[iu], ref.half[iv]);

    const uint32_t faces = (is_on_b ? contact_key::flipped : 0u) |
                           ((uint32_t(2 * ref.n + (ref.sign > 0)) * 6 + incident_key) << 16);
    Scratch<LocalPoint, 12> found;
    int found_count = 0;
    for (int i = 0; i < count; ++i)
    {
        const ClipPoint& p = points[i];
        if (p.w > pair.margin)
            continue;
        Vec3 position;
        position[iu] = p.u;
        position[iv] = p.v;
        position[ref.n] = ref.sign * (ref.half[ref.n] + 0.5f * p.w);
        found[found_count++] = {is_on_b ? apply(pair.place, position) : position, p.w, faces | p.corner};
    }
    if (found_count == 0)
        return false;
    Vec3 normal{};
    normal[ref.n] = ref.sign;
    // The reference normal leaves the reference box: towards B if that is A.
    if (is_on_b)
        normal = -(pair.place.rotation * normal);
    const float smallest = std::min(
        {ref.half[0], ref.half[1], ref.half[2], ref.incident_half[0], ref.incident_half[1], ref.incident_half[2]});
    found_count = drop_idle_corners(found, found_count, normal, twin_share * smallest, last);
    reduce_points(found, found_count, normal, last, out);
    return true;
}

bool edge_contact(const Search& s, const PairInput& pair, int i, int j, LocalManifold& out)
{
    const Vec3 columns[3] = {pair.place.rotation.x, pair.place.rotation.y, pair.place.rotation.z};
    Vec3 axis_a{};
    axis_a[i] = 1;
    const Vec3 axis_b = columns[j];
    Vec3 normal = normalize(cross(axis_a, axis_b));
    if (dot(normal, pair.place.position) < 0)
        normal = -normal;

    // The middles of the two supporting edges.
    Vec3 p{}, q = pair.place.position;
    uint32_t key = contact_key::edges | uint32_t(i * 3 + j) << 16;
    for (int k = 0; k < 3; ++k)
    {
        if (k != i)
        {
            p[k] = normal[k] > 0 ? s.a[k] : -s.a[k];
            key |= normal[k] > 0 ? 1u << k : 0u;
        }
        if (k != j)
        {
            const bool is_up = dot(normal, columns[k]) < 0;
            q += columns[k] * (is_up ? s.b[k] : -s.b[k]);
            key |= is_up ? 8u << k : 0u;
        }
    }
    // Closest points of the two lines, kept on the edges.
    const Vec3 d = q - p;
    const float c = s.r[i][j];
    const float da = d[i], db = dot(d, axis_b);
    const float f = 1 / (1 - c * c);
    const float along_a = std::clamp((da - c * db) * f, -s.a[i], s.a[i]);
    const float along_b = std::clamp((c * da - db) * f, -s.b[j], s.b[j]);
    p[i] = along_a;
    q += axis_b * along_b;
    const float separation = dot(q - p, normal);
    // A gap that is wider than it looks along the axis: the edges pass each other.
    if (separation > 0 && length_squared(q - p) > pair.margin * pair.margin)
        return false;
    out.normal = normal;
    out.count = 1;
    out.points[0] = {0.5f * (p + q), separation, key};
    return true;
}

Reference make_reference(const Search& s, int feature)
{
    Reference ref;
    const bool is_on_b = feature >= 4;
    ref.n = is_on_b ? feature - 4 : feature - 1;
    ref.half = is_on_b ? s.b : s.a;
    ref.incident_half = is_on_b ? s.a : s.b;
    for (int i = 0; i < 3; ++i)
    {
        ref.center[i] = is_on_b ? -s.u[i] : s.t[i];
        for (int j = 0; j < 3; ++j)
            ref.rotation[i][j] = is_on_b ? s.r[j][i] : s.r[i][j];
    }
    ref.sign = ref.center[ref.n] < 0 ? -1.0f : 1.0f;
    return ref;
}

} // namespace

bool collide_box_box(const PairInput& pair, PairCache& cache, LocalManifold& out)
{
    const Search s = make_search(pair);
    const int cached = cache.feature <= 15 ? int(cache.feature) : 0;
    if (cached > 0 && separation_at(s, cached) > pair.margin)
        return false;
    Axis axis;
    const bool is_near = find_axis(s, pair.margin, cached, axis);
    cache.feature = uint32_t(axis.index);
    if (!is_near)
        return false;
    if (axis.index >= 7)
        return edge_contact(s, pair, (axis.index - 7) / 3, (axis.index - 7) % 3, out);
    return face_contact(make_reference(s, axis.index), pair, axis.index >= 4, cache.last, out);
}

} // namespace moraine
