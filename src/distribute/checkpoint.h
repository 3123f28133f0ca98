// Checkpoints of distributed runs: two files in turns, so that one is whole whatever happens to the other.
#pragma once

#include "distribute/messages.h"

#include <moraine/result.h>

namespace moraine::distribute
{

struct Checkpoint
{
    uint64_t fingerprint = 0; // of the scene
    uint64_t step = 0;
    double time = 0;
    Bytes server{};
    std::vector<Bytes> workers{};   // to go on with as many, bit for bit
    std::vector<BodyCopy> bodies{}; // to go on with others, and the next two
    std::vector<RingingBody> ringing{};
    Shakes shakes{}; // still to be felt

    template <class A>
    void archive(A& a)
    {
        a(fingerprint), a(step), a(time), a(server), a(workers), a(bodies), a(ringing), a(shakes);
    }
};

// Takes the place of the older one of PATH.a and PATH.b: written aside, synced, renamed.
Status save_checkpoint(const Checkpoint& checkpoint, const std::string& path);
// One file; a cut or damaged one is an error.
Result<Checkpoint> read_checkpoint(const std::string& file);
// The later one of those that are whole.
Result<Checkpoint> load_checkpoint(const std::string& path);

} // namespace moraine::distribute
