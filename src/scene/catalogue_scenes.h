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
std::span<const CatalogueEntry> distributed_scenes(); // building, chain_net, two bridges, long_plank
std::span<const CatalogueEntry> graph_scenes();       // diku, warp_corner
// Those of the papers on merging: on springs, on the ground, at the port; and ours on moving things.
std::span<const CatalogueEntry> swing_scenes();    // tower_platform, tower_projectile, dominoes_platforms, funnel, boat
std::span<const CatalogueEntry> merging_scenes();  // dominoes, messy_stack, impulse_tower, spinner, see_saw, dumpster
std::span<const CatalogueEntry> port_scenes();     // ship_crane, magnet
std::span<const CatalogueEntry> rider_scenes();    // braking_truck, lift, turntable, rope_bridge_with_crates
std::span<const CatalogueEntry> handling_scenes(); // conveyor, gripper
std::span<const CatalogueEntry> response_scenes(); // dinner, wrench_roof, scaffold
std::span<const CatalogueEntry> large_response_scenes(); // low_rider, rockfall, washing_machine

// Parts that the demo shares with the scene that shows them alone.
void add_ragdoll(SceneDescription& scene, DVec3 position, float heading, const std::string& name);
void add_card_house(SceneDescription& scene, DVec3 position, int levels);
void add_dominoes(SceneDescription& scene, DVec3 position, int count);
void add_top(SceneDescription& scene, DVec3 position, float size, float spin, const std::string& name);
constexpr double truck_bed_top = 1.2;
int add_truck(SceneDescription& scene, std::span<const Leg> legs);
double ring_radius(int around);
void add_plank_rings(SceneDescription& scene, DVec3 base, int layers, int around);
// The board's top is y = 4; `hanging.mass` is worked out.
int add_tower_on_springs(SceneDescription& scene, int layers, int around, Hanging hanging);
HeightFieldRef make_terrain(int cells, float spacing, float height);

} // namespace moraine
