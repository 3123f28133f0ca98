// A distributed run: the same loop on every rank, whatever carries the messages. Rank 0 is the main server too.
#pragma once

#include "distribute/checkpoint.h"
#include "distribute/mirror.h"

#include <functional>
#include <optional>

namespace moraine::distribute
{

struct Decision
{
    bool stops = false;
    bool saves = false; // a checkpoint
};

struct RunSettings
{
    uint64_t steps = 0; // to be reached, counted from the start of the scene
    // Called on rank 0 after each step.
    std::function<Decision(const ServerStep&, uint64_t step)> observe{};
    // Called on rank 0 after each step and before the first, with all bodies. Set on all ranks or on none.
    std::function<void(const Shown&)> show{};
    bool shows_contacts = false;
    // Asked on each rank before each step: a rank may be told to stop by a signal that the others do not get.
    std::function<bool()> asks_to_stop{};
    std::string checkpoint_path{};
    const Checkpoint* resumed = nullptr; // on rank 0
};

struct RunResult
{
    uint64_t first_step = 0;
    uint64_t steps = 0; // reached
    double time = 0;
    uint64_t state_hash = 0;
    double energy_start = 0, energy_end = 0;
    std::vector<BodyCopy> bodies{}; // by number in the scene
    std::vector<WorkerMask> masks{};
};

// Why this scene cannot be divided among so many, or nothing.
Status check_distributable(const SceneDescription& scene, int workers);

// Gives a result on rank 0 and none on the others. An error is the same sentence on all ranks.
Result<std::optional<RunResult>> run_rank(const SharedScene& shared, const RunSettings& settings, Transport& transport);

// All ranks as threads of this process.
Result<RunResult> run_workers(std::shared_ptr<const SceneDescription> scene, const RunSettings& settings, int workers);

} // namespace moraine::distribute
