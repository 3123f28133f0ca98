// The surface of a response model, with a tree over its triangles: where a contact point lies on it.
#pragma once

#include "geometry/bvh.h"

#include <moraine/response.h>

#include <memory>
#include <vector>

namespace moraine
{

struct ModelSurface
{
    std::shared_ptr<const ResponseModel> model{};
    Bvh tree{};                         // of triangles
    std::vector<float> largest_shape{}; // by mode: displacement of the vertex that moves most
};

std::shared_ptr<const ModelSurface> make_model_surface(std::shared_ptr<const ResponseModel> model);

// The point of the surface that is closest to `point`, in the body's frame.
SurfacePoint closest_point(const ModelSurface& surface, Vec3 point);

// Displacement of a surface point in each mode: H U in eq. 9 and 13 of distant-collision-response-2020.
void shapes_at(const ResponseModel& model, const SurfacePoint& at, std::span<Vec3> out);

float amplitude_at(const ResponseModel& model, const SurfacePoint& at); // eq. 15, of a unit impulse
Vec3 position_at(const ResponseModel& model, const SurfacePoint& at);

} // namespace moraine
