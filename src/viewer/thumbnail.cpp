#include "viewer/thumbnail.h"

#include "record/visuals.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace moraine::viewer
{

namespace
{

constexpr float width = 320, height = 200;
constexpr size_t piece_limit = 1000;

struct Point
{
    float x = 0, y = 0;
};

struct Piece
{
    float depth = 0;
    uint32_t color = 0;
    float shade = 1;
    std::vector<Point> outline{};
};

const Vec3 eye = normalize(Vec3{0.62f, 0.45f, 0.78f});
const Vec3 right = normalize(cross(Vec3{0, 1, 0}, eye));
const Vec3 up = cross(eye, right);

Point project(Vec3 v) { return {dot(v, right), -dot(v, up)}; }

// Counter-clockwise outline of the points (Andrew's monotone chain).
std::vector<Point> outline_of(std::vector<Point> points)
{
    std::sort(points.begin(), points.end(), [](Point a, Point b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
    std::vector<Point> hull(2 * points.size());
    size_t count = 0;
    const auto turns_right = [&](Point p) {
        const Point a = hull[count - 2], b = hull[count - 1];
        return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) <= 0;
    };
    for (Point p : points)
    {
        while (count >= 2 && turns_right(p))
            --count;
        hull[count++] = p;
    }
    const size_t lower = count + 1;
    for (size_t i = points.size(); i-- > 0;)
    {
        while (count >= lower && turns_right(points[i]))
            --count;
        hull[count++] = points[i];
    }
    hull.resize(count > 0 ? count - 1 : 0);
    return hull;
}

std::vector<Vec3> points_on(const Geometry& geometry)
{
    std::vector<Vec3> points;
    const auto add_ring = [&](float radius, float y) {
        for (int i = 0; i < 16; ++i)
            points.push_back({radius * std::cos(0.3927f * float(i)), y, radius * std::sin(0.3927f * float(i))});
    };
    if (const auto* sphere = std::get_if<Sphere>(&geometry))
        for (int i = -3; i <= 3; ++i)
            add_ring(sphere->radius * std::cos(0.5f * float(i)), sphere->radius * std::sin(0.5f * float(i)));
    else if (const auto* capsule = std::get_if<Capsule>(&geometry))
        for (float side : {-1.0f, 1.0f})
        {
            add_ring(capsule->radius, side * capsule->half_length);
            add_ring(0.6f * capsule->radius, side * (capsule->half_length + 0.8f * capsule->radius));
        }
    else if (const auto* cylinder = std::get_if<Cylinder>(&geometry))
        for (float side : {-1.0f, 1.0f})
            add_ring(cylinder->radius, side * cylinder->half_length);
    else
        points = triangles_of(geometry).vertices;
    return points;
}

// A box shows three of its faces, each with a shade of its own.
void add_box(const Box& box, const Transform& pose, Vec3 at, uint32_t color, std::vector<Piece>& pieces)
{
    const Vec3 h = box.half_extents;
    for (int axis = 0; axis < 3; ++axis)
    {
        Vec3 normal{};
        normal[axis] = 1;
        float side = 1;
        if (dot(rotate(pose.rotation, normal), eye) < 0)
            side = -1;
        const int j = (axis + 1) % 3, k = (axis + 2) % 3;
        Piece piece;
        for (auto [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
        {
            Vec3 corner{};
            corner[axis] = side * h[axis];
            corner[j] = float(a) * h[j];
            corner[k] = float(b) * h[k];
            piece.outline.push_back(project(apply(pose, corner) + at));
        }
        const Vec3 n = rotate(pose.rotation, normal * side);
        piece.shade = 0.72f + 0.28f * std::max(0.0f, dot(n, normalize(Vec3{0.45f, 1, 0.3f})));
        piece.color = color;
        piece.depth = dot(at + pose.position + n * h[axis] * 0.01f, eye);
        pieces.push_back(std::move(piece));
    }
}

uint32_t paler(uint32_t color)
{
    uint32_t out = 0;
    for (int shift : {16, 8, 0})
        out |= ((color >> shift & 255) * 45 + 255 * 55) / 100 << shift;
    return out;
}

uint32_t color_of(const SceneBody& body, size_t index)
{
    constexpr uint32_t palette[] = {0x4e79a7, 0xf28e2b, 0xe15759, 0x76b7b2, 0x59a14f, 0xedc948};
    // Floors and walls step back behind what moves, as on the page.
    if (body.color != 0 && body.def.type == BodyType::static_)
        return paler(body.color);
    if (body.color != 0)
        return body.color;
    return body.def.type == BodyType::static_ ? 0xcdd2d9 : palette[index % std::size(palette)];
}

std::string to_svg(const std::vector<Piece>& pieces, Point middle, float scale)
{
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 320 200\">"
                      "<rect width=\"320\" height=\"200\" fill=\"#e6ebf1\"/>";
    char text[64];
    for (const Piece& piece : pieces)
    {
        svg += "<path d=\"";
        for (size_t i = 0; i < piece.outline.size(); ++i)
        {
            const float x = (piece.outline[i].x - middle.x) * scale + 0.5f * width;
            const float y = (piece.outline[i].y - middle.y) * scale + 0.52f * height;
            std::snprintf(text, sizeof text, "%c%.1f %.1f", i == 0 ? 'M' : 'L', double(std::clamp(x, -2e3f, 2e3f)),
                          double(std::clamp(y, -2e3f, 2e3f)));
            svg += text;
        }
        const auto shaded = [&](int shift) { return unsigned(float(piece.color >> shift & 255) * piece.shade); };
        std::snprintf(text, sizeof text, "Z\" fill=\"#%02x%02x%02x\" stroke=\"#0003\" stroke-width=\".4\"/>",
                      shaded(16), shaded(8), shaded(0));
        svg += text;
    }
    return svg + "</svg>";
}

} // namespace

std::string thumbnail_svg(const SceneDescription& scene)
{
    std::vector<Piece> pieces;
    std::vector<float> xs, ys;
    std::vector<DVec3> places;
    for (const SceneBody& body : scene.bodies)
        places.push_back(body.def.position);
    const DVec3 origin = places.empty() ? DVec3{} : places[places.size() / 2];
    // A large scene shows every so many of its bodies.
    const size_t stride = 1 + scene.bodies.size() / piece_limit;
    for (size_t i = 0; i < scene.bodies.size(); ++i)
    {
        const SceneBody& body = scene.bodies[i];
        if (body.def.is_trigger || (body.def.type == BodyType::dynamic_ && i % stride != 0))
            continue;
        const Vec3 at = relative(body.def.position, origin);
        for (const ShapeDef& shape : body.def.shapes)
        {
            const Transform pose = Transform{{}, body.def.rotation} * shape.pose;
            const size_t first = pieces.size();
            const uint32_t color = color_of(body, i);
            if (const auto* box = std::get_if<Box>(&shape.geometry))
                add_box(*box, pose, at, color, pieces);
            else
            {
                std::vector<Point> points;
                for (Vec3 v : points_on(shape.geometry))
                    points.push_back(project(apply(pose, v) + at));
                if (points.size() > 2)
                    pieces.push_back({dot(at + pose.position, eye), color, 0.95f, outline_of(std::move(points))});
            }
            if (body.def.type == BodyType::static_) // floors lie below everything
                for (size_t k = first; k < pieces.size(); ++k)
                    pieces[k].depth -= 1e4f;
            else
                for (size_t k = first; k < pieces.size(); ++k)
                    for (Point p : pieces[k].outline)
                        xs.push_back(p.x), ys.push_back(p.y);
        }
    }
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.depth < b.depth; });
    if (xs.empty())
        xs = {-5, 5}, ys = {-3, 3};
    const auto [left, rightmost] = std::minmax_element(xs.begin(), xs.end());
    const auto [top, bottom] = std::minmax_element(ys.begin(), ys.end());
    const float scale = 0.86f *
                        std::min(width / std::max(0.1f, *rightmost - *left), height / std::max(0.1f, *bottom - *top));
    return to_svg(pieces, {0.5f * (*left + *rightmost), 0.5f * (*top + *bottom)}, scale);
}

} // namespace moraine::viewer
