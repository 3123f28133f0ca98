// Errors are values: what is wrong, where, and what to do.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace moraine
{

struct Error
{
    std::string message; // one line: file, place, what is wrong, what to do
};

template <class T>
class [[nodiscard]] Result
{
public:
    Result(T value) : state_(std::move(value)) {}
    Result(Error error) : state_(std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }
    bool has_value() const { return state_.index() == 0; }
    const T& value() const& { return std::get<0>(state_); }
    T& value() & { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }
    T value_or(T other) const { return has_value() ? value() : std::move(other); }
    const Error& error() const { return std::get<1>(state_); }

private:
    std::variant<T, Error> state_;
};

struct Ok
{
};
using Status = Result<Ok>;

} // namespace moraine
