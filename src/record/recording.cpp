#include "record/recording.h"

#include "record/file_format.h"

#include <nlohmann/json.hpp>
#include <zstd.h>

#include <algorithm>
#include <cerrno>

namespace moraine
{

namespace
{

Result<std::vector<uint8_t>> read_bytes(const std::string& path)
{
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr)
        return Error{path + ": cannot be read: " + std::strerror(errno)};
    std::vector<uint8_t> bytes;
    uint8_t part[1 << 16];
    for (size_t size; (size = std::fread(part, 1, sizeof part, file)) > 0;)
        bytes.insert(bytes.end(), part, part + size);
    const bool has_failed = std::ferror(file) != 0; // a folder opens, but cannot be read
    std::fclose(file);
    if (has_failed)
        return Error{path + ": cannot be read: is it a file?"};
    return bytes;
}

} // namespace

Error Recording::damaged(const std::string& what) const
{
    return {name_ + ": the recording is damaged: " + what + "; record the run again"};
}

Result<Recording> Recording::open(const std::string& path)
{
    auto bytes = read_bytes(path);
    if (!bytes)
        return bytes.error();
    return read(std::move(*bytes), path);
}

Result<Recording> Recording::read(std::vector<uint8_t> bytes, const std::string& name)
{
    Recording recording;
    recording.name_ = name;
    recording.bytes_ = std::move(bytes);
    if (Status status = recording.scan(); !status)
        return status.error();
    if (Status status = recording.seek(0); !status)
        return status.error();
    return recording;
}

Status Recording::scan()
{
    constexpr size_t head_size = sizeof record_magic + sizeof record_version;
    if (bytes_.size() < head_size || std::memcmp(bytes_.data(), record_magic, sizeof record_magic) != 0)
        return Error{name_ + ": not a recording; moraine run SCENE --record FILE.mrec makes one"};
    uint32_t version = 0;
    std::memcpy(&version, &bytes_[sizeof record_magic], sizeof version);
    if (version != record_version)
        return Error{name_ + ": a recording of version " + std::to_string(version) +
                     ", and this program reads version " + std::to_string(record_version) +
                     "; use the program that made it, or record again"};

    bool is_complete = false, has_info = false;
    for (size_t at = head_size; !is_complete && bytes_.size() - at >= chunk_head_size;)
    {
        uint32_t head[4];
        std::memcpy(head, &bytes_[at], sizeof head);
        at += chunk_head_size;
        const Chunk chunk{at, head[2], head[3], frame_count_, head[1]};
        if (chunk.size > bytes_.size() - at)
            break;
        at += chunk.size;
        if (chunk.raw_size > chunk_size_limit)
            return damaged("a part of it claims an impossible size");
        is_complete = head[0] == tag_end;
        if (head[0] == tag_frames)
        {
            // Each frame takes more than a byte: a wild number cannot pass.
            if (chunk.frame_count == 0 || chunk.frame_count > chunk.raw_size)
                return damaged("a part of it claims an impossible number of frames");
            chunks_.push_back(chunk);
            frame_count_ += chunk.frame_count;
        }
        if (head[0] == tag_details && !chunks_.empty())
        {
            details_.resize(chunks_.size());
            details_.back() = chunk;
        }
        if (head[0] != tag_info && head[0] != tag_visuals)
            continue;
        const auto raw = unpack(chunk);
        if (!raw)
            return raw.error();
        has_info |= head[0] == tag_info;
        ByteReader in(*raw);
        const Status status = head[0] == tag_info ? read_header(*raw) : visuals_.read(in);
        if (!status)
            return damaged(status.error().message);
    }
    if (!has_info || chunks_.empty())
        return damaged("it ends before its first frame");
    if (!is_complete)
        warning_ = name_ + ": breaks off after " + std::to_string(frame_count_) +
                   " frames; was the run stopped, or the disk full?";
    return Ok{};
}

Status Recording::read_header(std::span<const uint8_t> raw)
{
    const auto json = nlohmann::json::parse(raw.begin(), raw.end(), nullptr, false);
    if (!json.is_object())
        return Error{"its description is no JSON object"};
    try
    {
        info_.scene = json.value("scene", "");
        info_.description = json.value("description", "");
        info_.dt = json.value("dt", 0.0);
        info_.settings = json.value("settings", info_.settings);
        info_.stat_names = json.value("stat_names", info_.stat_names);
        if (json.contains("details"))
            info_.details = json["details"].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    catch (const nlohmann::json::exception&)
    {
        return Error{"its description has a value of the wrong kind"};
    }
    return Ok{};
}

Result<std::vector<uint8_t>> Recording::unpack(const Chunk& chunk) const
{
    const uint8_t* data = bytes_.data() + chunk.offset;
    // Asked before memory is taken: the size must be what the bytes themselves say.
    if (ZSTD_getFrameContentSize(data, chunk.size) != chunk.raw_size)
        return damaged("the sizes of a part do not agree");
    std::vector<uint8_t> raw(chunk.raw_size);
    const size_t size = ZSTD_decompress(raw.data(), raw.size(), data, chunk.size);
    if (ZSTD_isError(size) || size != raw.size())
        return damaged("at frame " + std::to_string(chunk.first_frame) + ": " +
                       (ZSTD_isError(size) ? ZSTD_getErrorName(size) : "too short"));
    return raw;
}

Status Recording::enter(size_t chunk)
{
    chunk_ = position_ = nowhere;
    auto raw = unpack(chunks_[chunk]);
    if (!raw)
        return raw.error();
    raw_ = std::move(*raw);
    reader_ = std::make_unique<ByteReader>(raw_);
    decoder_ = {};
    if (!decoder_.begin_chunk(*reader_, visuals_.count(), state_))
        return damaged("the state at frame " + std::to_string(chunks_[chunk].first_frame) + " makes no sense");
    chunk_ = chunk;
    position_ = chunks_[chunk].first_frame - 1; // one before
    return Ok{};
}

Result<std::vector<uint8_t>> Recording::details() const
{
    if (chunk_ >= details_.size() || details_[chunk_].size == 0)
        return std::vector<uint8_t>{};
    const auto raw = unpack(details_[chunk_]);
    if (!raw)
        return raw.error();
    size_t at = 0;
    for (size_t left = position_ - chunks_[chunk_].first_frame;; --left)
    {
        uint32_t size = 0;
        if (raw->size() - at >= sizeof size)
            std::memcpy(&size, raw->data() + at, sizeof size);
        at += sizeof size;
        if (at > raw->size() || size > raw->size() - at)
            return damaged("the details of frame " + std::to_string(position_) + " are missing");
        if (left == 0)
            return std::vector<uint8_t>(raw->begin() + ptrdiff_t(at), raw->begin() + ptrdiff_t(at + size));
        at += size;
    }
}

Status Recording::seek(size_t frame)
{
    frame = std::min(frame, frame_count_ - 1);
    const auto after = std::upper_bound(chunks_.begin(), chunks_.end(), frame,
                                        [](size_t f, const Chunk& chunk) { return f < chunk.first_frame; });
    const size_t chunk = size_t(after - chunks_.begin()) - 1;
    const bool is_ahead = chunk == chunk_ && position_ + 1 <= frame + 1;
    if (!is_ahead)
        if (Status status = enter(chunk); !status)
            return status;
    while (position_ + 1 <= frame)
    {
        if (!decoder_.next(*reader_, state_, frame_))
        {
            chunk_ = position_ = nowhere;
            return damaged("frame " + std::to_string(frame) + " makes no sense");
        }
        ++position_;
    }
    return Ok{};
}

} // namespace moraine
