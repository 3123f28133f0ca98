// Dense factorisations in double precision whose sums run strictly in the order of the indices. Adding a zero changes
// nothing, so two problems that are not connected give the same bits solved together or apart.
#pragma once

#include <cstddef>

namespace moraine
{

// A square matrix of which `n` rows and columns are in use, `stride` apart.
struct DenseMatrix
{
    double* data;
    int n;
    int stride;

    double* row(int i) const { return data + size_t(i) * size_t(stride); }
};

// The upper triangle becomes U with Uᵀ U = A. False: what is left of a diagonal is not more than `least` of its row.
bool factor_symmetric(const DenseMatrix& a, const double* least);
void solve_symmetric(const DenseMatrix& factor, double* v);

// Rows of A and v change places on the way; v becomes A⁻¹ v. False: singular.
bool solve_general(const DenseMatrix& a, double* v);

// sum += f × row
inline void add_row(double f, const double* row, int begin, int end, double* sum)
{
    for (int i = begin; i < end; ++i)
        sum[i] += f * row[i];
}

} // namespace moraine
