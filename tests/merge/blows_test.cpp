#include "merge/blows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace moraine
{

namespace
{

// A row of bodies of one kilogram, each held by the next.
struct Row
{
    Collections c;
    std::vector<int32_t> bodies;

    explicit Row(int count)
    {
        for (int i = 0; i < count; ++i)
        {
            bodies.push_back(c.bodies.create());
            c.bodies[bodies.back()].inv_mass = 1;
            if (i > 0)
                join(bodies[size_t(i) - 1], bodies[size_t(i)]);
        }
    }
    void join(int32_t a, int32_t b)
    {
        const int32_t w = c.welds.create();
        Weld& weld = c.welds[w];
        weld.a = a, weld.b = b;
        weld.next[0] = c.bodies[a].weld_first, weld.next[1] = c.bodies[b].weld_first;
        c.bodies[a].weld_first = c.bodies[b].weld_first = w;
    }
    size_t blown(int struck, float impulse, float speed)
    {
        c.blows.bodies.clear();
        find_blown({bodies[size_t(struck)], {impulse, 0, 0}}, speed, 0.01f, c);
        return c.blows.bodies.size();
    }
};

} // namespace

TEST(Blows, FreeAsMuchMassAsTheyCanMove)
{
    Row row(10);
    EXPECT_EQ(row.blown(0, 0.4f, 0.5f), 0u); // not even the struck body
    EXPECT_EQ(row.blown(0, 0.6f, 0.5f), 1u);
    EXPECT_EQ(row.blown(0, 2.6f, 0.5f), 5u);
    EXPECT_EQ(row.blown(0, 100, 0.5f), 10u);
}

TEST(Blows, GoOutFromTheStruckBodyToAllSides)
{
    Row row(9);
    ASSERT_EQ(row.blown(4, 2.6f, 0.5f), 5u);
    std::vector<int32_t> reached = row.c.blows.bodies;
    std::sort(reached.begin(), reached.end());
    for (size_t i = 0; i < reached.size(); ++i)
        EXPECT_EQ(reached[i], row.bodies[i + 2]);
}

TEST(Blows, EndAtWhatIsTooHeavyForThem)
{
    Row row(5);
    row.c.bodies[row.bodies[2]].inv_mass = 0.001f;
    EXPECT_EQ(row.blown(0, 10, 0.5f), 2u);
}

} // namespace moraine
