// The solve: velocities of the awake movers over one step, and how far they take them.
#pragma once

#include "base/arena.h"
#include "base/tasks.h"
#include "dynamics/colouring.h"
#include "dynamics/contact_batch.h"
#include "dynamics/impacts.h"
#include "dynamics/joints.h"
#include "dynamics/kicks.h"
#include "graph/bodies.h"

#include <moraine/defs.h>

namespace moraine
{

struct SolverReport
{
    int direct_groups = 0;
    int direct_rows = 0;         // of all groups
    int direct_rows_largest = 0; // of the largest one
    int direct_fallbacks = 0;    // groups that were too large, or that pivoting did not solve
};

struct SolverInput
{
    const WorldDef& settings;
    float dt;
    Tasks& tasks;
    Arena& arena;
    SolverReport* report = nullptr; // added to where wanted
    ImpactWatch* impacts = nullptr; // where wanted: contacts that were hit
    const Kicks* kicks = nullptr;   // contacts that are shaken
};

struct SolverWorld
{
    const Bodies& bodies;
    Movers& movers;
    ContactGraph& graph;
    Joints& joints;
    const Colouring& colouring;
};

// After it, velocities hold the end of the step and shift/turn the motion; poses are unchanged.
void solve(const SolverInput& input, const SolverWorld& world);

void solve_substeps(const SolverInput& input, const SolverWorld& world);
void solve_pgs(const SolverInput& input, const SolverWorld& world);
void solve_direct(const SolverInput& input, const SolverWorld& world);

} // namespace moraine
