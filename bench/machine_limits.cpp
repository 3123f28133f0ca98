#include "machine_limits.h"

#include "base/lanes.h"
#include "dynamics/contact_batch.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace moraine::bench
{

namespace
{

double seconds_of(const auto& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Best of five runs of at least a tenth of a second: bytes read and written in a second by a = b + s c.
double triad_bandwidth(size_t bytes)
{
    const size_t count = bytes / 3 / sizeof(float);
    std::vector<float> a(count, 0.0f), b(count, 1.0f), c(count, 2.0f);
    const int repeats = int(std::max<size_t>(1, size_t(2e9) / bytes));
    double best = 0;
    for (int round = 0; round < 5; ++round)
    {
        const double seconds = seconds_of([&] {
            for (int r = 0; r < repeats; ++r)
            {
                const float s = float(r);
                for (size_t i = 0; i < count; ++i)
                    a[i] = b[i] + s * c[i];
                asm volatile("" : : "r"(a.data()) : "memory");
            }
        });
        best = std::max(best, double(repeats) * double(count * 3 * sizeof(float)) / seconds);
    }
    return best;
}

// Multiplications and additions in a second, in twelve chains that do not wait for each other.
double peak_flops()
{
    constexpr int chains = 12, turns = 4'000'000;
    Lane x[chains];
    for (int i = 0; i < chains; ++i)
        x[i] = splat<Lane>(float(i));
    const Lane scale = splat<Lane>(0.999f), shift = splat<Lane>(0.001f);
    double best = 0;
    for (int round = 0; round < 5; ++round)
    {
        const double seconds = seconds_of([&] {
            for (int t = 0; t < turns; ++t)
                for (Lane& v : x)
                    v = v * scale + shift;
        });
        best = std::max(best, 2.0 * lane_count * chains * turns / seconds);
    }
    float sum = 0;
    for (const Lane& v : x)
        sum += v[0];
    return sum == 12345.0f ? 0 : best;
}

// A pass over one manifold of four points, in lanes of eight: what contact_kernel.cpp reads, writes and computes.
constexpr int points = 4;
constexpr double pass_bytes = double(sizeof(ContactBatch) + points * sizeof(ContactBatch::Point) +
                                     sizeof(ContactBatch::Twist)) /
                                  lane_count +
                              2 * sizeof(MoverVelocity);
// Per point: separation 14, speed 16, impulse 10, push on both 24, sums 2; per manifold: way and slip 40, friction 110.
constexpr double pass_flops = points * 66 + 150;

} // namespace

Result<Table> measure_limits()
{
    Table table;
    table.columns = {"what", "figure", "unit"};
    const auto add = [&](std::string what, double figure, const char* unit) {
        table.rows.push_back({std::move(what), fmt::format("{:.1f}", figure), unit});
    };
    const double far = triad_bandwidth(512u << 20);
    const double flops = peak_flops();
    add("triad, 256 KB", triad_bandwidth(256u << 10) / 1e9, "GB/s");
    add("triad, 8 MB", triad_bandwidth(8u << 20) / 1e9, "GB/s");
    add("triad, 512 MB", far / 1e9, "GB/s");
    add("multiply and add, eight lanes", flops / 1e9, "GFLOP/s");
    add("one pass over a manifold of four points", pass_bytes, "bytes");
    add("the same", pass_flops, "flops");
    add("at the bandwidth of 512 MB", pass_bytes / far * 1e9, "ns");
    add("at the peak", pass_flops / flops * 1e9, "ns");
    table.notes = {"one thread; a step with four sub-steps has eight passes"};
    return table;
}

} // namespace moraine::bench
