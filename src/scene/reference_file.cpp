#include "scene/reference_file.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace moraine
{

namespace
{

namespace fs = std::filesystem;

int line_at(const std::string& text, std::ptrdiff_t offset)
{
    const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(offset, 0, std::ptrdiff_t(text.size()));
    return 1 + int(std::count(text.begin(), text.begin() + end, '\n'));
}

} // namespace

ReferenceFile::ReferenceFile(const std::string& path) : path_(path)
{
    std::ifstream stream(path_, std::ios::binary);
    std::error_code error;
    if (!stream || !fs::is_regular_file(path_, error))
        throw ImportError(path_ + ": cannot be read; check that the file exists");
    if (fs::file_size(path_, error) > (256u << 20))
        throw ImportError(path_ + ": is larger than 256 MB; too large for a scene");
    std::ostringstream text;
    text << stream.rdbuf();
    text_ = text.str();
    const pugi::xml_parse_result result = document_.load_buffer(text_.data(), text_.size());
    if (!result)
        throw ImportError(path_ + ":" + std::to_string(line_at(text_, result.offset)) +
                          ": not XML: " + result.description());
    if (!document_.child("root"))
        throw ImportError(path_ + ":1: has <" + std::string(document_.document_element().name()) +
                          "> instead of <root>; only scenes of the reference implementation can be imported");
}

int ReferenceFile::line_of(const pugi::xml_node& node) const { return line_at(text_, node.offset_debug()); }

void ReferenceFile::fail(const pugi::xml_node& node, const std::string& what) const
{
    throw ImportError(path_ + ":" + std::to_string(line_of(node)) + ": <" + node.name() + ">: " + what);
}

std::vector<double> ReferenceFile::numbers(const pugi::xml_node& node, const char* text, size_t lower,
                                           size_t upper) const
{
    std::vector<double> values;
    for (const char *p = text, *end = text + std::strlen(text); p < end;)
    {
        if (std::isspace(static_cast<unsigned char>(*p)))
        {
            ++p;
            continue;
        }
        double value = 0;
        const auto [next, error] = std::from_chars(p + (*p == '+'), end, value);
        if (error != std::errc{} || !std::isfinite(value) || std::fabs(value) > 1e9)
            fail(node, "\"" + std::string(text) + "\" is not a list of numbers within 1e9");
        values.push_back(value);
        p = next;
    }
    if (values.size() < lower || values.size() > upper)
        fail(node, "has " + std::to_string(values.size()) + " numbers; give " + std::to_string(lower));
    return values;
}

float ReferenceFile::number(const pugi::xml_node& node, const char* text) const
{
    return float(numbers(node, text, 1, 1)[0]);
}

Vec3 ReferenceFile::vector(const pugi::xml_node& node, const char* text) const
{
    const std::vector<double> v = numbers(node, text, 3, 3);
    return {float(v[0]), float(v[1]), float(v[2])};
}

DVec3 ReferenceFile::position(const pugi::xml_node& node) const
{
    const std::vector<double> v = numbers(node, node.text().get(), 3, 3);
    return {v[0], v[1], v[2]};
}

Quat ReferenceFile::rotation(const pugi::xml_node& node) const
{
    const std::vector<double> v = numbers(node, node.text().get(), 4, 4);
    const Vec3 axis{float(v[0]), float(v[1]), float(v[2])};
    return length_squared(axis) > 0 ? normalize(axis_angle(axis, float(v[3]))) : Quat{};
}

Vec3 ReferenceFile::vector_attribute(const pugi::xml_node& node, const char* name) const
{
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute)
        fail(node, std::string("has no attribute ") + name + "; add it");
    return vector(node, attribute.value());
}

float ReferenceFile::number_attribute(const pugi::xml_node& node, const char* name, float otherwise) const
{
    const pugi::xml_attribute attribute = node.attribute(name);
    return attribute ? number(node, attribute.value()) : otherwise;
}

float ReferenceFile::size_attribute(const pugi::xml_node& node, const char* name, float otherwise) const
{
    const float value = number_attribute(node, name, otherwise);
    if (!(value > 0))
        fail(node, std::string(name) + " must be above zero");
    return value;
}

std::string ReferenceFile::referenced_file(const pugi::xml_node& node, const char* attribute) const
{
    const fs::path named = node.attribute(attribute).as_string();
    const fs::path folder = fs::path(path_).has_parent_path() ? fs::path(path_).parent_path() : fs::path(".");
    std::error_code error;
    const fs::path root = fs::weakly_canonical(folder, error);
    for (const fs::path& candidate : {folder / named, folder / "data" / named.filename()})
    {
        const fs::path inside = fs::weakly_canonical(candidate, error).lexically_relative(root);
        if (!named.empty() && !inside.empty() && *inside.begin() != ".." && fs::is_regular_file(candidate, error))
            return candidate.string();
    }
    fail(node, std::string(attribute) + "=\"" + named.string() + "\" is not in the scene's folder or its data/");
}

bool is_named(const pugi::xml_node& node, const char* name) { return strcasecmp(node.name(), name) == 0; }

bool is_true(const char* text)
{
    while (std::isspace(static_cast<unsigned char>(*text)))
        ++text;
    return strncasecmp(text, "true", 4) == 0;
}

} // namespace moraine
