// What commands that serve a page have in common.
#pragma once

#include "viewer/server.h"

#include <CLI/App.hpp>

#include <chrono>

namespace moraine::cli
{

struct ServeOptions
{
    std::string host = "127.0.0.1";
    std::optional<uint16_t> port{}; // none: 8080, or the next that is free
    bool no_browser = false;
};

void add_serve_options(CLI::App& command, ServeOptions& options);

// Serves, says where, and opens a browser where there is one.
Status start_serving(viewer::Server& server, const ServeOptions& options, const std::string& what);

// Ctrl-C and SIGTERM.
bool is_stop_asked();

class Deadline
{
public:
    explicit Deadline(double seconds);
    bool is_over() const;

private:
    std::optional<std::chrono::steady_clock::time_point> end_{};
};

} // namespace moraine::cli
