// What comes over the network: requests, as the server reads them, and the messages of pages.
#include "viewer/command.h"
#include "viewer/request.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http.hpp>

#include <cstdlib>

using namespace moraine::viewer;
namespace beast = boost::beast;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)parse_command(text);
    const Target direct = parse_target(text);
    if (direct.path.find("..") != std::string::npos)
        std::abort();

    beast::http::request_parser<beast::http::string_body> parser;
    parser.header_limit(8 * 1024);
    parser.body_limit(1024);
    beast::error_code error;
    parser.put(boost::asio::buffer(data, size), error);
    if (!parser.is_header_done())
        return 0;
    const auto& request = parser.get();
    const auto view = [](beast::string_view v) { return std::string_view(v.data(), v.size()); };
    const std::string_view host = view(request[beast::http::field::host]);
    (void)parse_target(view(request.target()));
    (void)is_origin_allowed(view(request[beast::http::field::origin]), host);
    (void)is_host_allowed(host, true);
    return 0;
}
