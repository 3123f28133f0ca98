#include "base/tasks.h"

#include <algorithm>

namespace moraine
{

namespace
{

void pause()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// A worker looks for the next job this long before it sleeps: phases of a step follow each other within microseconds.
constexpr int spins_before_sleep = 4000;
constexpr int spins_before_yield = 2000;
constexpr uint32_t closed = 0xffffffffu;

} // namespace

Tasks::Tasks(int threads)
{
    if (threads <= 0)
        threads = std::max(1, int(std::thread::hardware_concurrency()));
    for (int i = 1; i < threads; ++i)
        workers_.emplace_back([this, i] { worker_main(i); });
}

Tasks::~Tasks()
{
    stops_ = true;
    epoch_.fetch_add(1);
    epoch_.notify_all();
    for (std::thread& t : workers_)
        t.join();
}

void Tasks::run(Block block, const void* context, int count, int grain)
{
    // Nothing can be claimed while the job changes: whoever reads a field of the new job also sees the claim closed.
    const uint32_t epoch = epoch_.load(std::memory_order_relaxed) + 1;
    claim_.store((uint64_t(epoch) << 32) | closed, std::memory_order_relaxed);
    job_.block.store(block, std::memory_order_release);
    job_.context.store(const_cast<void*>(context), std::memory_order_release);
    job_.count.store(count, std::memory_order_release);
    job_.grain.store(grain, std::memory_order_release);
    done_.store(0, std::memory_order_relaxed);
    claim_.store(uint64_t(epoch) << 32, std::memory_order_release);
    epoch_.store(epoch, std::memory_order_release);
    epoch_.notify_all();

    work(epoch, 0);
    const int blocks = (count + grain - 1) / grain;
    for (int spins = 0; done_.load(std::memory_order_acquire) != blocks; ++spins)
    {
        pause();
        if (spins > spins_before_yield)
            std::this_thread::yield();
    }
}

void Tasks::work(uint32_t epoch, int worker)
{
    uint64_t claim = claim_.load(std::memory_order_acquire);
    for (;;)
    {
        const Block block = job_.block.load(std::memory_order_acquire);
        void* context = job_.context.load(std::memory_order_acquire);
        const int count = job_.count.load(std::memory_order_acquire);
        const int grain = job_.grain.load(std::memory_order_acquire);
        if (uint32_t(claim >> 32) != epoch || int64_t(uint32_t(claim)) * grain >= count)
            return;
        const int begin = int(uint32_t(claim)) * grain;
        if (!claim_.compare_exchange_weak(claim, claim + 1, std::memory_order_acq_rel, std::memory_order_acquire))
            continue;
        block(context, begin, std::min(begin + grain, count), worker);
        done_.fetch_add(1, std::memory_order_release);
        claim = claim_.load(std::memory_order_acquire);
    }
}

void Tasks::worker_main(int worker)
{
    uint32_t seen = 0;
    for (;;)
    {
        uint32_t epoch = epoch_.load(std::memory_order_acquire);
        for (int spins = 0; epoch == seen && spins < spins_before_sleep; ++spins)
        {
            pause();
            epoch = epoch_.load(std::memory_order_acquire);
        }
        if (epoch == seen)
        {
            epoch_.wait(seen, std::memory_order_acquire);
            epoch = epoch_.load(std::memory_order_acquire);
        }
        if (stops_)
            return;
        seen = epoch;
        work(epoch, worker);
    }
}

} // namespace moraine
