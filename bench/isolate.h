// Runs a function in a child process, so that an engine that aborts, leaks or starts threads harms nothing but its own
// measurement, and so that every measurement starts from the same memory.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <type_traits>

namespace moraine::bench
{

template <class Work>
auto run_isolated(Work&& work) -> std::optional<std::invoke_result_t<Work>>
{
    using Value = std::invoke_result_t<Work>;
    static_assert(std::is_trivially_copyable_v<Value>, "it goes through a pipe");
    int ends[2];
    if (pipe(ends) != 0)
        return std::nullopt;
    const pid_t child = fork();
    if (child < 0)
    {
        close(ends[0]);
        close(ends[1]);
        return std::nullopt;
    }
    if (child == 0)
    {
        const Value value = work();
        const bool is_sent = write(ends[1], &value, sizeof(value)) == ssize_t(sizeof(value));
        _exit(is_sent ? 0 : 1);
    }
    close(ends[1]);
    Value value{};
    char* place = reinterpret_cast<char*>(&value);
    size_t received = 0;
    while (received < sizeof(value))
    {
        const ssize_t count = read(ends[0], place + received, sizeof(value) - received);
        if (count <= 0)
            break;
        received += size_t(count);
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (received != sizeof(value))
        return std::nullopt;
    return value;
}

} // namespace moraine::bench
