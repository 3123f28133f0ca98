// The scenes of "Distributed Simulation of Large Multi-body Systems", table 2 and figure 7. The bowl is with the piles.
#include "scene/catalogue_scenes.h"

#include <cmath>

namespace moraine
{

namespace
{

constexpr float paper_dt = 0.002f;

// ---- building: floors, walls and columns, and two cannon balls to bring them down ----

constexpr float bay = 4, storey_height = 3, slab_thickness = 0.2f, column_width = 0.5f;
constexpr int brick_rows = 9;

void add_columns_and_slabs(SceneDescription& scene, int bays, double floor)
{
    const Material concrete{.density = 2400, .friction = 0.7f};
    const float column_height = storey_height - slab_thickness;
    const double edge = -0.5 * double(bay) * bays;
    for (int x = 0; x <= bays; ++x)
        for (int z = 0; z <= bays; ++z)
            add(scene,
                make_body({edge + double(bay) * x, floor + 0.5 * double(column_height), edge + double(bay) * z},
                          Box{{0.5f * column_width, 0.5f * column_height, 0.5f * column_width}}, concrete),
                "", MaterialColor::steel);
    const float half = 0.5f * bay - 0.002f; // a slab lies on the quarters of four columns
    for (int x = 0; x < bays; ++x)
        for (int z = 0; z < bays; ++z)
            add(scene,
                make_body({edge + double(bay) * (x + 0.5), floor + double(storey_height - 0.5f * slab_thickness),
                           edge + double(bay) * (z + 0.5)},
                          Box{{half, 0.5f * slab_thickness, half}}, concrete),
                "", MaterialColor::ground);
}

// Just inside the outer columns, a little lower than they are.
void add_walls(SceneDescription& scene, int bays, double floor)
{
    const int bricks = bays * 5 / 2;
    const float inside = 0.5f * bay * float(bays) - 0.85f;
    const float length = 2 * (inside - 0.65f) / float(bricks), height = 0.31f;
    for (int side = 0; side < 4; ++side)
    {
        const Quat heading = axis_angle({0, 1, 0}, 0.5f * pi * float(side));
        for (int row = 0; row < brick_rows; ++row)
            for (int i = 0; i < bricks; ++i)
            {
                const float shift = row % 2 ? 0.3f : -0.3f; // every second row lies across the joints of the one below
                const Vec3 place{length * (float(i) - 0.5f * float(bricks - 1)) + shift, height * (float(row) + 0.5f),
                                 inside};
                SceneBody brick = make_body(DVec3(rotate(heading, place)) + DVec3(0, floor, 0),
                                            Box{{0.5f * length - 0.002f, 0.5f * height, 0.15f}},
                                            {.density = 1800, .friction = 0.7f});
                brick.def.rotation = heading;
                add(scene, std::move(brick), "", MaterialColor::red);
            }
    }
}

SceneDescription build_building(const ParameterValues& values)
{
    const int storeys = values.count("storeys"), bays = values.count("bays");
    SceneDescription scene;
    const float half_width = 0.5f * bay * float(bays);
    add_ground(scene, 4 * half_width + 60);
    for (int storey = 0; storey < storeys; ++storey)
    {
        const double floor = double(storey_height) * storey;
        add_columns_and_slabs(scene, bays, floor);
        add_walls(scene, bays, floor);
    }
    const double top = double(storey_height) * storeys;
    for (const double side : {-1.0, 1.0})
    {
        SceneBody ball = make_body({side * (double(half_width) + 15), top * (side < 0 ? 0.25 : 0.45), 0.7 * side},
                                   Sphere{0.9f}, {.density = 7800});
        ball.def.linear_velocity = {float(-side) * 45, 4, 0};
        ball.def.is_fast = true;
        add(scene, std::move(ball), side < 0 ? "ball_left" : "ball_right", MaterialColor::dark);
    }
    scene.dt = paper_dt;
    scene.steps = 2500;
    return scene;
}

// ---- chain net: mail in which every ring holds two of the row before and two of the row behind ----

constexpr float ring_radius = 0.1f, wire = 0.013f;

// Eight capsules around y.
std::vector<ShapeDef> make_ring()
{
    constexpr int sides = 8;
    const float half_side = ring_radius * std::sin(pi / sides), apothem = ring_radius * std::cos(pi / sides);
    std::vector<ShapeDef> shapes;
    for (int i = 0; i < sides; ++i)
    {
        const Quat turn = axis_angle({0, 1, 0}, 2 * pi * float(i) / sides);
        const Quat lying = axis_angle({1, 0, 0}, 0.5f * pi); // the capsule's y axis along z
        shapes.push_back(make_shape_def(Capsule{wire, half_side},
                                        {rotate(turn, {apothem, 0, 0}), normalize(turn * lying)},
                                        {.density = 7800, .friction = 0.3f}));
    }
    return shapes;
}

// Rows lean to one side and the other in turn, 45° each, so that rings of two rows are at right angles. With d the distance
// of a ring's centre from the plane of the next, its wire passes through the other at (p/2 - √(R² - d²), d), well inside
// for p = 2.3 R and d = R/2.
SceneDescription build_chain_net(const ParameterValues& values)
{
    const int columns = values.count("columns"), rows = values.count("rows");
    const double pitch = 2.3 * double(ring_radius), advance = double(ring_radius) / std::sqrt(2.0), height = 8;
    const std::vector<ShapeDef> ring = make_ring();
    SceneDescription scene;
    add_ground(scene, 20);
    // One row more at each end is fixed and holds the net.
    for (int row = -1; row <= rows; ++row)
        for (int column = 0; column < columns; ++column)
        {
            const int shift = row & 1; // of -1 too
            SceneBody link = make_compound(
                {pitch * (column - 0.5 * (columns - 1) + 0.5 * shift), height, advance * (row - 0.5 * (rows - 1))},
                ring);
            link.def.rotation = axis_angle({1, 0, 0}, shift ? radians(45) : -radians(45));
            const bool is_held = row < 0 || row == rows;
            if (is_held)
                link.def.type = BodyType::static_;
            else
                link.part = row;
            add(scene, std::move(link), "", is_held ? MaterialColor::ground : MaterialColor::steel);
        }
    scene.dt = paper_dt;
    scene.steps = 2500;
    scene.world.sleeping = false;
    // Rings that are linked touch in two places, and the wire is thin: both must hold, and stiffly.
    scene.world.contact_hertz = 240;
    scene.distribute.growth_depth = 3;
    return scene;
}

// ---- bridges: a deck of boards, five to a section, with posts and handrails ----

constexpr int boards = 5;
constexpr float board_length = 0.46f, board_width = 0.46f, section_pitch = 0.5f;

// Sections along a curve. Joints hold neighbours at the middle between them, so that nothing is torn at the start.
class Deck
{
public:
    Deck(SceneDescription& scene, int sections) : scene_(scene), sections_(sections) {}

    // `place(along, across)` is where a board lies. Braces run in all gaps but those near the ends.
    template <class Place>
    void build(const Place& place, int part, int braces_per_gap, int gaps_without_braces)
    {
        for (int s = 0; s < sections_; ++s)
        {
            for (int b = 0; b < boards; ++b)
                boards_.push_back(add_part(place(s, float(b) - 2),
                                           Box{{0.5f * board_length, 0.05f, 0.5f * board_width}}, part,
                                           MaterialColor::wood));
            for (int b = 0; b + 1 < boards; ++b)
                join(board(s, b), board(s, b + 1), BallJoint{});
            for (const int b : {0, boards - 1})
            {
                Pose foot = place(s, float(b) - 2);
                foot.position = apply(foot, {0, 0.45f, 0});
                posts_.push_back(add_part(foot, Box{{0.04f, 0.4f, 0.04f}}, part, MaterialColor::dark));
                join(board(s, b), posts_.back(), FixedJoint{});
            }
            if (s > 0)
                join_sections(s, part);
            const bool is_braced = s > 0 && s > gaps_without_braces && s < sections_ - gaps_without_braces;
            // The longest rod is left out next to the end.
            const int braces = braces_per_gap == boards && s + 2 >= sections_ ? boards - 1 : braces_per_gap;
            for (int k = 0; is_braced && k < braces; ++k)
                brace(s, k);
        }
    }

    int board(int section, int b) const { return boards_[size_t(section * boards + b)]; }

    void anchor(int section, float end)
    {
        for (int b = 0; b < boards; ++b)
        {
            const Pose pose = pose_of(board(section, b));
            add_joint(scene_, -1, board(section, b), {apply(pose, {end * 0.5f * section_pitch, 0, 0}), pose.rotation},
                      BallJoint{});
        }
    }

    void join(int a, int b, const JointKind& kind)
    {
        const Pose pose_a = pose_of(a);
        const DVec3 middle = (pose_a.position + pose_of(b).position) * 0.5;
        add_joint(scene_, a, b, {middle, pose_a.rotation}, kind);
    }

private:
    Pose pose_of(int body) const
    {
        return {scene_.bodies[size_t(body)].def.position, scene_.bodies[size_t(body)].def.rotation};
    }

    int add_part(const Pose& pose, const Geometry& geometry, int part, uint32_t color)
    {
        SceneBody body = make_body(pose.position, geometry, {.density = 600, .friction = 0.7f});
        body.def.rotation = pose.rotation;
        body.part = part;
        return add(scene_, std::move(body), "", color);
    }

    void join_sections(int s, int part)
    {
        for (int b = 0; b < boards; ++b)
            join(board(s - 1, b), board(s, b), BallJoint{});
        for (int side = 0; side < 2; ++side)
        {
            const int before = posts_[size_t(2 * (s - 1) + side)], after = posts_[size_t(2 * s + side)];
            const DVec3 a = apply(pose_of(before), {0, 0.35f, 0}), b = apply(pose_of(after), {0, 0.35f, 0});
            const Quat along = x_axis_along(relative(b, a));
            const int rail = add_part({(a + b) * 0.5, along}, Box{{0.5f * section_pitch - 0.06f, 0.03f, 0.03f}}, part,
                                      MaterialColor::steel);
            add_joint(scene_, before, rail, {a, along}, BallJoint{});
            add_joint(scene_, rail, after, {b, along}, BallJoint{});
        }
    }

    // A rod from one board to a board of the next section that does not lie opposite.
    void brace(int s, int k)
    {
        const int a = board(s - 1, k < boards - 1 ? k : 0), b = board(s, k < boards - 1 ? k + 1 : boards - 1);
        const float rod = length(relative(pose_of(b).position, pose_of(a).position));
        add_joint(scene_, a, {}, b, {}, DistanceJoint{.lower = rod, .upper = rod});
    }

    SceneDescription& scene_;
    int sections_;
    std::vector<int> boards_, posts_;
};

// A hanging curve from x = -length/2 to length/2.
Pose on_parabola(double x, double length, double sag, float across)
{
    const double u = 2 * x / length;
    const Quat slope = axis_angle({0, 0, 1}, std::atan(float(4 * sag * u / length)));
    return {{x, -sag * (1 - u * u), double(across * section_pitch)}, slope};
}

SceneDescription build_two_way_bridge(const ParameterValues& values)
{
    const int sections = values.count("sections");
    const double length = double(section_pitch) * sections, height = 0.12 * length + 5;
    SceneDescription scene;
    add_ground(scene, float(length));
    Deck deck(scene, sections);
    const int gaps_without_braces = std::min(10, (sections - 1) / 2);
    deck.build(
        [&](int s, float across) {
            Pose pose = on_parabola(double(section_pitch) * (s + 0.5) - 0.5 * length, length, 0.06 * length, across);
            pose.position.y += height;
            return pose;
        },
        0, 1, gaps_without_braces);
    deck.anchor(0, -1);
    deck.anchor(sections - 1, 1);
    scene.dt = paper_dt;
    scene.steps = 2500;
    scene.world.sleeping = false;
    scene.distribute.growth_depth = 6;
    scene.distribute.search_depth = 14;
    return scene;
}

// Boards in a square where the four arms meet, with weights below the outer ones.
void add_platform(SceneDescription& scene, double height, std::vector<int>& platform)
{
    for (int i = 0; i < boards * boards; ++i)
    {
        const int x = i % boards - 2, z = i / boards - 2;
        SceneBody body = make_body({double(section_pitch) * x, height, double(section_pitch) * z},
                                   Box{{0.5f * board_length, 0.05f, 0.5f * board_width}},
                                   {.density = 600, .friction = 0.7f});
        // Each arm has the triangle of the platform that lies on its side.
        body.part = std::abs(x) >= std::abs(z) ? (x >= 0 ? 0 : 2) : (z >= 0 ? 1 : 3);
        platform.push_back(add(scene, std::move(body), "", MaterialColor::yellow));
    }
    for (int i = 0; i < boards * boards; ++i)
    {
        const int x = i % boards, z = i / boards;
        const auto middle = [&](int other) {
            return Pose{(scene.bodies[size_t(platform[size_t(i)])].def.position +
                         scene.bodies[size_t(platform[size_t(other)])].def.position) *
                            0.5,
                        {}};
        };
        if (x + 1 < boards)
            add_joint(scene, platform[size_t(i)], platform[size_t(i + 1)], middle(i + 1), BallJoint{});
        if (z + 1 < boards)
            add_joint(scene, platform[size_t(i)], platform[size_t(i + boards)], middle(i + boards), BallJoint{});
        if (x > 0 && x + 1 < boards && z > 0 && z + 1 < boards)
            continue;
        const DVec3 place = scene.bodies[size_t(platform[size_t(i)])].def.position;
        SceneBody weight = make_body(place - DVec3(0, 0.4, 0), Sphere{0.12f}, {.density = 3000});
        weight.part = scene.bodies[size_t(platform[size_t(i)])].part;
        const int hung = add(scene, std::move(weight), "", MaterialColor::dark);
        add_joint(scene, platform[size_t(i)], {0, -0.1f, 0}, hung, {0, 0.3f, 0}, BallJoint{});
    }
}

SceneDescription build_four_way_bridge(const ParameterValues& values)
{
    const int sections = values.count("sections");
    const double half_platform = 2.5 * double(section_pitch), arm = double(section_pitch) * sections;
    const double length = 2 * (arm + half_platform), sag = 0.06 * length, height = sag + 6;
    SceneDescription scene;
    add_ground(scene, float(length));
    std::vector<int> platform;
    add_platform(scene, height - sag, platform);
    for (int side = 0; side < 4; ++side)
    {
        const Quat heading = axis_angle({0, 1, 0}, -0.5f * pi * float(side)); // x, z, -x, -z
        Deck deck(scene, sections);
        const auto place = [&](int s, float across) {
            const Pose pose = on_parabola(half_platform + double(section_pitch) * (s + 0.5), length, sag, across);
            const Vec3 turned = rotate(heading, Vec3(pose.position));
            return Pose{DVec3(turned) + DVec3(0, height, 0), normalize(heading * pose.rotation)};
        };
        deck.build(place, side, boards, 0);
        deck.anchor(sections - 1, 1);
        for (int b = 0; b < boards; ++b)
        {
            // The arm's first boards lie along one edge of the platform, in the arm's own order.
            const int edge[] = {b * boards + 4, 4 * boards + (4 - b), (4 - b) * boards, b};
            deck.join(platform[size_t(edge[side])], deck.board(0, b), BallJoint{});
        }
    }
    for (const double side : {-1.0, 1.0})
        add(scene, make_body({0.6 * side, height - sag + 3 + side, 0.5 * side}, Sphere{0.5f}, {.density = 800}),
            side < 0 ? "ball_left" : "ball_right", MaterialColor::red);
    for (size_t ball = scene.bodies.size() - 2; ball < scene.bodies.size(); ++ball)
        scene.bodies[ball].part = 0;
    scene.dt = paper_dt;
    scene.steps = 2500;
    scene.world.sleeping = false;
    scene.distribute.growth_depth = 6;
    scene.distribute.search_depth = 14;
    scene.distribute.partition = PartitionKind::semantic;
    return scene;
}

// ---- long plank: two heaps of bricks that nothing connects until a plank falls across both ----

SceneDescription build_long_plank(const ParameterValues& values)
{
    const int rows = values.count("rows"), per_row = values.count("bricks");
    const float half = 0.5f * 0.6f * float(per_row);
    const double apart = 4 + 2 * double(half);
    SceneDescription scene;
    add_ground(scene, 40);
    for (const double side : {-1.0, 1.0})
        for (int row = 0; row < rows; ++row)
            for (int i = 0; i < per_row; ++i)
            {
                // A finger's breadth above each other: none touches another before it falls.
                SceneBody brick = make_body(
                    {0.5 * side * apart + 0.6 * (i - 0.5 * (per_row - 1)) + 0.15 * (row % 2), 0.2 + 0.34 * row, 0},
                    Box{{0.28f, 0.14f, 0.3f}}, {.density = 1800, .friction = 0.7f});
                brick.part = side < 0 ? 0 : 1;
                add(scene, std::move(brick), "", side < 0 ? MaterialColor::red : MaterialColor::green);
            }
    SceneBody plank = make_body({0, 0.34 * rows + 1, 0}, Box{{0.5f * float(apart) + half, 0.08f, 0.3f}},
                                {.density = 700, .friction = 0.7f});
    plank.part = 0;
    add(scene, std::move(plank), "plank", MaterialColor::wood);
    scene.dt = paper_dt;
    scene.steps = 1500;
    scene.distribute.growth_depth = 1;
    return scene;
}

const CatalogueParameter building_parameters[] = {{"storeys", 6, 1, 100, true, "storeys"},
                                                  {"bays", 4, 2, 100, true, "bays along each side"}};
const CatalogueParameter net_parameters[] = {{"columns", 38, 2, 1000, true, "rings in a row"},
                                             {"rows", 98, 2, 1000, true, "rows between the two that are held"}};
const CatalogueParameter two_way_parameters[] = {{"sections", 200, 3, 100000, true, "sections of nine bodies"}};
const CatalogueParameter four_way_parameters[] = {
    {"sections", 46, 2, 25000, true, "sections of each of the four arms"}};
const CatalogueParameter plank_parameters[] = {{"rows", 6, 1, 100, true, "rows of bricks in each heap"},
                                               {"bricks", 5, 1, 100, true, "bricks in a row"}};

const CatalogueEntry entries[] = {
    {"building", "2406 slabs, columns and bricks, and two cannon balls to bring them down", building_parameters,
     build_building},
    {"chain_net", "a net of 3724 interlocking rings between two fixed rows", net_parameters, build_chain_net},
    {"two_way_bridge", "a hanging bridge of 1798 bodies and 3180 joints", two_way_parameters, build_two_way_bridge},
    {"four_way_bridge", "two hanging bridges that cross, 1689 bodies and 3712 joints, and two balls",
     four_way_parameters, build_four_way_bridge},
    {"long_plank", "two heaps of bricks that a falling plank connects", plank_parameters, build_long_plank},
};

} // namespace

std::span<const CatalogueEntry> distributed_scenes() { return entries; }

} // namespace moraine
