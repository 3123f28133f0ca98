// Quickhull on an integer grid. Coordinates are rounded to 24 bits relative to the cloud's size, so that the side of a
// plane on which a point lies is decided exactly and the surface can never tear, whatever the input. Distances, which
// only choose the next point, are double.
#include "geometry/hull_builder.h"

#include <algorithm>
#include <optional>

namespace moraine
{

namespace
{

__extension__ typedef __int128 Int128;

constexpr double grid_half_size = 8388608; // 2^23
constexpr int32_t none = -1;

struct Face
{
    int32_t points[3];
    int32_t across[3]; // the face beyond the edge from point i to point i + 1
    DVec3 normal{};    // integers, exact; not unit
    double inverse_length = 0;
    int32_t first_outside = none; // list of points that see this face
    int32_t furthest = none;
    double furthest_distance = 0;
    bool is_live = true;
    bool is_visible = false;
};

struct HorizonEdge
{
    int32_t from, to; // seen from the visible side
    int32_t beyond;   // the face that stays
};

DVec3 cross(DVec3 a, DVec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

class Quickhull
{
public:
    explicit Quickhull(std::span<const Vec3> points) : input_(points) {}

    Result<HullTriangles> run();

private:
    std::optional<Error> place_on_grid();
    std::optional<Error> make_simplex();
    void add_simplex_faces(const int32_t (&corners)[4]);
    int32_t add_face(int32_t a, int32_t b, int32_t c);
    double distance(const Face& face, int32_t point) const;
    bool is_above(const Face& face, int32_t point) const;
    void hand_out(int32_t first, std::span<const int32_t> faces);
    int32_t furthest_face() const;
    bool drop_near_corners(Face& face);
    bool add_point(int32_t face, int32_t eye);
    bool find_horizon(int32_t face, int32_t eye);
    int corner_count() const { return int(live_.size()) / 2 + 2; } // Euler, all faces triangles
    HullTriangles result() const;

    std::span<const Vec3> input_;
    std::vector<DVec3> grid_; // integers
    std::vector<int32_t> next_outside_;
    std::vector<Face> faces_;
    std::vector<int32_t> live_;
    std::vector<int32_t> visible_;
    std::vector<HorizonEdge> horizon_;
    double unit_ = 1;                             // metres of one grid step
    double noise_ = 0, weld_ = 0, thickness_ = 0; // in grid steps
};

std::optional<Error> Quickhull::place_on_grid()
{
    if (input_.size() < 4)
        return Error{"a hull needs at least four points: give more, or use another shape"};
    if (input_.size() > 100'000'000)
        return Error{"a hull of more than 100 million points is not supported: thin the points out first"};
    Aabb bounds;
    for (const Vec3& p : input_)
    {
        if (!is_finite(p))
            return Error{"hull point is not finite: remove NaN and infinite coordinates"};
        bounds = merge(bounds, {p, p});
    }
    const DVec3 lower = bounds.lower, upper = bounds.upper;
    const DVec3 middle = (lower + upper) * 0.5;
    const double extent = std::max({upper.x - lower.x, upper.y - lower.y, upper.z - lower.z});
    if (!(extent > 0))
        return Error{"all hull points are the same: give at least four that are not in one plane"};
    if (!(extent > 1e-9 && extent < 1e9))
        return Error{"hull is too small or too large: check the units (metres)"};

    unit_ = 0.5 * extent / grid_half_size;
    grid_.reserve(input_.size());
    for (const Vec3& p : input_)
    {
        const DVec3 q = (DVec3(p) - middle) * (1.0 / unit_);
        grid_.emplace_back(std::nearbyint(q.x), std::nearbyint(q.y), std::nearbyint(q.z));
    }
    // Far from its origin a float has fewer digits left for the shape.
    const Vec3 reach = max(abs(bounds.lower), abs(bounds.upper));
    noise_ = 1e-6 * 2 * grid_half_size + 4 * double(max_component(reach)) / extent;
    weld_ = 10 * noise_;
    thickness_ = 40 * noise_;
    return std::nullopt;
}

int32_t Quickhull::add_face(int32_t a, int32_t b, int32_t c)
{
    Face face;
    face.points[0] = a;
    face.points[1] = b;
    face.points[2] = c;
    // Differences have 25 bits and their products 50: nothing is rounded here.
    face.normal = cross(grid_[b] - grid_[a], grid_[c] - grid_[a]);
    face.inverse_length = 1.0 / length(face.normal);
    faces_.push_back(face);
    live_.push_back(int32_t(faces_.size()) - 1);
    return live_.back();
}

double Quickhull::distance(const Face& face, int32_t point) const
{
    return dot(face.normal, grid_[point] - grid_[face.points[0]]) * face.inverse_length;
}

// Strictly above the plane. The rounding error of the sum is below 2^24 grid steps cubed; closer to the plane the sum
// is repeated in integers.
bool Quickhull::is_above(const Face& face, int32_t point) const
{
    const DVec3 d = grid_[point] - grid_[face.points[0]];
    const double sum = dot(face.normal, d);
    if (std::fabs(sum) > 16777216.0)
        return sum > 0;
    const auto product = [](double a, double b) { return Int128(int64_t(a)) * Int128(int64_t(b)); };
    return product(face.normal.x, d.x) + product(face.normal.y, d.y) + product(face.normal.z, d.z) > 0;
}

// The two extreme points that are furthest apart, the point furthest from their line, the one furthest from the plane.
std::optional<Error> Quickhull::make_simplex()
{
    const int32_t count = int32_t(grid_.size());
    int32_t extremes[6] = {};
    for (int32_t i = 1; i < count; ++i)
    {
        const DVec3 p = grid_[i];
        extremes[0] = p.x < grid_[extremes[0]].x ? i : extremes[0];
        extremes[1] = p.x > grid_[extremes[1]].x ? i : extremes[1];
        extremes[2] = p.y < grid_[extremes[2]].y ? i : extremes[2];
        extremes[3] = p.y > grid_[extremes[3]].y ? i : extremes[3];
        extremes[4] = p.z < grid_[extremes[4]].z ? i : extremes[4];
        extremes[5] = p.z > grid_[extremes[5]].z ? i : extremes[5];
    }
    int32_t corners[4] = {extremes[0], extremes[1], 0, 0};
    for (const int32_t i : extremes)
        for (const int32_t j : extremes)
            if (length(grid_[j] - grid_[i]) > length(grid_[corners[1]] - grid_[corners[0]]))
            {
                corners[0] = i;
                corners[1] = j;
            }

    const DVec3 origin = grid_[corners[0]];
    const DVec3 along = grid_[corners[1]] - origin;
    const auto furthest = [&](auto&& measure) {
        int32_t best = 0;
        double best_value = -1;
        for (int32_t i = 0; i < count; ++i)
            if (const double value = measure(grid_[i] - origin); value > best_value)
            {
                best_value = value;
                best = i;
            }
        return std::pair(best, best_value);
    };
    const auto [third, line_area] = furthest([&](DVec3 d) { return length(cross(along, d)); });
    if (!(line_area / length(along) > thickness_))
        return Error{"hull points lie on one line: give at least four that are not in one plane"};
    corners[2] = third;
    const DVec3 normal = cross(along, grid_[third] - origin);
    const auto [fourth, volume] = furthest([&](DVec3 d) { return std::fabs(dot(normal, d)); });
    if (!(volume / length(normal) > thickness_))
        return Error{"hull points lie in one plane: give the shape some thickness, or use a mesh"};
    corners[3] = fourth;
    add_simplex_faces(corners);
    return std::nullopt;
}

void Quickhull::add_simplex_faces(const int32_t (&corners)[4])
{
    const int32_t a = corners[0], d = corners[3];
    int32_t b = corners[1], c = corners[2];
    const DVec3 normal = cross(grid_[b] - grid_[a], grid_[c] - grid_[a]);
    if (dot(normal, grid_[d] - grid_[a]) > 0)
        std::swap(b, c);
    // d is below the face a b c.
    const int32_t base = add_face(a, b, c);
    const int32_t ab = add_face(b, a, d), bc = add_face(c, b, d), ca = add_face(a, c, d);
    const int32_t links[4][3] = {{ab, bc, ca}, {base, ca, bc}, {base, ab, ca}, {base, bc, ab}};
    for (int face = 0; face < 4; ++face)
        for (int edge = 0; edge < 3; ++edge)
            faces_[face].across[edge] = links[face][edge];

    next_outside_.resize(grid_.size());
    for (size_t i = 0; i + 1 < grid_.size(); ++i)
        next_outside_[i] = int32_t(i) + 1;
    next_outside_.back() = none;
    const int32_t all[4] = {base, ab, bc, ca};
    hand_out(0, all);
}

// Gives each point of a list to the face that it is furthest above; points above none are inside for good.
void Quickhull::hand_out(int32_t first, std::span<const int32_t> faces)
{
    for (int32_t point = first; point != none;)
    {
        const int32_t next = next_outside_[point];
        double best_distance = noise_;
        int32_t best = none;
        for (const int32_t face : faces)
            if (const double d = distance(faces_[face], point); d > best_distance)
            {
                best_distance = d;
                best = face;
            }
        if (best != none)
        {
            Face& face = faces_[best];
            next_outside_[point] = face.first_outside;
            face.first_outside = point;
            if (best_distance > face.furthest_distance)
            {
                face.furthest_distance = best_distance;
                face.furthest = point;
            }
        }
        point = next;
    }
}

int32_t Quickhull::furthest_face() const
{
    int32_t best = none;
    double best_distance = 0;
    for (const int32_t index : live_)
        if (faces_[index].furthest_distance > best_distance)
        {
            best_distance = faces_[index].furthest_distance;
            best = index;
        }
    return best;
}

// If the next point of the face is as good as an existing corner, drops it and all others near that corner.
bool Quickhull::drop_near_corners(Face& face)
{
    const DVec3 eye = grid_[face.furthest];
    int32_t near_corner = none;
    for (const int32_t index : live_)
        for (const int32_t point : faces_[index].points)
            if (length(grid_[point] - eye) < weld_)
                near_corner = point;
    if (near_corner == none)
        return false;

    int32_t point = face.first_outside;
    face.first_outside = none;
    face.furthest = none;
    face.furthest_distance = 0;
    while (point != none)
    {
        const int32_t next = next_outside_[point];
        if (length(grid_[point] - grid_[near_corner]) >= weld_)
        {
            next_outside_[point] = face.first_outside;
            face.first_outside = point;
            if (const double d = distance(face, point); d > face.furthest_distance)
            {
                face.furthest_distance = d;
                face.furthest = point;
            }
        }
        point = next;
    }
    return true;
}

// Fills `visible_` with the faces that see the eye and `horizon_` with the loop around them, in order.
bool Quickhull::find_horizon(int32_t face, int32_t eye)
{
    visible_.assign(1, face);
    horizon_.clear();
    faces_[face].is_visible = true;
    for (size_t i = 0; i < visible_.size(); ++i)
    {
        for (int edge = 0; edge < 3; ++edge)
        {
            const Face& from = faces_[visible_[i]];
            const int32_t beyond = from.across[edge];
            if (faces_[beyond].is_visible)
                continue;
            if (is_above(faces_[beyond], eye))
            {
                faces_[beyond].is_visible = true;
                visible_.push_back(beyond);
            }
            else
                horizon_.push_back({from.points[edge], from.points[(edge + 1) % 3], beyond});
        }
    }
    for (size_t i = 0; i + 1 < horizon_.size(); ++i)
    {
        const auto follows = [&](const HorizonEdge& edge) { return edge.from == horizon_[i].to; };
        const auto found = std::find_if(horizon_.begin() + ptrdiff_t(i) + 1, horizon_.end(), follows);
        if (found == horizon_.end())
            return false;
        std::swap(horizon_[i + 1], *found);
    }
    return horizon_.size() >= 3 && horizon_.back().to == horizon_.front().from;
}

// Replaces the visible faces by a cone from the horizon to the eye.
bool Quickhull::add_point(int32_t face, int32_t eye)
{
    if (!find_horizon(face, eye))
        return false;
    for (const int32_t index : visible_)
        faces_[index].is_live = false;
    std::erase_if(live_, [this](int32_t index) { return !faces_[index].is_live; });

    const size_t first_new = live_.size();
    for (const HorizonEdge& edge : horizon_)
    {
        const int32_t index = add_face(edge.from, edge.to, eye);
        faces_[index].across[0] = edge.beyond;
        Face& beyond = faces_[edge.beyond];
        for (int i = 0; i < 3; ++i)
            if (beyond.points[i] == edge.to && beyond.points[(i + 1) % 3] == edge.from)
                beyond.across[i] = index;
    }
    const std::span<const int32_t> cone = std::span(live_).subspan(first_new);
    for (size_t i = 0; i < cone.size(); ++i)
    {
        const size_t next = i + 1 < cone.size() ? i + 1 : 0;
        faces_[cone[i]].across[1] = cone[next];
        faces_[cone[next]].across[2] = cone[i];
    }
    for (const int32_t index : visible_)
        hand_out(faces_[index].first_outside, cone);
    return true;
}

HullTriangles Quickhull::result() const
{
    HullTriangles out;
    out.tolerance = {noise_ * unit_, weld_ * unit_, 1e-4 * 2 * grid_half_size * unit_, thickness_ * unit_};
    out.tolerance.flat = std::max(out.tolerance.flat, out.tolerance.weld);
    out.holds_all_points = furthest_face() == none;
    for (const int32_t index : live_)
        out.points.insert(out.points.end(), std::begin(faces_[index].points), std::end(faces_[index].points));
    std::sort(out.points.begin(), out.points.end());
    out.points.erase(std::unique(out.points.begin(), out.points.end()), out.points.end());
    const auto number_of = [&](int32_t point) {
        return int32_t(std::lower_bound(out.points.begin(), out.points.end(), point) - out.points.begin());
    };
    for (const int32_t index : live_)
    {
        const Face& face = faces_[index];
        out.triangles.push_back({number_of(face.points[0]), number_of(face.points[1]), number_of(face.points[2])});
    }
    return out;
}

Result<HullTriangles> Quickhull::run()
{
    if (const std::optional<Error> error = place_on_grid())
        return *error;
    if (const std::optional<Error> error = make_simplex())
        return *error;
    while (corner_count() < max_hull_corners)
    {
        const int32_t face = furthest_face();
        if (face == none)
            break;
        if (drop_near_corners(faces_[face]))
            continue;
        if (!add_point(face, faces_[face].furthest))
            return Error{"hull could not be built: its points are numerically degenerate; simplify or scale them"};
    }
    return result();
}

} // namespace

Result<HullTriangles> find_hull_triangles(std::span<const Vec3> points) { return Quickhull(points).run(); }

} // namespace moraine
