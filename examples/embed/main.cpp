// Drops a box on the ground and prints where it comes to rest.
#include <moraine/moraine.h>

#include <cmath>
#include <cstdio>

using namespace moraine;

int main()
{
    World world;
    world.create_body({.type = BodyType::static_, .shapes = {{.geometry = HalfSpace{}}}});
    const BodyId box = world.create_body({.position = {0, 3, 0}, .shapes = {{.geometry = Box{{0.5f, 0.5f, 0.5f}}}}});

    for (int i = 0; i < 240; ++i)
    {
        world.step(1.0f / 60);
        for (const ContactEvent& touch : world.events().touch_began)
            if (touch.body_a == box || touch.body_b == box)
                std::printf("%.2f s: the box touches the ground\n", world.time());
    }

    const double height = world.pose(box).position.y;
    std::printf("%.2f s: the box rests at a height of %.3f m\n", world.time(), height);
    return std::abs(height - 0.5) < 0.01 ? 0 : 1;
}
