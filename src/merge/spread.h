// How a change of motion is shared among the points that carry a body: of all forces that bring it about those with the least
// sum of squares, each taken against the weight of its point and direction.
//
// With the Jacobian J of a point (a unit force along d at arm a pushes with d and turns with a × d) and the inverse mass A of
// the body the system is A (Σ w J Jᵀ) A: three directions and three turns. Weights are alike along all tangents, so that only
// the normal stands out, and all but the sums over the points happens once for each body.
#pragma once

#include "merge/collections.h"

#include <algorithm>

namespace moraine
{

class Spread
{
public:
    explicit Spread(const MergedBody& m)
        : inv_mass_(m.inv_mass),
          turn_by_{{m.inv_inertia[0].x, m.inv_inertia[1].x, m.inv_inertia[1].y},
                   {m.inv_inertia[1].x, m.inv_inertia[0].y, m.inv_inertia[1].z},
                   {m.inv_inertia[1].y, m.inv_inertia[1].z, m.inv_inertia[0].z}},
          radius_(m.radius)
    {}
    // A point of a surface with this normal: weights along it and along its tangents.
    void add(Vec3 normal, Vec3 arm, float along_normal, float along_tangents)
    {
        const float more = along_normal - along_tangents;
        const Vec3 turns = cross(arm, normal), squares = multiply(arm, arm);
        add_square(normal, more, push_push_);
        add_square(turns, more, turn_turn_);
        push_push_[0] += Vec3{along_tangents, along_tangents, along_tangents};
        turn_turn_[0] += Vec3{squares.y + squares.z, squares.x + squares.z, squares.x + squares.y} * along_tangents;
        turn_turn_[1] -= Vec3{arm.x * arm.y, arm.x * arm.z, arm.y * arm.z} * along_tangents;
        const Vec3 shared = turns * more, skewed = arm * along_tangents;
        turn_push_ = turn_push_ + outer(shared, normal) + skew(skewed);
    }
    // What is to be brought about. Afterwards a unit of weight at a point asks for `wanted_at` there.
    void solve(Vec3 change, Vec3 turn_change)
    {
        const Mat3 turn = turn_by_ * radius_; // turns count by what they do at its radius
        const Mat3 linear = full(push_push_) * (inv_mass_ * inv_mass_), mixed = turn * turn_push_ * inv_mass_,
                   angular = turn * full(turn_turn_) * turn;
        float k[6][6];
        set_rows(linear, 0, 0, k), set_rows(mixed, 3, 0, k), set_rows(angular, 3, 3, k);
        const Vec3 turned = turn_change * radius_;
        float x[6] = {change.x, change.y, change.z, turned.x, turned.y, turned.z};
        solve(k, x);
        push_ = Vec3{x[0], x[1], x[2]} * inv_mass_;
        spin_ = turn * Vec3{x[3], x[4], x[5]};
    }
    Vec3 wanted_at(Vec3 arm) const { return push_ + cross(spin_, arm); }

private:
    using Symmetric = Vec3[2]; // diagonal; xy, xz, yz

    static void add_square(Vec3 v, float weight, Symmetric& sum)
    {
        const Vec3 scaled = v * weight;
        sum[0] += multiply(scaled, v);
        sum[1] += Vec3{scaled.x * v.y, scaled.x * v.z, scaled.y * v.z};
    }
    static Mat3 full(const Symmetric& s)
    {
        return {{s[0].x, s[1].x, s[1].y}, {s[1].x, s[0].y, s[1].z}, {s[1].y, s[1].z, s[0].z}};
    }
    static void set_rows(const Mat3& m, int row, int column, float (&k)[6][6])
    {
        const Vec3 columns[3] = {m.x, m.y, m.z};
        for (int j = 0; j < 3; ++j)
        {
            k[row][column + j] = columns[j].x;
            k[row + 1][column + j] = columns[j].y;
            k[row + 2][column + j] = columns[j].z;
        }
    }
    // L D Lᵀ in place, of the lower half. The small share of the largest entry on the diagonal stands for directions that
    // nothing holds.
    static void solve(float (&k)[6][6], float (&x)[6])
    {
        float largest = 0;
        for (int i = 0; i < 6; ++i)
            largest = std::max(largest, k[i][i]);
        const float ridge = 1e-5f * largest + 1e-20f;
        for (int j = 0; j < 6; ++j)
        {
            float d = k[j][j] + ridge;
            for (int p = 0; p < j; ++p)
                d -= k[j][p] * k[j][p] * k[p][p];
            k[j][j] = std::max(d, ridge);
            const float scale = 1 / k[j][j];
            for (int i = j + 1; i < 6; ++i)
            {
                float l = k[i][j];
                for (int p = 0; p < j; ++p)
                    l -= k[i][p] * k[j][p] * k[p][p];
                k[i][j] = l * scale;
            }
        }
        for (int i = 0; i < 6; ++i)
            for (int p = 0; p < i; ++p)
                x[i] -= k[i][p] * x[p];
        for (int i = 5; i >= 0; --i)
        {
            x[i] /= k[i][i];
            for (int p = i + 1; p < 6; ++p)
                x[i] -= k[p][i] * x[p];
        }
    }

    float inv_mass_;
    Mat3 turn_by_;
    float radius_;
    Symmetric push_push_{}, turn_turn_{};
    Mat3 turn_push_{{}, {}, {}};
    Vec3 push_{}, spin_{};
};

} // namespace moraine
