#include "dynamics/dense.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr int panel = 4; // rows that are taken from the rest at once: a quarter of the way through memory

// The rows of a panel, each less those above it in the panel.
bool factor_panel(const DenseMatrix& a, const double* least, int first, int end)
{
    for (int k = first; k < end; ++k)
    {
        double* row = a.row(k);
        for (int above = first; above < k; ++above)
            add_row(-a.row(above)[k], a.row(above), k, a.n, row);
        if (!(row[k] > least[k]))
            return false;
        const double root = std::sqrt(row[k]);
        for (int i = k; i < a.n; ++i)
            row[i] /= root;
    }
    return true;
}

} // namespace

bool factor_symmetric(const DenseMatrix& a, const double* least)
{
    for (int first = 0; first < a.n; first += panel)
    {
        const int end = std::min(first + panel, a.n);
        if (!factor_panel(a, least, first, end))
            return false;
        if (end - first < panel)
            break;
        const double *r0 = a.row(first), *r1 = a.row(first + 1), *r2 = a.row(first + 2), *r3 = a.row(first + 3);
        for (int i = end; i < a.n; ++i)
        {
            double* row = a.row(i);
            const double f0 = r0[i], f1 = r1[i], f2 = r2[i], f3 = r3[i];
            for (int k = i; k < a.n; ++k)
                row[k] = (((row[k] - f0 * r0[k]) - f1 * r1[k]) - f2 * r2[k]) - f3 * r3[k];
        }
    }
    return true;
}

void solve_symmetric(const DenseMatrix& factor, double* v)
{
    for (int k = 0; k < factor.n; ++k)
    {
        const double* row = factor.row(k);
        v[k] /= row[k];
        add_row(-v[k], row, k + 1, factor.n, v);
    }
    for (int k = factor.n - 1; k >= 0; --k)
    {
        const double* row = factor.row(k);
        double sum = v[k];
        for (int i = k + 1; i < factor.n; ++i)
            sum -= row[i] * v[i];
        v[k] = sum / row[k];
    }
}

bool solve_general(const DenseMatrix& a, double* v)
{
    for (int k = 0; k < a.n; ++k)
    {
        int best = k;
        for (int i = k + 1; i < a.n; ++i)
            if (std::fabs(a.row(i)[k]) > std::fabs(a.row(best)[k]))
                best = i;
        if (best != k)
        {
            std::swap_ranges(a.row(k), a.row(k) + a.n, a.row(best));
            std::swap(v[k], v[best]);
        }
        const double* pivot = a.row(k);
        if (!(std::fabs(pivot[k]) > 0))
            return false;
        for (int i = k + 1; i < a.n; ++i)
        {
            const double f = a.row(i)[k] / pivot[k];
            add_row(-f, pivot, k + 1, a.n, a.row(i));
            v[i] -= f * v[k];
        }
    }
    for (int k = a.n - 1; k >= 0; --k)
    {
        const double* row = a.row(k);
        double sum = v[k];
        for (int i = k + 1; i < a.n; ++i)
            sum -= row[i] * v[i];
        v[k] = sum / row[k];
    }
    return true;
}

} // namespace moraine
