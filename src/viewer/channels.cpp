#include "viewer/channels.h"

#include "viewer/live_edges.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

namespace moraine::viewer
{

namespace
{

void count_contacts(const World& world, const ContactsOf& contacts_of, std::vector<float>& counts)
{
    counts.assign(size_t(world.data().bodies.capacity()), 0);
    for (const ContactInfo& contact : contacts_of(world))
    {
        ++counts[contact.body_a.index];
        ++counts[contact.body_b.index];
    }
}

void sum_forces(const World& world, const ContactsOf& contacts_of, std::vector<float>& forces)
{
    forces.assign(size_t(world.data().bodies.capacity()), 0);
    const float rate = world.data().step_dt > 0 ? 1 / world.data().step_dt : 0;
    for (const ContactInfo& contact : contacts_of(world))
    {
        forces[contact.body_a.index] += contact.impulse * rate;
        forces[contact.body_b.index] += contact.impulse * rate;
    }
}

// Bodies that touch belong together; static and kinematic ones do not carry on. A group is named by its first body.
void name_groups(const World& world, std::vector<float>& groups)
{
    const WorldData& data = world.data();
    std::vector<uint32_t> parent(size_t(data.bodies.capacity()));
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root_of = [&](uint32_t i) {
        while (parent[i] != i)
            i = parent[i] = parent[parent[i]];
        return i;
    };
    for_each_live_edge(data, [&](const Edge& edge) {
        const bool carries = data.bodies[edge.body_a].type == BodyType::dynamic_ &&
                             data.bodies[edge.body_b].type == BodyType::dynamic_;
        if (!edge.has(edge_is_touching) || edge.has(edge_is_trigger) || !carries)
            return;
        const uint32_t a = root_of(uint32_t(edge.body_a)), b = root_of(uint32_t(edge.body_b));
        parent[std::max(a, b)] = std::min(a, b);
    });
    groups.resize(parent.size());
    for (uint32_t i = 0; i < parent.size(); ++i)
        groups[i] = float(root_of(i));
}

// What distant hits did to bodies: the last kick of each, which fades.
class ShakenBodies
{
public:
    void note(const World& world)
    {
        const WorldData& data = world.data();
        if (world.time() < latest_)
            shaken_.clear(); // another scene, or a step back
        latest_ = world.time();
        for (const ContactKick& kick : data.responses.kicks)
        {
            const Edge& edge = data.graph.edges[data.graph.manifolds[kick.manifold].edge];
            const int32_t body = other_body(edge, data.responses.bodies[size_t(kick.source)].body);
            Shaken& shaken = shaken_[body];
            const float displacement = kick.speed * data.step_dt;
            if (shaken.time < latest_ || displacement > shaken.displacement)
                shaken = {latest_, displacement, kick.distance};
        }
    }
    void displacements(const World& world, std::vector<float>& values) const
    {
        values.assign(size_t(world.data().bodies.capacity()), 0);
        for (const auto& [body, shaken] : shaken_)
            if (size_t(body) < values.size())
                values[size_t(body)] = 1000 * shaken.displacement * float(std::exp((shaken.time - latest_) / fading));
    }
    void distances(const World& world, std::vector<float>& values) const
    {
        values.assign(size_t(world.data().bodies.capacity()), 0);
        for (const auto& [body, shaken] : shaken_)
            if (size_t(body) < values.size() && latest_ - shaken.time < 4 * fading && std::isfinite(shaken.distance))
                values[size_t(body)] = shaken.distance;
    }

private:
    static constexpr double fading = 0.5; // seconds
    struct Shaken
    {
        double time = -1;
        float displacement = 0; // m
        float distance = 0;     // m
    };
    std::map<int32_t, Shaken> shaken_; // by body
    double latest_ = 0;
};

} // namespace

std::vector<Channel> contact_channels(const ContactsOf& contacts_of)
{
    return {{.name = "contact_count",
             .label = "contact points",
             .upper = 24,
             .values_of = [=](const World& w, std::vector<float>& values) { count_contacts(w, contacts_of, values); }},
            {.name = "contact_force",
             .label = "contact force",
             .unit = "N",
             .values_of = [=](const World& w, std::vector<float>& values) { sum_forces(w, contacts_of, values); }}};
}

std::vector<Channel> world_channels()
{
    const auto shaken = std::make_shared<ShakenBodies>();
    std::vector<Channel> contacts = contact_channels([](const World& world) { return world.contacts(); });
    return {{.name = "group", .label = "group of contacts", .kind = ChannelKind::category, .values_of = name_groups},
            std::move(contacts[0]),
            std::move(contacts[1]),
            {.name = "response",
             .label = "response: shaken",
             .unit = "mm",
             .values_of = [shaken](const World& w, std::vector<float>& values) { shaken->displacements(w, values); },
             .after_step = [shaken](const World& w) { shaken->note(w); }},
            {.name = "response_distance",
             .label = "response: distance",
             .unit = "m",
             .values_of = [shaken](const World& w, std::vector<float>& values) { shaken->distances(w, values); },
             .after_step = [shaken](const World& w) { shaken->note(w); }}}; // twice is the same as once
}

std::vector<std::string> color_names(std::span<const Channel> channels)
{
    std::vector<std::string> names{"body", "collection", "sleeping", "speed"};
    for (const Channel& channel : channels)
        names.push_back(channel.name);
    return names;
}

// Hues a golden angle apart, as the page has them: neighbours in number never look alike.
uint32_t category_color(uint32_t i)
{
    const double hue = std::fmod(double(i) * 0.61803398875, 1.0);
    const auto part = [&](double shift) {
        const double k = std::fmod(hue * 12 + shift, 12);
        const double value = 0.52 - 0.72 * 0.48 * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
        return uint32_t(std::lround(255 * value));
    };
    return part(0) << 16 | part(8) << 8 | part(4);
}

uint32_t mixed_color(std::span<const ColorShare> shares)
{
    uint32_t mixed = 0;
    for (int shift : {16, 8, 0})
    {
        float sum = 0;
        for (const ColorShare& share : shares)
            sum += share.weight * float(share.color >> shift & 255);
        mixed |= uint32_t(std::clamp(std::lround(sum), 0L, 255L)) << shift;
    }
    return mixed;
}

} // namespace moraine::viewer
