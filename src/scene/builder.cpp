#include "scene/builder.h"

#include <cmath>

namespace moraine
{

ShapeDef make_shape_def(const Geometry& geometry, const Transform& pose, const Material& material)
{
    ShapeDef shape;
    shape.geometry = geometry;
    shape.pose = pose;
    shape.density = material.density;
    shape.friction = material.friction;
    shape.restitution = material.restitution;
    return shape;
}

SceneBody make_body(DVec3 position, const Geometry& geometry, const Material& material)
{
    return make_compound(position, {make_shape_def(geometry, {}, material)});
}

SceneBody make_static(DVec3 position, const Geometry& geometry, const Material& material)
{
    SceneBody body = make_body(position, geometry, material);
    body.def.type = BodyType::static_;
    body.color = MaterialColor::ground;
    return body;
}

SceneBody make_compound(DVec3 position, std::vector<ShapeDef> shapes)
{
    SceneBody body;
    body.def.position = position;
    body.def.shapes = std::move(shapes);
    return body;
}

int add(SceneDescription& scene, SceneBody body)
{
    scene.bodies.push_back(std::move(body));
    return int(scene.bodies.size()) - 1;
}

int add(SceneDescription& scene, SceneBody body, std::string name, uint32_t color)
{
    body.def.name = std::move(name);
    if (color)
        body.color = color;
    return add(scene, std::move(body));
}

int add_ground(SceneDescription& scene, float half_size, const Material& material)
{
    return add(scene, make_static({0, -1, 0}, Box{{half_size, 1, half_size}}, material), "ground");
}

void add_pit(SceneDescription& scene, float half_size, float height, const Material& material)
{
    const float thickness = 0.5f, out = half_size + thickness;
    add_ground(scene, half_size + 4 * thickness, material);
    const Box along_z{{thickness, 0.5f * height, half_size + 2 * thickness}};
    const Box along_x{{half_size, 0.5f * height, thickness}};
    const double y = 0.5 * double(height);
    add(scene, make_static({-out, y, 0}, along_z, material), "wall_left");
    add(scene, make_static({out, y, 0}, along_z, material), "wall_right");
    add(scene, make_static({0, y, -out}, along_x, material), "wall_back");
    add(scene, make_static({0, y, out}, along_x, material), "wall_front");
}

int add_joint(SceneDescription& scene, int body_a, int body_b, const Pose& frame, const JointKind& kind)
{
    const auto frame_in = [&](int index) {
        const Pose pose = index < 0 ? Pose{}
                                    : Pose{scene.bodies[size_t(index)].def.position,
                                           scene.bodies[size_t(index)].def.rotation};
        return relative(frame, pose);
    };
    SceneJoint joint;
    joint.body_a = body_a;
    joint.body_b = body_b;
    joint.def.frame_a = frame_in(body_a);
    joint.def.frame_b = frame_in(body_b);
    joint.def.kind = kind;
    scene.joints.push_back(std::move(joint));
    return int(scene.joints.size()) - 1;
}

int add_joint(SceneDescription& scene, int body_a, Vec3 point_a, int body_b, Vec3 point_b, const JointKind& kind)
{
    SceneJoint joint;
    joint.body_a = body_a;
    joint.body_b = body_b;
    joint.def.frame_a.position = point_a;
    joint.def.frame_b.position = point_b;
    joint.def.kind = kind;
    scene.joints.push_back(std::move(joint));
    return int(scene.joints.size()) - 1;
}

void hang_on_springs(SceneDescription& scene, int body, std::span<const Vec3> points, const Hanging& hanging)
{
    const float share = hanging.mass / float(points.size());
    const float stiffness = share * length(scene.world.gravity) / hanging.stretch;
    const SpringJoint spring{.stiffness = stiffness,
                             .damping = 2 * hanging.damping * std::sqrt(stiffness * share),
                             .rest_length = hanging.length - hanging.stretch};
    const Vec3 center(scene.bodies[size_t(body)].def.position);
    for (const Vec3 point : points)
        add_joint(scene, -1, center + point + Vec3{0, hanging.length, 0}, body, point, spring);
}

namespace
{

// Key frames are joined by straight lines: sixty a second keep the changes of speed small.
template <class PoseAt>
KeyFrameMotion follow(std::span<const Leg> legs, PoseAt&& pose_at)
{
    constexpr int rate = 60;
    KeyFrameMotion motion;
    double time = 0, way = 0, speed = 0;
    for (const Leg& leg : legs)
    {
        const int count = int(std::lround(leg.duration * rate));
        for (int i = 0; i < count; ++i)
        {
            motion.frames.push_back({float(time), pose_at(way)});
            way += speed / rate + 0.5 * leg.acceleration / rate / rate;
            speed += leg.acceleration / rate;
            time = double(motion.frames.size()) / rate;
        }
    }
    motion.frames.push_back({float(time), pose_at(way)});
    return motion;
}

} // namespace

KeyFrameMotion drive_along(const Pose& start, Vec3 direction, std::span<const Leg> legs)
{
    return follow(legs, [&](double way) { return Pose{start.position + DVec3(direction) * way, start.rotation}; });
}

KeyFrameMotion turn_about(const Pose& start, Vec3 axis, std::span<const Leg> legs)
{
    return follow(legs, [&](double way) {
        const float angle = float(std::fmod(way, 2 * double(pi)));
        return Pose{start.position, normalize(axis_angle(axis, angle) * start.rotation)};
    });
}

HullRef make_random_hull(Random& random, int corners, float radius)
{
    // Points near one sphere are all corners; a few tries, because points may happen to lie in one plane.
    for (int attempt = 0; attempt < 16; ++attempt)
    {
        std::vector<Vec3> points;
        for (int i = 0; i < corners; ++i)
        {
            const Vec3 direction = random.direction();
            points.push_back(direction * (radius * random.between(0.85f, 1.0f)));
        }
        if (Result<HullRef> hull = make_hull(points))
            return *hull;
    }
    const float s = 0.577f * radius;
    const Vec3 cube[] = {{-s, -s, -s}, {s, -s, -s}, {-s, s, -s}, {s, s, -s},
                         {-s, -s, s},  {s, -s, s},  {-s, s, s},  {s, s, s}};
    return make_hull(cube).value_or(nullptr);
}

Quat x_axis_along(Vec3 direction) { return rotation_between({1, 0, 0}, normalize(direction)); }

} // namespace moraine
