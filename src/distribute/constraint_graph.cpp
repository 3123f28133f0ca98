#include "distribute/constraint_graph.h"

#include <algorithm>

namespace moraine::distribute
{

void ConstraintGraph::begin_search(int32_t root) const
{
    if (++mark_ == 0)
    {
        std::fill(marks_.begin(), marks_.end(), 0u);
        mark_ = 1;
    }
    queue_.clear();
    queue_.push_back(root);
    marks_[size_t(root)] = mark_;
}

ConstraintLink& ConstraintGraph::link(int32_t from, int32_t to)
{
    // Sorted by the other body: what is found first in a search does not depend on who began to touch first.
    std::vector<ConstraintLink>& links = links_[size_t(from)];
    const auto place = std::lower_bound(links.begin(), links.end(), to,
                                        [](const ConstraintLink& l, int32_t other) { return l.other < other; });
    if (place != links.end() && place->other == to)
        return *place;
    return *links.insert(place, {to, 0, 0});
}

void ConstraintGraph::drop_empty(int32_t from, int32_t to)
{
    std::erase_if(links_[size_t(from)],
                  [&](const ConstraintLink& l) { return l.other == to && l.joints == 0 && l.contact == 0; });
}

void ConstraintGraph::add_joint(int32_t a, int32_t b)
{
    ++link(a, b).joints;
    ++link(b, a).joints;
}

void ConstraintGraph::add_contact(int32_t a, int32_t b, WorkerMask seen_by)
{
    link(a, b).contact |= seen_by;
    link(b, a).contact |= seen_by;
}

void ConstraintGraph::remove_contact(int32_t a, int32_t b, WorkerMask seen_by)
{
    link(a, b).contact &= ~seen_by;
    link(b, a).contact &= ~seen_by;
    drop_empty(a, b);
    drop_empty(b, a);
}

void ConstraintGraph::remove_contacts(int32_t body, WorkerMask seen_by)
{
    for (ConstraintLink& l : links_[size_t(body)])
    {
        if ((l.contact & seen_by) == 0)
            continue;
        l.contact &= ~seen_by;
        link(l.other, body).contact &= ~seen_by;
        drop_empty(l.other, body);
    }
    std::erase_if(links_[size_t(body)], [](const ConstraintLink& l) { return l.joints == 0 && l.contact == 0; });
}

bool ConstraintGraph::has_joints(int32_t body) const
{
    const std::vector<ConstraintLink>& links = links_[size_t(body)];
    return std::any_of(links.begin(), links.end(), [](const ConstraintLink& l) { return l.joints > 0; });
}

} // namespace moraine::distribute
