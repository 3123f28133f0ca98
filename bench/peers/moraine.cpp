#include "peer.h"

#include <moraine/version.h>

namespace moraine::bench
{

namespace
{

class MorainePeer : public Peer
{
public:
    explicit MorainePeer(Scene scene) : scene_(std::move(scene)) {}
    void step(float dt) override { scene_.step(dt); }
    uint64_t state_hash() const override { return scene_.world().state_hash(); }

    void read_poses(std::vector<Pose>& poses) const override
    {
        poses.clear();
        for (BodyId body : scene_.bodies())
            poses.push_back(scene_.world().pose(body));
    }

private:
    Scene scene_;
};

// The description outlives the peer: it is shared, so that memory shows what the engine takes.
Result<std::unique_ptr<Peer>> create(const SceneDescription& scene, const PeerOptions& options, bool merging)
{
    WorldDef settings = scene.world;
    settings.threads = options.threads;
    settings.sleeping = options.sleeping;
    settings.merging = merging;
    auto running = Scene::create(std::shared_ptr<const SceneDescription>(std::shared_ptr<void>(), &scene), settings);
    if (!running)
        return running.error();
    return std::unique_ptr<Peer>(std::make_unique<MorainePeer>(std::move(*running)));
}

Result<std::unique_ptr<Peer>> create_default(const SceneDescription& scene, const PeerOptions& options)
{
    return create(scene, options, false);
}

Result<std::unique_ptr<Peer>> create_merging(const SceneDescription& scene, const PeerOptions& options)
{
    return create(scene, options, true);
}

} // namespace

PeerKind moraine_kind() { return {"moraine", version(), create_default}; }
PeerKind moraine_merging_kind() { return {"moraine_merging", version(), create_merging}; }

} // namespace moraine::bench
