// Numbers for each body that a page can colour by. A module that knows something about bodies adds one entry: the page
// makes a way to colour of it without knowing more.
#pragma once

#include <moraine/world.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace moraine::viewer
{

enum class ChannelKind : uint8_t
{
    number,   // from calm blue to red, between `lower` and `upper`
    category, // whole numbers; each has a colour of its own
    color     // 0xRRGGBB, mixed by whoever knows what of
};

struct ColorLabel
{
    uint32_t color = 0;
    std::string label{};
};

struct Channel
{
    std::string name{};
    std::string label{};
    std::string unit{};
    ChannelKind kind = ChannelKind::number;
    float lower = 0;
    float upper = 0;                  // 0: as far as it goes
    std::vector<ColorLabel> legend{}; // what colours mean, where that can be said
    // By the index of the body's handle; those without one may be anything. Only asked while a page shows it.
    std::function<void(const World& world, std::vector<float>& values)> values_of{};
    // After every step, for what lasts only one and must not be missed.
    std::function<void(const World& world)> after_step{};
};

constexpr size_t channel_limit = 32;

// Where contacts come from: the world itself, or who has the worlds that it only follows.
using ContactsOf = std::function<std::vector<ContactInfo>(const World& world)>;
// Number of contacts and their force.
std::vector<Channel> contact_channels(const ContactsOf& contacts_of);
// What every world can tell.
std::vector<Channel> world_channels();
// Ways to colour: what the page knows by itself, and the channels.
std::vector<std::string> color_names(std::span<const Channel> channels);

// The colour of number i, and several of them mixed by weights that add up to one.
uint32_t category_color(uint32_t i);
struct ColorShare
{
    uint32_t color = 0;
    float weight = 0;
};
uint32_t mixed_color(std::span<const ColorShare> shares);

} // namespace moraine::viewer
