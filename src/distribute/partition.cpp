#include "distribute/partition.h"

#include "distribute/metis.h"

#include <algorithm>
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

// Halves of halves. The side along which the centres are spread most is cut.
void bisect(const SceneDescription& scene, std::span<int> bodies, int first, int workers, Parts& parts)
{
    if (workers == 1 || bodies.size() <= 1)
    {
        for (int body : bodies)
            parts[size_t(body)] = first;
        return;
    }
    const auto position = [&](int body) { return scene.bodies[size_t(body)].def.position; };
    DVec3 lower = position(bodies[0]), upper = lower;
    for (int body : bodies)
    {
        const DVec3 p = position(body);
        lower = {std::min(lower.x, p.x), std::min(lower.y, p.y), std::min(lower.z, p.z)};
        upper = {std::max(upper.x, p.x), std::max(upper.y, p.y), std::max(upper.z, p.z)};
    }
    const DVec3 size = upper - lower;
    const auto along = [&](int body) {
        const DVec3 p = position(body);
        return size.x >= size.y && size.x >= size.z ? p.x : size.z >= size.y ? p.z : p.y;
    };
    std::sort(bodies.begin(), bodies.end(), [&](int a, int b) {
        const double at_a = along(a), at_b = along(b);
        return at_a != at_b ? at_a < at_b : a < b;
    });
    const int left = workers / 2;
    const size_t middle = bodies.size() * size_t(left) / size_t(workers);
    bisect(scene, bodies.subspan(0, middle), first, left, parts);
    bisect(scene, bodies.subspan(middle), first + left, workers - left, parts);
}

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

Result<std::vector<int>> make_partition(const SceneDescription& scene, const DistributeDef& def, int workers)
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
    case PartitionKind::bisect: bisect(scene, bodies, 0, workers, parts); break;
    case PartitionKind::semantic: status = take_semantic(scene, bodies, workers, parts); break;
    case PartitionKind::file: status = read_file(scene, bodies, def.partition_file, workers, parts); break;
    case PartitionKind::metis: status = partition_with_metis(scene, bodies, workers, parts); break;
    }
    if (!status)
        return status.error();
    return parts;
}

} // namespace moraine::distribute
