"""The picture of a pillar of Voronoi grains in `shapes.md`, at the start and fallen apart.

    python docs/voronoi_picture.py

lets it fall (a minute or so) and draws it with granum's own renderer.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import granum as gr
from granum.checks import FloatArray
from granum.output import draw, write_png

IMAGE = Path(__file__).parent / "images" / "voronoi.png"
FRAME = ((-0.035, -0.035, 0.0), (0.075, 0.075, 0.06))
LAW = gr.LinearViscoelastic(restitution=0.3, contact_time=4e-4, friction=0.3)


def pillar() -> gr.World:
    """Return a pillar of Voronoi grains on a floor."""
    world = gr.World(seed=4, domain=((-1, -1, -1), (1, 1, 1)))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    world.add(gr.Voronoi(120, 3e-4, (0, 0, 0), (0.04, 0.04, 0.08), relaxations=1), density=2600.0)
    return world


def picture(world: gr.World) -> FloatArray:
    """Return a picture of the grains, each in a shade of its own."""
    balls, joints = world.balls(), world.joints()
    shade = 0.5 + 0.4 * np.random.default_rng(1).random(len(world))
    colours = np.outer(shade, (1.0, 0.86, 0.66))
    return draw(world.drawn_balls(balls), balls.arm[:, 3], colours[balls.grain], [],
                edges=joints.edges, faces=joints.faces, size=(560, 560), view=(-62.0, 22.0),
                frame=FRAME)


def main() -> None:
    """Write the picture."""
    world = pillar()
    before = picture(world)
    gr.Simulation(world, LAW, time_step=2e-6).run(0.2)
    write_png(IMAGE, np.concatenate([before, picture(world)], axis=1))


if __name__ == "__main__":
    main()
