"""The drum with lifters: its mesh, and its picture.

    python docs/mesh_pictures.py

writes the mesh ``docs/examples/drum.stl``, runs the scenario ``docs/examples/drum.toml`` with it,
and draws the grains at four moments into ``docs/images/mesh-drum.png``.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np

from granum.output import colour_by, draw, panel, write_png
from granum.scenario.build import understand
from granum.scenario.reader import read_toml

HERE = Path(__file__).parent
MESH, SCENARIO = HERE / "examples" / "drum.stl", HERE / "examples" / "drum.toml"
PICTURE = HERE / "images" / "mesh-drum.png"
RADIUS, WIDTH, LIFTERS, HEIGHT = 40.0, 16.0, 6, 7.0  # [mm]
FACETS = 8  # between two lifters
MOMENTS = (0.0, 0.2, 0.6, 1.6)  # [s]
FASTEST = 0.5  # speed of the brightest grains [m/s]


def profile() -> np.ndarray:
    """Return the corners of the drum's section, (n,2) [mm]: arcs, and lifters between them."""
    corners = []
    for lifter in range(LIFTERS):
        middle = 2.0 * math.pi * lifter / LIFTERS
        bump = [(-0.10, RADIUS), (-0.06, RADIUS - HEIGHT), (0.06, RADIUS - HEIGHT), (0.10, RADIUS)]
        rest = np.linspace(0.10, 2.0 * math.pi / LIFTERS - 0.10, FACETS + 1)[1:-1]
        for angle, radius in [*bump, *((angle, RADIUS) for angle in rest)]:
            corners.append((radius * math.cos(middle + angle), radius * math.sin(middle + angle)))
    return np.array(corners)


def triangles() -> np.ndarray:
    """Return the closed surface between y = 0 and the width, (m,3,3) [mm], seen from outside."""
    ring = profile()
    front, back = ([(x, y, z) for x, z in ring] for y in (0.0, WIDTH))
    middles = (0.0, 0.0, 0.0), (0.0, WIDTH, 0.0)
    found = []
    for k in range(len(ring)):
        j = (k + 1) % len(ring)
        found += [(front[k], back[k], front[j]), (front[j], back[k], back[j]),
                  (middles[0], front[k], front[j]), (middles[1], back[j], back[k])]
    return np.array(found)


def write_stl(path: Path, corners: np.ndarray) -> None:
    """Write triangles as binary STL, without normals."""
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *one.ravel(), 0) for one in corners)
    path.write_bytes(bytes(80) + struct.pack("<I", len(corners)) + records)


def main() -> None:
    """Make the mesh, run the drum and draw it."""
    write_stl(MESH, triangles())
    sim = understand(read_toml(SCENARIO)).simulation()
    world, images = sim.world, []
    for moment in MOMENTS:
        sim.run(moment - sim.time)
        speed = np.linalg.norm(world.velocity, axis=1)
        images.append(draw(world.position, world.radius, colour_by(speed, 0.0, FASTEST),
                           world.outlines(sim.time, {}), size=(420, 420), view=(-90.0, 12.0)))
    write_png(PICTURE, panel(images, [f"{moment:.1f} s" for moment in MOMENTS]))


if __name__ == "__main__":
    main()
