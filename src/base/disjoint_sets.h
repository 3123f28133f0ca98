// Union-find over dense indices. The root of a set is its smallest index, so that sets do not depend on the order in
// which they were joined.
#pragma once

#include <cstdint>
#include <span>

namespace moraine
{

class DisjointSets
{
public:
    explicit DisjointSets(std::span<int32_t> memory) : parents_(memory)
    {
        for (size_t i = 0; i < parents_.size(); ++i)
            parents_[i] = int32_t(i);
    }
    int32_t root(int32_t i)
    {
        while (parents_[size_t(i)] != i)
        {
            int32_t& parent = parents_[size_t(i)];
            parent = parents_[size_t(parent)]; // halve the path
            i = parent;
        }
        return i;
    }
    void join(int32_t a, int32_t b)
    {
        a = root(a);
        b = root(b);
        if (a < b)
            parents_[size_t(b)] = a;
        else
            parents_[size_t(a)] = b;
    }

private:
    std::span<int32_t> parents_;
};

} // namespace moraine
