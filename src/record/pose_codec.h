// Poses as whole numbers. A moving mover is told as the difference from where it would be had it gone on as before,
// which for most is next to nothing.
#pragma once

#include "record/view_state.h"

namespace moraine
{

// Metres: the largest error is 0.053 mm, in the corner of a cell.
constexpr double position_quantum = 1.0 / 16384;
// A component of a quaternion is a multiple of 2^-bits: 0.03 degrees at 12. A collection takes more, so that its
// farthest member is not moved by more than a position may be.
constexpr int rotation_bits_min = 12, rotation_bits_max = 28;

int rotation_bits(float radius); // of the members' origins about the mover's

struct WholePose
{
    int64_t position[3]{};
    int64_t rotation[4]{};
    int32_t bits = rotation_bits_min;

    friend bool operator==(const WholePose&, const WholePose&) = default;
};

// Of the two quaternions for one rotation, the one nearer to `before`.
WholePose to_whole(const Pose& pose, int bits, const WholePose& before);
Pose to_pose(const WholePose& whole);

// What both sides know of a mover.
struct PoseTrack
{
    WholePose now{}, before{};

    int64_t predicted(int column) const
    {
        const int64_t a = column < 3 ? now.position[column] : now.rotation[column - 3];
        const int64_t b = column < 3 ? before.position[column] : before.rotation[column - 3];
        return int64_t(2 * uint64_t(a) - uint64_t(b)); // a damaged file may overflow, which must be harmless
    }
    static int64_t component(const WholePose& pose, int column)
    {
        return column < 3 ? pose.position[column] : pose.rotation[column - 3];
    }
    void stand(const WholePose& pose) { now = before = pose; }
    void advance(const WholePose& pose) { before = now, now = pose; }
};
constexpr int pose_columns = 7;

void write_whole(ByteWriter& out, const WholePose& pose);
WholePose read_whole(ByteReader& in);

} // namespace moraine
