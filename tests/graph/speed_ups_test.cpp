// Contact groups, cached forces and kept points change the time that a step takes, not its result; reduction is for what is deep only.
#include "scene/description.h"
#include "support/test_world.h"

using namespace moraine;
using namespace moraine::test;

namespace
{

uint64_t hash_after(int steps, void (*change)(WorldDef&))
{
    Result<SceneDescription> scene = load_scene("diku", {{"count", "60"}});
    EXPECT_TRUE(scene);
    WorldDef& def = scene->world;
    def.solver = SolverKind::direct;
    def.sleeping = def.coherence = def.caching = false;
    change(def);
    Result<Scene> run = Scene::create(*scene);
    EXPECT_TRUE(run);
    for (int i = 0; i < steps; ++i)
        run->step();
    return run->world().state_hash();
}

} // namespace

TEST(ContactGroups, GiveTheBitsOfOneProblemForAll)
{
    EXPECT_EQ(hash_after(150, [](WorldDef&) {}), hash_after(150, [](WorldDef& def) { def.contact_groups = false; }));
}

TEST(Caching, OfForcesAndOfPointsChangesNoBitWithTheDirectSolver)
{
    EXPECT_EQ(hash_after(150, [](WorldDef&) {}),
              hash_after(150, [](WorldDef& def) { def.caching = def.coherence = true; }));
}

// A pit with three faces: what rests in it needs all of them.
TEST(Reduction, KeepsTheContactsOfABallThatRestsOnAMesh)
{
    const std::vector<Vec3> corners{{-2, 0, -1}, {0, 0, 3}, {2, 0, -1}, {0, -1, 0}};
    const std::vector<uint32_t> triangles{0, 1, 3, 1, 2, 3, 2, 0, 3};
    TestWorld w;
    w.add({.type = BodyType::static_, .shapes = {{.geometry = *make_mesh(corners, triangles)}}});
    const BodyId ball = w.add({.position = {0.1, 0.3, 0}, .shapes = {{.geometry = Sphere{0.4f}}}});
    w.run_seconds(2);
    const std::vector<ContactInfo> contacts = w->contacts(ball);
    EXPECT_EQ(contacts.size(), 3u);
    EXPECT_FALSE(w->is_awake(ball));
    // At the bottom, equally far from the three faces: |n·(c − tip)| = r for all of them.
    const DVec3 at = w.position(ball);
    for (size_t i = 0; i < 3; ++i)
    {
        const Vec3 a = corners[triangles[3 * i]] - corners[3], b = corners[triangles[3 * i + 1]] - corners[3];
        const Vec3 normal = normalize(cross(a, b));
        EXPECT_NEAR(std::fabs(dot(normal, Vec3(at - DVec3(corners[3])))), 0.4f, 0.01f);
    }
}
