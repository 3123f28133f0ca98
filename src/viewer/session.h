// One connection: a request for a document, or a page that stays connected. All on the server's thread.
#pragma once

#include "viewer/request.h"
#include "viewer/server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <atomic>
#include <set>

namespace moraine::viewer
{

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;

class PageSession;

// What the sessions share.
struct Hub
{
    Broadcast& broadcast;
    CommandQueue& commands;
    FindDocument find_document;
    std::string token{};
    bool is_bound_to_loopback = true;
    std::string greeting{};
    std::set<PageSession*> pages{};
    int connections = 0;
    uint32_t next_client = 1;
    std::atomic<int> page_count{0};
    std::atomic<uint64_t> bytes_sent{0};
};

constexpr int connection_limit = 128;
constexpr size_t texts_limit = 64; // waiting for one page; then the oldest are lost
// Frames on their way that a page has not shown yet: enough to fill the way to a page that is far off. A browser takes in
// more than it can show, and its picture would fall behind by seconds.
constexpr uint64_t frames_ahead = 3;

// A page that is connected.
class PageSession : public std::enable_shared_from_this<PageSession>
{
public:
    PageSession(tcp::socket socket, Hub& hub);
    ~PageSession();
    void start(const http::request<http::string_body>& request);
    void show(); // what is new, unless something is on its way already
    void send_text(std::string text);
    uint32_t client() const { return client_; }
    void close();

private:
    void read();
    void on_read(beast::error_code error);
    void note_seen(double frames);
    void write_next();
    void on_written(beast::error_code error, size_t size);
    void forget();

    Hub& hub_;
    websocket::stream<beast::tcp_stream> stream_;
    beast::flat_buffer buffer_{message_size_limit};
    uint32_t client_ = 0;
    bool is_open_ = false, is_writing_ = false;
    Cursor cursor_{};
    FrameBytes frame_; // on its way
    uint64_t frames_sent_ = 0, frames_seen_ = 0;
    bool tells_seen_ = false;
    std::deque<std::string> texts_;
    std::string text_; // on its way
};

// A request, before it is known what it will be.
class RequestSession : public std::enable_shared_from_this<RequestSession>
{
public:
    RequestSession(tcp::socket socket, Hub& hub);
    ~RequestSession();
    void read();

private:
    void on_read(beast::error_code error);
    void answer();
    void answer(http::status status, std::string_view type, std::shared_ptr<const std::string> body);
    void refuse(http::status status, std::string_view why);
    void on_written(beast::error_code error, bool stays_open);

    Hub& hub_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_{16 * 1024};
    std::optional<http::request_parser<http::string_body>> parser_;
    std::shared_ptr<const std::string> body_;
};

} // namespace moraine::viewer
