// Who keeps what happens behind a page is told all of it: steps, steps back, and when another run begins.
#include "viewer/simulation.h"

#include <gmock/gmock.h>

namespace moraine::test
{

namespace
{

using namespace moraine::viewer;
using testing::ElementsAre;

class Notes : public Witness
{
public:
    void before_step(const Scene& scene, const SceneChoice& choice) override
    {
        from = scene.world().step_count();
        is_choice_told = !choice.parameters.empty();
    }
    void after_step(const Scene& scene, const StepReport& report, std::optional<uint64_t> state_hash) override
    {
        EXPECT_EQ(scene.world().step_count(), from + 1);
        EXPECT_GT(report.bodies_dynamic, 0);
        EXPECT_FALSE(state_hash.has_value());
        notes.push_back("step " + std::to_string(scene.world().step_count()));
    }
    void after_step_back(const Scene& scene) override
    {
        notes.push_back("back " + std::to_string(scene.world().step_count()));
    }
    void before_reload() override { notes.emplace_back("again"); }
    std::string name() const override { return "kept.mrec"; }

    std::vector<std::string> notes{};
    uint64_t from = 0;
    bool is_choice_told = false;
};

} // namespace

TEST(ViewerWitness, IsToldOfStepsForwardsAndBackAndOfNewBeginnings)
{
    Broadcast broadcast;
    CommandQueue commands;
    std::vector<std::string> said;
    Simulation simulation(broadcast, commands, [&](uint32_t, std::string text) { said.push_back(std::move(text)); });
    Notes witness;
    simulation.set_witness(witness);
    ASSERT_TRUE(simulation.load({.name = "pyramid", .parameters = {{"base", "3"}}}).has_value());
    EXPECT_THAT(simulation.hello(), testing::HasSubstr("kept.mrec"));
    simulation.set_playing(false);
    const auto obey = [&](CommandKind kind, const std::string& text = "", double value = 0) {
        commands.push({.kind = kind, .value = value, .text = text});
        simulation.turn(true);
    };
    for (int i = 0; i < 3; ++i)
        obey(CommandKind::step);
    obey(CommandKind::back);
    obey(CommandKind::back);
    obey(CommandKind::step);
    EXPECT_TRUE(witness.is_choice_told);
    EXPECT_THAT(witness.notes, ElementsAre("step 1", "step 2", "step 3", "back 2", "back 1", "step 2"));
    witness.notes.clear();
    obey(CommandKind::reset);
    obey(CommandKind::back); // nothing to go back to
    obey(CommandKind::step);
    obey(CommandKind::setting, "gravity", -5); // acts at once: the same run
    obey(CommandKind::step);
    obey(CommandKind::load, "card_house");
    obey(CommandKind::load, "no_such_scene"); // stays where it is
    obey(CommandKind::step);
    EXPECT_THAT(witness.notes, ElementsAre("again", "step 1", "step 2", "again", "step 1"));
}

} // namespace moraine::test
