// What can be seen of a world.
#include "record/view_state.h"
#include "support/test_world.h"

namespace moraine::test
{

// Riders sleep with what carries them: a deck that has come to rest, and its load with it.
TEST(Observer, SeesWhoSleepsOnACarrier)
{
    WorldDef def;
    def.merging = true;
    TestWorld w(def);
    const BodyId deck = w.add({.type = BodyType::kinematic, .shapes = {{.geometry = Box{{5, 0.5f, 5}}}}});
    w->set_linear_velocity(deck, {0.2f, 0, 0});
    const BodyId rider = w.add_box({0, 1, 0});
    Observer observer;
    const auto is_shown_awake = [&] {
        observer.observe(*w);
        return observer.state().movers[size_t(observer.state().bodies[rider.index].mover)].is_awake;
    };
    w.run_seconds(4);
    ASSERT_TRUE(w->is_merged(rider));
    EXPECT_TRUE(is_shown_awake());
    w->set_linear_velocity(deck, {});
    w.run_seconds(4);
    ASSERT_FALSE(w->is_awake(rider));
    EXPECT_FALSE(is_shown_awake());
}

} // namespace moraine::test
