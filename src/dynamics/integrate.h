// Poses at the end of the step.
#pragma once

#include "graph/movers.h"

namespace moraine
{

// Moves one awake mover by its shift and turn, and takes its spin along. With `gyroscopic`, torque-free rotation keeps
// energy and angular momentum. Where joints hold the mover, they have decided on its pose, and only the velocity changes.
void integrate_mover(Mover& mover, const MoverMass& mass, MoverVelocity& velocity, float dt, bool gyroscopic,
                     bool is_jointed = false);

} // namespace moraine
