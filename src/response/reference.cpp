#include "response/reference.h"

#include "response/elastic_body.h"
#include "response/transient.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace moraine
{

namespace
{

using Vector = Eigen::Vector3d;

constexpr int points_around = 8;
constexpr int steps_between_searches = 100; // for the triangle under a point; dishes slide slowly

struct Foot
{
    Vector local{}; // from the centre of mass
    bool is_over = false;
    Carriers below{}; // of the point of the top under it
};

struct Dish
{
    ReferenceDish def{};
    Vector position{}, velocity{}, spin{};
    Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
    std::vector<Foot> feet{};
    double damping = 0; // of a point
    double rest_height = 0, highest = 0;
};

// Of a spring and dashpot that only push, so that a mass leaves with this part of its speed (Schwager and Pöschel 2007):
// e = exp(-z/w (pi - atan2(2 z w, w² - z²))), w² = 1 - z².
double damping_ratio(double restitution)
{
    double low = 0, high = 0.999;
    for (int i = 0; i < 60; ++i)
    {
        const double z = 0.5 * (low + high), w = std::sqrt(1 - z * z);
        const double e = std::exp(-z / w * (double(pi) - std::atan2(2 * z * w, w * w - z * z)));
        (e > restitution ? low : high) = z;
    }
    return low;
}

Dish make_dish(const ReferenceDish& def, const ReferenceOptions& options)
{
    Dish dish{.def = def,
              .position = {def.center.x, def.center.y, def.center.z},
              .velocity = {def.velocity.x, def.velocity.y, def.velocity.z},
              .spin = Vector::Zero()};
    for (int k = 0; k < points_around; ++k)
    {
        const double angle = 2 * double(pi) * k / points_around;
        dish.feet.push_back(
            {{def.foot_radius * std::cos(angle), -def.foot_depth, def.foot_radius * std::sin(angle)}, false, {}});
    }
    const double ratio = damping_ratio(options.restitution);
    dish.damping = 2 * ratio * std::sqrt(options.stiffness * def.mass / points_around);
    return dish;
}

// The flat top of the body, and where points are on it. Loads go to the nodes by the elements' own functions: spread
// linearly between vertices they would find corners softer than the middles of edges.
class Top
{
public:
    Top(const ElasticBody& body, double height) : body_(body), height_(height) {}

    void find(const Vector& point, Foot& foot) const
    {
        const DVec3 at{point.x(), height_, point.z()};
        const Embedding embedding = embed(body_.lattice, Vec3(at));
        DVec3 found{};
        for (size_t k = 0; k < 4; ++k)
            found += body_.lattice.mesh.nodes[size_t(body_.lattice.mesh.tets[size_t(embedding.tet)][k])] *
                     embedding.weights[k];
        foot.is_over = length(found - at) < 1e-4;
        foot.below = {body_.mesh.tets[size_t(embedding.tet)], quadratic_shape(embedding.weights)};
    }
    Vector at(const Foot& foot, const Eigen::VectorXd& unknowns) const
    {
        return displacement(body_, foot.below, unknowns);
    }
    void push(const Foot& foot, const Vector& force, Eigen::VectorXd& forces) const
    {
        add_force(body_, foot.below, force, forces);
    }
    bool is_there() const
    {
        const auto& planes = body_.lattice.planes[1];
        return !planes.empty() && std::fabs(planes.back() - height_) < 1e-4;
    }

private:
    const ElasticBody& body_;
    double height_;
};

struct Simulation
{
    const ReferenceOptions& options;
    const Top& top;
    double height;
    std::vector<Dish>& dishes;

    // A spring with a dashpot that only pushes, and friction that grows with slip up to its limit.
    Vector contact_force(const Dish& dish, const Foot& foot, const Vector& arm, const Transient& table) const
    {
        const Vector bent = top.at(foot, table.displacements());
        const double gap = dish.position.y() + arm.y() - height - bent.y();
        if (gap >= 0)
            return Vector::Zero();
        const Vector speed = dish.velocity + dish.spin.cross(arm) - top.at(foot, table.velocities());
        const double pressed = std::max(-options.stiffness * gap - dish.damping * speed.y(), 0.0);
        const Vector slip{speed.x(), 0, speed.z()};
        const double slip_speed = slip.norm();
        Vector force{0, pressed, 0};
        if (slip_speed > 0)
            force -= std::min(options.friction * pressed, dish.damping * slip_speed) / slip_speed * slip;
        return force;
    }

    void step(Transient& table, Eigen::VectorXd& forces, bool search)
    {
        forces.setZero();
        for (Dish& dish : dishes)
        {
            Vector force{0, -options.gravity * dish.def.mass, 0}, torque = Vector::Zero();
            for (Foot& foot : dish.feet)
            {
                const Vector arm = dish.rotation * foot.local;
                if (search)
                    top.find(dish.position + arm, foot);
                if (!foot.is_over)
                    continue;
                const Vector push = contact_force(dish, foot, arm, table);
                force += push;
                torque += arm.cross(push);
                top.push(foot, -push, forces);
            }
            move(dish, force, torque);
        }
        table.step(forces);
    }

    void move(Dish& dish, const Vector& force, const Vector& torque) const
    {
        dish.velocity += options.dt / dish.def.mass * force;
        const Vector axis = dish.rotation * Vector::UnitY();
        const Vector along = axis.dot(torque) * axis;
        dish.spin += options.dt * (along / dish.def.inertia_axis + (torque - along) / dish.def.inertia_across);
        dish.position += options.dt * dish.velocity;
        const double angle = options.dt * dish.spin.norm();
        if (angle > 0)
            dish.rotation = (Eigen::AngleAxisd(angle, dish.spin.normalized()) * dish.rotation).normalized();
    }
};

// The body as those that stand on it bend it, and those on it sunk as far.
Eigen::VectorXd bend(const ElasticBody& body, const Top& top, const ReferenceOptions& options,
                     std::vector<Dish>& dishes)
{
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(body.system.size());
    for (Dish& dish : dishes)
        for (Foot& foot : dish.feet)
        {
            top.find(dish.position + foot.local, foot);
            if (foot.is_over && !dish.def.is_falling)
                top.push(foot, {0, -options.gravity * dish.def.mass / points_around, 0}, weights);
        }
    const Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower, Eigen::NaturalOrdering<int>> factor(body.system.stiffness);
    Eigen::VectorXd bent = factor.solve(weights);
    for (Dish& dish : dishes)
    {
        if (dish.def.is_falling)
            continue;
        double sunk = 0;
        for (const Foot& foot : dish.feet)
            if (foot.is_over)
                sunk += top.at(foot, bent).y() / points_around;
        dish.position.y() += sunk - options.gravity * dish.def.mass / (points_around * options.stiffness);
    }
    return bent;
}

} // namespace

Result<ReferenceOutcome> simulate_reference(const ModelDefinition& definition, double height,
                                            const std::vector<ReferenceDish>& defs, const ReferenceOptions& options,
                                            const std::function<void(double)>& progress)
{
    const Result<ElasticBody> body = build_elastic_body(definition);
    if (!body)
        return body.error();
    if (!body->is_held)
        return Error{"the elastic body must be held somewhere"};
    const Top top(*body, height);
    if (!top.is_there())
        return Error{"the elastic body has no flat top at the height that was given"};
    std::vector<Dish> dishes;
    for (const ReferenceDish& def : defs)
        dishes.push_back(make_dish(def, options));
    Transient table(body->system, definition.material, options.dt);
    if (!table.is_good())
        return Error{"the elements could not be set in motion; check the moduli and the mesh"};
    table.start_at(bend(*body, top, options, dishes));

    Simulation simulation{options, top, height, dishes};
    Eigen::VectorXd forces(body->system.size());
    const int settle = int(options.settle / options.dt), steps = settle + int(options.seconds / options.dt);
    for (int i = 0; i < steps; ++i)
    {
        simulation.step(table, forces, i % steps_between_searches == 0);
        for (Dish& dish : dishes)
        {
            if (i <= settle)
                dish.rest_height = dish.highest = dish.position.y();
            dish.highest = std::max(dish.highest, dish.position.y());
        }
        if (progress && i % 100 == 0)
            progress(double(i) / steps);
    }
    ReferenceOutcome outcome{.unknowns = int(body->system.size()), .steps = steps};
    for (const Dish& dish : dishes)
        outcome.rises.push_back(dish.highest - dish.rest_height);
    return outcome;
}

} // namespace moraine
