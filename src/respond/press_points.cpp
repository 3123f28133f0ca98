#include "respond/press_points.h"

#include <algorithm>

namespace moraine
{

namespace
{

constexpr size_t lanes = 8;
constexpr int sweeps = 2; // a second one for bodies that stand on several points

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

void add_scaled(float* to, const float* from, float scale, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        to[k] += from[k] * scale;
}

} // namespace

PressPoints::PressPoints(std::span<const Presser> pressers, const RidingModes& modes, const Movers& movers,
                         Arena& arena)
    : pressers_(pressers),
      mode_count_(modes.next.size())
{
    const size_t padded = (pressers.size() + lanes - 1) / lanes * lanes;
    const size_t lists = (pressers.size() + list_length - 1) / list_length;
    stride_ = std::min(padded, list_length);
    along_ = arena.allocate<float>(pressers.size() * mode_count_);
    by_mode_ = arena.allocate_zeroed<float>(lists * stride_ * mode_count_);
    for (std::span<float>* all : {&answers_, &turns_})
        *all = arena.allocate_zeroed<float>(pressers.size() * stride_);
    for (std::span<float>* all : {&inverses_, &gap_, &speed_, &ahead_, &impulse_})
        *all = arena.allocate_zeroed<float>(padded);
    reach_first_ = arena.allocate<int32_t>(pressers.size());
    reach_end_ = arena.allocate<int32_t>(pressers.size());
    for (size_t i = 0; i < pressers.size(); ++i)
    {
        const size_t place = i % list_length, first = i - place;
        gap_[i] = pressers[i].gap;
        for (size_t j = 0; j < mode_count_; ++j)
        {
            const float along = dot(pressers[i].shapes[j], pressers[i].normal);
            along_[i * mode_count_ + j] = along;
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
        for (size_t j = 0; j < mode_count_; ++j)
            add_scaled(answer, by_mode + j * stride_, modes.force[j] * along(i)[j], stride_);
        reach_first_[i] = int32_t(i - first);
        reach_end_[i] = reach_first_[i] + 1;
        if (!has_row(i))
            turn[i - first] = pressers_[i].mass > 0 ? 1 / pressers_[i].mass : 0;
        for (size_t k = first; k < end && has_row(i); ++k)
        {
            if (!has_row(k) || !((turn[k - first] = coupling(*pressers_[i].row, *pressers_[k].row, movers)) != 0))
                continue;
            reach_first_[i] = std::min(reach_first_[i], int32_t(k - first));
            reach_end_[i] = std::max(reach_end_[i], int32_t(k - first) + 1);
        }
        add_scaled(answer, turn, modes.sample, stride_);
        inverses_[i] = pressers_[i].mass > 0 && answer[i - first] > 0 ? 1 / answer[i - first] : 0;
    }
}

void PressPoints::push_surface(size_t point, float impulse, const RidingModes& modes, std::span<float> moved) const
{
    const float* shape = along_.data() + point * mode_count_;
    for (size_t j = 0; j < moved.size(); ++j)
        moved[j] -= modes.force[j] * shape[j] * impulse;
}

// How far the surface would be above what lies on it.
void PressPoints::find_ahead(size_t first, size_t count, const RidingModes& modes)
{
    const float* by_mode = by_mode_.data() + first * mode_count_;
    float* ahead = ahead_.data() + first;
    for (size_t k = 0; k < count; ++k)
        ahead[k] = -gap_[first + k] - modes.sample * speed_[first + k];
    for (size_t j = 0; j < mode_count_; ++j)
        add_scaled(ahead, by_mode + j * stride_, modes.next[j], count);
    std::fill_n(impulse_.begin() + std::ptrdiff_t(first), count, 0.0f);
}

void PressPoints::sweep(size_t first, size_t count)
{
    float* ahead = ahead_.data() + first;
    const size_t end = std::min(first + count, pressers_.size());
    for (size_t i = first; i < end; ++i)
    {
        const float impulse = std::max(ahead[i - first] * inverses_[i], -impulse_[i]);
        if (impulse == 0)
            continue;
        impulse_[i] += impulse;
        add_scaled(ahead, answers_.data() + i * stride_, -impulse, count);
    }
}

void PressPoints::move(size_t first, size_t count, RidingModes& modes)
{
    const size_t end = std::min(first + count, pressers_.size());
    for (size_t i = first; i < end; ++i)
    {
        if (!(impulse_[i] > 0))
            continue;
        push_surface(i, impulse_[i], modes, modes.next);
        const size_t from = size_t(reach_first_[i]);
        add_scaled(speed_.data() + first + from, turns_.data() + i * stride_ + from, impulse_[i],
                   size_t(reach_end_[i]) - from);
    }
}

void PressPoints::read_speeds(size_t first, size_t count, const Movers& movers)
{
    const size_t end = std::min(first + count, pressers_.size());
    for (size_t i = first; i < end; ++i)
        if (has_row(i))
            speed_[i] = speed_along(*pressers_[i].row, movers);
}

void PressPoints::push_movers(size_t first, size_t count, Movers& movers) const
{
    const size_t end = std::min(first + count, pressers_.size());
    for (size_t i = first; i < end; ++i)
        if (impulse_[i] > 0 && has_row(i))
            push_along(*pressers_[i].row, impulse_[i], movers);
}

void PressPoints::press(RidingModes& modes, Movers& movers)
{
    const bool is_shared = is_long();
    for (size_t first = 0; first < pressers_.size(); first += list_length)
    {
        const size_t count = std::min(list_length, gap_.size() - first);
        if (is_shared)
            read_speeds(first, count, movers);
        find_ahead(first, count, modes);
        for (int i = 0; i < sweeps; ++i)
            sweep(first, count);
        move(first, count, modes);
        if (is_shared)
            push_movers(first, count, movers);
    }
    if (is_shared)
        read_speeds(0, pressers_.size(), movers);
    add_scaled(gap_.data(), speed_.data(), modes.sample, gap_.size());
}

} // namespace moraine
