#include "distribute/checkpoint.h"

#include "base/hash.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace moraine::distribute
{

namespace
{

constexpr uint64_t magic = 0x33706b63617261ull; // "arackp3"

struct Header
{
    uint64_t magic = 0;
    uint64_t size = 0; // of what follows
    uint64_t hash = 0; // of the same
    uint64_t step = 0;
};

uint64_t hash_of(std::span<const uint8_t> bytes)
{
    Hash hash;
    size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8)
    {
        uint64_t word;
        std::memcpy(&word, &bytes[i], 8);
        hash.add(word);
    }
    for (; i < bytes.size(); ++i)
        hash.add(bytes[i]);
    return hash.value();
}

Status write_all(int file, const void* data, size_t size)
{
    const auto* p = static_cast<const char*>(data);
    while (size > 0)
    {
        const ssize_t written = ::write(file, p, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return Error{std::strerror(written < 0 ? errno : ENOSPC)};
        p += written;
        size -= size_t(written);
    }
    return Ok{};
}

Status write_file(const std::string& path, const Header& header, const Bytes& bytes)
{
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0)
        return Error{std::strerror(errno)};
    Status status = write_all(file, &header, sizeof header);
    if (status)
        status = write_all(file, bytes.data(), bytes.size());
    if (status && ::fsync(file) != 0)
        status = Error{std::strerror(errno)};
    if (::close(file) != 0 && status)
        status = Error{std::strerror(errno)};
    return status;
}

// The rename itself must reach the disk too.
void sync_folder(const std::string& path)
{
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
    if (file < 0)
        return;
    ::fsync(file);
    ::close(file);
}

} // namespace

Status save_checkpoint(const Checkpoint& checkpoint, const std::string& path)
{
    const auto step_in = [](const std::string& file) -> int64_t {
        const Result<Checkpoint> there = read_checkpoint(file);
        return there ? int64_t(there->step) : -1;
    };
    const std::string target = step_in(path + ".a") <= step_in(path + ".b") ? path + ".a" : path + ".b";
    const Bytes bytes = pack(checkpoint);
    const std::string aside = target + ".part";
    Status status = write_file(aside, {magic, bytes.size(), hash_of(bytes), checkpoint.step}, bytes);
    if (status && std::rename(aside.c_str(), target.c_str()) != 0)
        status = Error{std::strerror(errno)};
    if (!status)
    {
        std::remove(aside.c_str());
        return Error{target + ": cannot write the checkpoint: " + status.error().message +
                     "; free some space or choose another folder, then --resume"};
    }
    sync_folder(target);
    return Ok{};
}

Result<Checkpoint> read_checkpoint(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Error{path + ": cannot be read"};
    const Bytes all{std::istreambuf_iterator<char>(file), {}};
    Header header;
    if (all.size() < sizeof header)
        return Error{path + ": is cut off"};
    std::memcpy(&header, all.data(), sizeof header);
    const std::span<const uint8_t> rest = std::span(all).subspan(sizeof header);
    if (header.magic != magic)
        return Error{path + ": is no checkpoint of this version"};
    if (header.size != rest.size() || header.hash != hash_of(rest))
        return Error{path + ": is cut off or damaged"};
    return unpack<Checkpoint>(Bytes(rest.begin(), rest.end()));
}

Result<Checkpoint> load_checkpoint(const std::string& path)
{
    Result<Checkpoint> a = read_checkpoint(path + ".a"), b = read_checkpoint(path + ".b");
    if (!a && !b)
        return Error{"no whole checkpoint: " + a.error().message + "; " + b.error().message};
    if (a && b)
        return a->step >= b->step ? a : b;
    return a ? a : b;
}

} // namespace moraine::distribute
