#include "scene/json_keys.h"

#include "scene/json.h"

namespace moraine
{

namespace
{

using Keys = std::vector<std::string>;

Keys operator+(Keys a, const Keys& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

template <class Variant, size_t... I>
std::vector<Keys> keys_of_alternatives(std::index_sequence<I...>)
{
    return {described_keys<std::variant_alternative_t<I, Variant>>()...};
}

// Keys for each alternative of the variant: `common`, then its own.
template <class Variant>
std::vector<Keys> keys_by_kind(const Keys& common)
{
    std::vector<Keys> all = keys_of_alternatives<Variant>(std::make_index_sequence<std::variant_size_v<Variant>>{});
    for (Keys& keys : all)
        keys = common + keys;
    return all;
}

std::vector<Keys> all_shape_keys()
{
    using Plain = std::variant<Sphere, Capsule, Cylinder, Box, HalfSpace>;
    const Keys common = Keys{"kind", "material"} + described_keys<ShapeDef>();
    std::vector<Keys> all = keys_by_kind<Plain>(common);
    all.push_back(common + Keys{"points", "file", "scale"});
    all.push_back(common + Keys{"vertices", "indices", "file", "scale"});
    all.push_back(common + Keys{"heights", "columns", "rows", "spacing"});
    return all;
}

std::vector<Keys> all_action_keys()
{
    std::vector<Keys> all = keys_by_kind<SceneAction>({"time", "action"});
    const std::vector<Keys> references{{"body"},
                                       {"body"},
                                       {"new_body"},
                                       {"body"},
                                       {"body"},
                                       {"body"},
                                       {"joint", "settings"},
                                       {},
                                       {"prototypes"},
                                       {"body_a", "body_b"},
                                       {"body_a", "body_b"}};
    for (size_t i = 0; i < all.size(); ++i)
        all[i] = all[i] + references[i];
    return all;
}

} // namespace

const Keys& scene_keys()
{
    static const Keys keys{"name",      "description", "dt",     "steps",  "world",  "distribute", "include",
                           "materials", "prefabs",     "bodies", "groups", "joints", "events",     "rules"};
    return keys;
}

const Keys& material_keys()
{
    static const Keys keys{"density", "friction", "restitution"};
    return keys;
}

const Keys& contents_keys()
{
    static const Keys keys{"bodies", "groups", "joints"};
    return keys;
}

const Keys& body_keys()
{
    static const Keys keys = described_keys<SceneBody>() + Keys{"shape", "shapes"};
    return keys;
}

const Keys& frame_keys()
{
    static const Keys keys = described_keys<Transform>();
    return keys;
}

const Keys& shape_keys(size_t kind)
{
    static const std::vector<Keys> keys = all_shape_keys();
    return keys[kind];
}

const Keys& joint_keys(size_t kind)
{
    static const std::vector<Keys> keys = keys_by_kind<JointKind>(
        Keys{"kind", "body_a", "body_b", "frame_a", "frame_b", "at"} + described_keys<JointDef>());
    return keys[kind];
}

const Keys& joint_kind_keys(size_t kind)
{
    static const std::vector<Keys> keys = keys_by_kind<JointKind>({"kind"});
    return keys[kind];
}

const Keys& action_keys(size_t kind)
{
    static const std::vector<Keys> keys = all_action_keys();
    return keys[kind];
}

const Keys& group_keys(size_t kind)
{
    static const std::vector<Keys> keys = keys_by_kind<Layout>(Keys{"kind", "prefab", "body", "contents"} +
                                                               described_keys<GroupPlacement>());
    return keys[kind];
}

std::vector<std::pair<std::string, std::vector<std::string>>> json_scene_keys()
{
    std::vector<std::pair<std::string, Keys>> all{
        {"scene", scene_keys()},
        {"world", described_keys<WorldDef>()},
        {"distribute", described_keys<DistributeDef>()},
        {"material", material_keys()},
        {"contents", contents_keys()},
        {"body", body_keys()},
        {"merge", described_keys<MergeDef>()},
        {"body_merge", described_keys<BodyMergeDef>()},
        {"rule", described_keys<RuleDef>()},
        {"frame", frame_keys()},
        {"filter", described_keys<Filter>()},
        {"mass_properties", described_keys<MassProperties>()},
        {"response", described_keys<SceneResponse>()},
        {"response_settings", described_keys<ResponseSettings>()},
        {"elastic_material", described_keys<ElasticMaterial>()},
        {"attenuation", described_keys<Attenuation>()},
        {"fixed_box", described_keys<FixedBox>()},
        {"sine_motion", Keys{"kind"} + described_keys<SineMotion>()},
        {"key_frames_motion", Keys{"kind"} + described_keys<KeyFrameMotion>()},
        {"key_frame", described_keys<KeyFrame>()},
        {"limit", described_keys<Limit>()},
        {"motor", described_keys<Motor>()},
        {"spring", described_keys<Spring>()},
        {"axis", described_keys<Axis>()},
    };
    const auto add_kinds = [&](const auto& names, const char* suffix, const Keys& (*keys)(size_t)) {
        for (size_t i = 0; i < names.size(); ++i)
            all.emplace_back(std::string(names[i]) + suffix, keys(i));
    };
    add_kinds(geometry_names, "_shape", shape_keys);
    add_kinds(joint_names, "_joint", joint_keys);
    add_kinds(joint_names, "_settings", joint_kind_keys);
    add_kinds(action_names, "_action", action_keys);
    add_kinds(layout_names, "_group", group_keys);
    return all;
}

} // namespace moraine
