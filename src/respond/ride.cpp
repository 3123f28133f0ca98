#include "respond/ride.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace moraine
{

namespace
{

// Riders take part in the motion, so that samples are closer together than where it is only looked at.
constexpr float samples_per_period = 16; // of the fastest mode
constexpr float periods = 1;             // of the slowest: out and back, also with something heavy on it
constexpr float most_samples = 1024;

// One point of the surface that something may push.
struct Point
{
    std::span<float> along{}; // by mode, along the normal
    float compliance = 0;     // how far a unit impulse takes it within a sample
    float gap = 0;            // of what is above it, from the surface at rest
    float speed = 0;          // of that
    bool is_pushed = false;   // in this sample
};

struct Modes
{
    std::span<float> a1{}, a2{}, force{}; // of the filter, by mode
    std::span<float> load{};              // what a sample of all loads moves
    std::span<float> before{}, last{}, next{};
    float sample = 0;
    int sample_count = 0;
};

float sum_of_products(std::span<const float> a, std::span<const float> b)
{
    float sums[8]{};
    const size_t whole = a.size() & ~size_t(7);
    for (size_t j = 0; j < whole; j += 8)
        for (size_t lane = 0; lane < 8; ++lane)
            sums[lane] += a[j + lane] * b[j + lane];
    float sum = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    for (size_t j = whole; j < a.size(); ++j)
        sum += a[j] * b[j];
    return sum;
}

Modes make_modes(const ResponseModel& model, float dt, Arena& arena)
{
    constexpr float turn = 2 * std::numbers::pi_v<float>;
    const size_t count = model.mode_count();
    Modes modes;
    for (std::span<float>* all :
         {&modes.a1, &modes.a2, &modes.force, &modes.load, &modes.before, &modes.last, &modes.next})
        *all = arena.allocate_zeroed<float>(count);
    const float duration = std::max(dt, periods * turn / model.frequencies.front());
    const float wanted = std::ceil(duration * model.frequencies.back() / turn * samples_per_period);
    modes.sample_count = int(std::clamp(wanted, 1.0f, most_samples));
    modes.sample = duration / float(modes.sample_count);
    for (size_t j = 0; j < count; ++j)
    {
        const FilterCoefficients c = filter_coefficients(double(model.frequencies[j]), model.material,
                                                         double(modes.sample), ResponseForcing::exact);
        modes.a1[j] = float(c.a1), modes.a2[j] = float(c.a2), modes.force[j] = float(c.force);
    }
    return modes;
}

Point make_point(std::span<const Vec3> shapes, Vec3 normal, const Modes& modes, Arena& arena)
{
    Point point{.along = arena.allocate<float>(shapes.size())};
    for (size_t j = 0; j < shapes.size(); ++j)
    {
        point.along[j] = dot(shapes[j], normal);
        point.compliance += modes.force[j] * point.along[j] * point.along[j];
    }
    return point;
}

// By what is above it.
void push_surface(const Point& point, float impulse, const Modes& modes, std::span<float> moved)
{
    for (size_t j = 0; j < moved.size(); ++j)
        moved[j] -= modes.force[j] * point.along[j] * impulse;
}

// The impulse between the surface and a mass above it, in this sample.
float meet(Point& point, float mass, float speed, const Modes& modes)
{
    const float ahead = sum_of_products(point.along, modes.next) - point.gap - modes.sample * speed;
    if (!(ahead > 0))
        return 0;
    const float impulse = ahead / (point.compliance + modes.sample / mass);
    push_surface(point, impulse, modes, modes.next);
    point.is_pushed = true;
    return impulse;
}

// What a sample of all loads does to a mover.
struct Loaded
{
    int32_t mover = -1;
    Vec3 linear{}, spin{};
};

struct Ride
{
    std::span<Rider> riders;
    std::span<const Hitter> hitters;
    Movers& movers;
    Modes modes{};
    std::span<Point> below{}, hit{}; // the riders, the hitters
    std::span<Loaded> loaded{};
    std::span<float> falls{};     // m/s² along the riders' rows, where nothing holds them
    std::span<float> best{};      // m²/s², of the first of a group: twice the energy of its best throw, by mass
    std::span<int> best_sample{}; // of the first of a group
    std::span<float> history{};   // of the modes, by sample

    float speed_of(size_t i) const
    {
        return riders[i].row.mass > 0 ? speed_along(riders[i].row, movers) : below[i].speed;
    }
    void push(size_t i, float impulse)
    {
        if (riders[i].row.mass > 0)
            push_along(riders[i].row, impulse, movers);
        else
            below[i].speed += impulse / riders[i].mass;
    }

    void set_up(Arena& arena)
    {
        below = arena.allocate<Point>(riders.size());
        hit = arena.allocate<Point>(hitters.size());
        falls = arena.allocate_zeroed<float>(riders.size());
        best = arena.allocate_zeroed<float>(riders.size());
        best_sample = arena.allocate<int>(riders.size());
        history = arena.allocate_zeroed<float>(size_t(modes.sample_count + 1) * modes.last.size());
        for (size_t i = 0; i < riders.size(); ++i)
        {
            below[i] = make_point(riders[i].shapes, riders[i].normal, modes, arena);
            below[i].gap = riders[i].gap;
            if (riders[i].mass > 0)
                push_surface(below[i], -riders[i].load * modes.sample, modes, modes.load);
        }
        for (size_t i = 0; i < hitters.size(); ++i)
        {
            hit[i] = make_point(hitters[i].shapes, hitters[i].normal, modes, arena);
            hit[i].speed = -hitters[i].speed;
        }
        load_once(arena);
    }

    // Tells how fast they fall, and what each mover gets in every sample.
    void load_once(Arena& arena)
    {
        loaded = arena.allocate<Loaded>(2 * riders.size());
        size_t count = 0;
        for (size_t i = 0; i < 2 * riders.size(); ++i)
        {
            const int32_t mover = riders[i / 2].row.mover[i % 2];
            const bool is_known = std::any_of(loaded.begin(), loaded.begin() + std::ptrdiff_t(count),
                                              [&](const Loaded& l) { return l.mover == mover; });
            if (!(riders[i / 2].row.mass > 0) || !riders[i / 2].row.is_pushed[i % 2] || is_known)
                continue;
            const MoverVelocity& v = movers.velocities[size_t(mover)];
            loaded[count++] = {mover, v.linear, v.spin};
        }
        loaded = loaded.first(count);
        for (size_t i = 0; i < riders.size(); ++i)
            falls[i] = speed_of(i);
        for (size_t i = 0; i < riders.size(); ++i)
            if (riders[i].load > 0 && riders[i].mass > 0)
                push(i, -riders[i].load * modes.sample);
        for (size_t i = 0; i < riders.size(); ++i)
            falls[i] = (falls[i] - speed_of(i)) / modes.sample;
        for (Loaded& l : loaded)
        {
            const MoverVelocity& v = movers.velocities[size_t(l.mover)];
            l.linear = v.linear - l.linear;
            l.spin = v.spin - l.spin;
        }
    }

    // At rest the surface holds them by as much, which it no longer does where they part.
    void press_riders()
    {
        for (const Loaded& l : loaded)
        {
            MoverVelocity& v = movers.velocities[size_t(l.mover)];
            v.linear += l.linear;
            v.spin += l.spin;
        }
        for (size_t i = 0; i < riders.size(); ++i)
            if (!(riders[i].row.mass > 0))
                below[i].speed -= falls[i] * modes.sample;
    }

    void press_hitters(bool is_first)
    {
        for (size_t i = 0; i < hitters.size(); ++i)
        {
            const Hitter& h = hitters[i];
            if (h.mass > 0)
            {
                hit[i].speed -= h.weight * modes.sample;
                hit[i].speed += meet(hit[i], h.mass, hit[i].speed, modes) / h.mass;
                hit[i].gap += modes.sample * hit[i].speed;
            }
            else if (is_first)
                push_surface(hit[i], h.impulse, modes, modes.next);
        }
    }

    void carry_riders()
    {
        for (size_t i = 0; i < riders.size(); ++i)
        {
            below[i].is_pushed = false;
            const float mass = riders[i].row.mass > 0 ? riders[i].row.mass : riders[i].mass;
            const float impulse = riders[i].mass > 0 ? meet(below[i], mass, speed_of(i), modes) : 0;
            if (impulse > 0)
                push(i, impulse);
        }
        for (size_t i = 0; i < riders.size(); ++i)
            below[i].gap += modes.sample * speed_of(i);
    }

    void note_throw(size_t first, size_t end, int sample)
    {
        const auto group = below.subspan(first, end - first);
        if (std::ranges::none_of(group, [](const Point& p) { return p.is_pushed; }))
            return;
        float speed = 0, gap = 0, fall = 0;
        const float share = 1 / float(end - first);
        for (size_t i = first; i < end; ++i)
        {
            speed += share * speed_of(i);
            gap += share * below[i].gap;
            fall += share * falls[i];
        }
        const float energy = speed * speed + 2 * fall * gap;
        if (!(speed > 0) || !(energy > best[first]))
            return;
        best[first] = energy;
        best_sample[first] = sample;
        const float higher = std::sqrt(energy) - speed;
        for (size_t i = first; i < end; ++i)
            riders[i].speed = speed_of(i) + higher;
    }

    // How fast the surface moved along itself when it threw them.
    void find_aside(size_t first, size_t end)
    {
        if (!(best[first] > 0))
            return;
        const size_t count = modes.last.size();
        const float* now = history.data() + size_t(best_sample[first] + 1) * count;
        for (size_t i = first; i < end; ++i)
        {
            Vec3 moved{};
            for (size_t j = 0; j < count; ++j)
                moved += riders[i].shapes[j] * (now[j] - (now - count)[j]);
            riders[i].aside = (moved - riders[i].normal * dot(moved, riders[i].normal)) * (1 / modes.sample);
        }
    }

    template <class Visit>
    void for_each_group(Visit&& visit) const
    {
        for (size_t first = 0, end = 0; first < riders.size(); first = end)
        {
            while (end < riders.size() && riders[end].group == riders[first].group)
                ++end;
            visit(first, end);
        }
    }

    void run()
    {
        for (int k = 0; k < modes.sample_count; ++k)
        {
            for (size_t j = 0; j < modes.next.size(); ++j)
                modes.next[j] = modes.a1[j] * modes.last[j] - modes.a2[j] * modes.before[j] + modes.load[j];
            if (k > 0)
                press_riders();
            press_hitters(k == 0);
            carry_riders();
            std::swap(modes.before, modes.last);
            std::swap(modes.last, modes.next);
            std::ranges::copy(modes.last, history.begin() + std::ptrdiff_t(size_t(k + 1) * modes.last.size()));
            for_each_group([&](size_t first, size_t end) { note_throw(first, end, k); });
        }
        for_each_group([&](size_t first, size_t end) { find_aside(first, end); });
    }
};

} // namespace

void ride(const ResponseModel& model, float dt, std::span<Rider> riders, std::span<const Hitter> hitters,
          Movers& movers, Arena& arena)
{
    if (model.mode_count() == 0)
        return;
    ArenaScope scope(arena);
    std::span<MoverVelocity> before = arena.allocate<MoverVelocity>(2 * riders.size());
    for (size_t i = 0; i < before.size(); ++i)
        if (riders[i / 2].row.mass > 0)
            before[i] = movers.velocities[size_t(riders[i / 2].row.mover[i % 2])];
    Ride r{riders, hitters, movers, make_modes(model, dt, arena)};
    r.set_up(arena);
    r.run();
    for (size_t i = 0; i < before.size(); ++i)
        if (riders[i / 2].row.mass > 0)
            movers.velocities[size_t(riders[i / 2].row.mover[i % 2])] = before[i];
}

} // namespace moraine
