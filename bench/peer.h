// An engine that can run a scene. All engines get the same scene, and none is asked how well it did: that is judged
// from the poses, the same way for all (see judge.h).
#pragma once

#include "scene/description.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace moraine::bench
{

struct PeerOptions
{
    int threads = 1;
    bool sleeping = false;
};

class Peer
{
public:
    virtual ~Peer() = default;
    virtual void step(float dt) = 0;
    // Of the bodies' frames, by their index in the scene.
    virtual void read_poses(std::vector<Pose>& poses) const = 0;
    virtual uint64_t state_hash() const { return 0; } // 0: the engine has none
};

// An error says what the engine cannot represent.
using CreatePeer = Result<std::unique_ptr<Peer>> (*)(const SceneDescription& scene, const PeerOptions& options);

struct PeerKind
{
    std::string name;
    std::string version;
    CreatePeer create = nullptr;
};

// Those that were found when the benchmark was built.
std::vector<PeerKind> peer_kinds();

// One in each file of peers/; an engine's default settings.
PeerKind moraine_kind();
PeerKind moraine_merging_kind();
PeerKind bullet_kind();
PeerKind ode_kind();
PeerKind jolt_kind();
PeerKind box3d_kind();

} // namespace moraine::bench
