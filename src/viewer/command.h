// What a page asks of the simulation: small JSON messages, checked before anybody acts on them.
#pragma once

#include <moraine/math.h>
#include <moraine/result.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace moraine::viewer
{

enum class CommandKind : uint8_t
{
    play,
    pause,
    step,      // forward
    back,      // one step back in time
    speed,     // value: times real time; 0: as fast as it goes
    reset,     // to the beginning
    load,      // text: the scene; parameters
    drag,      // body, a: point in its frame, b: where to
    drag_move, // b
    drag_end,
    shoot,   // a: from, b: velocity, value: radius
    poke,    // body, a: point in the world, b: impulse
    magnet,  // body, flag
    setting, // text: which; value
    want,    // value: overlays as bits; text: the channel to colour by, if any
    inspect, // body; none: stop
    seen,    // value: frames that the page has shown so far; who says so once is told no more than it can show
    leave    // the page went away
};

struct Command
{
    CommandKind kind = CommandKind::play;
    uint32_t client = 0;
    uint32_t body = 0xffffffffu; // index of its handle
    DVec3 a{}, b{};
    double value = 0;
    bool flag = false;
    std::string text{};
    std::map<std::string, std::string> parameters{};
};

constexpr size_t message_size_limit = 16 * 1024;

Result<Command> parse_command(std::string_view json);

// From the server's thread to the simulation's. Never longer than a thousand: then the oldest motions are lost first.
class CommandQueue
{
public:
    void push(Command command);
    // What has arrived; waits up to `seconds` for something.
    std::vector<Command> take(double seconds);
    void wake();

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Command> commands_;
    bool is_woken_ = false;
};

} // namespace moraine::viewer
