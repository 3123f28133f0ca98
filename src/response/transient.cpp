#include "response/transient.h"

namespace moraine
{

Transient::Transient(const FemSystem& system, const ElasticMaterial& material, double dt)
    : system_(system),
      material_(material),
      dt_(dt),
      displacements_(Eigen::VectorXd::Zero(system.size())),
      velocities_(displacements_),
      accelerations_(displacements_)
{
    // A = M + h/2 D + h²/4 K with D = α0 M + α1 K.
    const SparseMatrix matrix = (1 + 0.5 * dt * material.alpha0) * system.mass +
                                (0.5 * dt * material.alpha1 + 0.25 * dt * dt) * system.stiffness;
    factor_.compute(matrix);
}

void Transient::rest()
{
    displacements_.setZero();
    velocities_.setZero();
    accelerations_.setZero();
}

void Transient::start_at(const Eigen::VectorXd& displacements)
{
    rest();
    displacements_ = displacements;
}

// u* = u + h v + h²/4 a, v* = v + h/2 a; A a' = f - D v* - K u*; u = u* + h²/4 a', v = v* + h/2 a'.
void Transient::step(const Eigen::VectorXd& forces)
{
    displacements_ += dt_ * velocities_ + 0.25 * dt_ * dt_ * accelerations_;
    velocities_ += 0.5 * dt_ * accelerations_;
    const Eigen::VectorXd strained = displacements_ + material_.alpha1 * velocities_;
    const Eigen::VectorXd tension = system_.stiffness.selfadjointView<Eigen::Lower>() * strained;
    const Eigen::VectorXd momentum = system_.mass.selfadjointView<Eigen::Lower>() * velocities_;
    const Eigen::VectorXd rest = forces - tension - material_.alpha0 * momentum;
    accelerations_ = factor_.solve(rest);
    displacements_ += 0.25 * dt_ * dt_ * accelerations_;
    velocities_ += 0.5 * dt_ * accelerations_;
}

double Transient::energy() const
{
    const Eigen::VectorXd momentum = system_.mass.selfadjointView<Eigen::Lower>() * velocities_;
    const Eigen::VectorXd tension = system_.stiffness.selfadjointView<Eigen::Lower>() * displacements_;
    return 0.5 * (velocities_.dot(momentum) + displacements_.dot(tension));
}

} // namespace moraine
