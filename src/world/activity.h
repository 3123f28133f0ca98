// Who is awake. Keeps the lists of awake movers, edges and joints and the colouring in step with each other:
// an edge or joint is awake while one of its movers is; its rows are in the solve while a dynamic one of them is.
#pragma once

#include "world/world_data.h"

namespace moraine
{

inline Mover& mover_of(WorldData& world, int32_t body) { return world.movers[world.bodies[body].mover]; }
inline const Mover& mover_of(const WorldData& world, int32_t body) { return world.movers[world.bodies[body].mover]; }

// Adds to or takes from the awake lists and the solve whatever the state of the two movers asks for.
void refresh_edge(WorldData& world, int32_t edge);
void refresh_joint(WorldData& world, int32_t joint);
void refresh_body(WorldData& world, int32_t body);            // all its edges and joints
void set_solved(WorldData& world, const Edge& edge, bool on); // its manifolds in the solve or not
void report_body_sleep(WorldData& world, int32_t body, bool is_awake);

// visit(other body) for what the body touches or is jointed to. Triggers and mere observers push nothing.
template <class Visit>
void for_each_pushed(const WorldData& world, int32_t body, Visit&& visit)
{
    for_each_edge(body, world.bodies, world.graph, [&](int32_t e) {
        const Edge& edge = world.graph.edges[e];
        if (edge.has(edge_is_touching) && !edge.has(edge_is_trigger))
            visit(other_body(edge, body));
    });
    for_each_joint(body, world.bodies, world.joints, [&](int32_t j) {
        const Joint& joint = world.joints[j];
        visit(joint.body_a == body ? joint.body_b : joint.body_a);
    });
}

// A sleeping mover wakes with its group, at once. Static ones and moving kinematic ones are left alone.
void wake_mover(WorldData& world, int32_t mover);
void wake_body(WorldData& world, int32_t body);
void wake_neighbours(WorldData& world, int32_t body); // what touches it or is jointed to it

// Kinematic movers are awake while they move.
void set_kinematic_awake(WorldData& world, int32_t mover, bool is_awake);

void put_to_sleep(WorldData& world, std::span<const int32_t> movers);

// Takes the manifolds out of the solve and the edge out of the graph. Reports the end of a touch.
void remove_edge(WorldData& world, int32_t edge);

} // namespace moraine
