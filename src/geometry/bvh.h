// A dynamic tree of boxes. Used three times over: for the movers of the world, for the members of a collection or the
// shapes of a body, and for the triangles of a mesh.
#pragma once

#include "geometry/aabb.h"

#include <cstdint>
#include <span>
#include <vector>

namespace moraine
{

class Bvh
{
public:
    static constexpr int32_t none = -1;

    struct Node // 40 bytes
    {
        Aabb box{};
        int32_t parent = none;
        int32_t child_a = none; // none: a leaf
        union
        {
            int32_t child_b = none;
            int32_t item; // of a leaf
        };
        uint16_t height = 0; // of a leaf 0
        uint16_t flags = 0;
    };

    // A leaf's index is stable until it is removed.
    int32_t insert(const Aabb& box, int32_t item);
    void remove(int32_t leaf);
    void move(int32_t leaf, const Aabb& box); // remove and insert again
    void enlarge(int32_t leaf, const Aabb& box); // grow in place and grow the ancestors: cheap, loosens the tree

    // All at once, by binned surface area: for meshes, or when the tree has become loose. Leaf i holds item i.
    void build(std::span<const Aabb> boxes);
    // Rebuild the upper part from the existing leaves; leaf indices stay valid.
    void rebuild();

    const Aabb& box(int32_t leaf) const { return nodes_[leaf].box; }
    int32_t item(int32_t leaf) const { return nodes_[leaf].item; }
    int32_t root() const { return root_; }
    int leaf_count() const { return leaf_count_; }
    bool is_empty() const { return root_ == none; }
    std::span<const Node> nodes() const { return nodes_; }
    int height() const { return root_ == none ? 0 : nodes_[root_].height; }
    float area_ratio() const; // total inner area over root area: how loose the tree is
    bool is_consistent() const; // for tests and MORAINE_VALIDATE
    void clear();

    // visit(item) for each leaf whose box overlaps; visit returns false to stop.
    template <class Visit>
    void query(const Aabb& box, Visit&& visit) const;
    // visit(item, max_fraction) for leaves that the segment (widened by `extents`) may touch, near side first;
    // returns the new largest fraction of interest (0 stops).
    template <class Visit>
    void cast(Vec3 origin, Vec3 translation, Vec3 extents, Visit&& visit) const;

private:
    std::vector<Node> nodes_;
    int32_t root_ = none;
    int32_t free_ = none;
    int leaf_count_ = 0;
    // (private helpers as needed)
};

} // namespace moraine
