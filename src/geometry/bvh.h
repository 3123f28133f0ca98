// A dynamic tree of boxes. Used three times over: for the movers of the world, for the members of a collection or the
// shapes of a body, and for the triangles of a mesh.
#pragma once

#include "base/arena.h"
#include "base/array.h"
#include "geometry/aabb.h"

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace moraine
{

class Bvh
{
public:
    static constexpr int32_t none = -1;
    static constexpr uint16_t enlarged = 1; // grown in place since the last rebuild; all ancestors have it too
    static constexpr uint16_t free_slot = 2;

    struct Node // 40 bytes
    {
        Aabb box{};
        int32_t parent = none;  // of a free slot: the next free slot
        int32_t child_a = none; // none: a leaf
        union
        {
            int32_t child_b = none;
            int32_t item; // of a leaf
        };
        uint16_t height = 0; // of a leaf 0
        uint16_t flags = 0;

        bool is_leaf() const { return child_a == none; }
    };

    // A leaf's index is stable until it is removed.
    int32_t insert(const Aabb& box, int32_t item);
    void remove(int32_t leaf);
    void move(int32_t leaf, const Aabb& box);    // remove and insert again
    void enlarge(int32_t leaf, const Aabb& box); // the leaf gets `box`, its ancestors grow: cheap, loosens the tree
    void translate(Vec3 shift);                  // the whole tree
    void set_item(int32_t leaf, int32_t item) { nodes_[leaf].item = item; }

    // All at once, by binned surface area: for meshes, or when the tree has become loose. Leaf i holds item i.
    void build(std::span<const Aabb> boxes);
    // All inner nodes anew from the existing leaves; leaf indices stay valid.
    void rebuild(Arena& scratch);
    // Only the part above the leaves that were enlarged; subtrees without such leaves are kept as they are.
    void rebuild_enlarged(Arena& scratch);

    const Aabb& box(int32_t leaf) const { return nodes_[leaf].box; }
    int32_t item(int32_t leaf) const { return nodes_[leaf].item; }
    int32_t root() const { return root_; }
    int leaf_count() const { return leaf_count_; }
    bool is_empty() const { return root_ == none; }
    std::span<const Node> nodes() const { return nodes_; }
    int32_t first_free() const { return free_; }
    size_t reserved_bytes() const { return nodes_.capacity() * sizeof(Node); }
    int height() const { return root_ == none ? 0 : nodes_[root_].height; }
    float area_ratio() const;   // total inner area over root area: how loose the tree is
    bool is_consistent() const; // for tests and MORAINE_VALIDATE; safe on any content
    void clear();
    void reserve(int leaf_count) { nodes_.reserve(size_t(2 * leaf_count)); }
    // Exactly the tree that `nodes`, `root` and `first_free` were read from. False, and empty, if they make no tree.
    bool restore(std::span<const Node> nodes, int32_t root, int32_t first_free);

    // visit(item) for each leaf whose box overlaps; visit returns false to stop. The tree must not change meanwhile.
    template <class Visit>
    void query(const Aabb& box, Visit&& visit) const;
    // visit(item, max_fraction) for leaves that the segment (widened by `extents`) may touch, near side first;
    // returns the new largest fraction of interest (0 stops).
    template <class Visit>
    void cast(Vec3 origin, Vec3 translation, Vec3 extents, Visit&& visit) const;

private:
    struct BuildItem // two lanes of four floats
    {
        Vec3 lower;
        float unused;
        Vec3 upper;
        int32_t node;
    };
    // Memory of a rebuild: what is to be put below new inner nodes, and the nodes to use, lowest last.
    struct Build
    {
        std::span<BuildItem> items;
        std::span<int32_t> slots;
        size_t item_count = 0, slot_count = 0;

        void add_item(const Node& node, int32_t index)
        {
            items[item_count++] = {node.box.lower, 0, node.box.upper, index};
        }
        void add_slot(int32_t index) { slots[slot_count++] = index; }
    };
    struct Ray
    {
        Vec3 origin, inverse, extents;
    };
    // Traversals keep their own stack; a tree that is deeper (see max_imbalance in bvh.cpp) recurses beyond it.
    static constexpr int stack_size = 256;

    int32_t allocate();
    void release(int32_t index);
    void attach(int32_t leaf);
    void detach(int32_t leaf);
    int32_t find_sibling(const Aabb& box) const;
    void refit(int32_t index);
    void rotate(int32_t index);
    void swap_with_grandchild(int32_t index, int child, int grandchild);
    Build begin_build(Arena& scratch) const;
    int32_t build_range(Build& build, BuildItem* items, int count, int depth);
    void build_root(Build& build);
    bool is_consistent_below_root() const;
    bool is_free_list_consistent(int free_count) const;

    static float entry_fraction(const Ray& ray, const Aabb& box, float max_fraction);
    template <class Visit>
    bool query_below(int32_t start, const Aabb& box, Visit& visit) const;
    template <class Visit>
    float cast_below(int32_t start, const Ray& ray, float max_fraction, Visit& visit) const;

    Array<Node> nodes_;
    int32_t root_ = none;
    int32_t free_ = none;
    int leaf_count_ = 0;
};

static_assert(sizeof(Bvh::Node) == 40);

// Calls a visitor that returns whether to go on, or nothing.
template <class Visit, class... Arguments>
bool goes_on(Visit& visit, Arguments... arguments)
{
    if constexpr (std::is_void_v<std::invoke_result_t<Visit&, Arguments...>>)
    {
        visit(arguments...);
        return true;
    }
    else
        return visit(arguments...);
}

template <class Visit>
void Bvh::query(const Aabb& box, Visit&& visit) const
{
    if (root_ != none && overlaps(nodes_[root_].box, box))
        query_below(root_, box, visit);
}

// `start` is known to overlap. False: the visitor wants no more.
template <class Visit>
bool Bvh::query_below(int32_t start, const Aabb& box, Visit& visit) const
{
    const Node* nodes = nodes_.data();
    int32_t stack[stack_size];
    int count = 0;
    int32_t index = start;
    for (;;)
    {
        const Node& node = nodes[index];
        if (node.is_leaf())
        {
            if (!goes_on(visit, node.item))
                return false;
        }
        else
        {
            const bool a = overlaps(nodes[node.child_a].box, box);
            const bool b = overlaps(nodes[node.child_b].box, box);
            if (a && b)
            {
                if (count < stack_size)
                    stack[count++] = node.child_b;
                else if (!query_below(node.child_b, box, visit))
                    return false;
            }
            if (a || b)
            {
                index = a ? node.child_a : node.child_b;
                continue;
            }
        }
        if (count == 0)
            return true;
        index = stack[--count];
    }
}

// Where the ray enters the box, or a value above `max_fraction` if it misses.
inline float Bvh::entry_fraction(const Ray& ray, const Aabb& box, float max_fraction)
{
    const Vec3 a = multiply(box.lower - ray.extents - ray.origin, ray.inverse);
    const Vec3 b = multiply(box.upper + ray.extents - ray.origin, ray.inverse);
    const float entry = max_component(min(a, b));
    // A few rounding errors wider, so that a ray never slips between boxes that share a side.
    const float exit = min_component(max(a, b)) * (1.0f + 1e-6f);
    const float start = entry > 0 ? entry : 0;
    return start <= exit && start <= max_fraction ? start : std::numeric_limits<float>::infinity();
}

template <class Visit>
void Bvh::cast(Vec3 origin, Vec3 translation, Vec3 extents, Visit&& visit) const
{
    // A finite stand-in for 1/0: the product with a zero distance must be zero and not NaN.
    const auto invert = [](float v) { return std::fabs(v) > 1e-30f ? 1.0f / v : std::copysign(1e30f, v); };
    const Ray ray{origin, {invert(translation.x), invert(translation.y), invert(translation.z)}, extents};
    if (root_ != none && entry_fraction(ray, nodes_[root_].box, 1.0f) <= 1.0f)
        cast_below(root_, ray, 1.0f, visit);
}

// Returns the largest fraction that is still of interest.
template <class Visit>
float Bvh::cast_below(int32_t start, const Ray& ray, float max_fraction, Visit& visit) const
{
    struct Entry
    {
        int32_t index;
        float fraction;
    };
    const Node* nodes = nodes_.data();
    Entry stack[stack_size];
    int count = 0;
    int32_t index = start;
    for (;;)
    {
        const Node& node = nodes[index];
        if (node.is_leaf())
        {
            max_fraction = visit(node.item, max_fraction);
            if (!(max_fraction > 0))
                return 0;
        }
        else
        {
            Entry near_side{node.child_a, entry_fraction(ray, nodes[node.child_a].box, max_fraction)};
            Entry far_side{node.child_b, entry_fraction(ray, nodes[node.child_b].box, max_fraction)};
            if (far_side.fraction < near_side.fraction)
                std::swap(near_side, far_side);
            if (near_side.fraction <= max_fraction)
            {
                if (far_side.fraction <= max_fraction && count < stack_size)
                    stack[count++] = far_side;
                else if (far_side.fraction <= max_fraction)
                    max_fraction = cast_below(far_side.index, ray, max_fraction, visit);
                index = near_side.index;
                continue;
            }
        }
        while (count > 0 && stack[count - 1].fraction > max_fraction)
            --count;
        if (count == 0 || !(max_fraction > 0))
            return max_fraction;
        index = stack[--count].index;
    }
}

// Two boxes in different frames: false if one of the six face normals separates them.
class PlacedBoxes
{
public:
    explicit PlacedBoxes(const Transform& b_in_a)
        : rotation_(to_matrix(b_in_a.rotation)),
          position_(b_in_a.position),
          spread_(abs(rotation_)),
          spread_back_(transpose(spread_))
    {}

    bool overlaps(const Aabb& a, const Aabb& b) const
    {
        const Vec3 half_a = half_extents(a), half_b = half_extents(b);
        const Vec3 center_a = center(a), center_b = rotation_ * center(b) + position_;
        const Vec3 offset = center_b - center_a;
        // Rounding grows with the numbers that were added, not with the result.
        const Vec3 size = abs(center_a) + abs(center_b) + abs(center(b)) + abs(position_) + half_a + half_b;
        const float slack = 1e-6f * (size.x + size.y + size.z);
        const Vec3 gap_a = abs(offset) - half_a - spread_ * half_b;
        const Vec3 gap_b = abs(transpose_multiply(rotation_, offset)) - half_b - spread_back_ * half_a;
        return !(max_component(max(gap_a, gap_b)) > slack);
    }

private:
    Mat3 rotation_;
    Vec3 position_;
    Mat3 spread_, spread_back_;
};

struct NodePair
{
    int32_t a, b;
};

template <class Visit>
bool query_pairs_below(const Bvh& tree, const Bvh& other, const PlacedBoxes& placed, NodePair start, Visit& visit)
{
    const Bvh::Node* nodes_a = tree.nodes().data();
    const Bvh::Node* nodes_b = other.nodes().data();
    constexpr int stack_size = 256;
    NodePair stack[stack_size];
    int count = 0;
    NodePair pair = start;
    for (;;)
    {
        const Bvh::Node& a = nodes_a[pair.a];
        const Bvh::Node& b = nodes_b[pair.b];
        bool descends = false;
        if (placed.overlaps(a.box, b.box))
        {
            descends = !(a.is_leaf() && b.is_leaf());
            if (!descends && !goes_on(visit, a.item, b.item))
                return false;
        }
        if (descends)
        {
            // Open the larger of the two.
            const bool opens_a = b.is_leaf() || (!a.is_leaf() && half_area(a.box) >= half_area(b.box));
            const NodePair later = opens_a ? NodePair{a.child_b, pair.b} : NodePair{pair.a, b.child_b};
            pair = opens_a ? NodePair{a.child_a, pair.b} : NodePair{pair.a, b.child_a};
            if (count < stack_size)
                stack[count++] = later;
            else if (!query_pairs_below(tree, other, placed, later, visit))
                return false;
            continue;
        }
        if (count == 0)
            return true;
        pair = stack[--count];
    }
}

// visit(item, other_item) for each pair of leaves that may overlap when `other` stands at `other_in_tree`; visit returns
// false to stop. Conservative: some pairs that are close but apart are reported too.
template <class Visit>
void query_pairs(const Bvh& tree, const Bvh& other, const Transform& other_in_tree, Visit&& visit)
{
    if (!tree.is_empty() && !other.is_empty())
        query_pairs_below(tree, other, PlacedBoxes(other_in_tree), {tree.root(), other.root()}, visit);
}

} // namespace moraine
