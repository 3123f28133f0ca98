// Every complaint says where, what is wrong and what to do, in one line.
#include "scene/json.h"

#include <gtest/gtest.h>

namespace moraine
{
namespace
{

struct Bad
{
    const char* text;
    const char* message;
};

// A body as the only one of a scene, on line 2.
std::string scene_with_body(const std::string& body) { return "{\"bodies\": [\n" + body + "\n]}"; }

std::string complaint(const std::string& text)
{
    Result<SceneDescription> scene = parse_json_scene(text, "s.json");
    return scene ? "no complaint" : scene.error().message;
}

const Bad bad_files[] = {
    {"",
     "s.json:1: not JSON: syntax error while parsing value - unexpected end of input; expected '[', '{', or a literal"},
    {"{\"name\": \"a\",\n}",
     "s.json:2: not JSON: syntax error while parsing object key - unexpected '}'; expected string literal"},
    {"[]", "s.json:1: is a list of 0; give an object {...}"},
    {"{\"bodis\": []}", "s.json:1: /bodis: unknown key; did you mean \"bodies\"?"},
    {"{\n\n\"world\": {\"gravty\": [0, 0, 0]}}", "s.json:3: /world/gravty: unknown key; did you mean \"gravity\"?"},
    {"{\"world\": {\"gravity\": [0, -9.81]}}", "s.json:1: /world/gravity: has 2 numbers; give 3"},
    {"{\"world\": {\"gravity\": -9.81}}", "s.json:1: /world/gravity: is -9.81; give a list [...]"},
    {"{\"world\": {\"substeps\": 0}}", "s.json:1: /world/substeps: is 0; give a number above zero"},
    {"{\"world\": {\"substeps\": 2.5}}", "s.json:1: /world/substeps: is 2.5; give a whole number"},
    {"{\"world\": {\"solver\": \"pgss\"}}", "s.json:1: /world/solver: unknown word \"pgss\"; did you mean \"pgs\"?"},
    {"{\"world\": {\"merging\": 1}}", "s.json:1: /world/merging: is 1; give true or false"},
    {"{\"dt\": 0}", "s.json:1: /dt: is 0; give a number above zero"},
    {"{\"dt\": 5}", "s.json:1: /dt: is 5; give seconds between 1e-6 and 1"},
    {"{\"dt\": 1e999}", "s.json:1: the number 1e999 is too large; give at most 1e15"},
    {"{\"dt\": NaN}", "s.json:1: not JSON: syntax error while parsing value - invalid literal"},
    {"{\"name\": \"a\", \"name\": \"b\"}", "s.json: the key \"name\" appears twice in one object; remove one"},
    {"{\"steps\": -1}", "s.json:1: /steps: is -1; give zero or more"},
    {"{\"include\": [\"a.json\"]}",
     "s.json:1: /include/0: a scene that is not in a file cannot refer to files; write the data into it"},
    {"{\"materials\": {\"a\": {\"friction\": -1}}}", "s.json:1: /materials/a/friction: is -1; give zero or more"},
    {"{\"joints\": [{\"kind\": \"ball\", \"body_a\": 0}]}",
     "s.json:1: /joints/0/body_a: is 0, but there are 0 bodies here; give a number below that, or a name"},
    {"{\"joints\": [{\"kind\": \"ball\"}]}", "s.json:1: /joints/0: joins the world with itself; add body_a or body_b"},
    {"{\"groups\": [{\"kind\": \"grid\", \"prefab\": \"a\"}]}",
     "s.json:1: /groups/0/prefab: no prefab is defined before this; add it to prefabs"},
    {"{\"groups\": [{\"kind\": \"grid\"}]}", "s.json:1: /groups/0: needs exactly one of prefab, body and contents"},
    {"{\"groups\": [{\"kind\": \"one\", \"contents\": {}}]}", "s.json:1: /groups/0: has no bodies to copy; add some"},
    {"{\"groups\": [{\"kind\": \"grid\", \"count\": [2000, 2000, 2000], \"body\": {\"shape\": {\"kind\": \"box\"}}}]}",
     "s.json:1: /groups/0: makes more than 4000000 bodies; reduce the counts"},
    {"{\"groups\": [{\"kind\": \"random\", \"count\": 50, \"size\": [1, 1, 1], \"separation\": 2, "
     "\"body\": {\"shape\": {\"kind\": \"box\"}}}]}",
     "s.json:1: /groups/0: only 1 of 50 fit with this separation; make size larger, or separation or count smaller"},
    {"{\"groups\": [{\"kind\": \"gird\"}]}", "s.json:1: /groups/0/kind: unknown word \"gird\"; did you mean \"grid\"?"},
    {"{\"groups\": [{\"kind\": \"ring\", \"count\": 0, \"body\": {}}]}",
     "s.json:1: /groups/0/count: is 0; give a number above zero"},
    {"{\"events\": [{\"time\": 1, \"action\": \"explode\"}]}",
     "s.json:1: /events/0/action: unknown word \"explode\"; known are impulse, velocity, spawn, destroy, magnet, "
     "motion, "
     "joint, gravity, factory, merge, unmerge"},
    {"{\"bodies\": [{\"name\": \"a\", \"shape\": {\"kind\": \"box\"}}], \"events\": [{\"time\": 1, \"action\": "
     "\"unmerge\"}]}",
     "s.json:1: /events/0: names no body; add body_a"},
    {"{\"world\": {\"merge\": {\"speed\": -1}}}", "s.json:1: /world/merge/speed: is -1; give zero or more"},
    {"{\"rules\": [{\"kind\": \"never\"}]}",
     "s.json:1: /rules/0/kind: unknown word \"never\"; did you mean \"never_merge\"?"},
    {"{\"events\": [{\"action\": \"gravity\"}]}", "s.json:1: /events/0: has no \"time\"; add it"},
    {"{\"events\": [{\"time\": -1, \"action\": \"gravity\"}]}", "s.json:1: /events/0/time: is -1; give zero or more"},
    {"{\"events\": [{\"time\": 1, \"action\": \"destroy\", \"body\": \"x\"}]}",
     "s.json:1: /events/0/body: \"x\" is not the name of any of the bodies here; name it there first"},
    {"{\"events\": [{\"time\": 1, \"action\": \"factory\", \"prototypes\": []}]}",
     "s.json:1: /events/0/prototypes: is empty; give at least one body"},
};

const Bad bad_bodies[] = {
    {"{}", "s.json:2: /bodies/0: a dynamic body needs a shape; add \"shape\" or \"shapes\""},
    {"{\"shape\": {}}", "s.json:2: /bodies/0/shape: has no \"kind\"; add it"},
    {"{\"shape\": {\"kind\": \"sphere\", \"radius\": -1}}",
     "s.json:2: /bodies/0/shape/radius: is -1; give a size between 1e-5 and 1e6 metres"},
    {"{\"shape\": {\"kind\": \"sphere\", \"half_extents\": [1, 1, 1]}}",
     "s.json:2: /bodies/0/shape/half_extents: unknown key; known are kind, material, position, rotation, density, "
     "friction, restitution, radius"},
    {"{\"shape\": {\"kind\": \"box\", \"half_extents\": [1, 0, 1]}}",
     "s.json:2: /bodies/0/shape/half_extents/1: is 0; give a size between 1e-5 and 1e6 metres"},
    {"{\"shape\": {\"kind\": \"box\", \"material\": \"wood\"}}",
     "s.json:2: /bodies/0/shape/material: no material is defined; add it to materials"},
    {"{\"shape\": {\"kind\": \"half_space\"}}", "s.json:2: /bodies/0/shape: a half_space cannot be on a dynamic body; "
                                                "make the body static or kinematic, or use hulls"},
    {"{\"shape\": {\"kind\": \"hull\"}}", "s.json:2: /bodies/0/shape: needs either points or file"},
    {"{\"type\": \"static\", \"shape\": {\"kind\": \"mesh\", \"vertices\": [[0,0,0]], \"indices\": [0, 0, 1]}}",
     "s.json:2: /bodies/0/shape/indices/2: is 1, but there are only 1 vertices"},
    {"{\"type\": \"static\", \"shape\": {\"kind\": \"height_field\", \"heights\": [0], \"columns\": 2, \"rows\": 2}}",
     "s.json:2: /bodies/0/shape/heights: has 1 numbers; give columns x rows = 4"},
    {"{\"position\": [1e12, 0, 0]}",
     "s.json:2: /bodies/0/position/0: is 1000000000000.0; give a position within 1e9 metres"},
    {"{\"rotation\": [0, 0, 0, 0]}",
     "s.json:2: /bodies/0/rotation: is a quaternion of length zero; [0, 0, 0, 1] is no rotation"},
    {"{\"rotation\": [0, 0, 1]}", "s.json:2: /bodies/0/rotation: is a list of 3; give [x, y, z, w], {\"axis\", "
                                  "\"angle_degrees\"} or {\"euler_degrees\"}"},
    {"{\"rotation\": {\"axis\": [0, 0, 0], \"angle_degrees\": 5}}",
     "s.json:2: /bodies/0/rotation/axis: has no direction; give a vector that is not zero"},
    {"{\"mass\": -2}", "s.json:2: /bodies/0/mass: is -2; give zero or more"},
    {"{\"mass\": 1e30}", "s.json:2: /bodies/0/mass: is 1e+30, which is too large; give at most 1e15"},
    {"{\"color\": \"red\"}",
     "s.json:2: /bodies/0/color: is \"red\"; give a whole number, or hexadecimal digits such as \"#c0504d\""},
    {"{\"shape\": {\"kind\": \"box\"}, \"motion\": {\"kind\": \"sine\"}}",
     "s.json:2: /bodies/0/motion: only kinematic bodies follow a motion; add \"type\": \"kinematic\""},
    {"{\"type\": \"kinematic\", \"motion\": {\"kind\": \"key_frames\", \"frames\": [{\"time\": 1}, {\"time\": 1}]}}",
     "s.json:2: /bodies/0/motion/frames/1: its time is not after that of the frame before; sort the frames by time"},
    {"{\"type\": \"kinematic\", \"motion\": {\"kind\": \"sine\", \"period\": 0}}",
     "s.json:2: /bodies/0/motion/period: is 0; give a number above zero"},
    {"{\"user_data\": -1}", "s.json:2: /bodies/0/user_data: is -1; give a whole number that is not negative"},
    {"{\"name\": 5}", "s.json:2: /bodies/0/name: is 5; give a string"},
};

TEST(JsonErrors, FilesAreComplainedAboutExactly)
{
    for (const Bad& bad : bad_files)
        EXPECT_EQ(complaint(bad.text), bad.message) << bad.text;
}

TEST(JsonErrors, BodiesAreComplainedAboutExactly)
{
    for (const Bad& bad : bad_bodies)
        EXPECT_EQ(complaint(scene_with_body(bad.text)), bad.message) << bad.text;
}

TEST(JsonErrors, ReferencesSuggestTheNearestName)
{
    const std::string start =
        "{\"bodies\": [{\"name\": \"wheel\", \"shape\": {\"kind\": \"box\"}},"
        "{\"name\": \"twin\", \"shape\": {\"kind\": \"box\"}},"
        "{\"name\": \"twin\", \"shape\": {\"kind\": \"box\"}}],\n\"joints\": [{\"kind\": \"hinge\", ";
    EXPECT_EQ(
        complaint(start + "\"body_a\": \"weel\"}]}"),
        "s.json:2: /joints/0/body_a: \"weel\" is not the name of any of the bodies here; did you mean \"wheel\"?");
    EXPECT_EQ(
        complaint(start + "\"body_a\": \"twin\"}]}"),
        "s.json:2: /joints/0/body_a: \"twin\" is the name of more than one of the bodies; give the number, or rename");
    EXPECT_EQ(complaint(start + "\"body_a\": 0, \"body_b\": 0}]}"),
              "s.json:2: /joints/0: joins a body with itself; name two bodies, or one body and the world");
    EXPECT_EQ(complaint(start + "\"body_a\": 0, \"limit\": {\"lower\": 1, \"upper\": -1}}]}"),
              "s.json:2: /joints/0/limit: its lower is above its upper; swap them");
    EXPECT_EQ(complaint(start + "\"body_a\": 0, \"at\": {}, \"frame_a\": {}}]}"),
              "s.json:2: /joints/0/at: the joint has both at and frames; use one of them");
}

TEST(JsonErrors, AFlatHullIsExplained)
{
    const std::string message = complaint(
        scene_with_body("{\"shape\": {\"kind\": \"hull\", \"points\": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}}"));
    EXPECT_EQ(message.find("s.json:2: /bodies/0/shape: "), 0u) << message;
}

TEST(JsonErrors, DeepNestingIsRefused)
{
    std::string deep = "{\"name\": ";
    for (int i = 0; i < 100000; ++i)
        deep += '[';
    EXPECT_EQ(complaint(deep), "s.json: nested more than 64 deep; flatten it");
}

TEST(JsonErrors, CopiesOfCopiesAreLimited)
{
    std::string text = "{\"prefabs\": {\"p0\": {\"bodies\": [{\"shape\": {\"kind\": \"box\"}}]}";
    for (int i = 1; i < 9; ++i)
        text += ", \"p" + std::to_string(i) +
                "\": {\"groups\": [{\"kind\": \"array\", \"count\": 200, \"prefab\": \"p" + std::to_string(i - 1) +
                "\"}]}";
    EXPECT_EQ(complaint(text + "}}"),
              "s.json:1: /prefabs/p3/groups/0: makes more than 4000000 bodies; reduce the counts");
}

TEST(JsonErrors, CutAndGarbledFilesNeverCrash)
{
    const std::string whole = R"({"name": "a", "materials": {"m": {"friction": 1}}, "bodies": [{"name": "b", "position":
        [1, 2, 3], "shape": {"kind": "box", "material": "m"}}], "joints": [{"kind": "ball", "body_b": "b", "at": {}}],
        "groups": [{"kind": "grid", "count": [2, 2, 2], "body": {"shape": {"kind": "sphere"}}}],
        "events": [{"time": 1, "action": "destroy", "body": "b"}]})";
    ASSERT_EQ(complaint(whole), "no complaint");
    for (size_t length = 0; length < whole.size(); ++length)
        EXPECT_NE(complaint(whole.substr(0, length)), "no complaint");
    for (size_t i = 0; i < whole.size(); ++i)
        for (const char c : {'"', '[', '}', '-', '9', '\\', '\xff', '\0'})
        {
            std::string garbled = whole;
            garbled[i] = c;
            const std::string message = complaint(garbled);
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        }
}

} // namespace
} // namespace moraine
