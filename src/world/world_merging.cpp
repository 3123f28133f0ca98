// The public interface: merging by hand.
#include "world/activity.h"
#include "world/body_state.h"
#include "world/collections.h"
#include "world/glue.h"
#include "world/joint_bonds.h"
#include "world/merge_limits.h"

#include <moraine/world.h>

namespace moraine
{

namespace
{

int32_t index_of(BodyId id) { return int32_t(id.index); }

constexpr const char* stale = "one of the bodies does not exist (any more): give handles of living bodies";

// As if the two had been calm for long enough.
Status merge_contact(WorldData& world, int32_t a, int32_t b)
{
    const int32_t edge = find_edge(world.graph, a, b);
    if (edge == none || !world.graph.edges[edge].has(edge_is_touching) || world.graph.edges[edge].has(edge_is_trigger))
        return Error{"merge: the two do not touch, and nothing else is to hold them: give a break_impulse above zero"};
    if (!world.graph.edges[edge].has(edge_is_merged))
    {
        join_edge(world, edge);
        finish_joins(world);
    }
    return Ok{};
}

} // namespace

bool World::is_merged(BodyId body) const { return is_valid(body) && data_->collections.merged(index_of(body)) != none; }

uint32_t World::collection(BodyId body) const
{
    const int32_t c = is_valid(body) ? data_->collections.collection_of(index_of(body)) : none;
    return uint32_t(c + 1);
}

Status World::try_merge(BodyId a, BodyId b, float break_impulse)
{
    if (!is_valid(a) || !is_valid(b))
        return Error{std::string("merge: ") + stale};
    if (!(break_impulse >= 0))
        return Error{"merge: the break_impulse must not be negative: leave it out for glue that does not break"};
    const std::string problem = glue_problem(*data_, index_of(a), index_of(b));
    if (!problem.empty())
        return Error{"merge: " + problem};
    if (break_impulse == 0)
        return merge_contact(*data_, index_of(a), index_of(b));
    glue_bodies(*data_, index_of(a), index_of(b), break_impulse);
    return Ok{};
}

bool World::merge(BodyId a, BodyId b, float break_impulse)
{
    const Status status = try_merge(a, b, break_impulse);
    if (!status)
        data_->last_error = status.error().message;
    return bool(status);
}

void World::unmerge(BodyId body)
{
    if (!is_valid(body))
        return;
    detach_body(*data_, index_of(body));
    release_riders(*data_, index_of(body));
}

bool World::unmerge(BodyId a, BodyId b)
{
    if (!is_valid(a) || !is_valid(b))
    {
        data_->last_error = std::string("unmerge: ") + stale;
        return false;
    }
    const int32_t glue = find_glue(*data_, index_of(a), index_of(b));
    const int32_t edge = find_edge(data_->graph, index_of(a), index_of(b));
    const bool is_held = edge != none && data_->graph.edges[edge].has(edge_is_merged);
    int joints = 0;
    for_each_joint(index_of(a), data_->bodies, data_->joints, [&](int32_t j) {
        Joint& joint = data_->joints[j];
        if (!joint.is_merged || (joint.body_a != index_of(b) && joint.body_b != index_of(b)))
            return;
        cut_joint(*data_, joint);
        ++joints;
    });
    if (glue == none && !is_held && joints == 0)
    {
        data_->last_error = "unmerge: nothing holds the two together directly: see World::collection";
        return false;
    }
    if (glue != none)
        cut_glue(*data_, glue);
    if (is_held)
        cut_edge(*data_, edge);
    settle_collections(*data_);
    return true;
}

bool World::is_glued(BodyId a, BodyId b) const
{
    return is_valid(a) && is_valid(b) && find_glue(*data_, index_of(a), index_of(b)) != none;
}

float World::glue_impulse(BodyId a, BodyId b) const
{
    return is_glued(a, b) ? moraine::glue_impulse(*data_, find_glue(*data_, index_of(a), index_of(b))) : 0;
}

bool World::can_merge(BodyId body) const { return is_valid(body) && data_->bodies[index_of(body)].has(body_can_merge); }

void World::set_can_merge(BodyId body, bool can_merge)
{
    if (is_valid(body))
        moraine::set_can_merge(*data_, index_of(body), can_merge);
}

BodyMergeDef World::merge_def(BodyId body) const
{
    const auto own = data_->bodies.merge_defs.find(index_of(body));
    return is_valid(body) && own != data_->bodies.merge_defs.end() ? own->second : BodyMergeDef{};
}

void World::set_merge_def(BodyId body, const BodyMergeDef& def)
{
    if (!is_valid(body))
        return;
    if (const std::string problem = merge_def_problem(def); !problem.empty())
    {
        data_->last_error = "set_merge_def: " + problem;
        return;
    }
    unmerge(body); // it has to show anew that it may be part of something
    moraine::set_merge_def(data_->bodies, index_of(body), def);
}

} // namespace moraine
