// An elastic body in time: implicit Newmark (average acceleration), which is stable for any step and keeps energy.
#pragma once

#include "response/fem.h"

#include <Eigen/SparseCholesky>

namespace moraine
{

class Transient
{
public:
    Transient(const FemSystem& system, const ElasticMaterial& material, double dt);

    bool is_good() const { return factor_.info() == Eigen::Success; }
    void rest();                                         // as at the start
    void start_at(const Eigen::VectorXd& displacements); // bent, and at rest
    // One step under these forces, which the step's end feels.
    void step(const Eigen::VectorXd& forces);

    const Eigen::VectorXd& displacements() const { return displacements_; }
    const Eigen::VectorXd& velocities() const { return velocities_; }
    double energy() const;

private:
    const FemSystem& system_;
    ElasticMaterial material_;
    double dt_;
    Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower, Eigen::NaturalOrdering<int>> factor_{};
    Eigen::VectorXd displacements_, velocities_, accelerations_;
};

} // namespace moraine
