// One run of the experiment: which speed-ups, what it took, where the balls went; kept in files so that an experiment can
// be taken up again.
#pragma once

#include <moraine/moraine.h>

#include <string>
#include <vector>

namespace moraine::bench
{

enum SpeedUp
{
    caching,
    tweaking,
    reduction,
    zeroing,
    damping,
    subgrouping,
    fixation,
    speed_up_count
};

struct DikuConfig
{
    SolverKind solver = SolverKind::direct;
    bool groups = true;
    bool sleeping = true;
    unsigned speed_ups = 0; // bits

    bool has(SpeedUp s) const { return (speed_ups >> s) & 1; }
    bool operator==(const DikuConfig&) const = default;
};

struct DikuOutcome
{
    double seconds = 0; // of the whole run
    std::vector<double> milliseconds{};
    std::vector<double> variables{};         // of the largest group
    std::vector<double> variables_mean{};    // of a group
    std::vector<double> contacts{};          // points
    std::vector<std::vector<DVec3>> track{}; // positions, every tenth step
    // From the first run of the experiment.
    double distance_largest = 0, distance_mean_at_end = 0;
};

const char* speed_up_name(int speed_up);
// The speed-ups whose names are joined by '+'.
Result<unsigned> parse_speed_ups(const std::string& text);
// Fixation makes sense with subgrouping only.
bool is_sensible(unsigned speed_ups);
std::string name_of(const DikuConfig& config);

// Says on the terminal how far it has come, if it takes long.
Result<DikuOutcome> run_diku_once(const DikuConfig& config, double seconds);
// The same several times: the motion is the same to the bit, and each step's best time is taken.
Result<DikuOutcome> run_diku_rounds(const DikuConfig& config, double seconds, int rounds);
void set_distance(const DikuOutcome& reference, DikuOutcome& outcome);

// In `folder`; with the positions if it is the first run, from which the others' distances are taken.
Status save_outcome(const DikuConfig& config, const DikuOutcome& outcome, bool with_track, const std::string& folder);
// False: there is none, or it is of another length.
bool load_outcome(const DikuConfig& config, double seconds, const std::string& folder, DikuOutcome& out);

} // namespace moraine::bench
