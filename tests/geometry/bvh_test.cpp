#include "geometry/bvh.h"
#include "random.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace moraine::test
{
namespace
{

// The tree beside a plain list that is searched in full.
struct Pair
{
    struct Entry
    {
        int32_t leaf;
        int32_t item;
        Aabb box;
    };
    Bvh tree;
    std::vector<Entry> entries;
    int32_t next_item = 0;

    void insert(const Aabb& box)
    {
        entries.push_back({tree.insert(box, next_item), next_item, box});
        ++next_item;
    }
    void remove(size_t i)
    {
        tree.remove(entries[i].leaf);
        entries.erase(entries.begin() + ptrdiff_t(i));
    }

    void expect_same(const Aabb& box) const
    {
        std::vector<int32_t> found, expected;
        tree.query(box, [&](int32_t item) { found.push_back(item); });
        for (const Entry& entry : entries)
            if (overlaps(entry.box, box))
                expected.push_back(entry.item);
        std::sort(found.begin(), found.end());
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(found, expected);
    }
    void expect_sound(Random& random) const
    {
        ASSERT_TRUE(tree.is_consistent());
        ASSERT_EQ(tree.leaf_count(), int(entries.size()));
        for (const Entry& entry : entries)
        {
            ASSERT_EQ(tree.item(entry.leaf), entry.item);
            ASSERT_EQ(tree.box(entry.leaf), entry.box);
        }
        for (int i = 0; i < 5; ++i)
            expect_same(random.box(12, 8));
    }
};

Arena scratch; // of rebuilds

TEST(Bvh, AgreesWithAPlainListThroughAnySequenceOfChanges)
{
    for (uint64_t seed = 0; seed < 20; ++seed)
    {
        Random random(seed);
        Pair pair;
        for (int step = 0; step < 1500; ++step)
        {
            const int choice = random.below(100);
            const size_t any = pair.entries.empty() ? 0 : size_t(random.below(int(pair.entries.size())));
            if (pair.entries.empty() || choice < 40)
                pair.insert(random.box(10, 2));
            else if (choice < 60)
                pair.remove(any);
            else if (choice < 75)
                pair.tree.move(pair.entries[any].leaf, pair.entries[any].box = random.box(10, 2));
            else if (choice < 96)
                pair.tree.enlarge(pair.entries[any].leaf, pair.entries[any].box = random.box(10, 2));
            else if (choice < 98)
                pair.tree.rebuild_enlarged(scratch);
            else
                pair.tree.rebuild(scratch);
            if (step % 10 == 0)
            {
                ASSERT_NO_FATAL_FAILURE(pair.expect_sound(random));
            }
        }
        while (!pair.entries.empty())
            pair.remove(pair.entries.size() - 1);
        ASSERT_NO_FATAL_FAILURE(pair.expect_sound(random));
    }
}

TEST(Bvh, BuiltTreeFindsTheSameAndLeafIHoldsItemI)
{
    Random random(1);
    for (const int count : {0, 1, 2, 3, 5, 17, 1000})
    {
        std::vector<Aabb> boxes;
        for (int i = 0; i < count; ++i)
            boxes.push_back(random.box(10, 2));
        Pair pair;
        pair.tree.build(boxes);
        for (int i = 0; i < count; ++i)
            pair.entries.push_back({i, i, boxes[size_t(i)]});
        ASSERT_NO_FATAL_FAILURE(pair.expect_sound(random));
    }
}

TEST(Bvh, QueryStopsWhenTold)
{
    Bvh tree;
    for (int i = 0; i < 100; ++i)
        tree.insert({{0, 0, 0}, {1, 1, 1}}, i);
    int visits = 0;
    tree.query({{0, 0, 0}, {1, 1, 1}}, [&](int32_t) { return ++visits < 7; });
    EXPECT_EQ(visits, 7);
}

// Inputs for which surface area alone would make a chain.
TEST(Bvh, StaysShallowForHostileInput)
{
    const int count = 20000;
    Bvh same, nested, row, growing, points;
    for (int i = 0; i < count; ++i)
    {
        const float v = float(i);
        same.insert({{0, 0, 0}, {1, 1, 1}}, i);
        nested.insert({{-1 - v, -1 - v, -1 - v}, {1 + v, 1 + v, 1 + v}}, i);
        row.insert({{v, 0, 0}, {v + 1, 1, 1}}, i);
        const float g = std::exp2(float(i % 100));
        growing.insert({{g, g, g}, {2 * g, 2 * g, 2 * g}}, i);
        points.insert({{v, v, v}, {v, v, v}}, i);
    }
    for (Bvh* tree : {&same, &nested, &row, &growing, &points})
    {
        EXPECT_TRUE(tree->is_consistent());
        EXPECT_LT(tree->height(), 250);
        tree->rebuild(scratch);
        EXPECT_TRUE(tree->is_consistent());
        EXPECT_LT(tree->height(), 60);
    }
}

TEST(Bvh, DeepTreesAreSearchedInFull)
{
    // A chain, deeper than the stack of any traversal, as a snapshot might hold it.
    const int leaves = 1500;
    std::vector<Bvh::Node> nodes(2 * leaves - 1);
    const auto box = [](int i) { return Aabb{{float(i), 0, 0}, {float(leaves), 1, 1}}; };
    for (int i = 0; i < leaves; ++i)
    {
        // Inner node i has the leaf leaves-1+i and the next inner node.
        Bvh::Node& leaf = nodes[size_t(leaves - 1 + i)];
        leaf.box = {{float(i), 0, 0}, {float(i + 1), 1, 1}};
        leaf.item = i;
        leaf.parent = std::min(i, leaves - 2);
        if (i == leaves - 1)
            break;
        Bvh::Node& inner = nodes[size_t(i)];
        inner.box = box(i);
        inner.parent = i - 1;
        inner.child_a = i + 1 < leaves - 1 ? i + 1 : 2 * leaves - 2;
        inner.child_b = leaves - 1 + i;
        inner.height = uint16_t(leaves - 1 - i);
    }
    Bvh tree;
    ASSERT_TRUE(tree.restore(nodes, 0, Bvh::none));
    int found = 0, passed = 0, pairs = 0;
    tree.query(box(0), [&](int32_t) { ++found; });
    tree.cast({-1, 0.5f, 0.5f}, {2.0f * leaves, 0, 0}, {}, [&](int32_t, float fraction) {
        ++passed;
        return fraction;
    });
    query_pairs(tree, tree, {}, [&](int32_t a, int32_t b) { pairs += a == b; });
    EXPECT_EQ(found, leaves);
    EXPECT_EQ(passed, leaves);
    EXPECT_EQ(pairs, leaves);
}

TEST(Bvh, CastVisitsWhatTheSegmentTouches)
{
    Random random(2);
    std::vector<Aabb> boxes;
    for (int i = 0; i < 500; ++i)
        boxes.push_back(random.box(10, 2));
    Bvh tree;
    tree.build(boxes);
    for (int round = 0; round < 300; ++round)
    {
        const Vec3 origin = random.vector(-12, 12), extents = round % 3 ? Vec3{} : random.vector(0, 1);
        Vec3 translation = random.vector(-20, 20);
        if (round % 4 == 0)
            translation[random.below(3)] = 0;
        std::vector<bool> visited(boxes.size());
        tree.cast(origin, translation, extents, [&](int32_t item, float max_fraction) {
            visited[size_t(item)] = true;
            return max_fraction;
        });
        // Any box that holds a point of the segment must have been visited.
        for (int i = 0; i <= 200; ++i)
            for (size_t b = 0; b < boxes.size(); ++b)
            {
                const Aabb wide{boxes[b].lower - extents, boxes[b].upper + extents};
                const bool is_touched = contains(wide, origin + (float(i) / 200) * translation);
                ASSERT_TRUE(visited[b] || !is_touched);
            }
    }
}

TEST(Bvh, CastShortensAsTheVisitorAsks)
{
    Bvh tree;
    for (int i = 0; i < 1000; ++i)
        tree.insert({{float(i), 0, 0}, {float(i) + 0.5f, 1, 1}}, i);
    int visits = 0, nearest = 1000;
    tree.cast({-10, 0.5f, 0.5f}, {2000, 0, 0}, {}, [&](int32_t item, float) {
        ++visits;
        nearest = std::min(nearest, item);
        return (10.0f + float(item)) / 2000;
    });
    EXPECT_EQ(nearest, 0);
    EXPECT_LT(visits, 20); // near side first: hardly more than the nearest
    tree.cast({-10, 0.5f, 0.5f}, {2000, 0, 0}, {}, [&](int32_t, float) {
        visits = -1;
        return 0.0f;
    });
    EXPECT_EQ(visits, -1);
}

TEST(Bvh, PairsOfTwoPlacedTreesHoldAllThatTouch)
{
    Random random(3);
    for (int round = 0; round < 20; ++round)
    {
        std::vector<Aabb> boxes_a, boxes_b;
        for (int i = 0; i < 150; ++i)
        {
            boxes_a.push_back(random.box(5, 2));
            boxes_b.push_back(random.box(5, 2));
        }
        Bvh a, b;
        a.build(boxes_a);
        b.build(boxes_b);
        const Transform pose{random.vector(-3, 3), random.rotation()};
        std::vector<std::pair<int32_t, int32_t>> found;
        query_pairs(a, b, pose, [&](int32_t item_a, int32_t item_b) { found.emplace_back(item_a, item_b); });
        std::sort(found.begin(), found.end());
        EXPECT_EQ(std::unique(found.begin(), found.end()), found.end());
        // A point inside both boxes proves that they overlap. Six axes cannot tell more than that the offset along each
        // axis of A is within the half extent of A and the half diagonal of B.
        for (int32_t i = 0; i < 150; ++i)
            for (int32_t j = 0; j < 150; ++j)
            {
                const bool is_found = std::binary_search(found.begin(), found.end(), std::pair(i, j));
                const Aabb &x = boxes_a[size_t(i)], &y = boxes_b[size_t(j)];
                bool shares_a_point = false;
                for (int k = 0; k < 27; ++k)
                {
                    const Vec3 grid{float(k % 3) * 0.5f, float(k / 3 % 3) * 0.5f, float(k / 9) * 0.5f};
                    const Vec3 p = y.lower + multiply(grid, y.upper - y.lower);
                    shares_a_point = shares_a_point || contains(x, apply(pose, p));
                }
                ASSERT_TRUE(is_found || !shares_a_point);
                const float reach = length(half_extents(x)) + std::sqrt(3.0f) * length(half_extents(y));
                ASSERT_TRUE(!is_found || distance(center(x), apply(pose, center(y))) < reach + 1e-3f);
            }
    }
}

TEST(Bvh, PartialRebuildTightensAndKeepsTheRest)
{
    Random random(4);
    Bvh tree;
    std::vector<int32_t> leaves;
    for (int i = 0; i < 4000; ++i)
        leaves.push_back(tree.insert(random.box(50, 1), i));
    const float before = tree.area_ratio();
    for (int i = 0; i < 400; ++i)
        tree.enlarge(leaves[size_t(i)], random.box(50, 1));
    const float loose = tree.area_ratio();
    EXPECT_GT(loose, 1.5f * before);
    tree.rebuild_enlarged(scratch);
    EXPECT_TRUE(tree.is_consistent());
    EXPECT_LT(tree.area_ratio(), 0.8f * loose);
    EXPECT_EQ(tree.nodes()[size_t(tree.root())].flags, 0);
}

TEST(Bvh, RestoredTreeContinuesAlike)
{
    Random random(5);
    Bvh tree;
    std::vector<int32_t> leaves;
    for (int i = 0; i < 300; ++i)
        leaves.push_back(tree.insert(random.box(10, 2), i));
    for (int i = 0; i < 100; ++i)
        tree.remove(leaves[size_t(2 * i)]);
    Bvh copy;
    ASSERT_TRUE(copy.restore(tree.nodes(), tree.root(), tree.first_free()));
    for (int i = 0; i < 200; ++i)
    {
        const Aabb box = random.box(10, 2);
        ASSERT_EQ(tree.insert(box, i), copy.insert(box, i));
    }
    std::vector<int32_t> a, b;
    tree.query({{-5, -5, -5}, {5, 5, 5}}, [&](int32_t item) { a.push_back(item); });
    copy.query({{-5, -5, -5}, {5, 5, 5}}, [&](int32_t item) { b.push_back(item); });
    EXPECT_EQ(a, b);
}

TEST(Bvh, RestoreRejectsWhatIsNoTree)
{
    Random random(6);
    Bvh tree;
    for (int i = 0; i < 20; ++i)
        tree.insert(random.box(10, 2), i);
    tree.remove(3);
    const std::vector<Bvh::Node> nodes(tree.nodes().begin(), tree.nodes().end());
    Bvh copy;
    EXPECT_FALSE(copy.restore(nodes, 1000, tree.first_free()));
    EXPECT_FALSE(copy.restore(nodes, tree.root(), Bvh::none));
    EXPECT_FALSE(copy.restore(nodes, tree.root(), 1 << 30));
    for (int round = 0; round < 2000; ++round)
    {
        std::vector<Bvh::Node> broken = nodes;
        Bvh::Node& node = broken[size_t(random.below(int(broken.size())))];
        const int32_t value = random.below(60) - 10;
        (random.below(3) == 0 ? node.parent : random.below(2) == 0 ? node.child_a : node.child_b) = value;
        // Whatever was accepted can be searched.
        if (copy.restore(broken, tree.root(), tree.first_free()))
            copy.query({{-10, -10, -10}, {10, 10, 10}}, [](int32_t) {});
        else
            EXPECT_TRUE(copy.is_empty());
    }
}

TEST(Bvh, NonFiniteBoxesDoNoHarm)
{
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    Random random(7);
    Bvh tree;
    std::vector<int32_t> leaves;
    for (int i = 0; i < 300; ++i)
    {
        Aabb box = random.box(10, 2);
        if (i % 3 == 0)
            box.lower.x = nan;
        if (i % 5 == 0)
            box.upper = {inf, inf, inf};
        leaves.push_back(tree.insert(box, i));
    }
    tree.rebuild(scratch);
    for (const int32_t leaf : leaves)
        tree.move(leaf, random.box(10, 2));
    tree.rebuild(scratch);
    EXPECT_TRUE(tree.is_consistent());
}

} // namespace
} // namespace moraine::test
