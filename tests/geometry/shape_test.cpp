#include "geometry/hull.h"
#include "geometry/shape.h"
#include "random.h"

#include <gtest/gtest.h>

namespace moraine::test
{
namespace
{

TEST(Shape, GoodDefinitionsHaveNoProblem)
{
    const HullRef hull = make_hull(box_points({1, 1, 1})).value();
    for (const Geometry& geometry : {Geometry(Sphere{}), Geometry(Capsule{}), Geometry(Cylinder{}), Geometry(Box{}),
                                     Geometry(HalfSpace{}), Geometry(hull)})
        EXPECT_EQ(shape_problem({.geometry = geometry}), "");
    EXPECT_EQ(shape_problem({.density = 0}), "");
}

TEST(Shape, EachBadDefinitionHasASentenceWithARemedy)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::pair<ShapeDef, std::string>> cases{
        {{.geometry = Sphere{0}}, "sphere radius"},
        {{.geometry = Sphere{nan}}, "sphere radius"},
        {{.geometry = Sphere{1e-12f}}, "too small"},
        {{.geometry = Sphere{1e12f}}, "too large"},
        {{.geometry = Capsule{-1, 1}}, "capsule radius"},
        {{.geometry = Capsule{1, 0}}, "capsule half_length"},
        {{.geometry = Cylinder{1, nan}}, "cylinder"},
        {{.geometry = Box{{1, 0, 1}}}, "half_extents"},
        {{.geometry = HullRef{}}, "hull is missing"},
        {{.geometry = MeshRef{}}, "mesh is missing"},
        {{.geometry = HeightFieldRef{}}, "height field is missing"},
        {{.pose = {{nan, 0, 0}, {}}}, "position"},
        {{.pose = {{}, {0, 0, 0, 0}}}, "rotation"},
        {{.density = -1}, "density"},
        {{.friction = nan}, "friction"},
        {{.restitution = 1.5f}, "restitution"},
        {{.restitution = nan}, "restitution"},
    };
    for (const auto& [def, word] : cases)
    {
        const std::string problem = shape_problem(def);
        EXPECT_NE(problem.find(word), std::string::npos) << "expected '" << word << "' in '" << problem << "'";
        EXPECT_NE(problem.find(": "), std::string::npos) << problem;
    }
}

TEST(Shape, BoundsHoldTheShapeAndTheInnerBallIsInside)
{
    const Shape capsule = make_shape({.geometry = Capsule{0.5f, 1}}, {});
    EXPECT_EQ(capsule.bounds, (Aabb{{-0.5f, -1.5f, -0.5f}, {0.5f, 1.5f, 0.5f}}));
    EXPECT_EQ(capsule.inner_radius, 0.5f);
    const Shape cylinder = make_shape({.geometry = Cylinder{0.5f, 0.2f}}, {});
    EXPECT_EQ(cylinder.bounds, (Aabb{{-0.5f, -0.2f, -0.5f}, {0.5f, 0.2f, 0.5f}}));
    EXPECT_EQ(cylinder.inner_radius, 0.2f);
    const HullRef ref = make_hull(box_points({1, 2, 3})).value();
    const Shape hull = make_shape({.geometry = ref, .friction = 0.9f}, {{1, 0, 0}, {}});
    EXPECT_EQ(hull.kind, ShapeKind::hull);
    EXPECT_EQ(hull.hull, ref.get());
    EXPECT_EQ(hull.bounds, (Aabb{{-1, -2, -3}, {1, 2, 3}}));
    EXPECT_EQ(hull.friction, 0.9f);
    EXPECT_EQ(hull.pose.position, (Vec3{1, 0, 0}));
    const Shape ground = make_shape({.geometry = HalfSpace{}}, {});
    EXPECT_EQ(ground.bounds.upper.y, 0);
    EXPECT_TRUE(is_finite(transform(ground.bounds, {{}, axis_angle({1, 1, 0}, 1)}).lower));
}

TEST(Rotation, BetweenTakesOneVectorToTheOther)
{
    Random random(1);
    for (int i = 0; i < 1000; ++i)
    {
        const Vec3 from = random.direction();
        const Vec3 to = i % 3 == 0   ? -from
                        : i % 3 == 1 ? normalize(-from + 1e-3f * random.direction())
                                     : random.direction();
        const Quat turn = rotation_between(from, to);
        EXPECT_NEAR(dot(turn, turn), 1, 1e-5f);
        EXPECT_LT(distance(rotate(turn, from), to), 1e-3f);
        // The shortest: no turn about the vectors themselves.
        EXPECT_NEAR(dot(rotation_vector(turn), from), 0, 2e-3f);
    }
}

TEST(Rotation, MatrixAndBackIsTheSame)
{
    Random random(2);
    for (int i = 0; i < 1000; ++i)
    {
        Quat q = random.rotation();
        if (i % 4 == 0) // half turns, where the real part vanishes
        {
            const Vec3 axis = random.direction();
            q = {axis.x, axis.y, axis.z, 0};
        }
        EXPECT_NEAR(std::fabs(dot(quat_from_matrix(to_matrix(q)), q)), 1, 1e-5f);
    }
}

} // namespace
} // namespace moraine::test
