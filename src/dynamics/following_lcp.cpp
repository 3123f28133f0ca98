// Complementarity with bounds that follow other variables, as friction follows normal impulses: for given places a linear
// system without symmetry,
//     Σ_k A_ik x_k + b_i = 0 for all i in between,    x_k = ± share_k x_leader(k) for those at bounds that follow.
// Changing the places that break a condition and solving again is Newton's method on the piecewise linear problem.
#include "dynamics/dense.h"
#include "dynamics/lcp.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr double tolerance = 1e-10; // of speeds, relative to the largest one
constexpr int tries = 4;

enum Place : int32_t
{
    at_lower,
    at_upper,
    between
};

class Following
{
public:
    Following(const BoxedLcp& problem, const FollowingBounds& bounds, const double* x, void* scratch)
        : p_(problem),
          bounds_(bounds),
          n_(problem.n)
    {
        matrix_ = static_cast<double*>(scratch);
        right_ = matrix_ + size_t(n_) * size_t(n_);
        x_ = right_ + n_;
        w_ = x_ + n_;
        place_ = reinterpret_cast<int32_t*>(w_ + n_);
        column_ = place_ + n_;
        for (int i = 0; i < n_; ++i)
        {
            place_[i] = x[i] <= p_.lower[i] ? at_lower : x[i] >= p_.upper[i] ? at_upper : between;
            scale_ = std::max(scale_, std::fabs(p_.b[i]));
        }
    }

    bool solve(double* x)
    {
        for (int i = 0; i < tries; ++i)
        {
            if (!solve_places())
                return false;
            const bool is_right = find_better_places();
            if (is_right || i + 1 == tries)
            {
                take_parts(x);
                return is_right;
            }
            std::copy(column_, column_ + n_, place_);
        }
        return false;
    }

private:
    const double* row(int i) const { return p_.a + size_t(i) * size_t(n_); }
    bool follows(int i) const { return bounds_.leader[i] >= 0; }
    double upper(int i) const
    {
        return follows(i) ? bounds_.share[i] * std::max(x_[bounds_.leader[i]], 0.0) : p_.upper[i];
    }
    double lower(int i) const { return follows(i) ? -upper(i) : p_.lower[i]; }
    double signed_share(int i) const { return place_[i] == at_upper ? bounds_.share[i] : -bounds_.share[i]; }

    // Who is in between has a column; who follows one of those has its share in that column.
    int list_columns()
    {
        int count = 0;
        for (int i = 0; i < n_; ++i)
            column_[i] = place_[i] == between ? count++ : -1;
        for (int i = 0; i < n_; ++i)
        {
            x_[i] = 0;
            if (place_[i] != between && !follows(i))
                x_[i] = place_[i] == at_lower ? p_.lower[i] : p_.upper[i];
        }
        for (int i = 0; i < n_; ++i)
            if (place_[i] != between && follows(i) && place_[bounds_.leader[i]] != between)
                x_[i] = signed_share(i) * x_[bounds_.leader[i]];
        return count;
    }

    bool solve_places()
    {
        const DenseMatrix m{matrix_, list_columns(), n_};
        std::copy(p_.b, p_.b + n_, w_);
        for (int k = 0; k < n_; ++k)
            if (x_[k] != 0)
                add_row(x_[k], row(k), 0, n_, w_);
        for (int i = 0; i < n_; ++i)
            if (column_[i] >= 0)
            {
                fill_row(i, m);
                right_[column_[i]] = -w_[i];
            }
        if (!solve_general(m, right_))
            return false;
        for (int i = 0; i < n_; ++i)
            if (column_[i] >= 0)
                x_[i] = right_[column_[i]];
        for (int i = 0; i < n_; ++i)
            if (has_share(i))
                x_[i] = signed_share(i) * x_[bounds_.leader[i]];
        for (int i = 0; i < n_; ++i)
            if (column_[i] >= 0 || has_share(i))
                add_row(x_[i], row(i), 0, n_, w_);
        return true;
    }

    bool has_share(int i) const { return place_[i] != between && follows(i) && column_[bounds_.leader[i]] >= 0; }

    void fill_row(int i, const DenseMatrix& m)
    {
        double* to = m.row(column_[i]);
        const double* from = row(i);
        for (int k = 0; k < n_; ++k)
            if (column_[k] >= 0)
                to[column_[k]] = from[k];
        for (int k = 0; k < n_; ++k)
            if (has_share(k))
                to[column_[bounds_.leader[k]]] += signed_share(k) * from[k];
    }

    // Where a variable that breaks its condition should be instead.
    int32_t better_place(int i) const
    {
        const double limit = tolerance * scale_, low = lower(i), high = upper(i);
        if (place_[i] == between)
        {
            const double stiffness = row(i)[i];
            return (low - x_[i]) * stiffness > limit    ? at_lower
                   : (x_[i] - high) * stiffness > limit ? at_upper
                                                        : between;
        }
        const double wrong = place_[i] == at_lower ? -w_[i] : w_[i];
        return low < high && wrong > limit ? int32_t(between) : place_[i];
    }

    // Into `column_`. True: all conditions hold.
    bool find_better_places()
    {
        bool is_right = true;
        for (int i = 0; i < n_; ++i)
            column_[i] = better_place(i);
        for (int i = 0; i < n_; ++i)
        {
            is_right &= column_[i] == place_[i];
            // Who follows one that comes off its bound has no direction yet.
            const int32_t leader = bounds_.leader[i];
            if (leader >= 0 && place_[leader] != between && column_[leader] == between)
                column_[i] = between;
        }
        return is_right;
    }

    // What is connected with a broken condition is not taken; the rest would be right alone and is right here.
    void take_parts(double* x)
    {
        int32_t* queue = reinterpret_cast<int32_t*>(matrix_); // the factor is not needed any more
        int end = 0;
        for (int i = 0; i < n_; ++i)
        {
            const bool is_broken = column_[i] != place_[i];
            column_[i] = is_broken;
            if (is_broken)
                queue[end++] = i;
        }
        for (int next = 0; next < end; ++next)
        {
            const double* a = row(queue[next]);
            for (int k = 0; k < n_; ++k)
                if (a[k] != 0 && !column_[k])
                {
                    column_[k] = 1;
                    queue[end++] = k;
                }
        }
        for (int k = 0; k < n_; ++k)
            if (!column_[k])
                x[k] = std::clamp(x_[k], lower(k), upper(k));
    }

    const BoxedLcp& p_;
    const FollowingBounds& bounds_;
    int n_;
    double scale_ = 0;
    double* matrix_;
    double* right_;
    double* x_;
    double* w_;
    int32_t* place_;
    int32_t* column_;
};

} // namespace

bool solve_following_lcp(const BoxedLcp& problem, const FollowingBounds& bounds, double* x, void* scratch)
{
    return Following(problem, bounds, x, scratch).solve(x);
}

} // namespace moraine
