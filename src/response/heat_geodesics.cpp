#include "response/heat_geodesics.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <mutex>
#include <numeric>
#include <unordered_map>

namespace moraine
{

namespace
{

using SparseMatrix = Eigen::SparseMatrix<double>;
using Factor = Eigen::SimplicialLDLT<SparseMatrix>;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double least_excess = 1e-4; // of two sides over the third, in mean edge lengths

// A triangle by its edge lengths: side k lies opposite corner k.
struct FlatTriangle
{
    std::array<double, 3> sides{};
    std::array<double, 3> cotangents{}; // of the angle at each corner
    double area = 0;
};

void measure(FlatTriangle& t)
{
    const auto [a, b, c] = t.sides;
    const double s = 0.5 * (a + b + c);
    t.area = std::sqrt(std::max(s * (s - a) * (s - b) * (s - c), 0.0));
    for (size_t k = 0; k < 3; ++k)
    {
        const double opposite = t.sides[k], u = t.sides[(k + 1) % 3], v = t.sides[(k + 2) % 3];
        t.cotangents[k] = (u * u + v * v - opposite * opposite) / (4 * t.area);
    }
}

std::vector<FlatTriangle> flatten(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles)
{
    std::vector<FlatTriangle> flat(triangles.size());
    double sum = 0;
    for (size_t i = 0; i < triangles.size(); ++i)
        for (size_t k = 0; k < 3; ++k)
        {
            const DVec3 p = vertices[triangles[i][(k + 1) % 3]], q = vertices[triangles[i][(k + 2) % 3]];
            sum += flat[i].sides[k] = length(p - q);
        }
    const double mean = sum / (3 * double(triangles.size()));
    double longer = 0; // added to all sides, so that triangles that share one still agree
    for (const FlatTriangle& t : flat)
        for (size_t k = 0; k < 3; ++k)
            longer = std::max(longer, least_excess * mean + t.sides[k] - t.sides[(k + 1) % 3] - t.sides[(k + 2) % 3]);
    for (FlatTriangle& t : flat)
    {
        for (double& side : t.sides)
            side += longer;
        measure(t);
    }
    return flat;
}

std::vector<int> label_parts(size_t vertex_count, const std::vector<Triangle>& triangles)
{
    std::vector<int> parent(vertex_count);
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int i) {
        while (parent[size_t(i)] != i)
            i = parent[size_t(i)] = parent[size_t(parent[size_t(i)])];
        return i;
    };
    for (const Triangle& t : triangles)
        for (size_t k = 1; k < 3; ++k)
        {
            const int a = root(int(t[0])), b = root(int(t[k]));
            parent[size_t(std::max(a, b))] = std::min(a, b);
        }
    for (size_t i = 0; i < vertex_count; ++i)
        parent[i] = root(int(i));
    return parent;
}

class HeatGeodesics final : public Geodesics
{
public:
    HeatGeodesics(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles, size_t kept)
        : vertices_(vertices),
          triangles_(triangles),
          flat_(flatten(vertices, triangles)),
          part_(label_parts(vertices.size(), triangles)),
          kept_(std::max<size_t>(kept, 1))
    {
        list_incident();
        factor();
    }

    bool is_good() const { return heat_.info() == Eigen::Success && poisson_.info() == Eigen::Success; }

    std::shared_ptr<const std::vector<float>> distances(uint32_t vertex) const override
    {
        const std::lock_guard lock(mutex_);
        const auto known = places_.find(vertex);
        if (known != places_.end())
        {
            recent_.splice(recent_.begin(), recent_, known->second);
            return recent_.front().second;
        }
        if (recent_.size() >= kept_)
        {
            places_.erase(recent_.back().first);
            recent_.pop_back();
        }
        recent_.emplace_front(vertex, std::make_shared<const std::vector<float>>(solve(vertex)));
        places_[vertex] = recent_.begin();
        return recent_.front().second;
    }

private:
    using Entry = std::pair<uint32_t, std::shared_ptr<const std::vector<float>>>;

    void list_incident()
    {
        begins_.assign(vertices_.size() + 1, 0);
        for (const Triangle& t : triangles_)
            for (const uint32_t corner : t)
                ++begins_[corner + 1];
        std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
        incident_.resize(3 * triangles_.size());
        std::vector<int> next(begins_.begin(), begins_.end() - 1);
        for (size_t i = 0; i < triangles_.size(); ++i)
            for (const uint32_t corner : triangles_[i])
                incident_[size_t(next[corner]++)] = int(i);
    }

    void factor()
    {
        const auto n = Eigen::Index(vertices_.size());
        std::vector<Eigen::Triplet<double>> entries;
        Eigen::VectorXd areas = Eigen::VectorXd::Zero(n);
        double edge_sum = 0, weight_sum = 0;
        for (size_t i = 0; i < triangles_.size(); ++i)
        {
            const FlatTriangle& t = flat_[i];
            for (size_t k = 0; k < 3; ++k)
            {
                const int a = int(triangles_[i][(k + 1) % 3]), b = int(triangles_[i][(k + 2) % 3]);
                const double w = 0.5 * t.cotangents[k];
                if (a != b)
                    entries.insert(entries.end(), {{a, a, w}, {b, b, w}, {a, b, -w}, {b, a, -w}});
                areas[Eigen::Index(triangles_[i][k])] += t.area / 3;
                edge_sum += t.sides[k] * t.area;
                weight_sum += t.area;
            }
        }
        SparseMatrix laplace(n, n);
        laplace.setFromTriplets(entries.begin(), entries.end());
        edge_ = edge_sum / weight_sum;
        const double mean_area = areas.sum() / double(n);
        SparseMatrix mass(n, n);
        mass.setIdentity();
        // A vertex that no triangle uses stays alone.
        mass.diagonal() = areas.cwiseMax(1e-9 * mean_area);
        heat_.compute(mass + edge_ * edge_ * laplace);

        // Each part's distances are known up to a constant: its first vertex is held. A source sums up to nothing, so
        // holding one does not change the answer.
        for (Eigen::Index i = 0; i < n; ++i)
            if (part_[size_t(i)] == int(i))
                laplace.coeffRef(i, i) += std::max(laplace.coeff(i, i), 1.0);
        poisson_.compute(laplace);
    }

    std::vector<float> solve(uint32_t source) const
    {
        const auto n = Eigen::Index(vertices_.size());
        Eigen::VectorXd heat = Eigen::VectorXd::Zero(n);
        heat[Eigen::Index(source)] = 1;
        heat = heat_.solve(heat).eval();
        const Eigen::VectorXd divergence = divergence_of_direction(heat, part_[source]);
        const Eigen::VectorXd potential = poisson_.solve(divergence);
        std::vector<double> found(vertices_.size(), infinite);
        const double zero = potential[Eigen::Index(source)];
        for (size_t v = 0; v < found.size(); ++v)
            if (part_[v] == part_[source])
                found[v] = std::max(potential[Eigen::Index(v)] - zero, 0.0);
        sharpen(source, found);
        std::vector<float> out(found.size());
        for (size_t v = 0; v < out.size(); ++v) // no way is shorter than the straight one
            out[v] = float(std::max(found[v], length(DVec3(vertices_[v]) - DVec3(vertices_[source]))));
        return out;
    }

    // Heat rounds off the source and leans to the boundary, by up to 4 %. It knows in which order waves arrive, though, and
    // in that order each vertex can be measured from its neighbours, exactly where the surface can be unrolled.
    void sharpen(uint32_t source, std::vector<double>& found) const
    {
        std::vector<uint32_t> order;
        for (uint32_t v = 0; v < found.size(); ++v)
            if (part_[v] == part_[source] && v != source)
                order.push_back(v);
        std::sort(order.begin(), order.end(),
                  [&](uint32_t a, uint32_t b) { return found[a] != found[b] ? found[a] < found[b] : a < b; });
        std::vector<double> measured(found.size(), infinite);
        measured[source] = 0;
        for (int round = 0; round < 2; ++round)
            for (const uint32_t v : order)
                measured[v] = measure_from_neighbours(v, source, measured, found);
        for (size_t v = 0; v < found.size(); ++v)
            if (std::isfinite(measured[v]))
                found[v] = measured[v];
        found[source] = 0;
    }

    double measure_from_neighbours(uint32_t v, uint32_t source, const std::vector<double>& measured,
                                   const std::vector<double>& found) const
    {
        double through = infinite, along = infinite; // a triangle, an edge
        double shift = 0, count = 0;                 // by which heat was wrong nearby
        for (int at = begins_[v]; at < begins_[v + 1]; ++at)
        {
            const Triangle& corners = triangles_[size_t(incident_[size_t(at)])];
            const FlatTriangle& t = flat_[size_t(incident_[size_t(at)])];
            const size_t k = corners[0] == v ? 0 : corners[1] == v ? 1 : 2;
            const uint32_t a = corners[(k + 1) % 3], b = corners[(k + 2) % 3];
            const double to_a = t.sides[(k + 2) % 3], to_b = t.sides[(k + 1) % 3];
            if (a == source || b == source)
                return a == source ? to_a : to_b;
            for (const uint32_t neighbour : {a, b})
                if (std::isfinite(measured[neighbour]))
                    shift += measured[neighbour] - found[neighbour], ++count;
            along = std::min({along, measured[a] + to_a, measured[b] + to_b});
            through = std::min(through, unrolled_distance(t.sides[k], to_a, to_b, measured[a], measured[b]));
        }
        // Behind obtuse triangles no straight way may come through one. Ways along edges are too long then, and what comes
        // through from behind is much too long: heat is better.
        const double heat = found[v] + (count > 0 ? shift / count : 0);
        return through < heat + 0.05 * heat + 0.5 * edge_ ? std::min(through, along) : std::min(along, heat);
    }

    // The source lies `from_a` and `from_b` away from the ends of an edge, on the side where the vertex is not. Infinite
    // where the straight way from it to the vertex does not cross the edge.
    static double unrolled_distance(double edge, double to_a, double to_b, double from_a, double from_b)
    {
        if (!std::isfinite(from_a + from_b) || !(edge > 0))
            return infinite;
        const double x = (edge * edge + to_a * to_a - to_b * to_b) / (2 * edge);
        const double y = std::sqrt(std::max(to_a * to_a - x * x, 0.0));
        const double source_x = (edge * edge + from_a * from_a - from_b * from_b) / (2 * edge);
        const double squared = from_a * from_a - source_x * source_x;
        if (squared < -1e-6 * edge * edge)
            return infinite;
        const double source_y = std::sqrt(std::max(squared, 0.0));
        if (!(y + source_y > 0))
            return infinite;
        const double crossing = source_x + (x - source_x) * source_y / (y + source_y);
        const double slack = 1e-6 * edge; // ways through a corner belong to both triangles there
        return crossing >= -slack && crossing <= edge + slack ? std::hypot(x - source_x, y + source_y) : infinite;
    }

    // Laid flat, with corner 0 in the origin and corner 1 on the x axis.
    static std::array<Eigen::Vector2d, 3> lay_flat(const FlatTriangle& t)
    {
        const double base = t.sides[2];
        const double height = 2 * t.area / base;
        const double along = (base * base + t.sides[1] * t.sides[1] - t.sides[0] * t.sides[0]) / (2 * base);
        return {Eigen::Vector2d(0, 0), Eigen::Vector2d(base, 0), Eigen::Vector2d(along, height)};
    }

    Eigen::VectorXd divergence_of_direction(const Eigen::VectorXd& heat, int part) const
    {
        Eigen::VectorXd divergence = Eigen::VectorXd::Zero(heat.size());
        for (size_t i = 0; i < triangles_.size(); ++i)
        {
            const Triangle& corners = triangles_[i];
            if (part_[corners[0]] != part)
                continue;
            const auto p = lay_flat(flat_[i]);
            Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
            // Far away heat underflows to nothing together: what counts is its direction only.
            double scale = 0;
            for (const uint32_t corner : corners)
                scale = std::max(scale, std::fabs(heat[Eigen::Index(corner)]));
            if (!(scale > 0))
                continue;
            for (size_t k = 0; k < 3; ++k)
            {
                const Eigen::Vector2d opposite = p[(k + 2) % 3] - p[(k + 1) % 3];
                gradient += heat[Eigen::Index(corners[k])] / scale * Eigen::Vector2d(-opposite.y(), opposite.x());
            }
            const double norm = gradient.norm();
            if (!(norm > 0))
                continue;
            gradient /= norm;
            for (size_t k = 0; k < 3; ++k)
            {
                const Eigen::Vector2d to_next = p[(k + 1) % 3] - p[k], to_last = p[(k + 2) % 3] - p[k];
                divergence[Eigen::Index(corners[k])] += 0.5 *
                                                        (flat_[i].cotangents[(k + 2) % 3] * to_next.dot(gradient) +
                                                         flat_[i].cotangents[(k + 1) % 3] * to_last.dot(gradient));
            }
        }
        return divergence;
    }

    std::vector<Vec3> vertices_;
    std::vector<Triangle> triangles_;
    std::vector<FlatTriangle> flat_;
    std::vector<int> part_;                  // the first vertex of the part that each belongs to
    std::vector<int> begins_{}, incident_{}; // triangles at each vertex
    Factor heat_{}, poisson_{};
    double edge_ = 0; // mean length
    size_t kept_;
    mutable std::mutex mutex_{};
    mutable std::list<Entry> recent_{}; // latest first
    mutable std::unordered_map<uint32_t, std::list<Entry>::iterator> places_{};
};

} // namespace

Result<std::shared_ptr<const Geodesics>> make_heat_geodesics(const std::vector<Vec3>& vertices,
                                                             const std::vector<Triangle>& triangles, size_t kept)
{
    for (const Triangle& t : triangles)
        for (const uint32_t corner : t)
            if (corner >= vertices.size())
                return Error{"a triangle refers to a vertex that does not exist"};
    for (const Vec3& v : vertices)
        if (!is_finite(v))
            return Error{"a vertex is not finite"};
    Vec3 lower, upper;
    if (triangles.empty() || !(bounding_box(vertices, lower, upper) > 0))
        return Error{"the surface has no extent: there are no distances on it"};
    const auto geodesics = std::make_shared<const HeatGeodesics>(vertices, triangles, kept);
    if (!geodesics->is_good())
        return Error{"distances along the surface could not be set up; mend its triangles"};
    return std::shared_ptr<const Geodesics>(geodesics);
}

Result<std::shared_ptr<const Geodesics>> make_geodesics(const ResponseModel& model)
{
    return make_heat_geodesics(model.vertices, model.triangles);
}

float geodesic_distance(const ResponseModel& model, const Geodesics& geodesics, const SurfacePoint& a,
                        const SurfacePoint& b)
{
    const Triangle& at_a = model.triangles[a.triangle];
    const Triangle& at_b = model.triangles[b.triangle];
    Vec3 p{}, q{};
    bool is_near = false;
    for (int i = 0; i < 3; ++i)
    {
        p += a.weights[i] * model.vertices[at_a[size_t(i)]];
        q += b.weights[i] * model.vertices[at_b[size_t(i)]];
        for (const uint32_t corner : at_b)
            is_near |= corner == at_a[size_t(i)];
    }
    const float straight = distance(p, q);
    // Interpolated distances are too long near their source, where the straight way is right.
    if (is_near)
        return straight;
    float sum = 0;
    for (int i = 0; i < 3; ++i)
    {
        if (a.weights[i] == 0)
            continue;
        const auto from = geodesics.distances(at_a[size_t(i)]);
        for (int j = 0; j < 3; ++j)
            if (b.weights[j] != 0)
                sum += a.weights[i] * b.weights[j] * (*from)[at_b[size_t(j)]];
    }
    return std::max(sum, straight);
}

} // namespace moraine
