"""The pictures of piles of swept shapes in `shapes.md`, in space and in the plane.

    python docs/pile_pictures.py

lets the grains fall (some minutes) and draws them with granum's own renderer.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import granum as gr
from granum.output import draw, write_png

IMAGES = Path(__file__).parent / "images"
COLOURS = np.array([(0.86, 0.62, 0.28), (0.42, 0.60, 0.78), (0.62, 0.72, 0.42), (0.80, 0.52, 0.48)])
TIPS = [(s * x, s * y, s * z) for x, y, z in np.eye(3) for s in (1, -1)]
IN_SPACE = [
    gr.Spherocylinder(2.2, 0.5),
    gr.Spherotetrahedron(1.9, 0.12),
    gr.SpheroPolyhedron.box((1.1, 1.1, 1.1), 0.1),
    gr.SpheroPolyhedron(TIPS, (), 0.18, edges=[(0, 1), (2, 3), (4, 5)]),
]
IN_THE_PLANE = [
    *gr.families.angular(3, 1.5, 0.1, dimension=2, vertices=7, angularity=0.6, seed=2),
    gr.SpheroPolygon.cow(1.6, 0.03),
]
LAW = gr.LinearViscoelastic(restitution=0.2, contact_time=4e-4, friction=0.4)


def pile() -> gr.World:
    """Return rods, tetrahedra, cubes and hexapods that have fallen into a box."""
    world = gr.World(seed=3)
    world.add(gr.Box((0, 0, 0), (0.05, 0.05, 0.2), open_top=True))
    for shape in IN_SPACE:
        world.add(gr.Random(radius=4.5e-3, count=40, low=(0, 0, 0), high=(0.05, 0.05, 0.14),
                            shape=shape), density=1500.0)
    gr.Simulation(world, LAW).run(0.35)
    return world


def herd() -> gr.World:
    """Return pebbles and cows that have fallen into a flat box."""
    world = gr.World(dimension=2, seed=5)
    world.add(gr.Box((0, 0, 0), (0.16, 0.3, 0), open_top=True))
    for shape in IN_THE_PLANE:
        world.add(gr.Random(radius=7e-3, count=24, low=(0, 0, 0), high=(0.16, 0.28, 0),
                            shape=shape), density=1500.0)
    gr.Simulation(world, LAW).run(0.5)
    return world


def picture(world: gr.World, name: str, **how: object) -> None:
    """Write the picture of a world, a colour for each shape."""
    balls, joints = world.balls(), world.joints()
    lines = [line for wall in world.walls for line in wall.outline()]
    image = draw(world.drawn_balls(balls), balls.arm[:, 3],
                 COLOURS[world.grains.shape[balls.grain] % len(COLOURS)], lines,
                 edges=joints.edges, faces=joints.faces, **how)
    write_png(IMAGES / name, image)


def main() -> None:
    """Write the pictures."""
    picture(pile(), "swept-pile.png", size=(900, 640), view=(-62.0, 26.0),
            frame=((0, 0, 0), (0.05, 0.05, 0.036)))
    picture(herd(), "swept-herd.png", size=(900, 520), view=(-90.0, 90.0),
            frame=((0, 0, 0), (0.16, 0.09, 0)))


if __name__ == "__main__":
    main()
