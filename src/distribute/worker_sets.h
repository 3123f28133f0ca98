// Which workers simulate which body: the sets P and W of the paper.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace moraine::distribute
{

using WorkerMask = uint64_t; // bit w: worker w
constexpr int max_workers = 60;

inline WorkerMask mask_of(int worker) { return WorkerMask(1) << worker; }
inline int count_of(WorkerMask mask) { return std::popcount(mask); }
inline int first_of(WorkerMask mask) { return std::countr_zero(mask); }

template <class Visit>
void for_each_worker(WorkerMask mask, Visit&& visit)
{
    for (; mask != 0; mask &= mask - 1)
        visit(first_of(mask));
}

class WorkerSets
{
public:
    WorkerSets() = default;
    WorkerSets(std::vector<WorkerMask> masks, int workers);

    int workers() const { return int(active_.size()); }
    int bodies() const { return int(masks_.size()); }
    WorkerMask operator[](int32_t body) const { return masks_[size_t(body)]; } // 0: static or gone
    bool is_overlap(int32_t body) const { return count_of(masks_[size_t(body)]) > 1; }
    bool is_alone(int32_t body) const { return count_of(masks_[size_t(body)]) == 1; }
    int active(int worker) const { return active_[size_t(worker)]; } // bodies
    int overlap_count() const { return overlap_count_; }

    void set(int32_t body, WorkerMask mask);
    void activate(WorkerMask workers, int32_t body) { set(body, masks_[size_t(body)] | workers); }
    void deactivate(WorkerMask workers, int32_t body) { set(body, masks_[size_t(body)] & ~workers); }

    // Bodies whose set was changed since the last call, sorted, with what it was then.
    struct Change
    {
        int32_t body = -1;
        WorkerMask before = 0;
    };
    std::vector<Change> take_changes();
    std::span<const int32_t> overlap(); // sorted

    template <class A>
    void archive(A& a)
    {
        std::vector<WorkerMask> masks = masks_;
        a(masks);
        if constexpr (A::is_reader)
            *this = WorkerSets(std::move(masks), workers());
    }

private:
    std::vector<WorkerMask> masks_;
    std::vector<int> active_; // by worker
    std::vector<Change> changes_;
    std::vector<int32_t> overlap_;
    bool is_overlap_stale_ = true;
    int overlap_count_ = 0;
};

} // namespace moraine::distribute
