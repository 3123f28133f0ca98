#include "distribute/metis.h"

#if MORAINE_HAVE_METIS

#include "geometry/bvh.h"
#include "geometry/shape.h"

#include <metis.h>

#include <algorithm>

namespace moraine::distribute
{

namespace
{

constexpr float near_margin = 0.02f; // as far as contacts reach

Aabb box_of(const BodyDef& def)
{
    const Pose pose{def.position, normalize(def.rotation)};
    Aabb box;
    for (const ShapeDef& shape : def.shapes)
        box = merge(box, world_bounds(transform(make_shape(shape, {}).bounds, shape.pose), pose, near_margin));
    return box;
}

std::vector<std::vector<idx_t>> neighbours_of(const SceneDescription& scene, std::span<const int> bodies)
{
    std::vector<idx_t> place(scene.bodies.size(), -1);
    std::vector<Aabb> boxes;
    for (size_t i = 0; i < bodies.size(); ++i)
    {
        place[size_t(bodies[i])] = idx_t(i);
        boxes.push_back(box_of(scene.bodies[size_t(bodies[i])].def));
    }
    Bvh tree;
    tree.build(boxes);
    std::vector<std::vector<idx_t>> neighbours(bodies.size());
    for (size_t i = 0; i < bodies.size(); ++i)
        tree.query(boxes[i], [&](int32_t j) {
            if (size_t(j) != i)
                neighbours[i].push_back(idx_t(j));
            return true;
        });
    for (const SceneJoint& joint : scene.joints)
    {
        if (joint.body_a < 0 || joint.body_b < 0)
            continue;
        const idx_t a = place[size_t(joint.body_a)], b = place[size_t(joint.body_b)];
        if (a < 0 || b < 0 || a == b)
            continue;
        neighbours[size_t(a)].push_back(b);
        neighbours[size_t(b)].push_back(a);
    }
    for (std::vector<idx_t>& list : neighbours)
    {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return neighbours;
}

} // namespace

bool metis_is_there() { return true; }

Status partition_with_metis(const SceneDescription& scene, std::span<const int> bodies, int workers,
                            std::vector<int>& parts)
{
    if (workers == 1)
    {
        for (int body : bodies)
            parts[size_t(body)] = 0;
        return Ok{};
    }
    const std::vector<std::vector<idx_t>> neighbours = neighbours_of(scene, bodies);
    std::vector<idx_t> first{0}, others, weights, found(bodies.size());
    for (const std::vector<idx_t>& list : neighbours)
    {
        others.insert(others.end(), list.begin(), list.end());
        first.push_back(idx_t(others.size()));
        weights.push_back(idx_t(2 + list.size())); // a body costs about what its constraints cost
    }
    idx_t count = idx_t(bodies.size()), constraints = 1, part_count = workers, cut = 0;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    const int result = METIS_PartGraphKway(&count, &constraints, first.data(), others.data(), weights.data(), nullptr,
                                           nullptr, &part_count, nullptr, nullptr, options, &cut, found.data());
    if (result != METIS_OK)
        return Error{"METIS could not divide scene " + scene.name + "; choose another partition"};
    for (size_t i = 0; i < bodies.size(); ++i)
        parts[size_t(bodies[i])] = int(found[i]);
    return Ok{};
}

} // namespace moraine::distribute

#else

namespace moraine::distribute
{

bool metis_is_there() { return false; }

Status partition_with_metis(const SceneDescription&, std::span<const int>, int, std::vector<int>&)
{
    return Error{"this build has no METIS; install libmetis-dev and build again, or choose another partition"};
}

} // namespace moraine::distribute

#endif
