#include "response/fit_attenuation.h"

#include "response/elastic_body.h"
#include "response/heat_geodesics.h"
#include "response/transient.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <random>

namespace moraine
{

namespace
{

constexpr double crossings = 3;       // how often a shear wave may cross the body before we stop looking
constexpr double steps_in_a_cell = 2; // while a pressure wave passes a cell
constexpr double largest_steps = 4000;

// log s = c - α r - β log r, each of α and β taken part in or not.
struct LogFit
{
    double constant = 0, alpha = 0, beta = 0, error = 1e300;
};

LogFit fit_with(const std::vector<AttenuationSample>& samples, bool with_alpha, bool with_beta)
{
    const int columns = 1 + with_alpha + with_beta;
    Eigen::MatrixXd a(Eigen::Index(samples.size()), columns);
    Eigen::VectorXd b(Eigen::Index(samples.size()));
    for (Eigen::Index i = 0; i < b.size(); ++i)
    {
        const AttenuationSample& s = samples[size_t(i)];
        int column = 0;
        a(i, column++) = 1;
        if (with_alpha)
            a(i, column++) = -s.distance;
        if (with_beta)
            a(i, column++) = -std::log(s.distance);
        b[i] = std::log(s.ratio);
    }
    const Eigen::VectorXd x = a.colPivHouseholderQr().solve(b);
    LogFit fit{x[0], with_alpha ? x[1] : 0, with_beta ? x[columns - 1] : 0};
    fit.error = (a * x - b).norm() / std::sqrt(double(samples.size()));
    return fit;
}

// The distance at which nothing is lost yet: c = α r0 + β log r0.
double reference_distance(const LogFit& fit)
{
    if (!(fit.alpha > 0))
        return fit.beta > 0 ? std::exp(std::clamp(fit.constant / fit.beta, -20.0, 20.0)) : 1;
    double low = 1e-9, high = 1e9;
    for (int i = 0; i < 200; ++i)
    {
        const double middle = std::sqrt(low * high);
        (fit.alpha * middle + fit.beta * std::log(middle) < fit.constant ? low : high) = middle;
    }
    return low;
}

struct Listener
{
    uint32_t vertex = 0;
    Eigen::Vector3d normal{};
    double largest = 0;

    void listen(const ElasticBody& body, const Eigen::VectorXd& velocities)
    {
        largest = std::max(largest, std::fabs(normal.dot(displacement(body, vertex, velocities))));
    }
};

Listener listener_at(const std::vector<Vec3>& normals, uint32_t vertex)
{
    const Vec3 n = normals[vertex];
    return {vertex, {double(n.x), double(n.y), double(n.z)}};
}

} // namespace

double attenuation_factor(const Attenuation& a, double r)
{
    const double r0 = double(a.reference_distance);
    if (r <= r0)
        return double(a.scale);
    return double(a.scale) * std::exp(-double(a.alpha) * (r - r0)) * std::pow(r / r0, -double(a.beta));
}

AttenuationFit fit_attenuation(std::vector<AttenuationSample> samples)
{
    AttenuationFit out;
    std::erase_if(samples, [](const AttenuationSample& s) { return !(s.distance > 0) || !(s.ratio > 0); });
    out.samples = std::move(samples);
    if (out.samples.size() < 4)
        return out;
    LogFit best = fit_with(out.samples, false, false);
    for (const auto& [with_alpha, with_beta] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)})
    {
        const LogFit fit = fit_with(out.samples, with_alpha, with_beta);
        if (fit.alpha >= 0 && fit.beta >= 0 && fit.error < best.error)
            best = fit;
    }
    out.error = best.error;
    out.attenuation = {float(best.alpha), float(best.beta), float(reference_distance(best)), 1};
    if (best.alpha == 0 && best.beta == 0) // it does not die away
        out.attenuation.scale = float(std::exp(best.constant));
    return out;
}

Result<std::vector<AttenuationSample>> measure_attenuation(const ModelDefinition& definition, const FitOptions& options,
                                                           const std::function<void(double)>& progress)
{
    const Result<ElasticBody> body = build_elastic_body(definition);
    if (!body)
        return body.error();
    const auto geodesics = make_heat_geodesics(body->surface.vertices, body->surface.triangles);
    if (!geodesics)
        return geodesics.error();
    const ElasticMaterial& m = definition.material;
    Vec3 lower, upper;
    const double diagonal = double(bounding_box(body->surface.vertices, lower, upper));
    const double shear = std::sqrt(m.young / (2 * (1 + m.poisson) * m.density));
    const double dt = body->cell_size / std::sqrt(m.young / m.density) / steps_in_a_cell;
    const int steps = int(std::clamp(crossings * diagonal / shear / dt, 10.0, largest_steps));

    const std::vector<Vec3> normals = vertex_normals(body->surface.vertices, body->surface.triangles);
    std::mt19937 random(options.seed);
    const auto any_vertex = [&] { return uint32_t(random() % body->surface.vertices.size()); };
    const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(body->system.size());
    Transient transient(body->system, m, dt);
    if (!transient.is_good())
        return Error{"the elements could not be set in motion; check the moduli and the mesh"};
    std::vector<AttenuationSample> samples;
    for (int i = 0; i < options.impacts; ++i)
    {
        transient.rest();
        Listener hit = listener_at(normals, any_vertex());
        std::vector<Listener> listeners;
        for (int k = 0; k < options.distant; ++k)
            listeners.push_back(listener_at(normals, any_vertex()));
        Eigen::VectorXd impulse = nothing;
        add_force(*body, hit.vertex, -hit.normal / dt, impulse);
        for (int k = 0; k < steps; ++k)
        {
            transient.step(k == 0 ? impulse : nothing);
            hit.listen(*body, transient.velocities());
            for (Listener& listener : listeners)
                listener.listen(*body, transient.velocities());
            if (progress)
                progress((i + double(k + 1) / steps) / options.impacts);
        }
        const auto distances = (*geodesics)->distances(hit.vertex);
        for (const Listener& listener : listeners)
            if (hit.largest > 0 && listener.vertex != hit.vertex && std::isfinite((*distances)[listener.vertex]))
                samples.push_back({double((*distances)[listener.vertex]), listener.largest / hit.largest});
    }
    return samples;
}

std::string attenuation_svg(const AttenuationFit& fit)
{
    constexpr double width = 640, height = 420, left = 60, bottom = 50, top = 40, right = 20;
    double farthest = 0, highest = 0;
    for (const AttenuationSample& s : fit.samples)
        farthest = std::max(farthest, s.distance), highest = std::max(highest, s.ratio);
    farthest = std::max(farthest, 1e-9);
    highest = std::clamp(highest, 1e-9, 1.5);
    const auto x = [&](double r) { return left + r / farthest * (width - left - right); };
    const auto y = [&](double s) { return height - bottom - std::min(s, highest) / highest * (height - bottom - top); };
    char text[400];
    std::string out;
    const auto add = [&](const char* format, auto... values) {
        std::snprintf(text, sizeof text, format, values...);
        out += text;
    };
    add("<svg xmlns='http://www.w3.org/2000/svg' width='%g' height='%g' font-family='sans-serif' font-size='12'>\n"
        "<rect width='100%%' height='100%%' fill='white'/>\n",
        width, height);
    for (int k = 0; k <= 5; ++k)
    {
        const double r = farthest * k / 5, s = highest * k / 5;
        add("<text x='%.1f' y='%.1f' text-anchor='middle'>%.3g</text>\n", x(r), height - bottom + 18, r);
        add("<path d='M%.1f %.1fH%.1f' stroke='#ddd'/><text x='%.1f' y='%.1f' text-anchor='end'>%.2g</text>\n", left,
            y(s), width - right, left - 6, y(s) + 4, s);
    }
    add("<text x='%.1f' y='%.1f' text-anchor='middle'>distance along the surface, m</text>\n", 0.5 * width,
        height - 10);
    add("<text transform='translate(14,%.1f) rotate(-90)' text-anchor='middle'>ratio of velocities</text>\n",
        0.5 * height);
    for (const AttenuationSample& s : fit.samples)
        add("<circle cx='%.1f' cy='%.1f' r='2' fill='#1f6fb4' fill-opacity='0.5'/>\n", x(s.distance), y(s.ratio));
    const auto curve = [&](const Attenuation& a, const char* color) {
        out += "<path fill='none' stroke-width='2' stroke='" + std::string(color) + "' d='";
        for (int k = 1; k <= 200; ++k)
            add("%c%.1f %.1f", k == 1 ? 'M' : 'L', x(farthest * k / 200), y(attenuation_factor(a, farthest * k / 200)));
        out += "'/>\n";
    };
    // The simplified form through the same amplitude at one metre.
    Attenuation simple{0, fit.attenuation.beta > 0 ? fit.attenuation.beta : 1, 1, 1};
    simple.scale = float(attenuation_factor(fit.attenuation, 1));
    curve(simple, "#b8860b");
    curve(fit.attenuation, "#d1495b");
    const Attenuation& a = fit.attenuation;
    add("<text x='%g' y='22' fill='#d1495b'>exp(-%.4g (r - %.4g)) (r / %.4g)^-%.4g</text>\n", left + 10,
        double(a.alpha), double(a.reference_distance), double(a.reference_distance), double(a.beta));
    add("<text x='%g' y='22' fill='#b8860b'>%.3g r^-%.4g</text>\n", left + 330, double(simple.scale),
        double(simple.beta));
    return out + "</svg>\n";
}

} // namespace moraine
