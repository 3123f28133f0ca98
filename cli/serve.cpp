#include "cli/serve.h"

#include "cli/exit_code.h"
#include "viewer/page.h"

#include <CLI/CLI.hpp>
#include <spawn.h>
#include <unistd.h>

#include <csignal>

extern char** environ;

namespace moraine::cli
{

namespace
{

constexpr uint16_t first_port = 8080, ports_tried = 20;

volatile std::sig_atomic_t stop_asked = 0;

void listen_for_stop()
{
    struct sigaction action = {};
    action.sa_handler = [](int) { stop_asked = 1; };
    action.sa_flags = int(SA_RESETHAND); // the second Ctrl-C ends the process at once
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    if (struct sigaction before = {}; sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, nullptr); // the terminal was closed; not with nohup
    std::signal(SIGPIPE, SIG_IGN);
}

// Where there is a desktop, and a terminal that somebody sits at. What the browser says is not ours to show.
bool open_browser(const std::string& address)
{
    const bool has_desktop = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
    if (!has_desktop || isatty(STDOUT_FILENO) == 0)
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int stream : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", 1 /* O_WRONLY */, 0);
    std::string program = "xdg-open", argument = address;
    char* arguments[] = {program.data(), argument.data(), nullptr};
    pid_t child = 0;
    const int error = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0;
}

// On a machine at the other end of a line the address leads nowhere without this.
void explain_ssh(uint16_t port)
{
    if (std::getenv("SSH_CONNECTION") == nullptr)
        return;
    char name[256] = "this-machine";
    gethostname(name, sizeof name - 1);
    fmt::print("You are here by ssh: first run this where your browser is.\n\n    ssh -N -L {0}:127.0.0.1:{0} {1}\n\n",
               port, name);
}

Status start_somewhere(viewer::Server& server, viewer::ServerOptions& options, std::optional<uint16_t> port)
{
    if (port)
    {
        options.port = *port;
        return server.start(options);
    }
    Status status = Error{};
    for (options.port = first_port; options.port < first_port + ports_tried; ++options.port)
        if (status = server.start(options); status)
            break;
    return status;
}

} // namespace

void add_serve_options(CLI::App& command, ServeOptions& options)
{
    command.add_option("--port", options.port, "Where to serve; 8080 or the next that is free when left out, 0: any")
        ->type_name("P");
    command
        .add_option("--host", options.host, "Address to serve at; beyond this machine the page's address holds a token")
        ->type_name("H");
    command.add_flag("--no-browser", options.no_browser, "Only print the address");
}

Status start_serving(viewer::Server& server, const ServeOptions& options, const std::string& what)
{
    viewer::ServerOptions at{.host = options.host};
    if (!viewer::is_loopback(options.host))
        at.token = viewer::make_token();
    const Status started = start_somewhere(server, at, options.port);
    if (!started)
        return started;
    if (!viewer::has_pages())
        warn("this program was built without the viewer's page (npm was missing, or could not fetch its packages); the "
             "page will say what to do");
    const std::string host = options.host == "0.0.0.0" || options.host == "::" ? "localhost" : options.host;
    const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
    const std::string address = fmt::format("http://{}:{}/{}", shown, server.port(),
                                            at.token.empty() ? "" : "?token=" + at.token);
    const bool is_opened = !options.no_browser && open_browser(address);
    fmt::print("{} is shown at\n\n    {}\n\n", what, address);
    if (!is_opened)
        explain_ssh(server.port());
    fmt::print("{} Ctrl-C ends.\n", is_opened ? "A browser is being opened." : "Open this address in a browser.");
    std::fflush(stdout);
    listen_for_stop();
    return Ok{};
}

bool is_stop_asked() { return stop_asked != 0; }

Deadline::Deadline(double seconds)
{
    if (seconds > 0)
        end_ = std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

bool Deadline::is_over() const { return end_ && std::chrono::steady_clock::now() >= *end_; }

} // namespace moraine::cli
