// Small parts that the built-in scenes are put together from. y is up, sizes are half extents, the ground's top is y = 0.
#pragma once

#include "scene/catalogue.h"
#include "scene/random.h"

namespace moraine
{

struct Material
{
    float density = 1000;
    float friction = 0.8f;
    float restitution = 0;
};

struct MaterialColor
{
    static constexpr uint32_t ground = 0x8a8f98, wood = 0xb98b56, red = 0xc0504d, blue = 0x4f81bd, green = 0x7fa650,
                              yellow = 0xd9b43b, steel = 0x9fa7b2, skin = 0xd8a47f, dark = 0x4b5058;
};

ShapeDef make_shape_def(const Geometry& geometry, const Transform& pose = {}, const Material& material = {});
SceneBody make_body(DVec3 position, const Geometry& geometry, const Material& material = {});
SceneBody make_static(DVec3 position, const Geometry& geometry, const Material& material = {});
SceneBody make_compound(DVec3 position, std::vector<ShapeDef> shapes);

int add(SceneDescription& scene, SceneBody body); // gives the index
int add(SceneDescription& scene, SceneBody body, std::string name, uint32_t color = 0);

// A static box with its top at y = 0, `half_size` to each side.
int add_ground(SceneDescription& scene, float half_size, const Material& material = {});
// Ground and four walls around a square that is 2 * half_size wide inside.
void add_pit(SceneDescription& scene, float half_size, float height, const Material& material = {});

// A joint whose two frames coincide at `frame`. Body -1 is the world.
int add_joint(SceneDescription& scene, int body_a, int body_b, const Pose& frame, const JointKind& kind);
// A joint between points of the two bodies (of the world, for body -1).
int add_joint(SceneDescription& scene, int body_a, Vec3 point_a, int body_b, Vec3 point_b, const JointKind& kind);

// Holds a level body by springs that go straight up from these points of it to the world. `length` is theirs, and by
// `stretch` they are longer than at rest while they carry `mass` together; damped at this share of critical.
struct Hanging
{
    float length = 6, stretch = 0.25f, mass = 1, damping = 0.3f;
};
void hang_on_springs(SceneDescription& scene, int body, std::span<const Vec3> points, const Hanging& hanging);

// A part of a drive: m/s² along a line, or rad/s² about an axis, for so many seconds.
struct Leg
{
    double duration;
    double acceleration;
};
KeyFrameMotion drive_along(const Pose& start, Vec3 direction, std::span<const Leg> legs);
KeyFrameMotion turn_about(const Pose& start, Vec3 axis, std::span<const Leg> legs);

// A random hull with `corners` points on a ball-like surface.
HullRef make_random_hull(Random& random, int corners, float radius);

// Turns the frames' x axis to this direction: hinges turn about x.
Quat x_axis_along(Vec3 direction);

} // namespace moraine
