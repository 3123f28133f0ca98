// Making and unmaking bodies and joints: the only places where they come and go.
#pragma once

#include "world/world_data.h"

namespace moraine
{

// A sentence that says what is wrong and what to do, or an empty string.
std::string body_problem(const BodyDef& def);

int32_t create_body(WorldData& world, const BodyDef& def); // the definition has no problem
void destroy_body(WorldData& world, int32_t body);
int32_t add_joint_record(WorldData& world); // an empty one, not linked yet
int32_t create_joint(WorldData& world, const JointDef& def, int32_t body_a, int32_t body_b);
void destroy_joint(WorldData& world, int32_t joint);

int32_t create_mover(WorldData& world);
void destroy_mover(WorldData& world, int32_t mover);
// A mover for one body, at the pose of its centre of mass.
void make_free(WorldData& world, int32_t body, const Pose& pose, Vec3 linear, Vec3 angular);
// Box and radius of a mover that has only this body.
void measure_free(WorldData& world, int32_t body);
// After a change of mass, type or flags that the mover must know of.
void update_mover_mass(WorldData& world, int32_t body);
// After a change of filter, rules, flags or pose: edges that may no longer be go, the others are looked at again, and
// pairs are sought. Nobody is woken.
void search_pairs_again(WorldData& world, int32_t body);
// After a jump: what pushed the body there does not push it here.
void forget_impulses(WorldData& world, int32_t body);
void set_rule_groups(Bodies& bodies, int32_t body, uint64_t groups);

ShapeDef shape_def(const Bodies& bodies, int32_t body, const Shape& shape); // as the user gave it

} // namespace moraine
