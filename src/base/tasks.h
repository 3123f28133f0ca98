// A small pool of threads for loops. Work is cut by the caller, never by the number of threads, and block i is always
// the same block: results cannot depend on scheduling.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace moraine
{

class Tasks
{
public:
    explicit Tasks(int threads = 1); // 0: one for each core
    ~Tasks();
    Tasks(const Tasks&) = delete;
    Tasks& operator=(const Tasks&) = delete;

    int thread_count() const { return int(workers_.size()) + 1; }

    // fn(begin, end, worker) for blocks of `grain` out of [0, count); worker is in [0, thread_count).
    template <class Fn>
    void parallel_for(int count, int grain, Fn&& fn)
    {
        if (count <= 0)
            return;
        if (workers_.empty() || count <= grain)
        {
            for (int i = 0; i < count; i += grain)
                fn(i, i + grain < count ? i + grain : count, 0);
            return;
        }
        using Plain = std::remove_reference_t<Fn>;
        run([](void* context, int begin, int end, int worker) { (*static_cast<Plain*>(context))(begin, end, worker); },
            &fn, count, grain);
    }

private:
    using Block = void (*)(void* context, int begin, int end, int worker);

    void run(Block block, const void* context, int count, int grain);
    void work(uint32_t epoch, int worker);
    void worker_main(int worker);

    // The current job. A claim carries the job's number, so that a late worker cannot take a block of the next job with
    // the function of the last one.
    struct alignas(64) Job
    {
        std::atomic<Block> block{nullptr};
        std::atomic<void*> context{nullptr};
        std::atomic<int> count{0};
        std::atomic<int> grain{1};
    };
    Job job_;
    alignas(64) std::atomic<uint64_t> claim_{0}; // job number << 32 | next block
    alignas(64) std::atomic<int> done_{0};
    alignas(64) std::atomic<uint32_t> epoch_{0};
    std::atomic<bool> stops_{false};
    std::vector<std::thread> workers_;
};

} // namespace moraine
