#include "geometry/mesh.h"

#include <tuple>

namespace moraine
{

namespace
{

constexpr uint32_t max_triangles = 500'000'000; // tree nodes are counted in 31 bits

std::string mesh_problem(std::span<const Vec3> vertices, std::span<const uint32_t> indices)
{
    if (indices.empty() || vertices.empty())
        return "mesh is empty: give vertices and three indices for each triangle";
    if (indices.size() % 3 != 0)
        return "mesh has " + std::to_string(indices.size()) +
               " indices, which is not a multiple of three: give three for each triangle";
    if (indices.size() / 3 > max_triangles)
        return "mesh has more than 500 million triangles: split it";
    for (size_t i = 0; i < vertices.size(); ++i)
        if (!is_finite(vertices[i]))
            return "mesh vertex " + std::to_string(i) + " is not finite: remove NaN and infinite coordinates";
    for (size_t i = 0; i < indices.size(); ++i)
        if (indices[i] >= vertices.size())
            return "mesh triangle " + std::to_string(i / 3) + " uses vertex " + std::to_string(indices[i]) + " of " +
                   std::to_string(vertices.size()) + ": indices count from 0";
    return "";
}

// For each vertex the first one at the same place: meshes from files repeat vertices at every crease of their shading,
// but such a seam is no edge to bump into.
std::vector<uint32_t> weld(std::span<const Vec3> vertices)
{
    std::vector<uint32_t> order(vertices.size());
    for (size_t i = 0; i < order.size(); ++i)
        order[i] = uint32_t(i);
    const auto place = [&](uint32_t i) { return std::tuple(vertices[i].x, vertices[i].y, vertices[i].z); };
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return std::tuple(place(a), a) < std::tuple(place(b), b); });
    std::vector<uint32_t> first(vertices.size());
    for (size_t i = 0; i < order.size(); ++i)
        first[order[i]] = i > 0 && vertices[order[i]] == vertices[order[i - 1]] ? first[order[i - 1]] : order[i];
    return first;
}

// Too thin to have a normal that means anything.
bool is_degenerate(Vec3 a, Vec3 b, Vec3 c)
{
    const DVec3 u = DVec3(b) - DVec3(a), v = DVec3(c) - DVec3(a), w = v - u;
    const DVec3 area{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    const double longest = std::max({dot(u, u), dot(v, v), dot(w, w)});
    return !(length(area) > 1e-6 * longest);
}

Vec3 triangle_normal(Vec3 a, Vec3 b, Vec3 c)
{
    // Scaled first: the cross product of tiny edges would vanish in float.
    const Vec3 u = b - a, v = c - a;
    const float size = std::max(max_component(abs(u)), max_component(abs(v)));
    return size > 0 ? normalize(cross(u / size, v / size)) : Vec3{0, 1, 0};
}

// Convex by more than a degree. `opposite` is the far corner of the neighbour, `on_edge` any corner they share.
bool is_sharp(Vec3 normal, Vec3 neighbour_normal, Vec3 on_edge, Vec3 opposite)
{
    constexpr float cosine_of_one_degree = 0.99984770f;
    return dot(normal, neighbour_normal) < cosine_of_one_degree && dot(normal, opposite - on_edge) < 0;
}

struct EdgeUse
{
    uint32_t low, high; // welded vertices
    uint32_t place;     // 3 * triangle + edge
    bool is_forward;    // from low to high
};

std::vector<EdgeUse> sorted_edges(const Mesh& mesh, const std::vector<uint32_t>& welded)
{
    std::vector<EdgeUse> edges;
    edges.reserve(mesh.indices.size());
    for (uint32_t i = 0; i < mesh.indices.size(); ++i)
    {
        const uint32_t from = welded[mesh.indices[i]];
        const uint32_t to = welded[mesh.indices[i % 3 == 2 ? i - 2 : i + 1]];
        edges.push_back({std::min(from, to), std::max(from, to), i, from < to});
    }
    std::sort(edges.begin(), edges.end(), [](const EdgeUse& a, const EdgeUse& b) {
        return std::tie(a.low, a.high, a.place) < std::tie(b.low, b.high, b.place);
    });
    return edges;
}

void find_sharp_edges(Mesh& mesh, const std::vector<uint32_t>& welded)
{
    mesh.sharp_edges.assign(mesh.indices.size() / 3, 7);
    const std::vector<EdgeUse> edges = sorted_edges(mesh, welded);
    for (size_t first = 0; first < edges.size();)
    {
        size_t last = first + 1;
        while (last < edges.size() && edges[last].low == edges[first].low && edges[last].high == edges[first].high)
            ++last;
        const EdgeUse &a = edges[first], &b = edges[last - 1];
        // Open edges, edges of three triangles and neighbours that face opposite ways stay sharp.
        if (last - first == 2 && a.is_forward != b.is_forward)
        {
            const Triangle t = triangle_at(mesh, int32_t(a.place / 3)), u = triangle_at(mesh, int32_t(b.place / 3));
            const Vec3 opposite = u.corners[(b.place + 2) % 3];
            if (!is_sharp(t.normal, u.normal, t.corners[a.place % 3], opposite))
            {
                mesh.sharp_edges[a.place / 3] &= uint8_t(~(1u << (a.place % 3)));
                mesh.sharp_edges[b.place / 3] &= uint8_t(~(1u << (b.place % 3)));
            }
        }
        first = last;
    }
}

// The field's triangle beyond edge `edge` of triangle `half` of a cell, or none at the border.
// Half 0 is (here, far, diagonal), half 1 is (here, diagonal, beside).
int32_t triangle_across(const HeightField& field, int column, int row, int half, int edge)
{
    if ((half == 0 && edge == 2) || (half == 1 && edge == 0))
        return 2 * (row * (field.columns - 1) + column) + 1 - half;
    const int side = half == 0 ? (edge == 0 ? -1 : 0) : (edge == 1 ? 1 : 0);
    const int ahead = half == 0 ? (edge == 1 ? 1 : 0) : (edge == 2 ? -1 : 0);
    const int other_column = column + side, other_row = row + ahead;
    if (other_column < 0 || other_column >= field.columns - 1 || other_row < 0 || other_row >= field.rows - 1)
        return Bvh::none;
    return 2 * (other_row * (field.columns - 1) + other_column) + 1 - half;
}

void find_sharp_edges(HeightField& field)
{
    field.sharp_edges.assign(size_t(field.columns - 1) * size_t(field.rows - 1) * 2, 7);
    for (int32_t index = 0; index < int32_t(field.sharp_edges.size()); ++index)
    {
        const int cell = index / 2;
        const Triangle triangle = triangle_at(field, index);
        for (int edge = 0; edge < 3; ++edge)
        {
            const int32_t other = triangle_across(field, cell % (field.columns - 1), cell / (field.columns - 1),
                                                  index % 2, edge);
            if (other == Bvh::none)
                continue;
            const Triangle beyond = triangle_at(field, other);
            const Vec3 opposite = beyond.corners[index % 2 == 0 ? edge : (edge + 1) % 3];
            if (!is_sharp(triangle.normal, beyond.normal, triangle.corners[edge], opposite))
                field.sharp_edges[size_t(index)] &= uint8_t(~(1u << edge));
        }
    }
}

} // namespace

Result<MeshRef> make_mesh(std::span<const Vec3> vertices, std::span<const uint32_t> indices)
{
    if (std::string problem = mesh_problem(vertices, indices); !problem.empty())
        return Error{std::move(problem)};
    auto mesh = std::make_shared<Mesh>();
    mesh->vertices.assign(vertices.begin(), vertices.end());
    for (size_t i = 0; i < indices.size(); i += 3)
        if (!is_degenerate(vertices[indices[i]], vertices[indices[i + 1]], vertices[indices[i + 2]]))
            mesh->indices.insert(mesh->indices.end(), &indices[i], &indices[i] + 3);
    if (mesh->indices.empty())
        return Error{"mesh has only triangles without area: check the vertices and the unit of length"};
    find_sharp_edges(*mesh, weld(vertices));

    std::vector<Aabb> boxes(mesh->indices.size() / 3);
    for (size_t i = 0; i < mesh->indices.size(); ++i)
    {
        const Vec3 p = vertices[mesh->indices[i]];
        boxes[i / 3] = merge(boxes[i / 3], {p, p});
        mesh->bounds = merge(mesh->bounds, {p, p});
    }
    mesh->tree.build(boxes);
    return MeshRef(std::move(mesh));
}

Result<HeightFieldRef> make_height_field(std::span<const float> heights, int columns, int rows, float spacing)
{
    if (columns < 2 || rows < 2)
        return Error{"height field needs at least 2 columns and 2 rows: give more heights"};
    if (int64_t(columns) * rows > int64_t(max_triangles))
        return Error{"height field has more than 500 million heights: split it"};
    if (heights.size() != size_t(columns) * size_t(rows))
        return Error{"height field has " + std::to_string(heights.size()) + " heights, but columns * rows is " +
                     std::to_string(size_t(columns) * size_t(rows)) + ": make them agree"};
    if (!(std::isfinite(spacing) && spacing > 0))
        return Error{"height field spacing must be a finite number above 0: set it in metres"};
    auto field = std::make_shared<HeightField>();
    for (size_t i = 0; i < heights.size(); ++i)
        if (!std::isfinite(heights[i]))
            return Error{"height " + std::to_string(i) + " is not finite: remove NaN and infinite heights"};

    field->heights.assign(heights.begin(), heights.end());
    field->columns = columns;
    field->rows = rows;
    field->spacing = spacing;
    const auto [lowest, highest] = std::minmax_element(heights.begin(), heights.end());
    const float half_x = 0.5f * float(columns - 1) * spacing, half_z = 0.5f * float(rows - 1) * spacing;
    field->bounds = {{-half_x, *lowest, -half_z}, {half_x, *highest, half_z}};
    find_sharp_edges(*field);
    return HeightFieldRef(std::move(field));
}

Triangle triangle_at(const Mesh& mesh, int32_t index)
{
    Triangle triangle;
    for (size_t i = 0; i < 3; ++i)
        triangle.corners[i] = mesh.vertices[mesh.indices[3 * size_t(index) + i]];
    triangle.normal = triangle_normal(triangle.corners[0], triangle.corners[1], triangle.corners[2]);
    triangle.sharp_edges = mesh.sharp_edges[size_t(index)];
    triangle.index = index;
    return triangle;
}

Triangle triangle_at(const HeightField& field, int32_t index)
{
    const int cell = index / 2, column = cell % (field.columns - 1), row = cell / (field.columns - 1);
    const Vec3 here = vertex_at(field, column, row), diagonal = vertex_at(field, column + 1, row + 1);
    Triangle triangle;
    triangle.corners[0] = here;
    triangle.corners[1] = index % 2 == 0 ? vertex_at(field, column, row + 1) : diagonal;
    triangle.corners[2] = index % 2 == 0 ? diagonal : vertex_at(field, column + 1, row);
    triangle.normal = triangle_normal(triangle.corners[0], triangle.corners[1], triangle.corners[2]);
    triangle.sharp_edges = field.sharp_edges[size_t(index)];
    triangle.index = index;
    return triangle;
}

CellRange cells_below(const HeightField& field, const Aabb& box)
{
    // Clamped before the conversion: boxes may be huge.
    const auto cell = [&](float position, int points) {
        const float samples = position / field.spacing + 0.5f * float(points - 1);
        return std::floor(std::clamp(samples, -1.0f, float(points)));
    };
    if (!overlaps(field.bounds, box))
        return {0, -1, 0, -1};
    // A hair wider, as the positions of the sample points are rounded too.
    const float slack = 1e-6f * (field.bounds.upper.x + field.bounds.upper.z);
    return {std::max(int(cell(box.lower.x - slack, field.columns)), 0),
            std::min(int(cell(box.upper.x + slack, field.columns)), field.columns - 2),
            std::max(int(cell(box.lower.z - slack, field.rows)), 0),
            std::min(int(cell(box.upper.z + slack, field.rows)), field.rows - 2)};
}

std::span<const Vec3> vertices(const Mesh& mesh) { return mesh.vertices; }
std::span<const uint32_t> indices(const Mesh& mesh) { return mesh.indices; }

} // namespace moraine
