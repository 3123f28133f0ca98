// The public interface: questions about space.
#include "collide/shape_query.h"
#include "graph/members.h"
#include "world/activity.h"

#include <moraine/world.h>

#include <algorithm>

namespace moraine
{

namespace
{

bool passes(const WorldData& w, int32_t body, const QueryFilter& filter)
{
    const Body& b = w.bodies[body];
    return (b.filter.category & filter.mask) && !(filter.except && filter.except == w.bodies.id(body)) &&
           !b.has(body_is_passive) && (filter.triggers || !b.has(body_is_trigger)) &&
           (filter.statics || b.type != BodyType::static_);
}

Pose pose_of(const WorldData& w, const Body& b) { return w.movers[b.mover].pose * b.pose_in_mover; }

// The nearest hit of a cast with the shapes of one body. `cast_one(shape)` gives fraction and normal in body axes.
template <class CastOne>
std::optional<RayHit> nearest_hit(const WorldData& w, int32_t body, DVec3 origin, Vec3 translation, CastOne&& cast_one)
{
    std::optional<RayHit> best;
    const Body& b = w.bodies[body];
    const Pose pose = pose_of(w, b);
    std::span<const Shape> shapes = w.bodies.shapes_of(b);
    for (size_t i = 0; i < shapes.size(); ++i)
    {
        const std::optional<ShapeRayHit> hit = cast_one(shapes[i], pose);
        if (!hit || (best && hit->fraction >= best->fraction))
            continue;
        best = RayHit{w.bodies.id(body), int(i), origin + DVec3(translation) * double(hit->fraction),
                      rotate(pose.rotation, hit->normal), hit->fraction};
    }
    return best;
}

std::optional<RayHit> cast_ray(const WorldData& w, int32_t body, DVec3 origin, Vec3 translation)
{
    return nearest_hit(w, body, origin, translation, [&](const Shape& shape, const Pose& pose) {
        return ray_cast(shape, shape.pose, apply_inverse(pose, origin), inverse_rotate(pose.rotation, translation));
    });
}

// visit(body, max_fraction) as for Bvh::cast; into the members of movers that have several.
template <class Visit>
void cast_trees(const Movers& movers, DVec3 origin, Vec3 translation, Vec3 extents, Visit&& visit)
{
    const Vec3 start = Vec3(origin);
    // Far from the origin a float start is off by its rounding.
    const float slack = 1e-6f * max_component(abs(start)) + 1e-6f;
    const Vec3 wide = extents + Vec3{slack, slack, slack};
    const auto visit_mover = [&](int32_t index, float reach) {
        const Mover& mover = movers[index];
        if (!mover.has_members())
            return visit(mover.body, reach);
        const float far = length(extents) + slack; // of the turned box
        movers.members[mover.members].tree.cast(
            apply_inverse(mover.pose, origin), inverse_rotate(mover.pose.rotation, translation), {far, far, far},
            [&](int32_t body, float limit) { return reach = visit(body, std::min(limit, reach)); });
        return reach;
    };
    movers.dynamic_tree.cast(start, translation, wide, visit_mover);
    movers.static_tree.cast(start, translation, wide, visit_mover);
}

// visit(body) for all whose boxes may overlap; true goes on.
template <class Visit>
void query_trees(const Movers& movers, const Aabb& box, Visit&& visit)
{
    const auto visit_mover = [&](int32_t mover) {
        for_each_member_near(movers, mover, box, visit);
        return true;
    };
    movers.dynamic_tree.query(box, visit_mover);
    movers.static_tree.query(box, visit_mover);
}

bool is_usable(const Geometry& geometry)
{
    const ShapeDef def{.geometry = geometry};
    return shape_problem(def).empty() && is_convex(make_shape(def, {}).kind);
}

} // namespace

std::optional<RayHit> World::ray_cast(DVec3 origin, Vec3 translation, const QueryFilter& filter) const
{
    std::optional<RayHit> best;
    if (!is_finite(origin) || !is_finite(translation))
        return best;
    float reach = 1;
    cast_trees(data_->movers, origin, translation, {}, [&](int32_t body, float) {
        if (!passes(*data_, body, filter))
            return reach;
        const std::optional<RayHit> hit = cast_ray(*data_, body, origin, translation);
        if (hit &&
            (!best || hit->fraction < best->fraction || (hit->fraction == best->fraction && hit->body < best->body)))
        {
            best = hit;
            reach = hit->fraction;
        }
        return reach;
    });
    return best;
}

std::vector<RayHit> World::ray_cast_all(DVec3 origin, Vec3 translation, const QueryFilter& filter) const
{
    std::vector<RayHit> hits;
    if (!is_finite(origin) || !is_finite(translation))
        return hits;
    cast_trees(data_->movers, origin, translation, {}, [&](int32_t body, float) {
        if (passes(*data_, body, filter))
            if (const std::optional<RayHit> hit = cast_ray(*data_, body, origin, translation))
                hits.push_back(*hit);
        return 1.0f;
    });
    std::ranges::sort(hits, [](const RayHit& a, const RayHit& b) {
        return a.fraction != b.fraction ? a.fraction < b.fraction : a.body < b.body;
    });
    return hits;
}

std::optional<RayHit> World::shape_cast(const Geometry& convex, const Pose& start, Vec3 translation,
                                        const QueryFilter& filter) const
{
    std::optional<RayHit> best;
    if (!is_usable(convex) || !is_finite(start) || !is_finite(translation))
        return best;
    const Shape moving = make_shape({.geometry = convex}, {});
    const Aabb box = transform(moving.bounds, Transform{{}, normalize(start.rotation)});
    const DVec3 origin = start.position + DVec3(center(box));
    float reach = 1;
    cast_trees(data_->movers, origin, translation, half_extents(box), [&](int32_t body, float) {
        if (!passes(*data_, body, filter))
            return reach;
        const std::optional<RayHit> hit = nearest_hit(
            *data_, body, start.position, translation,
            [&](const Shape& shape, const Pose& pose) -> std::optional<ShapeRayHit> {
                const Sweep sweep{relative(Pose{start.position, normalize(start.rotation)}, pose),
                                  inverse_rotate(pose.rotation, translation),
                                  {}};
                const CastResult r = cast_shape(shape, shape.pose, moving, sweep, 0.0f);
                return r.has_hit ? std::optional(ShapeRayHit{r.fraction, r.normal}) : std::nullopt;
            });
        if (hit &&
            (!best || hit->fraction < best->fraction || (hit->fraction == best->fraction && hit->body < best->body)))
        {
            best = hit;
            reach = hit->fraction;
        }
        return reach;
    });
    return best;
}

std::vector<BodyId> World::overlap(const Geometry& convex, const Pose& pose, const QueryFilter& filter) const
{
    std::vector<BodyId> out;
    if (!is_usable(convex) || !is_finite(pose))
        return out;
    const Shape shape = make_shape({.geometry = convex}, {});
    const Pose place{pose.position, normalize(pose.rotation)};
    const Aabb box = world_bounds(shape.bounds, place, 0);
    const auto visit = [&](int32_t index) {
        if (!passes(*data_, index, filter))
            return true;
        const Body& body = data_->bodies[index];
        const Transform in_body = relative(place, pose_of(*data_, body));
        for (const Shape& other : data_->bodies.shapes_of(body))
            if (overlaps(other, other.pose, shape, in_body))
            {
                out.push_back(data_->bodies.id(index));
                break;
            }
        return true;
    };
    query_trees(data_->movers, box, visit);
    std::ranges::sort(out);
    return out;
}

std::optional<PointHit> World::closest_point(DVec3 point, float max_distance, const QueryFilter& filter) const
{
    std::optional<PointHit> best;
    if (!is_finite(point) || !(max_distance >= 0))
        return best;
    const Aabb box = world_bounds(Aabb{{0, 0, 0}, {0, 0, 0}}, Pose{point, {}}, std::min(max_distance, 1e9f));
    const auto visit = [&](int32_t index) {
        if (!passes(*data_, index, filter))
            return true;
        const Body& body = data_->bodies[index];
        const Pose pose = pose_of(*data_, body);
        for (const Shape& shape : data_->bodies.shapes_of(body))
        {
            const float reach = best ? std::max(best->distance, 0.0f) : max_distance;
            const std::optional<ShapePoint> hit = moraine::closest_point(shape, shape.pose, apply_inverse(pose, point),
                                                                         reach);
            if (hit && (!best || hit->distance < best->distance))
                best = PointHit{data_->bodies.id(index), apply(pose, hit->point), hit->distance};
        }
        return true;
    };
    query_trees(data_->movers, box, visit);
    return best;
}

} // namespace moraine
