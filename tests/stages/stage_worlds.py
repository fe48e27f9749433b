"""Small worlds that go through stages."""

from __future__ import annotations

from typing import Any

import numpy as np

import granum as gr
from granum.stages import Moment

LAW = gr.LinearViscoelastic(restitution=0.5, contact_time=1e-3, friction=0.3)
STEP = 2e-5  # [s] that this law recommends


def silo(count: int = 24) -> gr.World:
    """Return grains above the floor of a tube; the hole of the floor is open, and so is a lid."""
    world = gr.World(seed=5)
    world.add(gr.Cylinder((0, 0, -0.02), (0, 0, 1), radius=8e-3, height=0.06), name="tube")
    world.add(gr.Plate((0, 0, 0), (0, 0, 1), radius=8e-3, hole=5e-3), name="floor")
    world.add(gr.Plane((0, 0, -0.02), (0, 0, 1)), name="ground")
    world.add(gr.Random(radius=1.4e-3, spread=0.2, count=count, low=(-8e-3, -8e-3, 0),
                        high=(8e-3, 8e-3, 0.015)), density=2500)
    return world


def lone(at: tuple[float, float, float] = (0, 0, 0.1), **options: Any) -> gr.World:
    """Return one grain that meets nothing."""
    world = gr.World(**{"domain": ((-9, -9, -9), (9, 9, 9)), **options})
    world.add(gr.Sphere(1e-3), at=[at], density=2500)
    return world


def simulation(world: gr.World, **options: Any) -> gr.Simulation:
    return gr.Simulation(world, LAW, **{"threads": 1, **options})


def moment(world: gr.World, time: float = 0.0, measures: Any = (), **row: float) -> Moment:
    """Return a moment of a world, with these columns of the series.

    Through the plane of a flow have passed those grains that are beyond.
    """
    measured = {f"{flow.name}_grains": int((world.position @ np.array(flow.normal) > 0).sum())
                for flow in measures}
    return Moment(time, world, np.asarray(world.gravity), measures, [*row, *measured], measured,
                  lambda: row)


def asked(condition: Any, worlds: Any, times: Any, **rest: Any) -> list[bool]:
    """Return what a condition says to worlds, one look after the other."""
    notes, found = (), []
    for world, time in zip(worlds, times, strict=True):
        met, notes = condition.look(moment(world, time, **rest), notes)
        found.append(bool(met))
    return found
