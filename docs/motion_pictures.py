"""The picture of a drum that turns.

    python docs/motion_pictures.py

lets grains fall into a drum that makes half a turn a second, and draws them at four moments into
``docs/images/drum.png``.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import granum as gr
from granum.output import colour_by, draw, panel, write_png

PICTURE = Path(__file__).parent / "images" / "drum.png"
RADIUS, WIDTH, GRAIN = 0.04, 0.016, 1.6e-3  # of the drum and of the grains [m]
MOMENTS = (0.0, 0.2, 0.6, 1.6)  # [s]
FASTEST = 0.4  # speed of the brightest grains [m/s]


def drum() -> gr.World:
    """Return the drum with its grains."""
    world = gr.World(seed=3)
    turning = gr.Rotation(rate=math.pi, axis=(0, 1, 0))
    for wall in (gr.Cylinder((0, 0, 0), (0, 1, 0), radius=RADIUS, height=WIDTH),
                 gr.Plate((0, 0, 0), (0, 1, 0), radius=RADIUS),
                 gr.Plate((0, WIDTH, 0), (0, -1, 0), radius=RADIUS)):
        world.add(wall, name="drum", moving=turning)
    world.add(gr.Lattice(radius=GRAIN, spacing=2.1 * GRAIN, low=(-0.04, 0, -0.04),
                         high=(0.04, WIDTH, 0.02), count=400), density=2500)
    return world


def main() -> None:
    """Run the drum and draw it."""
    world = drum()
    sim = gr.Simulation(world, gr.LinearViscoelastic(0.4, contact_time=4e-4, friction=0.6))
    images = []
    for moment in MOMENTS:
        sim.run(moment - sim.time)
        speed = np.linalg.norm(world.velocity, axis=1)
        images.append(draw(world.position, world.radius, colour_by(speed, 0.0, FASTEST),
                           world.outlines(sim.time, {}), size=(420, 420), view=(-90.0, 12.0)))
    write_png(PICTURE, panel(images, [f"{moment:.1f} s" for moment in MOMENTS]))


if __name__ == "__main__":
    main()
