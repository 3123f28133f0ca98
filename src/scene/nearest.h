// "Did you mean ...": the known word that is nearest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace moraine
{

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

// The nearest first, at most `count`, only those that are near enough to be meant.
std::vector<std::string> nearest_words(std::string_view word, std::span<const std::string> known, size_t count);

// `; did you mean "friction"?`, or the list of what is known where nothing is near.
std::string suggestion(std::string_view word, std::span<const std::string> known);

} // namespace moraine
