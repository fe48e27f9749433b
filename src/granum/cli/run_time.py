"""How long a run will take, as a guess: grains times steps at the speed of a dense packing at rest.

Figures of `granum bench` on one core of a server. Spheres, and the balls of clumps, take 0.2 µs for
a step. Swept shapes were measured from rods to cubes and, in the plane, from pebbles to cows
(`docs/shapes-contact.md`); what a grain of p vertices, edges and faces takes follows

    0.5 + 0.7 ln p µs in space,    0.4 ln p µs in the plane

to a fifth, since few of its parts are near others at a time.
"""

from __future__ import annotations

import math

import numpy as np

from granum.shapes import RigidShape
from granum.world import World

OF_A_BALL = 0.2e-6  # [s]


def seconds_a_step(world: World) -> tuple[float, int]:
    """Return how long a step will take with all grains that come [s], and how many that are.

    Balls of clumps count one by one.
    """
    kinds = len(world.shapes) + 1  # spheres, which are -1, last
    counts = np.bincount(world.grains.shape % kinds, minlength=kinds).tolist()
    numbers: dict[RigidShape | None, int] = dict(zip([*world.shapes, None], counts, strict=True))
    for stream in world.streams:
        body = stream.pour.body
        own = None if body is None else body.settled(world.dimension).shape
        numbers[own] = numbers.get(own, 0) + stream.pour.count
    seconds, many = 0.0, 0
    for shape, count in numbers.items():
        balls = 1 if shape is None or shape.edges else len(shape)
        seconds += count * balls * _of_a_grain(shape, world)
        many += count * balls
    return seconds, many


def _of_a_grain(shape: RigidShape | None, world: World) -> float:
    """Return how long a step of a grain takes, of a clump that of a ball [s]."""
    if not world.has_edges:
        return OF_A_BALL
    parts = math.log(1 if shape is None or not shape.edges else shape.parts)
    return max(OF_A_BALL, (0.5 + 0.7 * parts if world.dimension == 3 else 0.4 * parts) * 1e-6)
