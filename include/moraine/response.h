// How a body answers a hit with vibration: the model that `moraine modes` makes from its form and material. A model is
// immutable and shared by all bodies that have it. Functions declared here are in the library moraine::response.
#pragma once

#include <moraine/math.h>
#include <moraine/result.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace moraine
{

struct ElasticMaterial
{
    double young = 11e9;  // Pa
    double poisson = 0.3; // 0 to below 0.5
    double density = 700; // kg/m^3
    double alpha0 = 10;   // Rayleigh damping D = alpha0 M + alpha1 K, 1/s
    double alpha1 = 1e-6; // s
};

// How a travelling wave gets smaller with the distance r from the hit:
//   s = scale exp(-alpha (r - reference_distance)) (r / reference_distance)^-beta, and scale nearer than that.
// The simplified form C r^-beta has alpha 0, reference distance 1 and scale C.
struct Attenuation
{
    float alpha = 0;
    float beta = 1;
    float reference_distance = 1;
    float scale = 1;
};

struct ResponseModel
{
    ElasticMaterial material{};
    bool has_fixed_boundary = false; // else its six rigid modes were dropped
    float mass = 0;                  // of the elastic body, kg
    std::vector<Vec3> vertices{};    // the surface, in the body's frame
    std::vector<std::array<uint32_t, 3>> triangles{};
    std::vector<float> frequencies{}; // of the elastic modes, rad/s, undamped, ascending
    // Displacement of a vertex in a mode, mass-normalised (modal masses are 1): at vertex * mode_count + mode, so that all
    // that a contact needs lies together.
    std::vector<Vec3> shapes{};
    // The largest displacement of a vertex along its normal, in metres, within `amplitude_duration` after a unit impulse
    // along the normal at the same vertex.
    std::vector<float> amplitude{};
    float amplitude_duration = 0.01f;
    Attenuation attenuation{};

    size_t mode_count() const { return frequencies.size(); }
    std::span<const Vec3> shapes_of(uint32_t vertex) const
    {
        return {shapes.data() + size_t(vertex) * mode_count(), mode_count()};
    }
};

// A point on the surface of a model.
struct SurfacePoint
{
    uint32_t triangle = 0;
    Vec3 weights{1, 0, 0}; // of the triangle's corners; they sum up to 1
};

// Distances along a surface. May be called from several threads; what it answers does not depend on what it was asked
// before.
class Geodesics
{
public:
    virtual ~Geodesics() = default;

    // From this vertex to every vertex. Found once and kept until many others were asked for; infinite where no way leads.
    virtual std::shared_ptr<const std::vector<float>> distances(uint32_t vertex) const = 0;
};

// How far two points of the surface are apart along it.
float geodesic_distance(const ResponseModel& model, const Geodesics& geodesics, const SurfacePoint& a,
                        const SurfacePoint& b);

// By the heat method. Fails, and says why, for surfaces that have no distances.
Result<std::shared_ptr<const Geodesics>> make_geodesics(const ResponseModel& model);

Result<ResponseModel> load_response_model(const std::string& path);
Status save_response_model(const ResponseModel& model, const std::string& path);

// What is wrong with a model that was put together by hand; empty when nothing is.
std::string check_response_model(const ResponseModel& model);

} // namespace moraine
