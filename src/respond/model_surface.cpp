#include "respond/model_surface.h"

#include "collide/triangle_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace moraine
{

namespace
{

float distance_squared(const Aabb& box, Vec3 p) { return length_squared(p - max(box.lower, min(p, box.upper))); }

Vec3 corner(const ResponseModel& model, uint32_t triangle, int i)
{
    return model.vertices[model.triangles[triangle][size_t(i)]];
}

// Of a point in the triangle's plane, by areas. A triangle without area gives its first corner.
Vec3 weights_of(const ResponseModel& model, uint32_t triangle, Vec3 p)
{
    const Vec3 a = corner(model, triangle, 0), b = corner(model, triangle, 1), c = corner(model, triangle, 2);
    const Vec3 normal = cross(b - a, c - a);
    const float area = dot(normal, normal);
    if (!(area > 0))
        return {1, 0, 0};
    const float u = std::clamp(dot(cross(c - b, p - b), normal) / area, 0.0f, 1.0f);
    const float v = std::clamp(dot(cross(a - c, p - c), normal) / area, 0.0f, 1.0f - u);
    return {u, v, 1 - u - v};
}

// Branch and bound, the nearer child first.
struct Nearest
{
    const ModelSurface& surface;
    Vec3 point;
    float best = std::numeric_limits<float>::infinity();
    uint32_t triangle = 0;
    Vec3 at{};

    void visit(int32_t index)
    {
        const Bvh::Node& node = surface.tree.nodes()[size_t(index)];
        if (node.is_leaf())
        {
            visit_triangle(uint32_t(node.item));
            return;
        }
        int32_t near = node.child_a, far = node.child_b;
        float to_near = distance_to(near), to_far = distance_to(far);
        if (to_far < to_near)
        {
            std::swap(near, far);
            std::swap(to_near, to_far);
        }
        if (to_near < best)
            visit(near);
        if (to_far < best)
            visit(far);
    }

    float distance_to(int32_t index) const { return distance_squared(surface.tree.nodes()[size_t(index)].box, point); }

    void visit_triangle(uint32_t index)
    {
        const ResponseModel& model = *surface.model;
        const Vec3 closest = closest_on_triangle(point, corner(model, index, 0), corner(model, index, 1),
                                                 corner(model, index, 2));
        const float distance = length_squared(closest - point);
        if (distance >= best)
            return;
        best = distance;
        triangle = index;
        at = closest;
    }
};

} // namespace

std::shared_ptr<const ModelSurface> make_model_surface(std::shared_ptr<const ResponseModel> model)
{
    auto surface = std::make_shared<ModelSurface>();
    surface->model = std::move(model);
    const ResponseModel& m = *surface->model;
    std::vector<Aabb> boxes;
    boxes.reserve(m.triangles.size());
    for (uint32_t t = 0; t < m.triangles.size(); ++t)
    {
        const Vec3 a = corner(m, t, 0), b = corner(m, t, 1), c = corner(m, t, 2);
        boxes.push_back({min(a, min(b, c)), max(a, max(b, c))});
    }
    surface->tree.build(boxes);
    surface->largest_shape.assign(m.mode_count(), 0);
    for (size_t i = 0; i < m.shapes.size(); ++i)
    {
        float& largest = surface->largest_shape[i % m.mode_count()];
        largest = std::max(largest, length(m.shapes[i]));
    }
    return surface;
}

SurfacePoint closest_point(const ModelSurface& surface, Vec3 point)
{
    Nearest search{surface, point};
    if (!surface.tree.is_empty())
        search.visit(surface.tree.root());
    if (surface.model->triangles.empty())
        return {};
    return {search.triangle, weights_of(*surface.model, search.triangle, search.at)};
}

void shapes_at(const ResponseModel& model, const SurfacePoint& at, std::span<Vec3> out)
{
    const std::array<uint32_t, 3>& corners = model.triangles[at.triangle];
    const std::span<const Vec3> a = model.shapes_of(corners[0]), b = model.shapes_of(corners[1]),
                                c = model.shapes_of(corners[2]);
    // As plain floats, so that lanes are filled.
    static_assert(sizeof(Vec3) == 3 * sizeof(float));
    const float *from_a = &a.data()->x, *from_b = &b.data()->x, *from_c = &c.data()->x;
    float* __restrict to = &out.data()->x;
    const size_t count = 3 * out.size();
    for (size_t k = 0; k < count; ++k)
        to[k] = from_a[k] * at.weights.x + from_b[k] * at.weights.y + from_c[k] * at.weights.z;
}

float amplitude_at(const ResponseModel& model, const SurfacePoint& at)
{
    const std::array<uint32_t, 3>& corners = model.triangles[at.triangle];
    return model.amplitude[corners[0]] * at.weights.x + model.amplitude[corners[1]] * at.weights.y +
           model.amplitude[corners[2]] * at.weights.z;
}

Vec3 position_at(const ResponseModel& model, const SurfacePoint& at)
{
    const std::array<uint32_t, 3>& corners = model.triangles[at.triangle];
    return model.vertices[corners[0]] * at.weights.x + model.vertices[corners[1]] * at.weights.y +
           model.vertices[corners[2]] * at.weights.z;
}

} // namespace moraine
