#include "scene/json_node.h"

#include "scene/nearest.h"

#include <algorithm>
#include <set>
#include <vector>

namespace moraine
{

namespace
{

constexpr int depth_limit = 64;

int line_at(const std::string& text, size_t byte)
{
    byte = std::min(byte, text.size());
    return 1 + int(std::count(text.begin(), text.begin() + std::ptrdiff_t(byte), '\n'));
}

// Follows a pointer through valid JSON text, without building anything.
class Scanner
{
public:
    explicit Scanner(const std::string& text) : text_(text) {}

    // The byte where the value at `pointer` begins.
    size_t seek(const std::string& pointer)
    {
        skip_blank();
        for (size_t begin = 1; begin <= pointer.size();)
        {
            const size_t end = std::min(pointer.find('/', begin), pointer.size());
            if (!enter(unescape(pointer.substr(begin, end - begin))))
                break;
            begin = end + 1;
        }
        return position_;
    }

private:
    static std::string unescape(std::string step)
    {
        for (const auto& [from, to] : {std::pair("~1", "/"), std::pair("~0", "~")})
            for (size_t at = step.find(from); at != std::string::npos; at = step.find(from, at + 1))
                step.replace(at, 2, to);
        return step;
    }

    char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }

    void skip_blank()
    {
        while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])))
            ++position_;
    }

    void skip_string()
    {
        for (++position_; position_ < text_.size() && text_[position_] != '"'; ++position_)
            position_ += text_[position_] == '\\';
        ++position_;
    }

    void skip_value()
    {
        int depth = 0;
        do
        {
            skip_blank();
            const char c = peek();
            if (c == '"')
                skip_string();
            else
            {
                depth += c == '{' || c == '[';
                depth -= c == '}' || c == ']';
                ++position_;
                while (depth == 0 && position_ < text_.size() && !std::strchr(",]} \t\r\n", text_[position_]))
                    ++position_;
            }
        } while (depth > 0 && position_ < text_.size());
    }

    // Moves from the beginning of a container to the member or element `step`.
    bool enter(const std::string& step)
    {
        const bool is_object = peek() == '{';
        if (!is_object && peek() != '[')
            return false;
        ++position_;
        for (size_t index = 0;; ++index)
        {
            skip_blank();
            if (peek() == '}' || peek() == ']' || peek() == '\0')
                return false;
            bool is_wanted = !is_object && std::to_string(index) == step;
            if (is_object)
            {
                const size_t begin = position_;
                skip_string();
                const Json key = Json::parse(text_.substr(begin, position_ - begin), nullptr, false);
                is_wanted = key.is_string() && key.get_ref<const std::string&>() == step;
                skip_blank();
                ++position_; // colon
                skip_blank();
            }
            if (is_wanted)
                return true;
            skip_value();
            skip_blank();
            position_ += peek() == ',';
        }
    }

    const std::string& text_;
    size_t position_ = 0;
};

// Keys and strings of a broken file may hold anything; a message is one line of plain text.
std::string one_line(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text;
}

// Without the library's error number and its own idea of the place: "syntax error while parsing value - ...".
std::string syntax_message(const std::string& what)
{
    const size_t begin = what.find("syntax error");
    const size_t cut = what.find("; last read");
    std::string text = begin == std::string::npos ? what
                                                  : what.substr(begin, cut == std::string::npos ? cut : cut - begin);
    return one_line(text);
}

// The library says: number overflow parsing '1e999'. The first such number in the text is the one.
std::string overflow_message(const std::string& name, const std::string& text, const std::string& what)
{
    const size_t begin = what.find('\''), end = what.rfind('\'');
    if (begin == std::string::npos || end <= begin)
        return name + ": " + one_line(what);
    const std::string number = what.substr(begin + 1, end - begin - 1);
    return name + ":" + std::to_string(line_at(text, text.find(number))) + ": the number " + one_line(number) +
           " is too large; give at most 1e15";
}

} // namespace

JsonDocument parse_document(std::string name, std::string text)
{
    std::vector<std::set<std::string>> keys;
    const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (depth > depth_limit)
            throw SceneFileError(name + ": nested more than " + std::to_string(depth_limit) + " deep; flatten it");
        if (event == Json::parse_event_t::object_start)
            keys.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            keys.pop_back();
        else if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
            throw SceneFileError(name + ": the key \"" + one_line(parsed.get<std::string>()) +
                                 "\" appears twice in one object; remove one");
        return true;
    };
    JsonDocument document;
    try
    {
        document.root = Json::parse(text, check);
    }
    catch (const Json::parse_error& error)
    {
        throw SceneFileError(name + ":" + std::to_string(line_at(text, error.byte ? error.byte - 1 : 0)) +
                             ": not JSON: " + syntax_message(error.what()));
    }
    catch (const Json::exception& error)
    {
        throw SceneFileError(overflow_message(name, text, error.what()));
    }
    document.name = std::move(name);
    document.text = std::move(text);
    return document;
}

int line_of(const std::string& text, const std::string& pointer) { return line_at(text, Scanner(text).seek(pointer)); }

std::string JsonNode::pointer() const
{
    if (!parent_)
        return "";
    std::string step;
    for (const char c : step_)
        step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return parent_->pointer() + "/" + step;
}

void JsonNode::fail(const std::string& what) const
{
    const std::string where = pointer();
    throw SceneFileError(one_line(document_->name + ":" + std::to_string(line_of(document_->text, where)) + ": " +
                                  (where.empty() ? "" : where + ": ") + what));
}

std::optional<JsonNode> JsonNode::find(const char* key) const
{
    const auto found = value_->find(key);
    if (found == value_->end())
        return std::nullopt;
    return JsonNode(*this, key, *found);
}

JsonNode JsonNode::at(const char* key) const
{
    const auto found = value_->find(key);
    if (found == value_->end())
        fail(std::string("has no \"") + key + "\"; add it");
    return JsonNode(*this, key, *found);
}

JsonNode JsonNode::at(size_t index) const { return JsonNode(*this, std::to_string(index), (*value_)[index]); }

void JsonNode::expect_object() const
{
    if (!value_->is_object())
        fail("is " + shown() + "; give an object {...}");
}

void JsonNode::expect_array() const
{
    if (!value_->is_array())
        fail("is " + shown() + "; give a list [...]");
}

void JsonNode::expect_keys(std::span<const std::string> known) const
{
    expect_object();
    for (const auto& [key, value] : value_->items())
        if (std::find(known.begin(), known.end(), key) == known.end() && key != "$schema" && key != "comment")
            at(key).fail("unknown key" + suggestion(key, known));
}

std::string JsonNode::text() const
{
    if (!value_->is_string())
        fail("is " + shown() + "; give a string");
    return value_->get<std::string>();
}

std::string JsonNode::shown() const
{
    if (value_->is_object() || value_->is_array())
        return value_->is_object() ? "an object" : "a list of " + std::to_string(value_->size());
    std::string text = value_->dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() > 40 ? text.substr(0, 40) + "..." : text;
}

} // namespace moraine
