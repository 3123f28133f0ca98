// Snapshots: everything above the line in WorldData, so that a restored world goes on bit for bit.
#include "base/archive.h"
#include "base/hash.h"
#include "geometry/hull.h"
#include "geometry/mesh.h"
#include "world/response.h"
#include "world/world_data.h"

#include <moraine/world.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace moraine
{

namespace
{

constexpr uint64_t magic = 0x31736e61696172ull; // "raians1"
constexpr uint64_t format = 11;                 // raised whenever what is written changes

// Sizes of what is copied as it lies in memory: a file from a build that lays it out differently is refused.
uint64_t layout()
{
    Hash hash;
    hash.add(format);
    for (uint64_t size :
         {sizeof(WorldDef), sizeof(Body), sizeof(BodyInfo), sizeof(Shape), sizeof(Mover), sizeof(MoverMass),
          sizeof(MoverVelocity), sizeof(Edge), sizeof(EdgeLinks), sizeof(Manifold), sizeof(Joint), sizeof(Bvh::Node),
          sizeof(MergedBody), sizeof(Weld), sizeof(Rules), sizeof(Timer), sizeof(QueuedEvent)})
        hash.add(size);
    return hash.value();
}

uint64_t checksum(std::span<const uint8_t> bytes)
{
    Hash hash;
    size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8)
    {
        uint64_t word;
        std::memcpy(&word, &bytes[i], 8);
        hash.add(word);
    }
    for (; i < bytes.size(); ++i)
        hash.add(bytes[i]);
    return hash.value();
}

template <class A>
void archive_tree(A& a, Bvh& tree)
{
    std::vector<Bvh::Node> nodes(tree.nodes().begin(), tree.nodes().end());
    int32_t root = tree.root(), first_free = tree.first_free();
    a(nodes);
    a(root);
    a(first_free);
    if constexpr (A::is_reader)
        if (!tree.restore(nodes, root, first_free))
            a.fail();
}

template <class A>
void archive_members(A& a, Pool<Members>& pool)
{
    pool.archive_with(a, [&](Members& m) {
        archive_tree(a, m.tree);
        a(m.searched), a(m.last_linear), a(m.last_angular), a(m.collections);
        a(m.watched), a(m.load), a(m.range), a(m.recent), a(m.recent_steps);
        a(m.memory);
    });
}

template <class A>
void archive_asset(A& a, Hull& hull)
{
    a(hull.corners), a(hull.faces), a(hull.loops), a(hull.edges), a(hull.neighbours), a(hull.neighbour_first);
    a(hull.lanes);
    a(hull.bounds), a(hull.center), a(hull.volume), a(hull.unit_inertia), a(hull.inner_radius);
}

template <class A>
void archive_asset(A& a, Mesh& mesh)
{
    a(mesh.vertices), a(mesh.indices), a(mesh.sharp_edges), a(mesh.bounds);
    archive_tree(a, mesh.tree);
}

template <class A>
void archive_asset(A& a, HeightField& field)
{
    a(field.heights), a(field.columns), a(field.rows), a(field.spacing), a(field.sharp_edges), a(field.bounds);
}

template <class T, class A>
void archive_ref(A& a, Geometry& geometry)
{
    if constexpr (A::is_reader)
    {
        auto asset = std::make_shared<T>();
        archive_asset(a, *asset);
        geometry = std::shared_ptr<const T>(std::move(asset));
    }
    else
        archive_asset(a, const_cast<T&>(*std::get<std::shared_ptr<const T>>(geometry)));
}

template <class A>
void archive_assets(A& a, std::vector<Asset>& assets)
{
    uint64_t count = assets.size();
    a(count);
    if constexpr (A::is_reader)
        assets.resize(count <= a.left() ? count : 0);
    for (Asset& asset : assets)
    {
        uint64_t kind = asset.geometry.index();
        a(kind);
        a(asset.uses);
        if (kind == Geometry(HullRef{}).index())
            archive_ref<Hull>(a, asset.geometry);
        else if (kind == Geometry(MeshRef{}).index())
            archive_ref<Mesh>(a, asset.geometry);
        else if (kind == Geometry(HeightFieldRef{}).index())
            archive_ref<HeightField>(a, asset.geometry);
    }
}

template <class A>
void archive_shape_trees(A& a, std::map<int32_t, std::unique_ptr<Bvh>>& trees)
{
    uint64_t count = trees.size();
    a(count);
    if constexpr (A::is_reader)
        for (uint64_t i = 0; i < count && a.is_good(); ++i)
        {
            int32_t body = 0;
            a(body);
            trees[body] = std::make_unique<Bvh>();
            archive_tree(a, *trees[body]);
        }
    else
        for (auto& [body, tree] : trees)
        {
            int32_t index = body;
            a(index);
            archive_tree(a, *tree);
        }
}

template <class A>
void archive_collections(A& a, Collections& c)
{
    a(c.pool), a(c.bodies), a(c.welds), a(c.merged_of), a(c.queue), a(c.gathered), a(c.cut), a(c.cut_bodies),
        a(c.noisy), a(c.reload);
    a(c.pokes), a(c.merged_count), a(c.point_count);
}

template <class A>
void archive_scripts(A& a, std::map<int32_t, Script>& scripts)
{
    uint64_t count = scripts.size();
    a(count);
    const auto one = [&](Script& s) {
        uint64_t kind = s.motion.index();
        a(kind);
        if (kind == 1)
        {
            SineMotion sine = A::is_reader ? SineMotion{} : std::get<SineMotion>(s.motion);
            a(sine);
            s.motion = sine;
        }
        if (kind == 2)
        {
            KeyFrameMotion frames = A::is_reader ? KeyFrameMotion{} : std::get<KeyFrameMotion>(s.motion);
            a(frames.frames);
            a(frames.loops);
            s.motion = frames;
        }
        a(s.origin);
        a(s.start_time);
    };
    if constexpr (A::is_reader)
        for (uint64_t i = 0; i < count && a.is_good(); ++i)
        {
            int32_t body = 0;
            a(body);
            one(scripts[body]);
        }
    else
        for (auto& [body, script] : scripts)
        {
            int32_t index = body;
            a(index);
            one(script);
        }
}

template <class A>
void archive_model(A& a, ResponseModel& m)
{
    a(m.material), a(m.has_fixed_boundary), a(m.mass), a(m.vertices), a(m.triangles), a(m.frequencies), a(m.shapes);
    a(m.amplitude), a(m.amplitude_duration), a(m.attenuation);
}

// Each model once, then who has which. Geodesics are found again by those who have them: see World::restore.
template <class A>
void archive_responses(A& a, Responses& r)
{
    std::vector<std::shared_ptr<const ModelSurface>> surfaces;
    for (const ResponseBody& b : r.bodies)
        if (std::ranges::find(surfaces, b.surface) == surfaces.end())
            surfaces.push_back(b.surface);
    uint64_t counts[2] = {surfaces.size(), r.bodies.size()};
    a(counts);
    if constexpr (A::is_reader)
    {
        surfaces.resize(counts[0] <= a.left() ? counts[0] : 0);
        r.bodies.resize(counts[1] <= a.left() ? counts[1] : 0);
    }
    for (std::shared_ptr<const ModelSurface>& surface : surfaces)
    {
        auto model = A::is_reader ? std::make_shared<ResponseModel>()
                                  : std::const_pointer_cast<ResponseModel>(surface->model);
        archive_model(a, *model);
        if constexpr (A::is_reader)
        {
            if (!a.is_good() || !response_problem({.model = model}).empty())
                return a.fail();
            surface = make_model_surface(model);
        }
    }
    for (ResponseBody& b : r.bodies)
    {
        uint64_t which = uint64_t(std::ranges::find(surfaces, b.surface) - surfaces.begin());
        a(which), a(b.body), a(b.attenuation), a(b.has_own_attenuation), a(b.blend), a(b.is_ringing), a(b.filter),
            a(b.energy);
        if (which >= surfaces.size())
        {
            if constexpr (A::is_reader)
                a.fail();
            return;
        }
        b.surface = surfaces[which];
    }
    a(r.impacts);
}

template <class A>
void archive_world(A& a, WorldData& w)
{
    a(w.settings), a(w.time), a(w.step_dt), a(w.step_count);
    Bodies& b = w.bodies;
    a(b.ids), a(b.bodies), a(b.infos), a(b.user_data), a(b.shapes), a(b.names);
    a(b.rule_groups), a(b.merge_defs), a(b.listeners), a(b.fixed_triggers);
    archive_assets(a, b.assets);
    archive_shape_trees(a, b.shape_trees);
    Movers& m = w.movers;
    archive_members(a, m.members);
    a(m.member_leaf), a(m.movers), a(m.masses), a(m.velocities), a(m.forces), a(m.awake), a(m.moved),
        a(m.enlarged_count);
    archive_tree(a, m.dynamic_tree);
    archive_tree(a, m.static_tree);
    a(w.graph.edges), a(w.graph.links), a(w.graph.by_pair), a(w.graph.manifolds), a(w.graph.point_friction),
        a(w.graph.awake);
    a(w.graph.fresh), a(w.graph.rules);
    a(w.joints.ids), a(w.joints.joints), a(w.joints.awake), a(w.joints.names), a(w.joints.glue_count);
    for (int c = 0; c < Colouring::list_count; ++c)
        a(w.colouring.contacts[c]), a(w.colouring.joints[c]);
    a(w.colouring.used), a(w.colouring.contact_count), a(w.colouring.joint_count);
    archive_collections(a, w.collections);
    a(w.sleep_groups);
    archive_scripts(a, w.scripts);
    a(w.targets), a(w.wake_requests), a(w.has_sleepy), a(w.dynamic_count), a(w.asleep_count);
    a(w.timers), a(w.event_queue), a(w.pending_sleeps), a(w.pending_hits);
    a(w.pending_merges);
    archive_responses(a, w.responses);
}

// Shapes point into assets, which have new addresses now.
bool reconnect_assets(Bodies& bodies)
{
    for (size_t i = 0; i < bodies.assets.size(); ++i)
        if (bodies.assets[i].uses > 0)
            std::visit(
                [&](const auto& g) {
                    if constexpr (requires { g.get(); })
                        bodies.asset_of[g.get()] = int32_t(i);
                },
                bodies.assets[i].geometry);
    for (uint32_t i = 0; i < bodies.ids.capacity(); ++i)
    {
        const Body& body = bodies.bodies[i];
        if (!bodies.ids.is_alive(i))
            continue;
        for (Shape& s : bodies.shapes.range(body.shape_first, body.shape_count))
        {
            if (s.asset < 0)
                continue;
            if (size_t(s.asset) >= bodies.assets.size())
                return false;
            const Geometry& g = bodies.assets[size_t(s.asset)].geometry;
            if (s.kind == ShapeKind::hull && std::holds_alternative<HullRef>(g))
                s.hull = std::get<HullRef>(g).get();
            else if (s.kind == ShapeKind::mesh && std::holds_alternative<MeshRef>(g))
                s.mesh = std::get<MeshRef>(g).get();
            else if (s.kind == ShapeKind::height_field && std::holds_alternative<HeightFieldRef>(g))
                s.height_field = std::get<HeightFieldRef>(g).get();
            else
                return false;
        }
        bodies.shapes.add_user(body.shape_first, body.shape_count);
    }
    return true;
}

} // namespace

std::vector<uint8_t> World::snapshot() const
{
    std::vector<uint8_t> payload;
    WriteArchive body(payload);
    archive_world(body, *data_);
    std::vector<uint8_t> out;
    WriteArchive head(out);
    for (uint64_t word : {magic, layout(), uint64_t(payload.size()), checksum(payload)})
        head(word);
    out.insert(out.end(), payload.begin(), payload.end());
    return out;
}

Status World::restore(std::span<const uint8_t> snapshot)
{
    ReadArchive in(snapshot);
    uint64_t head[4] = {};
    in(head);
    if (!in.is_good() || head[0] != magic)
        return Error{"not a Moraine snapshot: give a file that was written by --snapshot or World::save_snapshot"};
    if (head[1] != layout())
        return Error{"the snapshot was written by another version or build of Moraine: write it again with this one"};
    if (head[2] != in.left() || head[3] != checksum(snapshot.subspan(sizeof head)))
        return Error{"the snapshot is damaged or cut short: write it again"};

    auto fresh = std::make_unique<WorldData>();
    archive_world(in, *fresh);
    if (!in.is_good() || !reconnect_assets(fresh->bodies))
        return Error{"the snapshot is inconsistent: write it again"};
    fresh->settings.threads = data_->settings.threads;
    // Distances along surfaces are not part of the state: who has them here keeps them.
    for (ResponseBody& body : fresh->responses.bodies)
        if (const int32_t place = data_->responses.find(body.body); place >= 0)
            body.geodesics = data_->responses.bodies[size_t(place)].geodesics;
    fresh->tasks = std::move(data_->tasks);
    data_ = std::move(fresh);
    return Ok{};
}

Status World::save_snapshot(const std::string& path) const
{
    // Written aside and renamed: a full disk or a crash does not cost the old file.
    const std::string aside = path + ".part";
    const std::vector<uint8_t> bytes = snapshot();
    std::ofstream file(aside, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    file.close();
    if (!file || std::rename(aside.c_str(), path.c_str()) != 0)
    {
        std::remove(aside.c_str());
        return Error{path + ": cannot write the snapshot: check the folder and the free space"};
    }
    return Ok{};
}

Status World::load_snapshot(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Error{path + ": cannot open the snapshot: check the name"};
    std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const Status status = restore(bytes);
    return status ? status : Status(Error{path + ": " + status.error().message});
}

} // namespace moraine
