// A simply supported beam along x, as a response model in closed form:
//     shape of mode j:  sqrt(2 / M) sin(j π x / L), upwards;  ω_j = (j π / L)² sqrt(E I / ρ A)
#pragma once

#include <moraine/moraine.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace moraine::test
{

struct Beam
{
    double length = 2, width = 0.4, thickness = 0.04;
    ElasticMaterial material{.young = 1.1e9, .poisson = 0.3, .density = 700, .alpha0 = 0, .alpha1 = 0};
    int modes = 8;
    int cells = 40;

    double mass() const { return length * width * thickness * material.density; }
    double frequency(int j) const // j from 1
    {
        const double k = j * std::numbers::pi / length;
        return k * k * std::sqrt(material.young * thickness * thickness / 12 / material.density);
    }
    double shape(int j, double x) const // x from the middle
    {
        return std::sqrt(2 / mass()) * std::sin(j * std::numbers::pi * (x / length + 0.5));
    }
    // The largest displacement of the point at x after an impulse at x0, sampled finely.
    double largest(double x, double x0, double impulse, double duration, int samples = 1000) const
    {
        double most = 0;
        for (int k = 1; k <= samples; ++k)
        {
            double q = 0;
            for (int j = 1; j <= modes; ++j)
                q += shape(j, x) * shape(j, x0) * impulse / frequency(j) *
                     std::sin(frequency(j) * duration * k / samples);
            most = std::max(most, std::fabs(q));
        }
        return most;
    }

    // Its top is a sheet at y = thickness / 2.
    std::shared_ptr<ResponseModel> model() const
    {
        auto m = std::make_shared<ResponseModel>();
        m->material = material;
        m->has_fixed_boundary = true;
        m->mass = float(mass());
        for (int j = 1; j <= modes; ++j)
            m->frequencies.push_back(float(frequency(j)));
        for (int i = 0; i <= cells; ++i)
            for (int side = 0; side < 2; ++side)
            {
                const double x = length * (double(i) / cells - 0.5);
                m->vertices.push_back({float(x), float(thickness / 2), float(width * (side - 0.5))});
                for (int j = 1; j <= modes; ++j)
                    m->shapes.push_back({0, float(shape(j, x)), 0});
                m->amplitude.push_back(float(largest(x, x, 1, 0.01, 100)));
            }
        for (uint32_t i = 0; i < uint32_t(cells); ++i)
        {
            m->triangles.push_back({2 * i, 2 * i + 1, 2 * i + 2});
            m->triangles.push_back({2 * i + 2, 2 * i + 1, 2 * i + 3});
        }
        return m;
    }
    Box box() const { return {{float(length / 2), float(thickness / 2), float(width / 2)}}; }
    double top() const { return thickness / 2; }
};

} // namespace moraine::test
