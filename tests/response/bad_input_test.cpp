// What people really bring: meshes with holes, overlaps, parts without volume, wrong numbers. Each is mended with a word,
// or refused with one.
#include "response/precompute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace moraine;
using testing::HasSubstr;

namespace
{

constexpr ElasticMaterial material{1e10, 0.3, 1000, 10, 1e-7};

ModelDefinition with(Surface surface)
{
    return {.surface = std::move(surface), .material = material, .unknowns = 2000, .mode_count = 6};
}

std::string refusal(const ModelDefinition& definition)
{
    const auto made = precompute(definition);
    EXPECT_FALSE(made);
    return made ? "" : made.error().message;
}

std::string notes(const Precomputed& made)
{
    std::string all;
    for (const std::string& note : made.notes)
        all += note + "\n";
    return all;
}

Surface joined(Surface a, const Surface& b)
{
    const uint32_t first = uint32_t(a.vertices.size());
    a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
    for (const Triangle& t : b.triangles)
        a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    return a;
}

} // namespace

TEST(BadInput, ABoxWithoutALidIsClosedAndSaidSo)
{
    Surface open = make_box_surface({1, 0.5f, 0.7f});
    const auto whole = precompute(with(open));
    open.triangles.resize(open.triangles.size() - 2);
    const auto made = precompute(with(open));
    ASSERT_TRUE(whole && made);
    EXPECT_THAT(notes(*made), HasSubstr("open edges"));
    EXPECT_NEAR(made->model.frequencies[0] / whole->model.frequencies[0], 1, 0.03);
}

TEST(BadInput, BoxesThatCutEachOtherAreOneSolid)
{
    const Surface cross = joined(make_box_surface({1, 0.2f, 0.2f}), make_box_surface({0.2f, 0.2f, 1}));
    const auto made = precompute(with(cross));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_NEAR(double(made->model.mass), 1000 * (2 * 0.04 - 0.008), 0.5);
}

TEST(BadInput, FacesTurnedInsideOutAreCounted)
{
    Surface box = make_box_surface({1, 0.5f, 0.7f});
    for (size_t i = 0; i < box.triangles.size(); i += 3)
        std::swap(box.triangles[i][0], box.triangles[i][1]);
    const auto made = precompute(with(box));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_THAT(notes(*made), HasSubstr("disagree"));
    EXPECT_NEAR(double(made->model.mass), 350, 1);
}

TEST(BadInput, PartsWithoutVolumeAndPartsApartAreNamed)
{
    Surface surface = make_box_surface({1, 0.5f, 0.7f});
    surface = joined(surface, {{{-0.2f, 0.3f, 0}, {0.2f, 0.3f, 0}, {0, 0.6f, 0}}, {{0, 1, 2}, {0, 2, 1}}}); // a flag
    surface = joined(surface, make_box_surface({0.3f, 0.3f, 0.3f}, {2, 0, 0}));
    const auto made = precompute(with(surface));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_THAT(notes(*made), HasSubstr("enclose no volume"));
    EXPECT_THAT(notes(*made), HasSubstr("only the largest vibrates"));
    EXPECT_NEAR(double(made->model.mass), 350, 20);
}

TEST(BadInput, SurfacesWithoutVolumeAreRefused)
{
    EXPECT_THAT(refusal(with({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}})), HasSubstr("flat"));
    EXPECT_THAT(refusal(with({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0.5f}}, {{0, 1, 2}}})), HasSubstr("no volume"));
    EXPECT_THAT(refusal(with({{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{0, 1, 2}}})), HasSubstr("no triangle has an area"));
    EXPECT_THAT(refusal(with({})), HasSubstr("neither"));
    EXPECT_THAT(refusal(with({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 7}}})), HasSubstr("does not exist"));
    Surface box = make_box_surface({1, 1, 1});
    box.vertices[3].y = std::numeric_limits<float>::infinity();
    EXPECT_THAT(refusal(with(box)), HasSubstr("not finite"));
}

TEST(BadInput, MaterialsThatCannotBeAreRefused)
{
    const auto changed = [](auto change) {
        ModelDefinition definition = with(make_box_surface({1, 1, 1}));
        change(definition);
        return definition;
    };
    EXPECT_THAT(refusal(changed([](auto& d) { d.material.young = -1e9; })), HasSubstr("Young"));
    EXPECT_THAT(refusal(changed([](auto& d) { d.material.young = NAN; })), HasSubstr("Young"));
    EXPECT_THAT(refusal(changed([](auto& d) { d.material.poisson = 0.5; })), HasSubstr("Poisson"));
    EXPECT_THAT(refusal(changed([](auto& d) { d.material.density = 0; })), HasSubstr("density"));
    EXPECT_THAT(refusal(changed([](auto& d) { d.material.alpha1 = -1; })), HasSubstr("damping"));
    EXPECT_THAT(refusal(changed([](auto& d) { d.mode_count = 0; })), HasSubstr("modes"));
    EXPECT_THAT(refusal(changed([](auto& d) { d.cell_size = 1e-7; })), HasSubstr("too small"));
    EXPECT_THAT(refusal(changed([](auto& d) { d.cell_size = 1, d.mode_count = 300; })), HasSubstr("unknowns"));
    EXPECT_THAT(refusal(changed([](auto& d) { d.fixed = {{{5, 5, 5}, {6, 6, 6}}}; })), HasSubstr("holds nothing"));
}

TEST(BadInput, HeldInOnePlaceOnlyItCanStillTurn)
{
    // Three nodes of one edge: the body swings about it.
    ModelDefinition definition = with(make_box_surface({1, 1, 1}));
    definition.cell_size = 1;
    definition.fixed = {{{-2, -2, -2}, {2, -0.5f, -0.5f}}};
    EXPECT_THAT(refusal(definition), HasSubstr("can still move"));
}

TEST(BadInput, TetrahedraWithoutVolumeAreNamed)
{
    ModelDefinition definition{.material = material, .mode_count = 2};
    definition.tets.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
    definition.tets.tets = {{0, 1, 2, 3}, {0, 1, 2, 4}};
    EXPECT_THAT(refusal(definition), HasSubstr("tetrahedron 2 has no volume"));
}
