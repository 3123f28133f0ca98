// The server and the simulation behind it, as pages and less friendly clients meet them.
#include "viewer/page.h"
#include "viewer/page_client.h"
#include "viewer/server.h"
#include "viewer/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

namespace moraine::test
{

namespace
{

using namespace moraine::viewer;
using testing::HasSubstr;

// `moraine view`, without the command line.
class Viewer
{
public:
    explicit Viewer(const std::string& scene, SceneParameters parameters = {}, const std::string& token = "")
        : server_(broadcast_, commands_,
                  [](std::string_view path) -> std::optional<Document> {
                      if (path != "/")
                          return std::nullopt;
                      return Document{"text/html", std::make_shared<const std::string>("the page")};
                  }),
          simulation_(broadcast_, commands_,
                      [this](uint32_t client, std::string text) { server_.send_text(client, std::move(text)); })
    {
        const Status loaded = simulation_.load({scene, std::move(parameters), {}});
        EXPECT_TRUE(loaded.has_value()) << (loaded ? "" : loaded.error().message);
        const Status started = server_.start({.port = 0, .token = token});
        EXPECT_TRUE(started.has_value()) << (started ? "" : started.error().message);
        server_.set_greeting(simulation_.hello());
        thread_ = std::thread([this] {
            for (uint64_t shown = 0; !is_over_;)
            {
                simulation_.turn(server_.page_count() > 0);
                turns_ = turns_ + 1;
                if (broadcast_.version() != shown)
                    shown = broadcast_.version(), server_.notify();
            }
        });
    }
    ~Viewer()
    {
        is_over_ = true;
        commands_.wake();
        thread_.join();
        server_.stop();
    }
    uint16_t port() const { return server_.port(); }
    int page_count() const { return server_.page_count(); }
    uint64_t turns() const { return turns_; }

private:
    Broadcast broadcast_;
    CommandQueue commands_;
    Server server_;
    Simulation simulation_;
    std::atomic<bool> is_over_{false};
    std::atomic<uint64_t> turns_{0};
    std::thread thread_;
};

template <class Condition>
bool eventually(Condition&& condition)
{
    for (int i = 0; i < 500; ++i)
    {
        if (condition())
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
}

// Follows the frames until the condition holds.
template <class Condition>
bool follow(PageClient& page, PageState& state, Condition&& condition)
{
    for (int i = 0; i < 2000; ++i)
    {
        const auto frame = page.next_frame();
        if (!frame || !state.apply(*frame))
            return false;
        if (condition())
            return true;
    }
    return false;
}

const SceneParameters small{{"base", "5"}};

} // namespace

TEST(ViewerServer, AnswersRequestsAndRefusesOthers)
{
    Viewer viewer("pyramid", small);
    EXPECT_THAT(PageClient(viewer.port()).get("/"), HasSubstr("the page"));
    EXPECT_THAT(PageClient(viewer.port()).get("/"), HasSubstr("Content-Security-Policy"));
    EXPECT_THAT(PageClient(viewer.port()).get("/nothing"), HasSubstr("404"));
    EXPECT_THAT(PageClient(viewer.port()).get("/../../etc/passwd"), HasSubstr("404"));
    PageClient post(viewer.port());
    post.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    EXPECT_THAT(post.receive(), HasSubstr("405"));
    PageClient elsewhere(viewer.port());
    elsewhere.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    EXPECT_THAT(elsewhere.receive(), HasSubstr("403"));
    EXPECT_FALSE(PageClient(viewer.port()).open_page("/ws", "Origin: http://evil.example\r\n"));
    EXPECT_FALSE(PageClient(viewer.port()).open_page("/elsewhere"));
    const std::string own = "Origin: http://localhost:" + std::to_string(viewer.port()) + "\r\n";
    EXPECT_TRUE(PageClient(viewer.port()).open_page("/ws", own));
}

TEST(ViewerServer, WantsTheTokenWhereThereIsOne)
{
    Viewer viewer("pyramid", small, "0123456789abcdef");
    EXPECT_THAT(PageClient(viewer.port()).get("/"), HasSubstr("403"));
    EXPECT_THAT(PageClient(viewer.port()).get("/?token=0123456789abcdee"), HasSubstr("403"));
    EXPECT_THAT(PageClient(viewer.port()).get("/?token=0123456789abcdef"), HasSubstr("the page"));
    EXPECT_FALSE(PageClient(viewer.port()).open_page("/ws"));
    EXPECT_TRUE(PageClient(viewer.port()).open_page("/ws?token=0123456789abcdef"));
}

TEST(ViewerServer, ShowsBodiesThatMove)
{
    Viewer viewer("pyramid", small);
    PageClient page(viewer.port());
    ASSERT_TRUE(page.open_page());
    PageState state;
    ASSERT_TRUE(follow(page, state, [&] { return state.time > 0.2; }));
    EXPECT_GE(state.visuals.count(), 15u);
    EXPECT_TRUE(state.is_playing);
    // Head, index and pose: 32 bytes for each mover that moved.
    EXPECT_LE(state.mover_bytes, 40 * state.movers_told + 8);
}

// A page that says what it has shown is not told more than a few frames ahead: the next is what is, not what was.
TEST(ViewerServer, DoesNotTellAPageMoreThanItCanShow)
{
    Viewer viewer("pyramid", small);
    PageClient page(viewer.port());
    ASSERT_TRUE(page.open_page());
    ASSERT_TRUE(page.send_text(R"({"do": "seen", "value": 0})"));
    PageState state;
    const auto read_one = [&] {
        const auto frame = page.next_frame();
        ASSERT_TRUE(frame && state.apply(*frame));
    };
    for (int i = 0; i < 3; ++i)
        read_one();
    for (int round = 1; round < 4; ++round)
    {
        const uint64_t shown = state.step, turns = viewer.turns();
        ASSERT_TRUE(eventually([&] { return viewer.turns() > turns + 40; }));
        ASSERT_TRUE(page.send_text(R"({"do": "seen", "value": )" + std::to_string(3 * round) + "}"));
        read_one();
        EXPECT_GT(state.step, shown + 15) << "round " << round;
        // The plots miss nothing: numbers come for the pictures in between too, in order.
        EXPECT_GT(state.number_times.size(), 10u);
        EXPECT_TRUE(std::is_sorted(state.number_times.begin(), state.number_times.end()));
        EXPECT_DOUBLE_EQ(state.number_times.back(), state.time);
        read_one();
        read_one();
    }
    // More than was ever sent, or less than nothing, are nonsense that does no harm.
    ASSERT_TRUE(page.send_text(R"({"do": "seen", "value": 1e9})"));
    ASSERT_TRUE(page.send_text(R"({"do": "seen", "value": -5})"));
    ASSERT_TRUE(page.send_text(R"({"do": "seen", "value": 1000})"));
    read_one();
}

TEST(ViewerServer, StepsForwardAndBackToTheSameState)
{
    Viewer viewer("pyramid", small);
    PageClient page(viewer.port());
    ASSERT_TRUE(page.open_page());
    PageState state;
    page.send_text(R"({"do":"pause"})");
    page.send_text(R"({"do":"reset"})");
    for (int i = 0; i < 40; ++i)
        page.send_text(R"({"do":"step"})");
    ASSERT_TRUE(follow(page, state, [&] { return state.step == 40; }));
    // Something is done on the way that must be done again on the way back.
    page.send_text(R"({"do":"poke","body":10,"a":[0,1,0],"b":[0,500,900]})");
    std::vector<DVec3> seen;
    for (int i = 41; i <= 60; ++i)
    {
        page.send_text(R"({"do":"step"})");
        ASSERT_TRUE(follow(page, state, [&] { return state.step == uint64_t(i); }));
        seen.push_back(state.position(10));
    }
    EXPECT_GT(length(seen.back() - seen.front()), 1e-3);
    for (int i = 59; i >= 41; --i)
    {
        page.send_text(R"({"do":"back"})");
        ASSERT_TRUE(follow(page, state, [&] { return state.step == uint64_t(i); }));
        EXPECT_EQ(state.position(10), seen[size_t(i - 41)]) << "step " << i;
    }
}

TEST(ViewerServer, DragsABodyToWhereTheMouseIs)
{
    Viewer viewer("pyramid", {{"base", "1"}});
    PageClient page(viewer.port());
    ASSERT_TRUE(page.open_page());
    PageState state;
    ASSERT_TRUE(follow(page, state, [&] { return state.step > 5; }));
    int32_t body = -1;
    for (int32_t i = 0; i < int32_t(state.state.bodies.size()); ++i)
        if (state.state.has_body(i) && state.visuals[state.state.bodies[size_t(i)].visual].type == BodyType::dynamic_)
            body = i;
    ASSERT_GE(body, 0);
    const std::string index = std::to_string(body);
    page.send_text(R"({"do":"drag","body":)" + index + R"(,"a":[0,0,0],"b":[0,1,0]})");
    page.send_text(R"({"do":"drag_move","b":[1,3,2]})");
    // A spring with a weight on it hangs m g / k lower: g / (2 pi 4 Hz)^2 is 16 mm.
    EXPECT_TRUE(follow(page, state, [&] { return length(state.position(uint32_t(body)) - DVec3(1, 3, 2)) < 0.05; }));
    page.send_text(R"({"do":"drag_end"})");
    EXPECT_TRUE(follow(page, state, [&] { return state.position(uint32_t(body)).y < 1; }));
}

TEST(ViewerServer, ShootsABallAndLoadsAnotherScene)
{
    Viewer viewer("pyramid", small);
    PageClient page(viewer.port());
    ASSERT_TRUE(page.open_page());
    PageState state;
    ASSERT_TRUE(follow(page, state, [&] { return state.step > 2; }));
    const size_t before = state.visuals.count();
    page.send_text(R"({"do":"shoot","a":[0,5,10],"b":[0,0,-20],"value":0.3})");
    ASSERT_TRUE(follow(page, state, [&] { return state.visuals.count() == before + 1; }));
    page.send_text(R"({"do":"load","text":"slope","parameters":{}})");
    ASSERT_TRUE(follow(page, state, [&] { return state.visuals.count() < before; }));
    // Files are not for pages.
    page.send_text(R"({"do":"load","text":"/etc/passwd.json","parameters":{}})");
    const uint64_t step = state.step;
    EXPECT_TRUE(follow(page, state, [&] { return state.step > step + 10; }));
}

TEST(ViewerServer, BadMessagesAndFramesEndOnlyTheirOwnConnection)
{
    Viewer viewer("pyramid", small);
    PageClient good(viewer.port());
    ASSERT_TRUE(good.open_page());
    std::mt19937 random(3);
    for (int round = 0; round < 150; ++round)
    {
        PageClient bad(viewer.port());
        std::string noise(1 + random() % 300, '\0');
        for (char& c : noise)
            c = char(random());
        if (round % 5 == 0)
            bad.send(noise);
        else if (round % 5 == 1)
            bad.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n");
        else if (bad.open_page())
        {
            if (round % 5 == 2)
                bad.send_text(noise);
            else if (round % 5 == 3)
                bad.send_frame(0x82, noise, uint64_t(1) << 40); // claims a terabyte
            else
                bad.send(noise); // no frame at all, then gone
        }
    }
    PageState state;
    EXPECT_TRUE(follow(good, state, [&] { return state.step > 5; }));
    EXPECT_TRUE(eventually([&] { return viewer.page_count() == 1; }));
}

TEST(ViewerServer, FiftyPagesSomeOfThemDeafDoNotHoldUpTheSimulation)
{
    Viewer viewer("pyramid", {{"base", "12"}});
    std::vector<PageClient> deaf;
    for (int i = 0; i < 25; ++i)
    {
        deaf.emplace_back(viewer.port(), true); // never reads a frame
        ASSERT_TRUE(deaf.back().open_page());
    }
    std::vector<PageClient> pages;
    for (int i = 0; i < 25; ++i)
    {
        pages.emplace_back(viewer.port());
        ASSERT_TRUE(pages.back().open_page());
    }
    ASSERT_TRUE(eventually([&] { return viewer.page_count() == 50; }));
    PageState state;
    const uint64_t before = viewer.turns();
    EXPECT_TRUE(follow(pages.front(), state, [&] { return state.time > 0.5; }));
    EXPECT_TRUE(eventually([&] { return viewer.turns() > before; })); // frames may have waited here for long
    // Those that come late, or read late, see the same.
    PageState late;
    EXPECT_TRUE(follow(pages.back(), late, [&] { return late.step >= state.step; }));
    deaf.clear();
    EXPECT_TRUE(eventually([&] { return viewer.page_count() == 25; }));
}

TEST(ViewerPage, HoldsARecordingOrNumbers)
{
    if (!has_pages())
        GTEST_SKIP() << "built without npm";
    EXPECT_THAT(page_with_recording("abc"), HasSubstr("id=\"recording\">YWJj<"));
    EXPECT_THAT(page_with_recording("abcd"), HasSubstr(">YWJjZA==<"));
    EXPECT_THAT(replay_page(), HasSubstr("<html lang=\"en\" data-replay"));
    const std::string report = report_with_data(R"({"a":"</script>"})");
    EXPECT_THAT(report, HasSubstr(R"({"a":"\u003c/script>"})"));
}

} // namespace moraine::test
