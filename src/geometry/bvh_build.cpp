// Building a tree top down, or a part of one: items (leaves or whole subtrees) are split by the binned surface area
// heuristic along the longest axis of their centres.
#include "geometry/bvh.h"

#include <algorithm>
#include <cstring>

namespace moraine
{

namespace
{

constexpr int bin_count = 8;
// Below this depth ranges are halved, so that no input makes a deep tree.
constexpr int max_uneven_depth = 40;
constexpr float infinity = std::numeric_limits<float>::infinity();

// Four floats at a time, of which the last is idle: building is the one place where that doubles the speed of boxes.
typedef float Float4 __attribute__((vector_size(16)));
typedef int32_t Int4 __attribute__((vector_size(16)));

Float4 smaller(Float4 a, Float4 b) { return a < b ? a : b; }
Float4 larger(Float4 a, Float4 b) { return a > b ? a : b; }

struct Box4
{
    Float4 lower{infinity, infinity, infinity, 0};
    Float4 upper{-infinity, -infinity, -infinity, 0};

    void add(const Box4& box)
    {
        lower = smaller(box.lower, lower);
        upper = larger(box.upper, upper);
    }
    float half_area() const
    {
        const Float4 d = upper - lower;
        return d[0] * d[1] + d[1] * d[2] + d[2] * d[0];
    }
    Float4 center_sum() const { return lower + upper; } // twice the centre: spares a multiplication
};

template <class Item>
Box4 box_of(const Item& item)
{
    Float4 lower, upper;
    std::memcpy(&lower, &item.lower, sizeof lower);
    std::memcpy(&upper, &item.upper, sizeof upper);
    // The node index beside the upper corner would be a denormal number, and slow.
    return {lower, Float4(Int4(upper) & Int4{-1, -1, -1, 0})};
}

struct Bin
{
    Box4 box;
    int count = 0;
};

struct Binning
{
    int axis = 0;
    float origin = 0;
    float scale = 0; // 0: all centres coincide

    template <class Item>
    float position_of(const Item& item) const
    {
        return ((&item.lower.x)[axis] + (&item.upper.x)[axis] - origin) * scale;
    }
    template <class Item>
    int bin_of(const Item& item) const
    {
        const float position = position_of(item);
        // Written so that NaN lands in the first bin.
        return position > 0 ? int(position < float(bin_count - 1) ? position : float(bin_count - 1)) : 0;
    }
};

Binning choose_binning(const Box4& centers)
{
    const Float4 size = centers.upper - centers.lower;
    const int axis = size[0] >= size[1] ? (size[0] >= size[2] ? 0 : 2) : (size[1] >= size[2] ? 1 : 2);
    const float length = size[axis];
    const bool is_usable = length > 1e-30f && length < 1e30f;
    return {axis, centers.lower[axis], is_usable ? float(bin_count) / length : 0.0f};
}

template <class Item>
Box4 bounds_of_centers(const Item* items, int count)
{
    Float4 lower = Box4{}.lower, upper = Box4{}.upper;
    for (int i = 0; i < count; ++i)
    {
        const Float4 center = box_of(items[i]).center_sum();
        lower = smaller(center, lower);
        upper = larger(center, upper);
    }
    return {lower, upper};
}

// The number of the first bin on the upper side of the cheapest split, or 0 if none divides the items.
template <class Item>
int choose_split(const Item* items, int count, const Binning& binning)
{
    Bin bins[bin_count];
    for (int i = 0; i < count; ++i)
    {
        Bin& bin = bins[binning.bin_of(items[i])];
        bin.box.add(box_of(items[i]));
        ++bin.count;
    }
    float upper_cost[bin_count];
    Box4 box;
    int below = 0;
    for (int i = bin_count - 1; i > 0; --i)
    {
        box.add(bins[i].box);
        below += bins[i].count;
        upper_cost[i] = below > 0 ? box.half_area() * float(below) : 0;
    }
    box = bins[0].box;
    below = bins[0].count;
    int best = 0;
    float best_cost = infinity;
    for (int i = 1; i < bin_count; ++i)
    {
        const float cost = (below > 0 ? box.half_area() * float(below) : 0) + upper_cost[i];
        if (below > 0 && below < count && cost < best_cost)
        {
            best = i;
            best_cost = cost;
        }
        box.add(bins[i].box);
        below += bins[i].count;
    }
    return best;
}

// Three or four items: the best pair beside the rest, or the best two pairs.
template <class Item>
int split_few(Item* items, int count)
{
    const auto pair_area = [&](int i, int j) {
        Box4 box = box_of(items[i]);
        box.add(box_of(items[j]));
        return box.half_area();
    };
    float cost[3] = {pair_area(0, 1), pair_area(0, 2), pair_area(1, 2)};
    if (count == 4)
    {
        cost[0] += pair_area(2, 3);
        cost[1] += pair_area(1, 3);
        cost[2] += pair_area(0, 3);
    }
    if (cost[1] < cost[0] && !(cost[2] < cost[1]))
        std::swap(items[1], items[2]);
    else if (cost[2] < cost[0])
        std::swap(items[0], items[2]);
    return 2;
}

// Moves the items of the lower side to the front. Without a branch on the data: it would be guessed wrong half the time.
template <class Item, class Predicate>
int partition_items(Item* items, int count, Predicate&& is_lower)
{
    int lower_count = 0;
    for (int i = 0; i < count; ++i)
    {
        const Item item = items[i];
        items[i] = items[lower_count];
        items[lower_count] = item;
        lower_count += is_lower(item);
    }
    return lower_count;
}

// Orders the items so that the first of the returned number form the lower side.
template <class Item>
int split(Item* items, int count, int depth)
{
    if (count == 2)
        return 1;
    if (count <= 4)
        return split_few(items, count);
    const Binning binning = choose_binning(bounds_of_centers(items, count));
    if (binning.scale == 0)
        return count / 2;
    if (depth > max_uneven_depth)
    {
        const auto is_lower = [&](const Item& a, const Item& b) {
            return binning.position_of(a) < binning.position_of(b);
        };
        std::nth_element(items, items + count / 2, items + count, is_lower);
        return count / 2;
    }
    const int first_upper = choose_split(items, count, binning);
    if (first_upper == 0)
        return count / 2;
    return partition_items(items, count,
                           [&](const Item& item) { return !(binning.position_of(item) >= float(first_upper)); });
}

} // namespace

Bvh::Build Bvh::begin_build(Arena& scratch) const
{
    return {scratch.allocate<BuildItem>(size_t(leaf_count_)), scratch.allocate<int32_t>(size_t(leaf_count_))};
}

int32_t Bvh::build_range(Build& build, BuildItem* items, int count, int depth)
{
    if (count == 1)
        return items[0].node;
    const int32_t index = build.slots[--build.slot_count];
    const int lower_count = split(items, count, depth);
    const int32_t a = build_range(build, items, lower_count, depth + 1);
    const int32_t b = build_range(build, items + lower_count, count - lower_count, depth + 1);
    nodes_[index].child_a = a;
    nodes_[index].child_b = b;
    nodes_[a].parent = index;
    nodes_[b].parent = index;
    refit(index);
    return index;
}

void Bvh::build_root(Build& build)
{
    root_ = none;
    if (build.item_count == 0)
        return;
    root_ = build_range(build, build.items.data(), int(build.item_count), 0);
    nodes_[root_].parent = none;
}

void Bvh::build(std::span<const Aabb> boxes)
{
    clear();
    leaf_count_ = int(boxes.size());
    nodes_.resize(boxes.empty() ? 0 : 2 * boxes.size() - 1);
    Arena scratch;
    Build build = begin_build(scratch);
    for (int32_t i = 0; i < leaf_count_; ++i)
    {
        nodes_[i].box = boxes[i];
        nodes_[i].item = i;
        build.add_item(nodes_[i], i);
    }
    for (int32_t i = int32_t(nodes_.size()) - 1; i >= leaf_count_; --i)
        build.add_slot(i);
    build_root(build);
}

void Bvh::rebuild(Arena& scratch)
{
    ArenaScope scope(scratch);
    Build build = begin_build(scratch);
    for (int32_t i = int32_t(nodes_.size()) - 1; i >= 0; --i)
    {
        Node& node = nodes_[i];
        if (node.flags & free_slot)
            continue;
        node.flags = 0;
        if (node.is_leaf())
            build.add_item(node, i);
        else
            build.add_slot(i);
    }
    build_root(build);
}

void Bvh::rebuild_enlarged(Arena& scratch)
{
    if (root_ == none || !(nodes_[root_].flags & enlarged))
        return;
    ArenaScope scope(scratch);
    Build build = begin_build(scratch);
    // The slots taken so far that still have to be opened are those from `opened` on.
    const auto take = [&](int32_t index) {
        Node& node = nodes_[index];
        const bool opens = (node.flags & enlarged) && !node.is_leaf();
        node.flags &= uint16_t(~enlarged);
        if (opens)
            build.add_slot(index);
        else
            build.add_item(node, index);
    };
    take(root_);
    for (size_t opened = 0; opened < build.slot_count; ++opened)
    {
        const Node node = nodes_[build.slots[opened]];
        take(node.child_a);
        take(node.child_b);
    }
    build_root(build);
}

} // namespace moraine
