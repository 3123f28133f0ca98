// The words of the JSON format. Each kind of object is described once; reading, writing and the list of known keys all
// follow from it, so that they cannot disagree.
#pragma once

#include "scene/description.h"

#include <array>
#include <string_view>

namespace moraine
{

enum class Range
{
    any,
    size, // metres, 1e-5 to 1e6
    positive,
    not_negative,
    whole_positive,
    unbounded, // may be "infinity" or "-infinity"
    positive_unbounded
};

// ---- names of enumerators ----

template <class E>
struct EnumName
{
    E value;
    std::string_view name;
};

template <class E>
constexpr int enum_names = 0;
template <>
inline constexpr std::array<EnumName<BodyType>, 3> enum_names<BodyType>{
    {{BodyType::static_, "static"}, {BodyType::kinematic, "kinematic"}, {BodyType::dynamic_, "dynamic"}}};
template <>
inline constexpr std::array<EnumName<SolverKind>, 3> enum_names<SolverKind>{
    {{SolverKind::substep, "substep"}, {SolverKind::pgs, "pgs"}, {SolverKind::direct, "direct"}}};
template <>
inline constexpr std::array<EnumName<FrictionModel>, 3> enum_names<FrictionModel>{
    {{FrictionModel::pyramid, "pyramid"}, {FrictionModel::box, "box"}, {FrictionModel::cone, "cone"}}};
template <>
inline constexpr std::array<EnumName<EventPolicy>, 2> enum_names<EventPolicy>{
    {{EventPolicy::completed_frames, "completed_frames"}, {EventPolicy::queue, "queue"}}};
template <>
inline constexpr std::array<EnumName<ResponseInjection>, 2> enum_names<ResponseInjection>{
    {{ResponseInjection::velocity, "velocity"}, {ResponseInjection::impulse, "impulse"}}};
template <>
inline constexpr std::array<EnumName<ResponseForcing>, 2> enum_names<ResponseForcing>{
    {{ResponseForcing::exact, "exact"}, {ResponseForcing::james_pai, "james_pai"}}};
template <>
inline constexpr std::array<EnumName<ResponseKick>, 2> enum_names<ResponseKick>{
    {{ResponseKick::displacement, "displacement"}, {ResponseKick::thrown, "thrown"}}};
template <>
inline constexpr std::array<EnumName<RuleKind>, 3> enum_names<RuleKind>{
    {{RuleKind::ignore, "ignore"}, {RuleKind::observe, "observe"}, {RuleKind::never_merge, "never_merge"}}};
template <>
inline constexpr std::array<EnumName<AxisMode>, 3> enum_names<AxisMode>{
    {{AxisMode::locked, "locked"}, {AxisMode::limited, "limited"}, {AxisMode::free, "free"}}};

template <>
inline constexpr std::array<EnumName<PartitionKind>, 5> enum_names<PartitionKind>{
    {{PartitionKind::naive, "naive"},
     {PartitionKind::bisect, "bisect"},
     {PartitionKind::semantic, "semantic"},
     {PartitionKind::metis, "metis"},
     {PartitionKind::file, "file"}}};
template <>
inline constexpr std::array<EnumName<LoadKind>, 3> enum_names<LoadKind>{
    {{LoadKind::bodies, "bodies"}, {LoadKind::constraints, "constraints"}, {LoadKind::time, "time"}}};
template <>
inline constexpr std::array<EnumName<BlendWeights>, 2> enum_names<BlendWeights>{
    {{BlendWeights::geodesic, "geodesic"}, {BlendWeights::equal, "equal"}}};
template <>
inline constexpr std::array<EnumName<Detection>, 2> enum_names<Detection>{
    {{Detection::distributed, "distributed"}, {Detection::central, "central"}}};
template <>
inline constexpr std::array<EnumName<Border>, 3> enum_names<Border>{
    {{Border::carried, "carried"}, {Border::held, "held"}, {Border::free, "free"}}};
template <>
inline constexpr std::array<EnumName<Balance>, 3> enum_names<Balance>{
    {{Balance::steady, "steady"}, {Balance::paper, "paper"}, {Balance::none, "none"}}};

// ---- names of alternatives, in the order of the variants; also the names in the schema ----

inline constexpr std::array<std::string_view, 8> geometry_names{"sphere",     "capsule", "cylinder", "box",
                                                                "half_space", "hull",    "mesh",     "height_field"};
inline constexpr std::array<std::string_view, 9> joint_names{"ball",      "hinge",   "slider", "fixed", "distance",
                                                             "universal", "six_dof", "spring", "drag"};
inline constexpr std::array<std::string_view, 3> motion_names{"none", "sine", "key_frames"};
inline constexpr std::array<std::string_view, 11> action_names{
    "impulse", "velocity", "spawn", "destroy", "magnet", "motion", "joint", "gravity", "factory", "merge", "unmerge"};

// ---- descriptions: v(key, member, range) for each member ----

template <class V>
void describe(V& v, ResponseSettings& r)
{
    v("is_on", r.is_on);
    v("threshold", r.threshold, Range::not_negative);
    v("wake_speed", r.wake_speed, Range::not_negative);
    v("injection", r.injection);
    v("forcing", r.forcing);
    v("kick", r.kick);
    v("is_continuous", r.is_continuous);
    v("energy_bound", r.energy_bound);
    v("tangential", r.tangential);
}

template <class V>
void describe(V& v, MergeDef& m)
{
    v("speed", m.speed, Range::not_negative);
    v("slip_speed", m.slip_speed, Range::not_negative);
    v("breathe_speed", m.breathe_speed, Range::not_negative);
    v("steps", m.steps, Range::whole_positive);
    v("rest", m.rest, Range::positive);
    v("unmerge_steps", m.unmerge_steps, Range::whole_positive);
    v("unmerge_speed", m.unmerge_speed, Range::not_negative);
    v("leans", m.leans, Range::whole_positive);
    v("checks_motion", m.checks_motion);
    v("checks_slip", m.checks_slip);
    v("checks_breathing", m.checks_breathing);
    v("cuts_broken", m.cuts_broken);
    v("cuts_sliding", m.cuts_sliding);
    v("cuts_pivots", m.cuts_pivots);
    v("in_order", m.in_order);
    v("checks_trend", m.checks_trend);
    v("checks_cycles", m.checks_cycles);
}

template <class V>
void describe(V& v, BodyMergeDef& m)
{
    v("speed", m.speed, Range::not_negative);
    v("slip_speed", m.slip_speed, Range::not_negative);
    v("breathe_speed", m.breathe_speed, Range::not_negative);
    v("steps", m.steps, Range::whole_positive);
    v("rest", m.rest, Range::positive);
    v("unmerge_steps", m.unmerge_steps, Range::whole_positive);
    v("unmerge_speed", m.unmerge_speed, Range::not_negative);
}

template <class V>
void describe(V& v, RuleDef& r)
{
    v("kind", r.kind);
    v("group_a", r.group_a, Range::not_negative);
    v("group_b", r.group_b, Range::not_negative);
    v("user_data", r.user_data);
}

template <class V>
void describe(V& v, WorldDef& w)
{
    v("gravity", w.gravity);
    v("threads", w.threads, Range::not_negative);
    v("solver", w.solver);
    v("substeps", w.substeps, Range::whole_positive);
    v("iterations", w.iterations, Range::whole_positive);
    v("friction_model", w.friction_model);
    v("erp", w.erp, Range::not_negative);
    v("cfm", w.cfm, Range::not_negative);
    v("post_stabilization", w.post_stabilization);
    v("contact_hertz", w.contact_hertz, Range::positive);
    v("contact_damping_ratio", w.contact_damping_ratio, Range::not_negative);
    v("push_speed", w.push_speed, Range::not_negative);
    v("restitution_threshold", w.restitution_threshold, Range::not_negative);
    v("sleeping", w.sleeping);
    v("sleep_speed", w.sleep_speed, Range::not_negative);
    v("sleep_delay", w.sleep_delay, Range::not_negative);
    v("sleep_energy", w.sleep_energy, Range::not_negative);
    v("continuous", w.continuous);
    v("merging", w.merging);
    v("merge", w.merge);
    v("response", w.response);
    v("gyroscopic", w.gyroscopic);
    v("hit_speed", w.hit_speed, Range::not_negative);
    v("coherence", w.coherence);
    v("proximity_only", w.proximity_only);
    v("event_policy", w.event_policy);
    v("time_warp", w.time_warp);
    v("warp_depth", w.warp_depth, Range::positive);
    v("warp_steps", w.warp_steps, Range::whole_positive);
    v("contact_groups", w.contact_groups);
    v("caching", w.caching);
    v("tweaking", w.tweaking);
    v("reduction", w.reduction);
    v("zeroing", w.zeroing);
    v("damping", w.damping);
    v("subgrouping", w.subgrouping);
    v("fixation", w.fixation);
}

template <class V>
void describe(V& v, DistributeDef& d)
{
    v("growth_depth", d.growth_depth, Range::not_negative);
    v("search_depth", d.search_depth, Range::not_negative);
    v("partition", d.partition);
    v("partition_file", d.partition_file);
    v("weights", d.weights);
    v("load", d.load);
    v("detection", d.detection);
    v("balance", d.balance);
    v("border", d.border);
    v("first_workers", d.first_workers, Range::not_negative);
    v("grow_above", d.grow_above, Range::not_negative);
    v("shrink_below", d.shrink_below, Range::not_negative);
    v("solvers", d.solvers);
}

template <class V>
void describe(V& v, Filter& f)
{
    v("category", f.category);
    v("mask", f.mask);
    v("group", f.group);
}

template <class V>
void describe(V& v, MassProperties& m)
{
    v("mass", m.mass, Range::positive);
    v("center", m.center);
    v("inertia", m.inertia);
}

template <class V>
void describe(V& v, ElasticMaterial& m)
{
    v("young", m.young, Range::positive);
    v("poisson", m.poisson);
    v("density", m.density, Range::positive);
    v("alpha0", m.alpha0, Range::not_negative);
    v("alpha1", m.alpha1, Range::not_negative);
}
template <class V>
void describe(V& v, Attenuation& a)
{
    v("alpha", a.alpha, Range::not_negative);
    v("beta", a.beta, Range::not_negative);
    v("reference_distance", a.reference_distance, Range::positive);
    v("scale", a.scale, Range::not_negative);
}
template <class V>
void describe(V& v, FixedBox& f)
{
    v("lower", f.lower);
    v("upper", f.upper);
}
template <class V>
void describe(V& v, SceneResponse& r)
{
    v("file", r.file);
    v("material", r.material);
    v("fixed", r.fixed);
    v("cell_size", r.cell_size, Range::not_negative);
    v("unknowns", r.unknowns, Range::whole_positive);
    v("modes", r.modes, Range::whole_positive);
    v("attenuation", r.attenuation);
    v("blend", r.blend, Range::not_negative);
    v("geodesics", r.geodesics);
    v("mean_amplitude", r.mean_amplitude);
}

// All but the shapes, which are read with the materials at hand.
template <class V>
void describe(V& v, SceneBody& body)
{
    BodyDef& b = body.def;
    v("name", b.name);
    v("type", b.type);
    v("position", b.position);
    v("rotation", b.rotation);
    v("linear_velocity", b.linear_velocity);
    v("angular_velocity", b.angular_velocity);
    v("mass", b.mass, Range::not_negative);
    v("mass_properties", b.mass_properties);
    v("linear_damping", b.linear_damping, Range::not_negative);
    v("angular_damping", b.angular_damping, Range::not_negative);
    v("gravity_scale", b.gravity_scale);
    v("can_sleep", b.can_sleep);
    v("can_merge", b.can_merge);
    v("merge", b.merge);
    v("is_awake", b.is_awake);
    v("is_fast", b.is_fast);
    v("is_passive", b.is_passive);
    v("is_trigger", b.is_trigger);
    v("is_magnet", b.is_magnet);
    v("planar", b.planar);
    v("filter", b.filter);
    v("rule_groups", b.rule_groups);
    v("user_data", b.user_data);
    v("response", body.response);
    v("motion", body.motion);
    v("color", body.color);
    v("part", body.part, Range::not_negative);
}

template <class V>
void describe(V& v, Transform& t)
{
    v("position", t.position);
    v("rotation", t.rotation);
}

template <class V>
void describe(V& v, Sphere& s)
{
    v("radius", s.radius, Range::size);
}
template <class V>
void describe(V& v, Capsule& s)
{
    v("radius", s.radius, Range::size);
    v("half_length", s.half_length, Range::size);
}
template <class V>
void describe(V& v, Cylinder& s)
{
    v("radius", s.radius, Range::size);
    v("half_length", s.half_length, Range::size);
}
template <class V>
void describe(V& v, Box& s)
{
    v("half_extents", s.half_extents, Range::size);
}
template <class V>
void describe(V&, HalfSpace&)
{}

// What all shapes have; a material gives the last three at once.
template <class V>
void describe(V& v, ShapeDef& s)
{
    describe(v, s.pose);
    v("density", s.density, Range::not_negative);
    v("friction", s.friction, Range::not_negative);
    v("restitution", s.restitution, Range::not_negative);
}

template <class V>
void describe(V& v, SineMotion& m)
{
    v("translation", m.translation);
    v("rotation", m.rotation);
    v("period", m.period, Range::positive);
    v("phase", m.phase);
}
template <class V>
void describe(V& v, KeyFrame& k)
{
    v("time", k.time, Range::not_negative);
    v("position", k.pose.position);
    v("rotation", k.pose.rotation);
}
template <class V>
void describe(V& v, KeyFrameMotion& m)
{
    v("frames", m.frames);
    v("loops", m.loops);
}
template <class V>
void describe(V&, std::monostate&)
{}

// ---- joints ----

template <class V>
void describe(V& v, Limit& l)
{
    v("lower", l.lower, Range::unbounded);
    v("upper", l.upper, Range::unbounded);
}
template <class V>
void describe(V& v, Motor& m)
{
    v("speed", m.speed);
    v("max_force", m.max_force, Range::positive_unbounded);
}
template <class V>
void describe(V& v, Spring& s)
{
    v("stiffness", s.stiffness, Range::not_negative);
    v("damping", s.damping, Range::not_negative);
    v("target", s.target);
}
template <class V>
void describe(V& v, Axis& a)
{
    v("mode", a.mode);
    v("limit", a.limit);
    v("motor", a.motor);
    v("spring", a.spring);
}
template <class V>
void describe(V& v, BallJoint& j)
{
    v("cone_limit", j.cone_limit, Range::positive_unbounded);
    v("twist", j.twist);
}
template <class V>
void describe(V& v, HingeJoint& j)
{
    v("limit", j.limit);
    v("motor", j.motor);
    v("spring", j.spring);
}
template <class V>
void describe(V& v, SliderJoint& j)
{
    v("limit", j.limit);
    v("motor", j.motor);
    v("spring", j.spring);
}
template <class V>
void describe(V&, FixedJoint&)
{}
template <class V>
void describe(V& v, DistanceJoint& j)
{
    v("lower", j.lower, Range::not_negative);
    v("upper", j.upper, Range::positive_unbounded);
}
template <class V>
void describe(V&, UniversalJoint&)
{}
template <class V>
void describe(V& v, SixDofJoint& j)
{
    v("linear_x", j.linear[0]);
    v("linear_y", j.linear[1]);
    v("linear_z", j.linear[2]);
    v("angular_x", j.angular[0]);
    v("angular_y", j.angular[1]);
    v("angular_z", j.angular[2]);
}
template <class V>
void describe(V& v, SpringJoint& j)
{
    v("stiffness", j.stiffness, Range::not_negative);
    v("damping", j.damping, Range::not_negative);
    v("rest_length", j.rest_length, Range::not_negative);
}
template <class V>
void describe(V& v, DragJoint& j)
{
    v("frequency", j.frequency, Range::positive);
    v("damping_ratio", j.damping_ratio, Range::not_negative);
    v("max_force", j.max_force, Range::positive_unbounded);
}

// What all joints have, but for the bodies and the place.
template <class V>
void describe(V& v, JointDef& j)
{
    v("name", j.name);
    v("collides", j.collides);
    v("break_impulse", j.break_impulse, Range::positive_unbounded);
}

// ---- events: bodies and joints that they refer to are read apart ----

template <class V>
void describe(V& v, ImpulseAction& a)
{
    v("impulse", a.impulse);
    v("point", a.point);
}
template <class V>
void describe(V& v, VelocityAction& a)
{
    v("linear", a.linear);
    v("angular", a.angular);
}
template <class V>
void describe(V& v, MagnetAction& a)
{
    v("is_on", a.is_on);
}
template <class V>
void describe(V& v, MotionAction& a)
{
    v("motion", a.motion);
}
template <class V>
void describe(V& v, GravityAction& a)
{
    v("gravity", a.gravity);
}
template <class V>
void describe(V& v, FactoryAction& a)
{
    v("interval", a.interval, Range::positive);
    v("until", a.until, Range::positive_unbounded);
    v("position", a.position);
    v("spread", a.spread);
    v("velocity", a.velocity);
    v("velocity_spread", a.velocity_spread);
    v("spin_spread", a.spin_spread);
    v("turn_spread", a.turn_spread);
    v("seed", a.seed);
}
template <class V>
void describe(V& v, MergeAction& a)
{
    v("break_impulse", a.break_impulse, Range::positive_unbounded);
}
template <class V>
void describe(V&, UnmergeAction&)
{}
template <class V>
void describe(V&, SpawnAction&)
{}
template <class V>
void describe(V&, DestroyAction&)
{}
template <class V>
void describe(V&, JointAction&)
{}

struct KeyCollector
{
    std::vector<std::string> keys{};
    template <class Member>
    void operator()(const char* key, Member&, Range = Range::any)
    {
        keys.emplace_back(key);
    }
};

// The keys of a described kind of object.
template <class T>
std::vector<std::string> described_keys()
{
    KeyCollector collector;
    T value{};
    describe(collector, value);
    return collector.keys;
}

} // namespace moraine
