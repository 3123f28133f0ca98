#include "collide/contact_clusters.h"

#include "collide/narrow_phase.h"

#include <limits>

namespace moraine
{

namespace
{

constexpr float same_normal_cosine = 0.9962f; // 5 degrees
constexpr float same_way_cosine = 0.94f;      // 20 degrees

// Directions in the plane, turned a little so that none is square to an edge of a box: its corners win, never a point
// somewhere on the edge.
void direction_at(int i, float& u, float& v)
{
    constexpr float turns[8][2] = {{0.974928f, 0.222521f},  {0.532032f, 0.846724f},   {-0.222521f, 0.974928f},
                                   {-0.846724f, 0.532032f}, {-0.974928f, -0.222521f}, {-0.532032f, -0.846724f},
                                   {0.222521f, -0.974928f}, {0.846724f, -0.532032f}};
    u = turns[i][0];
    v = turns[i][1];
}

// Tangents that follow the shape's own axes.
Vec3 tangent_of(Vec3 normal)
{
    const Vec3 size = abs(normal);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    Vec3 along{};
    along[(axis + 1) % 3] = 1;
    return normalize(along - normal * dot(along, normal));
}

// The normal rounded to some three degrees: a flat region of a surface has one key for all of its triangles.
uint32_t key_of_normal(Vec3 normal)
{
    const auto cell = [](float v) { return uint32_t(int(std::floor(v * 16.0f + 0.5f)) + 32); };
    return (cell(normal.x) << 20) | (cell(normal.y) << 10) | cell(normal.z);
}

float deepest_separation(const LocalManifold& manifold)
{
    float deepest = std::numeric_limits<float>::infinity();
    for (int i = 0; i < manifold.count; ++i)
        deepest = manifold.points[i].separation < deepest ? manifold.points[i].separation : deepest;
    return deepest;
}

// Appends, or replaces the shallowest when the list is full.
void keep_deepest(const LocalManifold& manifold, ManifoldList& out)
{
    if (out.push(manifold))
        return;
    int shallowest = 0;
    for (int i = 1; i < out.size(); ++i)
        if (deepest_separation(out[i]) > deepest_separation(out[shallowest]))
            shallowest = i;
    if (deepest_separation(manifold) < deepest_separation(out[shallowest]))
        out[shallowest] = manifold;
}

} // namespace

ContactClusters::Cluster* ContactClusters::find_cluster(const SurfaceContact& contact)
{
    Cluster* best = nullptr;
    float best_cosine = same_normal_cosine;
    for (Cluster& cluster : clusters_)
    {
        const float cosine = dot(cluster.normal, contact.normal);
        if (cosine <= best_cosine)
            continue;
        best_cosine = cosine;
        best = &cluster;
    }
    if (best)
        return best;

    if (clusters_.is_full())
    {
        for (Cluster& cluster : clusters_)
            if (!best || cluster.deepest.separation > best->deepest.separation)
                best = &cluster;
        if (best->deepest.separation <= contact.separation)
            return nullptr;
    }
    else
        best = clusters_.push(Cluster{});
    *best = Cluster{};
    best->normal = contact.normal;
    best->tangent_u = tangent_of(contact.normal);
    best->tangent_v = cross(contact.normal, best->tangent_u);
    best->deepest.separation = std::numeric_limits<float>::infinity();
    for (float& reach : best->reach)
        reach = -std::numeric_limits<float>::infinity();
    return best;
}

void ContactClusters::add(const SurfaceContact& contact)
{
    Cluster* cluster = find_cluster(contact);
    if (!cluster)
        return;
    if (contact.is_doubtful)
        cluster->shortest_way = contact.shortest_way;
    else
        cluster->is_firm = true;

    if (contact.separation < cluster->deepest.separation)
        cluster->deepest = contact;
    // A point must be clearly further to win: equal points of two triangles leave the first in place.
    const float step = 1e-4f * size_;
    const float u = dot(cluster->tangent_u, contact.position), v = dot(cluster->tangent_v, contact.position);
    for (int i = 0; i < direction_count; ++i)
    {
        float direction_u, direction_v;
        direction_at(i, direction_u, direction_v);
        const float reach = direction_u * u + direction_v * v;
        const bool is_further = reach > cluster->reach[i] + step;
        const bool is_deeper_there = reach > cluster->reach[i] - step &&
                                     contact.separation < cluster->furthest[i].separation;
        if (!is_further && !is_deeper_there)
            continue;
        cluster->reach[i] = is_further ? reach : cluster->reach[i];
        cluster->furthest[i] = contact;
    }
}

bool ContactClusters::is_dropped(const Cluster& cluster) const
{
    if (cluster.is_firm)
        return false;
    for (const Cluster& other : clusters_)
        if (other.is_firm && dot(other.normal, cluster.shortest_way) > same_way_cosine)
            return true;
    return false;
}

LocalManifold ContactClusters::make_manifold(const Cluster& cluster, const Transform& pose) const
{
    LocalPoint points[direction_count + 1];
    int count = 0;
    const auto add_point = [&](const SurfaceContact& contact, uint32_t key) {
        const Vec3 position = apply(pose, contact.position);
        for (int i = 0; i < count; ++i)
            if (length_squared(points[i].position - position) < 1e-4f * size_ * size_)
            {
                points[i].separation = std::fmin(points[i].separation, contact.separation);
                return;
            }
        points[count++] = {position, contact.separation, key};
    };
    float lowest = std::numeric_limits<float>::infinity();
    for (int i = 0; i < direction_count; ++i)
    {
        add_point(cluster.furthest[i], uint32_t(i + 1));
        lowest = std::fmin(lowest, cluster.furthest[i].separation);
    }
    // A point inside is worth one of the four only where the surface really bulges into the shape there.
    if (cluster.deepest.separation < lowest - 0.05f * margin_)
        add_point(cluster.deepest, direction_count + 1);

    LocalManifold manifold;
    manifold.normal = rotate(pose.rotation, -cluster.deepest.normal);
    reduce_points(points, count, manifold.normal, {}, manifold);
    return manifold;
}

void ContactClusters::write(const Transform& pose, Quat to_surface, ManifoldList& out) const
{
    uint32_t keys[16];
    int key_count = 0;
    for (const Cluster& cluster : clusters_)
    {
        if (is_dropped(cluster))
            continue;
        LocalManifold manifold = make_manifold(cluster, pose);
        manifold.key = key_of_normal(rotate(to_surface, cluster.deepest.normal));
        for (int i = 0; i < key_count; ++i)
            if (keys[i] == manifold.key)
            {
                manifold.key += 0x9e3779b1u; // odd: never comes round to a key in use
                i = -1;
            }
        keys[key_count++] = manifold.key;
        keep_deepest(manifold, out);
    }
}

} // namespace moraine
