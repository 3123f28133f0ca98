// The frame of a recording file: a head, then chunks that can be skipped without looking inside.
#pragma once

#include <cstdint>

namespace moraine
{

constexpr char record_magic[8] = {'M', 'O', 'R', 'A', 'I', 'N', 'E', '\n'};
constexpr uint32_t record_version = 1;

// Before each chunk: tag, frames in it, compressed size, size; four bytes each.
constexpr uint32_t tag_of(const char (&text)[5])
{
    return uint32_t(uint8_t(text[0])) | uint32_t(uint8_t(text[1])) << 8 | uint32_t(uint8_t(text[2])) << 16 |
           uint32_t(uint8_t(text[3])) << 24;
}
constexpr uint32_t tag_info = tag_of("INFO");    // JSON: what was recorded
constexpr uint32_t tag_visuals = tag_of("BODY"); // what bodies look like; before the frames that show them
constexpr uint32_t tag_frames = tag_of("FRAM");
constexpr uint32_t tag_details = tag_of("MORE"); // of the frames in the chunk before; readers may leave them out
constexpr uint32_t tag_end = tag_of("END!");     // without it the file breaks off
constexpr uint32_t chunk_head_size = 16;
constexpr uint32_t chunk_size_limit = 1u << 30;

constexpr uint32_t chunk_frames = 60;            // a second, mostly
constexpr uint32_t chunk_bytes_wanted = 8 << 20; // sooner where there is much

} // namespace moraine
