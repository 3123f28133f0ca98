#include "geometry/shape.h"

#include "geometry/hull.h"
#include "geometry/mesh.h"

#include <algorithm>

namespace moraine
{

namespace
{

// A half-space is bounded by numbers far beyond any scene, and finite: centres and areas of infinite boxes are NaN.
constexpr float far_away = 1e9f;

template <class... Functions>
struct Overloaded : Functions...
{
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>; // clang 14 does not find this by itself

void set_geometry(Shape& shape, const Sphere& sphere)
{
    const float r = sphere.radius;
    shape.kind = ShapeKind::sphere;
    shape.radius = r;
    shape.inner_radius = r;
    shape.bounds = {{-r, -r, -r}, {r, r, r}};
}

void set_geometry(Shape& shape, const Capsule& capsule)
{
    const Vec3 h{capsule.radius, capsule.half_length + capsule.radius, capsule.radius};
    shape.kind = ShapeKind::capsule;
    shape.radius = capsule.radius;
    shape.half_length = capsule.half_length;
    shape.inner_radius = capsule.radius;
    shape.bounds = {-h, h};
}

void set_geometry(Shape& shape, const Cylinder& cylinder)
{
    const Vec3 h{cylinder.radius, cylinder.half_length, cylinder.radius};
    shape.kind = ShapeKind::cylinder;
    shape.radius = cylinder.radius;
    shape.half_length = cylinder.half_length;
    shape.inner_radius = std::min(cylinder.radius, cylinder.half_length);
    shape.bounds = {-h, h};
}

void set_geometry(Shape& shape, const Box& box)
{
    shape.kind = ShapeKind::box;
    shape.half_extents = box.half_extents;
    shape.inner_radius = min_component(box.half_extents);
    shape.bounds = {-box.half_extents, box.half_extents};
}

void set_geometry(Shape& shape, const HalfSpace&)
{
    shape.kind = ShapeKind::half_space;
    shape.bounds = {{-far_away, -far_away, -far_away}, {far_away, 0, far_away}};
}

void set_geometry(Shape& shape, const HullRef& hull)
{
    shape.kind = ShapeKind::hull;
    shape.hull = hull.get();
    shape.inner_radius = hull->inner_radius;
    shape.bounds = hull->bounds;
}

void set_geometry(Shape& shape, const MeshRef& mesh)
{
    shape.kind = ShapeKind::mesh;
    shape.mesh = mesh.get();
    shape.bounds = mesh->bounds;
}

void set_geometry(Shape& shape, const HeightFieldRef& field)
{
    shape.kind = ShapeKind::height_field;
    shape.height_field = field.get();
    shape.bounds = field->bounds;
}

bool is_size(float v) { return std::isfinite(v) && v > 0; }

std::string geometry_problem(const Geometry& geometry)
{
    const auto is_missing = [](const auto& asset) { return asset == nullptr; };
    return std::visit(
        Overloaded{[](const Sphere& s) -> std::string {
                       return is_size(s.radius) ? "" : "sphere radius must be a finite number above 0: set radius";
                   },
                   [](const Capsule& c) -> std::string {
                       if (!is_size(c.radius))
                           return "capsule radius must be a finite number above 0: set radius";
                       return is_size(c.half_length)
                                  ? ""
                                  : "capsule half_length must be a finite number above 0: set it, or "
                                    "use a sphere where there is no straight part";
                   },
                   [](const Cylinder& c) -> std::string {
                       return is_size(c.radius) && is_size(c.half_length)
                                  ? ""
                                  : "cylinder radius and half_length must be finite numbers above 0: set both";
                   },
                   [](const Box& b) -> std::string {
                       return is_finite(b.half_extents) && min_component(b.half_extents) > 0
                                  ? ""
                                  : "box half_extents must be finite numbers above 0: give half the side lengths";
                   },
                   [](const HalfSpace&) -> std::string { return ""; },
                   [&](const HullRef& hull) -> std::string {
                       return is_missing(hull) ? "hull is missing: make it with make_hull and check the result" : "";
                   },
                   [&](const MeshRef& mesh) -> std::string {
                       return is_missing(mesh) ? "mesh is missing: make it with make_mesh and check the result" : "";
                   },
                   [&](const HeightFieldRef& field) -> std::string {
                       return is_missing(field)
                                  ? "height field is missing: make it with make_height_field and check the result"
                                  : "";
                   }},
        geometry);
}

bool is_surface(const Geometry& geometry)
{
    return std::holds_alternative<HalfSpace>(geometry) || std::holds_alternative<MeshRef>(geometry) ||
           std::holds_alternative<HeightFieldRef>(geometry);
}

} // namespace

Shape make_shape(const ShapeDef& def, const Transform& pose)
{
    Shape shape;
    shape.friction = def.friction;
    shape.restitution = def.restitution;
    shape.pose = {pose.position, normalize(pose.rotation)};
    std::visit([&](const auto& geometry) { set_geometry(shape, geometry); }, def.geometry);
    return shape;
}

std::string shape_problem(const ShapeDef& def)
{
    const std::string problem = geometry_problem(def.geometry);
    if (!problem.empty())
        return problem;
    if (!is_finite(def.pose.position))
        return "shape position is not finite: give a position in the body's frame";
    if (!is_finite(def.pose.rotation) || std::fabs(dot(def.pose.rotation, def.pose.rotation) - 1) > 1e-2f)
        return "shape rotation is not a unit quaternion: normalize it";
    if (!std::isfinite(def.density) || def.density < 0)
        return "density must be a finite number, 0 or more: give it in kg/m^3";
    if (!std::isfinite(def.friction) || def.friction < 0)
        return "friction must be a finite number, 0 or more: 0.5 is usual";
    if (!(def.restitution >= 0 && def.restitution <= 1))
        return "restitution must be between 0 (no bounce) and 1 (full bounce): change it";
    if (is_surface(def.geometry) || def.density == 0)
        return "";

    // The solver divides by masses and inertias: both must be far inside the range of float.
    const MassProperties mass = mass_properties(def);
    const Vec3 moments{mass.inertia.x.x, mass.inertia.y.y, mass.inertia.z.z};
    if (!(mass.mass > 1e-25f && min_component(moments) > 1e-25f))
        return "shape is too small or too light to simulate: check the units (metres, kg/m^3)";
    if (!(mass.mass < 1e25f && max_component(moments) < 1e25f))
        return "shape is too large or too heavy to simulate: check the units (metres, kg/m^3)";
    return "";
}

} // namespace moraine
