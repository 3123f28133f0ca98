// Recordings of runs: `.mrec` files. Compact, seekable by the second, readable up to where they break off.
#pragma once

#include "record/frame_codec.h"

#include <cstdio>
#include <map>
#include <memory>
#include <optional>

namespace moraine
{

struct RecordInfo
{
    std::string scene{};
    std::string description{};
    double dt = 0;
    std::map<std::string, std::string> settings{}; // for people: solver, parameters, …
    std::vector<std::string> stat_names{};
    std::string details{}; // JSON: what the details of each frame are, for whoever draws them; empty: there are none
};

// What is worth seeing besides the bodies, appended for each frame. The recording does not know what it means.
using DetailsOf = std::function<void(const World& world, ByteWriter& out)>;

class Recorder
{
public:
    // The state of the world now is the first frame. `path` is written anew.
    static Result<Recorder> create(const std::string& path, const World& world, RecordInfo info, ColorOf color_of = {},
                                   DetailsOf details_of = {});
    Recorder(Recorder&&) noexcept;
    Recorder& operator=(Recorder&&) noexcept;
    ~Recorder(); // closes, without a word should that fail

    // After each step; problems are told by `close`. The hash is the world's where it is not told.
    void add(const World& world, const StepReport& report, std::optional<uint64_t> state_hash = {});
    // After the world has gone back to a step that was recorded: what came after it is dropped from the file.
    void go_back(const World& world);
    Status close();
    bool has_failed() const; // nothing more is written
    size_t frame_count() const;
    uint64_t bytes_written() const;

private:
    struct State;
    explicit Recorder(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

class Recording
{
public:
    static Result<Recording> open(const std::string& path);
    static Result<Recording> read(std::vector<uint8_t> bytes, const std::string& name); // `name` is for messages

    const RecordInfo& info() const { return info_; }
    size_t frame_count() const { return frame_count_; }     // at least one
    const std::string& warning() const { return warning_; } // not empty: the file breaks off, frames are missing
    const VisualTable& visuals() const { return visuals_; }

    Status seek(size_t frame); // then the following two are of that frame
    const ViewState& state() const { return state_; }
    const Frame& frame() const { return frame_; }
    // What `DetailsOf` wrote for that frame; empty where nothing was recorded besides bodies.
    Result<std::vector<uint8_t>> details() const;
    size_t position() const { return position_; }

private:
    struct Chunk
    {
        size_t offset = 0, size = 0, raw_size = 0; // of the compressed bytes
        size_t first_frame = 0, frame_count = 0;
    };
    static constexpr size_t nowhere = size_t(-1);

    Status scan();
    Status read_header(std::span<const uint8_t> raw);
    Result<std::vector<uint8_t>> unpack(const Chunk& chunk) const;
    Status enter(size_t chunk);
    Error damaged(const std::string& what) const;

    std::string name_;
    std::vector<uint8_t> bytes_;
    RecordInfo info_;
    VisualTable visuals_;
    std::vector<Chunk> chunks_;
    std::vector<Chunk> details_; // by chunk; may be fewer
    size_t frame_count_ = 0;
    std::string warning_;

    // Where we are.
    size_t chunk_ = nowhere, position_ = nowhere;
    std::vector<uint8_t> raw_;
    std::unique_ptr<ByteReader> reader_;
    FrameDecoder decoder_;
    ViewState state_;
    Frame frame_;
};

} // namespace moraine
