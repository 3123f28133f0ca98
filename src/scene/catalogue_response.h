// What the scenes of distant collision response share.
#pragma once

#include "scene/catalogue_scenes.h"

namespace moraine
{

constexpr float response_restitution = 0.15f; // ε of distant-collision-response-2020

// Poisson's ratio 0.3 and the Rayleigh damping of its section 5.3, a little stronger at high frequencies.
ElasticMaterial elastic(double young, double density);
// Empty, with the paper's step.
SceneDescription response_scene();

} // namespace moraine
