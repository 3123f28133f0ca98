// A recording as a glTF animation in one binary file, for Blender and the like.
#include "cli/export_recording.h"
#include "cli/glb.h"
#include "cli/shape_mesh.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace moraine::cli
{

namespace
{

using nlohmann::json;

json list(Vec3 v) { return {v.x, v.y, v.z}; }
json list(Quat q) { return {q.x, q.y, q.z, q.w}; }

// Where a body is, as it is drawn: nowhere (scale 0) before it comes and after it goes.
struct Track
{
    int node = -1;
    std::vector<float> times{}, positions{}, rotations{};
    std::vector<float> scale_times{}, scales{};
    Transform last{};
    bool is_shown = false, is_skipping = false;
};

class Exporter
{
public:
    explicit Exporter(Recording& recording) : recording_(recording) {}

    Result<std::string> run(size_t stride)
    {
        for (size_t frame = 0; frame < recording_.frame_count(); frame += stride)
        {
            if (Status status = recording_.seek(frame); !status)
                return status.error();
            if (frame == 0)
                start_ = recording_.frame().time;
            add_frame(float(recording_.frame().time - start_));
        }
        add_animation();
        return glb_.finish();
    }

private:
    void add_frame(float time)
    {
        const ViewState& state = recording_.state();
        if (!has_origin_)
            choose_origin(state);
        seen_.assign(tracks_.size(), false);
        for (int32_t i = 0; i < int32_t(state.bodies.size()); ++i)
        {
            if (!state.has_body(i))
                continue;
            const int32_t visual = state.bodies[size_t(i)].visual;
            const Pose pose = state.pose(i);
            add_pose(track_of(visual), time, {relative(pose.position, origin_), pose.rotation});
            seen_.resize(tracks_.size());
            seen_[size_t(visual)] = true;
        }
        for (size_t v = 0; v < tracks_.size(); ++v)
            if (!seen_[v] && tracks_[v].is_shown)
                show(tracks_[v], time, false);
    }

    void choose_origin(const ViewState& state)
    {
        has_origin_ = true;
        for (int32_t i = 0; i < int32_t(state.bodies.size()); ++i)
            if (state.has_body(i) && length(state.pose(i).position) > 10'000)
                origin_ = state.pose(i).position; // far out floats are too coarse: begin there
    }

    Track& track_of(int32_t visual)
    {
        if (size_t(visual) >= tracks_.size())
            tracks_.resize(size_t(visual) + 1);
        Track& track = tracks_[size_t(visual)];
        if (track.node < 0)
            track.node = add_body(recording_.visuals()[visual]);
        return track;
    }

    void show(Track& track, float time, bool is_shown)
    {
        track.is_shown = is_shown;
        const float scale = is_shown ? 1 : 0;
        if (track.scale_times.empty() && time > 0)
            track.scale_times.push_back(0), track.scales.insert(track.scales.end(), 3, 1 - scale);
        track.scale_times.push_back(time);
        track.scales.insert(track.scales.end(), 3, scale);
    }

    // A body that stands is told at both ends of its rest only.
    void add_pose(Track& track, float time, Transform pose)
    {
        if (!track.is_shown)
            show(track, time, true);
        if (!track.times.empty() && dot(pose.rotation, track.last.rotation) < 0)
            pose.rotation = {-pose.rotation.x, -pose.rotation.y, -pose.rotation.z, -pose.rotation.w};
        const bool is_same = !track.times.empty() && pose == track.last;
        if (is_same && track.is_skipping)
            track.times.back() = time;
        else
        {
            const Vec3 p = pose.position;
            const Quat r = pose.rotation;
            track.times.push_back(time);
            track.positions.insert(track.positions.end(), {p.x, p.y, p.z});
            track.rotations.insert(track.rotations.end(), {r.x, r.y, r.z, r.w});
        }
        track.is_skipping = is_same;
        track.last = pose;
    }

    int add_body(const Visual& visual)
    {
        json children = json::array();
        for (const ShapeDef& shape : visual.shapes)
        {
            const ShapeMesh mesh = shape_mesh(shape.geometry);
            if (mesh.indices.empty())
                continue;
            children.push_back(glb_.add("nodes", {{"mesh", mesh_of(shape.geometry, mesh, visual)},
                                                  {"translation", list(shape.pose.position)},
                                                  {"rotation", list(normalize(shape.pose.rotation))}}));
        }
        json node{{"name", visual.name.empty() ? "body " + std::to_string(visual.body) : visual.name}};
        if (!children.empty())
            node["children"] = children;
        const int index = glb_.add("nodes", std::move(node));
        glb_.at("scenes")[0]["nodes"].push_back(index);
        return index;
    }

    int mesh_of(const Geometry& geometry, const ShapeMesh& mesh, const Visual& visual)
    {
        const uint32_t color = visual.color != 0                  ? visual.color
                               : visual.type == BodyType::static_ ? 0xb9bec6
                                                                  : 0x4e79a7;
        const auto [found, is_new] = meshes_.try_emplace({mesh_key(geometry), color}, 0);
        if (!is_new)
            return found->second;
        std::vector<float> positions, normals;
        for (Vec3 v : mesh.vertices)
            positions.insert(positions.end(), {v.x, v.y, v.z});
        for (Vec3 n : mesh.normals)
            normals.insert(normals.end(), {n.x, n.y, n.z});
        const json attributes{{"POSITION", glb_.add_accessor(positions, "VEC3", 3, true)},
                              {"NORMAL", glb_.add_accessor(normals, "VEC3", 3, false)}};
        const json primitive{
            {"attributes", attributes}, {"indices", glb_.add_indices(mesh.indices)}, {"material", material_of(color)}};
        return found->second = glb_.add("meshes", {{"primitives", {primitive}}});
    }

    int material_of(uint32_t color)
    {
        const auto [found, is_new] = materials_.try_emplace(color, 0);
        const auto part = [&](int shift) { return std::pow(float(color >> shift & 255) / 255, 2.2f); };
        if (is_new)
            found->second = glb_.add("materials", {{"pbrMetallicRoughness",
                                                    {{"baseColorFactor", {part(16), part(8), part(0), 1}},
                                                     {"metallicFactor", 0},
                                                     {"roughnessFactor", 0.7}}}});
        return found->second;
    }

    void add_animation()
    {
        json samplers = json::array(), channels = json::array();
        const auto add = [&](const Track& track, const char* path, int times, int values, const char* how) {
            samplers.push_back({{"input", times}, {"output", values}, {"interpolation", how}});
            channels.push_back({{"sampler", samplers.size() - 1}, {"target", {{"node", track.node}, {"path", path}}}});
        };
        for (const Track& track : tracks_)
        {
            if (track.node < 0)
                continue;
            const bool moves = track.times.size() > 2 || (track.times.size() == 2 && !track.is_skipping);
            if (!moves)
            {
                glb_.at("nodes")[size_t(track.node)]["translation"] = list(track.last.position);
                glb_.at("nodes")[size_t(track.node)]["rotation"] = list(normalize(track.last.rotation));
            }
            else
            {
                const int times = glb_.add_accessor(track.times, "SCALAR", 1, true);
                add(track, "translation", times, glb_.add_accessor(track.positions, "VEC3", 3, false), "LINEAR");
                add(track, "rotation", times, glb_.add_accessor(track.rotations, "VEC4", 4, false), "LINEAR");
            }
            if (track.scale_times.size() > 1)
                add(track, "scale", glb_.add_accessor(track.scale_times, "SCALAR", 1, true),
                    glb_.add_accessor(track.scales, "VEC3", 3, false), "STEP");
        }
        if (!channels.empty())
            glb_.at("animations") = {
                {{"name", recording_.info().scene}, {"samplers", samplers}, {"channels", channels}}};
    }

    Recording& recording_;
    Glb glb_;
    double start_ = 0;
    DVec3 origin_{};
    bool has_origin_ = false;
    std::vector<Track> tracks_; // by visual
    std::vector<bool> seen_;
    std::map<std::pair<std::string, uint32_t>, int> meshes_;
    std::map<uint32_t, int> materials_;
};

} // namespace

Result<std::string> to_glb(Recording& recording, size_t stride) { return Exporter(recording).run(stride); }

} // namespace moraine::cli
