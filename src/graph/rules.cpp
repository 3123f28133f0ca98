#include "graph/rules.h"

#include <bit>

namespace moraine
{

namespace
{

void rebuild_masks(Rules& rules)
{
    for (auto& masks : rules.masks)
        for (uint64_t& mask : masks)
            mask = 0;
    for (uint32_t i = 0; i < rules.ids.capacity(); ++i)
    {
        if (!rules.ids.is_alive(i))
            continue;
        const RuleDef& rule = rules.defs[i];
        uint64_t* masks = rules.masks[size_t(rule.kind)];
        masks[rule.group_a] |= 1ull << rule.group_b;
        masks[rule.group_b] |= 1ull << rule.group_a;
    }
}

} // namespace

int32_t create_rule(const RuleDef& def, Rules& rules)
{
    const uint32_t index = rules.ids.create();
    if (index == rules.defs.size())
        rules.defs.emplace_back();
    rules.defs[index] = def;
    rebuild_masks(rules);
    return int32_t(index);
}

void destroy_rule(int32_t rule, Rules& rules)
{
    rules.ids.destroy(uint32_t(rule));
    rebuild_masks(rules);
}

uint64_t rule_groups_of(const Bodies& bodies, int32_t body)
{
    return bodies[body].wants(Body::is_ruled) ? bodies.rule_groups.at(body) : 0;
}

bool is_ruled(const Bodies& bodies, const Rules& rules, int32_t a, int32_t b, RuleKind kind)
{
    if (!(bodies[a].events & bodies[b].events & Body::is_ruled))
        return false;
    const uint64_t* masks = rules.masks[size_t(kind)];
    const uint64_t groups_b = rule_groups_of(bodies, b);
    for (uint64_t groups = rule_groups_of(bodies, a); groups != 0; groups &= groups - 1)
        if (masks[std::countr_zero(groups)] & groups_b)
            return true;
    return false;
}

} // namespace moraine
