// What `moraine run` measures and writes.
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
using testing::Not;

class Run : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!has_binary())
            GTEST_SKIP() << "no command to run";
    }
    Answer run(std::vector<std::string> arguments) const
    {
        arguments.insert(arguments.begin(), "run");
        return run_moraine(arguments, folder.path());
    }
    json run_json(std::vector<std::string> arguments) const
    {
        arguments.push_back("--json");
        const Answer answer = run(arguments);
        EXPECT_EQ(answer.exit_code, 0) << answer.err;
        return json::parse(answer.out, nullptr, false);
    }

    ScratchFolder folder;
    const std::vector<std::string> small{"pyramid", "--param", "base=5"};
    std::vector<std::string> small_with(const std::vector<std::string>& more) const
    {
        std::vector<std::string> all = small;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
};

} // namespace

TEST_F(Run, JsonHasEveryFieldThatScriptsRelyOn)
{
    const json result = run_json(small_with({"--steps", "20", "--threads", "2"}));
    ASSERT_TRUE(result.is_object());
    EXPECT_EQ(result["scene"], "pyramid");
    EXPECT_EQ(result["steps"], 20);
    EXPECT_EQ(result["threads"], 2);
    EXPECT_EQ(result["state_hash"].get<std::string>().size(), 16u);
    EXPECT_EQ(result["bodies"]["dynamic"], 15); // 5 + 4 + 3 + 2 + 1
    EXPECT_GE(result["bodies"]["total"], 16);
    for (const char* key : {"movers_mean", "merged_mean", "asleep_mean"})
        EXPECT_TRUE(result["bodies"][key].is_number()) << key;
    for (const char* key : {"solved_mean", "internal_mean"})
        EXPECT_TRUE(result["contacts"][key].is_number()) << key;
    for (const char* key : {"merges", "unmerges", "collections_end"})
        EXPECT_TRUE(result["merging"][key].is_number_integer()) << key;
    for (const char* key : {"mean", "p50", "p99", "max"})
        EXPECT_GT(result["ms_per_step"][key], 0.0) << key;
    for (const char* key : {"find_pairs", "collide", "solve", "integrate", "merge", "sleep"})
        EXPECT_TRUE(result["ms_per_step"]["phases"][key].is_number()) << key;
    for (const char* key :
         {"penetration_max", "penetration_mean", "joint_error_max", "energy_start", "energy_end", "carrier_drift_max"})
        EXPECT_TRUE(result["quality"][key].is_number()) << key;
}

TEST_F(Run, TakesDurationsInStepsAndSeconds)
{
    EXPECT_EQ(run_json(small_with({"--seconds", "0.5", "--dt", "0.01"}))["steps"], 50);
    EXPECT_EQ(run_json(small_with({"--steps", "0"}))["steps"], 0);
}

TEST_F(Run, GivesTheSameStateForAnyNumberOfThreads)
{
    const json one = run_json(small_with({"--steps", "60", "--threads", "1"}));
    const json two = run_json(small_with({"--steps", "60", "--threads", "2"}));
    EXPECT_EQ(one["state_hash"], two["state_hash"]);
}

TEST_F(Run, GoesOnFromASnapshotAsIfItHadNeverStopped)
{
    const json whole = run_json(small_with({"--steps", "60"}));
    run_json(small_with({"--steps", "25", "--snapshot", "middle.snapshot"}));
    const json rest = run_json(small_with({"--steps", "35", "--from", "middle.snapshot"}));
    EXPECT_EQ(rest["first_step"], 25);
    EXPECT_EQ(rest["steps"], 60);
    EXPECT_EQ(rest["state_hash"], whole["state_hash"]);
}

TEST_F(Run, SaysWhichOptionsASnapshotDoesNotTake)
{
    run_json(small_with({"--steps", "2", "--snapshot", "small.snapshot"}));
    const Answer other = run(
        small_with({"--steps", "1", "--from", "small.snapshot", "--merge", "steps=3", "--solver", "pgs"}));
    EXPECT_EQ(other.exit_code, 0);
    EXPECT_THAT(other.err, HasSubstr("--merge changes nothing"));
    EXPECT_THAT(other.err, HasSubstr("--solver changes nothing"));
    const Answer same = run(small_with({"--steps", "1", "--from", "small.snapshot", "--solver", "substep"}));
    EXPECT_THAT(same.err, Not(HasSubstr("changes nothing")));
}

TEST_F(Run, RefusesASnapshotOfAnotherScene)
{
    run_json(small_with({"--steps", "2", "--snapshot", "small.snapshot"}));
    const Answer answer = run({"pyramid", "--param", "base=6", "--from", "small.snapshot"});
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_THAT(answer.err, HasSubstr("small.snapshot: has 16 bodies"));
}

// An impulse after half a second gives a weightless body a velocity beyond all numbers; what is saved is the state
// before that step.
TEST_F(Run, SavesTheLastGoodStateWhenABodyBreaks)
{
    write_text(folder.file("boom.json"), R"({
        "name": "boom",
        "bodies": [
            {"type": "static", "position": [0, -1, 0], "shape": {"kind": "box", "half_extents": [50, 1, 50]}},
            {"name": "victim", "position": [0, 0.5, 0], "mass": 1e-24,
             "shape": {"kind": "box", "half_extents": [0.5, 0.5, 0.5]}},
            {"position": [5, 0.5, 0], "shape": {"kind": "box", "half_extents": [0.5, 0.5, 0.5]}}
        ],
        "events": [{"time": 0.5, "action": "impulse", "body": "victim", "impulse": [1e15, 1e15, 0], "point": [0, 1, 0]}]
        })");
    const Answer answer = run({"boom.json", "--steps", "60", "--json"});
    EXPECT_EQ(answer.exit_code, 3) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("victim"));
    EXPECT_THAT(answer.err, HasSubstr("boom.last_good.snapshot"));
    EXPECT_EQ(json::parse(answer.out)["steps"], 60); // the others went on

    const json good = run_json({"boom.json", "--from", "boom.last_good.snapshot", "--steps", "0"});
    const json fresh = run_json({"boom.json", "--steps", std::to_string(good["steps"].get<int>())});
    EXPECT_GE(good["steps"], 29);
    EXPECT_LE(good["steps"], 31);
    EXPECT_EQ(good["state_hash"], fresh["state_hash"]);
    EXPECT_EQ(run({"boom.json", "--from", "boom.last_good.snapshot", "--steps", "2"}).exit_code, 3);
}

TEST_F(Run, TakesTheLimitsOfMerging)
{
    const auto merges = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--merging", "on", "--sleeping", "off", "--steps", "60"});
        return run_json(small_with(more))["merging"]["merges"].get<int>();
    };
    EXPECT_GT(merges({}), 0);
    EXPECT_EQ(merges({"--merge", "steps=100", "--merge", "checks_slip=off"}), 0);
    const Answer unknown = run(small_with({"--merge", "sped=1"}));
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_NE(unknown.err.find("known are speed, slip_speed"), std::string::npos) << unknown.err;
    EXPECT_EQ(run(small_with({"--merge", "checks_slip=maybe"})).exit_code, 2);
}

TEST_F(Run, WritesOneLineOfStatisticsForEachStepOfTheWindow)
{
    run_json(small_with({"--steps", "20", "--window", "5:15", "--stats", "stats.csv"}));
    const std::string text = read_text(folder.file("stats.csv"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
    const std::string header = text.substr(0, text.find('\n'));
    EXPECT_THAT(header, testing::StartsWith("step,time,ms,"));
    EXPECT_THAT(header, HasSubstr("ms_solve"));
    const auto fields = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
    const size_t second = text.find('\n') + 1;
    EXPECT_EQ(fields(header), fields(text.substr(second, text.find('\n', second) - second)));
    EXPECT_EQ(text.substr(second, 2), "6,"); // after the step that began at 5
}

// Nothing pushes a standing pyramid, so nothing in it may drift.
TEST_F(Run, ReportsNoDriftForAPyramidThatStands)
{
    const json result = run_json(small_with({"--steps", "240", "--window", "120:240"}));
    EXPECT_LT(result["quality"]["carrier_drift_max"], 0.005);
    EXPECT_LT(result["quality"]["penetration_max"], 0.02);
}

// A box that creeps over ice at 5 cm/s is slow enough to count as resting, and creeps 6 cm in 1.2 s.
TEST_F(Run, DriftIsMeasuredAgainstTheCarrier)
{
    write_text(folder.file("creep.json"), R"({
        "bodies": [
            {"type": "static", "position": [0, -1, 0],
             "shape": {"kind": "box", "half_extents": [50, 1, 50], "friction": 0}},
            {"position": [0, 0.5, 0], "linear_velocity": [0.05, 0, 0], "can_sleep": false, "can_merge": false,
             "shape": {"kind": "box", "half_extents": [0.5, 0.5, 0.5], "friction": 0}}
        ]})");
    const Answer valid = run_moraine({"validate", "creep.json"}, folder.path());
    ASSERT_EQ(valid.exit_code, 0) << valid.err;
    const json result = run_json({"creep.json", "--steps", "180", "--window", "60:180", "--dt", "0.01"});
    EXPECT_NEAR(result["quality"]["carrier_drift_max"].get<double>(), 0.05 * 1.2, 0.003);
}

TEST_F(Run, SummaryForPeopleNamesTheEssentials)
{
    const Answer answer = run(small_with({"--steps", "20"}));
    EXPECT_EQ(answer.exit_code, 0);
    for (const char* word : {"pyramid", "20 steps", "15 dynamic", "ms mean", "penetration", "state"})
        EXPECT_THAT(answer.out, HasSubstr(word));
    EXPECT_EQ(answer.err, ""); // no progress where nobody watches
}

TEST_F(Run, InterruptStopsCleanlyWithTheSummarySoFar)
{
    const Answer answer = interrupt_moraine({"run", "pyramid", "--steps", "2000000000", "--json"}, folder.path(), 1500);
    EXPECT_EQ(answer.exit_code, 130);
    const json result = json::parse(answer.out, nullptr, false);
    ASSERT_TRUE(result.is_object()) << answer.err;
    EXPECT_TRUE(result["interrupted"]);
    EXPECT_GT(result["steps"], 0);
}

// What workers computed together is recorded as one run, with the hash that the run itself gives.
TEST_F(Run, OfWorkersIsRecordedAsOne)
{
    const json result = run_json(
        {"bowl", "--param", "count=60", "--workers", "2", "--steps", "40", "--record", "w.mrec"});
    const Answer exported = run_moraine({"export", "w.mrec", "--table", "numbers", "-o", "w.csv"}, folder.path());
    ASSERT_EQ(exported.exit_code, 0) << exported.err;
    const std::string table = read_text(folder.file("w.csv"));
    EXPECT_THAT(table, HasSubstr("\n40,"));
    EXPECT_THAT(table.substr(table.find("\n40,")), HasSubstr(result["state_hash"].get<std::string>()));
}

} // namespace moraine::test
