"""Settled dense packings to measure on.

A tile, periodic in x and y, is filled and settled on a floor once, then laid side by side as often
as needed: the copies are in equilibrium where they are, so a large packing costs no more than a
small one. A mix has a few large grains, ``ratio`` times the small ones, under and among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from granum.laws import LinearViscoelastic
from granum.shapes import Sphere
from granum.simulation import Simulation
from granum.walls import Plane
from granum.world import Lattice, World

RADIUS = 0.5e-3
DENSITY = 2500.0
TILE = 2500  # grains of one size in a tile
SETTLING = 0.25  # simulated time from a loose lattice to rest [s]; a mix gets less
BRAKES = 10  # times at the end that all motion is stopped, so that no loose grain rolls on
STIR = 0.15  # speed that breaks the lattice up [m/s]
OVERLAP = 0.3  # more than any settled grain has, as a share of its radius


def law_for(ratio: float) -> LinearViscoelastic:
    """Return the law: stiffer in a mix, where large grains lie on small ones."""
    return LinearViscoelastic(restitution=0.3, contact_time=5e-4 if ratio <= 10.0 else 2e-4,
                              friction=0.3)


def settled_packing(
    grains: int, ratio: float, threads: int, say: Callable[[str], None]
) -> Simulation:
    """Return a simulation of about ``grains`` settled grains on a floor."""
    size = min(grains, TILE) if ratio == 1.0 else (grains if ratio > 10.0 else min(grains, 10_000))
    copies = max(1, round(grains / size))
    across = max(k for k in range(1, math.isqrt(copies) + 1) if copies % k == 0)
    say(f"settling {size} grains ...")
    law = law_for(ratio)
    tile = Simulation(_loose_tile(size, ratio), law, threads=threads)
    tile.run(SETTLING if ratio == 1.0 else 0.4 * SETTLING)
    for _ in range(BRAKES):
        tile.world.velocity = 0.0
        tile.world.spin = 0.0
        tile.step(100)
    world = _lay(tile.world, across, copies // across)
    sim = Simulation(world, law, threads=threads, initial_overlap=OVERLAP)
    sim.step(500)  # friction finds its history again
    return sim


def _loose_tile(size: int, ratio: float) -> World:
    """Return a loose lattice of small grains around the large ones, stirred."""
    large, big = (0, 0.0) if ratio == 1.0 else (max(1, size // 2500), ratio * RADIUS)
    if ratio > 10.0:
        large = 1
    side = max(14.0 * 2 * RADIUS, 2.5 * big * max(1.0, math.sqrt(large)) * (2 if large > 1 else 1))
    world = World(periodic=(side, side, None), seed=1)
    world.add(Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    if large:
        per_row = math.ceil(math.sqrt(large))
        spots = [((k % per_row + 0.5) * side / per_row, (k // per_row + 0.5) * side / per_row,
                  1.0005 * big) for k in range(large)]
        world.add(Sphere(big), at=spots, density=DENSITY)
    room = size * (2.3 * RADIUS) ** 3 / side**2 + 3 * big + 20 * RADIUS
    world.add(Lattice(radius=RADIUS, spacing=2.2 * RADIUS, spread=0.02, probability=0.9,
                      count=size - large, low=(0.0, 0.0, 0.0), high=(side, side, 3 * room)),
              density=DENSITY)
    rng = np.random.default_rng(1)
    world.velocity = STIR * rng.normal(size=(len(world), 3))
    world.velocity[:large] = 0.0
    return world


def _lay(tile: World, across: int, along: int) -> World:
    """Return ``across`` times ``along`` copies of a tile, side by side, at rest as the tile is."""
    side = tile.periodic[0]
    assert side is not None
    world = World(periodic=(side * across, side * along, None), seed=1)
    world.add(Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    shifts = [(side * a, side * b, 0.0) for a in range(across) for b in range(along)]
    copies = len(shifts)
    world.add(
        Sphere(np.tile(tile.radius, copies)),
        at=np.concatenate([tile.position + np.array(shift) for shift in shifts]),
        density=DENSITY,
        velocity=np.tile(tile.velocity, (copies, 1)),
        spin=np.tile(tile.spin, (copies, 1)),
    )
    return world
