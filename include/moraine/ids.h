// Handles: stable for the whole life of a thing, and recognised as stale afterwards.
#pragma once

#include <cstdint>

namespace moraine
{

// `index` 0xffffffff is "none". A destroyed thing's handle never becomes valid again.
template <class Tag>
struct Id
{
    uint32_t index = 0xffffffffu;
    uint32_t generation = 0;

    explicit operator bool() const { return index != 0xffffffffu; }
    friend bool operator==(Id, Id) = default;
    friend auto operator<=>(Id, Id) = default;
};

using BodyId = Id<struct BodyTag>;
using JointId = Id<struct JointTag>;
using RuleId = Id<struct RuleTag>;
using TimerId = Id<struct TimerTag>;

} // namespace moraine
