// Reading single values and described objects.
#pragma once

#include "scene/format.h"
#include "scene/json_node.h"
#include "scene/nearest.h"

#include <type_traits>

namespace moraine
{

void read(const JsonNode& node, bool& out, Range range = Range::any);
void read(const JsonNode& node, float& out, Range range = Range::any);
void read(const JsonNode& node, double& out, Range range = Range::any);
void read(const JsonNode& node, int& out, Range range = Range::any);
void read(const JsonNode& node, uint32_t& out, Range range = Range::any); // also "#rrggbb" and "0xhex"
void read(const JsonNode& node, uint64_t& out, Range range = Range::any);
void read(const JsonNode& node, std::string& out, Range range = Range::any);
void read(const JsonNode& node, Vec3& out, Range range = Range::any);
void read(const JsonNode& node, DVec3& out, Range range = Range::any);
void read(const JsonNode& node, Mat3& out, Range range = Range::any);
void read(const JsonNode& node, Quat& out, Range range = Range::any); // [x,y,z,w], axis and angle, or Euler angles
void read(const JsonNode& node, Motion& out, Range range = Range::any);
void read(const JsonNode& node, std::array<int, 3>& out, Range range = Range::any);
void read(const JsonNode& node, std::array<float, 2>& out, Range range = Range::any);

// The position of the string among `names`; fails with the nearest name.
size_t read_choice(const JsonNode& node, std::span<const std::string_view> names);

// {"kind": ...} of a variant: the index of the alternative.
size_t read_kind(const JsonNode& node, std::span<const std::string_view> names);

template <class E>
requires std::is_enum_v<E>
void read(const JsonNode& node, E& out, Range = Range::any)
{
    std::vector<std::string_view> names;
    for (const auto& entry : enum_names<E>)
        names.push_back(entry.name);
    out = enum_names<E>[read_choice(node, names)].value;
}

template <class T>
void read_fields(const JsonNode& node, T& out);

template <class T>
void read(const JsonNode& node, std::vector<T>& out, Range range = Range::any);
template <class T>
void read(const JsonNode& node, std::optional<T>& out, Range = Range::any);

// A described object.
template <class T>
requires std::is_class_v<T>
void read(const JsonNode& node, T& out, Range = Range::any)
{
    static const std::vector<std::string> keys = described_keys<T>();
    node.expect_keys(keys);
    read_fields(node, out);
}

template <class T>
void read(const JsonNode& node, std::vector<T>& out, Range range)
{
    node.expect_array();
    out.clear();
    for (size_t i = 0; i < node.size(); ++i)
    {
        T value{};
        read(node.at(i), value, range);
        out.push_back(std::move(value));
    }
}

template <class T>
void read(const JsonNode& node, std::optional<T>& out, Range)
{
    T value{};
    read(node, value);
    out = value;
}

struct FieldReader
{
    const JsonNode& node;
    template <class Member>
    void operator()(const char* key, Member& member, Range range = Range::any)
    {
        if (const std::optional<JsonNode> child = node.find(key))
            read(*child, member, range);
    }
};

// The described members that are there; the caller has checked the keys.
template <class T>
void read_fields(const JsonNode& node, T& out)
{
    FieldReader reader{node};
    describe(reader, out);
}

// Makes the alternative with this index in the variant.
template <class Variant, size_t I = 0>
Variant make_alternative(size_t index)
{
    if constexpr (I + 1 < std::variant_size_v<Variant>)
        if (index != I)
            return make_alternative<Variant, I + 1>(index);
    return Variant(std::in_place_index<I>);
}

} // namespace moraine
