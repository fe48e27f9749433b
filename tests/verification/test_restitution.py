"""Head-on collisions: the restitution asked for is returned, after the contact time asked for.

A collision begins and ends somewhere inside a step. With a whole number of steps in a contact time
the two errors cancel and the rest is of second order; otherwise the restitution is off by up to
2 e |ln e| dt / t_c, this way or that, and right on average.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from verification_forms import Oscillator, sphere_mass, unit

import granum as gr

T_C = 1e-4
SPEED = 1e-2
RADIUS = 5e-3
RESTITUTIONS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)


def collide(restitution, sizes=(1.0, 1.0), steps=100.0, phase=0.5):
    """Let two grains collide; ``phase`` is the share of a step before they touch."""
    n = unit(2, -1, 2)
    r1, r2 = RADIUS * np.array(sizes)
    dt = T_C / steps
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Sphere([r1, r2]), at=[np.zeros(3), (r1 + r2 + phase * dt * SPEED) * n],
              density=2500, velocity=[0.6 * SPEED * n, -0.4 * SPEED * n])
    law = gr.LinearViscoelastic(restitution, T_C, friction=0.5)
    return gr.Simulation(world, law, time_step=dt, threads=1), n


def returned(restitution, **how):
    sim, n = collide(restitution, **how)
    sim.step(math.ceil(1.2 / (sim.time_step / T_C)))
    assert len(sim.contacts()) == 0
    return (sim.world.velocity[1] - sim.world.velocity[0]) @ n / SPEED


@pytest.mark.parametrize("sizes", [(1.0, 1.0), (1.0, 10.0), (10.0, 1.0)])
@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_two_grains_return_the_restitution(restitution, sizes):
    for phase in (0.2, 0.5, 0.8):
        assert returned(restitution, sizes=sizes, phase=phase) == pytest.approx(
            restitution, abs=2.5e-4)


@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_an_odd_time_step_is_right_on_average(restitution):
    phases = np.arange(0.05, 1.0, 0.1)
    found = np.array([returned(restitution, steps=100.5, phase=p) for p in phases])
    bound = 2.0 * restitution * abs(math.log(restitution)) / 100.5 + 2e-4
    assert np.abs(found - restitution).max() < bound
    assert found.mean() == pytest.approx(restitution, abs=2.5e-4)


@pytest.mark.parametrize("sizes", [(1.0, 1.0), (1.0, 10.0)])
@pytest.mark.parametrize("restitution", [0.4, 1.0])
def test_each_grain_takes_its_share(restitution, sizes):
    """Velocities after the impact, one by one: the heavier grain changes less."""
    sim, n = collide(restitution, sizes)
    m1, m2 = (sphere_mass(RADIUS * size, 2500) for size in sizes)
    sim.step(120)
    impulse = m1 * m2 / (m1 + m2) * (1 + restitution) * SPEED
    expected = [(0.6 * SPEED - impulse / m1) * n, (-0.4 * SPEED + impulse / m2) * n]
    np.testing.assert_allclose(sim.world.velocity, expected, atol=2.5e-4 * SPEED)
    np.testing.assert_allclose(sim.world.spin, 0.0, atol=1e-9 * SPEED / RADIUS)


@pytest.mark.parametrize("sizes", [(1.0, 1.0), (1.0, 10.0)])
@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
def test_contact_lasts_the_contact_time(restitution, sizes):
    sim, _ = collide(restitution, sizes)
    touching = 0
    for _ in range(120):
        sim.step()
        touching += len(sim.contacts())
    assert abs(touching - 100) <= 1  # steps


@pytest.mark.parametrize("restitution", [0.3, 1.0])
def test_deepest_overlap(restitution):
    """Largest at tan ω t = ω / β: the stiffness is right, not only its ratio to the damping."""
    sim, _ = collide(restitution)
    exact = Oscillator(restitution, T_C, SPEED)
    deepest = 0.0
    for _ in range(100):
        sim.step()
        deepest = max(deepest, *sim.contacts().overlap, 0.0)
    top = exact.overlap(math.atan2(exact.omega, exact.beta) / exact.omega)
    assert deepest == pytest.approx(top, rel=1e-3)


TILT = unit(1, 2, 3)
ACROSS = unit(2, -1, 0)  # at a right angle to TILT
AWAY = np.array([0.03, -0.02, 0.05])

WALLS = {
    # wall, a point on it, the direction from there to the grain
    "plane": (gr.Plane(tuple(AWAY), tuple(TILT)), AWAY, TILT),
    "back of a plane": (gr.Plane(tuple(AWAY), tuple(TILT), two_sided=True), AWAY, -TILT),
    "rectangle": (gr.Plane(tuple(AWAY), tuple(TILT), extent=(0.1, 0.1)), AWAY, TILT),
    "floor of a box": (gr.Box((0, 0, 0), (0.1, 0.1, 0.1)), np.array([0.05, 0.05, 0.0]),
                       np.array([0.0, 0.0, 1.0])),
    "inside a cylinder": (gr.Cylinder(tuple(AWAY - 0.05 * TILT), tuple(TILT), 0.03, 0.1),
                          AWAY + 0.03 * ACROSS, -ACROSS),
    "outside a cylinder": (gr.Cylinder(tuple(AWAY), tuple(TILT), 0.03, side="outside"),
                           AWAY + 0.03 * ACROSS, ACROSS),
    "inside a cone": (gr.Cone(tuple(AWAY), (0, 0, 1), 0.0, 0.08, 0.08),
                      AWAY + np.array([0.04, 0.0, 0.04]), unit(-1, 0, 1)),
    "plate": (gr.Plate(tuple(AWAY), tuple(TILT), 0.1), AWAY + 0.05 * ACROSS, TILT),
    "back of a plate": (gr.Plate(tuple(AWAY), tuple(TILT), 0.1, hole=0.02), AWAY + 0.05 * ACROSS,
                        -TILT),
    "inside a sphere": (gr.SphereWall(tuple(AWAY), 0.04), AWAY + 0.04 * TILT, -TILT),
    "outside a sphere": (gr.SphereWall(tuple(AWAY), 0.04, side="outside"), AWAY + 0.04 * TILT,
                         TILT),
}


@pytest.mark.parametrize("name", WALLS)
@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_walls_return_the_restitution(restitution, name):
    wall, point, n = WALLS[name]
    dt = T_C / 100
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(wall)
    world.add(gr.Sphere(RADIUS), at=[point + (RADIUS + 0.5 * dt * SPEED) * n], density=2500,
              velocity=-SPEED * n)
    sim = gr.Simulation(world, gr.LinearViscoelastic(restitution, T_C, friction=0.5),
                        time_step=dt, threads=1)
    sim.step(95)
    assert len(sim.contacts()) == 1  # t_c is 100 steps
    sim.step(10)
    assert len(sim.contacts()) == 0
    np.testing.assert_allclose(world.velocity[0] / SPEED, restitution * n, atol=2.5e-4)
    np.testing.assert_allclose(world.spin, 0.0, atol=1e-9 * SPEED / RADIUS)


def test_bouncing_ball():
    """Heights fall by e² a bounce, bar what gravity does while the contact lasts."""
    restitution, height, g = 0.8, 5e-3, 9.81
    world = gr.World(gravity=(0.0, 0.0, -g))
    world.add(gr.Plane((0, 0, 0), (0, 0, 1)))
    world.add(gr.Sphere(RADIUS), at=[(0, 0, RADIUS + height)], density=2500)
    law = gr.LinearViscoelastic(restitution, T_C)
    sim = gr.Simulation(world, law, time_step=T_C / 100, threads=1)
    speed = math.sqrt(2 * g * height)
    top_at = 0.0
    for bounce in range(1, 5):
        impact = Oscillator(restitution, T_C, speed, pull=g)
        rebound = -impact.rate(impact.end())
        top_at += speed / g + impact.end() + rebound / g
        sim.run(top_at - sim.time)
        top = world.position[0, 2] - RADIUS
        # the speed is off by at most 2 |ln e| dt / t_c a bounce (see above), the height by twice
        # that; half of it is plenty where the phases of the bounces are mixed
        off = bounce * 2 * abs(math.log(restitution)) / 100
        assert top == pytest.approx(rebound**2 / (2 * g), rel=off)
        assert abs(world.velocity[0, 2]) < bounce * off * rebound  # times add up
        assert top == pytest.approx(height * restitution ** (2 * bounce), rel=2 * off)
        speed = rebound
