#include "distribute/partition.h"

#include "distribute/metis.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

namespace moraine::distribute
{

namespace
{

using Parts = std::vector<int>;

std::vector<int> dynamic_bodies(const SceneDescription& scene)
{
    std::vector<int> bodies;
    for (size_t i = 0; i < scene.bodies.size(); ++i)
        if (scene.bodies[i].def.type == BodyType::dynamic_)
            bodies.push_back(int(i));
    return bodies;
}

void cut_list(std::span<const int> bodies, int first, int workers, Parts& parts)
{
    const size_t count = bodies.size();
    for (size_t i = 0; i < count; ++i)
        parts[size_t(bodies[i])] = first + int(i * size_t(workers) / count);
}

// Halves of halves. Of the three ways to cut, that which cuts the fewest constraints; where nothing is held together, across
// the longest side, and not across gravity: of a column that falls the layers arrive one after the other, and whoever has
// the lowest would have all to do for long. Upright parts arrive together.
class Bisection
{
public:
    Bisection(const SceneDescription& scene, std::span<const ContactPair> touching, Parts& parts)
        : scene_(scene),
          neighbours_(scene.bodies.size()),
          group_(scene.bodies.size(), -1),
          parts_(parts)
    {
        const auto link = [&](int a, int b) {
            if (a < 0 || b < 0)
                return;
            neighbours_[size_t(a)].push_back(b);
            neighbours_[size_t(b)].push_back(a);
        };
        for (const SceneJoint& joint : scene.joints)
            link(joint.body_a, joint.body_b);
        for (const ContactPair& pair : touching)
            link(pair.body_a, pair.body_b);
    }

    void divide(std::span<int> bodies, int first, int workers)
    {
        if (workers == 1 || bodies.size() <= 1)
        {
            for (int body : bodies)
                parts_[size_t(body)] = first;
            return;
        }
        const int left = workers / 2;
        const size_t middle = bodies.size() * size_t(left) / size_t(workers);
        find_best_cut(bodies, middle);
        divide(bodies.subspan(0, middle), first, left);
        divide(bodies.subspan(middle), first + left, workers - left);
    }

private:
    double place(int body, int axis) const
    {
        const DVec3 p = scene_.bodies[size_t(body)].def.position;
        return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
    }

    // Sorts them so that the first `middle` ones are one half.
    void find_best_cut(std::span<int> bodies, size_t middle)
    {
        std::vector<int> best;
        size_t fewest = 0;
        double longest = 0;
        for (int axis : {0, 2, 1})
        {
            std::sort(bodies.begin(), bodies.end(), [&](int a, int b) {
                const double at_a = place(a, axis), at_b = place(b, axis);
                return at_a != at_b ? at_a < at_b : a < b;
            });
            const double length = (place(bodies.back(), axis) - place(bodies.front(), axis)) * scale(axis);
            const size_t cuts = count_cuts(bodies, middle);
            if (!best.empty() && (cuts > fewest || (cuts == fewest && length <= longest)))
                continue;
            best.assign(bodies.begin(), bodies.end());
            fewest = cuts;
            longest = length;
        }
        std::copy(best.begin(), best.end(), bodies.begin());
    }

    double scale(int axis) const
    {
        const Vec3 g = scene_.world.gravity;
        const float along = std::abs(axis == 0 ? g.x : axis == 1 ? g.y : g.z);
        return along > 0.7f * length(g) ? 0.01 : 1.0;
    }

    size_t count_cuts(std::span<const int> bodies, size_t middle)
    {
        group_count_ += 2;
        for (size_t i = 0; i < bodies.size(); ++i)
            group_[size_t(bodies[i])] = group_count_ + int(i >= middle);
        size_t cuts = 0;
        for (int body : bodies.subspan(0, middle))
            for (int other : neighbours_[size_t(body)])
                cuts += group_[size_t(other)] == group_count_ + 1;
        return cuts;
    }

    const SceneDescription& scene_;
    std::vector<std::vector<int>> neighbours_;
    std::vector<int> group_; // by body: which half of which cut
    int group_count_ = 0;
    Parts& parts_;
};

// Bodies in the order of the parts that the scene names: as many parts as workers stay as they are, others are cut into
// equal runs, so that what is named together stays together as far as it can.
Status take_semantic(const SceneDescription& scene, std::span<int> bodies, int workers, Parts& parts)
{
    int count = 0;
    for (int body : bodies)
        count = std::max(count, scene.bodies[size_t(body)].part + 1);
    for (int body : bodies)
        if (scene.bodies[size_t(body)].part < 0)
            return Error{"partition semantic: body " + std::to_string(body) + " of scene " + scene.name +
                         " has no part; give every dynamic body one, or choose another partition"};
    if (count == workers)
    {
        for (int body : bodies)
            parts[size_t(body)] = scene.bodies[size_t(body)].part;
        return Ok{};
    }
    std::stable_sort(bodies.begin(), bodies.end(),
                     [&](int a, int b) { return scene.bodies[size_t(a)].part < scene.bodies[size_t(b)].part; });
    cut_list(bodies, 0, workers, parts);
    return Ok{};
}

Status read_file(const SceneDescription& scene, std::span<const int> bodies, const std::string& path, int workers,
                 Parts& parts)
{
    std::ifstream file(path);
    if (!file)
        return Error{path + ": cannot read the partition; it has one line \"BODY WORKER\" for each dynamic body"};
    long body = 0, worker = 0;
    int line = 0;
    while (file >> body >> worker)
    {
        ++line;
        const std::string place = path + ":" + std::to_string(line) + ": ";
        if (body < 0 || body >= long(scene.bodies.size()))
            return Error{place + "there is no body " + std::to_string(body) + "; the scene has " +
                         std::to_string(scene.bodies.size())};
        if (worker < 0 || worker >= workers)
            return Error{place + "worker " + std::to_string(worker) + " does not exist; give 0 to " +
                         std::to_string(workers - 1)};
        parts[size_t(body)] = int(worker);
    }
    if (!file.eof())
        return Error{path + ":" + std::to_string(line + 1) + ": expected two whole numbers, BODY WORKER"};
    for (int b : bodies)
        if (parts[size_t(b)] < 0)
            return Error{path + ": body " + std::to_string(b) + " is missing; every dynamic body needs a line"};
    for (size_t b = 0; b < parts.size(); ++b)
        if (scene.bodies[b].def.type != BodyType::dynamic_)
            parts[b] = -1;
    return Ok{};
}

} // namespace

bool has_metis() { return metis_is_there(); }

Result<std::vector<int>> make_partition(const SceneDescription& scene, const DistributeDef& def, int workers,
                                        std::span<const ContactPair> touching)
{
    std::vector<int> bodies = dynamic_bodies(scene);
    if (int(bodies.size()) < workers)
        return Error{"scene " + scene.name + " has " + std::to_string(bodies.size()) +
                     " dynamic bodies and there are " + std::to_string(workers) + " workers: use fewer workers"};
    Parts parts(scene.bodies.size(), -1);
    Status status = Ok{};
    switch (def.partition)
    {
    case PartitionKind::naive: cut_list(bodies, 0, workers, parts); break;
    case PartitionKind::bisect: Bisection(scene, touching, parts).divide(bodies, 0, workers); break;
    case PartitionKind::semantic: status = take_semantic(scene, bodies, workers, parts); break;
    case PartitionKind::file: status = read_file(scene, bodies, def.partition_file, workers, parts); break;
    case PartitionKind::metis: status = partition_with_metis(scene, bodies, workers, parts); break;
    }
    if (!status)
        return status.error();
    return parts;
}

} // namespace moraine::distribute
