#include "record/file_format.h"
#include "record/recording.h"

#include <moraine/version.h>

#include <nlohmann/json.hpp>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>

namespace moraine
{

namespace
{

constexpr int compression_level = 3;

struct CloseFile
{
    void operator()(std::FILE* file) const { std::fclose(file); }
};
struct FreeContext
{
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

std::string to_text(const RecordInfo& info)
{
    std::vector<std::string> event_names;
    for (int i = 0; i < int(EventKind::count); ++i)
        event_names.emplace_back(event_name(EventKind(i)));
    nlohmann::json json{{"scene", info.scene},
                        {"description", info.description},
                        {"dt", info.dt},
                        {"settings", info.settings},
                        {"stat_names", info.stat_names},
                        {"event_names", event_names},
                        {"position_quantum", position_quantum},
                        {"moraine", version()}};
    if (!info.details.empty())
        json["details"] = nlohmann::json::parse(info.details, nullptr, false);
    // A name in a scene file may hold any bytes.
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The way back: where chunks and the frames in them end.
struct ChunkPlace
{
    uint64_t offset = 0; // in the file, of the visuals before it
    size_t first_frame = 0;
    size_t visuals = 0, assets = 0; // in the file before it
};
struct FrameEnd
{
    uint64_t step = 0;
    uint32_t raw = 0, details = 0; // in the chunk, unpacked
};

} // namespace

struct Recorder::State
{
    std::string path{};
    std::unique_ptr<std::FILE, CloseFile> file{};
    std::unique_ptr<ZSTD_CCtx, FreeContext> context{ZSTD_createCCtx()};
    Observer observer;
    DetailsOf details_of{};
    FrameEncoder encoder{};
    Frame frame{};
    std::vector<uint8_t> raw{}, packed{};
    std::vector<uint8_t> details{}, frame_details{}; // of the chunk, of the frame
    uint32_t frames_in_chunk = 0;
    std::vector<ChunkPlace> chunks{}; // the last one is being filled
    std::vector<FrameEnd> frames{};
    size_t visuals_written = 0, assets_written = 0;
    uint64_t bytes_written = 0;
    bool has_failed = false;

    void write(const void* data, size_t size)
    {
        has_failed |= std::fwrite(data, 1, size, file.get()) != size;
        bytes_written += size;
    }
    void write_chunk(uint32_t tag, uint32_t frames, std::span<const uint8_t> bytes);
    void write_new_visuals();
    void begin_chunk();
    void end_chunk();
    void add_frame(const World& world, const StepReport& report, std::optional<uint64_t> state_hash);
    void add_details(const World& world);
    bool read(void* data, size_t size) { return std::fread(data, 1, size, file.get()) == size; }
    bool read_chunk(uint32_t tag, std::vector<uint8_t>& bytes);
    bool reopen(const ChunkPlace& chunk);
};

void Recorder::State::write_chunk(uint32_t tag, uint32_t frames, std::span<const uint8_t> bytes)
{
    packed.resize(ZSTD_compressBound(bytes.size()));
    const size_t size = ZSTD_compress2(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(size) || bytes.size() > chunk_size_limit)
    {
        has_failed = true;
        return;
    }
    const uint32_t head[4] = {tag, frames, uint32_t(size), uint32_t(bytes.size())};
    static_assert(sizeof head == chunk_head_size);
    write(head, sizeof head);
    write(packed.data(), size);
}

void Recorder::State::write_new_visuals()
{
    const VisualTable& visuals = observer.visuals();
    if (visuals.count() == visuals_written)
        return;
    std::vector<uint8_t> bytes;
    ByteWriter out(bytes);
    visuals.write(out, visuals_written, assets_written);
    visuals_written = visuals.count(), assets_written = visuals.asset_count();
    write_chunk(tag_visuals, 0, bytes);
}

void Recorder::State::begin_chunk()
{
    raw.clear();
    details.clear();
    frames_in_chunk = 0;
    chunks.push_back({bytes_written, frames.size(), visuals_written, assets_written});
    ByteWriter out(raw);
    encoder.begin_chunk(observer.state(), out);
}

void Recorder::State::end_chunk()
{
    if (frames_in_chunk == 0)
        return;
    write_new_visuals();
    write_chunk(tag_frames, frames_in_chunk, raw);
    if (details_of)
        write_chunk(tag_details, frames_in_chunk, details);
    std::fflush(file.get()); // what a crash of the process leaves behind can be read
}

void Recorder::State::add_frame(const World& world, const StepReport& report, std::optional<uint64_t> state_hash)
{
    frame.step = world.step_count();
    frame.time = world.time();
    frame.state_hash = state_hash ? *state_hash : world.state_hash();
    gather_stats(world, report, frame.stats);
    gather_events(world, frame.events);
    ByteWriter out(raw);
    encoder.add(observer.state(), observer.changes(), frame, out);
    ++frames_in_chunk;
    if (details_of)
        add_details(world);
    frames.push_back({frame.step, uint32_t(raw.size()), uint32_t(details.size())});
}

// Each with its size before it, so that one of many is found without reading the others.
void Recorder::State::add_details(const World& world)
{
    frame_details.clear();
    ByteWriter of_frame(frame_details);
    details_of(world, of_frame);
    ByteWriter out(details);
    out.raw(uint32_t(frame_details.size()));
    out.bytes(frame_details);
}

// The next chunk with this tag, unpacked.
bool Recorder::State::read_chunk(uint32_t tag, std::vector<uint8_t>& bytes)
{
    for (;;)
    {
        uint32_t head[4] = {};
        if (!read(head, sizeof head))
            return false;
        packed.resize(head[2]);
        if (!read(packed.data(), packed.size()))
            return false;
        if (head[0] != tag)
            continue;
        bytes.resize(head[3]);
        return ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size()) == bytes.size();
    }
}

// Takes a chunk out of the file, and all that comes after it: it is being filled again.
bool Recorder::State::reopen(const ChunkPlace& chunk)
{
    if (std::fflush(file.get()) != 0 || std::fseek(file.get(), long(chunk.offset), SEEK_SET) != 0)
        return false;
    if (!read_chunk(tag_frames, raw) || (details_of && !read_chunk(tag_details, details)))
        return false;
    if (ftruncate(fileno(file.get()), off_t(chunk.offset)) != 0 ||
        std::fseek(file.get(), long(chunk.offset), SEEK_SET) != 0)
        return false;
    bytes_written = chunk.offset;
    visuals_written = chunk.visuals, assets_written = chunk.assets;
    return true;
}

Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder()
{
    if (state_ && state_->file)
        (void)close();
}
uint64_t Recorder::bytes_written() const { return state_->bytes_written; }
bool Recorder::has_failed() const { return state_->has_failed; }
size_t Recorder::frame_count() const { return state_->frames.size(); }

Result<Recorder> Recorder::create(const std::string& path, const World& world, RecordInfo info, ColorOf color_of,
                                  DetailsOf details_of)
{
    auto state = std::make_unique<State>(
        State{.path = path, .observer = Observer(std::move(color_of)), .details_of = std::move(details_of)});
    state->file.reset(std::fopen(path.c_str(), "wb+"));
    if (!state->file)
        return Error{path + ": cannot be written: " + std::strerror(errno)};
    ZSTD_CCtx_setParameter(state->context.get(), ZSTD_c_compressionLevel, compression_level);
    ZSTD_CCtx_setParameter(state->context.get(), ZSTD_c_checksumFlag, 1);

    info.stat_names = stat_names();
    state->write(record_magic, sizeof record_magic);
    state->write(&record_version, sizeof record_version);
    const std::string text = to_text(info);
    state->write_chunk(tag_info, 0, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});

    state->observer.observe(world);
    state->begin_chunk();
    state->observer.observe(world); // nothing has changed since: the first frame is the key frame itself
    state->add_frame(world, {}, {});
    return Recorder(std::move(state));
}

void Recorder::add(const World& world, const StepReport& report, std::optional<uint64_t> state_hash)
{
    State& s = *state_;
    if (s.has_failed)
        return;
    s.observer.observe(world);
    s.add_frame(world, report, state_hash);
    if (s.frames_in_chunk < chunk_frames && s.raw.size() + s.details.size() < chunk_bytes_wanted)
        return;
    s.end_chunk();
    s.begin_chunk();
}

void Recorder::go_back(const World& world)
{
    State& s = *state_;
    const auto after = std::upper_bound(s.frames.begin(), s.frames.end(), world.step_count(),
                                        [](uint64_t step, const FrameEnd& frame) { return step < frame.step; });
    if (s.has_failed || after == s.frames.begin() || after == s.frames.end())
        return;
    s.frames.erase(after, s.frames.end());
    const size_t chunks = s.chunks.size();
    while (s.chunks.back().first_frame >= s.frames.size())
        s.chunks.pop_back();
    if (s.chunks.size() < chunks && !s.reopen(s.chunks.back()))
    {
        s.has_failed = true;
        return;
    }
    s.raw.resize(s.frames.back().raw);
    s.details.resize(s.frames.back().details);
    s.frames_in_chunk = uint32_t(s.frames.size() - s.chunks.back().first_frame);
    // Poses are told as differences from those expected, which the frames that are gone would have changed.
    s.observer.observe(world);
    s.end_chunk();
    s.begin_chunk();
}

Status Recorder::close()
{
    State& s = *state_;
    if (!s.file)
        return Ok{};
    s.end_chunk();
    s.write_chunk(tag_end, 0, {});
    s.has_failed |= std::fclose(s.file.release()) != 0;
    if (s.has_failed)
        return Error{s.path + ": could not be written completely: is the disk full?"};
    return Ok{};
}

} // namespace moraine
