#include "geometry/bvh.h"

#include <algorithm>
#include <utility>

namespace moraine
{

namespace
{

// Trees follow surface area, which may ask for a chain (boxes nested in each other). Beyond this difference in height
// of two siblings balance comes first, so that the height stays logarithmic.
constexpr int max_imbalance = 64;

float distance_measure(const Aabb& a, const Aabb& b)
{
    const Vec3 d = abs(a.lower + a.upper - b.lower - b.upper);
    return d.x + d.y + d.z;
}

} // namespace

int32_t Bvh::allocate()
{
    if (free_ == none)
    {
        nodes_.emplace_back();
        return int32_t(nodes_.size()) - 1;
    }
    const int32_t index = free_;
    free_ = nodes_[index].parent;
    nodes_[index] = Node{};
    return index;
}

void Bvh::release(int32_t index)
{
    nodes_[index] = Node{};
    nodes_[index].flags = free_slot;
    nodes_[index].parent = free_;
    free_ = index;
}

int32_t Bvh::insert(const Aabb& box, int32_t item)
{
    const int32_t leaf = allocate();
    nodes_[leaf].box = box;
    nodes_[leaf].item = item;
    ++leaf_count_;
    attach(leaf);
    return leaf;
}

void Bvh::remove(int32_t leaf)
{
    detach(leaf);
    release(leaf);
    --leaf_count_;
}

void Bvh::move(int32_t leaf, const Aabb& box)
{
    detach(leaf);
    nodes_[leaf].box = box;
    nodes_[leaf].flags = 0;
    attach(leaf);
}

void Bvh::translate(Vec3 shift)
{
    for (Node& node : nodes_)
        if (!(node.flags & free_slot))
            node.box = {node.box.lower + shift, node.box.upper + shift};
}

void Bvh::enlarge(int32_t leaf, const Aabb& box)
{
    nodes_[leaf].box = box;
    nodes_[leaf].flags |= enlarged;
    int32_t index = nodes_[leaf].parent;
    while (index != none && !contains(nodes_[index].box, box))
    {
        nodes_[index].box = merge(nodes_[index].box, box);
        nodes_[index].flags |= enlarged;
        index = nodes_[index].parent;
    }
    // The rest need not grow, but a partial rebuild must find its way down.
    while (index != none && !(nodes_[index].flags & enlarged))
    {
        nodes_[index].flags |= enlarged;
        index = nodes_[index].parent;
    }
}

// Greedy descent: pairing with a node costs its merged area plus the growth of its ancestors; go on into the child
// whose best case is cheapest while that may still beat the best node so far. Ties go deeper, then to the nearer and
// the lower child, so that many equal boxes make a balanced tree and not a chain.
int32_t Bvh::find_sibling(const Aabb& box) const
{
    const float area = half_area(box);
    int32_t index = root_;
    int32_t best = root_;
    float merged = half_area(merge(nodes_[root_].box, box));
    float best_cost = merged;
    float inherited = 0;
    while (!nodes_[index].is_leaf())
    {
        const Node& node = nodes_[index];
        inherited += merged - half_area(node.box);
        const int32_t children[2] = {node.child_a, node.child_b};
        float merged_of[2], bound[2];
        for (int i = 0; i < 2; ++i)
        {
            const Node& child = nodes_[children[i]];
            merged_of[i] = half_area(merge(child.box, box));
            const float cost = merged_of[i] + inherited;
            if (cost <= best_cost)
            {
                best_cost = cost;
                best = children[i];
            }
            bound[i] = child.is_leaf() ? std::numeric_limits<float>::infinity()
                                       : inherited + area + merged_of[i] - half_area(child.box);
        }
        int next = bound[0] < bound[1] ? 0 : 1;
        if (bound[0] == bound[1])
        {
            const Node &a = nodes_[children[0]], &b = nodes_[children[1]];
            const float to_a = distance_measure(a.box, box), to_b = distance_measure(b.box, box);
            next = to_a < to_b || (to_a == to_b && a.height < b.height) ? 0 : 1;
        }
        if (!(bound[next] <= best_cost))
            break;
        index = children[next];
        merged = merged_of[next];
    }
    while (nodes_[best].height > max_imbalance)
    {
        const Node& node = nodes_[best];
        best = nodes_[node.child_a].height < nodes_[node.child_b].height ? node.child_a : node.child_b;
    }
    return best;
}

void Bvh::attach(int32_t leaf)
{
    if (root_ == none)
    {
        root_ = leaf;
        nodes_[leaf].parent = none;
        return;
    }
    const int32_t sibling = find_sibling(nodes_[leaf].box);
    const int32_t parent = allocate();
    const int32_t above = nodes_[sibling].parent;
    nodes_[parent].parent = above;
    nodes_[parent].child_a = sibling;
    nodes_[parent].child_b = leaf;
    nodes_[sibling].parent = parent;
    nodes_[leaf].parent = parent;
    if (above == none)
        root_ = parent;
    else if (nodes_[above].child_a == sibling)
        nodes_[above].child_a = parent;
    else
        nodes_[above].child_b = parent;

    for (int32_t index = parent; index != none; index = nodes_[index].parent)
    {
        const Node before = nodes_[index];
        refit(index);
        rotate(index);
        const Node& after = nodes_[index];
        // Nothing changes further up; rotations there would gain next to nothing and cost a fifth of the insertion.
        if (index != parent && before.box == after.box && before.height == after.height && before.flags == after.flags)
            break;
    }
}

void Bvh::detach(int32_t leaf)
{
    if (leaf == root_)
    {
        root_ = none;
        return;
    }
    const int32_t parent = nodes_[leaf].parent;
    const int32_t above = nodes_[parent].parent;
    const int32_t sibling = nodes_[parent].child_a == leaf ? nodes_[parent].child_b : nodes_[parent].child_a;
    nodes_[sibling].parent = above;
    nodes_[leaf].parent = none;
    release(parent);
    if (above == none)
    {
        root_ = sibling;
        return;
    }
    (nodes_[above].child_a == parent ? nodes_[above].child_a : nodes_[above].child_b) = sibling;
    for (int32_t index = above; index != none; index = nodes_[index].parent)
    {
        const Node before = nodes_[index];
        refit(index);
        rotate(index);
        const Node& after = nodes_[index];
        if (before.box == after.box && before.height == after.height && before.flags == after.flags)
            break;
    }
}

void Bvh::refit(int32_t index)
{
    Node& node = nodes_[index];
    const Node &a = nodes_[node.child_a], &b = nodes_[node.child_b];
    node.box = merge(a.box, b.box);
    node.height = uint16_t(std::min(1 + std::max<int>(a.height, b.height), 65535));
    node.flags = uint16_t((a.flags | b.flags) & enlarged);
}

// Exchanges child number `child` of a node with a child of its other child.
void Bvh::swap_with_grandchild(int32_t index, int child, int grandchild)
{
    Node& node = nodes_[index];
    int32_t& low = child == 0 ? node.child_a : node.child_b;
    const int32_t other = child == 0 ? node.child_b : node.child_a;
    int32_t& high = grandchild == 0 ? nodes_[other].child_a : nodes_[other].child_b;
    std::swap(low, high);
    nodes_[low].parent = index;
    nodes_[high].parent = other;
    refit(other);
    node.height = uint16_t(std::min(1 + std::max<int>(nodes_[low].height, nodes_[other].height), 65535));
}

// Exchanges a child with a grandchild on the other side where that shrinks the tree (or balances a very lopsided one).
void Bvh::rotate(int32_t index)
{
    const Node& node = nodes_[index];
    if (node.height < 2)
        return;
    const int32_t children[2] = {node.child_a, node.child_b};
    const int difference = int(nodes_[children[0]].height) - int(nodes_[children[1]].height);
    if (std::abs(difference) > max_imbalance)
    {
        const Node& tall = nodes_[children[difference > 0 ? 0 : 1]];
        const bool lifts_a = nodes_[tall.child_a].height >= nodes_[tall.child_b].height;
        swap_with_grandchild(index, difference > 0 ? 1 : 0, lifts_a ? 0 : 1);
        return;
    }

    float best_gain = 0;
    int best_child = -1, best_grandchild = -1;
    for (int child = 0; child < 2; ++child)
    {
        const Node& low = nodes_[children[child]];
        const Node& other = nodes_[children[1 - child]];
        if (other.is_leaf())
            continue;
        const float area = half_area(other.box);
        for (int grandchild = 0; grandchild < 2; ++grandchild)
        {
            const Node& stays = nodes_[grandchild == 0 ? other.child_b : other.child_a];
            const float gain = area - half_area(merge(low.box, stays.box));
            if (gain > best_gain)
            {
                best_gain = gain;
                best_child = child;
                best_grandchild = grandchild;
            }
        }
    }
    if (best_child >= 0)
        swap_with_grandchild(index, best_child, best_grandchild);
}

float Bvh::area_ratio() const
{
    if (root_ == none || nodes_[root_].is_leaf())
        return 0;
    double total = 0;
    for (const Node& node : nodes_)
        if (!(node.flags & free_slot) && !node.is_leaf())
            total += half_area(node.box);
    const double root_area = half_area(nodes_[root_].box);
    return root_area > 0 ? float(total / root_area) : 0;
}

void Bvh::clear()
{
    nodes_.clear();
    root_ = none;
    free_ = none;
    leaf_count_ = 0;
}

bool Bvh::restore(std::span<const Node> nodes, int32_t root, int32_t first_free)
{
    nodes_.assign(nodes.begin(), nodes.end());
    root_ = root;
    free_ = first_free;
    leaf_count_ = int(std::count_if(nodes_.begin(), nodes_.end(),
                                    [](const Node& node) { return !(node.flags & free_slot) && node.is_leaf(); }));
    if (is_consistent())
        return true;
    clear();
    return false;
}

// Every slot must be the root, the child of exactly one node, or on the free list. Parent and child links that agree
// leave only separate cycles to rule out: they would leave nodes over when counting from the root.
bool Bvh::is_consistent() const
{
    if (root_ == none)
        return leaf_count_ == 0 && is_free_list_consistent(int(nodes_.size()));
    if (root_ < 0 || root_ >= int32_t(nodes_.size()) || nodes_[root_].parent != none ||
        (nodes_[root_].flags & free_slot))
        return false;
    const int used = 2 * leaf_count_ - 1;
    return used <= int(nodes_.size()) && is_consistent_below_root() &&
           is_free_list_consistent(int(nodes_.size()) - used);
}

bool Bvh::is_free_list_consistent(int free_count) const
{
    int count = 0;
    for (int32_t index = free_; index != none; index = nodes_[index].parent)
        if (index < 0 || index >= int32_t(nodes_.size()) || !(nodes_[index].flags & free_slot) || ++count > free_count)
            return false;
    return count == free_count;
}

bool Bvh::is_consistent_below_root() const
{
    const int32_t size = int32_t(nodes_.size());
    const int used = 2 * leaf_count_ - 1;
    int visited = 0, leaves = 0;
    std::vector<int32_t> stack{root_};
    while (!stack.empty())
    {
        const int32_t index = stack.back();
        const Node& node = nodes_[index];
        stack.pop_back();
        if (++visited > used || (node.flags & free_slot))
            return false;
        if (node.is_leaf())
        {
            ++leaves;
            if (node.height != 0)
                return false;
            continue;
        }
        int tallest = 0;
        for (const int32_t child : {node.child_a, node.child_b})
        {
            if (child < 0 || child >= size || nodes_[child].parent != index || !contains(node.box, nodes_[child].box))
                return false;
            if ((nodes_[child].flags & enlarged) && !(node.flags & enlarged))
                return false;
            tallest = std::max<int>(tallest, nodes_[child].height);
            stack.push_back(child);
        }
        if (node.child_a == node.child_b || node.height != std::min(tallest + 1, 65535))
            return false;
    }
    return visited == used && leaves == leaf_count_;
}

} // namespace moraine
