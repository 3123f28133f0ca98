// Every body has one owner, and the overlap follows from that as in algorithms 2 and 3: a worker has what it owns, the
// neighbours of that, and what is up to growth_depth constraints away from a root, a constraint across the border of which
// neither end is in the overlap that has grown from another root of the same two workers. Borders move where an owner gives
// a body to a neighbour.
#pragma once

#include "distribute/balance.h"

namespace moraine::distribute
{

class Ownership
{
public:
    Ownership() = default;
    Ownership(std::vector<int> owners, int growth_depth);

    int owner(int32_t body) const { return owners_[size_t(body)]; } // -1: fixed
    std::span<const int> owners() const { return owners_; }

    // Finds what the overlap grows from and what it grows to. `border`: all that may have a constraint with a body of
    // another owner.
    void grow(std::span<const int32_t> border, const ConstraintGraph& graph);
    std::span<const ContactPair> roots() const { return roots_; } // the constraints that it has grown from

    // All workers that a body belongs to: its owner, the owners of its neighbours, and those whose overlap has grown to it.
    WorkerMask workers_near(int32_t body, const ConstraintGraph& graph) const;

    // Sets of bodies around those where the graph has changed are widened at once. They become narrower only for bodies
    // in `reviewed`: contacts that come and go must not send bodies back and forth. Whatever has brought bodies nearer
    // must be among `changed`: what is only reviewed is not widened.
    void update_sets(std::span<const int32_t> changed, std::span<const int32_t> reviewed, const ConstraintGraph& graph,
                     WorkerSets& sets);

    // Gives bodies at borders from workers with more to do to those with less, and those with no neighbour of their
    // owner to the owner of most. Bodies at rest stay. update_sets has to follow.
    void even_out(std::span<const double> loads, const std::vector<bool>& is_asleep, const ConstraintGraph& graph,
                  WorkerSets& sets);

    // What flies towards another worker's bodies and touches nothing of its owner's is theirs before it hits: one worker then
    // has all that takes up the blow. update_sets has to follow.
    void hand_over(std::span<const ContactPair> met, const ConstraintGraph& graph);

    // A worker that has nothing begins with bodies of another, or one ends and leaves all to another. update_sets has to
    // follow.
    void begin_worker(int worker, int from, std::span<const int32_t> bodies);
    void end_worker(int worker, int heir);
    WorkerMask workers() const { return all_; } // who owns something
    // Of the others the one with most links to what a worker owns, of several the one with the least load; -1: none.
    int find_heir(int worker, std::span<const double> loads, const ConstraintGraph& graph) const;

    std::span<const int32_t> given() const { return given_; } // in the last call of even_out
    void forget_given() { given_.clear(); }

    template <class A>
    void archive(A& a)
    {
        a(owners_), a(all_), a(growth_depth_), a(roots_), a(grown_), a(grown_bodies_);
    }

private:
    struct Gift // a body at a border
    {
        int32_t body = -1;
        int32_t to = -1;
        int32_t gain = 0; // links that the border will have less
    };
    void find_gifts(std::span<const int32_t> overlap, std::span<const double> loads, const std::vector<bool>& is_asleep,
                    const ConstraintGraph& graph);
    void grow_from(const ContactPair& root, const ConstraintGraph& graph);
    bool is_lost(int32_t body, const ConstraintGraph& graph) const; // nothing of its owner's touches it
    void give(int32_t body, int to);

    std::vector<int> owners_;
    WorkerMask all_ = 0; // who may own something
    int growth_depth_ = 0;
    std::vector<int32_t> given_; // bodies whose owner has changed
    std::vector<ContactPair> roots_;
    std::vector<WorkerMask> grown_; // by body: the workers on both sides of the roots that are near
    std::vector<int32_t> grown_bodies_;
    // Memory of one call.
    std::vector<int32_t> border_;
    std::vector<Gift> gifts_;
    std::vector<int32_t> around_;
    std::vector<uint8_t> is_around_; // 1: its set may grow; 2: it is found anew
};

} // namespace moraine::distribute
