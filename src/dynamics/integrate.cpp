#include "dynamics/integrate.h"

#include <cmath>

namespace moraine
{

namespace
{

// Below this change of angle in a step the gyroscopic torque is lost in rounding.
constexpr float smallest_turn = 1e-3f;

// The exponential map; for the small turns of a step by its series, which is exact to a bit there.
Quat rotation_of(Vec3 turn)
{
    const float a = length_squared(turn);
    if (a > 0.25f)
        return rotation_from_vector(turn);
    const float s = 0.5f - a * (1 / 48.0f - a * (1 / 3840.0f - a * (1 / 645120.0f)));
    const float c = 1 - a * (1 / 8.0f - a * (1 / 384.0f - a * (1 / 46080.0f)));
    return {turn.x * s, turn.y * s, turn.z * s, c};
}

bool is_isotropic(const Factor& f)
{
    const float size = 1e-4f * f.xx;
    return std::fabs(f.yx) < size && std::fabs(f.zx) < size && std::fabs(f.zy) < size &&
           std::fabs(f.yy - f.xx) < size && std::fabs(f.zz - f.xx) < size;
}

// I ω with I = L⁻ᵀ L⁻¹.
Vec3 momentum(const Factor& inverse, Vec3 omega) { return transpose_multiply(inverse, multiply(inverse, omega)); }
// I⁻¹ m with I⁻¹ = L Lᵀ.
Vec3 velocity_of(const MoverMass& mass, Vec3 m) { return multiply(mass.factor, transpose_multiply(mass.factor, m)); }

// Euler's equation in the body's frame by the implicit midpoint rule, I (ω₁ - ω₀) + h ω × I ω = 0 at ω = (ω₀ + ω₁) / 2:
// it keeps every quadratic invariant, so energy and the length of the momentum. Returns ω₁.
Vec3 turn_freely(const MoverMass& mass, const Factor& inverse, Vec3 omega, float h)
{
    const Vec3 m0 = momentum(inverse, omega);
    Vec3 m1 = m0;
    for (int i = 0; i < 8; ++i)
    {
        const Vec3 middle = 0.5f * (m0 + m1);
        const Vec3 next = m0 - h * cross(velocity_of(mass, middle), middle);
        const bool is_done = length_squared(next - m1) <= 1e-13f * length_squared(m0);
        m1 = next;
        if (is_done)
            break;
    }
    // Away from convergence (fast spins) the length is put right by hand.
    m1 = m1 * (length(m0) / std::fmax(length(m1), 1e-30f));
    return velocity_of(mass, m1);
}

} // namespace

void integrate_mover(Mover& mover, const MoverMass& mass, MoverVelocity& velocity, float dt, bool gyroscopic,
                     bool is_jointed)
{
    if (mover.is_planar) // contacts with what is not planar push out of the plane
        velocity.linear.z = velocity.shift.z = 0;
    mover.pose.position += DVec3(velocity.shift);
    const Quat old = mover.pose.rotation;
    if (!mover.is_dynamic())
    {
        mover.pose.rotation = normalize(rotation_of(velocity.turn) * old);
        return;
    }
    const Vec3 omega = multiply(mass.factor, velocity.spin); // in the mover's frame
    Vec3 turn = multiply(mass.factor, velocity.turn);
    const Factor inverse = inverse_of(mass.factor);
    if (!gyroscopic || mover.is_planar || length(omega) * dt < smallest_turn || is_isotropic(mass.factor))
    {
        mover.pose.rotation = normalize(old * rotation_of(turn));
        velocity.spin = multiply(inverse, inverse_rotate(mover.pose.rotation, rotate(old, omega)));
        return;
    }

    const Vec3 omega_end = turn_freely(mass, inverse, omega, dt);
    if (is_jointed)
    {
        mover.pose.rotation = normalize(old * rotation_of(turn));
        velocity.spin = multiply(inverse, omega_end);
        return;
    }
    turn += 0.5f * dt * (omega_end - omega);
    const Quat turned = normalize(old * rotation_of(turn));
    // The momentum must keep its direction in the world: the smallest rotation that makes it so.
    const Vec3 before = normalize(rotate(old, momentum(inverse, omega)));
    const Vec3 after = normalize(rotate(turned, momentum(inverse, omega_end)));
    mover.pose.rotation = normalize(rotation_between(after, before) * turned);
    velocity.spin = multiply(inverse, omega_end);
}

} // namespace moraine
