#include "record/file_format.h"
#include "record/recording.h"

#include <moraine/version.h>

#include <nlohmann/json.hpp>
#include <zstd.h>

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

Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder()
{
    if (state_ && state_->file)
        (void)close();
}
uint64_t Recorder::bytes_written() const { return state_->bytes_written; }

Result<Recorder> Recorder::create(const std::string& path, const World& world, RecordInfo info, ColorOf color_of,
                                  DetailsOf details_of)
{
    auto state = std::make_unique<State>(
        State{.path = path, .observer = Observer(std::move(color_of)), .details_of = std::move(details_of)});
    state->file.reset(std::fopen(path.c_str(), "wb"));
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
