#include "viewer/command.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace moraine::viewer
{

namespace
{

using nlohmann::json;

constexpr size_t queue_limit = 1000;
constexpr double number_limit = 1e9; // metres, newton seconds, …: beyond it nothing sensible is meant

struct KindName
{
    const char* name;
    CommandKind kind;
};
constexpr KindName kinds[] = {
    {"play", CommandKind::play},         {"pause", CommandKind::pause},     {"step", CommandKind::step},
    {"back", CommandKind::back},         {"speed", CommandKind::speed},     {"reset", CommandKind::reset},
    {"load", CommandKind::load},         {"drag", CommandKind::drag},       {"drag_move", CommandKind::drag_move},
    {"drag_end", CommandKind::drag_end}, {"shoot", CommandKind::shoot},     {"poke", CommandKind::poke},
    {"magnet", CommandKind::magnet},     {"setting", CommandKind::setting}, {"want", CommandKind::want},
    {"inspect", CommandKind::inspect},   {"seen", CommandKind::seen}};

bool read_number(const json& value, double& out)
{
    if (!value.is_number())
        return false;
    out = value.get<double>();
    return std::isfinite(out) && std::fabs(out) <= number_limit;
}

bool read_vector(const json& value, DVec3& out)
{
    return value.is_array() && value.size() == 3 && read_number(value[0], out.x) && read_number(value[1], out.y) &&
           read_number(value[2], out.z);
}

bool read_parameters(const json& value, std::map<std::string, std::string>& out)
{
    if (!value.is_object() || value.size() > 100)
        return false;
    for (const auto& [key, text] : value.items())
    {
        if (text.is_string())
            out[key] = text.get<std::string>();
        else if (text.is_number())
            out[key] = text.dump();
        else
            return false;
    }
    return true;
}

bool read_member(const std::string& key, const json& value, Command& command)
{
    if (key == "do")
        return true;
    if (key == "a")
        return read_vector(value, command.a);
    if (key == "b")
        return read_vector(value, command.b);
    if (key == "value")
        return read_number(value, command.value);
    if (key == "parameters")
        return read_parameters(value, command.parameters);
    if (key == "body" && value.is_number_unsigned())
        command.body = uint32_t(std::min<uint64_t>(value.get<uint64_t>(), 0xffffffffu));
    else if (key == "flag" && value.is_boolean())
        command.flag = value.get<bool>();
    else if (key == "text" && value.is_string())
        command.text = value.get<std::string>();
    else
        return false;
    return true;
}

} // namespace

Result<Command> parse_command(std::string_view text)
{
    if (text.size() > message_size_limit)
        return Error{"message: too long"};
    // A parser that goes down a level for each bracket could be sent down too far.
    const auto depth_guard = [](int depth, json::parse_event_t, json&) { return depth < 8; };
    const json message = json::parse(text, depth_guard, false);
    if (!message.is_object() || !message.contains("do") || !message["do"].is_string())
        return Error{"message: expected a JSON object with \"do\""};
    const std::string name = message["do"].get<std::string>();
    const auto* found = std::find_if(std::begin(kinds), std::end(kinds),
                                     [&](const KindName& k) { return name == k.name; });
    if (found == std::end(kinds))
        return Error{"message: nothing is called \"" + name.substr(0, 40) + "\""};
    Command command{.kind = found->kind};
    for (const auto& [key, value] : message.items())
        if (!read_member(key, value, command))
            return Error{"message: " + name + " cannot use \"" + key.substr(0, 40) + "\" as it is given"};
    return command;
}

void CommandQueue::push(Command command)
{
    const std::lock_guard lock(mutex_);
    if (commands_.size() >= queue_limit)
    {
        const auto moved = std::find_if(commands_.begin(), commands_.end(),
                                        [](const Command& c) { return c.kind == CommandKind::drag_move; });
        commands_.erase(moved == commands_.end() ? commands_.begin() : moved);
    }
    commands_.push_back(std::move(command));
    arrived_.notify_one();
}

std::vector<Command> CommandQueue::take(double seconds)
{
    std::unique_lock lock(mutex_);
    if (seconds > 0)
        arrived_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return !commands_.empty() || is_woken_; });
    is_woken_ = false;
    std::vector<Command> taken(std::make_move_iterator(commands_.begin()), std::make_move_iterator(commands_.end()));
    commands_.clear();
    return taken;
}

void CommandQueue::wake()
{
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
    arrived_.notify_one();
}

} // namespace moraine::viewer
