#include "viewer/broadcast.h"

#include "record/frame_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace moraine::viewer
{

namespace
{

constexpr uint8_t frame_message = 1;
constexpr uint8_t frame_is_whole = 1, frame_is_playing = 2;
constexpr size_t events_kept = 2000, events_told = 400;
constexpr size_t numbers_kept = 240;

uint32_t index_and_flags(size_t index, const ViewMover& mover)
{
    return uint32_t(index) | (mover.is_awake ? 1u << 31 : 0);
}

template <class Each>
void write_counted(ByteWriter& out, const std::vector<uint64_t>& versions, uint64_t since, Each&& each)
{
    const auto is_newer = [&](uint64_t version) { return version > since; };
    out.varint(uint64_t(std::count_if(versions.begin(), versions.end(), is_newer)));
    for (size_t i = 0; i < versions.size(); ++i)
        if (is_newer(versions[i]))
            each(i);
}

} // namespace

DVec3 origin_of(const World& world)
{
    DVec3 sum{};
    double count = 0;
    for (BodyId body : world.bodies())
        if (world.type(body) != BodyType::static_)
        {
            sum += world.pose(body).position;
            ++count;
        }
    const auto rounded = [&](double x) { return count > 0 ? std::round(x / count / 1000) * 1000 : 0; };
    return {rounded(sum.x), rounded(sum.y), rounded(sum.z)};
}

void Broadcast::begin(const World& world, ColorOf color_of)
{
    const std::lock_guard lock(mutex_);
    ++epoch_;
    observer_ = Observer(std::move(color_of));
    body_versions_.clear(), pose_versions_.clear(), flag_versions_.clear();
    origin_ = origin_of(world);
    events_.clear();
    numbers_.clear();
}

void Broadcast::add_channel(Channel channel)
{
    if (channels_.size() < channel_limit)
        channels_.push_back(std::move(channel));
}

std::vector<ContactInfo> Broadcast::contacts(const World& world) const
{
    return contacts_of_ ? contacts_of_(world) : world.contacts();
}

void Broadcast::after_step(const World& world) const
{
    for (const Channel& channel : channels_)
        if (channel.after_step)
            channel.after_step(world);
}

void Broadcast::note_changes()
{
    body_versions_.resize(observer_.state().bodies.size());
    pose_versions_.resize(observer_.state().movers.size());
    flag_versions_.resize(observer_.state().movers.size());
    for (int32_t i : observer_.changes().bodies)
        body_versions_[size_t(i)] = version_;
    for (int32_t i : observer_.changes().movers)
        pose_versions_[size_t(i)] = version_;
    for (int32_t i : observer_.changes().flags)
        flag_versions_[size_t(i)] = version_;
}

void Broadcast::publish(const World& world, const PlayState& play, const std::vector<float>& stats,
                        const std::vector<FrameEvent>& events)
{
    const std::lock_guard lock(mutex_);
    ++version_;
    observer_.observe(world);
    note_changes();
    step_ = world.step_count();
    time_ = world.time();
    play_ = play;
    if (!stats.empty())
        numbers_.push_back({version_, time_, stats});
    if (numbers_.size() > numbers_kept)
        numbers_.pop_front();
    for (const FrameEvent& event : events)
        events_.push_back({step_, event});
    events_seen_ += events.size();
    if (events_.size() > events_kept)
        events_.erase(events_.begin(), events_.end() - ptrdiff_t(events_kept));
    overlays_.clear();
    ByteWriter out(overlays_);
    write_overlays(world, wanted_.overlays, origin_, out, contacts_of_);
    write_channels(world, channels_, wanted_.channels, out);
    latest_version_ = version_;
}

void Broadcast::write_head(ByteWriter& out, const Cursor& cursor) const
{
    out.raw(frame_message);
    out.raw(uint8_t((cursor.epoch != epoch_ ? frame_is_whole : 0) | (play_.is_playing ? frame_is_playing : 0)));
    out.varint(step_);
    out.raw(time_);
    out.raw(origin_.x), out.raw(origin_.y), out.raw(origin_.z);
    out.raw(play_.speed);
    out.raw(play_.steps_per_second);
}

void Broadcast::write_bodies(ByteWriter& out, uint64_t since) const
{
    size_t last = 0;
    write_counted(out, body_versions_, since, [&](size_t i) {
        out.varint(i - last);
        last = i;
        write_body(out, observer_.state().bodies[i]);
    });
}

void Broadcast::write_movers(ByteWriter& out, uint64_t since) const
{
    const std::vector<ViewMover>& movers = observer_.state().movers;
    write_counted(out, pose_versions_, since, [&](size_t i) {
        const Vec3 p = relative(movers[i].pose.position, origin_);
        const Quat r = movers[i].pose.rotation;
        const uint32_t head = index_and_flags(i, movers[i]);
        out.raw(std::array{std::bit_cast<float>(head), p.x, p.y, p.z, r.x, r.y, r.z, r.w});
    });
    write_counted(out, flag_versions_, since, [&](size_t i) { out.raw(index_and_flags(i, movers[i])); });
}

void Broadcast::write_numbers(ByteWriter& out, uint64_t since) const
{
    const auto first = std::find_if(numbers_.begin(), numbers_.end(),
                                    [&](const Numbers& row) { return row.version > since; });
    out.varint(size_t(numbers_.end() - first));
    for (auto row = first; row != numbers_.end(); ++row)
    {
        out.raw(row->time);
        out.varint(row->values.size());
        for (float value : row->values)
            out.raw(value);
    }
}

void Broadcast::write_events(ByteWriter& out, uint64_t since) const
{
    const size_t count = std::min<size_t>({events_.size(), size_t(events_seen_ - since), events_told});
    out.varint(count);
    for (size_t i = events_.size() - count; i < events_.size(); ++i)
    {
        const Event& e = events_[i];
        out.raw(uint8_t(e.event.kind));
        out.varint(e.step);
        out.varint(e.event.a);
        out.varint(e.event.b);
        out.raw(e.event.value);
    }
}

Cursor Broadcast::end_cursor() const
{
    return {epoch_, version_, observer_.visuals().count(), observer_.visuals().asset_count(), events_seen_};
}

FrameBytes Broadcast::next_frame(Cursor& cursor)
{
    const std::lock_guard lock(mutex_);
    if (version_ == 0 || (cursor.epoch == epoch_ && cursor.version == version_))
        return nullptr;
    Cursor from = cursor.epoch == epoch_ ? cursor : Cursor{};
    if (cached_ && cached_from_.epoch == from.epoch && cached_from_.version == from.version &&
        cached_to_.epoch == epoch_ && cached_to_.version == version_)
    {
        cursor = cached_to_;
        return cached_;
    }
    auto bytes = std::make_shared<std::vector<uint8_t>>();
    bytes->reserve(last_size_ + last_size_ / 4);
    ByteWriter out(*bytes);
    write_head(out, from);
    observer_.visuals().write(out, from.visuals, from.assets);
    write_bodies(out, from.version);
    write_movers(out, from.version);
    write_numbers(out, from.version);
    write_events(out, from.epoch == epoch_ ? from.events : events_seen_);
    out.bytes(overlays_);
    last_size_ = bytes->size();
    cached_from_ = from;
    cached_to_ = cursor = end_cursor();
    cached_ = bytes;
    return cached_;
}

} // namespace moraine::viewer
