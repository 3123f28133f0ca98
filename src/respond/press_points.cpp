#include "respond/press_points.h"

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

constexpr size_t lanes = 8;
constexpr int sweeps_of_points = 2;   // points meet through the surface alone: a second sweep is worth 0.1 % there
constexpr int sweeps_of_bodies = 12;  // bodies that stand on several points take more
constexpr float small_change = 0.01f; // of an impulse: not worth telling the others

// The speed along `b` that a unit impulse along `a` gives.
float coupling(const ContactRow& a, const ContactRow& b, const Movers& movers)
{
    float sum = 0;
    for (int s = 0; s < 2; ++s)
        for (int t = 0; t < 2; ++t)
        {
            if (a.mover[s] != b.mover[t] || !a.is_pushed[s] || !b.is_pushed[t])
                continue;
            const float inv_mass = movers.velocities[size_t(a.mover[s])].inv_mass;
            const float answer = inv_mass * dot(a.direction, b.direction) + dot(a.j[s], b.j[t]);
            sum += s == t ? answer : -answer;
        }
    return sum;
}

// `count` is a multiple of `lanes`.
inline void add_scaled(float* __restrict to, const float* __restrict from, float scale, size_t count)
{
    for (size_t k = 0; k < count; k += lanes)
        for (size_t lane = 0; lane < lanes; ++lane)
            to[k + lane] += from[k + lane] * scale;
}

constexpr size_t rounded_up(size_t count) { return (count + lanes - 1) / lanes * lanes; }

bool share_a_mover(const PushedMovers& a, const PushedMovers& b)
{
    return (a.first >= 0 && (a.first == b.first || a.first == b.second)) ||
           (a.second >= 0 && (a.second == b.first || a.second == b.second));
}

} // namespace

PressPoints::PressPoints(std::span<const Presser> pressers, const RidingModes& modes, const Movers& movers,
                         Arena& arena)
    : pressers_(pressers),
      mode_count_(modes.next.size()),
      used_modes_(modes.used)
{
    const size_t padded = rounded_up(pressers.size());
    const size_t lists = (pressers.size() + list_length - 1) / list_length;
    stride_ = std::min(padded, list_length);
    along_ = arena.allocate_zeroed<float>(pressers.size() * mode_count_);
    pulls_ = arena.allocate_zeroed<float>(pressers.size() * mode_count_);
    by_mode_ = arena.allocate_zeroed<float>(lists * stride_ * mode_count_);
    for (std::span<float>* all : {&answers_, &turns_})
        *all = arena.allocate_zeroed<float>(pressers.size() * stride_);
    for (std::span<float>* all : {&inverses_, &gap_, &speed_, &wanted_, &impulse_, &told_})
        *all = arena.allocate_zeroed<float>(padded);
    pushed_ = arena.allocate_zeroed<PushedMovers>(pressers.size());
    reach_first_ = arena.allocate<int32_t>(pressers.size());
    reach_end_ = arena.allocate<int32_t>(pressers.size());
    for (size_t i = 0; i < pressers.size(); ++i)
    {
        const size_t place = i % list_length, first = i - place;
        gap_[i] = pressers[i].gap;
        if (has_row(i))
        {
            const ContactRow& row = *pressers[i].row;
            pushed_[i] = {row.is_pushed[0] ? row.mover[0] : -1, row.is_pushed[1] ? row.mover[1] : -1};
        }
        for (size_t j = 0; j < used_modes_; ++j)
        {
            const float along = dot(pressers[i].shapes[j], pressers[i].normal);
            along_[i * mode_count_ + j] = along;
            pulls_[i * mode_count_ + j] = -modes.force[j] * along;
            by_mode_[first * mode_count_ + j * stride_ + place] = along;
        }
    }
    for (size_t first = 0; first < pressers.size(); first += list_length)
        find_answers(first, modes, movers);
    read_speeds(0, pressers.size(), movers);
}

void PressPoints::find_answers(size_t first, const RidingModes& modes, const Movers& movers)
{
    const size_t end = std::min(first + list_length, pressers_.size());
    const float* by_mode = by_mode_.data() + first * mode_count_;
    for (size_t i = first; i < end; ++i)
    {
        float* answer = answers_.data() + i * stride_;
        float* turn = turns_.data() + i * stride_;
        for (size_t j = 0; j < used_modes_; ++j)
            add_scaled(answer, by_mode + j * stride_, modes.force[j] * along(i)[j], stride_);
        find_turns(first, end, i, movers);
        add_scaled(answer, turn, modes.sample, stride_);
        inverses_[i] = pressers_[i].mass > 0 && answer[i - first] > 0 ? 1 / answer[i - first] : 0;
    }
    for (size_t i = first; i < end; ++i)
        for (size_t k = first; k < end; ++k)
            answers_[i * stride_ + k - first] *= inverses_[k];
}

void PressPoints::find_turns(size_t first, size_t end, size_t point, const Movers& movers)
{
    float* turn = turns_.data() + point * stride_;
    size_t from = point - first, to = from;
    if (!has_row(point))
        turn[point - first] = pressers_[point].mass > 0 ? 1 / pressers_[point].mass : 0;
    else
    {
        const ContactRow& row = *pressers_[point].row;
        for (size_t k = first; k < end; ++k)
        {
            if (!share_a_mover(pushed_[point], pushed_[k]))
                continue;
            turn[k - first] = coupling(row, *pressers_[k].row, movers);
            from = std::min(from, k - first);
            to = std::max(to, k - first);
        }
    }
    sweeps_ = std::max(sweeps_, from < to ? sweeps_of_bodies : sweeps_of_points);
    reach_first_[point] = int32_t(from / lanes * lanes);
    reach_end_[point] = int32_t(rounded_up(to + 1));
}

void PressPoints::push_surface(size_t point, float impulse, std::span<float> moved) const
{
    add_scaled(moved.data(), pulls_.data() + point * mode_count_, impulse, mode_count_);
}

// The impulse that each point would take by itself: how far the surface would be above what lies on it, by D_ii.
void PressPoints::find_wanted(size_t first, size_t count, const RidingModes& modes)
{
    const float* by_mode = by_mode_.data() + first * mode_count_;
    float* wanted = wanted_.data() + first;
    for (size_t k = 0; k < count; ++k)
        wanted[k] = -gap_[first + k] - modes.sample * speed_[first + k];
    for (size_t j = 0; j < used_modes_; ++j)
        add_scaled(wanted, by_mode + j * stride_, modes.next[j], count);
    for (size_t k = 0; k < count; ++k)
        wanted[k] *= inverses_[first + k];
}

bool PressPoints::sweep(size_t first, size_t count, bool is_last)
{
    float* wanted = wanted_.data() + first;
    float* impulses = impulse_.data() + first;
    const float* answer = answers_.data() + first * stride_;
    bool has_changed = false;
    const size_t points = std::min(count, pressers_.size() - first);
    // What the next one wants is known before all the others are told: nothing waits for memory.
    float here = points > 0 ? wanted[0] : 0;
    for (size_t i = 0; i < points; ++i, answer += stride_)
    {
        const float before = impulses[i], change = std::max(here, -before);
        here = i + 1 < points ? wanted[i + 1] : 0;
        if (std::fabs(change) <= small_change * before)
            continue;
        if (i + 1 < points)
            here += answer[i + 1] * -change;
        impulses[i] = before + change;
        const size_t from = is_last ? i / lanes * lanes : 0; // those before it are done
        add_scaled(wanted + from, answer + from, -change, count - from);
        has_changed = true;
    }
    return has_changed;
}

// By what the impulses have changed since they were told last.
void PressPoints::move(size_t first, size_t count, RidingModes& modes, Movers& movers)
{
    const size_t end = std::min(first + count, pressers_.size());
    for (size_t i = first; i < end; ++i)
    {
        const float change = impulse_[i] - told_[i];
        if (change == 0)
            continue;
        told_[i] = impulse_[i];
        push_surface(i, change, modes.next);
        const size_t from = size_t(reach_first_[i]);
        add_scaled(speed_.data() + first + from, turns_.data() + i * stride_ + from, change,
                   size_t(reach_end_[i]) - from);
        if (is_long() && has_row(i))
            push_along(*pressers_[i].row, change, movers);
    }
}

void PressPoints::read_speeds(size_t first, size_t count, const Movers& movers)
{
    const size_t end = std::min(first + count, pressers_.size());
    for (size_t i = first; i < end; ++i)
        if (has_row(i))
            speed_[i] = speed_along(*pressers_[i].row, movers);
}

void PressPoints::press(RidingModes& modes, Movers& movers)
{
    std::ranges::fill(impulse_, 0.0f);
    std::ranges::fill(told_, 0.0f);
    // Several lists are swept by turns.
    const int rounds = is_long() ? sweeps_ : 1, sweeps = is_long() ? 1 : sweeps_;
    for (int round = 0; round < rounds; ++round)
        for (size_t first = 0; first < pressers_.size(); first += list_length)
        {
            const size_t count = std::min(list_length, gap_.size() - first);
            if (is_long())
                read_speeds(first, count, movers);
            find_wanted(first, count, modes);
            for (int i = 0; i < sweeps; ++i)
                if (!sweep(first, count, i + 1 == sweeps))
                    break;
            move(first, count, modes, movers);
        }
    if (is_long())
        read_speeds(0, pressers_.size(), movers);
    add_scaled(gap_.data(), speed_.data(), modes.sample, gap_.size());
}

} // namespace moraine
