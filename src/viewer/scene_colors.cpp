#include "viewer/scene_colors.h"

namespace moraine::viewer
{

ColorOf scene_colors(const Scene& scene)
{
    std::map<BodyId, uint32_t> colors;
    for (size_t i = 0; i < scene.bodies().size(); ++i)
        colors[scene.bodies()[i]] = scene.description().bodies[i].color;
    return [colors = std::move(colors)](BodyId body) {
        const auto found = colors.find(body);
        return found == colors.end() ? 0 : found->second;
    };
}

} // namespace moraine::viewer
