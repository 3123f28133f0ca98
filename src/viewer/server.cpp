#include "viewer/server.h"

#include "viewer/session.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include <random>
#include <thread>

namespace moraine::viewer
{

struct Server::Impl
{
    Hub hub;
    asio::io_context context{1};
    tcp::acceptor acceptor{context};
    std::thread thread{};
    std::atomic<bool> is_notified{false};
    uint16_t port = 0;

    void accept();
    void show_all();
};

void Server::Impl::accept()
{
    acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
        if (error == asio::error::operation_aborted)
            return;
        // Past the limit the connection is dropped at once: a queue of them would only hide the trouble.
        if (!error && hub.connections < connection_limit)
            std::make_shared<RequestSession>(std::move(socket), hub)->read();
        accept();
    });
}

void Server::Impl::show_all()
{
    is_notified = false;
    // A page may go away while it is written to.
    std::vector<std::shared_ptr<PageSession>> pages;
    for (PageSession* page : hub.pages)
        pages.push_back(page->shared_from_this());
    for (const auto& page : pages)
        page->show();
}

Server::Server(Broadcast& broadcast, CommandQueue& commands, FindDocument find_document)
    : impl_(new Impl{.hub = {broadcast, commands, std::move(find_document)}})
{}

Server::~Server() { stop(); }

Status Server::start(const ServerOptions& options)
{
    beast::error_code error;
    const std::string place = options.host + ":" + std::to_string(options.port);
    const asio::ip::address address = asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host,
                                                             error);
    if (error)
        return Error{"--host " + options.host + ": not an address; give one such as 127.0.0.1 or 0.0.0.0"};
    const tcp::endpoint endpoint(address, options.port);
    impl_->hub.token = options.token;
    impl_->hub.is_bound_to_loopback = address.is_loopback();
    impl_->acceptor.open(endpoint.protocol(), error);
    if (!error)
        impl_->acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error)
        impl_->acceptor.bind(endpoint, error);
    if (!error)
        impl_->acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
    {
        beast::error_code ignored;
        impl_->acceptor.close(ignored); // another port may be tried
        return Error{place + ": cannot serve there: " + error.message() + "; try another --port"};
    }
    impl_->port = impl_->acceptor.local_endpoint().port();
    impl_->accept();
    impl_->thread = std::thread([this] { impl_->context.run(); });
    return Ok{};
}

void Server::stop()
{
    if (!impl_->thread.joinable())
        return;
    asio::post(impl_->context, [this] {
        beast::error_code ignored;
        impl_->acceptor.close(ignored);
        const std::set<PageSession*> pages = impl_->hub.pages;
        for (PageSession* page : pages)
            page->close();
        impl_->context.stop();
    });
    impl_->thread.join();
}

uint16_t Server::port() const { return impl_->port; }
int Server::page_count() const { return impl_->hub.page_count; }
uint64_t Server::bytes_sent() const { return impl_->hub.bytes_sent; }

void Server::set_greeting(std::string text)
{
    asio::post(impl_->context, [this, text = std::move(text)]() mutable { impl_->hub.greeting = std::move(text); });
}

void Server::notify()
{
    if (!impl_->is_notified.exchange(true))
        asio::post(impl_->context, [this] { impl_->show_all(); });
}

void Server::send_text(uint32_t client, std::string text)
{
    asio::post(impl_->context, [this, client, text = std::move(text)] {
        std::vector<std::shared_ptr<PageSession>> pages;
        for (PageSession* page : impl_->hub.pages)
            if (client == 0 || page->client() == client)
                pages.push_back(page->shared_from_this());
        for (const auto& page : pages)
            page->send_text(text);
    });
}

bool is_loopback(const std::string& host)
{
    beast::error_code error;
    const asio::ip::address address = asio::ip::make_address(host, error);
    return host == "localhost" || (!error && address.is_loopback());
}

std::string make_token()
{
    std::random_device random;
    constexpr char digits[] = "0123456789abcdef";
    std::string token;
    for (int i = 0; i < 32; ++i)
        token += digits[random() % 16];
    return token;
}

} // namespace moraine::viewer
