// Blows: a hit or an impulse on a member acts within one step, and is over before forces that last could be found for it.
//
// What holds against a load that stays does not hold against that: until the blow has run to an anchor and back everybody
// it meets gives way, and where it ends depends on all of them. So it is left to the solve of the same step. Out from
// the struck body, breadth first (section 6.2 of the paper), bodies leave for as long as the blow could move it and
// all who left with it by more than a given speed; further away it moves nobody by more than that.
#pragma once

#include "merge/probe.h"

namespace moraine
{

// Adds the bodies that a blow may move to Collections::blows.
void find_blown(const Blow& blow, float speed, Collections& collections);

} // namespace moraine
