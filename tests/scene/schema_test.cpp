// The schema that editors use must know the same keys as the parser.
#include "scene/json.h"
#include "support/paths.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <set>

namespace moraine
{
namespace
{

std::string document_text(const char* name)
{
    std::ifstream stream(std::filesystem::path(test::source_folder()) / "docs" / name);
    return {std::istreambuf_iterator<char>(stream), {}};
}

nlohmann::json schema() { return nlohmann::json::parse(document_text("scene.schema.json"), nullptr, false); }

std::set<std::string> keys_of(const nlohmann::json& definition)
{
    std::set<std::string> keys;
    for (const auto& [key, value] : definition.at("properties").items())
        if (key != "comment" && key != "$schema") // allowed in every object
            keys.insert(key);
    return keys;
}

TEST(Schema, HasTheKeysOfTheParser)
{
    const nlohmann::json document = schema();
    ASSERT_TRUE(document.is_object());
    for (const auto& [name, keys] : json_scene_keys())
    {
        const nlohmann::json& definitions = document.at("$defs");
        ASSERT_TRUE(name == "scene" || definitions.contains(name)) << name;
        const nlohmann::json& definition = name == "scene" ? document : definitions.at(name);
        EXPECT_EQ(keys_of(definition), std::set<std::string>(keys.begin(), keys.end())) << name;
        EXPECT_EQ(definition.at("additionalProperties"), false) << name;
    }
}

TEST(Schema, EveryObjectOfTheSchemaIsKnownToTheParser)
{
    std::set<std::string> known;
    for (const auto& [name, keys] : json_scene_keys())
        known.insert(name);
    const nlohmann::json document = schema();
    for (const auto& [name, definition] : document.at("$defs").items())
    {
        const bool is_object = definition.contains("properties");
        EXPECT_TRUE(!is_object || known.contains(name)) << name;
    }
}

TEST(SceneDocument, ItsExamplesLoad)
{
    const std::string text = document_text("scenes.md");
    int examples = 0;
    for (size_t begin = text.find("```json\n"); begin != std::string::npos; begin = text.find("```json\n", begin))
    {
        begin += 8;
        const size_t end = text.find("```", begin);
        Result<SceneDescription> scene = parse_json_scene(text.substr(begin, end - begin), "example");
        EXPECT_TRUE(scene) << scene.error().message;
        begin = end + 3;
        ++examples;
    }
    EXPECT_GE(examples, 3);
}

} // namespace
} // namespace moraine
