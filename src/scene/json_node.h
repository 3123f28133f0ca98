// A value of a JSON document together with the way to it, so that every complaint can say where it is.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <span>
#include <stdexcept>
#include <string>

namespace moraine
{

using Json = nlohmann::ordered_json;

// Thrown while a document is read; turned into an Error before it leaves the module.
struct SceneFileError : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

struct JsonDocument
{
    std::string name; // the file, for messages
    std::string text;
    Json root;
};

// Throws SceneFileError with the line for bad syntax, double keys and too deep nesting.
JsonDocument parse_document(std::string name, std::string text);

// The line, from 1, on which the value at this JSON pointer begins. The text is known to be valid.
int line_of(const std::string& text, const std::string& pointer);

// Lives on the stack while its children are read: a child keeps a pointer to its parent.
class JsonNode
{
public:
    explicit JsonNode(const JsonDocument& document) : document_(&document), value_(&document.root) {}

    const Json& value() const { return *value_; }
    const JsonDocument& document() const { return *document_; }
    std::string pointer() const;
    [[noreturn]] void fail(const std::string& what) const; // "file:line: /pointer: what"

    std::optional<JsonNode> find(const char* key) const; // object only
    JsonNode at(const char* key) const;                  // fails where the key is missing
    JsonNode at(const std::string& key) const { return at(key.c_str()); }
    JsonNode at(size_t index) const;
    size_t size() const { return value_->size(); }

    void expect_object() const;
    void expect_array() const;
    void expect_keys(std::span<const std::string> known) const; // an object with no other keys than these
    std::string text() const;                                   // fails unless it is a string
    std::string shown() const;                                  // the value, cut short, for messages

private:
    JsonNode(const JsonNode& parent, std::string step, const Json& value)
        : document_(parent.document_),
          value_(&value),
          parent_(&parent),
          step_(std::move(step))
    {}

    const JsonDocument* document_;
    const Json* value_;
    const JsonNode* parent_ = nullptr;
    std::string step_;
};

} // namespace moraine
