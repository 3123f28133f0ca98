#include "distribute/touch.h"

#include "collide/narrow_phase.h"
#include "geometry/bvh.h"

namespace moraine::distribute
{

namespace
{

bool is_near(const ShapeDef& def_a, const Transform& a, const ShapeDef& def_b, const Transform& b, float margin)
{
    const Shape shape_a = make_shape(def_a, {}), shape_b = make_shape(def_b, {});
    if (!overlaps(enlarge(transform(shape_a.bounds, a), margin), transform(shape_b.bounds, b)))
        return false;
    PairCache cache;
    LocalManifold manifold;
    return collide_convex(shape_a, a, shape_b, b, margin, cache, manifold);
}

} // namespace

float distance(const Aabb& a, const Aabb& b)
{
    const auto apart = [](float lower, float upper) { return std::max(lower - upper, 0.0f); };
    return length(Vec3{std::max(apart(a.lower.x, b.upper.x), apart(b.lower.x, a.upper.x)),
                       std::max(apart(a.lower.y, b.upper.y), apart(b.lower.y, a.upper.y)),
                       std::max(apart(a.lower.z, b.upper.z), apart(b.lower.z, a.upper.z))});
}

bool may_touch(const SceneDescription& scene, const BoundaryBody& a, const BoundaryBody& b, float dt)
{
    if (a.body > b.body) // so that it does not matter who asks
        return may_touch(scene, b, a, dt);
    const float margin = default_contact_margin + dt * length(a.velocity - b.velocity);
    if (!overlaps(enlarge(a.box, margin), b.box))
        return false;
    const Transform b_in_a = relative(b.pose, a.pose);
    for (const ShapeDef& shape_a : scene.bodies[size_t(a.body)].def.shapes)
        for (const ShapeDef& shape_b : scene.bodies[size_t(b.body)].def.shapes)
            if (is_near(shape_a, shape_a.pose, shape_b, b_in_a * shape_b.pose, margin))
                return true;
    return false;
}

std::vector<ContactPair> find_first_touches(const SceneDescription& scene,
                                            std::span<const std::vector<int32_t>> joints_of)
{
    std::vector<BoundaryBody> bodies;
    std::vector<Aabb> boxes;
    for (size_t i = 0; i < scene.bodies.size(); ++i)
    {
        const BodyDef& def = scene.bodies[i].def;
        if (def.type != BodyType::dynamic_)
            continue;
        BoundaryBody body{.pose = {def.position, normalize(def.rotation)}, .velocity = def.linear_velocity};
        body.body = int32_t(i);
        for (const ShapeDef& shape : def.shapes)
            body.box = merge(body.box, world_bounds(transform(make_shape(shape, {}).bounds, shape.pose), body.pose, 0));
        boxes.push_back(enlarge(body.box, reach + scene.dt * length(body.velocity)));
        bodies.push_back(body);
    }
    std::vector<ContactPair> pairs;
    if (bodies.empty())
        return pairs;
    Bvh tree;
    tree.build(boxes);
    for (size_t i = 0; i < bodies.size(); ++i)
        tree.query(boxes[i], [&](int32_t j) {
            const BoundaryBody &a = bodies[i], &b = bodies[size_t(j)];
            if (size_t(j) > i && can_collide(scene, joints_of, a.body, b.body) && may_touch(scene, a, b, scene.dt))
                pairs.push_back({a.body, b.body});
        });
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

bool can_collide(const SceneDescription& scene, std::span<const std::vector<int32_t>> joints_of, int32_t a, int32_t b)
{
    const BodyDef& def_a = scene.bodies[size_t(a)].def;
    const BodyDef& def_b = scene.bodies[size_t(b)].def;
    if (def_a.is_trigger || def_b.is_trigger || def_a.is_passive || def_b.is_passive)
        return false;
    if (def_a.filter.group != 0 && def_a.filter.group == def_b.filter.group)
    {
        if (def_a.filter.group < 0)
            return false;
    }
    else if ((def_a.filter.category & def_b.filter.mask) == 0 || (def_b.filter.category & def_a.filter.mask) == 0)
        return false;
    for (int32_t j : joints_of[size_t(a)])
    {
        const SceneJoint& joint = scene.joints[size_t(j)];
        if (!joint.def.collides && (joint.body_a == b || joint.body_b == b))
            return false;
    }
    return true;
}

} // namespace moraine::distribute
