// Thousands of random calls, sensible and not, between steps: nothing may crash, hang or turn into something that is
// not a number.
#include "scene/random.h"
#include "support/test_world.h"

using namespace moraine;
using namespace moraine::test;

namespace
{

class Player
{
public:
    Player(uint64_t seed, SolverKind solver) : random_(seed), w_(settings(seed, solver))
    {
        w_.add_floor();
        const float heights[] = {0, 1, 0, 1, 0, 1, 0, 1, 0};
        field_ = *make_height_field(heights, 3, 3, 4);
        std::vector<Vec3> points;
        for (int i = 0; i < 12; ++i)
            points.push_back(random_.within({0.5f, 0.5f, 0.5f}));
        hull_ = *make_hull(points);
    }

    void play(int calls)
    {
        for (int i = 0; i < calls; ++i)
        {
            call();
            if (random_.below(8) == 0)
            {
                w_->step(random_.below(20) == 0 ? 0.1f : 1.0f / 60);
                ASSERT_EQ(not_finite(*w_), "") << "call " << i;
            }
        }
        for (int i = 0; i < 30; ++i)
            w_.step();
        EXPECT_EQ(not_finite(*w_), "");
        for (BodyId b : w_->bodies())
            w_->destroy_body(b);
        w_.step();
        EXPECT_EQ(w_->body_count(), 0);
        EXPECT_EQ(w_->joint_count(), 0);
        EXPECT_TRUE(w_->contacts().empty());
    }

private:
    static WorldDef settings(uint64_t seed, SolverKind solver)
    {
        WorldDef def;
        def.solver = solver;
        def.threads = seed % 2 ? 1 : 2;
        def.sleep_delay = 0.1f;
        return def;
    }

    // Mostly alive, sometimes long gone, sometimes none.
    BodyId any_body() { return bodies_.empty() ? BodyId{} : bodies_[size_t(random_.below(int(bodies_.size())))]; }
    JointId any_joint() { return joints_.empty() ? JointId{} : joints_[size_t(random_.below(int(joints_.size())))]; }
    float any_number()
    {
        static constexpr float odd[] = {0,     -1,    infinity, -infinity, std::numeric_limits<float>::quiet_NaN(),
                                        1e30f, 1e-30f};
        return random_.below(30) == 0 ? odd[random_.below(7)] : random_.between(-3, 3);
    }
    Vec3 any_vector() { return {any_number(), any_number(), any_number()}; }
    Pose any_pose()
    {
        return {DVec3(any_vector()), random_.below(20) ? random_.rotation() : Quat{any_number(), 0, 0, any_number()}};
    }

    Geometry any_geometry()
    {
        switch (random_.below(8))
        {
        case 0: return Capsule{any_number(), any_number()};
        case 1: return Cylinder{0.3f, 0.4f};
        case 2: return hull_;
        case 3: return field_;
        case 4: return Box{{any_number(), 0.3f, 0.4f}};
        case 5: return HalfSpace{};
        default: return random_.below(2) ? Geometry(Sphere{0.4f}) : Geometry(Box{{0.3f, 0.3f, 0.3f}});
        }
    }

    void create_body()
    {
        if (w_->body_count() > (w_->settings().solver == SolverKind::direct ? 12 : 80))
            return w_->destroy_body(any_body());
        BodyDef def;
        def.type = BodyType(random_.below(10) < 7 ? 2 : random_.below(3));
        const Pose pose = any_pose();
        def.position = pose.position + DVec3{0, 3, 0};
        def.rotation = pose.rotation;
        def.linear_velocity = any_vector();
        def.angular_velocity = any_vector();
        for (int i = random_.below(3); i >= 0; --i)
            def.shapes.push_back({.geometry = any_geometry(),
                                  .pose = {random_.within({0.4f, 0.4f, 0.4f}), random_.rotation()},
                                  .restitution = random_.between(0, 1)});
        const int flags = random_.below(64);
        def.is_trigger = flags == 1;
        def.is_passive = flags == 2;
        def.is_magnet = flags == 3 || flags == 4;
        def.planar = flags == 5;
        def.is_fast = flags < 8;
        def.is_awake = flags != 9;
        def.filter.group = random_.below(10) - 8 > 0 ? -1 : 0;
        bodies_.push_back(w_->create_body(def));
    }

    JointKind any_kind()
    {
        switch (random_.below(9))
        {
        case 0: return BallJoint{.cone_limit = any_number()};
        case 1: return HingeJoint{.limit = {-1, any_number()}, .motor = {any_number(), 10}};
        case 2: return SliderJoint{.spring = {10, 1, any_number()}};
        case 3: return FixedJoint{};
        case 4: return DistanceJoint{0, any_number()};
        case 5: return UniversalJoint{};
        case 6: return SixDofJoint{};
        case 7: return SpringJoint{.stiffness = 50, .damping = any_number(), .rest_length = 1};
        default: return DragJoint{};
        }
    }

    void create_joint()
    {
        if (w_->joint_count() > 25)
            return w_->destroy_joint(any_joint());
        JointDef def = w_->joint_at(random_.below(3) ? any_body() : BodyId{}, any_body(), any_pose(), any_kind());
        if (random_.below(3) == 0)
            def.break_impulse = 5;
        def.collides = random_.below(2);
        joints_.push_back(w_->create_joint(def));
    }

    void command()
    {
        const BodyId b = any_body();
        switch (random_.below(20))
        {
        case 0: return w_->set_pose(b, any_pose());
        case 1: return w_->set_linear_velocity(b, any_vector());
        case 2: return w_->set_angular_velocity(b, any_vector());
        case 3: return w_->set_mass(b, any_number());
        case 4: return w_->set_filter(b, {.category = uint32_t(random_.below(4)), .group = random_.below(3) - 1});
        case 5: return w_->set_passive(b, random_.below(2));
        case 6: return w_->set_magnet(b, random_.below(2));
        case 7: return w_->set_gravity_scale(b, any_number());
        case 8: return w_->set_damping(b, any_number(), any_number());
        case 9: return w_->wake(b);
        case 10: return w_->apply_force(b, any_vector() * 20);
        case 11: return w_->apply_force(b, any_vector(), DVec3(any_vector()));
        case 12: return w_->apply_torque(b, any_vector());
        case 13: return w_->apply_impulse(b, any_vector(), DVec3(any_vector()));
        case 14: return w_->apply_angular_impulse(b, any_vector());
        case 15: return w_->move_to(b, any_pose());
        case 16:
            return w_->set_motion(
                b, SineMotion{.translation = any_vector(), .rotation = any_vector(), .period = any_number()});
        case 17: return w_->set_motion(b, KeyFrameMotion{{{0, any_pose()}, {any_number(), any_pose()}}, true});
        case 18: return w_->set_motion(b, {});
        default: return w_->set_gravity({0, random_.between(-12, 2), 0});
        }
    }

    void ask()
    {
        switch (random_.below(7))
        {
        case 0: w_->ray_cast(DVec3(any_vector()), any_vector() * 3, {.except = any_body()}); break;
        case 1: w_->ray_cast_all(DVec3(any_vector()), any_vector() * 3, {.triggers = true}); break;
        case 2: w_->shape_cast(any_geometry(), any_pose(), any_vector()); break;
        case 3: w_->overlap(any_geometry(), any_pose()); break;
        case 4: w_->closest_point(DVec3(any_vector()), any_number()); break;
        case 5: w_->contacts(any_body()); break;
        default: w_->joint_error(any_joint()); break;
        }
    }

    void call()
    {
        const int what = random_.below(100);
        if (what < 25)
            create_body();
        else if (what < 33)
            create_joint();
        else if (what < 38)
            w_->destroy_body(any_body());
        else if (what < 41)
            w_->destroy_joint(any_joint());
        else if (what < 44)
            w_->set_joint_kind(any_joint(), any_kind());
        else if (what < 46)
            w_->set_drag_target(any_joint(), DVec3(any_vector()));
        else if (what < 47)
            saved_ = w_->snapshot();
        else if (what < 48 && !saved_.empty())
            EXPECT_TRUE(w_->restore(saved_));
        else if (what < 85)
            command();
        else
            ask();
    }

    Random random_;
    TestWorld w_;
    HeightFieldRef field_;
    HullRef hull_;
    std::vector<BodyId> bodies_;
    std::vector<JointId> joints_;
    std::vector<uint8_t> saved_;
};

} // namespace

TEST(ApiFuzz, RandomCallsDoNoHarmBySubsteps)
{
    for (uint64_t seed = 1; seed <= 8; ++seed)
    {
        SCOPED_TRACE(seed);
        Player(seed, SolverKind::substep).play(2000);
    }
}

TEST(ApiFuzz, RandomCallsDoNoHarmByPgs)
{
    for (uint64_t seed = 11; seed <= 14; ++seed)
    {
        SCOPED_TRACE(seed);
        Player(seed, SolverKind::pgs).play(2000);
    }
}

TEST(ApiFuzz, RandomCallsDoNoHarmByPivoting)
{
    for (uint64_t seed = 21; seed <= 22; ++seed)
    {
        SCOPED_TRACE(seed);
        Player(seed, SolverKind::direct).play(1000);
    }
}
