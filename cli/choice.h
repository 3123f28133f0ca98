// Options whose value is one of a few words.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace moraine::cli
{

// Of a map from words to values. The library's own check would print the values too, and enumerators of a byte end its
// sentence.
template <class Names>
CLI::Validator choice_of(const Names& names)
{
    return CLI::Validator(
        [names](std::string& word) {
            const auto found = names.find(word);
            if (found != names.end())
            {
                word = CLI::detail::value_string(found->second);
                return std::string();
            }
            std::string known;
            for (const auto& name : names)
                known += (known.empty() ? "" : ", ") + name.first;
            return word + " is none of " + known;
        },
        "");
}

} // namespace moraine::cli
