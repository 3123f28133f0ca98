#include "dynamics/manifold_lanes.h"

namespace moraine
{

PairOfMovers fill_manifold(int lane, const Manifold& manifold, PairOfMovers movers, const Movers& all, int point_count,
                           ManifoldLanes& out)
{
    const Mover& a = all[movers.a];
    const Mover& b = all[movers.b];
    // The spin of what is not dynamic is its angular velocity in world axes; its factor is the identity.
    put(out.rotation_a, lane, a.is_dynamic() ? a.pose.rotation : Quat{});
    put(out.rotation_b, lane, b.is_dynamic() ? b.pose.rotation : Quat{});
    put(out.factor_a, lane, all.masses[size_t(movers.a)].factor);
    put(out.factor_b, lane, all.masses[size_t(movers.b)].factor);
    put(out.frame_a, lane, a.pose.rotation);
    put(out.offset, lane, relative(a.pose.position, b.pose.position));
    put(out.normal, lane, manifold.normal);
    out.count[lane] = float(manifold.count);
    for (int i = 0; i < point_count; ++i)
        put(out.position[i], lane, i < manifold.count ? manifold.points[i].position : Vec3{});
    return {a.is_dynamic() ? movers.a : movers.a | read_only, b.is_dynamic() ? movers.b : movers.b | read_only};
}

PairOfMovers fill_no_manifold(int lane, int point_count, ManifoldLanes& out)
{
    put(out.rotation_a, lane, Quat{});
    put(out.rotation_b, lane, Quat{});
    put(out.factor_a, lane, Factor{});
    put(out.factor_b, lane, Factor{});
    put(out.frame_a, lane, Quat{});
    put(out.offset, lane, Vec3{});
    put(out.normal, lane, Vec3{0, 1, 0});
    out.count[lane] = 0;
    for (int i = 0; i < point_count; ++i)
        put(out.position[i], lane, Vec3{});
    return {read_only, read_only}; // mover 0 is the ground
}

} // namespace moraine
