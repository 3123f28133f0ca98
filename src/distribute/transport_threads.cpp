#include "distribute/transport.h"

#include <time.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace moraine::distribute
{

double thread_seconds()
{
    timespec t = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

Bytes Transport::receive(int from)
{
    const double start = thread_seconds();
    const auto clock = std::chrono::steady_clock::now();
    Bytes message = wait_for(from);
    waited_ += thread_seconds() - start;
    waited_wall_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
    return message;
}

double Transport::seconds() const { return thread_seconds() - waited_; }

namespace
{

// From one rank to another.
class Channel
{
public:
    void put(Bytes message)
    {
        {
            std::lock_guard lock(mutex_);
            messages_.push_back(std::move(message));
            count_.fetch_add(1, std::memory_order_release);
        }
        there_.notify_one();
    }

    Bytes take()
    {
        // The other side is usually about to answer: going to sleep and being woken would cost more than the message.
        for (int i = 0; i < 2000 && count_.load(std::memory_order_acquire) == 0; ++i)
            i % 16 == 15 ? std::this_thread::yield() : __builtin_ia32_pause();
        std::unique_lock lock(mutex_);
        there_.wait(lock, [&] { return !messages_.empty(); });
        Bytes message = std::move(messages_.front());
        messages_.pop_front();
        count_.fetch_sub(1, std::memory_order_relaxed);
        return message;
    }

private:
    std::mutex mutex_;
    std::condition_variable there_;
    std::deque<Bytes> messages_;
    std::atomic<int> count_{0};
};

class ThreadTransport : public Transport
{
public:
    ThreadTransport(int rank, int size, std::vector<Channel>& channels) : rank_(rank), size_(size), channels_(channels)
    {}

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    void send(int to, Bytes message) override
    {
        count(message.size());
        channels_[size_t(rank_ * size_ + to)].put(std::move(message));
    }

private:
    Bytes wait_for(int from) override { return channels_[size_t(from * size_ + rank_)].take(); }

    int rank_, size_;
    std::vector<Channel>& channels_;
};

} // namespace

void run_in_threads(int ranks, const std::function<void(Transport&)>& rank_main)
{
    std::vector<Channel> channels(size_t(ranks) * size_t(ranks));
    std::vector<std::thread> threads;
    for (int rank = 1; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            ThreadTransport transport(rank, ranks, channels);
            rank_main(transport);
        });
    ThreadTransport transport(0, ranks, channels);
    rank_main(transport);
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace moraine::distribute
