// How ranks talk: whole messages of bytes, in order between any two. The same driver runs on threads and on MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace moraine::distribute
{

using Bytes = std::vector<uint8_t>;

class Transport
{
public:
    virtual ~Transport() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual void send(int to, Bytes message) = 0; // does not wait for the receiver
    virtual Bytes receive(int from) = 0;
    virtual double seconds() const = 0; // of this rank's own processor time

    uint64_t bytes_sent() const { return bytes_sent_; }
    uint64_t messages_sent() const { return messages_sent_; }

protected:
    void count(size_t bytes)
    {
        bytes_sent_ += bytes;
        ++messages_sent_;
    }

private:
    uint64_t bytes_sent_ = 0;
    uint64_t messages_sent_ = 0;
};

// One thread for each rank in this process; rank 0 is the caller's. Returns when all are done.
void run_in_threads(int ranks, const std::function<void(Transport&)>& rank_main);

// MPI, where this build has it. `error` says why not.
bool has_mpi();
// Starts MPI, runs this process's rank and ends MPI. Gives what rank_main gives.
int run_on_mpi(const std::function<int(Transport&)>& rank_main);

double thread_seconds(); // processor time of the calling thread

} // namespace moraine::distribute
