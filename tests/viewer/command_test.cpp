// What pages may send.
#include "viewer/command.h"
#include "viewer/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace moraine::viewer
{

using testing::HasSubstr;

TEST(ViewerCommand, IsReadFromJson)
{
    const auto command = parse_command(R"({"do":"drag","body":7,"a":[1,2,3],"b":[-4,5.5,6]})");
    ASSERT_TRUE(command.has_value()) << command.error().message;
    EXPECT_EQ(command->kind, CommandKind::drag);
    EXPECT_EQ(command->body, 7u);
    EXPECT_EQ(command->a, DVec3(1, 2, 3));
    EXPECT_EQ(command->b, DVec3(-4, 5.5, 6));
    const auto load = parse_command(R"({"do":"load","text":"ferry","parameters":{"rows":3,"seed":"1"}})");
    ASSERT_TRUE(load.has_value());
    EXPECT_EQ(load->text, "ferry");
    EXPECT_EQ(load->parameters.at("rows"), "3");
}

TEST(ViewerCommand, RefusesWhatMakesNoSense)
{
    for (const char* text :
         {"", "{", "[]", "7", "null", R"({"do":7})", R"({"do":"fly"})", R"({"do":"play","a":[1,2]})",
          R"({"do":"poke","a":[1,2,"3"]})", R"({"do":"poke","b":[1e300,0,0]})", R"({"do":"poke","b":[1e999,0,0]})",
          R"({"do":"drag","body":-1})", R"({"do":"drag","body":1.5})", R"({"do":"speed","value":"fast"})",
          R"({"do":"load","parameters":{"a":{}}})", R"({"do":"play","what":1})", "\xff\xfe"})
        EXPECT_FALSE(parse_command(text).has_value()) << text;
    EXPECT_FALSE(parse_command(std::string(100'000, ' ') + R"({"do":"play"})").has_value());
    EXPECT_FALSE(
        parse_command(R"({"do":"play","a":)" + std::string(7000, '[') + std::string(7000, ']') + "}").has_value());
}

TEST(ViewerCommand, SurvivesAnyBytes)
{
    std::mt19937 random(1);
    const std::string good = R"({"do":"drag","body":7,"a":[1,2,3],"b":[-4,5.5,6],"text":"x","parameters":{"k":1}})";
    for (int round = 0; round < 20'000; ++round)
    {
        std::string text = good;
        for (int edits = int(random() % 4); edits >= 0; --edits)
            text[random() % text.size()] = char(random());
        (void)parse_command(text);
    }
}

TEST(ViewerCommand, QueueStaysBounded)
{
    CommandQueue queue;
    queue.push({.kind = CommandKind::drag});
    for (int i = 0; i < 5000; ++i)
        queue.push({.kind = CommandKind::drag_move, .value = double(i)});
    queue.push({.kind = CommandKind::drag_end});
    const std::vector<Command> taken = queue.take(0);
    EXPECT_LE(taken.size(), 1000u);
    // Motions may be lost, the beginning and the end of the drag not.
    EXPECT_EQ(taken.front().kind, CommandKind::drag);
    EXPECT_EQ(taken.back().kind, CommandKind::drag_end);
    EXPECT_EQ(taken[taken.size() - 2].value, 4999);
}

TEST(ViewerRequest, PathsDoNotClimb)
{
    EXPECT_EQ(parse_target("/").path, "/");
    EXPECT_EQ(parse_target("/thumbnail/pile_5000?token=abc").path, "/thumbnail/pile_5000");
    EXPECT_EQ(parse_target("/ws?x=1&token=abc&y").token, "abc");
    for (const char* path :
         {"", "etc", "/../etc/passwd", "/a/..", "//etc", "/%2e%2e/etc", "/a\\b", "/a b", "http://x/"})
        EXPECT_EQ(parse_target(path).path, "") << path;
}

TEST(ViewerRequest, PagesFromElsewhereAreRefused)
{
    EXPECT_TRUE(is_host_allowed("localhost:8080", true));
    EXPECT_TRUE(is_host_allowed("127.0.0.1:8080", true));
    EXPECT_TRUE(is_host_allowed("[::1]:8080", true));
    EXPECT_FALSE(is_host_allowed("evil.example:8080", true));
    EXPECT_FALSE(is_host_allowed("", true));
    EXPECT_FALSE(is_host_allowed("localhost.evil.example", true));
    EXPECT_TRUE(is_origin_allowed("", "localhost:8080"));
    EXPECT_TRUE(is_origin_allowed("http://localhost:8080", "localhost:8080"));
    EXPECT_FALSE(is_origin_allowed("http://localhost:9999", "localhost:8080"));
    EXPECT_FALSE(is_origin_allowed("http://evil.example", "localhost:8080"));
    EXPECT_FALSE(is_origin_allowed("null", "localhost:8080"));
    EXPECT_FALSE(is_origin_allowed("http://", ""));
    EXPECT_TRUE(is_same_secret("abc", "abc"));
    EXPECT_FALSE(is_same_secret("abc", "abd"));
    EXPECT_FALSE(is_same_secret("abc", "ab"));
}

} // namespace moraine::viewer
