#include "viewer/session.h"

#include <algorithm>
#include <chrono>

namespace moraine::viewer
{

namespace
{

constexpr auto request_time = std::chrono::seconds(30);
constexpr auto silence = std::chrono::seconds(60); // of a page that does not even answer a ping

constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src data:; connect-src 'self' ws: wss:; worker-src blob:";

} // namespace

// ---- requests ----

RequestSession::RequestSession(tcp::socket socket, Hub& hub) : hub_(hub), stream_(std::move(socket))
{
    ++hub_.connections;
}
RequestSession::~RequestSession() { --hub_.connections; }

void RequestSession::read()
{
    parser_.emplace();
    parser_->header_limit(8 * 1024);
    parser_->body_limit(1024);
    stream_.expires_after(request_time);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, size_t) { self->on_read(error); });
}

void RequestSession::on_read(beast::error_code error)
{
    if (error == http::error::header_limit || error == http::error::body_limit || error == http::error::buffer_overflow)
        return refuse(http::status::payload_too_large, "The request is too large.\n");
    if (error.category() == http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message)
        return refuse(http::status::bad_request, "This is not a request.\n");
    if (!error)
        answer();
}

void RequestSession::answer()
{
    const auto& request = parser_->get();
    const auto text = [](beast::string_view v) { return std::string_view(v.data(), v.size()); };
    const Target target = parse_target(text(request.target()));
    const std::string_view host = text(request[http::field::host]);
    if (!is_host_allowed(host, hub_.is_bound_to_loopback))
        return refuse(http::status::forbidden, "This server is known as localhost only.\n");
    if (!is_same_secret(target.token, hub_.token) && !hub_.token.empty())
        return refuse(http::status::forbidden, "The address needs the token that moraine printed.\n");
    if (websocket::is_upgrade(request))
    {
        if (target.path != "/ws")
            return refuse(http::status::not_found, "There is nothing here.\n");
        if (!is_origin_allowed(text(request[http::field::origin]), host))
            return refuse(http::status::forbidden, "Pages from elsewhere may not connect.\n");
        const auto page = std::make_shared<PageSession>(stream_.release_socket(), hub_);
        return page->start(request);
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head)
        return refuse(http::status::method_not_allowed, "Only GET is answered.\n");
    const std::optional<Document> document = target.path.empty() ? std::nullopt : hub_.find_document(target.path);
    if (!document)
        return refuse(http::status::not_found, "There is nothing here.\n");
    answer(http::status::ok, document->type, document->body);
}

void RequestSession::refuse(http::status status, std::string_view why)
{
    answer(status, "text/plain", std::make_shared<const std::string>(why));
}

void RequestSession::answer(http::status status, std::string_view type, std::shared_ptr<const std::string> body)
{
    const auto& request = parser_->get();
    const bool stays_open = status == http::status::ok && request.keep_alive();
    const bool is_head = request.method() == http::verb::head;
    body_ = std::move(body); // must outlive the writing
    using Answer = http::response<http::span_body<const char>>;
    auto answer = std::make_shared<Answer>(status, 11u);
    answer->set(http::field::content_type, beast::string_view(type.data(), type.size()));
    answer->set(http::field::cache_control, "no-store");
    answer->set(http::field::x_frame_options, "DENY");
    answer->set("X-Content-Type-Options", "nosniff");
    answer->set("Referrer-Policy", "no-referrer"); // the address may hold a token
    answer->set("Content-Security-Policy", beast::string_view(content_policy.data(), content_policy.size()));
    answer->keep_alive(stays_open);
    if (!is_head)
        answer->body() = beast::span<const char>(body_->data(), body_->size());
    answer->content_length(body_->size());
    stream_.expires_after(request_time);
    http::async_write(stream_, *answer,
                      [self = shared_from_this(), answer, stays_open](beast::error_code error, size_t size) {
                          self->hub_.bytes_sent += size;
                          self->on_written(error, stays_open);
                      });
}

void RequestSession::on_written(beast::error_code error, bool stays_open)
{
    if (!error && stays_open)
        return read();
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
}

// ---- pages ----

PageSession::PageSession(tcp::socket socket, Hub& hub) : hub_(hub), stream_(std::move(socket))
{
    ++hub_.connections;
    client_ = hub_.next_client++;
}

PageSession::~PageSession()
{
    forget();
    --hub_.connections;
}

void PageSession::start(const http::request<http::string_body>& request)
{
    websocket::stream_base::timeout timeout{};
    timeout.handshake_timeout = request_time;
    timeout.idle_timeout = silence;
    timeout.keep_alive_pings = true;
    stream_.set_option(timeout);
    stream_.read_message_max(message_size_limit);
    beast::get_lowest_layer(stream_).expires_never();
    beast::error_code ignored;
    beast::get_lowest_layer(stream_).socket().set_option(tcp::no_delay(true), ignored);
    auto kept = std::make_shared<http::request<http::string_body>>(request);
    stream_.async_accept(*kept, [self = shared_from_this(), kept](beast::error_code error) {
        if (error)
            return;
        self->is_open_ = true;
        self->hub_.pages.insert(self.get());
        self->hub_.page_count = int(self->hub_.pages.size());
        self->hub_.commands.wake();
        self->send_text(self->hub_.greeting);
        self->read();
    });
}

void PageSession::forget()
{
    if (hub_.pages.erase(this) == 0)
        return;
    hub_.page_count = int(hub_.pages.size());
    hub_.commands.push({.kind = CommandKind::leave, .client = client_});
}

void PageSession::close()
{
    is_open_ = false;
    forget();
    beast::get_lowest_layer(stream_).close();
}

void PageSession::read()
{
    stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, size_t) { self->on_read(error); });
}

void PageSession::on_read(beast::error_code error)
{
    if (error)
        return close();
    if (stream_.got_text())
    {
        const auto data = buffer_.cdata();
        auto command = parse_command({static_cast<const char*>(data.data()), data.size()});
        if (command && command->kind == CommandKind::seen)
            note_seen(command->value);
        else if (command)
        {
            command->client = client_;
            hub_.commands.push(std::move(*command));
        }
    }
    buffer_.consume(buffer_.size());
    read();
}

void PageSession::note_seen(double frames)
{
    tells_seen_ = true;
    frames_seen_ = std::min(uint64_t(std::max(frames, 0.0)), frames_sent_);
    write_next();
}

void PageSession::send_text(std::string text)
{
    if (!is_open_ || text.empty())
        return;
    texts_.push_back(std::move(text));
    if (texts_.size() > texts_limit)
        texts_.pop_front();
    write_next();
}

void PageSession::show() { write_next(); }

void PageSession::write_next()
{
    if (!is_open_ || is_writing_)
        return;
    const auto done = [self = shared_from_this()](beast::error_code error, size_t size) {
        self->on_written(error, size);
    };
    if (!texts_.empty())
    {
        is_writing_ = true;
        text_ = std::move(texts_.front());
        texts_.pop_front();
        stream_.text(true);
        stream_.async_write(asio::buffer(text_), done);
        return;
    }
    if (tells_seen_ && frames_sent_ - frames_seen_ >= frames_ahead)
        return;
    frame_ = hub_.broadcast.next_frame(cursor_);
    if (!frame_)
        return;
    is_writing_ = true;
    ++frames_sent_;
    stream_.binary(true);
    stream_.async_write(asio::buffer(*frame_), done);
}

void PageSession::on_written(beast::error_code error, size_t size)
{
    is_writing_ = false;
    frame_.reset();
    hub_.bytes_sent += size;
    if (error)
        return close();
    write_next();
}

} // namespace moraine::viewer
