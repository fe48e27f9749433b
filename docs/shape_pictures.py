"""The picture of `shapes.md`: clumps heaped up in a box.

    python docs/shape_pictures.py

pours them in (a minute or two) and draws them with granum's own renderer.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import granum as gr
from granum.output import draw, write_png

PICTURE = Path(__file__).parent / "images" / "clumps.png"
COLOURS = np.array([(0.86, 0.62, 0.28), (0.42, 0.60, 0.78), (0.62, 0.72, 0.42), (0.80, 0.79, 0.76)])
CORNERS = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1) if x * y * z > 0]
KINDS = [
    gr.Clump([(-1, 0, 0), (1, 0, 0)], 1.1),
    gr.Clump(CORNERS, 1.7),
    gr.Clump([(0, 0, k) for k in range(-2, 3)], 1.1),
]


def heap() -> gr.World:
    """Return the world at the end."""
    world = gr.World(seed=2)
    world.add(gr.Box((0, 0, 0), (0.04, 0.04, 0.12), open_top=True))
    for k, clump in enumerate([*KINDS, None]):
        world.add(gr.Pour(radius=1.5e-3 if clump is None else 2.6e-3, count=120, rate=600,
                          low=(0, 0, 0.05 + 0.015 * k), high=(0.04, 0.04, 0.065 + 0.015 * k),
                          velocity=(0, 0, -0.3), spread=0.15, clump=clump), density=2600.0)
    law = gr.LinearViscoelastic(restitution=0.3, contact_time=4e-4, friction=0.4)
    sim = gr.Simulation(world, law)
    sim.run(0.55)
    return world


def main() -> None:
    """Write the picture."""
    world = heap()
    balls = world.balls()
    outlines = [line for wall in world.walls for line in wall.outline()]
    image = draw(world.ball_positions(balls), balls.arm[:, 3],
                 COLOURS[world.grains.shape[balls.grain]], outlines, size=(760, 520),
                 view=(-62.0, 24.0), frame=((0, 0, 0), (0.04, 0.04, 0.03)))
    write_png(PICTURE, image)


if __name__ == "__main__":
    main()
