// Frames as bytes: a chunk begins with the whole state, then each frame tells what changed. docs/viewer.md has the layout.
#pragma once

#include "record/frame.h"
#include "record/pose_codec.h"

namespace moraine
{

// What a body hangs on: 0 gone, 1 at the mover's own frame, 2 elsewhere in it.
void write_body(ByteWriter& out, const ViewBody& body);

class FrameEncoder
{
public:
    // The state that the following frames of the chunk start from.
    void begin_chunk(const ViewState& state, ByteWriter& out);
    void add(const ViewState& state, const ViewChanges& changes, const Frame& frame, ByteWriter& out);

private:
    void write_poses(const ViewState& state, ByteWriter& out);
    std::vector<int32_t> movers_with_other_bits(const ViewState& state, const ViewChanges& changes);

    std::vector<PoseTrack> tracks_; // by mover
    std::vector<int32_t> bits_;     // by mover
    std::vector<int32_t> active_;   // movers that moved in the last frame, ascending
    std::vector<WholePose> poses_;  // of the active ones, this frame
};

class FrameDecoder
{
public:
    // Both give false where the bytes make no sense.
    bool begin_chunk(ByteReader& in, size_t visual_count, ViewState& state);
    bool next(ByteReader& in, ViewState& state, Frame& frame);

private:
    void read_bodies(ByteReader& in, ViewState& state);
    void read_poses(ByteReader& in, ViewState& state);

    size_t visual_count_ = 0;
    std::vector<PoseTrack> tracks_;
    std::vector<int32_t> active_;
};

} // namespace moraine
