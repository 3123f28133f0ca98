#include "merge/sparse_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

namespace moraine
{

namespace
{

using Block = SparseBlocks::Block;

// `whole`: the diagonal before anything was taken out of it. What is left of a direction that nothing holds is rounding.
void factor_diagonal(const std::array<double, 6>& whole, Block& d)
{
    constexpr double little = 1e-8;
    for (size_t j = 0; j < 6; ++j)
    {
        double pivot = d[7 * j];
        for (size_t k = 0; k < j; ++k)
            pivot -= d[6 * j + k] * d[6 * j + k];
        pivot = std::sqrt(pivot > little * whole[j] ? pivot : std::max(whole[j], 1e-6));
        d[7 * j] = pivot;
        for (size_t i = j + 1; i < 6; ++i)
        {
            double value = d[6 * i + j];
            for (size_t k = 0; k < j; ++k)
                value -= d[6 * i + k] * d[6 * j + k];
            d[6 * i + j] = value / pivot;
        }
    }
}

// b L⁻ᵀ, row by row.
void divide(const Block& l, Block& b)
{
    for (size_t row = 0; row < 6; ++row)
        for (size_t j = 0; j < 6; ++j)
        {
            double value = b[6 * row + j];
            for (size_t k = 0; k < j; ++k)
                value -= b[6 * row + k] * l[6 * j + k];
            b[6 * row + j] = value / l[7 * j];
        }
}

Block transposed(const Block& b)
{
    Block t;
    for (size_t i = 0; i < 6; ++i)
        for (size_t j = 0; j < 6; ++j)
            t[6 * j + i] = b[6 * i + j];
    return t;
}

// to -= a t, where t is the transpose of the other factor: rows of it are added side by side.
void subtract_product(const Block& a, const Block& t, Block& to)
{
    for (size_t i = 0; i < 6; ++i)
    {
        double row[6];
        for (size_t j = 0; j < 6; ++j)
            row[j] = to[6 * i + j];
        for (size_t k = 0; k < 6; ++k)
            for (size_t j = 0; j < 6; ++j)
                row[j] -= a[6 * i + k] * t[6 * k + j];
        for (size_t j = 0; j < 6; ++j)
            to[6 * i + j] = row[j];
    }
}

} // namespace

void SparseBlocks::set_structure(std::pmr::vector<std::pmr::vector<int>> neighbours)
{
    const size_t count = neighbours.size();
    columns_.clear();
    columns_.reserve(count);
    for (size_t i = 0; i < count; ++i)
        columns_.emplace_back(memory_);
    place_.assign(count, -1);
    for (std::pmr::vector<int>& list : neighbours)
    {
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    // Who has the fewest neighbours, and of these the first; entries are out of date where the number has changed since.
    std::pmr::vector<std::pair<size_t, int>> waiting(memory_);
    const auto wait = [&](int node) {
        waiting.emplace_back(neighbours[size_t(node)].size(), node);
        std::ranges::push_heap(waiting, std::greater{});
    };
    for (size_t n = 0; n < count; ++n)
        wait(int(n));
    std::pmr::vector<int> merged(memory_);
    for (size_t step = 0; step < count;)
    {
        std::ranges::pop_heap(waiting, std::greater{});
        const size_t degree = waiting.back().first;
        const int best = waiting.back().second;
        waiting.pop_back();
        if (place_[size_t(best)] >= 0 || degree != neighbours[size_t(best)].size())
            continue;
        place_[size_t(best)] = int(step);
        columns_[step].node = best;
        const std::pmr::vector<int> around = std::move(neighbours[size_t(best)]);
        for (int n : around)
        {
            merged.clear();
            std::ranges::set_union(neighbours[size_t(n)], around, std::back_inserter(merged));
            std::erase_if(merged, [&](int other) { return other == n || other == best; });
            const bool is_changed = merged.size() != neighbours[size_t(n)].size();
            neighbours[size_t(n)] = merged;
            if (is_changed)
                wait(n);
        }
        columns_[step++].rows = around; // nodes until all have their places
    }
    for (Column& column : columns_)
    {
        for (int& row : column.rows)
            row = place_[size_t(row)];
        std::ranges::sort(column.rows);
        column.blocks.resize(column.rows.size());
    }
}

namespace
{

double cost_of_column(double rows) { return 108 * (rows + 1) * (rows + 2); }

} // namespace

double SparseBlocks::cost() const
{
    double sum = 0;
    for (const Column& column : columns_)
        sum += cost_of_column(double(column.rows.size()));
    return sum;
}

// In heaps and towers: each hundred nodes make as many neighbours of those that are left as there were at first.
double SparseBlocks::likely_cost(double nodes, double pairs)
{
    return nodes * cost_of_column(pairs / std::max(nodes, 1.0)) * std::max(nodes / 100, 1.0);
}

void SparseBlocks::clear()
{
    for (Column& column : columns_)
    {
        column.diagonal.fill(0);
        for (Block& b : column.blocks)
            b.fill(0);
    }
}

SparseBlocks::Block& SparseBlocks::block_at(int row, int column)
{
    Column& c = columns_[size_t(column)];
    if (row == column)
        return c.diagonal;
    return c.blocks[size_t(std::ranges::lower_bound(c.rows, row) - c.rows.begin())];
}

void SparseBlocks::add_product(const std::array<double, 6>& a, const std::array<double, 6>& b, double s, Block& to)
{
    for (size_t i = 0; i < 6; ++i)
        for (size_t j = 0; j < 6; ++j)
            to[6 * i + j] += s * a[i] * b[j];
}

void SparseBlocks::add(int node_a, int node_b, const Block& block)
{
    const int pa = place_[size_t(node_a)], pb = place_[size_t(node_b)];
    Block& to = block_at(std::max(pa, pb), std::min(pa, pb));
    const Block& from = pa >= pb ? block : transposed(block);
    for (size_t i = 0; i < 36; ++i)
        to[i] += from[i];
}

void SparseBlocks::factor()
{
    std::pmr::vector<Block> turned(memory_);
    for (Column& column : columns_)
        for (size_t j = 0; j < 6; ++j)
            column.whole[j] = column.diagonal[7 * j];
    for (Column& column : columns_)
    {
        factor_diagonal(column.whole, column.diagonal);
        turned.clear();
        for (Block& b : column.blocks)
        {
            divide(column.diagonal, b);
            turned.push_back(transposed(b));
        }
        for (size_t j = 0; j < column.rows.size(); ++j)
        {
            Column& to = columns_[size_t(column.rows[j])];
            subtract_product(column.blocks[j], turned[j], to.diagonal);
            size_t at = 0;
            for (size_t i = j + 1; i < column.rows.size(); ++i)
            {
                while (to.rows[at] != column.rows[i])
                    ++at;
                subtract_product(column.blocks[i], turned[j], to.blocks[at]);
            }
        }
    }
}

void SparseBlocks::solve(std::pmr::vector<double>& x) const
{
    const auto at = [&](int column) { return x.data() + 6 * columns_[size_t(column)].node; };
    for (const Column& column : columns_)
    {
        double* y = x.data() + 6 * column.node;
        for (size_t i = 0; i < 6; ++i)
        {
            for (size_t k = 0; k < i; ++k)
                y[i] -= column.diagonal[6 * i + k] * y[k];
            y[i] /= column.diagonal[7 * i];
        }
        for (size_t b = 0; b < column.rows.size(); ++b)
        {
            double* other = at(column.rows[b]);
            for (size_t i = 0; i < 6; ++i)
                for (size_t k = 0; k < 6; ++k)
                    other[i] -= column.blocks[b][6 * i + k] * y[k];
        }
    }
    for (size_t c = columns_.size(); c-- > 0;)
    {
        const Column& column = columns_[c];
        double* y = x.data() + 6 * column.node;
        for (size_t b = 0; b < column.rows.size(); ++b)
        {
            const double* other = at(column.rows[b]);
            for (size_t i = 0; i < 6; ++i)
                for (size_t k = 0; k < 6; ++k)
                    y[k] -= column.blocks[b][6 * i + k] * other[i];
        }
        for (size_t i = 6; i-- > 0;)
        {
            for (size_t k = i + 1; k < 6; ++k)
                y[i] -= column.diagonal[6 * k + i] * y[k];
            y[i] /= column.diagonal[7 * i];
        }
    }
}

} // namespace moraine
