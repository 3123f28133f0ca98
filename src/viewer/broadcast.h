// What pages are shown: the latest state, with a note of when each part last changed. A page that has kept up gets what
// changed since; one that fell behind gets all that changed in between, once, however long it was away.
#pragma once

#include "record/frame.h"
#include "record/view_state.h"
#include "viewer/channels.h"

#include <atomic>
#include <deque>
#include <mutex>

namespace moraine::viewer
{

enum Overlay : uint32_t
{
    overlay_contacts = 1,
    overlay_graph = 2,
    overlay_bounds = 4,
    overlay_joints = 8,
    overlay_friction = 16,
    overlay_welds = 32
};

// As the command line and the page call them.
struct OverlayName
{
    const char* name;
    Overlay bit;
};
constexpr OverlayName overlay_names[] = {{"contacts", overlay_contacts}, {"friction", overlay_friction},
                                         {"graph", overlay_graph},       {"welds", overlay_welds},
                                         {"bounds", overlay_bounds},     {"joints", overlay_joints}};

// What pages want to see besides the bodies.
struct Wanted
{
    uint32_t overlays = 0;
    uint32_t channels = 0; // bit i: channel i
};

// How far a page is.
struct Cursor
{
    uint32_t epoch = 0; // 0: it has nothing yet
    uint64_t version = 0;
    size_t visuals = 0, assets = 0;
    uint64_t events = 0;
};

struct PlayState
{
    bool is_playing = false;
    float speed = 1;
    float steps_per_second = 0;
};

using FrameBytes = std::shared_ptr<const std::vector<uint8_t>>;

class Broadcast
{
public:
    explicit Broadcast(std::vector<Channel> channels = world_channels(), ContactsOf contacts_of = {})
        : channels_(std::move(channels)),
          contacts_of_(std::move(contacts_of))
    {}

    // A new scene: pages start afresh.
    void begin(const World& world, ColorOf color_of);
    // The world as it is now.
    void publish(const World& world, const PlayState& play, const std::vector<float>& stats,
                 const std::vector<FrameEvent>& events);

    // Of all pages together.
    void set_wanted(const Wanted& wanted) { wanted_ = wanted; }
    void add_channel(Channel channel);
    void after_step(const World& world) const; // to be called after every one, shown or not
    std::span<const Channel> channels() const { return channels_; }
    std::vector<ContactInfo> contacts(const World& world) const;

    // What a page with this cursor has to be told, and how far it is then; nothing where it is up to date.
    FrameBytes next_frame(Cursor& cursor);
    uint64_t version() const { return latest_version_; }

private:
    struct Event
    {
        uint64_t step;
        FrameEvent event;
    };

    struct Numbers // for the plots; pages that skip frames are told those in between
    {
        uint64_t version;
        double time;
        std::vector<float> values;
    };

    void note_changes();
    void write_head(ByteWriter& out, const Cursor& cursor) const;
    void write_bodies(ByteWriter& out, uint64_t since) const;
    void write_movers(ByteWriter& out, uint64_t since) const;
    void write_numbers(ByteWriter& out, uint64_t since) const;
    void write_events(ByteWriter& out, uint64_t since) const;
    Cursor end_cursor() const;

    mutable std::mutex mutex_;
    std::atomic<uint64_t> latest_version_{0};
    Wanted wanted_{};
    std::vector<Channel> channels_;
    ContactsOf contacts_of_; // empty: the world's

    uint32_t epoch_ = 0;
    uint64_t version_ = 0;
    Observer observer_;
    std::vector<uint64_t> body_versions_, pose_versions_, flag_versions_;
    DVec3 origin_{}; // positions are told relative to it, as floats
    uint64_t step_ = 0;
    double time_ = 0;
    PlayState play_{};
    std::deque<Numbers> numbers_; // the latest
    std::deque<Event> events_;    // the latest
    uint64_t events_seen_ = 0;    // ever
    std::vector<uint8_t> overlays_;

    // Pages that keep up are all told the same.
    Cursor cached_from_{};
    Cursor cached_to_{};
    FrameBytes cached_;
    size_t last_size_ = 0;
};

// A round number of metres near the middle of what moves, so that floats reach.
DVec3 origin_of(const World& world);
// Contacts, graph, … as the page draws them; appended to `out`. Contacts are the world's where nobody knows better.
void write_overlays(const World& world, uint32_t wanted, DVec3 origin, ByteWriter& out,
                    const ContactsOf& contacts_of = {});
// The wanted ones: number of the channel plus one, number of values, values; then 0.
void write_channels(const World& world, std::span<const Channel> channels, uint32_t wanted, ByteWriter& out);

} // namespace moraine::viewer
