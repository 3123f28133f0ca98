// Building a tree top down, or a part of one: items (leaves or whole subtrees) are split by the binned surface area
// heuristic along the longest axis of their centres.
#include "geometry/bvh.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr int bin_count = 8;
// Below this depth ranges are halved, so that no input makes a deep tree.
constexpr int max_uneven_depth = 40;

struct Bin
{
    Aabb box;
    int count = 0;
};

// Twice the centre: spares a multiplication.
Vec3 center_sum(const Aabb& box) { return box.lower + box.upper; }

struct Binning
{
    int axis = 0;
    float origin = 0;
    float scale = 0; // 0: all centres coincide

    int bin_of(const Aabb& box) const
    {
        const float position = (box.lower[axis] + box.upper[axis] - origin) * scale;
        // Written so that NaN lands in the first bin.
        return position > 0 ? std::min(int(std::min(position, float(bin_count))), bin_count - 1) : 0;
    }
};

template <class Item>
Binning choose_binning(const Item* items, int count)
{
    Aabb centers;
    for (int i = 0; i < count; ++i)
    {
        const Vec3 c = center_sum(items[i].box);
        centers.lower = min(centers.lower, c);
        centers.upper = max(centers.upper, c);
    }
    const Vec3 size = centers.upper - centers.lower;
    const int axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
    const float length = size[axis];
    const bool is_usable = length > 1e-30f && length < 1e30f;
    return {axis, centers.lower[axis], is_usable ? float(bin_count) / length : 0.0f};
}

// The number of the first bin on the upper side of the cheapest split, or 0 if none divides the items.
template <class Item>
int choose_split(const Item* items, int count, const Binning& binning)
{
    Bin bins[bin_count];
    for (int i = 0; i < count; ++i)
    {
        Bin& bin = bins[binning.bin_of(items[i].box)];
        bin.box = merge(bin.box, items[i].box);
        ++bin.count;
    }
    float upper_cost[bin_count];
    Aabb box;
    int below = 0;
    for (int i = bin_count - 1; i > 0; --i)
    {
        box = merge(box, bins[i].box);
        below += bins[i].count;
        upper_cost[i] = below > 0 ? half_area(box) * float(below) : 0;
    }
    box = bins[0].box;
    below = bins[0].count;
    int best = 0;
    float best_cost = std::numeric_limits<float>::infinity();
    for (int i = 1; i < bin_count; ++i)
    {
        const float cost = (below > 0 ? half_area(box) * float(below) : 0) + upper_cost[i];
        if (below > 0 && below < count && cost < best_cost)
        {
            best = i;
            best_cost = cost;
        }
        box = merge(box, bins[i].box);
        below += bins[i].count;
    }
    return best;
}

// Orders the items so that the first of the returned number form the lower side.
template <class Item>
int split(Item* items, int count, int depth)
{
    if (count == 2)
        return 1;
    const Binning binning = choose_binning(items, count);
    if (binning.scale == 0)
        return count / 2;
    const int axis = binning.axis;
    if (count <= 4 || depth > max_uneven_depth)
    {
        const auto is_lower = [axis](const Item& a, const Item& b) {
            return a.box.lower[axis] + a.box.upper[axis] < b.box.lower[axis] + b.box.upper[axis];
        };
        std::nth_element(items, items + count / 2, items + count, is_lower);
        return count / 2;
    }
    const int first_upper = choose_split(items, count, binning);
    if (first_upper == 0)
        return count / 2;
    const auto is_lower = [&](const Item& item) { return binning.bin_of(item.box) < first_upper; };
    return int(std::partition(items, items + count, is_lower) - items);
}

} // namespace

int32_t Bvh::build_range(BuildItem* items, int count, int depth)
{
    if (count == 1)
        return items[0].node;
    const int32_t index = build_slots_.back();
    build_slots_.pop_back();
    const int lower_count = split(items, count, depth);
    const int32_t a = build_range(items, lower_count, depth + 1);
    const int32_t b = build_range(items + lower_count, count - lower_count, depth + 1);
    nodes_[index].child_a = a;
    nodes_[index].child_b = b;
    nodes_[a].parent = index;
    nodes_[b].parent = index;
    refit(index);
    return index;
}

void Bvh::build_root()
{
    root_ = none;
    if (build_items_.empty())
        return;
    root_ = build_range(build_items_.data(), int(build_items_.size()), 0);
    nodes_[root_].parent = none;
}

void Bvh::build(std::span<const Aabb> boxes)
{
    clear();
    leaf_count_ = int(boxes.size());
    nodes_.resize(boxes.empty() ? 0 : 2 * boxes.size() - 1);
    build_items_.clear();
    build_slots_.clear();
    for (int32_t i = 0; i < leaf_count_; ++i)
    {
        nodes_[i].box = boxes[i];
        nodes_[i].item = i;
        build_items_.push_back({boxes[i], i});
    }
    for (int32_t i = int32_t(nodes_.size()) - 1; i >= leaf_count_; --i)
        build_slots_.push_back(i);
    build_root();
}

void Bvh::rebuild()
{
    build_items_.clear();
    build_slots_.clear();
    for (int32_t i = int32_t(nodes_.size()) - 1; i >= 0; --i)
    {
        Node& node = nodes_[i];
        if (node.flags & free_slot)
            continue;
        node.flags = 0;
        if (node.is_leaf())
            build_items_.push_back({node.box, i});
        else
            build_slots_.push_back(i);
    }
    build_root();
}

void Bvh::rebuild_enlarged()
{
    if (root_ == none || !(nodes_[root_].flags & enlarged))
        return;
    build_items_.clear();
    build_slots_.clear();
    // The slots taken so far that still have to be opened are those from `opened` on.
    const auto take = [this](int32_t index) {
        Node& node = nodes_[index];
        const bool opens = (node.flags & enlarged) && !node.is_leaf();
        node.flags &= uint16_t(~enlarged);
        if (opens)
            build_slots_.push_back(index);
        else
            build_items_.push_back({node.box, index});
    };
    take(root_);
    for (size_t opened = 0; opened < build_slots_.size(); ++opened)
    {
        const Node node = nodes_[build_slots_[opened]];
        take(node.child_a);
        take(node.child_b);
    }
    build_root();
}

} // namespace moraine
