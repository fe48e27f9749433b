"""Machines from files, a drum with lifters, a screw and a mixer: their meshes, and their pictures.

    python docs/mesh_pictures.py

writes the meshes ``drum.stl``, ``screw.obj`` and ``mixer.ply`` into ``docs/examples``, runs the
scenarios there that use them, and draws the grains at several moments into ``docs/images``. With
names it does so for these only: ``python docs/mesh_pictures.py screw``.
"""

from __future__ import annotations

import itertools
import math
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import granum as gr
from granum.output import SAND, colour_by, draw, panel, write_png
from granum.scenario.build import understand
from granum.scenario.reader import read_toml

EXAMPLES, IMAGES = (Path(__file__).parent / folder for folder in ("examples", "images"))
RADIUS, WIDTH, LIFTERS, HEIGHT = 40.0, 16.0, 6, 7.0  # the drum [mm]
FACETS = 8  # between two lifters
FASTEST = 0.5  # speed of the brightest grains in the drum [m/s]
PITCH, TURNS, STATIONS = 30.0, 2, 24  # the screw [mm]; sections from its one end to the other
SHAFT, FLIGHT, HALF = 4.0, 14.8, 0.2  # radii of shaft and flight [mm], half the flight [rad]
SQUARE, REACH, TWIST = 2.5, 14.0, math.radians(35.0)  # the mixer: shaft, paddles [mm], their pitch
PLACES = (0.0, 5.0, 10.0, 12.5, 17.5, 20.0, 25.0, 30.0)  # along its shaft: paddle in every second
RED, WHITE = (0.85, 0.25, 0.18), (0.95, 0.9, 0.8)


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


def drum() -> np.ndarray:
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


def screw() -> tuple[np.ndarray, np.ndarray]:
    """Return points (n,3) [mm] and triangles (m,3): a shaft with a flight, turned along x.

    Its section is a shaft with one tooth. It turns by -2π in a pitch, so that a screw with a
    positive rate about +x carries along +x.
    """
    rest = np.linspace(HALF, 2.0 * math.pi - HALF, 6)
    ring = [(-HALF, FLIGHT), (HALF, FLIGHT), *((angle, SHAFT) for angle in rest)]
    points = []
    for x in np.linspace(0.0, PITCH * TURNS, STATIONS + 1):
        turned = -2.0 * math.pi * x / PITCH
        points += [(x, r * math.cos(a + turned), r * math.sin(a + turned)) for a, r in ring]
    n, found = len(ring), []
    for first in range(0, n * STATIONS, n):
        for k in range(n):
            a, b = first + k, first + (k + 1) % n
            found += [(a, b, b + n), (a, b + n, a + n)]
    for first, way in ((0, -1), (n * STATIONS, 1)):  # the tooth, and the shaft as a fan
        caps = [(0, 1, 2), (0, 2, 7), *((2, k, k + 1) for k in range(3, n - 1))]
        found += [tuple(first + k for k in one[::way]) for one in caps]
    return np.array(points), np.array(found)


def mixer() -> tuple[np.ndarray, np.ndarray]:
    """Return points (n,3) [mm] and triangles (m,3): a square shaft along y, six paddles on it.

    Shaft and paddles are blocks of one grid, and the surface is where a block has no neighbour.
    The ends of the paddles are turned about their own axes, as the blades of a propeller are.
    """
    sides = (-REACH, -SQUARE, SQUARE, REACH)
    blocks = {(1, k, 1) for k in range(len(PLACES) - 1)}
    for k, ends in ((1, ((0, 1), (2, 1))), (3, ((1, 0), (1, 2))), (5, ((0, 1), (2, 1)))):
        blocks |= {(i, k, j) for i, j in ends}
    quads = []
    for block, axis, end in itertools.product(sorted(blocks), range(3), (0, 1)):
        beside = tuple(c + (2 * end - 1) * (a == axis) for a, c in enumerate(block))
        if beside not in blocks:
            u, v = np.eye(3, dtype=int)[[(axis + 1) % 3, (axis + 2) % 3]]
            low = np.array(block) + end * np.eye(3, dtype=int)[axis]
            quad = [low, low + u, low + u + v, low + v]
            quads.append([tuple(int(c) for c in one) for one in quad[:: 2 * end - 1]])
    numbers = {one: k for k, one in enumerate(sorted(set(itertools.chain(*quads))))}
    points = np.array([pitched(sides[i], PLACES[k], sides[j]) for i, k, j in numbers])
    corners = [[numbers[one] for one in quad] for quad in quads]
    return points, np.array([tri for a, b, c, d in corners for tri in ((a, b, c), (a, c, d))])


def pitched(x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return a corner of the mixer [mm], turned about the axis of its paddle if it is an end."""
    if max(abs(x), abs(z)) < REACH:
        return x, y, z
    middle = min((5.0 * k + 2.5 for k in (1.0, 2.5, 4.0)), key=lambda place: abs(place - y))
    across, along = (z, y - middle) if abs(x) == REACH else (x, y - middle)
    way = math.copysign(1.0, x * (abs(x) == REACH) + z * (abs(z) == REACH))
    c, s = math.cos(TWIST), way * math.sin(TWIST)
    across, along = c * across - s * along, s * across + c * along
    return (x, middle + along, across) if abs(x) == REACH else (across, middle + along, z)


def write_stl(path: Path, corners: np.ndarray) -> None:
    """Write triangles as binary STL, without normals."""
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *one.ravel(), 0) for one in corners)
    path.write_bytes(bytes(80) + struct.pack("<I", len(corners)) + records)


def write_obj(path: Path, points: np.ndarray, faces: np.ndarray) -> None:
    """Write triangles as OBJ, whose corners are counted from 1."""
    lines = [f"v {x:.4f} {y:.4f} {z:.4f}" for x, y, z in points + 0.0]
    lines += [f"f {a} {b} {c}" for a, b, c in faces + 1]
    path.write_text("\n".join(["# a screw, in millimetres", *lines, ""]), encoding="ascii")


def write_ply(path: Path, points: np.ndarray, faces: np.ndarray) -> None:
    """Write triangles as PLY in words."""
    header = ["ply", "format ascii 1.0", "comment the shaft of a mixer, in millimetres",
              f"element vertex {len(points)}", *(f"property float {axis}" for axis in "xyz"),
              f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header"]
    lines = [f"{x:.4f} {y:.4f} {z:.4f}" for x, y, z in points + 0.0]
    lines += [f"3 {a} {b} {c}" for a, b, c in faces]
    path.write_text("\n".join([*header, *lines, ""]), encoding="ascii")


def by_speed(world: gr.World) -> np.ndarray:
    """Return the colours of grains by how fast they are, (n,3)."""
    return colour_by(np.linalg.norm(world.velocity, axis=1), 0.0, FASTEST)


def in_sand(world: gr.World) -> np.ndarray:
    """Return the colour of sand for all grains, (n,3)."""
    return np.tile(SAND, (len(world), 1))


def by_material(world: gr.World) -> np.ndarray:
    """Return one colour for each material, (n,3)."""
    return np.array([RED, WHITE])[world.grains.material]


def picture(name: str, moments: tuple[float, ...], colours: Callable[[gr.World], np.ndarray],
            size: tuple[int, int], view: tuple[float, float], below: bool = False) -> None:
    """Run the scenario of a machine, and draw its grains at some moments [s].

    The pictures stand side by side, or each below the other.
    """
    sim = understand(read_toml(EXAMPLES / f"{name}.toml")).simulation()
    world, images = sim.world, []
    for moment in moments:
        sim.run(moment - sim.time)
        images.append(draw(world.position, world.radius, colours(world),
                           world.outlines(sim.time, {}), size=size, view=view))
    captions = [f"{moment:.1f} s" for moment in moments]
    sheet = panel(images, captions)
    if below:
        sheet = np.vstack([panel([images[k]], [captions[k]]) for k in range(len(images))])
    write_png(IMAGES / f"mesh-{name}.png", sheet)


def main() -> None:
    """Make the meshes that are asked for, run their scenarios and draw them."""
    asked = sys.argv[1:] or ["drum", "screw", "mixer"]
    if "drum" in asked:
        write_stl(EXAMPLES / "drum.stl", drum())
        picture("drum", (0.0, 0.2, 0.6, 1.6), by_speed, (420, 420), (-90.0, 12.0))
    if "screw" in asked:
        write_obj(EXAMPLES / "screw.obj", *screw())
        picture("screw", (0.0, 0.5, 1.5), in_sand, (400, 150), (-75.0, 20.0), below=True)
    if "mixer" in asked:
        write_ply(EXAMPLES / "mixer.ply", *mixer())
        picture("mixer", (0.0, 0.5, 2.0), by_material, (225, 225), (-75.0, 15.0))


if __name__ == "__main__":
    main()
