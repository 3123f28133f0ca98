// The way back in time: a copy of the state now and then, and what pages did in between. The engine is deterministic,
// so going on from a copy and doing the same again arrives at the same state.
#pragma once

#include "viewer/command.h"

#include <moraine/world.h>

#include <deque>
#include <functional>

namespace moraine::viewer
{

class History
{
public:
    void clear();
    // Before each step: keeps a copy if it is time for one.
    void before_step(const World& world, const std::map<uint32_t, JointId>& drags);
    // After a page has changed the world, at the step it is at.
    void note(const World& world, const Command& command);

    // Brings the world to `step`; false where the copies do not reach back that far. What pages did on the way is given
    // to `act`, steps are taken by `advance`. What was done after `step` is forgotten.
    bool go_back(World& world, uint64_t step, std::map<uint32_t, JointId>& drags,
                 const std::function<void(const Command&)>& act, const std::function<void()>& advance);

private:
    struct Copy
    {
        uint64_t step = 0;
        std::vector<uint8_t> state{};
        std::map<uint32_t, JointId> drags{};
        uint64_t next_deed = 0; // the first that this state does not know of
    };
    struct Deed
    {
        uint64_t number = 0;
        uint64_t step = 0;
        Command command{};
    };

    std::deque<Copy> copies_;
    std::deque<Deed> deeds_;
    size_t bytes_ = 0;
    uint64_t next_deed_ = 0;
};

} // namespace moraine::viewer
