// What a page is to the server, without a browser: a socket, requests, WebSocket frames.
#pragma once

#include "record/view_state.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace moraine::test
{

class PageClient
{
public:
    explicit PageClient(uint16_t port, bool with_small_buffer = false);
    ~PageClient();
    PageClient(PageClient&& other) noexcept;

    bool send(std::string_view bytes);
    std::string receive(size_t size_limit = 1 << 20); // what comes next; empty once the other side has closed
    // The whole answer to a request that closes the connection.
    std::string get(const std::string& target, const std::string& more_headers = "");

    bool open_page(const std::string& target = "/ws", const std::string& more_headers = "");
    bool send_text(std::string_view text);
    bool send_frame(uint8_t first_byte, std::string_view payload, uint64_t claimed_size);
    // The next message that is a frame of bodies.
    std::optional<std::vector<uint8_t>> next_frame(int tries = 200);
    size_t bytes_received() const { return bytes_received_; }

private:
    bool fill(size_t size);
    std::optional<std::string> next_message(uint8_t& kind);

    int socket_ = -1;
    uint16_t port_ = 0;
    std::string buffer_;
    size_t bytes_received_ = 0;
};

// What a page makes of the frames.
struct PageState
{
    ViewState state{};
    VisualTable visuals{};
    uint64_t step = 0;
    double time = 0;
    DVec3 origin{};
    bool is_playing = false;
    size_t movers_told = 0, mover_bytes = 0;
    size_t contacts = 0;
    std::vector<double> number_times{}; // of the rows for the plots

    bool apply(const std::vector<uint8_t>& frame);
    DVec3 position(uint32_t body) const { return state.pose(int32_t(body)).position + origin; }
};

} // namespace moraine::test
