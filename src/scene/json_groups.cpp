#include "scene/json_groups.h"

#include "scene/random.h"

#include <cmath>
#include <map>

namespace moraine
{

namespace
{

// In double throughout, so that copies far from the origin stand as exactly as those near it.
DVec3 rotate_exactly(Quat q, DVec3 v)
{
    const double x = q.x, y = q.y, z = q.z, w = q.w;
    const DVec3 t{2 * (y * v.z - z * v.y), 2 * (z * v.x - x * v.z), 2 * (x * v.y - y * v.x)};
    return {v.x + w * t.x + y * t.z - z * t.y, v.y + w * t.y + z * t.x - x * t.z, v.z + w * t.z + x * t.y - y * t.x};
}

Pose compose(const Pose& a, const Pose& b)
{
    if (a.rotation == Quat{}) // what is not turned is kept to the bit
        return {a.position + b.position, b.rotation};
    return {a.position + rotate_exactly(a.rotation, b.position), normalize(a.rotation * b.rotation)};
}

struct Place
{
    std::vector<Pose>& out;
    Random& random;

    void put(DVec3 position, Quat rotation = {}) { out.push_back({position, rotation}); }

    void operator()(const OneLayout&) { put({}); }
    void operator()(const ArrayLayout& l)
    {
        for (int i = 0; i < l.count; ++i)
            put(l.step * double(i));
    }
    void operator()(const RingLayout& l)
    {
        for (int i = 0; i < l.count; ++i)
        {
            const double angle = 2 * double(pi) * i / l.count;
            put({double(l.radius) * std::cos(angle), 0, -double(l.radius) * std::sin(angle)},
                axis_angle({0, 1, 0}, float(angle)));
        }
    }
    // Centred in x and z, upwards from the group's position.
    void operator()(const GridLayout& l)
    {
        for (int y = 0; y < l.count[1]; ++y)
            for (int z = 0; z < l.count[2]; ++z)
                for (int x = 0; x < l.count[0]; ++x)
                    put({(x - 0.5 * (l.count[0] - 1)) * double(l.spacing.x), y * double(l.spacing.y),
                         (z - 0.5 * (l.count[2] - 1)) * double(l.spacing.z)});
    }
    void operator()(const StackLayout& l)
    {
        for (int i = 0; i < l.count; ++i)
            put({0, i * double(l.spacing), 0}, axis_angle({0, 1, 0}, radians(l.twist_degrees * float(i))));
    }
    void put_course(int count, int course, const std::array<float, 2>& spacing)
    {
        for (int i = 0; i < count; ++i)
            put({(i - 0.5 * (count - 1)) * double(spacing[0]), course * double(spacing[1]), 0});
    }
    // Every second course has one less, so that each rests on two.
    void operator()(const WallLayout& l)
    {
        for (int row = 0; row < l.rows; ++row)
            put_course(row % 2 && l.columns > 1 ? l.columns - 1 : l.columns, row, l.spacing);
    }
    void operator()(const PyramidLayout& l)
    {
        for (int row = 0; row < l.base; ++row)
            put_course(l.base - row, row, l.spacing);
    }
    void operator()(const RandomLayout& l);
};

// Throws darts; a coarse grid of what is there already keeps the search for neighbours short.
void Place::operator()(const RandomLayout& l)
{
    using Cell = std::array<int64_t, 3>;
    std::map<Cell, std::vector<DVec3>> cells;
    const double apart = double(l.separation);
    const auto cell_of = [&](DVec3 p) {
        return Cell{int64_t(std::floor(p.x / apart)), int64_t(std::floor(p.y / apart)),
                    int64_t(std::floor(p.z / apart))};
    };
    const auto is_free = [&](DVec3 p) {
        const Cell c = cell_of(p);
        for (int i = 0; i < 27; ++i)
        {
            const auto found = cells.find({c[0] + i % 3 - 1, c[1] + i / 3 % 3 - 1, c[2] + i / 9 - 1});
            if (found == cells.end())
                continue;
            for (const DVec3& other : found->second)
                if (length(other - p) < apart)
                    return false;
        }
        return true;
    };
    for (int placed = 0, misses = 0; placed < l.count && misses < 2000;)
    {
        const Vec3 offset = random.within(l.size * 0.5f);
        const DVec3 p = DVec3(offset) + DVec3(0, 0.5 * double(l.size.y), 0);
        const Quat rotation = l.any_rotation ? random.rotation() : Quat{};
        if (apart > 0 && !is_free(p))
        {
            ++misses;
            continue;
        }
        if (apart > 0)
            cells[cell_of(p)].push_back(p);
        put(p, rotation);
        ++placed;
        misses = 0;
    }
}

} // namespace

double copy_count(const Layout& layout)
{
    struct Count
    {
        double operator()(const OneLayout&) const { return 1; }
        double operator()(const ArrayLayout& l) const { return l.count; }
        double operator()(const RingLayout& l) const { return l.count; }
        double operator()(const GridLayout& l) const { return double(l.count[0]) * l.count[1] * l.count[2]; }
        double operator()(const RandomLayout& l) const { return l.count; }
        double operator()(const StackLayout& l) const { return l.count; }
        double operator()(const WallLayout& l) const { return double(l.columns) * l.rows; }
        double operator()(const PyramidLayout& l) const { return 0.5 * l.base * (l.base + 1.0); }
    };
    return std::visit(Count{}, layout);
}

std::vector<Pose> lay_out(const Layout& layout, const GroupPlacement& placement)
{
    std::vector<Pose> poses;
    Random random(placement.seed);
    std::visit(Place{poses, random}, layout);
    const Pose root{placement.position, placement.rotation};
    const float turn = radians(placement.rotation_jitter_degrees);
    const bool has_jitter = placement.jitter != Vec3{};
    for (Pose& pose : poses)
    {
        if (has_jitter)
            pose.position += DVec3(random.within(placement.jitter));
        if (turn > 0)
            pose.rotation = normalize(rotation_from_vector(random.direction() * random.between(0, turn)) *
                                      pose.rotation);
        pose = compose(root, pose);
    }
    return poses;
}

void append_copy(Fragment& whole, const Fragment& part, const Pose& pose, const std::string& prefix)
{
    const int first = int(whole.bodies.size());
    for (SceneBody body : part.bodies)
    {
        const Pose placed = compose(pose, {body.def.position, body.def.rotation});
        body.def.position = placed.position;
        body.def.rotation = placed.rotation;
        body.def.linear_velocity = rotate(pose.rotation, body.def.linear_velocity);
        body.def.angular_velocity = rotate(pose.rotation, body.def.angular_velocity);
        if (!body.def.name.empty())
            body.def.name = prefix + body.def.name;
        if (auto* keys = std::get_if<KeyFrameMotion>(&body.motion))
            for (KeyFrame& frame : keys->frames)
                frame.pose = compose(pose, frame.pose);
        whole.bodies.push_back(std::move(body));
    }
    for (SceneJoint joint : part.joints)
    {
        // Frames on the world move with the copy; those on bodies go with them.
        const auto place = [&](int& body, Transform& frame) {
            if (body >= 0)
            {
                body += first;
                return;
            }
            const Pose placed = compose(pose, {frame.position, frame.rotation});
            frame = {Vec3(placed.position), placed.rotation};
        };
        place(joint.body_a, joint.def.frame_a);
        place(joint.body_b, joint.def.frame_b);
        if (!joint.def.name.empty())
            joint.def.name = prefix + joint.def.name;
        whole.joints.push_back(std::move(joint));
    }
}

} // namespace moraine
