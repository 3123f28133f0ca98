// A damaged recording is refused or read without harm. The input is a list of edits to a good file (two bytes of place,
// one of value), then the same to the bytes inside its frames, where no checksum guards them.
#include "record/recording.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace moraine;

namespace
{

World make_world()
{
    World world;
    world.create_body({.type = BodyType::static_, .shapes = {{.geometry = HalfSpace{}}}});
    for (int i = 0; i < 4; ++i)
        world.create_body({.position = {0.1 * i, 0.6 + 1.1 * i, 0}, .shapes = {{.geometry = Box{}}}, .name = "box"});
    return world;
}

std::vector<uint8_t> make_file()
{
    const std::string path = std::string(std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp") + "/moraine_fuzz.mrec";
    World world = make_world();
    const auto details_of = [](const World& now, ByteWriter& out) { out.text(std::to_string(now.step_count())); };
    RecordInfo info{.scene = "fuzz", .dt = 1.0 / 60, .details = "{}"};
    auto recorder = Recorder::create(path, world, std::move(info), {}, details_of);
    for (int i = 0; i < 30; ++i)
        recorder->add(world, world.step(1.0f / 60));
    (void)recorder->close();
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<uint8_t> make_frames()
{
    World world = make_world();
    Observer observer;
    observer.observe(world);
    std::vector<uint8_t> bytes;
    ByteWriter out(bytes);
    observer.visuals().write(out, 0, 0);
    FrameEncoder encoder;
    encoder.begin_chunk(observer.state(), out);
    for (int i = 0; i < 20; ++i)
    {
        Frame frame;
        gather_stats(world, world.step(1.0f / 60), frame.stats);
        gather_events(world, frame.events);
        observer.observe(world);
        encoder.add(observer.state(), observer.changes(), frame, out);
    }
    return bytes;
}

std::vector<uint8_t> edited(std::vector<uint8_t> bytes, const uint8_t* data, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i += 3)
        bytes[(data[i] * 256u + data[i + 1]) % bytes.size()] = data[i + 2];
    if (size % 3 == 1)
        bytes.resize(bytes.size() - data[size - 1]);
    return bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const std::vector<uint8_t> file = make_file(), frames = make_frames();
    auto recording = Recording::read(edited(file, data, size), "fuzz.mrec");
    if (recording)
        for (size_t frame : {size_t(29), size_t(3), recording->frame_count() - 1})
        {
            (void)recording->seek(frame);
            (void)recording->details();
        }

    const std::vector<uint8_t> bytes = edited(frames, data, size);
    ByteReader in(bytes);
    VisualTable visuals;
    if (!visuals.read(in))
        return 0;
    FrameDecoder decoder;
    ViewState state;
    Frame frame;
    bool is_good = decoder.begin_chunk(in, visuals.count(), state);
    for (int i = 0; i < 20 && is_good; ++i)
        is_good = decoder.next(in, state, frame);
    for (int32_t i = 0; is_good && i < int32_t(state.bodies.size()); ++i)
        if (state.has_body(i))
            (void)state.pose(i);
    return 0;
}
