// HTTP and WebSocket on a thread of their own. Whatever clients do, the simulation does not wait for them: each has at
// most one frame on its way, and is told the rest when that one has gone.
#pragma once

#include "viewer/broadcast.h"
#include "viewer/command.h"

#include <functional>
#include <memory>
#include <string_view>

namespace moraine::viewer
{

struct ServerOptions
{
    std::string host = "127.0.0.1";
    uint16_t port = 8080; // 0: any that is free
    std::string token{};  // what the address must hold as ?token=…; empty: nothing
};

struct Document
{
    std::string_view type{}; // such as text/html
    std::shared_ptr<const std::string> body{};
};

// What is at a path such as "/thumbnail/ferry"; nothing where there is nothing. Called on the server's thread.
using FindDocument = std::function<std::optional<Document>(std::string_view path)>;

class Server
{
public:
    Server(Broadcast& broadcast, CommandQueue& commands, FindDocument find_document);
    ~Server();

    Status start(const ServerOptions& options);
    void stop();

    uint16_t port() const;
    int page_count() const; // connected
    // What every page is told first.
    void set_greeting(std::string text);
    // There is a new version to show. From any thread, as are the next.
    void notify();
    void send_text(uint32_t client, std::string text); // 0: to all
    uint64_t bytes_sent() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

bool is_loopback(const std::string& host);
std::string make_token();

} // namespace moraine::viewer
