// Response models of bodies in scenes.
#pragma once

#include "scene/description.h"

namespace moraine
{

// Reads or makes the body's model. Models that were made are kept on disk, so this takes a second once.
Result<ResponseDef> make_response(const SceneBody& body);

// Gives the body its model, where it has one and the world's response is on.
Status give_response(const SceneBody& body, World& world, BodyId id);

} // namespace moraine
