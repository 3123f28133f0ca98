// What people and scripts see of the command: its help, its answers to bad input, its lists and files.
#include "cli/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace moraine::test
{

namespace
{

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class Command : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!has_binary())
            GTEST_SKIP() << "no command to run";
    }
    Answer run(const std::vector<std::string>& arguments) const { return run_moraine(arguments, folder.path()); }

    ScratchFolder folder;
};

// One line that says where the trouble is, nothing on stdout, exit code 2.
void expect_refused(const Answer& answer, const std::string& names)
{
    EXPECT_EQ(answer.exit_code, 2) << answer.err;
    EXPECT_THAT(answer.err, StartsWith("moraine: "));
    EXPECT_THAT(answer.err, HasSubstr(names));
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
    EXPECT_EQ(answer.out, "");
}

} // namespace

TEST_F(Command, TellsItsVersion)
{
    const Answer answer = run({"--version"});
    EXPECT_EQ(answer.exit_code, 0);
    EXPECT_THAT(answer.out, StartsWith("moraine 0."));
}

TEST_F(Command, HelpsWithEveryCommandAndShowsExamples)
{
    const std::vector<std::vector<std::string>> calls{{"--help"},           {"list", "--help"},
                                                      {"run", "--help"},    {"validate", "--help"},
                                                      {"export", "--help"}, {"modes", "--help"}};
    for (const auto& call : calls)
    {
        const Answer answer = run(call);
        EXPECT_EQ(answer.exit_code, 0);
        EXPECT_THAT(answer.out, HasSubstr("Examples:"));
        EXPECT_EQ(answer.err, "");
    }
}

TEST_F(Command, MakesAModelShowsItAndRefusesBadOnes)
{
    const std::string model = folder.path() + "/board.modes", shapes = folder.path() + "/board.glb";
    const Answer made = run({"modes", "box:1x0.05x0.5", "--material", "steel", "--fix", "left", "--unknowns", "1500",
                             "--modes", "4", "--no-cache", "-o", model, "--glb", shapes});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_THAT(made.out, HasSubstr("frequency Hz"));
    // A cantilever: 3.516 / (2 pi) sqrt(E / (12 rho)) thickness / length^2.
    const Answer read = run({"modes", model, "--json"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    const double first = json::parse(read.out)["frequencies_hz"][0];
    EXPECT_NEAR(first, 3.516 / (2 * 3.14159) * std::sqrt(200e9 / (12 * 7850)) * 0.05, 0.05 * first);

    EXPECT_EQ(run({"modes", model, "--html", folder.path() + "/board.html"}).exit_code, 0);
    // By itself it is a scene, to look at.
    EXPECT_EQ(run({"run", model, "--steps", "2"}).exit_code, 0);

    expect_refused(run({"modes"}), "WHAT");
    expect_refused(run({"modes", "cube:1"}), "box:XxYxZ");
    expect_refused(run({"modes", "nothing.stl"}), "nothing.stl");
    expect_refused(run({"modes", "box:1x1x1", "--poisson", "0.5"}), "Poisson");
    expect_refused(run({"modes", "box:1x1x1", "--young", "-1"}), "Young");
    expect_refused(run({"modes", "box:1x1x1", "--material", "cheese"}), "wood");
    expect_refused(run({"modes", "box:1x1x1", "--fix", "somewhere"}), "--fix");
    expect_refused(run({"modes", shapes + ".modes"}), "cannot be read");
}

TEST_F(Command, RefusesBadUsageWithOneLine)
{
    expect_refused(run({}), "--help");
    expect_refused(run({"dance"}), "dance");
    expect_refused(run({"run"}), "SCENE");
    expect_refused(run({"run", "pyramid", "--colour", "red"}), "--colour");
    expect_refused(run({"run", "pyramid", "--steps", "many"}), "--steps");
    expect_refused(run({"run", "pyramid", "--steps", "-5"}), "--steps");
    expect_refused(run({"run", "pyramid", "--steps", "5", "--seconds", "1"}), "--seconds");
    expect_refused(run({"run", "pyramid", "--dt", "0"}), "--dt");
    expect_refused(run({"run", "pyramid", "--dt", "nan"}), "--dt");
    expect_refused(run({"run", "pyramid", "--seconds", "nan"}), "--seconds");
    expect_refused(run({"run", "pyramid", "--solver", "magic"}), "--solver");
    expect_refused(run({"run", "pyramid", "--merging", "maybe"}), "--merging");
    expect_refused(run({"run", "pyramid", "--param", "base"}), "KEY=VALUE");
    expect_refused(run({"run", "pyramid", "--window", "9"}), "--window");
    expect_refused(run({"run", "pyramid", "--window", "9:3"}), "--window");
    expect_refused(run({"run", "pyramid", "--steps", "5", "--window", "10:20"}), "0:5");
}

TEST_F(Command, RefusesBadScenesAndFiles)
{
    expect_refused(run({"run", "no_such_scene"}), "no_such_scene");
    expect_refused(run({"run", "pyramid", "--param", "bass=3"}), "bass");
    expect_refused(run({"run", "missing.json"}), "missing.json");
    expect_refused(run({"validate", "missing.json"}), "missing.json");
    expect_refused(run({"export", "pyramid", "-o", "missing/folder.json"}), "missing/folder.json");
    expect_refused(run({"export", "run.mrec", "-o", "run.png", "--color", "mood"}), "mood");
    expect_refused(run({"view", "pyramid", "--color", "worker", "--for", "1", "--no-browser"}), "worker");
    expect_refused(run({"run", "pyramid", "--steps", "1", "--record-details", "all"}), "--record FILE.mrec");
    expect_refused(run({"run", "pyramid", "--steps", "1", "--record", "a.mrec", "--record-details", "joints,fish"}),
                   "fish");
    expect_refused(run({"run", "pyramid", "--steps", "1", "--stats", "missing/stats.csv"}), "missing/stats.csv");
    expect_refused(run({"run", "pyramid", "--from", "missing.snapshot"}), "missing.snapshot");

    write_text(folder.file("broken.json"), "{\"bodies\": [");
    expect_refused(run({"run", "broken.json"}), "broken.json");
    expect_refused(run({"validate", "broken.json"}), "broken.json");
    write_text(folder.file("noise.snapshot"), "this is no snapshot");
    expect_refused(run({"run", "pyramid", "--from", "noise.snapshot"}), "noise.snapshot");
}

TEST_F(Command, ListsScenesForPeopleAndScripts)
{
    EXPECT_THAT(run({"list"}).out, HasSubstr("ferry"));
    EXPECT_THAT(run({"list", "pyramid"}).out, HasSubstr("--param base="));
    const json scenes = json::parse(run({"list", "--json"}).out);
    ASSERT_TRUE(scenes.is_array());
    const auto pyramid = std::find_if(scenes.begin(), scenes.end(),
                                      [](const json& scene) { return scene["name"] == "pyramid"; });
    ASSERT_NE(pyramid, scenes.end());
    EXPECT_EQ((*pyramid)["parameters"][0]["name"], "base");
}

TEST_F(Command, ExportsWhatItThenAcceptsAndRunsAlike)
{
    const Answer exported = run({"export", "pyramid", "--param", "base=4", "-o", "pyramid.json"});
    ASSERT_EQ(exported.exit_code, 0) << exported.err;
    const Answer checked = run({"validate", "pyramid.json"});
    EXPECT_EQ(checked.exit_code, 0) << checked.err;
    EXPECT_THAT(checked.out, HasSubstr("valid"));

    const json original = json::parse(run({"run", "pyramid", "--param", "base=4", "--steps", "30", "--json"}).out);
    const json copy = json::parse(run({"run", "pyramid.json", "--steps", "30", "--json"}).out);
    EXPECT_EQ(original["state_hash"], copy["state_hash"]);
}

} // namespace moraine::test
