#include "viewer/request.h"

#include <algorithm>
#include <cctype>

namespace moraine::viewer
{

namespace
{

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return out;
}

// "[::1]:8080" and "localhost:8080" without the port.
std::string host_name(std::string_view host)
{
    if (!host.empty() && host.front() == '[')
        return lower(host.substr(0, host.find(']') + 1));
    return lower(host.substr(0, host.find(':')));
}

bool is_plain(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' || c == '/';
}

} // namespace

Target parse_target(std::string_view target)
{
    Target out;
    const size_t question = target.find('?');
    const std::string_view path = target.substr(0, question);
    // We have no names that need escapes, and nothing above the root.
    if (!path.empty() && path.front() == '/' && std::all_of(path.begin(), path.end(), is_plain) &&
        path.find("..") == std::string_view::npos && path.find("//") == std::string_view::npos)
        out.path = path;
    std::string_view query = question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
    while (!query.empty())
    {
        const size_t end = std::min(query.find('&'), query.size());
        constexpr std::string_view key = "token=";
        if (query.substr(0, end).starts_with(key))
            out.token = query.substr(key.size(), end - key.size());
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return out;
}

bool is_host_allowed(std::string_view host, bool is_bound_to_loopback)
{
    // Beyond loopback the token in the address is what counts: the server may be known by many names.
    if (!is_bound_to_loopback)
        return true;
    const std::string name = host_name(host);
    return name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

bool is_origin_allowed(std::string_view origin, std::string_view host)
{
    if (origin.empty()) // no browser
        return true;
    for (std::string_view scheme : {"http://", "https://"})
        if (origin.starts_with(scheme))
            return !host.empty() && lower(origin.substr(scheme.size())) == lower(host);
    return false;
}

bool is_same_secret(std::string_view a, std::string_view b)
{
    if (a.size() != b.size())
        return false;
    unsigned difference = 0;
    for (size_t i = 0; i < a.size(); ++i)
        difference |= unsigned(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
    return difference == 0;
}

} // namespace moraine::viewer
