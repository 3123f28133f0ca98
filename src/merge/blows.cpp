#include "merge/blows.h"

namespace moraine
{

void find_blown(const Blow& blow, float speed, Collections& c)
{
    std::vector<int32_t>& blown = c.scratch.front;
    blown.clear();
    float mass = 0;
    const auto reach = [&](int32_t merged) {
        MergedBody& m = c.bodies[merged];
        if (m.is_reached || blow.impulse <= speed * (mass + 1 / m.inv_mass))
            return;
        m.is_reached = true;
        mass += 1 / m.inv_mass;
        blown.push_back(merged);
    };
    reach(blow.merged);
    for (size_t i = 0; i < blown.size(); ++i)
        for_each_weld(c, blown[i], [&](int32_t index) {
            const Weld& w = c.welds[index];
            if (const int32_t other = w.b == blown[i] ? w.a : w.b; other != none)
                reach(other);
        });
    for (int32_t merged : blown)
        c.bodies[merged].is_reached = false;
    c.blows.bodies.insert(c.blows.bodies.end(), blown.begin(), blown.end());
}

} // namespace moraine
