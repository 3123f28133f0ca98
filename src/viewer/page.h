// The pages, compiled in.
#pragma once

#include <string>
#include <string_view>

namespace moraine::viewer
{

std::string_view viewer_page();
std::string_view report_page();
bool has_pages(); // false: built where npm was not to be had

// The viewer's page for a recording that the server has, and one with the recording inside that needs no server.
std::string replay_page();
std::string page_with_recording(std::string_view recording);

// The report's page with these numbers.
std::string report_with_data(std::string_view json);

} // namespace moraine::viewer
