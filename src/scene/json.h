// Scenes as JSON files: docs/scenes.md tells the format, docs/scene.schema.json describes it for editors.
#pragma once

#include "scene/description.h"

#include <string>
#include <utility>
#include <vector>

namespace moraine
{

// Files that the scene refers to are looked for beside it and may not lie outside its folder.
Result<SceneDescription> load_json_scene(const std::string& path);
// The same from memory. `name` stands for the file in messages, `folder` is where referenced files are (none: refused).
Result<SceneDescription> parse_json_scene(const std::string& text, const std::string& name = "scene",
                                          const std::string& folder = "");

// Reads the file and everything it refers to, builds the description and checks it: what `moraine validate` does.
Status validate_scene_file(const std::string& path);

// Everything written out: prefabs and included files have become plain bodies. Reading it gives the same description.
std::string to_json(const SceneDescription& scene);

// For each kind of object in the format its keys, under the names that the schema uses.
std::vector<std::pair<std::string, std::vector<std::string>>> json_scene_keys();

} // namespace moraine
