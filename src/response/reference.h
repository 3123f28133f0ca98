// A reference to judge the fast response by: an elastic body stepped in time with rigid dishes on it that touch it by
// stiff springs, nothing reduced and nothing guessed. Slow.
#pragma once

#include "response/precompute.h"

namespace moraine
{

// A rigid body of revolution that stands upright on a round foot.
struct ReferenceDish
{
    double mass = 1;
    DVec3 center{};             // of mass
    double foot_radius = 0.1;   // touches with points around it
    double foot_depth = 0;      // below the centre
    double inertia_axis = 0.01; // about its axis, and across
    double inertia_across = 0.01;
    DVec3 velocity{};
    bool is_falling = false; // not yet on the table: its weight does not bend it at the start
};

struct ReferenceOptions
{
    double dt = 1e-5;
    double settle = 0.02;   // before heights are measured
    double seconds = 0.3;   // from then on
    double stiffness = 2e6; // of a contact point, N/m: a rim that dents wood over a millimetre
    double restitution = 0.15;
    double friction = 0.5;
    double gravity = 9.81;
};

struct ReferenceOutcome
{
    std::vector<double> rises{}; // how far each dish's centre came above where it stood
    int unknowns = 0, steps = 0;
};

// `top` is the height of the flat surface they stand on, the highest of the body. It is made from a surface.
Result<ReferenceOutcome> simulate_reference(const ModelDefinition& table, double top,
                                            const std::vector<ReferenceDish>& dishes, const ReferenceOptions& options,
                                            const std::function<void(double)>& progress = {});

} // namespace moraine
