// Random scenes on random carriers, poked at random: collections are always what the merged edges say.
#include "scene/builder.h"
#include "support/merging_invariants.h"
#include "support/test_world.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace moraine::test
{

namespace
{

int scene_count(int usual)
{
    const char* asked = std::getenv("MORAINE_RANDOM_SCENES");
    return asked ? std::max(1, std::atoi(asked)) : usual;
}

// To look at one alone: MORAINE_RANDOM_FIRST=491 MORAINE_RANDOM_SCENES=491.
int first_scene()
{
    const char* asked = std::getenv("MORAINE_RANDOM_FIRST");
    return asked ? std::max(1, std::atoi(asked)) : 1;
}

class RandomScene
{
public:
    explicit RandomScene(uint64_t seed, int threads = 1) : random(seed), world(settings(threads))
    {
        add_carrier();
        const int stacks = 2 + random.below(6);
        for (int i = 0; i < stacks; ++i)
            add_stack({double(random.between(-4, 4)), 0, double(random.between(-4, 4))});
        for (int i = random.below(4); i > 0; --i)
            add_jointed();
    }

    void poke();
    void add_body(DVec3 position);
    void add_joint(BodyId a, BodyId b);
    JointKind any_kind(size_t kind);
    BodyId any() { return bodies.empty() ? BodyId{} : bodies[size_t(random.below(int(bodies.size())))]; }

    Random random;
    TestWorld world;
    BodyId carrier{};
    std::vector<BodyId> bodies;
    std::vector<JointId> joints;

private:
    WorldDef settings(int threads)
    {
        WorldDef def;
        def.merging = true;
        def.threads = threads;
        def.sleeping = random.below(2) == 0;
        def.solver = random.below(3) == 0 ? SolverKind::pgs : SolverKind::substep;
        return def;
    }

    void add_carrier()
    {
        const Box deck{{6, 0.5f, 6}};
        switch (random.below(4))
        {
        case 0:
            carrier = world.add({.type = BodyType::static_, .position = {0, -0.5, 0}, .shapes = {{.geometry = deck}}});
            break;
        case 1:
            carrier = world.add(
                {.type = BodyType::kinematic, .position = {0, -0.5, 0}, .shapes = {{.geometry = deck}}});
            world->set_motion(carrier, SineMotion{.translation = random.within({0.3f, 0.2f, 0.3f}),
                                                  .rotation = random.within({0.1f, 0.2f, 0.1f}),
                                                  .period = random.between(2, 8)});
            break;
        case 2:
            carrier = world.add({.type = BodyType::kinematic,
                                 .position = {0, -0.5, 0},
                                 .angular_velocity = {0, random.between(0, 0.8f), 0},
                                 .shapes = {{.geometry = deck}}});
            break;
        default:
            carrier = world.add({.position = {0, -0.5, 0}, .shapes = {{.geometry = deck, .density = 500}}});
            for (const Vec3 corner : {Vec3{5, 0, 5}, Vec3{5, 0, -5}, Vec3{-5, 0, 5}, Vec3{-5, 0, -5}})
                world->create_joint({.body_b = carrier,
                                     .frame_a = {corner + Vec3{0, 2.5f, 0}, {}},
                                     .frame_b = {corner, {}},
                                     .kind = SpringJoint{.stiffness = 4e5f, .damping = 4e4f, .rest_length = 2}});
        }
        world.add_floor({}, 0);
        world->set_pose(world->bodies().back(), {{0, -4, 0}, {}});
    }

    // Beside the deck, held by a joint alone, with another one that hangs from it.
    void add_jointed()
    {
        const DVec3 at(7.5, double(random.between(0, 3)), double(random.between(-4, 4)));
        add_body(at);
        add_joint(carrier, bodies.back());
        if (random.below(2) == 0)
            return;
        add_body({at.x + 1.2, at.y, at.z});
        add_joint(bodies[bodies.size() - 2], bodies.back());
    }

    void add_stack(DVec3 base)
    {
        const int height = 1 + random.below(5);
        for (int i = 0; i < height; ++i)
            add_body(base + DVec3(double(random.between(-0.1f, 0.1f)), 0.45 + 0.8 * i, 0));
    }
};

void RandomScene::add_body(DVec3 position)
{
    BodyDef def{.position = position};
    ShapeDef shape{.geometry = Box{{random.between(0.3f, 0.6f), 0.4f, random.between(0.3f, 0.6f)}},
                   .density = random.below(4) == 0 ? 4000.0f : 500.0f,
                   .friction = random.between(0.2f, 0.9f)};
    if (random.below(6) == 0)
        shape.geometry = Sphere{0.4f};
    if (random.below(6) == 0)
        shape.geometry = make_random_hull(random, 10, 0.5f);
    def.shapes = {shape};
    def.can_merge = random.below(12) != 0;
    bodies.push_back(world.add(def));
}

JointKind RandomScene::any_kind(size_t kind)
{
    const Motor motor{random.below(2) == 0 ? 0 : random.between(-1, 1), random.between(0, 3e4f)};
    const Limit limit = random.below(2) == 0 ? Limit{-0.3f, 0.3f} : Limit{0, 0.5f};
    SixDofJoint six;
    for (Axis* axes : {six.linear, six.angular})
        for (int i = 0; i < 3; ++i)
        {
            Axis& axis = axes[i];
            axis.mode = AxisMode(random.below(3));
            axis.limit = limit;
            axis.motor = random.below(2) == 0 ? motor : Motor{};
            axis.spring.stiffness = random.below(3) == 0 ? 1e4f : 0;
        }
    const JointKind kinds[] = {BallJoint{.cone_limit = random.below(2) == 0 ? infinity : 0.2f},
                               HingeJoint{.limit = limit, .motor = motor},
                               SliderJoint{.limit = limit, .motor = motor},
                               FixedJoint{},
                               UniversalJoint{},
                               six};
    for (const JointKind& k : kinds)
        if (k.index() == kind)
            return k;
    return kinds[kind % std::size(kinds)];
}

void RandomScene::add_joint(BodyId a, BodyId b)
{
    if (!world->is_valid(a) || !world->is_valid(b) || a == b)
        return;
    const Pose place{world->pose(b).position, random.rotation()};
    JointDef def = world->joint_at(a, b, place, any_kind(size_t(random.below(7))));
    def.break_impulse = random.below(3) == 0 ? 3 * world->mass(b) * gravity * world.dt : infinity;
    joints.push_back(world->create_joint(def));
}

void RandomScene::poke()
{
    const BodyId body = any();
    if (!world->is_valid(body))
        return;
    const DVec3 place = world->pose(body).position;
    const JointId joint = joints.empty() ? JointId{} : joints[size_t(random.below(int(joints.size())))];
    switch (random.below(18))
    {
    case 0: world->apply_impulse(body, random.within({3, 3, 3}) * world->mass(body)); break;
    case 1: world->apply_force(body, random.within({20, 20, 20}) * world->mass(body)); break;
    case 2: world->set_pose(body, {place + DVec3(random.within({0.5f, 0.5f, 0.5f})), random.rotation()}); break;
    case 3: world->set_linear_velocity(body, random.within({2, 2, 2})); break;
    case 4: world->destroy_body(body); break;
    case 5: add_body({place.x, place.y + 2, place.z}); break;
    case 6: world->unmerge(body); break;
    case 7:
        for (BodyId other : world->neighbours(body))
        {
            // Held by their contact alone, by glue that may break, by glue that does not, or by nothing any more.
            const float choices[] = {0, random.between(0.1f, 5) * world->mass(body) * gravity * world.dt, infinity};
            if (const int choice = random.below(4); choice < 3)
                world->merge(body, other, choices[choice]);
            else
                world->unmerge(body, other);
        }
        break;
    case 8: world->set_mass(body, world->mass(body) * random.between(0.5f, 2)); break;
    case 9: world->set_filter(body, {.category = random.below(2) ? 1u : 2u}); break;
    case 10: world->set_magnet(body, random.below(2) == 0); break;
    case 11: world->set_passive(body, random.below(2) == 0); break;
    case 12:
        if (world->type(carrier) == BodyType::kinematic)
            world->set_linear_velocity(carrier, random.within({0.5f, 0, 0.5f}));
        break;
    case 13: world->merge(body, any(), random.below(2) == 0 ? infinity : world->mass(body) * gravity * world.dt); break;
    case 14: add_joint(body, random.below(2) == 0 ? any() : carrier); break;
    case 15:
        if (world->is_valid(joint))
            world->set_joint_kind(joint, any_kind(world->joint_def(joint).kind.index()));
        break;
    case 16: world->destroy_joint(joint); break;
    default: world->wake(body);
    }
}

} // namespace

TEST(MergingRandom, CollectionsAreTheComponentsOfMergedEdges)
{
    const int count = scene_count(40);
    int merges = 0, unmerges = 0;
    for (int seed = first_scene(); seed <= count && !testing::Test::HasFailure(); ++seed)
    {
        RandomScene scene{uint64_t(seed)};
        for (int i = 0; i < 180; ++i)
        {
            const StepReport report = scene.world.step();
            merges += report.merges;
            unmerges += report.unmerges;
            ASSERT_EQ(broken_invariant(*scene.world), "") << "scene " << seed << " after step " << i;
            if (i > 30 && scene.random.below(6) == 0)
            {
                scene.poke();
                ASSERT_EQ(broken_invariant(*scene.world), "") << "scene " << seed << " after the poke of step " << i;
            }
        }
        EXPECT_TRUE(all_finite(*scene.world)) << "scene " << seed;
    }
    EXPECT_GT(merges, 5 * count);
    EXPECT_GT(unmerges, count);
}

TEST(MergingRandom, SnapshotsAndThreadsGiveTheSameBitsInTheMiddleOfIt)
{
    const int count = std::max(1, scene_count(40) / 8);
    for (int seed = 1; seed <= count; ++seed)
    {
        RandomScene one{uint64_t(seed)}, four{uint64_t(seed), 4};
        World restored;
        for (int i = 0; i < 150; ++i)
        {
            one.world.step();
            four.world.step();
            if (i > 60)
                restored.step(one.world.dt);
            ASSERT_EQ(one.world->state_hash(), four.world->state_hash()) << "scene " << seed << " step " << i;
            if (i > 60)
                ASSERT_EQ(one.world->state_hash(), restored.state_hash()) << "scene " << seed << " step " << i;
            if (i < 60 && i % 8 == 7)
            {
                one.poke();
                four.poke();
            }
            if (i == 60)
                ASSERT_TRUE(restored.restore(one.world->snapshot()));
        }
    }
}

// Whatever touches, at whatever speed, made one by hand: perfectly inelastic.
TEST(MergingRandom, EveryMergeAndUnmergeKeepsBothMomentaAndGainsNoEnergy)
{
    int merged = 0;
    for (int seed = 1; seed <= 20; ++seed)
    {
        Random random(uint64_t(seed) * 977);
        WorldDef def;
        def.merging = true;
        def.sleeping = false;
        TestWorld w(def);
        std::vector<BodyId> bodies;
        for (int i = 0; i < 12; ++i)
        {
            bodies.push_back(w.add_box({0.95 * (i % 3), 0.95 * (i / 3 % 2), 0.95 * (i / 6)}, {0.5f, 0.5f, 0.5f}, {0.5f},
                                       random.between(0.5f, 20)));
            w->set_linear_velocity(bodies.back(), random.within({3, 3, 3}));
            w->set_angular_velocity(bodies.back(), random.within({2, 2, 2}));
        }
        w.run_steps(2);
        const auto expect_kept = [&](auto&& change, const char* what) {
            const DVec3 p = momentum(*w), l = angular_momentum(*w);
            const double energy = w->kinetic_energy(), scale = 1 + std::sqrt(2 * energy * 100);
            change();
            expect_near(momentum(*w), p, 1e-5 * scale, what);
            expect_near(angular_momentum(*w), l, 1e-5 * 3 * scale, what);
            EXPECT_LE(w->kinetic_energy(), energy * (1 + 1e-5)) << what;
            EXPECT_EQ(broken_invariant(*w), "") << what;
        };
        for (int i = 0; i < 40; ++i)
        {
            const BodyId a = bodies[size_t(random.below(12))], b = bodies[size_t(random.below(12))];
            expect_kept([&] { merged += w->merge(a, b); }, "merge");
            if (i % 3 == 2)
                expect_kept([&] { w->unmerge(bodies[size_t(random.below(12))]); }, "unmerge");
        }
    }
    EXPECT_GT(merged, 40);
}

} // namespace moraine::test
