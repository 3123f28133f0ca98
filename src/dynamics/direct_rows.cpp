#include "dynamics/direct_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace moraine
{

namespace
{

// Movers that rows change, joined through the rows. Roots are the smallest slots, so the order of joining is all one.
struct Sets
{
    std::span<int32_t> parents;

    int32_t find(int32_t i)
    {
        while (parents[size_t(i)] != i)
            i = parents[size_t(i)] = parents[size_t(parents[size_t(i)])];
        return i;
    }
    void join(int32_t i, int32_t k)
    {
        i = find(i);
        k = find(k);
        parents[size_t(std::max(i, k))] = std::min(i, k);
    }
};

int32_t slot_of(const Movers& movers, int32_t tagged) { return tagged < 0 ? -1 : movers[tagged].awake_slot; }

Vec3 vector_at(const float (*field)[lane_count], int lane) { return {field[0][lane], field[1][lane], field[2][lane]}; }

float speed_along(const DirectRow& row, const MoverVelocity& a, const MoverVelocity& b)
{
    return dot(row.d, b.linear - a.linear) + dot(row.j[1], b.spin) - dot(row.j[0], a.spin);
}

// visit(row) for every row; `impulse` of each points into the batches.
template <class Visit>
class RowLister
{
public:
    RowLister(const SolverWorld& world, PgsRows& rows, Visit&& visit) : world_(world), rows_(rows), visit_(visit) {}

    void list()
    {
        for (PgsBatch& batch : rows_.contacts)
            for (int lane = 0; lane < lane_count; ++lane)
                if (batch.manifold[lane] >= 0)
                    list_contacts(batch, lane);
        for (JointBatch& batch : rows_.batches.joints)
            for (int lane = 0; lane < lane_count; ++lane)
                if (batch.joint[lane] >= 0)
                    for (int t = 0; t < batch.triple_count; ++t)
                        list_triple(batch, rows_.batches.triples[size_t(batch.triple_first + t)], lane);
    }

private:
    void list_contacts(PgsBatch& batch, int lane)
    {
        const Vec3 n = vector_at(batch.normal, lane);
        const Vec3 t = vector_at(batch.tangent, lane);
        const bool holds = batch.friction[lane] < 0;
        for (int i = 0; i < batch.point_count; ++i)
        {
            PgsBatch::Point& point = batch.points[i];
            if (point.normal.mass[lane] <= 0)
                continue;
            DirectRow normal = make_row(batch.a[lane], batch.b[lane], n, point.normal, lane);
            normal.free_speed += point.bias[lane];
            normal.compliance = rows_.contact.cfm;
            normal.lower = holds ? -infinity : 0.0f;
            visit_(normal);
            list_tangent(batch, point, 0, t, lane);
            list_tangent(batch, point, 1, cross(n, t), lane);
        }
    }

    void list_tangent(PgsBatch& batch, PgsBatch::Point& point, int which, Vec3 d, int lane)
    {
        DirectRow row = make_row(batch.a[lane], batch.b[lane], d, point.tangents[which], lane);
        const bool holds = batch.friction[lane] < 0;
        const bool is_box = rows_.contact.friction_model == FrictionModel::box;
        row.free_speed -= batch.swing[which][lane];
        row.friction = batch.friction[lane];
        row.normal = holds || is_box ? 0 : 1 + which;
        row.upper = holds ? infinity : row.friction * point.stored_impulse[lane];
        row.lower = -row.upper;
        visit_(row);
    }

    DirectRow make_row(int32_t a, int32_t b, Vec3 d, PgsBatch::Row& from, int lane)
    {
        return make_row(a, b, d, vector_at(from.ja, lane), vector_at(from.jb, lane), from.impulse[lane]);
    }
    DirectRow make_row(int32_t a, int32_t b, Vec3 d, Vec3 ja, Vec3 jb, float& impulse)
    {
        DirectRow row{.slot = {slot_of(world_.movers, a), slot_of(world_.movers, b)},
                      .d = d,
                      .j = {ja, jb},
                      .lower = -infinity,
                      .upper = infinity,
                      .guess = impulse,
                      .impulse = &impulse};
        const Array<MoverVelocity>& velocities = world_.movers.velocities;
        row.free_speed = speed_along(row, velocities[size_t(mover_index(a))], velocities[size_t(mover_index(b))]);
        return row;
    }

    void list_triple(const JointBatch& batch, JointTriple& triple, int lane)
    {
        for (int i = 0; i < 3; ++i)
        {
            JointTriple::Row& from = triple.rows[i];
            const bool is_bounded = from.mass[lane] > 0;
            if (!is_bounded && triple.block[3 + i][lane] <= 0)
                continue;
            DirectRow row = make_row(batch.a[lane], batch.b[lane], vector_at(from.d, lane), vector_at(from.ja, lane),
                                     vector_at(from.jb, lane), from.impulse[lane]);
            if (is_bounded && from.is_limit[lane] > 0)
            {
                list_limit(row, from, lane);
                continue;
            }
            row.free_speed += from.bias_rate[lane] * from.error[lane];
            row.compliance = from.compliance[lane];
            if (is_bounded)
            {
                row.free_speed -= from.target_speed[lane];
                row.lower = from.lower[lane];
                row.upper = from.upper[lane];
            }
            visit_(row);
        }
    }

    // Two rows for the two ends of a range: one can only push up, the other only down.
    void list_limit(const DirectRow& row, const JointTriple::Row& from, int lane)
    {
        const JointParameters& p = rows_.joint;
        const float room[2] = {from.error[lane] - from.lower[lane], from.upper[lane] - from.error[lane]};
        for (int end = 0; end < 2; ++end)
        {
            // Beyond what any speed can reach in a step there is no row.
            if (!(room[end] * p.inv_h < 1e4f))
                continue;
            const float bias = std::max(room[end], 0.0f) * p.inv_h;
            DirectRow one_sided = row;
            one_sided.free_speed += end == 0 ? bias : -bias;
            (end == 0 ? one_sided.lower : one_sided.upper) = 0;
            one_sided.guess = end == 0 ? std::max(row.guess, 0.0f) : std::min(row.guess, 0.0f);
            visit_(one_sided);
        }
    }

    const SolverWorld& world_;
    PgsRows& rows_;
    Visit& visit_;
};

template <class Visit>
void for_each_row(const SolverWorld& world, PgsRows& rows, Visit&& visit)
{
    RowLister<Visit>(world, rows, std::forward<Visit>(visit)).list();
}

// Which group a row belongs to.
class Grouping
{
public:
    Grouping(const SolverWorld& world, const WorldDef& settings, Arena& arena)
        : sets_{arena.allocate<int32_t>(size_t(world.movers.awake.size()))},
          sleepy_(arena.allocate_zeroed<uint8_t>(size_t(world.movers.awake.size()))),
          is_one_(!settings.contact_groups)
    {
        std::iota(sets_.parents.begin(), sets_.parents.end(), 0);
        if (!settings.subgrouping || is_one_)
            return;
        for (size_t slot = 0; slot < sleepy_.size(); ++slot)
        {
            const Mover& mover = world.movers[world.movers.awake[int32_t(slot)]];
            sleepy_[slot] = mover.can_sleep && mover.quiet_time >= settings.sleep_delay;
        }
    }

    void join(const DirectRow& row)
    {
        const int32_t a = row.slot[0], b = row.slot[1];
        if (is_one_ && first_ < 0)
            first_ = std::max(a, b);
        if (is_one_ && std::max(a, b) >= 0)
            sets_.join(first_, std::max(a, b));
        if (a >= 0 && b >= 0 && !is_sleepy(a) && !is_sleepy(b))
            sets_.join(a, b);
    }
    // The slot that stands for the row's group, or -1 where it changes nothing.
    int32_t group(const DirectRow& row)
    {
        const int32_t a = row.slot[0], b = row.slot[1];
        if (a < 0 || b < 0)
            return std::max(a, b) < 0 ? -1 : sets_.find(std::max(a, b));
        const bool takes_a = is_sleepy(b) && !is_sleepy(a);
        return sets_.find(takes_a || (is_sleepy(a) == is_sleepy(b) && a > b) ? a : b);
    }

private:
    bool is_sleepy(int32_t slot) const { return sleepy_[size_t(slot)]; }

    Sets sets_;
    std::span<uint8_t> sleepy_;
    bool is_one_;
    int32_t first_ = -1;
};

void clear_impulses(const DirectRows& out)
{
    for (const DirectRow& row : out.rows)
        *row.impulse = 0;
}

} // namespace

DirectRows list_direct_rows(const SolverWorld& world, const WorldDef& settings, PgsRows& rows, Arena& arena)
{
    const size_t movers = size_t(world.movers.awake.size());
    Grouping grouping(world, settings, arena);
    for_each_row(world, rows, [&](const DirectRow& row) { grouping.join(row); });

    // Groups in the order of their first movers, rows counted first and listed after.
    std::span<int32_t> counts = arena.allocate_zeroed<int32_t>(movers);
    for_each_row(world, rows, [&](const DirectRow& row) {
        if (grouping.group(row) >= 0)
            ++counts[size_t(grouping.group(row))];
    });
    const size_t groups = size_t(std::count_if(counts.begin(), counts.end(), [](int32_t c) { return c > 0; }));
    DirectRows out;
    out.group_first = arena.allocate<int32_t>(groups + 1);
    int32_t total = 0;
    size_t group = 0;
    for (int32_t& count : counts)
    {
        if (count > 0)
            out.group_first[group++] = total;
        total += std::exchange(count, total); // from here on: where the group's next row goes
    }
    out.group_first[groups] = total;
    out.rows = arena.allocate<DirectRow>(size_t(total));
    for_each_row(world, rows, [&](const DirectRow& row) {
        if (grouping.group(row) >= 0)
            out.rows[size_t(counts[size_t(grouping.group(row))]++)] = row;
    });
    clear_impulses(out);
    return out;
}

} // namespace moraine
