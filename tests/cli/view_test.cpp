// What `moraine view` leaves behind.
#include "cli/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace moraine::test
{

namespace
{

using nlohmann::json;
using testing::HasSubstr;

class View : public testing::Test
{
protected:
    void SetUp() override
    {
        if (!has_binary())
            GTEST_SKIP() << "no command to run";
    }
    Answer run(const std::vector<std::string>& arguments) const { return run_moraine(arguments, folder.path()); }
    std::vector<std::string> view(const std::vector<std::string>& more) const
    {
        std::vector<std::string> all{"view", "pyramid", "--param", "base=5", "--no-browser", "--port", "0"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    // The line of the last step in the recording: number, time, hash, …
    std::string last_line(const std::string& recording) const
    {
        const Answer exported = run({"export", recording, "--table", "numbers", "-o", "numbers.csv"});
        EXPECT_EQ(exported.exit_code, 0) << exported.err;
        EXPECT_EQ(exported.err, ""); // not a word of a file that breaks off
        const std::string text = read_text(folder.file("numbers.csv"));
        return text.substr(text.rfind('\n', text.size() - 2) + 1);
    }
    // The state that `moraine run` comes to by as many steps.
    void expect_same_as_run(const std::string& last) const
    {
        const std::string steps = last.substr(0, last.find(','));
        ASSERT_GT(std::stoi(steps), 10);
        const Answer again = run({"run", "pyramid", "--param", "base=5", "--steps", steps, "--json"});
        EXPECT_THAT(last, HasSubstr(json::parse(again.out)["state_hash"].get<std::string>()));
    }

    ScratchFolder folder;
};

} // namespace

TEST_F(View, RecordsWhatIsSimulated)
{
    const Answer answer = run(view({"--for", "0.7", "--speed", "0", "--record", "a.mrec"}));
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_THAT(answer.out, HasSubstr("Recorded a.mrec: "));
    expect_same_as_run(last_line("a.mrec"));
}

TEST_F(View, ClosesTheRecordingWhenItIsInterrupted)
{
    const Answer answer = interrupt_moraine(view({"--for", "100", "--record", "a.mrec"}), folder.path(), 1500);
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    expect_same_as_run(last_line("a.mrec"));
}

TEST_F(View, RecordsWorkersWithTheHashOfTheRun)
{
    const std::vector<std::string> bowl{"bowl", "--param", "count=60", "--workers", "2"};
    std::vector<std::string> shown{"view"}, alone{"run"};
    shown.insert(shown.end(), bowl.begin(), bowl.end());
    alone.insert(alone.end(), bowl.begin(), bowl.end());
    for (const char* word : {"--for", "1", "--speed", "0", "--no-browser", "--port", "0", "--record", "w.mrec"})
        shown.emplace_back(word);
    ASSERT_EQ(run(shown).exit_code, 0);
    const std::string last = last_line("w.mrec");
    for (const std::string& word : {std::string("--steps"), last.substr(0, last.find(',')), std::string("--json")})
        alone.push_back(word);
    EXPECT_THAT(last, HasSubstr(json::parse(run(alone).out)["state_hash"].get<std::string>()));
}

TEST_F(View, RefusesToRecordWhereItCannotAndLeavesFilesAsTheyAre)
{
    const Answer nowhere = run(view({"--for", "1", "--record", "no_such_folder/a.mrec"}));
    EXPECT_EQ(nowhere.exit_code, 2);
    EXPECT_THAT(nowhere.err, HasSubstr("no_such_folder/a.mrec: cannot be written"));
    EXPECT_EQ(run(view({"--for", "1", "--record-details", "all"})).exit_code, 2);
    EXPECT_EQ(run(view({"--for", "1", "--record", "a.mrec", "--record-details", "fish"})).exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder.file("a.mrec")));
    write_text(folder.file("old.mrec"), "what was there");
    // Nothing is simulated, so nothing is written over.
    EXPECT_EQ(run(view({"--for", "0.2", "--paused", "--record", "old.mrec"})).exit_code, 0);
    EXPECT_EQ(read_text(folder.file("old.mrec")), "what was there");
}

TEST_F(View, SaysThatTheDiskIsFull)
{
    if (!std::filesystem::exists("/dev/full"))
        GTEST_SKIP() << "no /dev/full";
    const Answer answer = run(view({"--for", "1.5", "--speed", "0", "--record", "/dev/full"}));
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_THAT(answer.err, HasSubstr("is the disk full?"));
}

} // namespace moraine::test
