// The public interface: events, rules, timers, and reading the contact graph.
#include "base/disjoint_sets.h"
#include "world/activity.h"
#include "world/body_store.h"
#include "world/events.h"

#include <moraine/world.h>

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

int32_t index_of(BodyId id) { return int32_t(id.index); }

// After a rule came or went: who is in one of its groups may have new pairs, or lose some. Whoever loses or gains a push
// is woken.
void apply_rule(WorldData& world, const RuleDef& rule)
{
    const uint64_t groups = (1ull << rule.group_a) | (1ull << rule.group_b);
    for (const auto& [body, of_body] : world.bodies.rule_groups)
    {
        if (!(of_body & groups))
            continue;
        wake_neighbours(world, body);
        wake_body(world, body);
        search_pairs_again(world, body);
    }
}

bool is_dynamic(const WorldData& world, int32_t body) { return world.bodies[body].type == BodyType::dynamic_; }

std::vector<BodyId> ids_of(const WorldData& world, std::vector<int32_t>& indices)
{
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    std::vector<BodyId> out;
    for (int32_t i : indices)
        out.push_back(world.bodies.id(i));
    return out;
}

} // namespace

// ---- events ----

void World::set_event_mask(BodyId body, uint16_t events)
{
    if (!is_valid(body))
        return;
    const bool noticed = data_->bodies[index_of(body)].wants(EventMask::trigger_fixed);
    moraine::set_event_mask(data_->bodies, index_of(body), events);
    if (noticed != data_->bodies[index_of(body)].wants(EventMask::trigger_fixed))
        search_pairs_again(*data_, index_of(body));
}

uint16_t World::event_mask(BodyId body) const
{
    return is_valid(body) ? uint16_t(data_->bodies[index_of(body)].events & EventMask::all) : uint16_t(0);
}

void World::set_event_callback(std::function<void(World&, const Events&)> callback)
{
    event_callback_ = std::move(callback);
}

// ---- rules ----

void World::set_rule_groups(BodyId body, uint64_t groups)
{
    if (!is_valid(body) || rule_groups(body) == groups)
        return;
    wake_neighbours(*data_, index_of(body));
    wake_body(*data_, index_of(body));
    moraine::set_rule_groups(data_->bodies, index_of(body), groups);
    search_pairs_again(*data_, index_of(body));
}

uint64_t World::rule_groups(BodyId body) const
{
    return is_valid(body) ? rule_groups_of(data_->bodies, index_of(body)) : 0;
}

Result<RuleId> World::try_create_rule(const RuleDef& def)
{
    for (int group : {def.group_a, def.group_b})
        if (group < 0 || group >= rule_group_count)
            return Error{"rule: group " + std::to_string(group) + " is not one of 0 to 63"};
    Rules& rules = data_->graph.rules;
    const RuleId rule = rules.id(moraine::create_rule(def, rules));
    apply_rule(*data_, def);
    return rule;
}

RuleId World::create_rule(const RuleDef& def)
{
    Result<RuleId> rule = try_create_rule(def);
    if (!rule)
        data_->last_error = rule.error().message;
    return rule.value_or({});
}

void World::destroy_rule(RuleId rule)
{
    if (!is_valid(rule))
        return;
    const RuleDef def = rule_def(rule);
    moraine::destroy_rule(int32_t(rule.index), data_->graph.rules);
    apply_rule(*data_, def);
}

bool World::is_valid(RuleId rule) const { return data_->graph.rules.is_valid(rule); }

std::vector<RuleId> World::rules() const
{
    std::vector<RuleId> out;
    for (uint32_t i = 0; i < data_->graph.rules.ids.capacity(); ++i)
        if (data_->graph.rules.ids.is_alive(i))
            out.push_back(data_->graph.rules.id(int32_t(i)));
    return out;
}

RuleDef World::rule_def(RuleId rule) const { return is_valid(rule) ? data_->graph.rules.defs[rule.index] : RuleDef{}; }

// ---- timers ----

Result<TimerId> World::try_create_timer(const TimerDef& def)
{
    if (!(def.interval > 0) || !std::isfinite(def.interval) || !std::isfinite(def.delay))
        return Error{"timer: the interval must be a positive number of seconds, and the delay finite"};
    return data_->timers.id(moraine::create_timer(def, data_->time, data_->timers));
}

TimerId World::create_timer(const TimerDef& def)
{
    Result<TimerId> timer = try_create_timer(def);
    if (!timer)
        data_->last_error = timer.error().message;
    return timer.value_or({});
}

void World::destroy_timer(TimerId timer)
{
    if (is_valid(timer))
        moraine::destroy_timer(int32_t(timer.index), data_->timers);
}

bool World::is_valid(TimerId timer) const { return data_->timers.is_valid(timer); }

std::vector<TimerId> World::timers() const
{
    std::vector<TimerId> out;
    for (uint32_t i = 0; i < data_->timers.ids.capacity(); ++i)
        if (data_->timers.ids.is_alive(i))
            out.push_back(data_->timers.id(int32_t(i)));
    return out;
}

TimerDef World::timer_def(TimerId timer) const
{
    return is_valid(timer) ? data_->timers.timers[timer.index].def : TimerDef{};
}

// ---- who is connected to whom ----

std::vector<BodyId> World::neighbours(BodyId body, bool with_near) const
{
    std::vector<int32_t> found;
    if (!is_valid(body))
        return {};
    for_each_pushed(*data_, index_of(body), [&](int32_t other) { found.push_back(other); });
    for_each_edge(index_of(body), data_->bodies, data_->graph, [&](int32_t e) {
        const Edge& edge = data_->graph.edges[e];
        if (with_near || edge.has(edge_is_touching))
            found.push_back(other_body(edge, index_of(body)));
    });
    return ids_of(*data_, found);
}

std::vector<std::vector<BodyId>> World::contact_groups() const
{
    const int32_t count = data_->bodies.capacity();
    std::vector<int32_t> memory(static_cast<size_t>(count));
    DisjointSets sets(memory);
    for (int32_t body = 0; body < count; ++body)
        if (data_->bodies.ids.is_alive(uint32_t(body)) && is_dynamic(*data_, body))
            for_each_pushed(*data_, body, [&](int32_t other) {
                if (is_dynamic(*data_, other))
                    sets.join(body, other);
            });
    // Roots are the smallest indices, so groups come in the order of their first bodies.
    std::vector<std::vector<BodyId>> groups;
    std::vector<int32_t> group_of(size_t(count), none);
    for (int32_t body = 0; body < count; ++body)
    {
        if (!data_->bodies.ids.is_alive(uint32_t(body)) || !is_dynamic(*data_, body))
            continue;
        int32_t& group = group_of[size_t(sets.root(body))];
        if (group == none)
        {
            group = int32_t(groups.size());
            groups.emplace_back();
        }
        groups[size_t(group)].push_back(data_->bodies.id(body));
    }
    return groups;
}

std::vector<BodyId> World::path(BodyId from, BodyId to) const
{
    if (!is_valid(from) || !is_valid(to))
        return {};
    // Breadth first from the far end, so that following the way back starts at `from`.
    std::vector<int32_t> next(size_t(data_->bodies.capacity()), none);
    std::vector<int32_t> queue{index_of(to)};
    next[to.index] = index_of(to);
    for (size_t i = 0; i < queue.size() && next[from.index] == none; ++i)
    {
        const int32_t body = queue[i];
        if (body != index_of(to) && !is_dynamic(*data_, body))
            continue;
        std::vector<int32_t> around;
        for_each_pushed(*data_, body, [&](int32_t other) { around.push_back(other); });
        std::sort(around.begin(), around.end()); // among equally short ways the one through the smallest indices
        for (int32_t other : around)
            if (next[size_t(other)] == none)
            {
                next[size_t(other)] = body;
                queue.push_back(other);
            }
    }
    std::vector<BodyId> out;
    if (next[from.index] == none)
        return out;
    for (int32_t body = index_of(from);; body = next[size_t(body)])
    {
        out.push_back(data_->bodies.id(body));
        if (body == index_of(to))
            return out;
    }
}

int World::edge_count() const { return data_->graph.edges.count(); }

} // namespace moraine
