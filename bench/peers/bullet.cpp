#include "peers/geometry_key.h"
#include "peers/mass.h"
#include "peers/scripted_peer.h"

#include <btBulletDynamicsCommon.h>
#include <fmt/core.h>

#include <cmath>
#include <map>

namespace moraine::bench
{

namespace
{

btVector3 to_bullet(Vec3 v) { return {v.x, v.y, v.z}; }
btQuaternion to_bullet(Quat q) { return {q.x, q.y, q.z, q.w}; }
btTransform to_bullet(const Transform& t) { return btTransform(to_bullet(t.rotation), to_bullet(t.position)); }
btTransform to_bullet(const Pose& p) { return btTransform(to_bullet(p.rotation), to_bullet(Vec3(p.position))); }
Vec3 from_bullet(const btVector3& v) { return {float(v.x()), float(v.y()), float(v.z())}; }
Quat from_bullet(const btQuaternion& q) { return {float(q.x()), float(q.y()), float(q.z()), float(q.w())}; }

class BulletPeer final : public ScriptedPeer
{
public:
    BulletPeer(const SceneDescription& scene, const PeerOptions& options) : ScriptedPeer(scene)
    {
        world_.setGravity(to_bullet(scene.world.gravity));
        for (const SceneBody& body : scene.bodies)
            add_body(body.def, options.sleeping);
        for (const SceneJoint& joint : scene.joints)
            add_joint(joint);
    }

    ~BulletPeer() override
    {
        for (auto& joint : joints_)
            world_.removeConstraint(joint.get());
        for (auto& body : bodies_)
            world_.removeRigidBody(body.get());
    }

private:
    void advance(float dt) override { world_.stepSimulation(dt, 0); }

    Pose pose(int body) const override
    {
        const btTransform t = bodies_[body]->getWorldTransform() * to_bullet(inverse(mass_frames_[body]));
        return {DVec3(from_bullet(t.getOrigin())), from_bullet(t.getRotation())};
    }
    Velocity velocity(int body) const override
    {
        return {from_bullet(bodies_[body]->getLinearVelocity()), from_bullet(bodies_[body]->getAngularVelocity())};
    }
    DVec3 center_of_mass(int body) const override
    {
        return DVec3(from_bullet(bodies_[body]->getCenterOfMassPosition()));
    }
    void add_force(int body, Vec3 force, DVec3 point) override
    {
        bodies_[body]->applyForce(to_bullet(force), to_bullet(relative(point, center_of_mass(body))));
    }
    void move_to(int body, const Pose& target, float) override
    {
        // Bullet derives a kinematic body's velocity from where its motion state goes.
        bodies_[body]->getMotionState()->setWorldTransform(to_bullet(target * mass_frames_[body]));
    }

    btCollisionShape* keep(std::unique_ptr<btCollisionShape> shape)
    {
        shapes_.push_back(std::move(shape));
        return shapes_.back().get();
    }

    btCollisionShape* make_surface(const Geometry& geometry)
    {
        const TriangleList list = triangles(geometry);
        auto mesh = std::make_unique<btTriangleMesh>();
        for (size_t i = 0; i + 2 < list.indices.size(); i += 3)
            mesh->addTriangle(to_bullet(list.vertices[list.indices[i]]), to_bullet(list.vertices[list.indices[i + 1]]),
                              to_bullet(list.vertices[list.indices[i + 2]]));
        meshes_.push_back(std::move(mesh));
        return keep(std::make_unique<btBvhTriangleMeshShape>(meshes_.back().get(), true));
    }

    btCollisionShape* shared_geometry(const Geometry& geometry)
    {
        btCollisionShape*& shape = shared_[geometry_key(geometry)];
        if (shape == nullptr)
            shape = make_geometry(geometry);
        return shape;
    }

    btCollisionShape* make_geometry(const Geometry& geometry)
    {
        if (const auto* sphere = std::get_if<Sphere>(&geometry))
            return keep(std::make_unique<btSphereShape>(sphere->radius));
        if (const auto* capsule = std::get_if<Capsule>(&geometry))
            return keep(std::make_unique<btCapsuleShape>(capsule->radius, 2 * capsule->half_length));
        if (const auto* c = std::get_if<Cylinder>(&geometry))
            return keep(std::make_unique<btCylinderShape>(btVector3(c->radius, c->half_length, c->radius)));
        if (const auto* box = std::get_if<Box>(&geometry))
            return keep(std::make_unique<btBoxShape>(to_bullet(box->half_extents)));
        if (std::holds_alternative<HalfSpace>(geometry))
            return keep(std::make_unique<btStaticPlaneShape>(btVector3(0, 1, 0), 0));
        const auto* hull = std::get_if<HullRef>(&geometry);
        if (hull == nullptr)
            return make_surface(geometry);
        auto shape = std::make_unique<btConvexHullShape>();
        for (const Vec3& corner : corners(**hull))
            shape->addPoint(to_bullet(corner), false);
        shape->recalcLocalAabb();
        return keep(std::move(shape));
    }

    // `frame` is where the body's origin is for Bullet: at the centre of mass, along the principal axes.
    btCollisionShape* make_body_shape(const BodyDef& def, const Transform& frame)
    {
        if (def.shapes.size() == 1 && inverse(frame) * def.shapes[0].pose == Transform{})
            return shared_geometry(def.shapes[0].geometry);
        auto compound = std::make_unique<btCompoundShape>();
        for (const ShapeDef& shape : def.shapes)
            compound->addChildShape(to_bullet(inverse(frame) * shape.pose), shared_geometry(shape.geometry));
        return keep(std::move(compound));
    }

    void add_body(const BodyDef& def, bool sleeping)
    {
        const bool is_dynamic = def.type == BodyType::dynamic_;
        const BodyMass mass = is_dynamic ? body_mass(def) : BodyMass{};
        const Pose start{def.position, def.rotation};
        states_.push_back(std::make_unique<btDefaultMotionState>(to_bullet(start * mass.frame)));
        btRigidBody::btRigidBodyConstructionInfo info(is_dynamic ? mass.mass : 0, states_.back().get(),
                                                      make_body_shape(def, mass.frame), to_bullet(mass.diagonal));
        // Bullet multiplies the two frictions; the root makes that the geometric mean.
        info.m_friction = def.shapes.empty() ? 0.5f : std::sqrt(def.shapes[0].friction);
        info.m_restitution = def.shapes.empty() ? 0 : def.shapes[0].restitution;
        info.m_linearDamping = def.linear_damping;
        info.m_angularDamping = def.angular_damping;
        auto body = std::make_unique<btRigidBody>(info);
        body->setLinearVelocity(to_bullet(def.linear_velocity));
        body->setAngularVelocity(to_bullet(def.angular_velocity));
        if (def.type == BodyType::kinematic)
            body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
        if (def.type == BodyType::kinematic || (is_dynamic && (!sleeping || !def.can_sleep)))
            body->setActivationState(DISABLE_DEACTIVATION);
        world_.addRigidBody(body.get(), int(def.filter.category), int(def.filter.mask));
        bodies_.push_back(std::move(body));
        mass_frames_.push_back(mass.frame);
    }

    // A joint's frame in the frame that Bullet has for the body.
    btTransform local_frame(int body, const Transform& frame, const Transform& turn) const
    {
        return to_bullet((body < 0 ? frame : inverse(mass_frames_[body]) * frame) * turn);
    }

    void add_joint(const SceneJoint& joint)
    {
        // Bullet's hinges turn about z, ours about x.
        const Transform turn{{}, axis_angle({0, 1, 0}, pi / 2)};
        const bool is_hinge = std::holds_alternative<HingeJoint>(joint.def.kind);
        const btTransform a = local_frame(joint.body_a, joint.def.frame_a, is_hinge ? turn : Transform{});
        const btTransform b = local_frame(joint.body_b, joint.def.frame_b, is_hinge ? turn : Transform{});
        btRigidBody& body_a = joint.body_a < 0 ? btTypedConstraint::getFixedBody() : *bodies_[joint.body_a];
        btRigidBody& body_b = joint.body_b < 0 ? btTypedConstraint::getFixedBody() : *bodies_[joint.body_b];

        std::unique_ptr<btTypedConstraint> made;
        if (std::holds_alternative<BallJoint>(joint.def.kind))
            made = std::make_unique<btPoint2PointConstraint>(body_a, body_b, a.getOrigin(), b.getOrigin());
        else if (is_hinge)
            made = std::make_unique<btHingeConstraint>(body_a, body_b, a, b);
        else if (std::holds_alternative<FixedJoint>(joint.def.kind))
            made = std::make_unique<btFixedConstraint>(body_a, body_b, a, b);
        else
            return; // springs are pulled from outside
        world_.addConstraint(made.get(), !joint.def.collides);
        joints_.push_back(std::move(made));
    }

    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_{&configuration_};
    btDbvtBroadphase broad_phase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
    std::vector<std::unique_ptr<btTriangleMesh>> meshes_;
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    std::map<GeometryKey, btCollisionShape*> shared_;
    std::vector<std::unique_ptr<btMotionState>> states_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
    std::vector<std::unique_ptr<btTypedConstraint>> joints_;
    std::vector<Transform> mass_frames_; // where Bullet has a body's origin, in the body's frame
};

Result<std::unique_ptr<Peer>> create(const SceneDescription& scene, const PeerOptions& options)
{
    const std::string missing = find_missing(scene, options, {.has_distance_joints = false, .has_threads = false});
    if (!missing.empty())
        return Error{missing};
    for (const SceneBody& body : scene.bodies)
        if (body.def.filter.group != 0)
            return Error{"filter groups"};
    return std::unique_ptr<Peer>(std::make_unique<BulletPeer>(scene, options));
}

} // namespace

PeerKind bullet_kind()
{
    return {"bullet", fmt::format("{}.{}", BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100), create};
}

} // namespace moraine::bench
