#include "viewer/page_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace moraine::test
{

PageClient::PageClient(uint16_t port, bool with_small_buffer) : port_(port)
{
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    const int size = 4096;
    if (with_small_buffer)
        setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    const timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    {
        close(socket_);
        socket_ = -1;
    }
}

PageClient::~PageClient()
{
    if (socket_ >= 0)
        close(socket_);
}

PageClient::PageClient(PageClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      port_(other.port_),
      buffer_(std::move(other.buffer_)),
      bytes_received_(other.bytes_received_)
{}

bool PageClient::send(std::string_view bytes)
{
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == ssize_t(bytes.size());
}

std::string PageClient::receive(size_t size_limit)
{
    std::string part(size_limit, '\0');
    const ssize_t size = recv(socket_, part.data(), part.size(), 0);
    part.resize(size > 0 ? size_t(size) : 0);
    bytes_received_ += part.size();
    return part;
}

std::string PageClient::get(const std::string& target, const std::string& more_headers)
{
    send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + more_headers + "\r\n");
    std::string answer;
    for (std::string part; !(part = receive()).empty();)
        answer += part;
    return answer;
}

bool PageClient::open_page(const std::string& target, const std::string& more_headers)
{
    send("GET " + target + " HTTP/1.1\r\nHost: localhost:" + std::to_string(port_) +
         "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" +
         more_headers + "\r\n");
    while (buffer_.find("\r\n\r\n") == std::string::npos)
    {
        const std::string part = receive();
        if (part.empty())
            return false;
        buffer_ += part;
    }
    const bool is_open = buffer_.starts_with("HTTP/1.1 101");
    buffer_.erase(0, buffer_.find("\r\n\r\n") + 4);
    return is_open;
}

bool PageClient::send_frame(uint8_t first_byte, std::string_view payload, uint64_t claimed_size)
{
    std::string bytes(1, char(first_byte));
    if (claimed_size < 126)
        bytes += char(128 | claimed_size);
    else
    {
        bytes += char(128 | 127);
        for (int shift = 56; shift >= 0; shift -= 8)
            bytes += char(claimed_size >> shift);
    }
    bytes += std::string(4, '\0'); // a mask that changes nothing
    return send(bytes + std::string(payload));
}

bool PageClient::send_text(std::string_view text) { return send_frame(0x81, text, text.size()); }

bool PageClient::fill(size_t size)
{
    while (buffer_.size() < size)
    {
        const std::string part = receive();
        if (part.empty())
            return false;
        buffer_ += part;
    }
    return true;
}

std::optional<std::string> PageClient::next_message(uint8_t& kind)
{
    std::string message;
    for (bool is_last = false; !is_last;)
    {
        if (!fill(2))
            return std::nullopt;
        is_last = (uint8_t(buffer_[0]) & 128) != 0;
        const uint8_t code = uint8_t(buffer_[0]) & 15;
        uint64_t size = uint8_t(buffer_[1]) & 127;
        const size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
        if (!fill(2 + extra))
            return std::nullopt;
        if (extra > 0)
            size = 0;
        for (size_t i = 0; i < extra; ++i)
            size = size << 8 | uint8_t(buffer_[2 + i]);
        if (!fill(2 + extra + size))
            return std::nullopt;
        if (code != 0)
            kind = code;
        message += buffer_.substr(2 + extra, size);
        buffer_.erase(0, 2 + extra + size);
    }
    return message;
}

std::optional<std::vector<uint8_t>> PageClient::next_frame(int tries)
{
    for (int i = 0; i < tries; ++i)
    {
        uint8_t kind = 0;
        const auto message = next_message(kind);
        if (!message)
            return std::nullopt;
        if (kind == 2)
            return std::vector<uint8_t>(message->begin(), message->end());
    }
    return std::nullopt;
}

bool PageState::apply(const std::vector<uint8_t>& frame)
{
    ByteReader in(frame);
    if (in.raw<uint8_t>() != 1)
        return false;
    const uint8_t flags = in.raw<uint8_t>();
    if (flags & 1)
        state = {}, visuals = {};
    is_playing = (flags & 2) != 0;
    step = in.varint();
    time = in.raw<double>();
    origin.x = in.raw<double>(), origin.y = in.raw<double>(), origin.z = in.raw<double>();
    in.raw<float>(), in.raw<float>();
    if (!visuals.read(in))
        return false;
    size_t index = 0;
    for (size_t left = in.count(2); left > 0; --left)
    {
        index += in.varint();
        state.bodies.resize(std::max(state.bodies.size(), index + 1));
        ViewBody body;
        if (const uint8_t kind = in.raw<uint8_t>(); kind != 0)
        {
            body.visual = in.index(visuals.count());
            body.mover = in.index(1'000'000);
            body.collection = uint32_t(in.varint());
            float v[7] = {0, 0, 0, 0, 0, 0, 1};
            if (kind == 2)
                for (float& value : v)
                    value = in.raw<float>();
            body.local = {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
            state.movers.resize(std::max(state.movers.size(), size_t(body.mover) + 1));
        }
        state.bodies[index] = body;
    }
    const size_t before = in.left();
    movers_told = in.count(32);
    for (size_t left = movers_told; left > 0; --left)
    {
        const size_t mover = in.raw<uint32_t>() & 0x3fffffffu;
        float v[7];
        for (float& value : v)
            value = in.raw<float>();
        state.movers.resize(std::max(state.movers.size(), mover + 1));
        state.movers[mover].pose = {DVec3(v[0], v[1], v[2]), {v[3], v[4], v[5], v[6]}};
    }
    mover_bytes = before - in.left();
    for (size_t left = in.count(4); left > 0; --left)
        in.raw<uint32_t>(); // who woke or fell asleep
    number_times.clear();
    for (size_t left = in.count(9); left > 0; --left)
    {
        number_times.push_back(in.raw<double>());
        for (size_t values = in.count(4); values > 0; --values)
            in.raw<float>();
    }
    return in.is_good();
}

} // namespace moraine::test
