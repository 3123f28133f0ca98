// What can be seen of a world: who is where. Bodies hang on movers, so that a collection of a thousand bodies that moves
// is one pose that changes.
#pragma once

#include "record/visuals.h"

#include <functional>

namespace moraine
{

struct ViewBody
{
    int32_t visual = -1; // -1: no such body
    int32_t mover = -1;
    Transform local{};       // of the body's frame in the mover's
    uint32_t collection = 0; // 0: free. Several may hang on one mover: all that rides on one deck

    friend bool operator==(const ViewBody&, const ViewBody&) = default;
};

struct ViewMover
{
    Pose pose{};
    bool is_awake = false; // or static: what is merged with the ground is shown as merged. A carrier at rest sleeps

    friend bool operator==(const ViewMover&, const ViewMover&) = default;
};

struct ViewState
{
    std::vector<ViewBody> bodies{}; // by the index of the body's handle
    std::vector<ViewMover> movers{};

    bool has_body(int32_t i) const { return i >= 0 && size_t(i) < bodies.size() && bodies[size_t(i)].visual >= 0; }
    Pose pose(int32_t body) const
    {
        const ViewBody& b = bodies[size_t(body)];
        return movers[size_t(b.mover)].pose * b.local;
    }
};

// What is different from the state before, in index order.
struct ViewChanges
{
    std::vector<int32_t> bodies{}; // came, went, hang elsewhere or are in another collection
    std::vector<int32_t> movers{}; // other pose
    std::vector<int32_t> flags{};  // movers that fell asleep or woke
};

using ColorOf = std::function<uint32_t(BodyId)>;

// Looks at a world again and again and notes what changed.
class Observer
{
public:
    explicit Observer(ColorOf color_of = {}) : color_of_(std::move(color_of)) {}

    void observe(const World& world);
    const ViewState& state() const { return state_; }
    const ViewChanges& changes() const { return changes_; }
    const VisualTable& visuals() const { return visuals_; }

private:
    void observe_bodies(const World& world);
    void observe_movers(const World& world);
    int32_t add_visual(const World& world, BodyId body);

    ColorOf color_of_;
    ViewState state_;
    ViewChanges changes_;
    VisualTable visuals_;
    std::vector<uint32_t> generations_; // by body
};

} // namespace moraine
