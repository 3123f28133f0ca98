// An array on the stack that is not cleared first: vectors clear themselves, and clearing costs more than the search.
#pragma once

namespace moraine
{

template <class T, int N>
union Scratch
{
    Scratch() {}
    T& operator[](int i) { return items[i]; }
    const T& operator[](int i) const { return items[i]; }
    operator T*() { return items; }
    operator const T*() const { return items; }

    T items[N];
};

} // namespace moraine
