// Spheres and capsules in closed form.
#include "collide/pair_functions.h"

#include <algorithm>

namespace moraine
{
namespace
{

// Two points with rounding around them. `fallback` is the normal where they coincide.
bool collide_rounded_points(Vec3 p, float radius_p, Vec3 q, float radius_q, float margin, Vec3 fallback, uint32_t key,
                            LocalManifold& out)
{
    const Vec3 d = q - p;
    const float reach = radius_p + radius_q + margin;
    const float squared = length_squared(d);
    if (squared > reach * reach)
        return false;
    const Vec3 normal = normalize(d, fallback);
    set_single_point(out, normal, p + normal * radius_p, std::sqrt(squared) - radius_p - radius_q, key);
    return true;
}

struct SurfacePoint
{
    Vec3 point;
    Vec3 normal; // out of the solid; only where the query point is inside
    bool is_inside;
};

SurfacePoint closest_on_box(Vec3 half, Vec3 p)
{
    const Vec3 clamped = min(max(p, -half), half);
    if (clamped != p)
        return {clamped, {}, false};
    // Inside: out through the nearest face.
    const Vec3 room = half - abs(p);
    const int k = room.x <= room.y && room.x <= room.z ? 0 : room.y <= room.z ? 1 : 2;
    SurfacePoint result{p, {}, true};
    const float sign = p[k] < 0 ? -1.0f : 1.0f;
    result.normal[k] = sign;
    result.point[k] = sign * half[k];
    return result;
}

SurfacePoint closest_on_cylinder(const Shape& shape, Vec3 p)
{
    const float side = std::hypot(p.x, p.z);
    const Vec3 radial = side > 0 ? Vec3{p.x / side, 0, p.z / side} : Vec3{1, 0, 0};
    const float y = std::clamp(p.y, -shape.half_length, shape.half_length);
    const float r = std::min(side, shape.radius);
    if (y != p.y || side > shape.radius)
        return {Vec3{r * radial.x, y, r * radial.z}, {}, false};
    const float sign = p.y < 0 ? -1.0f : 1.0f;
    if (shape.half_length - std::fabs(p.y) < shape.radius - side)
        return {{p.x, sign * shape.half_length, p.z}, {0, sign, 0}, true};
    return {{radial.x * shape.radius, p.y, radial.z * shape.radius}, radial, true};
}

// A sphere at the origin of A against a solid whose closest point is known in the frame of B.
bool collide_sphere_solid(const PairInput& pair, const SurfacePoint& closest, Vec3 center, LocalManifold& out)
{
    const float radius = pair.a.radius;
    const Vec3 d = closest.point - center; // frame of B
    const float squared = length_squared(d);
    Vec3 normal;
    float separation;
    if (closest.is_inside)
    {
        normal = -closest.normal;
        separation = -std::sqrt(squared) - radius;
    }
    else
    {
        const float reach = radius + pair.margin;
        if (squared > reach * reach)
            return false;
        normal = normalize(d, normalize(-center));
        separation = std::sqrt(squared) - radius;
    }
    const Vec3 n = pair.place.rotation * normal;
    set_single_point(out, n, n * radius, separation, contact_key::single);
    return true;
}

Vec3 closest_on_triangle(const Vec3* t, Vec3 p)
{
    const Vec3 ab = t[1] - t[0], ac = t[2] - t[0];
    const Vec3 n = cross(ab, ac);
    const float area = length_squared(n);
    if (area > 1e-30f)
    {
        const Vec3 ap = p - t[0];
        const float v = dot(cross(ap, ac), n) / area, w = dot(cross(ab, ap), n) / area;
        if (v >= 0 && w >= 0 && v + w <= 1)
            return t[0] + ab * v + ac * w;
    }
    Vec3 best = t[0];
    float best_squared = length_squared(p - best);
    for (int i = 0; i < 3; ++i)
    {
        const Vec3 a = t[i], e = t[(i + 1) % 3] - a;
        const float squared = length_squared(e);
        const float f = squared > 0 ? std::clamp(dot(p - a, e) / squared, 0.0f, 1.0f) : 0.0f;
        const Vec3 q = a + e * f;
        if (length_squared(p - q) >= best_squared)
            continue;
        best = q;
        best_squared = length_squared(p - q);
    }
    return best;
}

} // namespace

bool collide_sphere_sphere(const PairInput& pair, LocalManifold& out)
{
    return collide_rounded_points({}, pair.a.radius, pair.place.position, pair.b.radius, pair.margin, {0, 1, 0},
                                  contact_key::single, out);
}

bool collide_sphere_capsule(const PairInput& pair, LocalManifold& out)
{
    const Vec3 axis = pair.place.rotation.y;
    const float h = pair.b.half_length;
    const float along = std::clamp(-dot(pair.place.position, axis), -h, h);
    return collide_rounded_points({}, pair.a.radius, pair.place.position + axis * along, pair.b.radius, pair.margin,
                                  perpendicular(axis), contact_key::single, out);
}

bool collide_sphere_box(const PairInput& pair, LocalManifold& out)
{
    const Vec3 center = apply_inverse(pair.place, {});
    return collide_sphere_solid(pair, closest_on_box(pair.b.half_extents, center), center, out);
}

bool collide_sphere_cylinder(const PairInput& pair, LocalManifold& out)
{
    const Vec3 center = apply_inverse(pair.place, {});
    return collide_sphere_solid(pair, closest_on_cylinder(pair.b, center), center, out);
}

bool collide_sphere_triangle(const PairInput& pair, LocalManifold& out)
{
    const Vec3 center = apply_inverse(pair.place, {});
    const Vec3* t = pair.b.triangle;
    const Vec3 d = closest_on_triangle(t, center) - center;
    const float reach = pair.a.radius + pair.margin;
    const float squared = length_squared(d);
    if (squared > reach * reach)
        return false;
    // A centre exactly on the triangle is pushed out of its front.
    const Vec3 front = normalize(cross(t[1] - t[0], t[2] - t[0]));
    const Vec3 n = pair.place.rotation * normalize(d, -front);
    set_single_point(out, n, n * pair.a.radius, std::sqrt(squared) - pair.a.radius, contact_key::single);
    return true;
}

namespace
{

// Parameters of the closest points of two segments p + s u, q + t v with |s| <= h, |t| <= k; u and v are unit.
void closest_on_axes(Vec3 d, Vec3 u, Vec3 v, float h, float k, float& s, float& t)
{
    const float c = dot(u, v), du = dot(d, u), dv = dot(d, v);
    const float denominator = 1 - c * c;
    s = denominator > 1e-6f ? std::clamp((du - c * dv) / denominator, -h, h) : std::clamp(du, -h, h);
    t = c * s - dv;
    if (std::fabs(t) > k)
    {
        t = std::clamp(t, -k, k);
        s = std::clamp(c * t + du, -h, h);
    }
}

// Side by side: contacts at both ends of the part they have in common. Keys say which end of which capsule.
bool collide_parallel_capsules(const PairInput& pair, Vec3 normal, LocalManifold& out)
{
    const Vec3 u{0, 1, 0}, v = pair.place.rotation.y, d = pair.place.position;
    const float h = pair.a.half_length, k = pair.b.half_length;
    const float c = v.y < 0 ? -1.0f : 1.0f;
    const float low = std::max(-h, d.y - k * std::fabs(v.y)), high = std::min(h, d.y + k * std::fabs(v.y));
    // Too short to be worth two points.
    if (high - low < 0.05f * std::min(h, k))
        return false;
    const float ends[2] = {low, high};
    out.normal = normal;
    out.count = 0;
    for (int i = 0; i < 2; ++i)
    {
        const Vec3 on_a = u * ends[i];
        const Vec3 on_b = d + v * std::clamp(c * (ends[i] - d.y), -k, k);
        const float separation = dot(on_b - on_a, normal) - pair.a.radius - pair.b.radius;
        if (separation > pair.margin)
            continue;
        const bool is_end_of_a = ends[i] == (i == 0 ? -h : h);
        out.points[out.count++] = {on_a + normal * (pair.a.radius + 0.5f * separation), separation,
                                   uint32_t(2 + 2 * i + is_end_of_a)};
    }
    return out.count > 0;
}

} // namespace

bool collide_capsule_capsule(const PairInput& pair, LocalManifold& out)
{
    const Vec3 u{0, 1, 0}, v = pair.place.rotation.y, d = pair.place.position;
    float s, t;
    closest_on_axes(d, u, v, pair.a.half_length, pair.b.half_length, s, t);
    if (!collide_rounded_points(u * s, pair.a.radius, d + v * t, pair.b.radius, pair.margin, perpendicular(u),
                                contact_key::single, out))
        return false;
    // Within about six degrees of parallel, and touching on their sides.
    if (std::fabs(v.y) < 0.995f || std::fabs(dot(out.normal, u)) > 0.1f)
        return true;
    LocalManifold two;
    if (collide_parallel_capsules(pair, out.normal, two) && two.count == 2)
    {
        two.key = out.key;
        out = two;
    }
    return true;
}

} // namespace moraine
