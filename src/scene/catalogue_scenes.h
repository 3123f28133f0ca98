// The entries of the catalogue, by family. Each function gives entries that live as long as the program.
#pragma once

#include "scene/builder.h"

namespace moraine
{

std::span<const CatalogueEntry> stack_scenes();   // pyramid, wall, tower, card_house, domino, slope, resting, falling
std::span<const CatalogueEntry> pile_scenes();    // pile_5000, hull_pile, bowl, chains, mixed_shapes
std::span<const CatalogueEntry> joint_scenes();   // ragdolls, bridge, newton_cradle, spinning_tops, machine
std::span<const CatalogueEntry> carrier_scenes(); // ferry, wagon, magnet_crane
std::span<const CatalogueEntry> demo_scenes();    // demo
std::span<const CatalogueEntry> graph_scenes();   // diku, warp_corner

// Parts that the demo shares with the scene that shows them alone.
void add_ragdoll(SceneDescription& scene, DVec3 position, float heading, const std::string& name);
void add_card_house(SceneDescription& scene, DVec3 position, int levels);
void add_dominoes(SceneDescription& scene, DVec3 position, int count);
void add_top(SceneDescription& scene, DVec3 position, float size, float spin, const std::string& name);
HeightFieldRef make_terrain(int cells, float spacing, float height);

} // namespace moraine
