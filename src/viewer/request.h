// Who may ask for what.
#pragma once

#include <string>
#include <string_view>

namespace moraine::viewer
{

struct Target
{
    std::string path{}; // decoded, without the query
    std::string token{};
};

// "/ws?token=abc". A path that climbs or hides something has an empty path.
Target parse_target(std::string_view target);

// A page from elsewhere must not talk to a server on this machine: the Host must be one we are known by (names that
// resolve to us are not enough, see DNS rebinding), and a browser's Origin must be that very host.
bool is_host_allowed(std::string_view host, bool is_bound_to_loopback);
bool is_origin_allowed(std::string_view origin, std::string_view host);

bool is_same_secret(std::string_view a, std::string_view b); // takes as long whatever differs

} // namespace moraine::viewer
