#include "response/fem.h"

#include <Eigen/Dense>
#include <metis.h>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace moraine
{

namespace
{

using ShapeMatrix = Eigen::Matrix<double, 10, 10>;
using Gradients = Eigen::Matrix<double, 3, 10>;

// ∫ L0^a L1^b L2^c L3^d over a tetrahedron of volume 1 is 6 a! b! c! d! / (a + b + c + d + 3)!.
double integral(const std::array<int, 4>& exponents)
{
    static constexpr double factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040};
    double value = 6;
    int sum = 3;
    for (const int e : exponents)
        value *= factorial[e], sum += e;
    return value / factorial[sum];
}

struct Monomial
{
    double factor = 0;
    std::array<int, 4> exponents{};
};

std::vector<Monomial> shape_polynomial(size_t i)
{
    std::array<int, 4> one{}, two{};
    if (i < 4)
    {
        one[i] = 1, two[i] = 2;
        return {{2, two}, {-1, one}};
    }
    two[size_t(tet_edges[i - 4][0])] = two[size_t(tet_edges[i - 4][1])] = 1;
    return {{4, two}};
}

// ∫ N_i N_j for volume 1.
ShapeMatrix unit_mass()
{
    ShapeMatrix m;
    for (size_t i = 0; i < 10; ++i)
        for (size_t j = 0; j < 10; ++j)
        {
            double sum = 0;
            for (const Monomial& a : shape_polynomial(i))
                for (const Monomial& b : shape_polynomial(j))
                {
                    std::array<int, 4> e{};
                    for (size_t k = 0; k < 4; ++k)
                        e[k] = a.exponents[k] + b.exponents[k];
                    sum += a.factor * b.factor * integral(e);
                }
            m(Eigen::Index(i), Eigen::Index(j)) = sum;
        }
    return m;
}

Eigen::Vector3d to_eigen(DVec3 v) { return {v.x, v.y, v.z}; }

// Gradients of the four barycentric coordinates, and the volume.
double barycentric_gradients(const QuadraticMesh& mesh, const std::array<int, 10>& tet, Eigen::Matrix<double, 3, 4>& g)
{
    Eigen::Matrix3d edges;
    const Eigen::Vector3d origin = to_eigen(mesh.nodes[size_t(tet[0])]);
    for (int k = 0; k < 3; ++k)
        edges.col(k) = to_eigen(mesh.nodes[size_t(tet[size_t(k) + 1])]) - origin;
    g.rightCols<3>() = edges.inverse().transpose();
    g.col(0) = -g.rightCols<3>().rowwise().sum();
    return std::fabs(edges.determinant()) / 6;
}

Gradients shape_gradients(const Eigen::Matrix<double, 3, 4>& g, const std::array<double, 4>& w)
{
    Gradients d;
    for (int i = 0; i < 4; ++i)
        d.col(i) = (4 * w[size_t(i)] - 1) * g.col(i);
    for (size_t e = 0; e < 6; ++e)
    {
        const auto [a, b] = tet_edges[e];
        d.col(Eigen::Index(4 + e)) = 4 * (w[size_t(a)] * g.col(b) + w[size_t(b)] * g.col(a));
    }
    return d;
}

// Σ over four points, which is exact as the integrand is quadratic: λ a bᵀ + μ b aᵀ + μ (a·b) 1 for each pair of nodes.
void element_stiffness(const Eigen::Matrix<double, 3, 4>& g, double volume, double lambda, double mu,
                       Eigen::Matrix<double, 30, 30>& k)
{
    constexpr double far = 0.1381966011250105, near = 0.5854101966249685;
    k.setZero();
    for (size_t q = 0; q < 4; ++q)
    {
        std::array<double, 4> w{far, far, far, far};
        w[q] = near;
        const Gradients d = shape_gradients(g, w);
        for (int i = 0; i < 10; ++i)
            for (int j = 0; j <= i; ++j)
            {
                Eigen::Matrix3d block = lambda * d.col(i) * d.col(j).transpose() + mu * d.col(j) * d.col(i).transpose();
                block.diagonal().array() += mu * d.col(i).dot(d.col(j));
                k.block<3, 3>(3 * i, 3 * j) += 0.25 * volume * block;
            }
    }
}

// Which nodes share a tetrahedron.
struct Graph
{
    std::vector<idx_t> begins{0}, neighbours{};
};

Graph node_graph(const QuadraticMesh& mesh, const std::vector<int>& compact, int count)
{
    std::vector<std::vector<idx_t>> lists(static_cast<size_t>(count));
    for (const auto& tet : mesh.tets)
        for (const int a : tet)
            for (const int b : tet)
                if (a != b && compact[size_t(a)] >= 0 && compact[size_t(b)] >= 0)
                    lists[size_t(compact[size_t(a)])].push_back(compact[size_t(b)]);
    Graph graph;
    for (auto& list : lists)
    {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        graph.neighbours.insert(graph.neighbours.end(), list.begin(), list.end());
        graph.begins.push_back(idx_t(graph.neighbours.size()));
    }
    return graph;
}

// Nodes, not unknowns, are ordered: the graph is nine times smaller and the three of a node stay together.
std::vector<int> dissection_order(const QuadraticMesh& mesh, const std::vector<bool>& is_held)
{
    std::vector<int> place(mesh.nodes.size(), -1);
    int count = 0;
    for (size_t i = 0; i < mesh.nodes.size(); ++i)
        if (!is_held[i])
            place[i] = count++;
    if (count == 0)
        return place;
    Graph graph = node_graph(mesh, place, count);
    std::vector<idx_t> order(static_cast<size_t>(count)), position(static_cast<size_t>(count));
    idx_t n = count;
    // METIS draws from the one sequence of rand(): two models made at the same time would each get another order.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (METIS_NodeND(&n, graph.begins.data(), graph.neighbours.data(), nullptr, options, order.data(),
                     position.data()) != METIS_OK)
        return place;
    for (int& p : place)
        if (p >= 0)
            p = int(position[size_t(p)]);
    return place;
}

class Assembler
{
public:
    explicit Assembler(FemSystem& system) : system_(system) {}

    void add(const std::array<int, 10>& tet, const Eigen::Matrix<double, 30, 30>& stiffness, const ShapeMatrix& mass)
    {
        for (int i = 0; i < 10; ++i)
            for (int j = 0; j <= i; ++j)
            {
                const int a = system_.place[size_t(tet[size_t(i)])], b = system_.place[size_t(tet[size_t(j)])];
                if (a < 0 || b < 0)
                    continue;
                for (int r = 0; r < 3; ++r)
                {
                    mass_.emplace_back(3 * std::max(a, b) + r, 3 * std::min(a, b) + r, mass(i, j));
                    for (int c = 0; c < 3; ++c)
                        if (a != b || c <= r)
                            add_stiffness(3 * a + r, 3 * b + c, stiffness(3 * i + r, 3 * j + c));
                }
            }
    }
    void finish()
    {
        int count = 0;
        for (const int p : system_.place)
            count += p >= 0;
        system_.mass.resize(3 * count, 3 * count);
        system_.mass.setFromTriplets(mass_.begin(), mass_.end());
        system_.stiffness.resize(3 * count, 3 * count);
        system_.stiffness.setFromTriplets(stiffness_.begin(), stiffness_.end());
    }

private:
    void add_stiffness(int row, int column, double value)
    {
        stiffness_.emplace_back(std::max(row, column), std::min(row, column), value);
    }

    FemSystem& system_;
    std::vector<Eigen::Triplet<double>> mass_{}, stiffness_{};
};

} // namespace

FemSystem assemble(const QuadraticMesh& mesh, const ElasticMaterial& material, const std::vector<bool>& is_held)
{
    static const ShapeMatrix reference = unit_mass();
    const double lambda = material.young * material.poisson / ((1 + material.poisson) * (1 - 2 * material.poisson));
    const double mu = material.young / (2 * (1 + material.poisson));
    FemSystem system;
    system.place = dissection_order(mesh, is_held);
    Assembler assembler(system);
    Eigen::Matrix<double, 30, 30> stiffness;
    Eigen::Matrix<double, 3, 4> gradients;
    for (size_t t = 0; t < mesh.tets.size(); ++t)
    {
        const double fill = mesh.fill.empty() ? 1.0 : double(mesh.fill[t]);
        const double volume = fill * barycentric_gradients(mesh, mesh.tets[t], gradients);
        element_stiffness(gradients, volume, lambda, mu, stiffness);
        assembler.add(mesh.tets[t], stiffness, material.density * volume * reference);
        system.total_mass += material.density * volume;
    }
    assembler.finish();
    return system;
}

} // namespace moraine
