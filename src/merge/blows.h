// Blows: a hit or an impulse on a member acts within one step, and is over before forces that last could be found for it.
//
// What holds against a load that stays does not hold against that, and who is moved by it leaves, so that the solve of the
// same step can move it. It is played through: impulses of contacts and joints that push and rub as hard as they can bring to
// rest whom they can, as in a hit without bounce, among those that it has reached. Out from the struck body (section 6.2 of the
// paper) it reaches whoever is pushed by so much that it would move by more than a given speed, as long as the blow could give
// all of them together several times as much. Who is left with more than that speed leaves: the domino that is hit, but
// not the brick that is pressed against its neighbours.
#pragma once

#include "merge/probe.h"

namespace moraine
{

// Adds the bodies that a blow moves to Collections::blows. dt: of the step, in which the forces from before act as well.
void find_blown(const Blow& blow, float speed, float dt, Collections& collections);

} // namespace moraine
