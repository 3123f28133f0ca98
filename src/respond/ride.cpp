#include "respond/ride.h"

#include "respond/press_points.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace moraine
{

namespace
{

// Riders take part in the motion, so that samples are closer together than where it is only looked at.
constexpr float samples_per_period = 12; // of the fastest mode
constexpr float periods = 1;             // of the slowest: out and back, also with something heavy on it
constexpr float most_samples = 1024;

RidingModes make_modes(const ResponseModel& model, float dt, Arena& arena)
{
    constexpr float turn = 2 * std::numbers::pi_v<float>;
    const size_t used = model.mode_count(), count = (used + 7) / 8 * 8;
    RidingModes modes{.used = used};
    for (std::span<float>* all :
         {&modes.a1, &modes.a2, &modes.force, &modes.load, &modes.before, &modes.last, &modes.next})
        *all = arena.allocate_zeroed<float>(count);
    const float duration = std::max(dt, periods * turn / model.frequencies.front());
    const float wanted = std::ceil(duration * model.frequencies.back() / turn * samples_per_period);
    modes.sample_count = int(std::clamp(wanted, 1.0f, most_samples));
    modes.sample = duration / float(modes.sample_count);
    for (size_t j = 0; j < used; ++j)
    {
        const FilterCoefficients c = filter_coefficients(double(model.frequencies[j]), model.material,
                                                         double(modes.sample), ResponseForcing::exact);
        modes.a1[j] = float(c.a1), modes.a2[j] = float(c.a2), modes.force[j] = float(c.force);
    }
    return modes;
}

// What a sample of loads and weight does to a mover.
struct Loaded
{
    int32_t mover = -1;
    Vec3 linear{}, spin{};
};

std::span<const Presser> make_pressers(std::span<const Rider> riders, std::span<const Hitter> hitters, Arena& arena)
{
    std::span<Presser> pressers = arena.allocate<Presser>(hitters.size() + riders.size());
    for (size_t i = 0; i < hitters.size(); ++i)
        pressers[i] = {hitters[i].shapes, hitters[i].normal, &hitters[i].row, hitters[i].mass};
    for (size_t i = 0; i < riders.size(); ++i)
        pressers[hitters.size() + i] = {riders[i].shapes, riders[i].normal, &riders[i].row, riders[i].mass,
                                        riders[i].gap};
    return pressers;
}

// Riders that are thrown together, and the best throw so far.
struct Group
{
    size_t first = 0, end = 0;
    float share = 1;  // 1 / how many they are
    float fall = 0;   // m/s², on the mean
    float energy = 0; // m²/s², of the throw: twice, by mass; 0: none
    int sample = 0;
};

struct Ride
{
    std::span<Rider> riders;
    std::span<const Hitter> hitters;
    Movers& movers;
    RidingModes modes;
    PressPoints points;         // of the hitters, then of the riders
    std::span<float> falls{};   // m/s² along the rows, by point, where nothing holds them
    std::span<Loaded> loaded{}; // where movers take part
    std::span<Group> groups{};
    std::span<float> history{}; // of the modes, by sample

    float speed_of(size_t rider) { return points.speeds()[hitters.size() + rider]; }
    float gap_of(size_t rider) { return points.gaps()[hitters.size() + rider]; }
    bool is_pushed(size_t rider) const { return points.impulses()[hitters.size() + rider] > 0; }

    void set_up(Arena& arena)
    {
        falls = arena.allocate_zeroed<float>(hitters.size() + riders.size());
        history = arena.allocate_zeroed<float>(size_t(modes.sample_count + 1) * modes.last.size());
        for (size_t i = 0; i < hitters.size(); ++i)
        {
            falls[i] = hitters[i].weight;
            if (!(hitters[i].row.mass > 0))
                points.speeds()[i] = -hitters[i].speed;
        }
        for (size_t i = 0; i < riders.size(); ++i)
            if (riders[i].mass > 0)
                points.push_surface(hitters.size() + i, -riders[i].load * modes.sample, modes.load);
        load_once(arena);
        find_groups(arena);
    }

    void find_groups(Arena& arena)
    {
        groups = arena.allocate<Group>(riders.size());
        size_t count = 0;
        for (size_t first = 0, end = 0; first < riders.size(); first = end)
        {
            while (end < riders.size() && riders[end].group == riders[first].group)
                ++end;
            Group& group = groups[count++] = {.first = first, .end = end, .share = 1 / float(end - first)};
            for (size_t i = first; i < end; ++i)
                group.fall += group.share * falls[hitters.size() + i];
        }
        groups = groups.first(count);
    }

    // Tells how fast riders fall, and what each mover gets in every sample. Movers stay as they are.
    void load_once(Arena& arena)
    {
        note_movers(arena);
        for (const Rider& r : riders)
            if (r.row.mass > 0 && r.mass > 0)
                push_along(r.row, -r.load * modes.sample, movers);
        for (size_t i = 0; i < riders.size(); ++i)
        {
            const Rider& r = riders[i];
            const float fallen = r.row.mass > 0 ? speed_of(i) - speed_along(r.row, movers)
                                 : r.mass > 0   ? r.load * modes.sample / r.mass
                                                : 0;
            falls[hitters.size() + i] = fallen / modes.sample;
        }
        for (Loaded& l : loaded)
        {
            MoverVelocity& v = movers.velocities[size_t(l.mover)];
            const Vec3 linear = v.linear - l.linear, spin = v.spin - l.spin;
            v.linear = l.linear, v.spin = l.spin;
            l.linear = linear, l.spin = spin;
        }
        for (const Hitter& h : hitters)
            if (h.row.mass > 0)
                for (Loaded& l : loaded)
                    if (l.mover == h.row.mover[1])
                        l.linear = h.row.direction * (-h.weight * modes.sample);
    }

    void note_movers(Arena& arena)
    {
        loaded = arena.allocate<Loaded>(hitters.size() + 2 * riders.size());
        size_t count = 0;
        const auto note = [&](const ContactRow& row, int side) {
            const auto known = loaded.first(count);
            if (!(row.mass > 0) || !row.is_pushed[side] ||
                std::ranges::find(known, row.mover[side], &Loaded::mover) != known.end())
                return;
            const MoverVelocity& v = movers.velocities[size_t(row.mover[side])];
            loaded[count++] = {row.mover[side], v.linear, v.spin};
        };
        for (const Hitter& h : hitters)
            note(h.row, 1);
        for (const Rider& r : riders)
            note(r.row, 0), note(r.row, 1);
        loaded = loaded.first(count);
    }

    // At rest the surface holds them by as much, which it no longer does where they part.
    void fall()
    {
        const std::span<float> speeds = points.speeds();
        for (size_t i = 0; i < speeds.size(); ++i)
            speeds[i] -= falls[i] * modes.sample;
        if (!points.is_long())
            return;
        for (const Loaded& l : loaded)
        {
            MoverVelocity& v = movers.velocities[size_t(l.mover)];
            v.linear += l.linear;
            v.spin += l.spin;
        }
    }

    void note_throw(Group& group, int sample)
    {
        bool is_one_pushed = false;
        for (size_t i = group.first; i < group.end; ++i)
            is_one_pushed = is_one_pushed || is_pushed(i);
        if (!is_one_pushed)
            return;
        float speed = 0, gap = 0;
        for (size_t i = group.first; i < group.end; ++i)
        {
            speed += group.share * speed_of(i);
            gap += group.share * gap_of(i);
        }
        const float energy = speed * speed + 2 * group.fall * gap;
        if (!(speed > 0) || !(energy > group.energy))
            return;
        group.energy = energy;
        group.sample = sample;
        const float higher = std::sqrt(energy) - speed;
        for (size_t i = group.first; i < group.end; ++i)
            riders[i].speed = speed_of(i) + higher;
    }

    // How fast the surface moved along itself when it threw them.
    void find_aside(const Group& group)
    {
        if (!(group.energy > 0))
            return;
        const size_t count = modes.last.size();
        const float* now = history.data() + size_t(group.sample + 1) * count;
        for (size_t i = group.first; i < group.end; ++i)
        {
            Vec3 moved{};
            for (size_t j = 0; j < modes.used; ++j)
                moved += riders[i].shapes[j] * (now[j] - (now - count)[j]);
            riders[i].aside = (moved - riders[i].normal * dot(moved, riders[i].normal)) * (1 / modes.sample);
        }
    }

    void run()
    {
        for (int k = 0; k < modes.sample_count; ++k)
        {
            for (size_t j = 0; j < modes.next.size(); ++j)
                modes.next[j] = modes.a1[j] * modes.last[j] - modes.a2[j] * modes.before[j] + modes.load[j];
            for (size_t i = 0; k == 0 && i < hitters.size(); ++i)
                if (!(hitters[i].mass > 0))
                    points.push_surface(i, hitters[i].impulse, modes.next);
            fall();
            points.press(modes, movers);
            std::swap(modes.before, modes.last);
            std::swap(modes.last, modes.next);
            std::ranges::copy(modes.last, history.begin() + std::ptrdiff_t(size_t(k + 1) * modes.last.size()));
            for (Group& group : groups)
                note_throw(group, k);
        }
        for (const Group& group : groups)
            find_aside(group);
    }
};

// Movers as they were.
class Restorer
{
public:
    Restorer(std::span<const Rider> riders, std::span<const Hitter> hitters, Movers& movers, Arena& arena)
        : movers_(movers),
          saved_(arena.allocate<Saved>(2 * riders.size() + hitters.size()))
    {
        size_t count = 0;
        const auto save = [&](const ContactRow& row, int side) {
            if (row.mass > 0)
                saved_[count++] = {size_t(row.mover[side]), movers.velocities[size_t(row.mover[side])]};
        };
        for (const Rider& r : riders)
            save(r.row, 0), save(r.row, 1);
        for (const Hitter& h : hitters)
            save(h.row, 1);
        saved_ = saved_.first(count);
    }
    ~Restorer()
    {
        for (const Saved& s : saved_)
            movers_.velocities[s.mover] = s.velocity;
    }
    Restorer(const Restorer&) = delete;
    Restorer& operator=(const Restorer&) = delete;

private:
    struct Saved
    {
        size_t mover;
        MoverVelocity velocity;
    };
    Movers& movers_;
    std::span<Saved> saved_;
};

// Bodies that hit, as they came in: the solve has pushed them since.
void turn_back(std::span<const Hitter> hitters, Movers& movers)
{
    for (size_t first = 0, end = 0; first < hitters.size(); first = end)
    {
        const ContactRow& row = hitters[first].row;
        while (end < hitters.size() && hitters[end].row.mover[1] == row.mover[1])
            ++end;
        if (!(row.mass > 0))
            continue;
        float sum = 0;
        MoverVelocity& v = movers.velocities[size_t(row.mover[1])];
        v.linear = hitters[first].linear, v.spin = hitters[first].spin;
        for (size_t i = first; i < end; ++i)
            sum += speed_along(hitters[i].row, movers) + hitters[i].speed;
        v.linear -= row.direction * (sum / float(end - first));
    }
}

} // namespace

void ride(const ResponseModel& model, float dt, std::span<Rider> riders, std::span<const Hitter> hitters,
          Movers& movers, Arena& arena)
{
    if (model.mode_count() == 0)
        return;
    ArenaScope scope(arena);
    const Restorer restorer(riders, hitters, movers, arena);
    turn_back(hitters, movers);
    const RidingModes modes = make_modes(model, dt, arena);
    Ride r{.riders = riders,
           .hitters = hitters,
           .movers = movers,
           .modes = modes,
           .points = PressPoints(make_pressers(riders, hitters, arena), modes, movers, arena)};
    r.set_up(arena);
    r.run();
}

} // namespace moraine
