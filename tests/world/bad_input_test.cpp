// Bad input gives a sentence, stale handles give nothing, and never a crash.
#include "support/test_world.h"

#include <chrono>
#include <functional>

using namespace moraine;
using namespace moraine::test;

namespace
{

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float bad_numbers[] = {nan_value, infinity, -infinity};

BodyDef good_body() { return {.shapes = {{.geometry = Box{}}}}; }

void expect_refused(const BodyDef& def, const std::string& what)
{
    World world;
    const Result<BodyId> body = world.try_create_body(def);
    EXPECT_FALSE(body) << what;
    if (!body)
        EXPECT_GT(body.error().message.size(), 10u) << what;
    EXPECT_FALSE(world.create_body(def)) << what;
    EXPECT_EQ(world.body_count(), 0) << what;
    world.step(1.0f / 60);
}

void expect_refused(const Geometry& geometry, const std::string& what)
{
    expect_refused(BodyDef{.shapes = {{.geometry = geometry}}}, what);
    // As a question it has no answer, and does no harm.
    World world;
    world.create_body(good_body());
    EXPECT_FALSE(world.shape_cast(geometry, {{-5, 0, 0}, {}}, {10, 0, 0})) << what;
    EXPECT_TRUE(world.overlap(geometry, {}).empty()) << what;
}

void expect_refused(const std::function<void(JointDef&)>& spoil, const std::string& what)
{
    World world;
    JointDef def;
    def.body_a = world.create_body(good_body());
    def.body_b = world.create_body({.position = {3, 0, 0}, .shapes = {{}}});
    spoil(def);
    const Result<JointId> joint = world.try_create_joint(def);
    EXPECT_FALSE(joint) << what;
    if (!joint)
        EXPECT_GT(joint.error().message.size(), 10u) << what;
    EXPECT_FALSE(world.create_joint(def)) << what;
    EXPECT_EQ(world.joint_count(), 0) << what;
    world.step(1.0f / 60);
    EXPECT_TRUE(all_finite(world)) << what;
}

} // namespace

TEST(BadBody, NumbersThatAreNone)
{
    for (float bad : bad_numbers)
    {
        const auto refuse = [](const char* what, auto&& spoil) {
            BodyDef def = good_body();
            spoil(def);
            expect_refused(def, what);
        };
        refuse("position.x", [&](BodyDef& d) { d.position.x = double(bad); });
        refuse("position.z", [&](BodyDef& d) { d.position.z = double(bad); });
        refuse("rotation.x", [&](BodyDef& d) { d.rotation.x = bad; });
        refuse("rotation.w", [&](BodyDef& d) { d.rotation.w = bad; });
        refuse("linear_velocity", [&](BodyDef& d) { d.linear_velocity.y = bad; });
        refuse("angular_velocity", [&](BodyDef& d) { d.angular_velocity.z = bad; });
        refuse("mass", [&](BodyDef& d) { d.mass = bad; });
        refuse("linear_damping", [&](BodyDef& d) { d.linear_damping = bad; });
        refuse("angular_damping", [&](BodyDef& d) { d.angular_damping = bad; });
        refuse("gravity_scale", [&](BodyDef& d) { d.gravity_scale = bad; });
        refuse("shape position", [&](BodyDef& d) { d.shapes[0].pose.position.x = bad; });
        refuse("shape rotation", [&](BodyDef& d) { d.shapes[0].pose.rotation.y = bad; });
        refuse("density", [&](BodyDef& d) { d.shapes[0].density = bad; });
        refuse("restitution", [&](BodyDef& d) { d.shapes[0].restitution = bad; });
        refuse("mass_properties.mass", [&](BodyDef& d) { d.mass_properties = MassProperties{bad}; });
        refuse("mass_properties.center", [&](BodyDef& d) { d.mass_properties = MassProperties{1, {0, bad, 0}, {}}; });
        refuse("mass_properties.inertia", [&](BodyDef& d) {
            d.mass_properties = MassProperties{1, {}, diagonal({1, bad, 1})};
        });
    }
    BodyDef def = good_body();
    def.shapes[0].friction = nan_value;
    expect_refused(def, "friction");
}

TEST(BadBody, ValuesOutOfRange)
{
    BodyDef def = good_body();
    def.rotation = {0, 0, 0, 0};
    expect_refused(def, "zero rotation");
    def = good_body();
    def.mass = -1;
    expect_refused(def, "negative mass");
    def = good_body();
    def.linear_damping = -1;
    expect_refused(def, "negative damping");
    def = good_body();
    def.shapes[0].density = -1;
    expect_refused(def, "negative density");
    def = good_body();
    def.shapes[0].friction = -0.5f;
    expect_refused(def, "negative friction");
    def = good_body();
    def.position = {1e12, 0, 0};
    expect_refused(def, "beyond all bounds");
    def = good_body();
    def.mass_properties = MassProperties{1, {}, diagonal({1, -1, 1})};
    expect_refused(def, "negative inertia");
}

TEST(BadBody, HugeRotationsAreNormalised)
{
    World world;
    BodyDef def = good_body();
    def.rotation = {0, 0, 0, 1e25f};
    const BodyId body = world.create_body(def);
    if (!body)
        return; // refusing it is fine too
    EXPECT_NEAR(dot(world.pose(body).rotation, world.pose(body).rotation), 1, 1e-3f);
}

TEST(BadShape, SizesThatAreNone)
{
    for (float bad : {0.0f, -1.0f, nan_value, infinity})
    {
        expect_refused(Geometry(Sphere{bad}), "sphere radius");
        expect_refused(Geometry(Capsule{bad, 1}), "capsule radius");
        expect_refused(Geometry(Cylinder{bad, 1}), "cylinder radius");
        expect_refused(Geometry(Cylinder{1, bad}), "cylinder length");
        expect_refused(Geometry(Box{{1, bad, 1}}), "box");
        if (!(bad == 0))
            expect_refused(Geometry(Capsule{1, bad}), "capsule length"); // 0 is a sphere
    }
    expect_refused(Geometry(HullRef{}), "hull that is none");
    expect_refused(Geometry(MeshRef{}), "mesh that is none");
    expect_refused(Geometry(HeightFieldRef{}), "height field that is none");
}

TEST(BadShape, SurfacesThatShouldMove)
{
    expect_refused(BodyDef{.shapes = {{.geometry = HalfSpace{}}}}, "dynamic half-space");
    const Vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, -1}};
    const uint32_t indices[] = {0, 1, 2};
    expect_refused(BodyDef{.shapes = {{.geometry = *make_mesh(corners, indices)}}}, "dynamic mesh");
}

TEST(BadShape, AssetsFromBadNumbers)
{
    const Vec3 flat[] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    EXPECT_FALSE(make_hull(flat));
    EXPECT_FALSE(make_hull({}));
    const Vec3 wild[] = {{0, 0, 0}, {1, 0, 0}, {0, nan_value, 1}, {1, 1, 1}};
    EXPECT_FALSE(make_hull(wild));
    const uint32_t beyond[] = {0, 1, 7};
    EXPECT_FALSE(make_mesh(flat, beyond));
    const uint32_t odd[] = {0, 1};
    EXPECT_FALSE(make_mesh(flat, odd));
    const float heights[] = {0, nan_value, 0, 0};
    EXPECT_FALSE(make_height_field(heights, 2, 2, 1));
    EXPECT_FALSE(make_height_field(heights, 3, 2, 1));
    EXPECT_FALSE(make_height_field(std::span(heights, 0), -1, -1, 1));
}

TEST(BadJoint, Definitions)
{
    for (float bad : bad_numbers)
    {
        expect_refused([&](JointDef& d) { d.frame_a.position.x = bad; }, "frame_a position");
        expect_refused([&](JointDef& d) { d.frame_b.rotation.w = bad; }, "frame_b rotation");
        expect_refused([&](JointDef& d) { d.kind = SpringJoint{.stiffness = bad}; }, "stiffness");
        expect_refused([&](JointDef& d) { d.kind = SpringJoint{.rest_length = bad}; }, "rest_length");
        expect_refused([&](JointDef& d) { d.kind = HingeJoint{.motor = {.speed = bad, .max_force = 1}}; },
                       "motor speed");
        expect_refused([&](JointDef& d) { d.kind = SliderJoint{.spring = {.stiffness = 1, .target = bad}}; }, "target");
        expect_refused([&](JointDef& d) { d.kind = DistanceJoint{.lower = bad, .upper = 1}; }, "distance");
        expect_refused([&](JointDef& d) { d.kind = DragJoint{.frequency = bad}; }, "drag frequency");
    }
    expect_refused([](JointDef& d) { d.break_impulse = nan_value; }, "break_impulse");
    expect_refused([](JointDef& d) { d.break_impulse = -1; }, "negative break_impulse");
    expect_refused([](JointDef& d) { d.kind = HingeJoint{.limit = {1, -1}}; }, "limits that are crossed");
    expect_refused([](JointDef& d) { d.kind = HingeJoint{.limit = {nan_value, 1}}; }, "limit");
    expect_refused([](JointDef& d) { d.kind = DistanceJoint{.lower = 2, .upper = 1}; }, "distances that are crossed");
    expect_refused([](JointDef& d) { d.kind = SpringJoint{.stiffness = -1}; }, "negative stiffness");
    expect_refused([](JointDef& d) { d.body_b = d.body_a; }, "a body to itself");
    expect_refused([](JointDef& d) { d.body_a = d.body_b = {}; }, "the world to itself");
    expect_refused([](JointDef& d) { d.body_a = {12345, 7}; }, "a body that never was");
}

TEST(BadJoint, OfBodiesThatAreGoneOrCannotMove)
{
    World world;
    const BodyId gone = world.create_body(good_body()), here = world.create_body(good_body());
    world.destroy_body(gone);
    EXPECT_FALSE(world.try_create_joint({.body_a = gone, .body_b = here}));
    EXPECT_FALSE(world.try_create_joint({.body_a = here, .body_b = gone}));
    const BodyId wall = world.create_body({.type = BodyType::static_, .shapes = {{}}});
    EXPECT_FALSE(world.try_create_joint({.body_b = wall}));
}

TEST(BadStep, DtMustBePositive)
{
    TestWorld w;
    const BodyId ball = w.add_ball({0, 5, 0});
    w.step();
    const uint64_t hash = w->state_hash();
    for (float bad : {0.0f, -0.1f, nan_value, infinity, -infinity})
        EXPECT_TRUE(w->step(bad).has_error);
    EXPECT_FALSE(w->last_error().empty());
    EXPECT_EQ(w->state_hash(), hash);
    EXPECT_EQ(w->step_count(), 1u);
    for (float odd : {1e-9f, 1e-38f, 1.0f, 100.0f})
        w->step(odd);
    EXPECT_TRUE(is_finite(*w, ball));
}

TEST(BadSettings, DoNotCrash)
{
    for (int i = 0; i < 8; ++i)
    {
        WorldDef def;
        if (i == 0)
            def.gravity = {0, nan_value, 0};
        if (i == 1)
            def.substeps = -3;
        if (i == 2)
            def.iterations = -1, def.solver = SolverKind::pgs;
        if (i == 3)
            def.contact_hertz = nan_value;
        if (i == 4)
            def.threads = -5;
        if (i == 5)
            def.sleep_delay = nan_value;
        if (i == 6)
            def.erp = infinity, def.solver = SolverKind::pgs;
        if (i == 7)
            def.push_speed = -infinity;
        TestWorld w(def);
        w.add_floor();
        const BodyId box = w.add_box({0, 0.5, 0});
        w.run_steps(30);
        EXPECT_TRUE(is_finite(*w, box)) << "setting " << i;
    }
}

TEST(BadCommands, NumbersThatAreNoneChangeNothing)
{
    TestWorld w;
    w.add_floor();
    const BodyId box = w.add_box({0, 0.5, 0});
    const BodyId deck = w.add({.type = BodyType::kinematic, .position = {9, 0, 0}, .shapes = {{.geometry = Box{}}}});
    w.run_steps(10);
    const uint64_t hash = w->state_hash();
    for (float bad : bad_numbers)
    {
        const Vec3 v{0, bad, 0};
        w->set_pose(box, {{double(bad), 0, 0}, {}});
        w->set_pose(box, {{}, {bad, 0, 0, 1}});
        w->set_linear_velocity(box, v);
        w->set_angular_velocity(box, v);
        w->set_mass(box, bad);
        w->set_gravity_scale(box, bad);
        w->set_damping(box, bad, 0);
        w->apply_force(box, v);
        w->apply_force(box, {1, 0, 0}, {0, double(bad), 0});
        w->apply_torque(box, v);
        w->apply_impulse(box, v);
        w->apply_impulse(box, {1, 0, 0}, {double(bad), 0, 0});
        w->apply_angular_impulse(box, v);
        w->move_to(deck, {{0, double(bad), 0}, {}});
        w->set_motion(deck, SineMotion{.translation = v});
        w->set_motion(deck, SineMotion{.translation = {1, 0, 0}, .period = bad});
        w->set_motion(deck, KeyFrameMotion{{{0, {}}, {bad, {}}}});
        w->set_gravity(v);
        EXPECT_FALSE(w->ray_cast({0, double(bad), 0}, {1, 0, 0}));
        EXPECT_FALSE(w->ray_cast({}, v));
        EXPECT_FALSE(w->closest_point({double(bad), 0, 0}, 1));
    }
    w->set_mass(box, 0);
    w->set_mass(box, -1);
    EXPECT_EQ(w->state_hash(), hash);
    w.run_steps(60);
    EXPECT_LT(w.moved(box), 0.01);
    EXPECT_TRUE(is_finite(*w, deck));
    EXPECT_LT(w.moved(deck), 1e-6);
}

TEST(BadCommands, AMotionWithoutPeriodOrOrderDoesNotCrash)
{
    TestWorld w;
    const BodyId a = w.add({.type = BodyType::kinematic, .shapes = {{.geometry = Box{}}}});
    const BodyId b = w.add({.type = BodyType::kinematic, .position = {5, 0, 0}, .shapes = {{.geometry = Box{}}}});
    const BodyId rider = w.add_box({0, 1, 0});
    w->set_motion(a, SineMotion{.translation = {0, 1, 0}, .period = 0});
    w->set_motion(b, KeyFrameMotion{{{1, {}}, {0, {{1, 0, 0}, {}}}, {0, {}}}, true});
    w.run_steps(60);
    EXPECT_TRUE(all_finite(*w));
    w->set_motion(b, KeyFrameMotion{{}, true});
    w.run_steps(10);
    EXPECT_TRUE(is_finite(*w, rider));
}
