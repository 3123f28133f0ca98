// A body as finite elements with a surface that moves with them: what modes, attenuation fits and reference simulations
// start from.
#pragma once

#include "response/fem.h"
#include "response/lattice.h"
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
    Lattice lattice{};                // empty where tetrahedra were given
    QuadraticMesh mesh{};
    FemSystem system{};
    std::vector<std::string> notes{};
    double cell_size = 0;
    bool is_held = false;
};

Result<ElasticBody> build_elastic_body(const ModelDefinition& definition, const PrecomputeProgress& progress = {});

// The motion of what they carry, in a vector of the system's unknowns; a force on it.
Eigen::Vector3d displacement(const ElasticBody& body, const Carriers& carriers,
                             const Eigen::Ref<const Eigen::VectorXd>& unknowns);
void add_force(const ElasticBody& body, const Carriers& carriers, const Eigen::Vector3d& force,
               Eigen::Ref<Eigen::VectorXd> forces);

inline Eigen::Vector3d displacement(const ElasticBody& body, uint32_t vertex,
                                    const Eigen::Ref<const Eigen::VectorXd>& unknowns)
{
    return displacement(body, body.carriers[vertex], unknowns);
}
inline void add_force(const ElasticBody& body, uint32_t vertex, const Eigen::Vector3d& force, Eigen::VectorXd& forces)
{
    add_force(body, body.carriers[vertex], force, forces);
}

} // namespace moraine
