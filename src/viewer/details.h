// Overlays and channels in a recording: what a live page would be told, told for every frame.
#pragma once

#include "record/recording.h"
#include "viewer/broadcast.h"

namespace moraine::viewer
{

class Details
{
public:
    // `words` are names of overlays and channels, or "all". `world` is the one that will be recorded, at its beginning.
    static Result<Details> create(const std::vector<std::string>& words, std::vector<Channel> channels,
                                  const World& world, ContactsOf contacts_of = {});
    static std::vector<std::string> words(std::span<const Channel> channels); // all that there are

    std::string describe() const; // JSON, for RecordInfo::details
    void write(const World& world, ByteWriter& out) const;

private:
    uint32_t overlays_ = 0;
    std::vector<Channel> channels_; // the wanted ones
    DVec3 origin_{};
    ContactsOf contacts_of_; // empty: the world's
};

} // namespace moraine::viewer
