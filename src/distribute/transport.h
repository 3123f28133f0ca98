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
    Bytes receive(int from);
    // Processor time of this rank's own work: whoever waits may do so busily, and that is not work.
    double seconds() const;
    double waited_seconds() const { return waited_wall_; } // on the clock

    uint64_t bytes_sent() const { return bytes_sent_; }
    uint64_t messages_sent() const { return messages_sent_; }

protected:
    virtual Bytes wait_for(int from) = 0;
    void count(size_t bytes)
    {
        bytes_sent_ += bytes;
        ++messages_sent_;
    }

private:
    uint64_t bytes_sent_ = 0;
    uint64_t messages_sent_ = 0;
    double waited_ = 0; // processor time
    double waited_wall_ = 0;
};

// One thread for each rank in this process; rank 0 is the caller's. Returns when all are done.
void run_in_threads(int ranks, const std::function<void(Transport&)>& rank_main);

// MPI, where this build has it. `error` says why not.
bool has_mpi();
// Starts MPI, runs this process's rank and ends MPI. Gives what rank_main gives.
int run_on_mpi(const std::function<int(Transport&)>& rank_main);

double thread_seconds(); // processor time of the calling thread

} // namespace moraine::distribute
