// A glTF 2.0 document in one binary file, put together piece by piece.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace moraine::cli
{

class Glb
{
public:
    Glb();

    int add(const char* key, nlohmann::json value); // gives its index
    nlohmann::json& at(const char* key) { return json_[key]; }
    int add_accessor(std::span<const float> values, const char* type, int components, bool with_bounds);
    int add_indices(std::span<const uint32_t> values);
    std::string finish();

private:
    int add_view(const void* data, size_t size);

    nlohmann::json json_;
    std::string bytes_;
};

} // namespace moraine::cli
