#include "world/parting.h"

#include "base/assert.h"
#include "world/glue.h"

#include <algorithm>

namespace moraine
{

namespace
{

using Part = CollectionScratch::Part;
using Front = CollectionScratch::Front;

// One search out from each body that has lost a bond, all by turns. Two that meet are in the same part; when all but one
// have come to their end, that one is the rest. In a free collection most bodies still lead down to its root, level by
// level: those are in one part, and it waits while the others search for somebody who does.
class Parting
{
public:
    Parting(WorldData& world, int32_t collection)
        : world_(world),
          c_(world.collections),
          collection_(c_.pool[collection]),
          s_(c_.scratch)
    {
        s_.front_of.assign(collection_.members.size(), none);
        s_.fronts.clear();
        s_.found.clear();
        for (int32_t body : c_.cut_bodies)
            if (c_.collection_of(body) == collection && front_of(body) == none)
                begin(body);
        if (s_.fronts.empty())
            begin(collection_.members[0]);
        if (!collection_.is_anchored)
            lead_home();
    }
    void search();
    void list_parts();

private:
    int32_t& front_of(int32_t body) { return s_.front_of[size_t(c_.bodies[c_.merged(body)].slot)]; }
    int32_t part_of(int32_t front) const
    {
        while (s_.fronts[size_t(front)].part != front)
            front = s_.fronts[size_t(front)].part;
        return front;
    }
    void begin(int32_t body)
    {
        const int32_t front = int32_t(s_.fronts.size());
        s_.fronts.push_back({.part = front});
        add(body, front);
    }
    void add(int32_t body, int32_t front)
    {
        front_of(body) = front;
        Front& f = s_.fronts[size_t(front)];
        const int32_t place = int32_t(s_.found.size());
        s_.found.push_back({body, none});
        (f.last == none ? f.first : s_.found[size_t(f.last)].next) = place;
        f.last = place;
        ++f.count;
        if (f.cursor == none)
            f.cursor = place;
    }
    void unite(int32_t front, int32_t other);
    void lead_home();
    void descend(int32_t front, int32_t body);
    // Is known to lead to the root, or to an anchor.
    bool is_home(int32_t front) const
    {
        return s_.fronts[size_t(part_of(front))].is_anchored || (rooted_ != none && part_of(front) == part_of(rooted_));
    }
    bool waits(int32_t front, int round) const
    {
        constexpr int patience = 16;
        return !collection_.is_anchored && round < patience && is_home(front);
    }
    void go_on(int32_t front);
    bool is_done();

    WorldData& world_;
    Collections& c_;
    const Collection& collection_;
    CollectionScratch& s_;
    int32_t rooted_ = none; // a front that has come down to the root
    bool leads_home_ = false;
};

void Parting::unite(int32_t front, int32_t other)
{
    const int32_t a = part_of(front), b = part_of(other);
    if (a == b)
        return;
    s_.fronts[size_t(std::max(a, b))].part = std::min(a, b);
    s_.fronts[size_t(std::min(a, b))].is_anchored |= s_.fronts[size_t(std::max(a, b))].is_anchored;
}

// By the shortest way, from now on, whoever is found.
void Parting::lead_home()
{
    leads_home_ = true;
    for (int32_t i = 0; i < int32_t(s_.fronts.size()); ++i)
        if (s_.fronts[size_t(i)].cursor != none)
            descend(i, s_.found[size_t(s_.fronts[size_t(i)].first)].body);
}

// From level to lower level, as far as it goes or to where somebody has come through.
void Parting::descend(int32_t front, int32_t body)
{
    while (!is_home(front))
    {
        const int level = c_.bodies[c_.merged(body)].level;
        if (level == 0)
        {
            rooted_ = front;
            return;
        }
        int32_t lower = none;
        for_each_bond(world_, body, [&](int32_t other) {
            const int32_t m = c_.merged(other);
            if (m == none)
                s_.fronts[size_t(part_of(front))].is_anchored = true;
            else if (c_.bodies[m].level < level)
                lower = other;
            return m != none && lower == none;
        });
        if (lower == none || is_home(front))
            return;
        if (const int32_t there = front_of(lower); there != none)
        {
            unite(front, there);
            return;
        }
        add(lower, front);
        body = lower;
    }
}

// One body further.
void Parting::go_on(int32_t front)
{
    const int32_t place = s_.fronts[size_t(front)].cursor;
    for_each_bond(world_, s_.found[size_t(place)].body, [&](int32_t other) {
        if (c_.merged(other) == none)
        {
            s_.fronts[size_t(part_of(front))].is_anchored = true;
            return;
        }
        const int32_t there = front_of(other);
        if (there == none)
        {
            add(other, front);
            if (leads_home_)
                descend(front, other);
            return;
        }
        unite(front, there);
    });
    s_.fronts[size_t(front)].cursor = s_.found[size_t(place)].next;
}

// At most one part goes on, it is seen to be of the collection's kind, and it is the largest.
bool Parting::is_done()
{
    int32_t going = none;
    for (size_t i = 0; i < s_.fronts.size(); ++i)
    {
        if (s_.fronts[i].cursor == none)
            continue;
        const int32_t part = part_of(int32_t(i));
        if (going != none && going != part)
            return false;
        going = part;
    }
    if (going == none)
        return true;
    if (collection_.is_anchored && !leads_home_)
        lead_home();
    if (collection_.is_anchored && !is_home(going))
        return false;
    for (Front& f : s_.fronts)
        f.in_part = 0;
    int32_t rest = int32_t(collection_.members.size()), largest = collection_.is_anchored ? 0 : 1;
    for (size_t i = 0; i < s_.fronts.size(); ++i)
        if (const int32_t part = part_of(int32_t(i)); part != going)
        {
            rest -= s_.fronts[i].count;
            s_.fronts[size_t(part)].in_part += s_.fronts[i].count;
            largest = std::max(largest, s_.fronts[size_t(part)].in_part);
        }
    return rest > largest;
}

void Parting::search()
{
    for (int round = 0; !is_done(); ++round)
        for (size_t i = 0; i < s_.fronts.size(); ++i)
            if (s_.fronts[i].cursor != none && !waits(int32_t(i), round))
                go_on(int32_t(i));
}

void Parting::list_parts()
{
    s_.parts.clear();
    s_.part_bodies.clear();
    Part rest{.first = none, .count = int32_t(collection_.members.size())};
    bool has_rest = false;
    for (size_t i = 0; i < s_.fronts.size(); ++i)
    {
        if (s_.fronts[i].part != int32_t(i))
            continue;
        Part part{.first = int32_t(s_.part_bodies.size()), .is_anchored = s_.fronts[i].is_anchored};
        bool goes_on = false;
        for (size_t k = i; k < s_.fronts.size(); ++k)
        {
            if (part_of(int32_t(k)) != int32_t(i))
                continue;
            goes_on |= s_.fronts[k].cursor != none;
            for (int32_t place = s_.fronts[k].first; place != none; place = s_.found[size_t(place)].next)
                s_.part_bodies.push_back(s_.found[size_t(place)].body);
        }
        part.count = int32_t(s_.part_bodies.size()) - part.first;
        if (goes_on)
        {
            s_.part_bodies.resize(size_t(part.first));
            rest.is_anchored = part.is_anchored;
            has_rest = true;
            continue;
        }
        rest.count -= part.count;
        s_.parts.push_back(part);
    }
    if (has_rest)
        s_.parts.push_back(rest);
    MORAINE_ASSERT(has_rest || rest.count == 0); // nobody is in no part
}

} // namespace

void find_parts(WorldData& world, int32_t collection)
{
    Parting parting(world, collection);
    parting.search();
    parting.list_parts();
}

} // namespace moraine
