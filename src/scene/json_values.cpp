#include "scene/json_values.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace moraine
{

namespace
{

// Above this no quantity of a scene makes sense, and products would leave the range of float.
constexpr double magnitude_limit = 1e15;

double number(const JsonNode& node)
{
    if (!node.value().is_number())
        node.fail("is " + node.shown() + "; give a number");
    const double value = node.value().get<double>();
    if (!std::isfinite(value) || std::fabs(value) > magnitude_limit)
        node.fail("is " + node.shown() + ", which is too large; give at most 1e15");
    return value;
}

double checked(const JsonNode& node, double value, Range range)
{
    if (range == Range::size && !(value >= 1e-5 && value <= 1e6))
        node.fail("is " + node.shown() + "; give a size between 1e-5 and 1e6 metres");
    if ((range == Range::positive || range == Range::whole_positive) && !(value > 0))
        node.fail("is " + node.shown() + "; give a number above zero");
    if ((range == Range::not_negative || range == Range::positive_unbounded) && !(value >= 0))
        node.fail("is " + node.shown() + "; give zero or more");
    return value;
}

double whole(const JsonNode& node, double lower, double upper)
{
    const double value = number(node);
    if (value != std::floor(value))
        node.fail("is " + node.shown() + "; give a whole number");
    if (value < lower || value > upper)
        node.fail("is " + node.shown() + "; give a whole number between " + std::to_string(int64_t(lower)) + " and " +
                  std::to_string(int64_t(upper)));
    return value;
}

void expect_count(const JsonNode& node, size_t count)
{
    node.expect_array();
    if (node.size() != count)
        node.fail("has " + std::to_string(node.size()) + " numbers; give " + std::to_string(count));
}

const std::vector<std::string> axis_keys{"axis", "angle_degrees"};
const std::vector<std::string> euler_keys{"euler_degrees"};

Quat read_turn(const JsonNode& node)
{
    if (node.find("euler_degrees"))
    {
        node.expect_keys(euler_keys);
        Vec3 degrees;
        read(node.at("euler_degrees"), degrees);
        // About the fixed x axis first, then y, then z.
        return axis_angle({0, 0, 1}, radians(degrees.z)) * axis_angle({0, 1, 0}, radians(degrees.y)) *
               axis_angle({1, 0, 0}, radians(degrees.x));
    }
    node.expect_keys(axis_keys);
    Vec3 axis;
    float degrees = 0;
    read(node.at("axis"), axis);
    read(node.at("angle_degrees"), degrees);
    if (!(length_squared(axis) > 1e-12f))
        node.at("axis").fail("has no direction; give a vector that is not zero");
    return axis_angle(axis, radians(degrees));
}

} // namespace

void read(const JsonNode& node, bool& out, Range)
{
    if (!node.value().is_boolean())
        node.fail("is " + node.shown() + "; give true or false");
    out = node.value().get<bool>();
}

void read(const JsonNode& node, float& out, Range range)
{
    const bool may_be_infinite = range == Range::unbounded || range == Range::positive_unbounded;
    if (may_be_infinite && node.value() == "infinity")
        out = infinity;
    else if (range == Range::unbounded && node.value() == "-infinity")
        out = -infinity;
    else
        out = float(checked(node, number(node), range));
}

void read(const JsonNode& node, double& out, Range range) { out = checked(node, number(node), range); }

void read(const JsonNode& node, int& out, Range range)
{
    out = int(whole(node, double(std::numeric_limits<int>::min()), double(std::numeric_limits<int>::max())));
    checked(node, out, range);
}

void read(const JsonNode& node, uint32_t& out, Range)
{
    if (!node.value().is_string())
    {
        out = uint32_t(whole(node, 0, double(std::numeric_limits<uint32_t>::max())));
        return;
    }
    const std::string text = node.text();
    const size_t skip = text.starts_with("#") ? 1 : text.starts_with("0x") ? 2 : 0;
    const auto [end, error] = std::from_chars(text.data() + skip, text.data() + text.size(), out, 16);
    if (skip == 0 || error != std::errc{} || end != text.data() + text.size())
        node.fail("is " + node.shown() + "; give a whole number, or hexadecimal digits such as \"#c0504d\"");
}

void read(const JsonNode& node, uint64_t& out, Range)
{
    if (!node.value().is_number_unsigned())
        node.fail("is " + node.shown() + "; give a whole number that is not negative");
    out = node.value().get<uint64_t>();
}

void read(const JsonNode& node, std::string& out, Range) { out = node.text(); }

void read(const JsonNode& node, Vec3& out, Range range)
{
    expect_count(node, 3);
    for (int i = 0; i < 3; ++i)
        read(node.at(size_t(i)), out[i], range);
}

void read(const JsonNode& node, DVec3& out, Range)
{
    expect_count(node, 3);
    double* const parts[] = {&out.x, &out.y, &out.z};
    for (size_t i = 0; i < 3; ++i)
    {
        *parts[i] = number(node.at(i));
        if (std::fabs(*parts[i]) > 1e9)
            node.at(i).fail("is " + node.at(i).shown() + "; give a position within 1e9 metres");
    }
}

void read(const JsonNode& node, Mat3& out, Range)
{
    expect_count(node, 3);
    Mat3 rows;
    read(node.at(size_t(0)), rows.x);
    read(node.at(size_t(1)), rows.y);
    read(node.at(size_t(2)), rows.z);
    out = transpose(rows);
}

void read(const JsonNode& node, Quat& out, Range)
{
    if (node.value().is_object())
    {
        out = normalize(read_turn(node));
        return;
    }
    if (!node.value().is_array() || node.size() != 4)
        node.fail("is " + node.shown() + "; give [x, y, z, w], {\"axis\", \"angle_degrees\"} or {\"euler_degrees\"}");
    read(node.at(size_t(0)), out.x);
    read(node.at(size_t(1)), out.y);
    read(node.at(size_t(2)), out.z);
    read(node.at(size_t(3)), out.w);
    const float squared = dot(out, out);
    if (!(squared > 1e-12f))
        node.fail("is a quaternion of length zero; [0, 0, 0, 1] is no rotation");
    if (std::fabs(squared - 1) > 1e-6f) // one that we wrote is kept to the bit
        out = normalize(out);
}

void read(const JsonNode& node, Motion& out, Range)
{
    out = make_alternative<Motion>(read_kind(node, motion_names));
    std::visit(
        [&](auto& motion) {
            static const std::vector<std::string> keys = [&] {
                auto list = described_keys<std::decay_t<decltype(motion)>>();
                list.emplace_back("kind");
                return list;
            }();
            node.expect_keys(keys);
            read_fields(node, motion);
        },
        out);
    const auto* keys = std::get_if<KeyFrameMotion>(&out);
    if (!keys)
        return;
    if (keys->frames.empty())
        node.fail("has no frames; give at least one");
    for (size_t i = 1; i < keys->frames.size(); ++i)
        if (keys->frames[i].time <= keys->frames[i - 1].time)
        {
            const JsonNode frames = node.at("frames");
            frames.at(i).fail("its time is not after that of the frame before; sort the frames by time");
        }
}

void read(const JsonNode& node, std::array<int, 3>& out, Range range)
{
    expect_count(node, 3);
    for (size_t i = 0; i < 3; ++i)
        read(node.at(i), out[i], range);
}

void read(const JsonNode& node, std::array<float, 2>& out, Range range)
{
    expect_count(node, 2);
    for (size_t i = 0; i < 2; ++i)
        read(node.at(i), out[i], range);
}

size_t read_choice(const JsonNode& node, std::span<const std::string_view> names)
{
    const std::string text = node.text();
    for (size_t i = 0; i < names.size(); ++i)
        if (names[i] == text)
            return i;
    const std::vector<std::string> known(names.begin(), names.end());
    node.fail("unknown word \"" + text + "\"" + suggestion(text, known));
}

size_t read_kind(const JsonNode& node, std::span<const std::string_view> names)
{
    node.expect_object();
    return read_choice(node.at("kind"), names);
}

} // namespace moraine
