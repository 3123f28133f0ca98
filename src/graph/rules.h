// Logical rules between groups of bodies (contact graphs, section 3.2): a body is in some of 64 groups, a rule says what
// two groups have to do with each other. A body in no group costs one bit test.
#pragma once

#include "base/id_pool.h"
#include "graph/bodies.h"

#include <moraine/defs.h>

#include <vector>

namespace moraine
{

constexpr int rule_group_count = 64;
constexpr int rule_kind_count = 3;

struct Rules
{
    IdPool ids;
    std::vector<RuleDef> defs; // by index
    // By kind of rule and group: the groups that it applies to.
    uint64_t masks[rule_kind_count][rule_group_count] = {};

    RuleId id(int32_t index) const { return {uint32_t(index), ids.generation(uint32_t(index))}; }
    bool is_valid(RuleId rule) const { return ids.is_valid(rule.index, rule.generation); }

    template <class Archive>
    void archive(Archive& a)
    {
        a(ids);
        a(defs);
        a(masks);
    }
};

int32_t create_rule(const RuleDef& def, Rules& rules);
void destroy_rule(int32_t rule, Rules& rules);

uint64_t rule_groups_of(const Bodies& bodies, int32_t body);

// Does a rule of this kind apply to the two bodies?
bool is_ruled(const Bodies& bodies, const Rules& rules, int32_t a, int32_t b, RuleKind kind);

} // namespace moraine
