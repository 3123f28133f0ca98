// Factors of sparse matrices of 6 x 6 blocks, against a dense solve by Eigen.
#include "merge/sparse_blocks.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <random>

namespace moraine
{
namespace
{

using Vector6 = std::array<double, 6>;

Eigen::Map<const Eigen::Matrix<double, 6, 1>> mapped(const Vector6& v)
{
    return Eigen::Map<const Eigen::Matrix<double, 6, 1>>(v.data());
}

struct Pair
{
    int a, b;
};

// Springs between pairs, each with six rows of its own, and a ground that holds every node a little.
class Springs
{
public:
    Springs(int count, const std::vector<Pair>& pairs, double ground)
        : dense(Eigen::MatrixXd::Zero(6 * count, 6 * count)),
          sparse(std::pmr::get_default_resource()),
          count_(count)
    {
        std::pmr::vector<std::pmr::vector<int>> neighbours{size_t(count)};
        for (const Pair& p : pairs)
        {
            neighbours[size_t(p.a)].push_back(p.b);
            neighbours[size_t(p.b)].push_back(p.a);
        }
        sparse.set_structure(std::move(neighbours));
        sparse.clear();
        for (const Pair& p : pairs)
            for (int row = 0; row < 6; ++row)
                add_spring(p, random_row(), random_row());
        for (int n = 0; n < count; ++n)
            for (size_t i = 0; i < 6; ++i)
                hold(n, i, ground);
    }
    void hold(int node, size_t axis, double stiffness)
    {
        Vector6 unit{};
        unit[axis] = 1;
        add_product(node, unit, node, unit, stiffness);
        dense(6 * node + int(axis), 6 * node + int(axis)) += stiffness;
    }
    Eigen::VectorXd random_load()
    {
        Eigen::VectorXd load(6 * count_);
        for (double& v : load)
            v = spread_(random_);
        return load;
    }

    Eigen::MatrixXd dense;
    SparseBlocks sparse;

private:
    Vector6 random_row()
    {
        Vector6 row;
        for (double& v : row)
            v = spread_(random_);
        return row;
    }
    void add_product(int node_a, const Vector6& a, int node_b, const Vector6& b, double s)
    {
        SparseBlocks::Block block{};
        SparseBlocks::add_product(a, b, s, block);
        sparse.add(node_a, node_b, block);
    }
    // A spring pulls both ends with opposite signs: (row_a, -row_b) and its outer product.
    void add_spring(const Pair& p, const Vector6& row_a, const Vector6& row_b)
    {
        const double s = 1.5 + spread_(random_);
        add_product(p.a, row_a, p.a, row_a, s);
        add_product(p.b, row_b, p.b, row_b, s);
        add_product(p.a, row_a, p.b, row_b, -s);
        dense.block<6, 6>(6 * p.a, 6 * p.a) += s * mapped(row_a) * mapped(row_a).transpose();
        dense.block<6, 6>(6 * p.b, 6 * p.b) += s * mapped(row_b) * mapped(row_b).transpose();
        const Eigen::Matrix<double, 6, 6> across = -s * mapped(row_a) * mapped(row_b).transpose();
        dense.block<6, 6>(6 * p.a, 6 * p.b) += across;
        dense.block<6, 6>(6 * p.b, 6 * p.a) += across.transpose();
    }

    int count_;
    std::mt19937 random_{7};
    std::uniform_real_distribution<double> spread_{-1, 1};
};

void expect_same_solution(Springs& springs)
{
    const Eigen::VectorXd load = springs.random_load();
    std::pmr::vector<double> x(load.begin(), load.end());
    springs.sparse.factor();
    springs.sparse.solve(x);
    const Eigen::VectorXd expected = springs.dense.ldlt().solve(load);
    const Eigen::Map<const Eigen::VectorXd> found(x.data(), Eigen::Index(x.size()));
    EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm());
}

std::vector<Pair> chain(int count)
{
    std::vector<Pair> pairs;
    for (int i = 0; i + 1 < count; ++i)
        pairs.push_back({i, i + 1});
    return pairs;
}

// A wall: each node with the next one and with the one above.
std::vector<Pair> grid(int width, int height)
{
    std::vector<Pair> pairs;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
        {
            if (x + 1 < width)
                pairs.push_back({y * width + x, y * width + x + 1});
            if (y + 1 < height)
                pairs.push_back({(y + 1) * width + x, y * width + x}); // either way round
        }
    return pairs;
}

} // namespace

TEST(SparseBlocks, SolvesAsADenseSolverDoes)
{
    Springs one(1, {}, 2), line(12, chain(12), 0.1), wall(20, grid(5, 4), 0.1);
    expect_same_solution(one);
    expect_same_solution(line);
    expect_same_solution(wall);
}

// The same structure can be filled again.
TEST(SparseBlocks, AddsToWhatIsThere)
{
    Springs wall(12, grid(4, 3), 0.1);
    wall.hold(5, 2, 40);
    expect_same_solution(wall);
}

// Every inner node of a chain leaves one neighbour when it is taken out.
TEST(SparseBlocks, AChainCostsAsMuchAsItsNodes)
{
    for (int n : {10, 100})
        EXPECT_EQ(Springs(n, chain(n), 1).sparse.cost(), (n - 1) * 108.0 * 2 * 3 + 108 * 1 * 2);
}

TEST(SparseBlocks, ManyNodesAreOrderedInNoTime)
{
    std::vector<Pair> pairs = chain(100'000);
    std::pmr::vector<std::pmr::vector<int>> neighbours{size_t(100'000)};
    for (const Pair& p : pairs)
    {
        neighbours[size_t(p.a)].push_back(p.b);
        neighbours[size_t(p.b)].push_back(p.a);
    }
    SparseBlocks blocks(std::pmr::get_default_resource());
    blocks.set_structure(std::move(neighbours));
    EXPECT_LT(blocks.cost(), 1e8);
}

// Nothing holds the last direction of the only node: the answer there is finite, and the others do not notice.
TEST(SparseBlocks, WhatNothingHoldsStaysFinite)
{
    Springs loose(2, chain(2), 0);
    for (size_t i = 0; i < 5; ++i)
        loose.hold(0, i, 1);
    std::pmr::vector<double> x(12, 1.0);
    loose.sparse.factor();
    loose.sparse.solve(x);
    for (double v : x)
        EXPECT_TRUE(std::isfinite(v));
}

} // namespace moraine
