"""Outflow from a silo in space: Beverloo's law."""

from __future__ import annotations

import numpy as np
import pytest

import granum as gr

G, D = 9.81, 4e-3  # gravity [m/s2], mean diameter [m]
LAW = gr.LinearViscoelastic(restitution=0.3, contact_time=1.5e-3, friction=0.5)


def outflow(orifice, width, count, begin, during):
    """Return what leaves a round silo in a second [kg/s], widths in diameters of a grain."""
    world = gr.World(seed=3, leaving="remove", domain=((-1, -1, -0.01), (1, 1, 1)))
    world.add(gr.Cylinder((0, 0, 0), (0, 0, 1), 0.5 * width * D, 1.0), name="silo")
    world.add(gr.Plate((0, 0, 0), (0, 0, 1), 0.5 * width * D, hole=0.5 * orifice * D,
                       opens=0.05), name="floor")
    half = 0.5 * width * D
    world.add(gr.Sediment(radius=0.5 * D, spread=0.1, count=count, low=(-half, -half, 0),
                          high=(half, half, 4 * width * D)), density=2500.0)
    sim = gr.Simulation(world, LAW, threads=1, time_step=5e-5)
    sim.run(0.05 + begin)
    before = world.mass.sum()
    sim.run(during)
    return (before - world.mass.sum()) / during


def test_outflow_in_space_grows_with_the_power_of_beverloo():
    """W ~ (B - k d)^(5/2), k = 1.4, W. A. Beverloo et al. (1961)."""
    widths = np.array([5.0, 6.5, 8.5])
    flows = [outflow(width, 2.0 * width, int(30 * (width / 5.0) ** 3 * 20), 0.12, 0.15)
             for width in widths]
    exponent = np.polyfit(np.log(widths - 1.4), np.log(flows), 1)[0]
    assert exponent == pytest.approx(2.5, abs=0.15)
