// Walks over the whole contact graph: for pictures, never inside a step.
#pragma once

#include "world/world_data.h"

namespace moraine::viewer
{

// visit(edge) for each edge, once.
template <class Visit>
void for_each_live_edge(const WorldData& world, Visit&& visit)
{
    for (int32_t b = 1; b < world.bodies.capacity(); ++b)
        if (world.bodies.ids.is_alive(uint32_t(b)))
            for_each_edge(b, world.bodies, world.graph, [&](int32_t e) {
                const Edge& edge = world.graph.edges[e];
                if (edge.body_a == b || edge.body_a == ground_body)
                    visit(edge);
            });
}

} // namespace moraine::viewer
