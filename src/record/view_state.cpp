#include "record/view_state.h"

#include "world/world_data.h"

namespace moraine
{

namespace
{

// The body's frame has the axes of its centre-of-mass frame.
Transform local_of(const Body& body, const BodyInfo& info)
{
    return {body.pose_in_mover.position + rotate(body.pose_in_mover.rotation, -info.center),
            body.pose_in_mover.rotation};
}

} // namespace

int32_t Observer::add_visual(const World& world, BodyId id)
{
    const Body& body = world.data().bodies[int32_t(id.index)];
    Visual visual;
    visual.body = id.index;
    visual.type = body.type;
    visual.flags = uint8_t((body.has(body_is_trigger) ? visual_is_trigger : 0) |
                           (body.has(body_is_magnet) ? visual_is_magnet : 0));
    visual.color = color_of_ ? color_of_(id) : 0;
    visual.mass = world.mass(id);
    visual.name = world.name(id);
    visual.shapes = world.shapes(id);
    visual.radius = bounding_radius(visual.shapes);
    return visuals_.add(std::move(visual));
}

void Observer::observe_bodies(const World& world)
{
    const Bodies& bodies = world.data().bodies;
    const size_t count = size_t(bodies.capacity());
    state_.bodies.resize(std::max(state_.bodies.size(), count));
    generations_.resize(state_.bodies.size());
    // Body 0 is the ground, which has nothing to show.
    for (size_t i = 1; i < state_.bodies.size(); ++i)
    {
        ViewBody seen;
        if (i < count && bodies.ids.is_alive(uint32_t(i)))
        {
            const BodyId id = bodies.id(int32_t(i));
            const ViewBody& before = state_.bodies[i];
            const bool is_known = before.visual >= 0 && generations_[i] == id.generation;
            generations_[i] = id.generation;
            const Body& body = bodies[int32_t(i)];
            seen = {is_known ? before.visual : add_visual(world, id), body.mover, local_of(body, bodies.infos[i]),
                    world.collection(id)};
        }
        if (seen == state_.bodies[i])
            continue;
        state_.bodies[i] = seen;
        changes_.bodies.push_back(int32_t(i));
    }
}

void Observer::observe_movers(const World& world)
{
    const Movers& movers = world.data().movers;
    const size_t count = size_t(movers.movers.capacity());
    state_.movers.resize(std::max(state_.movers.size(), count));
    for (size_t i = 0; i < count; ++i)
    {
        const Mover& mover = movers[int32_t(i)];
        ViewMover& before = state_.movers[i];
        const ViewMover seen{mover.pose, mover.is_awake() || mover.type == BodyType::static_};
        if (seen.pose != before.pose)
            changes_.movers.push_back(int32_t(i));
        if (seen.is_awake != before.is_awake)
            changes_.flags.push_back(int32_t(i));
        before = seen;
    }
}

void Observer::observe(const World& world)
{
    changes_.bodies.clear(), changes_.movers.clear(), changes_.flags.clear();
    observe_bodies(world);
    observe_movers(world);
}

} // namespace moraine
