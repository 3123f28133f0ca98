// Points of a vibrating surface that bodies press on, all in one list: what a unit impulse at one does to the others is
// worked out once, so that a sample costs a few additions for each pair instead of a walk through modes and bodies.
//
// Between two samples T apart a point of the surface with shapes a moves to u = a q, and what is above it from y at speed w
// to y + T w. Where u > y + T w they meet. An impulse p at point i takes the surface under point k back by the sum of
// a_r a_i a_k, and what is above it on by T J_k M⁻¹ J_iᵀ: together D_ik p. Gauss-Seidel finds p >= 0 with
//     u - y - T w - D p <= 0 where p = 0, and = 0 where p > 0.
// Then both move together for a sample. Nothing bounces, and no energy is gained.
//
// Points are taken 128 at a time; lists that are longer meet in the modes and in the bodies' velocities.
#pragma once

#include "base/arena.h"
#include "dynamics/contact_row.h"

#include <span>

namespace moraine
{

// The modes from sample to sample, by the filter of eq. 10 (distant-collision-response-2020).
struct RidingModes
{
    std::span<float> a1{}, a2{}, force{}; // of the filter, by mode
    std::span<float> load{};              // what a sample of all loads moves
    std::span<float> before{}, last{}, next{};
    size_t used = 0;  // of the modes: those after them are not there, and make the number a multiple of eight
    float sample = 0; // seconds
    int sample_count = 0;
};

// Who presses at a point.
struct Presser
{
    std::span<const Vec3> shapes{}; // of the surface there, by mode
    Vec3 normal{};
    const ContactRow* row = nullptr; // without mass: a point by itself
    float mass = 0;                  // of such a point; 0: it is not pressed
    float gap = 0;
};

// By a row; -1: none.
struct PushedMovers
{
    int32_t first = -1, second = -1;
};

class PressPoints
{
public:
    PressPoints(std::span<const Presser> pressers, const RidingModes& modes, const Movers& movers, Arena& arena);

    // Along the normal, by point.
    std::span<const float> along(size_t point) const { return along_.subspan(point * mode_count_, mode_count_); }
    std::span<float> gaps() { return gap_.first(pressers_.size()); }
    std::span<float> speeds() { return speed_.first(pressers_.size()); }
    std::span<const float> impulses() const { return impulse_.first(pressers_.size()); } // of the last sample
    bool is_long() const { return pressers_.size() > list_length; }

    // By an impulse of what is above it.
    void push_surface(size_t point, float impulse, std::span<float> moved) const;
    // The sample that ends with modes.next. Movers are only used where the list is long.
    void press(RidingModes& modes, Movers& movers);

private:
    static constexpr size_t list_length = 128;

    void find_answers(size_t first, const RidingModes& modes, const Movers& movers);
    void find_turns(size_t first, size_t end, size_t point, const Movers& movers);
    void find_wanted(size_t first, size_t count, const RidingModes& modes);
    bool sweep(size_t first, size_t count, bool is_last); // false: it changed nothing
    void move(size_t first, size_t count, RidingModes& modes, Movers& movers);
    void read_speeds(size_t first, size_t count, const Movers& movers);
    bool has_row(size_t point) const { return pressers_[point].row && pressers_[point].row->mass > 0; }

    std::span<const Presser> pressers_;
    size_t mode_count_, used_modes_;
    int sweeps_ = 0;
    size_t stride_ = 0;           // of a list's rows: its points and a few that are not there
    std::span<float> along_{};    // by point and mode
    std::span<float> pulls_{};    // how far a unit impulse takes the modes, by point and mode
    std::span<float> by_mode_{};  // the same by list, mode and point
    std::span<float> answers_{};  // D_ik / D_kk by point and place in the list
    std::span<float> turns_{};    // J M⁻¹ Jᵀ by point and place in the list
    std::span<float> inverses_{}; // 1 / D_ii; 0 where nothing is pressed
    std::span<float> gap_{}, speed_{}, wanted_{}, impulse_{}, told_{};
    std::span<PushedMovers> pushed_{};
    std::span<int32_t> reach_first_{}, reach_end_{}; // places in the list that a push turns, too
};

} // namespace moraine
