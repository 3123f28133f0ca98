// The XML document of a reference scene: its numbers and flags, and complaints with their line.
#pragma once

#include <moraine/math.h>

#include <pugixml.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace moraine
{

// Thrown while a file is read; turned into an Error before it leaves the module.
struct ImportError : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

class ReferenceFile
{
public:
    explicit ReferenceFile(const std::string& path); // throws ImportError

    const std::string& path() const { return path_; }
    pugi::xml_node root() const { return document_.child("root"); }
    int line_of(const pugi::xml_node& node) const;
    [[noreturn]] void fail(const pugi::xml_node& node, const std::string& what) const;

    // Numbers separated by blanks, as many as `lower` to `upper`.
    std::vector<double> numbers(const pugi::xml_node& node, const char* text, size_t lower, size_t upper) const;
    float number(const pugi::xml_node& node, const char* text) const;
    Vec3 vector(const pugi::xml_node& node, const char* text) const;
    DVec3 position(const pugi::xml_node& node) const; // its text
    Quat rotation(const pugi::xml_node& node) const;  // its text: axis and angle

    Vec3 vector_attribute(const pugi::xml_node& node, const char* name) const; // must be there
    float number_attribute(const pugi::xml_node& node, const char* name, float otherwise) const;
    float size_attribute(const pugi::xml_node& node, const char* name, float otherwise) const; // above zero

    // The path of a file named in an attribute: in the scene's folder or its data/, nowhere else.
    std::string referenced_file(const pugi::xml_node& node, const char* attribute) const;

private:
    std::string path_;
    std::string text_;
    pugi::xml_document document_;
};

bool is_named(const pugi::xml_node& node, const char* name); // in any case
bool is_true(const char* text);

} // namespace moraine
