"""Order of convergence, against the closed form of one contact at a moment inside it."""

from __future__ import annotations

import numpy as np
import pytest
from verification_forms import Oscillator, observed_order, unit

import granum as gr

T_C = 1e-3
SPEED = 1e-2
RADIUS = 5e-3
START = 1e-7 * RADIUS  # grains that touch from the first moment on
FINER = (50, 100, 200, 400)  # steps in a contact time
MOMENT = 0.4  # of the contact time: 20, 40, 80, 160 steps


def pair_errors(restitution, steps, integrator):
    """Return errors of overlap and approach of two unequal grains, as shares of their scale."""
    n = unit(2, -1, 2)
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Sphere([RADIUS, 2 * RADIUS]),
              at=[np.zeros(3), (3 * RADIUS - START) * n], density=2500,
              velocity=[0.7 * SPEED * n, -0.3 * SPEED * n])
    law = gr.LinearViscoelastic(restitution, T_C)
    sim = gr.Simulation(world, law, time_step=T_C / steps, integrator=integrator, threads=1)
    sim.step(round(MOMENT * steps))
    overlap = 3 * RADIUS - np.linalg.norm(world.position[1] - world.position[0])
    approach = -(world.velocity[1] - world.velocity[0]) @ n
    return overlap, approach


def wall_errors(restitution, steps, integrator):
    n = unit(1, 2, 3)
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Plane((0, 0, 0), tuple(n)))
    world.add(gr.Sphere(RADIUS), at=[(RADIUS - START) * n], density=2500, velocity=-SPEED * n)
    law = gr.LinearViscoelastic(restitution, T_C)
    sim = gr.Simulation(world, law, time_step=T_C / steps, integrator=integrator, threads=1)
    sim.step(round(MOMENT * steps))
    return RADIUS - world.position[0] @ n, -world.velocity[0] @ n


@pytest.mark.parametrize("collide", [pair_errors, wall_errors])
@pytest.mark.parametrize("restitution", [1.0, 0.6, 0.2])
@pytest.mark.parametrize(("integrator", "order"), [("verlet", 2), ("constant-acceleration", 1)])
def test_normal_collision_converges_at_its_order(collide, restitution, integrator, order):
    exact = Oscillator(restitution, T_C, SPEED, START)
    t = MOMENT * T_C
    overlap_errors, rate_errors = [], []
    for steps in FINER:
        overlap, approach = collide(restitution, steps, integrator)
        overlap_errors.append(abs(overlap - exact.overlap(t)) / (SPEED * T_C))
        rate_errors.append(abs(approach - exact.rate(t)) / SPEED)
    for errors in (overlap_errors, rate_errors):
        np.testing.assert_allclose(observed_order(errors, 2)[1:], order, atol=0.1)
    finest = {1: 1e-2, 2: 2e-5}[order]
    assert max(overlap_errors[-1], rate_errors[-1]) < finest


@pytest.mark.parametrize("tangential", [1.0, 0.5])
def test_verlet_meets_slip_to_second_order(tangential):
    """Whole glancing collisions; the contact begins in the middle of a step."""
    errors = []
    for steps in FINER[:3]:
        dt = T_C / steps
        world = gr.World(gravity=(0.0, 0.0, 0.0))
        world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
        world.add(gr.Sphere(RADIUS), at=[(0, 0, RADIUS + 0.5 * dt * 1e-4)], density=2500,
                  velocity=(1e-4, 0.0, -1e-4))
        law = gr.LinearViscoelastic(1.0, T_C, friction=1e9, tangential_restitution=tangential)
        sim = gr.Simulation(world, law, time_step=dt, threads=1)
        sim.step(round(1.2 * steps))
        slip = world.velocity[0, 0] - RADIUS * world.spin[0, 1]
        errors.append(abs(slip / 1e-4 + tangential))
    assert errors[0] < 2e-3
    assert errors[2] < errors[0] / 8
