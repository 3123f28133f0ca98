#include "scene/nearest.h"

#include <algorithm>
#include <utility>

namespace moraine
{

int edit_distance(std::string_view a, std::string_view b)
{
    a = a.substr(0, 64);
    b = b.substr(0, 64);
    std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j)
        last[j] = int(j);
    for (size_t i = 1; i <= a.size(); ++i)
    {
        row[0] = int(i);
        for (size_t j = 1; j <= b.size(); ++j)
        {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = std::exchange(last, row);
    }
    return last[b.size()];
}

std::vector<std::string> nearest_words(std::string_view word, std::span<const std::string> known, size_t count)
{
    std::vector<std::pair<int, std::string>> found;
    for (const std::string& candidate : known)
    {
        const bool is_part = word.size() >= 3 && candidate.find(word) != std::string::npos;
        const int distance = is_part ? 1 : edit_distance(word, candidate);
        if (distance <= std::max<int>(1, int(std::max(word.size(), candidate.size())) / 3))
            found.emplace_back(distance, candidate);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> words;
    for (size_t i = 0; i < found.size() && i < count; ++i)
        words.push_back(found[i].second);
    return words;
}

std::string suggestion(std::string_view word, std::span<const std::string> known)
{
    const std::vector<std::string> near = nearest_words(word, known, 1);
    if (!near.empty())
        return "; did you mean \"" + near[0] + "\"?";
    std::string text = "; known are ";
    for (size_t i = 0; i < known.size(); ++i)
        text += (i ? ", " : "") + known[i];
    return text;
}

} // namespace moraine
