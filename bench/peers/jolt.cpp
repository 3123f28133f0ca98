// clang-format off
#include <Jolt/Jolt.h> // wants to be first
// clang-format on

#include "peers/geometry_key.h"
#include "peers/mass.h"
#include "peers/script.h"
#include "peers/scripted_peer.h"

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/GroupFilter.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/CylinderShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/Shape/PlaneShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/Shape/StaticCompoundShape.h>
#include <Jolt/Physics/Constraints/DistanceConstraint.h>
#include <Jolt/Physics/Constraints/FixedConstraint.h>
#include <Jolt/Physics/Constraints/HingeConstraint.h>
#include <Jolt/Physics/Constraints/PointConstraint.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include <algorithm>
#include <map>
#include <set>

namespace moraine::bench
{

namespace
{

constexpr JPH::ObjectLayer still = 0, moving = 1;

JPH::Vec3 to_jolt(Vec3 v) { return {v.x, v.y, v.z}; }
JPH::RVec3 to_jolt(DVec3 p) { return {JPH::Real(p.x), JPH::Real(p.y), JPH::Real(p.z)}; }
// Jolt insists on unit length to its own tolerance.
JPH::Quat to_jolt(Quat q) { return JPH::Quat(q.x, q.y, q.z, q.w).Normalized(); }
Vec3 from_jolt(JPH::Vec3 v) { return {v.GetX(), v.GetY(), v.GetZ()}; }

struct Layers final : JPH::BroadPhaseLayerInterface
{
    JPH::uint GetNumBroadPhaseLayers() const override { return 2; }
    JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override
    {
        return JPH::BroadPhaseLayer(JPH::BroadPhaseLayer::Type(layer));
    }
#if defined(JPH_EXTERNAL_PROFILE) || defined(JPH_PROFILE_ENABLED) // builds of Jolt that can be profiled ask for a name
    const char* GetBroadPhaseLayerName(JPH::BroadPhaseLayer) const override { return "layer"; }
#endif
};
struct LayerFilter final : JPH::ObjectVsBroadPhaseLayerFilter
{
    bool ShouldCollide(JPH::ObjectLayer a, JPH::BroadPhaseLayer b) const override
    {
        return a == moving || b == JPH::BroadPhaseLayer(JPH::BroadPhaseLayer::Type(moving));
    }
};
struct PairFilter final : JPH::ObjectLayerPairFilter
{
    bool ShouldCollide(JPH::ObjectLayer a, JPH::ObjectLayer b) const override { return a == moving || b == moving; }
};

// Filters of bodies, and pairs that a joint keeps from touching. Bodies without either do not ask it.
struct TouchFilter final : JPH::GroupFilter
{
    std::vector<Filter> filters{};
    std::set<std::pair<uint32_t, uint32_t>> apart{};

    bool CanCollide(const JPH::CollisionGroup& a, const JPH::CollisionGroup& b) const override
    {
        const uint32_t i = a.GetSubGroupID(), j = b.GetSubGroupID();
        if (i >= filters.size() || j >= filters.size())
            return true;
        return can_touch(filters[i], filters[j]) && !apart.contains(std::minmax(i, j));
    }
};

void initialize_jolt()
{
    static const bool is_done = [] {
        JPH::RegisterDefaultAllocator();
        JPH::Factory::sInstance = new JPH::Factory();
        JPH::RegisterTypes();
        return true;
    }();
    (void)is_done;
}

class JoltPeer final : public ScriptedPeer
{
public:
    JoltPeer(const SceneDescription& scene, const PeerOptions& options)
        : ScriptedPeer(scene),
          jobs_(JPH::cMaxPhysicsJobs, JPH::cMaxPhysicsBarriers, options.threads - 1)
    {
        const uint32_t count = uint32_t(scene.bodies.size());
        system_.Init(count + 16, 0, std::max(65536u, 16 * count), std::max(65536u, 12 * count), layers_, layer_filter_,
                     pair_filter_);
        system_.SetGravity(to_jolt(scene.world.gravity));
        JPH::PhysicsSettings settings = system_.GetPhysicsSettings();
        settings.mAllowSleeping = options.sleeping;
        system_.SetPhysicsSettings(settings);

        prepare_filter(scene);
        JPH::BodyIDVector added;
        for (size_t i = 0; i < scene.bodies.size(); ++i)
            add_body(scene.bodies[i].def, uint32_t(i));
        for (JPH::BodyID id : ids_)
            added.push_back(id);
        JPH::BodyInterface& bodies = system_.GetBodyInterfaceNoLock();
        const auto state = bodies.AddBodiesPrepare(added.data(), int(added.size()));
        bodies.AddBodiesFinalize(added.data(), int(added.size()), state, JPH::EActivation::Activate);
        for (const SceneJoint& joint : scene.joints)
            add_joint(joint);
        system_.OptimizeBroadPhase();
    }

    ~JoltPeer() override
    {
        for (const auto& joint : joints_)
            system_.RemoveConstraint(joint);
    }

private:
    void advance(float dt) override { system_.Update(dt, 1, &memory_, &jobs_); }

    const JPH::Body& at(int body) const { return *bodies_[body]; }

    Pose pose(int body) const override
    {
        const JPH::RVec3 p = at(body).GetPosition();
        const JPH::Quat q = at(body).GetRotation();
        return {DVec3(double(p.GetX()), double(p.GetY()), double(p.GetZ())),
                Quat{q.GetX(), q.GetY(), q.GetZ(), q.GetW()}};
    }
    Velocity velocity(int body) const override
    {
        return {from_jolt(at(body).GetLinearVelocity()), from_jolt(at(body).GetAngularVelocity())};
    }
    DVec3 center_of_mass(int body) const override
    {
        const JPH::RVec3 p = at(body).GetCenterOfMassPosition();
        return {double(p.GetX()), double(p.GetY()), double(p.GetZ())};
    }
    void add_force(int body, Vec3 force, DVec3 point) override
    {
        if (at(body).IsDynamic())
            system_.GetBodyInterfaceNoLock().AddForce(ids_[body], to_jolt(force), to_jolt(point));
    }
    void move_to(int body, const Pose& target, float dt) override
    {
        system_.GetBodyInterfaceNoLock().MoveKinematic(ids_[body], to_jolt(target.position), to_jolt(target.rotation),
                                                       dt);
    }

    void prepare_filter(const SceneDescription& scene)
    {
        is_filtered_.assign(scene.bodies.size(), false);
        const bool has_filters = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                             [](const SceneBody& b) { return !(b.def.filter == Filter{}); });
        if (has_filters)
            is_filtered_.assign(scene.bodies.size(), true);
        for (const SceneBody& body : scene.bodies)
            filter_->filters.push_back(body.def.filter);
        for (const SceneJoint& joint : scene.joints)
        {
            const bool is_spring = std::holds_alternative<SpringJoint>(joint.def.kind);
            if (joint.def.collides || is_spring || joint.body_a < 0 || joint.body_b < 0)
                continue;
            is_filtered_[joint.body_a] = is_filtered_[joint.body_b] = true;
            filter_->apart.insert(std::minmax(uint32_t(joint.body_a), uint32_t(joint.body_b)));
        }
    }

    JPH::ShapeRefC make_surface(const Geometry& geometry)
    {
        const TriangleList list = triangles(geometry);
        JPH::VertexList vertices;
        for (const Vec3& v : list.vertices)
            vertices.push_back({v.x, v.y, v.z});
        JPH::IndexedTriangleList indexed;
        for (size_t i = 0; i + 2 < list.indices.size(); i += 3)
            indexed.push_back(
                {JPH::uint32(list.indices[i]), JPH::uint32(list.indices[i + 1]), JPH::uint32(list.indices[i + 2])});
        return JPH::MeshShapeSettings(vertices, indexed).Create().Get();
    }

    // Edges are rounded by 5 cm, as by default, or by as much as the shape has room for.
    static float rounding(float smallest) { return std::min(JPH::cDefaultConvexRadius, 0.5f * smallest); }

    JPH::ShapeRefC make_geometry(const Geometry& geometry, float density)
    {
        const auto dense = [density](JPH::ConvexShape* shape) {
            shape->SetDensity(density);
            return JPH::ShapeRefC(shape);
        };
        if (const auto* sphere = std::get_if<Sphere>(&geometry))
            return dense(new JPH::SphereShape(sphere->radius));
        if (const auto* capsule = std::get_if<Capsule>(&geometry))
            return dense(new JPH::CapsuleShape(capsule->half_length, capsule->radius));
        if (const auto* c = std::get_if<Cylinder>(&geometry))
            return dense(
                new JPH::CylinderShape(c->half_length, c->radius, rounding(std::min(c->half_length, c->radius))));
        if (const auto* box = std::get_if<Box>(&geometry))
            return dense(new JPH::BoxShape(to_jolt(box->half_extents), rounding(min_component(box->half_extents))));
        if (std::holds_alternative<HalfSpace>(geometry))
            return new JPH::PlaneShape(JPH::Plane(JPH::Vec3(0, 1, 0), 0));
        const auto* hull = std::get_if<HullRef>(&geometry);
        if (hull == nullptr)
            return make_surface(geometry);
        JPH::Array<JPH::Vec3> points;
        for (const Vec3& corner : corners(**hull))
            points.push_back(to_jolt(corner));
        JPH::ConvexHullShapeSettings settings(points, JPH::cDefaultConvexRadius);
        settings.SetDensity(density);
        return settings.Create().Get();
    }

    JPH::ShapeRefC shared_geometry(const Geometry& geometry, float density)
    {
        JPH::ShapeRefC& shape = shared_[{geometry_key(geometry), density}];
        if (shape == nullptr)
            shape = make_geometry(geometry, density);
        return shape;
    }

    JPH::ShapeRefC make_body_shape(const BodyDef& def, float density_scale)
    {
        const auto part = [&](const ShapeDef& s) { return shared_geometry(s.geometry, s.density * density_scale); };
        if (def.shapes.size() == 1 && def.shapes[0].pose == Transform{})
            return part(def.shapes[0]);
        JPH::StaticCompoundShapeSettings compound;
        for (const ShapeDef& shape : def.shapes)
            compound.AddShape(to_jolt(shape.pose.position), to_jolt(shape.pose.rotation), part(shape));
        return compound.Create().Get();
    }

    void add_body(const BodyDef& def, uint32_t index)
    {
        const bool is_dynamic = def.type == BodyType::dynamic_;
        const float density_scale = is_dynamic && def.mass > 0 ? body_mass(def).density_scale : 1;
        const JPH::EMotionType type = is_dynamic                        ? JPH::EMotionType::Dynamic
                                      : def.type == BodyType::kinematic ? JPH::EMotionType::Kinematic
                                                                        : JPH::EMotionType::Static;
        JPH::BodyCreationSettings made(make_body_shape(def, density_scale), to_jolt(def.position),
                                       to_jolt(def.rotation), type, type == JPH::EMotionType::Static ? still : moving);
        made.mFriction = def.shapes.empty() ? 0.5f : def.shapes[0].friction;
        made.mRestitution = def.shapes.empty() ? 0 : def.shapes[0].restitution;
        made.mLinearDamping = def.linear_damping;
        made.mAngularDamping = def.angular_damping;
        made.mLinearVelocity = to_jolt(def.linear_velocity);
        made.mAngularVelocity = to_jolt(def.angular_velocity);
        made.mGravityFactor = def.gravity_scale;
        made.mAllowSleeping = def.can_sleep;
        made.mApplyGyroscopicForce = true;
        if (def.is_fast)
            made.mMotionQuality = JPH::EMotionQuality::LinearCast;
        if (is_filtered_[index])
            made.mCollisionGroup = JPH::CollisionGroup(filter_.GetPtr(), 0, index);
        JPH::Body* body = system_.GetBodyInterfaceNoLock().CreateBody(made);
        bodies_.push_back(body);
        ids_.push_back(body->GetID());
    }

    // Jolt takes anchors and axes in the world, with the bodies where they are now.
    struct Frame
    {
        JPH::RVec3 point;
        JPH::Vec3 x, y;
    };
    Frame world_frame(int body, const Transform& frame) const
    {
        const Pose placed = body < 0 ? Pose{DVec3(frame.position), frame.rotation} : pose(body) * frame;
        return {to_jolt(placed.position), to_jolt(rotate(placed.rotation, {1, 0, 0})).Normalized(),
                to_jolt(rotate(placed.rotation, {0, 1, 0})).Normalized()};
    }

    template <class Settings>
    void connect(const Settings& settings, const SceneJoint& joint)
    {
        JPH::Body& a = joint.body_a < 0 ? JPH::Body::sFixedToWorld : *bodies_[joint.body_a];
        JPH::Body& b = joint.body_b < 0 ? JPH::Body::sFixedToWorld : *bodies_[joint.body_b];
        joints_.push_back(settings.Create(a, b));
        system_.AddConstraint(joints_.back());
    }

    void add_joint(const SceneJoint& joint)
    {
        const Frame a = world_frame(joint.body_a, joint.def.frame_a);
        const Frame b = world_frame(joint.body_b, joint.def.frame_b);
        if (std::holds_alternative<BallJoint>(joint.def.kind))
        {
            JPH::PointConstraintSettings s;
            s.mPoint1 = a.point, s.mPoint2 = b.point;
            connect(s, joint);
        }
        else if (std::holds_alternative<HingeJoint>(joint.def.kind))
        {
            JPH::HingeConstraintSettings s;
            s.mPoint1 = a.point, s.mHingeAxis1 = a.x, s.mNormalAxis1 = a.y;
            s.mPoint2 = b.point, s.mHingeAxis2 = b.x, s.mNormalAxis2 = b.y;
            connect(s, joint);
        }
        else if (std::holds_alternative<FixedJoint>(joint.def.kind))
        {
            JPH::FixedConstraintSettings s;
            s.mPoint1 = a.point, s.mAxisX1 = a.x, s.mAxisY1 = a.y;
            s.mPoint2 = b.point, s.mAxisX2 = b.x, s.mAxisY2 = b.y;
            connect(s, joint);
        }
        else if (const auto* distance = std::get_if<DistanceJoint>(&joint.def.kind))
        {
            JPH::DistanceConstraintSettings s;
            s.mPoint1 = a.point, s.mPoint2 = b.point;
            s.mMinDistance = distance->lower, s.mMaxDistance = distance->upper;
            connect(s, joint);
        }
    }

    Layers layers_;
    LayerFilter layer_filter_;
    PairFilter pair_filter_;
    JPH::Ref<TouchFilter> filter_ = new TouchFilter;
    std::vector<bool> is_filtered_;
    std::map<std::pair<GeometryKey, float>, JPH::ShapeRefC> shared_;
    JPH::TempAllocatorImplWithMallocFallback memory_{64 * 1024 * 1024};
    JPH::JobSystemThreadPool jobs_;
    JPH::PhysicsSystem system_;
    std::vector<JPH::BodyID> ids_;
    std::vector<JPH::Body*> bodies_;
    std::vector<JPH::Ref<JPH::TwoBodyConstraint>> joints_;
};

Result<std::unique_ptr<Peer>> create(const SceneDescription& scene, const PeerOptions& options)
{
    const std::string missing = find_missing(scene, options, {});
    if (!missing.empty())
        return Error{missing};
    initialize_jolt();
    return std::unique_ptr<Peer>(std::make_unique<JoltPeer>(scene, options));
}

} // namespace

PeerKind jolt_kind()
{
    return {"jolt", std::to_string(JPH_VERSION_MAJOR) + "." + std::to_string(JPH_VERSION_MINOR), create};
}

} // namespace moraine::bench
