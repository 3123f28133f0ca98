#include "cli/merge_options.h"

#include "scene/format.h"

#include <charconv>
#include <cmath>

namespace moraine::cli
{

namespace
{

// Sees every member by its name and sets the one that is meant.
struct Setter
{
    std::string_view key, value;
    bool is_known = false, is_set = false;
    std::string known{};

    void operator()(const char* name, bool& member, Range = Range::any)
    {
        if (!is_meant(name))
            return;
        is_set = value == "on" || value == "off";
        member = value == "on";
    }
    template <class T>
    void operator()(const char* name, T& member, Range range = Range::any)
    {
        if (!is_meant(name))
            return;
        T number{};
        const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
        const bool is_inside = range == Range::not_negative ? number >= 0 : number > 0;
        is_set = problem == std::errc() && end == value.data() + value.size() && is_inside &&
                 std::isfinite(float(number));
        if (is_set)
            member = number;
    }
    bool is_meant(const char* name)
    {
        known += (known.empty() ? "" : ", ") + std::string(name);
        const bool is_this = key == name;
        is_known |= is_this;
        return is_this;
    }
};

} // namespace

Status set_merge_option(const std::string& word, MergeDef& def)
{
    const size_t equals = word.find('=');
    if (equals == std::string::npos)
        return Error{word + ": expected KEY=VALUE, as in speed=0.02 or checks_slip=off"};
    Setter setter{std::string_view(word).substr(0, equals), std::string_view(word).substr(equals + 1)};
    describe(setter, def);
    if (!setter.is_known)
        return Error{word + ": unknown key; known are " + setter.known};
    if (!setter.is_set)
        return Error{word + ": give a switch on or off, and a number above zero"};
    return Ok{};
}

} // namespace moraine::cli
