#include "viewer/page.h"

#include <cstdint>

// The assembler takes the files in as they are: an array of numbers as large would take long to compile.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define MORAINE_EMBED(name, file)                                                                                      \
    asm(".section .rodata\n.balign 16\n.global " #name "\n" #name ":\n.incbin \"" MORAINE_PAGES "/" file               \
        "\"\n.global " #name "_end\n" #name "_end:\n.byte 0\n.previous\n");                                            \
    extern "C" const char name[];                                                                                      \
    extern "C" const char name##_end[]
// NOLINTEND(bugprone-macro-parentheses)

MORAINE_EMBED(moraine_viewer_page, "viewer.html");
MORAINE_EMBED(moraine_report_page, "report.html");

namespace moraine::viewer
{

namespace
{

std::string replaced(std::string_view page, std::string_view what, std::string_view with)
{
    const size_t at = page.find(what);
    if (at == std::string_view::npos)
        return std::string(page);
    std::string out;
    out.reserve(page.size() + with.size());
    out.append(page.substr(0, at)).append(with).append(page.substr(at + what.size()));
    return out;
}

std::string base64(std::string_view bytes)
{
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve(bytes.size() / 3 * 4 + 4);
    for (size_t i = 0; i < bytes.size(); i += 3)
    {
        uint32_t word = 0;
        for (size_t k = 0; k < 3; ++k)
            word = word << 8 | (i + k < bytes.size() ? uint8_t(bytes[i + k]) : 0u);
        for (size_t k = 0; k < 4; ++k)
            out += i + k <= bytes.size() ? digits[word >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

} // namespace

std::string_view viewer_page() { return {moraine_viewer_page, size_t(moraine_viewer_page_end - moraine_viewer_page)}; }
std::string_view report_page() { return {moraine_report_page, size_t(moraine_report_page_end - moraine_report_page)}; }
bool has_pages() { return viewer_page().find("id=\"recording\"") != std::string_view::npos; }

std::string replay_page() { return replaced(viewer_page(), "<html lang=\"en\"", "<html lang=\"en\" data-replay"); }

std::string page_with_recording(std::string_view recording)
{
    constexpr std::string_view place = "id=\"recording\">";
    return replaced(viewer_page(), place, std::string(place) + base64(recording));
}

std::string report_with_data(std::string_view json)
{
    // Text in the numbers must not end the script that holds them.
    std::string safe;
    for (char c : json)
        safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
    constexpr std::string_view place = "id=\"data\">";
    return replaced(report_page(), place, std::string(place) + safe);
}

} // namespace moraine::viewer
