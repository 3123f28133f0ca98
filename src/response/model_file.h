// A response model as bytes: the file that `moraine modes` writes.
#pragma once

#include <moraine/response.h>

namespace moraine
{

std::vector<uint8_t> to_bytes(const ResponseModel& model);

// `name` is what an error calls the bytes.
Result<ResponseModel> response_model_from_bytes(std::span<const uint8_t> bytes, const std::string& name);

// Puts the head that they should have, with their hash, before these bytes.
std::vector<uint8_t> with_right_head(std::span<const uint8_t> body);

} // namespace moraine
