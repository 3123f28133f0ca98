#include "peers/mass.h"
#include "peers/script.h"
#include "peers/scripted_peer.h"

#include <ode/ode.h>

#include <algorithm>
#include <cmath>

namespace moraine::bench
{

namespace
{

constexpr int points_per_pair = 8;

void set_quaternion(Quat q, dQuaternion out)
{
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

Vec3 from_ode(const dReal* v) { return {float(v[0]), float(v[1]), float(v[2])}; }

// What the contact callback wants to know of a shape.
struct Surface
{
    float friction = 0.5f, restitution = 0;
    Filter filter{};
};

class OdePeer final : public ScriptedPeer
{
public:
    OdePeer(const SceneDescription& scene, const PeerOptions& options) : ScriptedPeer(scene)
    {
        const Vec3 g = scene.world.gravity;
        dWorldSetGravity(world_, g.x, g.y, g.z);
        dWorldSetAutoDisableFlag(world_, options.sleeping ? 1 : 0);
        size_t shape_count = 0;
        for (const SceneBody& body : scene.bodies)
            shape_count += body.def.shapes.size();
        surfaces_.reserve(shape_count); // geoms point into it
        for (const SceneBody& body : scene.bodies)
            add_body(body.def);
        for (const SceneJoint& joint : scene.joints)
            add_joint(joint);
    }

    ~OdePeer() override
    {
        dJointGroupDestroy(contacts_);
        dSpaceDestroy(space_);
        dWorldDestroy(world_);
        for (dTriMeshDataID mesh : meshes_)
            dGeomTriMeshDataDestroy(mesh);
    }

private:
    void advance(float dt) override
    {
        dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<OdePeer*>(self)->touch(a, b); });
        dWorldQuickStep(world_, dReal(dt));
        dJointGroupEmpty(contacts_);
    }

    Pose pose(int body) const override
    {
        if (bodies_[body] == nullptr)
            return fixed_[body];
        const dReal* p = dBodyGetPosition(bodies_[body]);
        const dReal* q = dBodyGetQuaternion(bodies_[body]);
        const Pose center{DVec3(double(p[0]), double(p[1]), double(p[2])),
                          Quat{float(q[1]), float(q[2]), float(q[3]), float(q[0])}};
        return center * inverse(mass_frames_[body]);
    }
    Velocity velocity(int body) const override
    {
        if (bodies_[body] == nullptr)
            return {};
        return {from_ode(dBodyGetLinearVel(bodies_[body])), from_ode(dBodyGetAngularVel(bodies_[body]))};
    }
    DVec3 center_of_mass(int body) const override { return apply(pose(body), mass_frames_[body].position); }
    void add_force(int body, Vec3 f, DVec3 p) override
    {
        if (bodies_[body] != nullptr)
            dBodyAddForceAtPos(bodies_[body], f.x, f.y, f.z, p.x, p.y, p.z);
    }
    void move_to(int body, const Pose& target, float dt) override
    {
        const Velocity v = velocity_between(pose(body), target, dt);
        dBodySetLinearVel(bodies_[body], v.linear.x, v.linear.y, v.linear.z);
        dBodySetAngularVel(bodies_[body], v.angular.x, v.angular.y, v.angular.z);
    }

    void touch(dGeomID a, dGeomID b)
    {
        const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
        if (body_a == body_b ||
            (body_a != nullptr && body_b != nullptr && dAreConnectedExcluding(body_a, body_b, dJointTypeContact) != 0))
            return;
        const auto* surface_a = static_cast<const Surface*>(dGeomGetData(a));
        const auto* surface_b = static_cast<const Surface*>(dGeomGetData(b));
        if (!can_touch(surface_a->filter, surface_b->filter))
            return;
        dContact points[points_per_pair];
        const int count = dCollide(a, b, points_per_pair, &points[0].geom, sizeof(dContact));
        for (int i = 0; i < count; ++i)
        {
            points[i].surface.mode = dContactApprox1;
            points[i].surface.mu = std::sqrt(surface_a->friction * surface_b->friction);
            points[i].surface.bounce = std::max(surface_a->restitution, surface_b->restitution);
            if (points[i].surface.bounce > 0)
                points[i].surface.mode |= dContactBounce;
            points[i].surface.bounce_vel = 1;
            dJointAttach(dJointCreateContact(world_, contacts_, &points[i]), body_a, body_b);
        }
    }

    dGeomID make_surface(const Geometry& geometry)
    {
        lists_.push_back(std::make_unique<TriangleList>(triangles(geometry)));
        const TriangleList& list = *lists_.back();
        dTriMeshDataID data = dGeomTriMeshDataCreate();
        dGeomTriMeshDataBuildSingle(data, list.vertices.data(), sizeof(Vec3), int(list.vertices.size()),
                                    list.indices.data(), int(list.indices.size()), 3 * sizeof(int));
        meshes_.push_back(data);
        return dCreateTriMesh(space_, data, nullptr, nullptr, nullptr);
    }

    dGeomID make_geometry(const Geometry& geometry)
    {
        if (const auto* sphere = std::get_if<Sphere>(&geometry))
            return dCreateSphere(space_, sphere->radius);
        if (const auto* capsule = std::get_if<Capsule>(&geometry))
            return dCreateCapsule(space_, capsule->radius, 2 * capsule->half_length);
        if (const auto* cylinder = std::get_if<Cylinder>(&geometry))
            return dCreateCylinder(space_, cylinder->radius, 2 * cylinder->half_length);
        if (const auto* box = std::get_if<Box>(&geometry))
            return dCreateBox(space_, 2 * box->half_extents.x, 2 * box->half_extents.y, 2 * box->half_extents.z);
        return make_surface(geometry);
    }

    void add_shape(const ShapeDef& shape, const BodyDef& def, dBodyID body, const Transform& frame)
    {
        surfaces_.push_back({shape.friction, shape.restitution, def.filter});
        const Pose start{def.position, def.rotation};
        if (std::holds_alternative<HalfSpace>(shape.geometry))
        {
            const Pose plane = start * shape.pose;
            const Vec3 n = rotate(plane.rotation, {0, 1, 0});
            dGeomSetData(dCreatePlane(space_, n.x, n.y, n.z, dot(DVec3(n), plane.position)), &surfaces_.back());
            return;
        }
        dGeomID geom = make_geometry(shape.geometry);
        dGeomSetData(geom, &surfaces_.back());
        // ODE's capsules and cylinders lie along z, ours stand along y.
        const bool is_turned = std::holds_alternative<Capsule>(shape.geometry) ||
                               std::holds_alternative<Cylinder>(shape.geometry);
        const Transform turn{{}, is_turned ? axis_angle({1, 0, 0}, -pi / 2) : Quat{}};
        dQuaternion q;
        if (body == nullptr)
        {
            const Pose pose = start * shape.pose * turn;
            set_quaternion(pose.rotation, q);
            dGeomSetPosition(geom, pose.position.x, pose.position.y, pose.position.z);
            dGeomSetQuaternion(geom, q);
            return;
        }
        const Transform pose = inverse(frame) * shape.pose * turn;
        set_quaternion(pose.rotation, q);
        dGeomSetBody(geom, body);
        dGeomSetOffsetPosition(geom, pose.position.x, pose.position.y, pose.position.z);
        dGeomSetOffsetQuaternion(geom, q);
    }

    void add_body(const BodyDef& def)
    {
        const bool is_dynamic = def.type == BodyType::dynamic_;
        const BodyMass mass = is_dynamic ? body_mass(def) : BodyMass{};
        const Pose start{def.position, def.rotation};
        dBodyID body = nullptr;
        if (def.type != BodyType::static_)
        {
            body = dBodyCreate(world_);
            const Pose center = start * mass.frame;
            dQuaternion q;
            set_quaternion(center.rotation, q);
            dBodySetPosition(body, center.position.x, center.position.y, center.position.z);
            dBodySetQuaternion(body, q);
            dBodySetLinearVel(body, def.linear_velocity.x, def.linear_velocity.y, def.linear_velocity.z);
            dBodySetAngularVel(body, def.angular_velocity.x, def.angular_velocity.y, def.angular_velocity.z);
            if (!def.can_sleep)
                dBodySetAutoDisableFlag(body, 0);
        }
        if (is_dynamic)
        {
            dMass m;
            dMassSetParameters(&m, mass.mass, 0, 0, 0, mass.diagonal.x, mass.diagonal.y, mass.diagonal.z, 0, 0, 0);
            dBodySetMass(body, &m);
        }
        else if (body != nullptr)
            dBodySetKinematic(body);
        bodies_.push_back(body);
        fixed_.push_back(start);
        mass_frames_.push_back(mass.frame);
        for (const ShapeDef& shape : def.shapes)
            add_shape(shape, def, body, mass.frame);
    }

    dBodyID body_at(int body) const { return body < 0 ? nullptr : bodies_[body]; }

    void add_joint(const SceneJoint& joint)
    {
        // ODE wants the anchor and the axis in the world, with the bodies where they are now.
        const bool on_b = joint.body_b >= 0;
        const int owner = on_b ? joint.body_b : joint.body_a;
        const Pose frame = pose(owner) * (on_b ? joint.def.frame_b : joint.def.frame_a);
        const Vec3 axis = rotate(frame.rotation, {1, 0, 0});
        const DVec3 p = frame.position;
        const dBodyID a = body_at(joint.body_a), b = body_at(joint.body_b);
        if (std::holds_alternative<BallJoint>(joint.def.kind))
        {
            dJointID made = dJointCreateBall(world_, nullptr);
            dJointAttach(made, a, b);
            dJointSetBallAnchor(made, p.x, p.y, p.z);
        }
        else if (std::holds_alternative<HingeJoint>(joint.def.kind))
        {
            dJointID made = dJointCreateHinge(world_, nullptr);
            dJointAttach(made, a, b);
            dJointSetHingeAnchor(made, p.x, p.y, p.z);
            dJointSetHingeAxis(made, axis.x, axis.y, axis.z);
        }
        else if (std::holds_alternative<FixedJoint>(joint.def.kind))
        {
            dJointID made = dJointCreateFixed(world_, nullptr);
            dJointAttach(made, a, b);
            dJointSetFixed(made);
        }
    }

    dWorldID world_ = dWorldCreate();
    dSpaceID space_ = dHashSpaceCreate(nullptr);
    dJointGroupID contacts_ = dJointGroupCreate(0);
    std::vector<dBodyID> bodies_; // null: static
    std::vector<Pose> fixed_;
    std::vector<Transform> mass_frames_;
    std::vector<Surface> surfaces_;
    std::vector<std::unique_ptr<TriangleList>> lists_; // ODE keeps pointers to them
    std::vector<dTriMeshDataID> meshes_;
};

Result<std::unique_ptr<Peer>> create(const SceneDescription& scene, const PeerOptions& options)
{
    const Abilities abilities{.has_hulls = false, .has_distance_joints = false, .has_threads = false};
    const std::string missing = find_missing(scene, options, abilities);
    if (!missing.empty())
        return Error{missing};
    [[maybe_unused]] static const bool is_ready = dInitODE2(0) != 0;
    return std::unique_ptr<Peer>(std::make_unique<OdePeer>(scene, options));
}

} // namespace

PeerKind ode_kind() { return {"ode", "", create}; }

} // namespace moraine::bench
