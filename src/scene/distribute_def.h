// How a scene is divided among workers: see docs/distributed.md.
#pragma once

#include <moraine/defs.h>

#include <cstdint>
#include <string>
#include <vector>

namespace moraine
{

enum class PartitionKind : uint8_t
{
    naive,    // the list of bodies in equal parts
    bisect,   // halves of halves, cut where the fewest constraints are, or across the longest side
    semantic, // the parts that the scene names
    metis,    // few constraints between parts
    file      // a number for each body
};

enum class LoadKind : uint8_t
{
    bodies,      // as in the paper
    constraints, // contact points and joints count, and bodies a little
    time         // measured: the result is no longer the same in each run
};

enum class BlendWeights : uint8_t
{
    geodesic, // by inverse distance in the constraint graph
    equal
};

enum class Detection : uint8_t
{
    distributed, // workers look for contacts between them by themselves
    central      // the main server looks at all bodies
};

enum class Border : uint8_t
{
    carried, // where a worker's part ends, bodies feel what the rest did to them in the last step
    held,    // there, bodies that another worker knows better move on as they did
    free     // as in the paper: there is nothing
};

enum class Balance : uint8_t
{
    steady, // borders move only while they even out the load
    paper,  // at every collision: algorithm 6 as it is written
    none    // only what must be shared is shared
};

struct DistributeDef
{
    int growth_depth = 0; // the paper's gamma: overlap grows so many constraints beyond the border
    int search_depth = 4; // the paper's beta: how far a body looks for those that one worker has alone
    PartitionKind partition = PartitionKind::bisect;
    std::string partition_file{};
    BlendWeights weights = BlendWeights::geodesic;
    LoadKind load = LoadKind::constraints;
    Detection detection = Detection::distributed;
    Balance balance = Balance::steady;
    Border border = Border::carried;
    int first_workers = 0;             // have something to do in the beginning, the others wait; 0: all
    float grow_above = 0;              // load of a worker, on the mean, above which one more begins; 0: never
    float shrink_below = 0;            // below which one ends and the others take over what it has; 0: never
    std::vector<SolverKind> solvers{}; // of the workers, from the first on and then again; empty: the world's
};

} // namespace moraine
