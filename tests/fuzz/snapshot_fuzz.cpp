// A damaged snapshot is refused and leaves the world as it was, or restores a world that can be stepped.
// The input is a list of edits to a good snapshot: two bytes of place, one byte of value; the last byte cuts the end off.
#include <moraine/world.h>

#include <cstdlib>

using namespace moraine;

namespace
{

World make_world()
{
    World world;
    world.create_body({.type = BodyType::static_, .shapes = {{.geometry = HalfSpace{}}}});
    BodyId below{};
    for (int i = 0; i < 3; ++i)
    {
        const BodyId body = world.create_body({.position = {0, 0.5 + i, 0}, .shapes = {{.geometry = Box{}}}});
        if (below)
            world.create_joint(world.joint_at(below, body, {{0, double(i), 0}, {}}, HingeJoint{}));
        below = body;
    }
    for (int i = 0; i < 10; ++i)
        world.step(1.0f / 60);
    return world;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const std::vector<uint8_t> good = make_world().snapshot();
    std::vector<uint8_t> bytes = good;
    for (size_t i = 0; i + 3 <= size; i += 3)
        bytes[(data[i] * 256u + data[i + 1]) % bytes.size()] = data[i + 2];
    if (size % 3 == 1)
        bytes.resize(bytes.size() - data[size - 1]);

    World world = make_world();
    const uint64_t before = world.state_hash();
    if (!world.restore(bytes))
    {
        if (world.state_hash() != before)
            std::abort();
        return 0;
    }
    for (int i = 0; i < 3; ++i)
        world.step(1.0f / 60);
    return 0;
}
