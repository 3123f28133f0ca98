#include "viewer/details.h"

#include "viewer/describe_channels.h"

#include <algorithm>

namespace moraine::viewer
{

std::vector<std::string> Details::words(std::span<const Channel> channels)
{
    std::vector<std::string> words;
    for (const OverlayName& overlay : overlay_names)
        words.emplace_back(overlay.name);
    for (const Channel& channel : channels)
        words.push_back(channel.name);
    return words;
}

Result<Details> Details::create(const std::vector<std::string>& words, std::vector<Channel> channels,
                                const World& world, ContactsOf contacts_of)
{
    const std::vector<std::string> known = Details::words(channels);
    for (const std::string& word : words)
        if (word != "all" && std::find(known.begin(), known.end(), word) == known.end())
        {
            std::string all = "all";
            for (const std::string& name : known)
                all += ", " + name;
            return Error{"no details are called " + word + "; there are " + all};
        }
    const auto is_wanted = [&](const std::string& name) {
        return std::any_of(words.begin(), words.end(),
                           [&](const std::string& word) { return word == "all" || word == name; });
    };
    Details details;
    for (const OverlayName& overlay : overlay_names)
        details.overlays_ |= is_wanted(overlay.name) ? overlay.bit : 0u;
    for (Channel& channel : channels)
        if (is_wanted(channel.name))
            details.channels_.push_back(std::move(channel));
    details.origin_ = origin_of(world);
    details.contacts_of_ = std::move(contacts_of);
    return details;
}

std::string Details::describe() const
{
    nlohmann::json names = nlohmann::json::array();
    for (const OverlayName& overlay : overlay_names)
        if (overlays_ & overlay.bit)
            names.push_back(overlay.name);
    const nlohmann::json json{
        {"overlays", names}, {"channels", describe_channels(channels_)}, {"origin", {origin_.x, origin_.y, origin_.z}}};
    return json.dump();
}

void Details::write(const World& world, ByteWriter& out) const
{
    for (const Channel& channel : channels_)
        if (channel.after_step)
            channel.after_step(world);
    write_overlays(world, overlays_, origin_, out, contacts_of_);
    write_channels(world, channels_, ~0u, out);
}

} // namespace moraine::viewer
