#include "record/frame_codec.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr size_t index_limit = 8'000'000; // beyond any scene; a damaged file must not ask for all memory

uint8_t flags_of(const ViewMover& mover) { return mover.is_awake ? 1 : 0; }
void set_flags(ViewMover& mover, uint8_t flags) { mover.is_awake = (flags & 1) != 0; }

// Ascending numbers as steps from one to the next.
class StepWriter
{
public:
    explicit StepWriter(ByteWriter& out) : out_(out) {}
    void add(int32_t index)
    {
        out_.varint(uint64_t(index - last_));
        last_ = index;
    }

private:
    ByteWriter& out_;
    int32_t last_ = 0;
};

class StepReader
{
public:
    explicit StepReader(ByteReader& in) : in_(in) {}
    int32_t next()
    {
        at_ += in_.varint();
        if (at_ >= index_limit)
            in_.fail();
        return in_.is_good() ? int32_t(at_) : 0;
    }

private:
    ByteReader& in_;
    uint64_t at_ = 0;
};

ViewBody read_body(ByteReader& in, size_t visual_count)
{
    const uint8_t kind = in.raw<uint8_t>();
    if (kind == 0)
        return {};
    ViewBody body;
    body.visual = in.index(visual_count);
    body.mover = in.index(index_limit);
    body.collection = uint32_t(in.varint());
    if (kind == 1)
        return body;
    float values[7];
    for (float& value : values)
        value = in.raw<float>();
    body.local = {{values[0], values[1], values[2]}, {values[3], values[4], values[5], values[6]}};
    return body;
}

void write_frame(ByteWriter& out, const Frame& frame)
{
    out.varint(frame.step);
    out.raw(frame.time);
    out.raw(frame.state_hash);
    out.varint(frame.stats.size());
    for (float value : frame.stats)
        out.raw(value);
    out.varint(frame.events.size());
    for (const FrameEvent& event : frame.events)
        out.raw(uint8_t(event.kind));
    for (const FrameEvent& event : frame.events)
        out.varint(event.a);
    for (const FrameEvent& event : frame.events)
        out.varint(event.b);
    for (const FrameEvent& event : frame.events)
        if (event.kind == EventKind::hit)
            out.raw(event.value);
}

void read_frame(ByteReader& in, Frame& frame)
{
    frame.step = in.varint();
    frame.time = in.raw<double>();
    frame.state_hash = in.raw<uint64_t>();
    frame.stats.resize(in.count(4));
    for (float& value : frame.stats)
        value = in.raw<float>();
    frame.events.assign(in.count(3), {});
    for (FrameEvent& event : frame.events)
        event.kind = EventKind(std::min(in.raw<uint8_t>(), uint8_t(EventKind::count)));
    for (FrameEvent& event : frame.events)
        event.a = uint32_t(in.varint());
    for (FrameEvent& event : frame.events)
        event.b = uint32_t(in.varint());
    for (FrameEvent& event : frame.events)
        if (event.kind == EventKind::hit)
            event.value = in.raw<float>();
}

} // namespace

// ---- writing ----

void write_body(ByteWriter& out, const ViewBody& body)
{
    const bool is_plain = body.local == Transform{};
    out.raw(uint8_t(body.visual < 0 ? 0 : is_plain ? 1 : 2));
    if (body.visual < 0)
        return;
    out.varint(uint64_t(body.visual));
    out.varint(uint64_t(body.mover));
    out.varint(body.collection);
    if (is_plain)
        return;
    const Vec3 p = body.local.position;
    const Quat r = body.local.rotation;
    for (float value : {p.x, p.y, p.z, r.x, r.y, r.z, r.w})
        out.raw(value);
}

void FrameEncoder::begin_chunk(const ViewState& state, ByteWriter& out)
{
    bits_.assign(state.movers.size(), rotation_bits_min);
    tracks_.assign(state.movers.size(), {});
    active_.clear();
    const size_t count = size_t(
        std::count_if(state.bodies.begin(), state.bodies.end(), [](const ViewBody& body) { return body.visual >= 0; }));
    out.varint(count);
    StepWriter bodies(out);
    for (size_t i = 0; i < state.bodies.size(); ++i)
    {
        const ViewBody& body = state.bodies[i];
        if (body.visual < 0)
            continue;
        bodies.add(int32_t(i));
        write_body(out, body);
        int32_t& bits = bits_[size_t(body.mover)];
        bits = std::max(bits, rotation_bits(length(body.local.position)));
    }
    out.varint(state.movers.size());
    for (size_t i = 0; i < state.movers.size(); ++i)
    {
        tracks_[i].stand(to_whole(state.movers[i].pose, bits_[i], {}));
        out.raw(flags_of(state.movers[i]));
        write_whole(out, tracks_[i].now);
    }
}

// A body that came to hang farther out needs a finer rotation; the mover starts anew with it.
std::vector<int32_t> FrameEncoder::movers_with_other_bits(const ViewState& state, const ViewChanges& changes)
{
    std::vector<int32_t> movers;
    for (size_t i = tracks_.size(); i < state.movers.size(); ++i)
        movers.push_back(int32_t(i));
    tracks_.resize(state.movers.size());
    bits_.resize(state.movers.size(), rotation_bits_min);
    for (int32_t i : changes.bodies)
    {
        const ViewBody& body = state.bodies[size_t(i)];
        if (body.visual < 0)
            continue;
        const int32_t bits = rotation_bits(length(body.local.position));
        if (bits <= bits_[size_t(body.mover)])
            continue;
        bits_[size_t(body.mover)] = bits;
        movers.push_back(body.mover);
    }
    std::sort(movers.begin(), movers.end());
    movers.erase(std::unique(movers.begin(), movers.end()), movers.end());
    return movers;
}

void FrameEncoder::write_poses(const ViewState& state, ByteWriter& out)
{
    poses_.clear();
    for (int32_t m : active_)
        poses_.push_back(to_whole(state.movers[size_t(m)].pose, bits_[size_t(m)], tracks_[size_t(m)].now));
    // Column by column: like numbers side by side compress well.
    for (int column = 0; column < pose_columns; ++column)
        for (size_t i = 0; i < active_.size(); ++i)
            out.signed_varint(PoseTrack::component(poses_[i], column) - tracks_[size_t(active_[i])].predicted(column));
    for (size_t i = 0; i < active_.size(); ++i)
        tracks_[size_t(active_[i])].advance(poses_[i]);
}

void FrameEncoder::add(const ViewState& state, const ViewChanges& changes, const Frame& frame, ByteWriter& out)
{
    write_frame(out, frame);
    out.varint(changes.bodies.size());
    StepWriter bodies(out);
    for (int32_t i : changes.bodies)
    {
        bodies.add(i);
        write_body(out, state.bodies[size_t(i)]);
    }

    const std::vector<int32_t> anew = movers_with_other_bits(state, changes);
    out.varint(anew.size());
    StepWriter anew_steps(out);
    for (int32_t m : anew)
    {
        tracks_[size_t(m)].stand(to_whole(state.movers[size_t(m)].pose, bits_[size_t(m)], {}));
        anew_steps.add(m);
        write_whole(out, tracks_[size_t(m)].now);
    }

    out.varint(changes.flags.size());
    StepWriter flags(out);
    for (int32_t m : changes.flags)
    {
        flags.add(m);
        out.raw(flags_of(state.movers[size_t(m)]));
    }

    // Who moves changes little from frame to frame: only those that begin or cease to move are named.
    std::vector<int32_t> toggled;
    std::set_symmetric_difference(active_.begin(), active_.end(), changes.movers.begin(), changes.movers.end(),
                                  std::back_inserter(toggled));
    out.varint(toggled.size());
    StepWriter toggled_steps(out);
    for (int32_t m : toggled)
    {
        toggled_steps.add(m);
        tracks_[size_t(m)].stand(tracks_[size_t(m)].now);
    }
    active_ = changes.movers;
    write_poses(state, out);
}

// ---- reading ----

bool FrameDecoder::begin_chunk(ByteReader& in, size_t visual_count, ViewState& state)
{
    visual_count_ = visual_count;
    active_.clear();
    state.bodies.clear();
    read_bodies(in, state);
    const size_t count = in.count(9);
    state.movers.assign(count, {});
    tracks_.assign(count, {});
    for (size_t i = 0; i < count; ++i)
    {
        set_flags(state.movers[i], in.raw<uint8_t>());
        tracks_[i].stand(read_whole(in));
        state.movers[i].pose = to_pose(tracks_[i].now);
    }
    for (const ViewBody& body : state.bodies)
        if (body.visual >= 0 && size_t(body.mover) >= count)
            in.fail();
    return in.is_good();
}

void FrameDecoder::read_bodies(ByteReader& in, ViewState& state)
{
    StepReader steps(in);
    for (size_t left = in.count(2); left > 0 && in.is_good(); --left)
    {
        const int32_t i = steps.next();
        const ViewBody body = read_body(in, visual_count_);
        if (!in.is_good())
            return;
        if (size_t(i) >= state.bodies.size())
            state.bodies.resize(size_t(i) + 1);
        state.bodies[size_t(i)] = body;
    }
}

void FrameDecoder::read_poses(ByteReader& in, ViewState& state)
{
    std::vector<WholePose> poses;
    for (int32_t m : active_)
    {
        poses.emplace_back();
        poses.back().bits = tracks_[size_t(m)].now.bits;
    }
    for (int column = 0; column < pose_columns; ++column)
        for (size_t i = 0; i < active_.size(); ++i)
        {
            const int64_t predicted = tracks_[size_t(active_[i])].predicted(column);
            const int64_t value = int64_t(uint64_t(predicted) + uint64_t(in.signed_varint()));
            (column < 3 ? poses[i].position[column] : poses[i].rotation[column - 3]) = value;
        }
    for (size_t i = 0; i < active_.size(); ++i)
    {
        tracks_[size_t(active_[i])].advance(poses[i]);
        state.movers[size_t(active_[i])].pose = to_pose(poses[i]);
    }
}

bool FrameDecoder::next(ByteReader& in, ViewState& state, Frame& frame)
{
    read_frame(in, frame);
    read_bodies(in, state);

    StepReader anew(in);
    for (size_t left = in.count(9); left > 0 && in.is_good(); --left)
    {
        const int32_t m = anew.next();
        if (size_t(m) > tracks_.size()) // new ones come one after the other
        {
            in.fail();
            break;
        }
        if (size_t(m) == tracks_.size())
        {
            tracks_.emplace_back();
            state.movers.emplace_back();
        }
        tracks_[size_t(m)].stand(read_whole(in));
        state.movers[size_t(m)].pose = to_pose(tracks_[size_t(m)].now);
    }
    StepReader flags(in);
    for (size_t left = in.count(2); left > 0 && in.is_good(); --left)
    {
        const int32_t m = flags.next();
        const uint8_t value = in.raw<uint8_t>();
        if (size_t(m) < state.movers.size())
            set_flags(state.movers[size_t(m)], value);
    }
    std::vector<int32_t> toggled;
    StepReader steps(in);
    for (size_t left = in.count(); left > 0 && in.is_good(); --left)
    {
        const int32_t m = steps.next();
        if (size_t(m) >= tracks_.size() || (!toggled.empty() && m <= toggled.back()))
            in.fail();
        else
        {
            toggled.push_back(m);
            tracks_[size_t(m)].stand(tracks_[size_t(m)].now);
        }
    }
    std::vector<int32_t> active;
    std::set_symmetric_difference(active_.begin(), active_.end(), toggled.begin(), toggled.end(),
                                  std::back_inserter(active));
    active_ = std::move(active);
    read_poses(in, state);
    for (const ViewBody& body : state.bodies)
        if (body.visual >= 0 && size_t(body.mover) >= state.movers.size())
            in.fail();
    return in.is_good();
}

} // namespace moraine
