// The lowest vibration modes of a finite element system.
#pragma once

#include "response/fem.h"

#include <functional>

namespace moraine
{

struct Eigenmodes
{
    Eigen::VectorXd values{};  // squares of the frequencies, ascending; the rigid modes of a free body are not in it
    Eigen::MatrixXd vectors{}; // mass-normalised
    int rigid_count = 0;       // left out
    double rigid_largest = 0;  // frequency of the worst of them, rad/s
};

// `frequency_scale` is a guess of the lowest frequency, rad/s; a factor of ten either way costs little.
Result<Eigenmodes> find_eigenmodes(const FemSystem& system, int count, bool is_free, double frequency_scale);

} // namespace moraine
