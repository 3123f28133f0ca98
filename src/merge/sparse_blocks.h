// A sparse symmetric matrix of 6 × 6 blocks, one for each body and each pair of neighbours, and its factors.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace moraine
{

class SparseBlocks
{
public:
    using Block = std::array<double, 36>; // row by row

    explicit SparseBlocks(std::pmr::memory_resource* memory) : memory_(memory), columns_(memory), place_(memory) {}

    // neighbours[n]: of node n, either way round; without n itself. Nodes are taken out in the order of who has the fewest
    // neighbours left, so that chains and trees cost no more than their nodes.
    void set_structure(std::pmr::vector<std::pmr::vector<int>> neighbours);
    // Multiplications that factoring needs; and a guess for so many nodes and pairs of neighbours.
    double cost() const;
    static double likely_cost(double nodes, double pairs);

    void clear();
    // Adds to the block of rows of node a and columns of node b, and to its mirror image; for a == b once.
    void add(int node_a, int node_b, const Block& block);
    // L Lᵀ. Directions that nothing holds are held by as much as others: what is asked of them shows in the residual.
    void factor();
    // Six numbers for each node.
    void solve(std::pmr::vector<double>& x) const;

    // to += s a bᵀ
    static void add_product(const std::array<double, 6>& a, const std::array<double, 6>& b, double s, Block& to);

private:
    struct Column
    {
        explicit Column(std::pmr::memory_resource* memory) : rows(memory), blocks(memory) {}

        std::pmr::vector<int> rows; // later columns, sorted
        std::pmr::vector<Block> blocks;
        Block diagonal{};
        std::array<double, 6> whole{};
        int node = 0;
    };
    Block& block_at(int row, int column);

    std::pmr::memory_resource* memory_;
    std::pmr::vector<Column> columns_;
    std::pmr::vector<int> place_; // of a node among the columns
};

} // namespace moraine
