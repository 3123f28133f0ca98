#include "response/eigenmodes.h"

#include <Eigen/SparseCholesky>
#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

// y = (K - σM)⁻¹ x. The shift is negative, so the matrix is positive definite though a free body's K is not.
class ShiftedInverse
{
public:
    using Scalar = double;

    explicit ShiftedInverse(const FemSystem& system) : system_(system) {}

    Eigen::Index rows() const { return system_.size(); }
    Eigen::Index cols() const { return system_.size(); }
    void set_shift(double sigma)
    {
        const SparseMatrix shifted = system_.stiffness - sigma * system_.mass;
        factor_.compute(shifted);
    }
    void perform_op(const double* x, double* y) const
    {
        const Eigen::Map<const Eigen::VectorXd> in(x, rows());
        Eigen::Map<Eigen::VectorXd>(y, rows()) = factor_.solve(in);
    }
    bool is_good() const { return factor_.info() == Eigen::Success; }

private:
    const FemSystem& system_;
    Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower, Eigen::NaturalOrdering<int>> factor_{};
};

} // namespace

Result<Eigenmodes> find_eigenmodes(const FemSystem& system, int count, bool is_free, double frequency_scale)
{
    const int rigid = is_free ? 6 : 0;
    const int wanted = count + rigid;
    const Eigen::Index n = system.size();
    if (n < wanted + 2)
        return Error{"there are only " + std::to_string(n) + " unknowns for " + std::to_string(count) +
                     " modes; use smaller cells or ask for fewer modes"};
    ShiftedInverse inverse(system);
    Spectra::SparseSymMatProd<double, Eigen::Lower> mass(system.mass);
    const Eigen::Index basis = std::min<Eigen::Index>(n, 2 * wanted + 10);
    Spectra::SymGEigsShiftSolver<ShiftedInverse, Spectra::SparseSymMatProd<double, Eigen::Lower>,
                                 Spectra::GEigsMode::ShiftInvert>
        solver(inverse, mass, wanted, basis, -frequency_scale * frequency_scale);
    if (!inverse.is_good())
        return Error{"the stiffness matrix could not be factored; check the moduli and the mesh"};
    solver.init();
    const Eigen::Index found = solver.compute(Spectra::SortRule::LargestMagn, 300, 1e-9,
                                              Spectra::SortRule::SmallestAlge);
    if (solver.info() != Spectra::CompInfo::Successful || found < wanted)
        return Error{"only " + std::to_string(found) + " of " + std::to_string(wanted) +
                     " modes were found; ask for fewer or use other cells"};
    Eigenmodes modes;
    const Eigen::VectorXd values = solver.eigenvalues();
    const Eigen::MatrixXd vectors = solver.eigenvectors();
    modes.rigid_count = rigid;
    for (int i = 0; i < rigid; ++i)
        modes.rigid_largest = std::max(modes.rigid_largest, std::sqrt(std::fabs(values[i])));
    modes.values = values.tail(count);
    modes.vectors = vectors.rightCols(count);
    const double lowest = modes.values[0];
    if (!(lowest > 0) || modes.rigid_largest * modes.rigid_largest > 1e-3 * lowest)
        return Error{is_free
                         ? "a free body has six rigid modes, this one has others: its parts hang together by a thread"
                         : "the body can still move where it is held; hold more of it"};
    return modes;
}

} // namespace moraine
