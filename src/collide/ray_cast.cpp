// Rays against one shape. Each kind is asked in its own frame.
#include "collide/height_field_walk.h"
#include "collide/shape_query.h"
#include "collide/triangle_math.h"
#include "geometry/hull.h"
#include "geometry/mesh.h"

#include <algorithm>

namespace moraine
{

namespace
{

using Hit = std::optional<ShapeRayHit>;

struct Ray
{
    Vec3 origin{};
    Vec3 translation{};
};

Hit hit_from_inside(const Ray& ray) { return ShapeRayHit{0, normalize(-ray.translation)}; }

Hit earlier(const Hit& a, const Hit& b)
{
    if (!a || !b)
        return a ? a : b;
    return b->fraction < a->fraction ? b : a;
}

// Smaller root of |o + t d|² = r², o outside. In double, and with o moved next to the centre first: a far ray at a
// small ball would otherwise lose all digits.
std::optional<float> enter_ball(DVec3 o, DVec3 d, double radius)
{
    const double dd = dot(d, d);
    if (dd == 0)
        return std::nullopt;
    const double nearest = -dot(o, d) / dd;
    const DVec3 closest = o + d * nearest;
    const double inside = radius * radius - dot(closest, closest);
    if (inside < 0)
        return std::nullopt;
    const double t = nearest - std::sqrt(inside / dd);
    if (!(t >= 0 && t <= 1))
        return std::nullopt;
    return float(t);
}

Hit cast_at_ball(const Ray& ray, Vec3 centre, float radius)
{
    const Vec3 o = ray.origin - centre;
    if (length_squared(o) <= radius * radius)
        return hit_from_inside(ray);
    const auto t = enter_ball(o, ray.translation, radius);
    if (!t)
        return std::nullopt;
    return ShapeRayHit{*t, normalize(o + *t * ray.translation)};
}

// The side of a cylinder about y, |y| <= half_length; the origin outside the infinite cylinder.
Hit cast_at_side(const Ray& ray, float radius, float half_length)
{
    const Vec3 o = ray.origin, d = ray.translation;
    const auto t = enter_ball(DVec3(o.x, 0, o.z), DVec3(d.x, 0, d.z), radius);
    if (!t || std::fabs(o.y + *t * d.y) > half_length)
        return std::nullopt;
    return ShapeRayHit{*t, normalize(Vec3{o.x + *t * d.x, 0, o.z + *t * d.z})};
}

Hit cast_at_capsule(const Ray& ray, float radius, float half_length)
{
    const Vec3 o = ray.origin;
    const Vec3 on_axis{0, std::clamp(o.y, -half_length, half_length), 0};
    if (length_squared(o - on_axis) <= radius * radius)
        return hit_from_inside(ray);
    const Hit caps = earlier(cast_at_ball(ray, {0, half_length, 0}, radius),
                             cast_at_ball(ray, {0, -half_length, 0}, radius));
    const bool is_beside = o.x * o.x + o.z * o.z > radius * radius;
    return is_beside ? earlier(cast_at_side(ray, radius, half_length), caps) : caps;
}

Hit cast_at_cylinder(const Ray& ray, float radius, float half_length)
{
    const Vec3 o = ray.origin, d = ray.translation;
    const bool is_beside = o.x * o.x + o.z * o.z > radius * radius;
    if (!is_beside && std::fabs(o.y) <= half_length)
        return hit_from_inside(ray);
    Hit hit = is_beside ? cast_at_side(ray, radius, half_length) : std::nullopt;
    const float y = o.y > 0 ? half_length : -half_length;
    if (std::fabs(o.y) <= half_length || o.y * d.y >= 0)
        return hit;
    const float t = (y - o.y) / d.y;
    const float x = o.x + t * d.x, z = o.z + t * d.z;
    if (t >= 0 && t <= 1 && x * x + z * z <= radius * radius)
        hit = earlier(hit, ShapeRayHit{t, {0, o.y > 0 ? 1.0f : -1.0f, 0}});
    return hit;
}

// The ray against half-spaces dot(normal, p) <= offset, one after the other.
struct PlaneClip
{
    float enter = -1;
    float leave = 2;
    Vec3 normal{};
    bool is_missed = false;

    void add(const Ray& ray, Vec3 n, float offset)
    {
        const float height = dot(n, ray.origin) - offset;
        const float rate = dot(n, ray.translation);
        if (rate == 0)
        {
            is_missed = is_missed || height > 0;
            return;
        }
        const float t = -height / rate;
        if (rate > 0)
            leave = std::min(leave, t);
        else if (t > enter)
        {
            enter = t;
            normal = n;
        }
    }
    Hit hit(const Ray& ray) const
    {
        if (is_missed || enter > leave || enter > 1 || leave < 0)
            return std::nullopt;
        return enter < 0 ? hit_from_inside(ray) : ShapeRayHit{enter, normal};
    }
};

Hit cast_at_box(const Ray& ray, Vec3 h)
{
    PlaneClip clip;
    for (int axis = 0; axis < 3; ++axis)
        for (const float sign : {-1.0f, 1.0f})
        {
            Vec3 normal{};
            normal[axis] = sign;
            clip.add(ray, normal, h[axis]);
        }
    return clip.hit(ray);
}

Hit cast_at_hull(const Ray& ray, const Hull& hull)
{
    PlaneClip clip;
    for (const HullFace& face : hull.faces)
        clip.add(ray, face.normal, face.offset);
    return clip.hit(ray);
}

Hit cast_at_half_space(const Ray& ray)
{
    if (ray.origin.y <= 0)
        return hit_from_inside(ray);
    const float t = ray.translation.y < 0 ? -ray.origin.y / ray.translation.y : 2.0f;
    return t <= 1 ? Hit(ShapeRayHit{t, {0, 1, 0}}) : std::nullopt;
}

Hit cast_at_corners(const Ray& ray, const Vec3* corners, Vec3 normal)
{
    const auto t = cast_ray_at_triangle(ray.origin, ray.translation, corners);
    if (!t)
        return std::nullopt;
    return ShapeRayHit{*t, dot(normal, ray.translation) > 0 ? -normal : normal};
}

// `cast` is that of the mesh's tree or of the height field.
template <class Surface, class Cast>
Hit cast_at_surface(const Ray& ray, const Surface& surface, Cast&& cast)
{
    Hit best;
    cast([&](int32_t index, float max_fraction) {
        const Triangle triangle = triangle_at(surface, index);
        best = earlier(best, cast_at_corners(ray, triangle.corners, triangle.normal));
        return best ? std::min(best->fraction, max_fraction) : max_fraction;
    });
    return best;
}

Hit cast_at_mesh(const Ray& ray, const Mesh& mesh)
{
    // The tree is asked in float, the triangles in double: a hair wider, so that the tree hides none.
    const float slack = 2e-6f * (max_component(abs(ray.origin)) + max_component(abs(ray.translation)));
    return cast_at_surface(ray, mesh, [&](auto&& visit) {
        mesh.tree.cast(ray.origin, ray.translation, {slack, slack, slack}, visit);
    });
}

Hit cast_at_height_field(const Ray& ray, const HeightField& field)
{
    return cast_at_surface(ray, field, [&](auto&& visit) {
        cast_at_triangles(field, ray.origin, ray.translation, {0, 0, 0}, visit);
    });
}

Hit cast_at_shape(const Shape& shape, const Ray& ray)
{
    switch (shape.kind)
    {
    case ShapeKind::sphere: return cast_at_ball(ray, {0, 0, 0}, shape.radius);
    case ShapeKind::capsule: return cast_at_capsule(ray, shape.radius, shape.half_length);
    case ShapeKind::box: return cast_at_box(ray, shape.half_extents);
    case ShapeKind::cylinder: return cast_at_cylinder(ray, shape.radius, shape.half_length);
    case ShapeKind::hull: return cast_at_hull(ray, *shape.hull);
    case ShapeKind::half_space: return cast_at_half_space(ray);
    case ShapeKind::mesh: return cast_at_mesh(ray, *shape.mesh);
    case ShapeKind::height_field: return cast_at_height_field(ray, *shape.height_field);
    case ShapeKind::triangle:
    {
        const Vec3* c = shape.triangle;
        return cast_at_corners(ray, c, normalize(cross(c[1] - c[0], c[2] - c[0])));
    }
    }
    return std::nullopt;
}

} // namespace

std::optional<ShapeRayHit> ray_cast(const Shape& shape, const Transform& pose, Vec3 origin, Vec3 translation)
{
    if (!is_finite(origin) || !is_finite(translation))
        return std::nullopt;
    const Ray local{apply_inverse(pose, origin), inverse_rotate(pose.rotation, translation)};
    Hit hit = cast_at_shape(shape, local);
    if (hit)
        hit->normal = rotate(pose.rotation, hit->normal);
    return hit;
}

} // namespace moraine
