// Vectors, rotations and poses. World positions are double, everything relative is float:
// a scene 50 km from the origin behaves like one at the origin.
#pragma once

#include <cmath>
#include <cstdint>

namespace moraine
{

struct Vec3
{
    float x = 0, y = 0, z = 0;

    float operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
    float& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
    friend bool operator==(const Vec3&, const Vec3&) = default;
};

inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
inline Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
inline Vec3 operator*(float s, Vec3 a) { return a * s; }
inline Vec3 operator/(Vec3 a, float s) { return a * (1.0f / s); }
inline Vec3& operator+=(Vec3& a, Vec3 b) { return a = a + b; }
inline Vec3& operator-=(Vec3& a, Vec3 b) { return a = a - b; }
inline Vec3& operator*=(Vec3& a, float s) { return a = a * s; }

inline float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline Vec3 multiply(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline float length_squared(Vec3 a) { return dot(a, a); }
inline float length(Vec3 a) { return std::sqrt(dot(a, a)); }
inline float distance(Vec3 a, Vec3 b) { return length(a - b); }
inline Vec3 abs(Vec3 a) { return {std::fabs(a.x), std::fabs(a.y), std::fabs(a.z)}; }
inline Vec3 min(Vec3 a, Vec3 b) { return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z}; }
inline Vec3 max(Vec3 a, Vec3 b) { return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z}; }
inline float max_component(Vec3 a) { return a.x > a.y ? (a.x > a.z ? a.x : a.z) : (a.y > a.z ? a.y : a.z); }
inline float min_component(Vec3 a) { return a.x < a.y ? (a.x < a.z ? a.x : a.z) : (a.y < a.z ? a.y : a.z); }
inline bool is_finite(Vec3 a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

// The unit vector along `a`, or `fallback` where `a` is too short to have a direction.
inline Vec3 normalize(Vec3 a, Vec3 fallback = {0, 1, 0})
{
    const float squared = length_squared(a);
    return squared > 1e-30f ? a * (1.0f / std::sqrt(squared)) : fallback;
}

// Some unit vector at right angles to the unit vector `n`, continuous nearly everywhere.
inline Vec3 perpendicular(Vec3 n)
{
    return std::fabs(n.x) < 0.57735f ? normalize(Vec3{0, n.z, -n.y}) : normalize(Vec3{n.y, -n.x, 0});
}

// A position in the world.
struct DVec3
{
    double x = 0, y = 0, z = 0;

    DVec3() = default;
    constexpr DVec3(double x_, double y_, double z_) : x(x_), y(y_), z(z_) {}
    constexpr DVec3(Vec3 v) : x(v.x), y(v.y), z(v.z) {}
    explicit operator Vec3() const { return {float(x), float(y), float(z)}; }
    friend bool operator==(const DVec3&, const DVec3&) = default;
};

inline DVec3 operator+(DVec3 a, DVec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline DVec3 operator-(DVec3 a, DVec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline DVec3 operator*(DVec3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
inline DVec3& operator+=(DVec3& a, DVec3 b) { return a = a + b; }
inline DVec3& operator-=(DVec3& a, DVec3 b) { return a = a - b; }
inline double dot(DVec3 a, DVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double length(DVec3 a) { return std::sqrt(dot(a, a)); }
inline bool is_finite(DVec3 a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

// The short way from `from` to `to`: subtract in double, go on in float.
inline Vec3 relative(DVec3 to, DVec3 from) { return Vec3(to - from); }

struct Mat3
{
    Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1}; // columns

    friend bool operator==(const Mat3&, const Mat3&) = default;
};

inline Vec3 operator*(const Mat3& m, Vec3 v) { return m.x * v.x + m.y * v.y + m.z * v.z; }
inline Mat3 operator*(const Mat3& a, const Mat3& b) { return {a * b.x, a * b.y, a * b.z}; }
inline Mat3 operator*(const Mat3& a, float s) { return {a.x * s, a.y * s, a.z * s}; }
inline Mat3 operator+(const Mat3& a, const Mat3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Mat3 operator-(const Mat3& a, const Mat3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Mat3 transpose(const Mat3& m) { return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}}; }
inline Vec3 transpose_multiply(const Mat3& m, Vec3 v) { return {dot(m.x, v), dot(m.y, v), dot(m.z, v)}; }
inline Mat3 diagonal(Vec3 d) { return {{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}; }
inline Mat3 outer(Vec3 a, Vec3 b) { return {a * b.x, a * b.y, a * b.z}; }
inline Mat3 skew(Vec3 a) { return {{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}}; }
inline float determinant(const Mat3& m) { return dot(m.x, cross(m.y, m.z)); }
inline Mat3 abs(const Mat3& m) { return {abs(m.x), abs(m.y), abs(m.z)}; }

// The zero matrix where `m` is singular.
inline Mat3 inverse(const Mat3& m)
{
    const float det = determinant(m);
    if (det == 0)
        return {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const float s = 1.0f / det;
    return transpose({cross(m.y, m.z) * s, cross(m.z, m.x) * s, cross(m.x, m.y) * s});
}

struct Quat
{
    float x = 0, y = 0, z = 0, w = 1;

    friend bool operator==(const Quat&, const Quat&) = default;
};

inline Quat operator*(Quat a, Quat b)
{
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
inline Quat conjugate(Quat q) { return {-q.x, -q.y, -q.z, q.w}; }
inline float dot(Quat a, Quat b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline bool is_finite(Quat q) { return std::isfinite(dot(q, q)); } // and can be normalised

inline Quat normalize(Quat q)
{
    const float squared = dot(q, q);
    if (!(squared > 1e-30f))
        return {};
    const float s = 1.0f / std::sqrt(squared);
    return {q.x * s, q.y * s, q.z * s, q.w * s};
}

inline Vec3 rotate(Quat q, Vec3 v)
{
    const Vec3 u{q.x, q.y, q.z};
    const Vec3 t = 2.0f * cross(u, v);
    return v + q.w * t + cross(u, t);
}
inline Vec3 inverse_rotate(Quat q, Vec3 v) { return rotate(conjugate(q), v); }

inline Mat3 to_matrix(Quat q)
{
    const float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const float wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
            {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
            {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};
}

// Angles in radians.
inline Quat axis_angle(Vec3 axis, float angle)
{
    const Vec3 u = normalize(axis, {0, 0, 0}) * std::sin(0.5f * angle);
    return {u.x, u.y, u.z, std::cos(0.5f * angle)};
}

// Exponential map: the rotation by |v| radians about v.
inline Quat rotation_from_vector(Vec3 v)
{
    const float angle = length(v);
    const float s = angle > 1e-4f ? std::sin(0.5f * angle) / angle : 0.5f - angle * angle / 48.0f;
    return {v.x * s, v.y * s, v.z * s, std::cos(0.5f * angle)};
}

// Logarithm: the rotation vector of `q`, at most pi long.
inline Vec3 rotation_vector(Quat q)
{
    if (q.w < 0)
        q = {-q.x, -q.y, -q.z, -q.w};
    const Vec3 u{q.x, q.y, q.z};
    const float s = length(u);
    return s > 1e-6f ? u * (2.0f * std::atan2(s, q.w) / s) : 2.0f * u;
}

// The shortest rotation that takes the unit vector `from` to the unit vector `to`.
Quat rotation_between(Vec3 from, Vec3 to);
Quat quat_from_matrix(const Mat3& rotation);

// A pose relative to some frame.
struct Transform
{
    Vec3 position{};
    Quat rotation{};

    friend bool operator==(const Transform&, const Transform&) = default;
};

inline Vec3 apply(const Transform& t, Vec3 p) { return rotate(t.rotation, p) + t.position; }
inline Vec3 apply_inverse(const Transform& t, Vec3 p) { return inverse_rotate(t.rotation, p - t.position); }
inline Transform operator*(const Transform& a, const Transform& b)
{
    return {apply(a, b.position), a.rotation * b.rotation};
}
inline Transform inverse(const Transform& t)
{
    return {inverse_rotate(t.rotation, -t.position), conjugate(t.rotation)};
}

// A pose in the world.
struct Pose
{
    DVec3 position{};
    Quat rotation{};

    friend bool operator==(const Pose&, const Pose&) = default;
};

inline DVec3 apply(const Pose& pose, Vec3 p) { return pose.position + DVec3(rotate(pose.rotation, p)); }
inline Vec3 apply_inverse(const Pose& pose, DVec3 p)
{
    return inverse_rotate(pose.rotation, relative(p, pose.position));
}
inline Pose operator*(const Pose& a, const Transform& b) { return {apply(a, b.position), a.rotation * b.rotation}; }

// The pose of `b` seen from `a`.
inline Transform relative(const Pose& b, const Pose& a)
{
    return {apply_inverse(a, b.position), conjugate(a.rotation) * b.rotation};
}
inline bool is_finite(const Pose& p) { return is_finite(p.position) && is_finite(p.rotation); }

constexpr float pi = 3.14159265358979f;
inline float radians(float degrees) { return degrees * (pi / 180.0f); }

} // namespace moraine
