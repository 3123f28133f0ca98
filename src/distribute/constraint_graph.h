// The constraint graph: bodies, and an edge between two that are jointed or touch. Static bodies pass no forces on and
// are not in it. Bodies are numbered as in the scene.
#pragma once

#include "distribute/worker_sets.h"

namespace moraine::distribute
{

struct ConstraintLink
{
    int32_t other = -1;
    int32_t joints = 0;
    WorkerMask contact = 0; // workers that see the two touch; `met` where nobody can yet

    bool is_contact() const { return contact != 0; }
};

class ConstraintGraph
{
public:
    // The two touch, but no worker has both.
    static constexpr WorkerMask met = WorkerMask(1) << 63;

    explicit ConstraintGraph(int bodies = 0) : links_(size_t(bodies)), marks_(size_t(bodies)) {}

    int bodies() const { return int(links_.size()); }
    std::span<const ConstraintLink> links(int32_t body) const { return links_[size_t(body)]; }
    void add_joint(int32_t a, int32_t b);
    void add_contact(int32_t a, int32_t b, WorkerMask seen_by);
    void remove_contact(int32_t a, int32_t b, WorkerMask seen_by);
    void remove_contacts(int32_t body, WorkerMask seen_by); // the workers no longer have the body
    bool has_joints(int32_t body) const;

    // visit(body, distance) for all within `depth` edges of the root, the root excepted, nearest first; visit returns
    // false to stop.
    template <class Visit>
    void search(int32_t root, int depth, Visit&& visit) const
    {
        begin_search(root);
        size_t begin = 0;
        for (int distance = 1; distance <= depth && begin < queue_.size(); ++distance)
        {
            const size_t end = queue_.size();
            for (; begin < end; ++begin)
                for (const ConstraintLink& link : links_[size_t(queue_[begin])])
                {
                    if (marks_[size_t(link.other)] == mark_)
                        continue;
                    marks_[size_t(link.other)] = mark_;
                    queue_.push_back(link.other);
                    if (!visit(link.other, distance))
                        return;
                }
        }
    }

    template <class A>
    void archive(A& a)
    {
        a(links_);
        marks_.assign(links_.size(), 0);
        mark_ = 0;
    }

private:
    void begin_search(int32_t root) const;
    ConstraintLink& link(int32_t from, int32_t to);
    void drop_empty(int32_t from, int32_t to);

    std::vector<std::vector<ConstraintLink>> links_;
    mutable std::vector<uint32_t> marks_; // of the search that came here last
    mutable uint32_t mark_ = 0;
    mutable std::vector<int32_t> queue_;
};

} // namespace moraine::distribute
