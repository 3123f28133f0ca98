#include "graph/shape_runs.h"

#include "base/hash.h"

#include <algorithm>

namespace moraine
{

namespace
{

bool is_same(const Shape& a, const Shape& b)
{
    // Pointers follow from the asset, bounds and inner radius from the rest.
    return a.kind == b.kind && a.radius == b.radius && a.half_length == b.half_length && a.friction == b.friction &&
           a.restitution == b.restitution && a.density == b.density && a.asset == b.asset &&
           a.half_extents == b.half_extents && a.pose == b.pose;
}

void add(Hash& hash, Vec3 v)
{
    // Adding zero makes one of the two zeros, which compare equal.
    hash.add(v.x + 0.0f);
    hash.add(v.y + 0.0f);
    hash.add(v.z + 0.0f);
}

uint64_t hash_of_shapes(std::span<const Shape> shapes)
{
    Hash hash;
    hash.add(shapes.size());
    for (const Shape& s : shapes)
    {
        hash.add(uint32_t(s.kind));
        hash.add(s.asset);
        hash.add(s.radius + 0.0f);
        hash.add(s.half_length + 0.0f);
        hash.add(s.friction + 0.0f);
        hash.add(s.density + 0.0f);
        add(hash, s.half_extents);
        add(hash, s.pose.position);
    }
    return hash.value();
}

} // namespace

uint64_t ShapeRuns::hash_of(int32_t first) const
{
    return hash_of_shapes(shapes_.range(first, runs_[size_t(first)].count));
}

ShapeRuns::Run& ShapeRuns::run_at(int32_t first)
{
    if (runs_.size() <= size_t(first))
        runs_.resize(size_t(first) + 1);
    return runs_[size_t(first)];
}

ShapeRuns::Shared ShapeRuns::share(std::span<const Shape> shapes)
{
    if (shapes.empty())
        return {};
    const uint64_t hash = hash_of_shapes(shapes);
    const int32_t known = known_.find(hash, [&](int32_t first) {
        return std::ranges::equal(shapes_.range(first, runs_[size_t(first)].count), shapes, is_same);
    });
    if (known != IndexTable::none)
    {
        ++runs_[size_t(known)].uses;
        return {known, false};
    }
    const int32_t first = shapes_.allocate(int32_t(shapes.size()));
    std::ranges::copy(shapes, shapes_.range(first, int32_t(shapes.size())).begin());
    run_at(first) = {int32_t(shapes.size()), 1};
    known_.insert(hash, first, [this](int32_t f) { return hash_of(f); });
    return {first, true};
}

void ShapeRuns::release(int32_t first, int32_t count)
{
    if (count == 0 || --runs_[size_t(first)].uses > 0)
        return;
    known_.erase(hash_of(first), first, [this](int32_t f) { return hash_of(f); });
    shapes_.release(first, count);
}

void ShapeRuns::add_user(int32_t first, int32_t count)
{
    if (count == 0 || ++run_at(first).uses > 1)
        return;
    runs_[size_t(first)].count = count;
    known_.insert(hash_of(first), first, [this](int32_t f) { return hash_of(f); });
}

} // namespace moraine
