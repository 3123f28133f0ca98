#include "peers/mass.h"
#include "peers/scripted_peer.h"

#include <box3d/box3d.h>
#include <box3d/collision.h>
#include <fmt/core.h>

namespace moraine::bench
{

namespace
{

constexpr int substeps = 4;            // what its documentation recommends
constexpr float plane_extent = 500.0f; // it has no half-spaces: a large box stands in
constexpr int cylinder_sides = 24;

b3Vec3 to_box3d(Vec3 v) { return {v.x, v.y, v.z}; }
b3Quat to_box3d(Quat q) { return {{q.x, q.y, q.z}, q.w}; }
b3Transform to_box3d(const Transform& t) { return {to_box3d(t.position), to_box3d(t.rotation)}; }
b3Pos to_position(DVec3 p)
{
    b3Pos result;
    result.x = decltype(result.x)(p.x);
    result.y = decltype(result.y)(p.y);
    result.z = decltype(result.z)(p.z);
    return result;
}
Vec3 from_box3d(b3Vec3 v) { return {v.x, v.y, v.z}; }

class Box3dPeer final : public ScriptedPeer
{
public:
    Box3dPeer(const SceneDescription& scene, const PeerOptions& options) : ScriptedPeer(scene)
    {
        b3WorldDef def = b3DefaultWorldDef();
        def.gravity = to_box3d(scene.world.gravity);
        def.workerCount = uint32_t(options.threads);
        def.enableSleep = options.sleeping;
        world_ = b3CreateWorld(&def);
        b3BodyDef ground = b3DefaultBodyDef();
        ground_ = b3CreateBody(world_, &ground);
        for (const SceneBody& body : scene.bodies)
            add_body(body.def);
        for (const SceneJoint& joint : scene.joints)
            add_joint(joint);
    }

    ~Box3dPeer() override
    {
        b3DestroyWorld(world_);
        for (b3MeshData* mesh : meshes_)
            b3DestroyMesh(mesh);
    }

private:
    void advance(float dt) override { b3World_Step(world_, dt, substeps); }

    Pose pose(int body) const override
    {
        const b3WorldTransform t = b3Body_GetTransform(bodies_[body]);
        return {DVec3(double(t.p.x), double(t.p.y), double(t.p.z)), Quat{t.q.v.x, t.q.v.y, t.q.v.z, t.q.s}};
    }
    Velocity velocity(int body) const override
    {
        return {from_box3d(b3Body_GetLinearVelocity(bodies_[body])),
                from_box3d(b3Body_GetAngularVelocity(bodies_[body]))};
    }
    DVec3 center_of_mass(int body) const override
    {
        const b3Pos p = b3Body_GetWorldCenter(bodies_[body]);
        return {double(p.x), double(p.y), double(p.z)};
    }
    void add_force(int body, Vec3 force, DVec3 point) override
    {
        b3Body_ApplyForce(bodies_[body], to_box3d(force), to_position(point), true);
    }
    void move_to(int body, const Pose& target, float dt) override
    {
        // Not b3Body_SetTargetTransform, which leaves slow moves out. Its velocity is that of the centre of mass.
        const Pose now = pose(body);
        const DVec3 center = center_of_mass(body);
        const Vec3 local = apply_inverse(now, center);
        const Vec3 linear = relative(apply(target, local), center) / dt;
        b3Body_SetLinearVelocity(bodies_[body], to_box3d(linear));
        b3Body_SetAngularVelocity(bodies_[body], to_box3d(velocity_between(now, target, dt).angular));
    }

    void add_surface(b3BodyId body, const ShapeDef& shape, const b3ShapeDef& def)
    {
        TriangleList list = triangles(shape.geometry);
        std::vector<b3Vec3> vertices;
        for (const Vec3& vertex : list.vertices)
            vertices.push_back(to_box3d(apply(shape.pose, vertex)));
        b3MeshDef mesh = {};
        mesh.vertices = vertices.data();
        mesh.indices = list.indices.data();
        mesh.vertexCount = int(vertices.size());
        mesh.triangleCount = int(list.indices.size() / 3);
        mesh.identifyEdges = true;
        meshes_.push_back(b3CreateMesh(&mesh, nullptr, 0));
        b3CreateMeshShape(body, &def, meshes_.back(), {1, 1, 1});
    }

    void add_hull(b3BodyId body, const ShapeDef& shape, const b3ShapeDef& def)
    {
        b3HullData* hull = nullptr;
        if (const auto* cylinder = std::get_if<Cylinder>(&shape.geometry))
            hull = b3CreateCylinder(2 * cylinder->half_length, cylinder->radius, -cylinder->half_length,
                                    cylinder_sides);
        else
        {
            std::vector<b3Vec3> points;
            for (const Vec3& corner : corners(*std::get<HullRef>(shape.geometry)))
                points.push_back(to_box3d(corner));
            hull = b3CreateHull(points.data(), int(points.size()), int(points.size()));
        }
        if (hull == nullptr)
            return;
        b3CreateTransformedHullShape(body, &def, hull, to_box3d(shape.pose), {1, 1, 1});
        b3DestroyHull(hull);
    }

    void add_box(b3BodyId body, Vec3 half, const Transform& pose, const b3ShapeDef& def)
    {
        const b3BoxHull box = b3MakeTransformedBoxHull(half.x, half.y, half.z, to_box3d(pose));
        b3CreateHullShape(body, &def, &box.base);
    }

    void add_shape(b3BodyId body, const ShapeDef& shape, const b3ShapeDef& def)
    {
        if (const auto* sphere = std::get_if<Sphere>(&shape.geometry))
        {
            const b3Sphere made = {to_box3d(shape.pose.position), sphere->radius};
            b3CreateSphereShape(body, &def, &made);
        }
        else if (const auto* capsule = std::get_if<Capsule>(&shape.geometry))
        {
            const b3Capsule made = {to_box3d(apply(shape.pose, {0, -capsule->half_length, 0})),
                                    to_box3d(apply(shape.pose, {0, capsule->half_length, 0})), capsule->radius};
            b3CreateCapsuleShape(body, &def, &made);
        }
        else if (const auto* box = std::get_if<Box>(&shape.geometry))
            add_box(body, box->half_extents, shape.pose, def);
        else if (std::holds_alternative<HalfSpace>(shape.geometry))
            add_box(body, {plane_extent, 1, plane_extent}, shape.pose * Transform{{0, -1, 0}, {}}, def);
        else if (std::holds_alternative<MeshRef>(shape.geometry) ||
                 std::holds_alternative<HeightFieldRef>(shape.geometry))
            add_surface(body, shape, def);
        else
            add_hull(body, shape, def);
    }

    void add_body(const BodyDef& def)
    {
        b3BodyDef made = b3DefaultBodyDef();
        made.type = def.type == BodyType::dynamic_    ? b3_dynamicBody
                    : def.type == BodyType::kinematic ? b3_kinematicBody
                                                      : b3_staticBody;
        made.position = to_position(def.position);
        made.rotation = to_box3d(def.rotation);
        made.linearVelocity = to_box3d(def.linear_velocity);
        made.angularVelocity = to_box3d(def.angular_velocity);
        made.linearDamping = def.linear_damping;
        made.angularDamping = def.angular_damping;
        made.gravityScale = def.gravity_scale;
        made.enableSleep = def.can_sleep;
        made.isBullet = def.is_fast;
        const b3BodyId body = b3CreateBody(world_, &made);
        const float density_scale = def.type == BodyType::dynamic_ && def.mass > 0 ? body_mass(def).density_scale : 1;
        for (const ShapeDef& shape : def.shapes)
        {
            b3ShapeDef shape_def = b3DefaultShapeDef();
            shape_def.baseMaterial.friction = shape.friction;
            shape_def.baseMaterial.restitution = shape.restitution;
            shape_def.density = shape.density * density_scale;
            shape_def.filter.categoryBits = def.filter.category;
            shape_def.filter.maskBits = def.filter.mask;
            shape_def.filter.groupIndex = def.filter.group;
            shape_def.updateBodyMass = &shape == &def.shapes.back();
            add_shape(body, shape, shape_def);
        }
        bodies_.push_back(body);
    }

    template <class Def>
    Def fill(Def def, const SceneJoint& joint, const Transform& turn) const
    {
        def.base.bodyIdA = joint.body_a < 0 ? ground_ : bodies_[joint.body_a];
        def.base.bodyIdB = joint.body_b < 0 ? ground_ : bodies_[joint.body_b];
        def.base.localFrameA = to_box3d(joint.def.frame_a * turn);
        def.base.localFrameB = to_box3d(joint.def.frame_b * turn);
        def.base.collideConnected = joint.def.collides;
        return def;
    }

    void add_joint(const SceneJoint& joint)
    {
        // Its hinges turn about z, ours about x.
        const Transform turn{{}, axis_angle({0, 1, 0}, pi / 2)};
        if (std::holds_alternative<BallJoint>(joint.def.kind))
        {
            const auto def = fill(b3DefaultSphericalJointDef(), joint, turn);
            b3CreateSphericalJoint(world_, &def);
        }
        else if (std::holds_alternative<HingeJoint>(joint.def.kind))
        {
            const auto def = fill(b3DefaultRevoluteJointDef(), joint, turn);
            b3CreateRevoluteJoint(world_, &def);
        }
        else if (std::holds_alternative<FixedJoint>(joint.def.kind))
        {
            const auto def = fill(b3DefaultWeldJointDef(), joint, Transform{});
            b3CreateWeldJoint(world_, &def);
        }
        else if (const auto* distance = std::get_if<DistanceJoint>(&joint.def.kind))
        {
            auto def = fill(b3DefaultDistanceJointDef(), joint, Transform{});
            def.length = distance->upper;
            def.enableLimit = distance->lower < distance->upper;
            def.enableSpring = def.enableLimit; // with no stiffness: only the limits hold
            def.hertz = 0;
            def.minLength = distance->lower;
            def.maxLength = distance->upper;
            b3CreateDistanceJoint(world_, &def);
        }
    }

    b3WorldId world_{};
    b3BodyId ground_{};
    std::vector<b3BodyId> bodies_;
    std::vector<b3MeshData*> meshes_; // the world keeps pointers to them
};

Result<std::unique_ptr<Peer>> create(const SceneDescription& scene, const PeerOptions& options)
{
    const std::string missing = find_missing(scene, options, {});
    if (!missing.empty())
        return Error{missing};
    for (const SceneBody& body : scene.bodies)
        for (const ShapeDef& shape : body.def.shapes)
            if (body.def.type == BodyType::kinematic && (std::holds_alternative<MeshRef>(shape.geometry) ||
                                                         std::holds_alternative<HeightFieldRef>(shape.geometry)))
                return Error{"moving meshes"};
    return std::unique_ptr<Peer>(std::make_unique<Box3dPeer>(scene, options));
}

} // namespace

PeerKind box3d_kind()
{
    const b3Version version = b3GetVersion();
    return {"box3d", fmt::format("{}.{}", version.major, version.minor), create};
}

} // namespace moraine::bench
