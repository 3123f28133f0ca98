// Forces inside a collection, from its load alone.
//
// Contacts and joints are taken for springs of equal stiffness that only press where they only press, and that rub only
// as hard as they are pressed. All bodies are solved at once, so that arches, rings and those that lean on each other
// share the load as they would.
#include "merge/response.h"
#include "merge/sparse_blocks.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace moraine
{

namespace
{

// A search gives its memory back to the next one, so that a warm step does not allocate. Nothing of it outlives the search.
std::pmr::memory_resource* kept_memory()
{
    thread_local std::pmr::unsynchronized_pool_resource memory(std::pmr::pool_options{0, 1 << 22});
    return &memory;
}

constexpr int columns = load_terms + 1; // and what does not depend on the load
constexpr int most_bodies = 1500;
constexpr double most_work = 5e7; // multiplications: larger ones are left to the probe
constexpr int patient_rounds = 6; // of finding out who presses, after which nobody presses again

// Who presses but a little, or rubs nearly as hard as it can, leaves no room for other loads: first without those.
struct Comfort
{
    double least; // share of the mean force
    double full;  // of friction that may be used
    int rounds;   // that it is worth
};
constexpr Comfort comforts[] = {{0.15, 0.6, 10}, {0, 0.95, 12}};

using Vec6 = std::array<double, 6>;

// A body. Turns are counted by what they do at its radius.
struct Node
{
    int32_t merged = none;
    bool is_fixed = false; // the root of a free collection
    Vec6 right[columns]{}; // force and torque that its contacts have to bear
    double pressed = 0;    // mean force of its points
    int points = 0;
};

struct Row
{
    Vec6 pull[2]{}; // of a unit force on the two bodies
    double stiffness = 0;
    double force[columns]{};
};

struct Point
{
    int32_t weld = none;
    int link = 0;
    int body[2]{-1, -1}; // nodes; -1: fixed
    float friction = 0;
    bool only_presses = true;
    bool is_pressed = true;
    double most = infinity; // force of a motor
    double hold = 1;        // stiffness along the normal
    double grip = 1;        // stiffness along the surface
    Row rows[3];            // normal and tangents
};

// The points of a weld, and what they add to the matrix while they hold as they do.
struct Link
{
    int first = 0, count = 0;
    bool has_changed = true;
    SparseBlocks::Block own[2]{}, across{};
};

Mat3 inverse_of(const Vec3 (&m)[2])
{
    const Vec3 d = m[0], o = m[1];
    const float xx = d.y * d.z - o.z * o.z, xy = o.y * o.z - o.x * d.z, xz = o.x * o.z - o.y * d.y;
    const float scale = 1 / (d.x * xx + o.x * xy + o.y * xz);
    const float yy = d.x * d.z - o.y * o.y, yz = o.x * o.y - d.x * o.z, zz = d.x * d.y - o.x * o.x;
    return {Vec3{xx, xy, xz} * scale, Vec3{xy, yy, yz} * scale, Vec3{xz, yz, zz} * scale};
}

// Accelerations by a unit of each term, at a place.
void load_columns(Vec3 r, Vec3 (&out)[load_terms])
{
    const Vec3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const float at[3] = {r.x, r.y, r.z};
    for (int k = 0; k < 3; ++k)
    {
        out[k] = e[k];
        out[3 + k] = -cross(e[k], r);
        out[6 + k] = r - e[k] * at[k];
    }
    const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 3; ++k)
        out[9 + k] = -(e[pairs[k][0]] * at[pairs[k][1]] + e[pairs[k][1]] * at[pairs[k][0]]);
}

Vec6 wrench(Vec3 force, Vec3 torque, float radius)
{
    return {force.x, force.y, force.z, torque.x / radius, torque.y / radius, torque.z / radius};
}

class Springs
{
public:
    Springs(const Bodies& b, const ProbeLimits& l, int32_t index, Collections& all)
        : bodies_(b),
          limits_(l),
          collection_(all.pool[index]),
          c_(all),
          now_(terms_of(all.pool[index].load))
    {}
    // Multiplications that it will take, about: most of what is too much need not be put in order to know it.
    double likely_work() const;
    // False if it cannot be done for this collection.
    bool prepare();
    double work() const { return matrix_.cost(); } // of one round
    double work_done() const { return work_done_; }
    bool find()
    {
        return std::ranges::any_of(comforts, [&](const Comfort& comfort) { return try_with(comfort); });
    }
    void store();

private:
    bool add_nodes();
    void add_weld(int32_t weld);
    bool try_with(const Comfort& comfort);
    void renew(Link& link);
    void assemble();
    double stretch(const Point& p, const Row& row) const;
    void measure_pressed();
    bool change_pressed(int round, const Comfort& comfort);
    bool solve_columns();
    double share_of(int column) const { return column < load_terms ? double(now_[size_t(column)]) : 1; }
    double acceleration_by(const Node& n, const double* force) const;

    const Bodies& bodies_;
    const ProbeLimits& limits_;
    Collection& collection_;
    Collections& c_;
    LoadTerms now_;
    std::pmr::memory_resource* memory_ = kept_memory();
    std::pmr::vector<Node> nodes_{memory_}; // by slot
    std::pmr::vector<Point> points_{memory_};
    std::pmr::vector<Link> links_{memory_};
    SparseBlocks matrix_{memory_};
    std::pmr::vector<double> x_{memory_};
    LoadTerms missed_{};
    double work_done_ = 0;
};

bool Springs::add_nodes()
{
    for (int32_t body : collection_.members)
    {
        Node& n = nodes_.emplace_back();
        n.merged = c_.merged(body);
        const MergedBody& m = c_.bodies[n.merged];
        n.is_fixed = m.level == 0;
        if (bodies_.infos[size_t(body)].gravity_scale != 1 || m.is_glued || !(m.inv_inertia[0].x > 0) ||
            !(m.inv_inertia[0].y > 0))
            return false;
        const float mass = 1 / m.inv_mass;
        const Mat3 inertia = inverse_of(m.inv_inertia);
        Vec3 pulls[load_terms];
        load_columns(bodies_[body].pose_in_mover.position, pulls);
        for (int k = 0; k < load_terms; ++k)
        {
            const Vec3 turn = k < 3 || k > 5 ? Vec3{} : -(k == 3 ? inertia.x : k == 4 ? inertia.y : inertia.z);
            n.right[k] = wrench(pulls[k] * mass, turn, m.radius);
        }
        n.right[load_terms] = wrench(m.outer + m.spring, m.turn_outer + m.turn_spring, m.radius);
    }
    return true;
}

void Springs::add_weld(int32_t index)
{
    const Weld& w = c_.welds[index];
    const Vec3 axes[3] = {w.normal, w.tangent, second_tangent(w)};
    links_.push_back({.first = int(points_.size()), .count = w.count});
    for (int i = 0; i < w.count; ++i)
    {
        Point& p = points_.emplace_back();
        p.weld = index;
        p.link = int(links_.size()) - 1;
        p.friction = w.friction;
        p.only_presses = w.friction >= 0 && !w.is_rod;
        p.most = double(w.most);
        for (int side = 0; side < 2; ++side)
        {
            const int32_t m = side == 0 ? w.a : w.b;
            if (m == none || c_.bodies[m].level == 0)
                continue;
            p.body[side] = c_.bodies[m].slot;
            const Vec3 arm = side == 0 ? w.points[i].arm_a : w.points[i].arm_b;
            const float sign = side == 0 ? -1.0f : 1.0f;
            for (int k = 0; k < 3; ++k)
                p.rows[k].pull[side] = wrench(axes[k] * sign, cross(arm, axes[k]) * sign, c_.bodies[m].radius);
        }
    }
}

double Springs::likely_work() const
{
    double pairs = 0;
    for (int32_t body : collection_.members)
    {
        int32_t last = none; // welds of two bodies mostly follow each other
        for_each_weld(c_, c_.merged(body), [&](int32_t i) {
            const Weld& w = c_.welds[i];
            const int32_t other = c_.merged(body) == w.b ? w.a : w.b;
            if (other != none && other != last && c_.bodies[other].level > 0)
                pairs += 0.5;
            last = other;
        });
    }
    return SparseBlocks::likely_cost(double(collection_.members.size()), pairs);
}

bool Springs::prepare()
{
    if (collection_.members.size() > size_t(most_bodies) || !add_nodes())
        return false;
    const int32_t own = c_.bodies[nodes_[0].merged].collection;
    bool is_alone = true; // another collection on the same carrier may press against it
    for (const Node& n : nodes_)
        for_each_weld(c_, n.merged, [&](int32_t i) {
            const Weld& w = c_.welds[i];
            for (int32_t m : {w.a, w.b})
                is_alone &= m == none || c_.bodies[m].collection == own;
            // Each once: from its second side, or from the only one it has.
            if (is_alone && (w.b == n.merged || w.b == none))
                add_weld(i);
        });
    if (!is_alone)
        return false;
    std::pmr::vector<std::pmr::vector<int>> neighbours(nodes_.size(), memory_);
    for (const Point& p : points_)
        if (p.body[0] >= 0 && p.body[1] >= 0)
        {
            neighbours[size_t(p.body[0])].push_back(p.body[1]);
            neighbours[size_t(p.body[1])].push_back(p.body[0]);
        }
    matrix_.set_structure(std::move(neighbours));
    return matrix_.cost() < most_work;
}

void Springs::renew(Link& link)
{
    constexpr double products = 3 * 3 * 36; // of a point: two bodies and across, three rows
    work_done_ += products * link.count;
    link.own[0].fill(0), link.own[1].fill(0), link.across.fill(0);
    link.has_changed = false;
    for (Point& p : std::span(points_).subspan(size_t(link.first), size_t(link.count)))
        for (int k = 0; k < 3; ++k)
        {
            Row& row = p.rows[k];
            row.stiffness = !p.is_pressed ? 0 : k == 0 ? p.hold : p.grip;
            if (row.stiffness == 0)
                continue;
            for (int side = 0; side < 2; ++side)
                if (p.body[side] >= 0)
                    SparseBlocks::add_product(row.pull[side], row.pull[side], row.stiffness, link.own[side]);
            if (p.body[0] >= 0 && p.body[1] >= 0)
                SparseBlocks::add_product(row.pull[0], row.pull[1], row.stiffness, link.across);
        }
}

void Springs::assemble()
{
    matrix_.clear();
    for (Link& link : links_)
    {
        if (link.has_changed)
            renew(link);
        const int(&body)[2] = points_[size_t(link.first)].body;
        for (int side = 0; side < 2; ++side)
            if (body[side] >= 0)
                matrix_.add(body[side], body[side], link.own[side]);
        if (body[0] >= 0 && body[1] >= 0)
            matrix_.add(body[0], body[1], link.across);
    }
    matrix_.factor();
    work_done_ += matrix_.cost();
}

double Springs::stretch(const Point& p, const Row& row) const
{
    double sum = 0;
    for (int side = 0; side < 2; ++side)
        if (p.body[side] >= 0)
            for (size_t k = 0; k < 6; ++k)
                sum += row.pull[side][k] * x_[6 * size_t(p.body[side]) + k];
    return sum;
}

void Springs::measure_pressed()
{
    for (Node& n : nodes_)
        n.pressed = n.points = 0;
    for (const Point& p : points_)
        if (p.is_pressed && p.only_presses)
            for (int body : p.body)
                if (body >= 0)
                {
                    nodes_[size_t(body)].pressed += std::max(-stretch(p, p.rows[0]), 0.0);
                    ++nodes_[size_t(body)].points;
                }
    for (Node& n : nodes_)
        n.pressed /= std::max(n.points, 1);
}

// Who would pull does not press; who is pressed too little for its friction holds less. True if anything has changed.
bool Springs::change_pressed(int round, const Comfort& comfort)
{
    bool has_changed = false;
    measure_pressed();
    for (Point& p : points_)
    {
        if (!p.only_presses && !(p.most < infinity))
            continue;
        const double normal = -p.hold * stretch(p, p.rows[0]);
        if (!std::isfinite(normal))
            return true;
        if (std::fabs(normal) > comfort.full * p.most) // a motor leaves it to others, if there are any
        {
            p.hold *= 0.8 * comfort.full * p.most / std::fabs(normal);
            has_changed = links_[size_t(p.link)].has_changed = true;
        }
        if (!p.only_presses)
            continue;
        double mean = infinity;
        for (int body : p.body)
            if (body >= 0)
                mean = std::min(mean, nodes_[size_t(body)].pressed);
        const double least = comfort.least * mean;
        if (p.is_pressed ? normal < least : normal > 2 * least && normal > 0 && round < patient_rounds)
        {
            p.is_pressed = !p.is_pressed;
            has_changed = links_[size_t(p.link)].has_changed = true;
        }
        if (!p.is_pressed || !(p.grip > 0))
            continue;
        const double rubs = p.grip * std::hypot(stretch(p, p.rows[1]), stretch(p, p.rows[2]));
        const double most = comfort.full * double(p.friction) * std::max(normal, 0.0);
        if (rubs <= most)
            continue;
        p.grip *= 0.8 * most / rubs;
        has_changed = links_[size_t(p.link)].has_changed = true;
    }
    return has_changed;
}

double Springs::acceleration_by(const Node& n, const double* force) const
{
    if (n.is_fixed)
        return 0;
    const MergedBody& m = c_.bodies[n.merged];
    const Vec3 linear{float(force[0]), float(force[1]), float(force[2])};
    const Vec3 turn{float(force[3]), float(force[4]), float(force[5])};
    return double(length(linear) * m.inv_mass + length(turn_by(m, turn * m.radius)) * m.radius);
}

// Forces for each term of the load. False if they leave too much over.
bool Springs::solve_columns()
{
    std::pmr::vector<double> all_left(6 * nodes_.size(), 0, memory_), left(6 * nodes_.size(), memory_);
    missed_ = {};
    for (int column = 0; column < columns; ++column)
    {
        for (size_t i = 0; i < nodes_.size(); ++i)
            std::ranges::copy(nodes_[i].right[column], left.begin() + ptrdiff_t(6 * i));
        x_ = left;
        matrix_.solve(x_);
        for (Point& p : points_)
            for (Row& row : p.rows)
            {
                const double force = row.stiffness == 0 ? 0 : -row.stiffness * stretch(p, row);
                row.force[column] = force;
                for (int side = 0; side < 2; ++side)
                    if (p.body[side] >= 0)
                        for (size_t d = 0; d < 6; ++d)
                            left[6 * size_t(p.body[side]) + d] += row.pull[side][d] * force;
            }
        for (size_t i = 0; i < left.size(); ++i)
            all_left[i] += share_of(column) * left[i];
        if (column < load_terms)
            for (size_t i = 0; i < nodes_.size(); ++i)
                missed_[size_t(column)] = std::max(missed_[size_t(column)],
                                                   float(acceleration_by(nodes_[i], left.data() + 6 * i)));
    }
    for (size_t i = 0; i < nodes_.size(); ++i)
        if (!(acceleration_by(nodes_[i], all_left.data() + 6 * i) <= 0.5 * double(limits_.rest)))
            return false;
    return true;
}

bool Springs::try_with(const Comfort& comfort)
{
    for (Point& p : points_)
    {
        p.is_pressed = true;
        p.hold = 1;
        p.grip = p.friction < 0 ? 1.0 : double(std::min(p.friction, 1.0f));
    }
    for (Link& link : links_)
        link.has_changed = true;
    for (int round = 0; round < comfort.rounds; ++round)
    {
        assemble();
        x_.assign(6 * nodes_.size(), 0);
        for (size_t i = 0; i < nodes_.size(); ++i)
            for (int column = 0; column < columns; ++column)
                for (size_t k = 0; k < 6; ++k)
                    x_[6 * i + k] += share_of(column) * nodes_[i].right[column][k];
        matrix_.solve(x_);
        if (!change_pressed(round, comfort))
            return solve_columns();
    }
    return false;
}

void Springs::store()
{
    Response& out = collection_.response;
    out.welds.clear();
    out.points.assign(points_.size(), {});
    out.missed = missed_;
    for (size_t i = 0, in_weld = 0; i < points_.size(); ++i)
    {
        Weld& w = c_.welds[points_[i].weld];
        in_weld = i > 0 && points_[i].weld == points_[i - 1].weld ? in_weld + 1 : 0;
        if (in_weld == 0)
            out.welds.push_back(points_[i].weld);
        for (size_t k = 0; k < 3; ++k)
        {
            double force = 0;
            for (int column = 0; column < columns; ++column)
                force += points_[i].rows[k].force[column] * share_of(column);
            for (size_t column = 0; column < load_terms; ++column)
                out.points[i].change[k][column] = float(points_[i].rows[k].force[column]);
            w.points[in_weld].force[k] = float(force);
        }
    }
    for (const Node& n : nodes_)
    {
        MergedBody& m = c_.bodies[n.merged];
        m.trim = m.turn_trim = {};
        sum_forces(c_, m);
    }
}

} // namespace

ResponseSearch find_response(const Bodies& bodies, const ProbeLimits& limits, double affordable, int32_t collection,
                             Collections& c)
{
    Springs springs(bodies, limits, collection, c);
    if (const double work = springs.likely_work(); work > affordable)
        return {.is_too_much = true, .work = work};
    if (!springs.prepare())
        return {};
    if (springs.work() > affordable)
        return {.is_too_much = true, .work = springs.work()};
    if (!springs.find())
        return {.work = springs.work_done()};
    springs.store();
    return {.is_found = true, .work = springs.work_done()};
}

} // namespace moraine
