// A body as finite elements with a surface that moves with them: what modes, attenuation fits and reference simulations
// start from.
#pragma once

#include "response/fem.h"
#include "response/precompute.h"

namespace moraine
{

// The nodes that carry a vertex of the surface, and how much of it.
struct Carriers
{
    std::array<int, 10> nodes{};
    std::array<double, 10> weights{};
};

struct ElasticBody
{
    Surface surface{};
    std::vector<Carriers> carriers{}; // of each of its vertices
    QuadraticMesh mesh{};
    FemSystem system{};
    std::vector<std::string> notes{};
    double cell_size = 0;
    bool is_held = false;
};

Result<ElasticBody> build_elastic_body(const ModelDefinition& definition, const PrecomputeProgress& progress = {});

// Of a vertex, in a vector of the system's unknowns.
Eigen::Vector3d displacement(const ElasticBody& body, uint32_t vertex,
                             const Eigen::Ref<const Eigen::VectorXd>& unknowns);
void add_force(const ElasticBody& body, uint32_t vertex, const Eigen::Vector3d& force,
               Eigen::Ref<Eigen::VectorXd> forces);

} // namespace moraine
