// An archive that writes nothing: it adds up what the containers given to it take.
#pragma once

#include "base/archive.h"

namespace moraine
{

struct MemoryUse
{
    size_t used = 0;     // bytes of the elements that are there
    size_t reserved = 0; // bytes asked from the system or the heap

    void add(size_t used_bytes, size_t reserved_bytes)
    {
        used += used_bytes;
        reserved += reserved_bytes;
    }
};

class CountArchive
{
public:
    static constexpr bool is_reader = false;

    template <class T>
    void operator()(T& value)
    {
        if constexpr (ArchivesItself<CountArchive, T>)
            value.archive(*this);
    }
    template <class T, class Allocator>
    void operator()(std::vector<T, Allocator>& values)
    {
        use_.add(values.size() * sizeof(T), values.capacity() * sizeof(T));
        if constexpr (!std::is_trivially_copyable_v<T>)
            for (T& v : values)
                (*this)(v);
    }
    void operator()(std::string& text) { use_.add(text.size(), text.capacity()); }
    template <class K, class V>
    void operator()(std::map<K, V>& entries)
    {
        constexpr size_t node = 32 + sizeof(std::pair<const K, V>); // three links and a colour
        use_.add(entries.size() * node, entries.size() * node);
        for (auto& [key, value] : entries)
            (*this)(value);
    }
    MemoryUse use() const { return use_; }

private:
    MemoryUse use_;
};

// What several containers take together.
template <class... Containers>
MemoryUse memory_of(const Containers&... containers)
{
    CountArchive count;
    (count(const_cast<Containers&>(containers)), ...); // archives of both directions take what they could change
    return count.use();
}

} // namespace moraine
