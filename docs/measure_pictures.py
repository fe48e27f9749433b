"""Density by rings near a wall, and the distribution of contact forces.

    python docs/measure_pictures.py

lets equal grains settle in a cylinder, and draws both profiles at the end, averaged over the last
moments, into ``docs/images/ring-density.png`` and ``docs/images/force-distribution.png``. It needs
the extra ``plot``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import granum as gr
from granum.measures import Density, ForceDistribution, RingDensity
from granum.output import plot_series

IMAGES = Path(__file__).parent / "images"
RADIUS, WIDE = 1e-3, 12e-3  # of grains and of the cylinder [m]
BULK = gr.CylinderRegion((0, 0, 4e-3), WIDE, 16e-3)  # away from floor and surface
RINGS = RingDensity(BULK, 96)
FORCES = ForceDistribution(BULK, bins=24, most=4.0)


def simulate() -> gr.Simulation:
    """Return grains that have settled in a cylinder."""
    world = gr.World(seed=3)
    world.add(gr.Cylinder((0, 0, 0), (0, 0, 1), WIDE, 0.1))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    world.add(gr.Random(radius=RADIUS, count=1900, low=(-WIDE, -WIDE, 0), high=(WIDE, WIDE, 0.06)),
              density=2500)
    law = gr.LinearViscoelastic(restitution=0.3, contact_time=5e-4, friction=0.1)
    sim = gr.Simulation(world, law)
    sim.run(0.3)
    return sim


def draw(sim: gr.Simulation) -> None:
    """Draw both profiles, the forces as a mean over several moments."""
    rings = sim.measure(RINGS)
    from_wall = (WIDE - 0.5 * (rings["low"] + rings["high"])) / (2.0 * RADIUS)
    plot_series(IMAGES / "ring-density.png", from_wall[::-1], [("rings", rings["density"][::-1])],
                "distance from the wall [grain diameters]", "density",
                "Density by rings, from the wall inwards")
    found = []
    for _ in range(20):
        sim.run(1e-3)
        found.append(sim.measure(FORCES))
    middle = 0.5 * (found[0]["low"] + found[0]["high"])
    mean = np.mean([one["probability"] for one in found], axis=0)
    plot_series(IMAGES / "force-distribution.png", middle,
                [("measured", mean), ("exp(-N / ⟨N⟩)", np.exp(-middle))],
                "normal force over its mean", "probability density",
                "Normal forces between grains at rest")
    print("density of the bulk", sim.measure(Density(BULK))["density"])


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    draw(simulate())
