"""Friction: sliding into rolling, oblique impacts, and slip returned."""

from __future__ import annotations

import math

import numpy as np
import pytest
from verification_forms import Oscillator, unit

import granum as gr

G = 9.81
RADIUS = 5e-3
T_C = 1e-4


def on_the_floor(dimension, law, speed, along):
    """A grain that already lies on the floor as deep as its weight asks, and slides."""
    up = np.eye(3)[dimension - 1]
    sag = G / law.coefficients()[0]
    world = gr.World(gravity=tuple(-G * up), dimension=dimension)
    world.add(gr.Plane((0, 0, 0), tuple(up)))
    shape = gr.Disc(RADIUS) if dimension == 2 else gr.Sphere(RADIUS)
    world.add(shape, at=[(RADIUS - sag) * up], density=2500, velocity=speed * along)
    return gr.Simulation(world, law, time_step=T_C / 20, threads=1, initial_overlap=1e-3), up


@pytest.mark.parametrize(("dimension", "along", "inertia"), [
    (3, unit(3, -4, 0), 0.4), (3, unit(0, 1, 0), 0.4), (2, unit(1, 0, 0), 0.5),
    (2, unit(-1, 0, 0), 0.5),
])
def test_slide_to_roll(dimension, along, inertia):
    """Sliding ends after u0 / (μ g (1 + 1/q)); then u = u0 / (1 + q): 5/7 (sphere), 2/3 (disc).

    The overlap is 2e-6 of a radius: that much is open in the arm of friction.
    """
    mu, speed = 0.3, 0.1
    law = gr.LinearViscoelastic(0.5, T_C, friction=mu)
    sim, up = on_the_floor(dimension, law, speed, along)
    world = sim.world
    ends = speed / (mu * G * (1 + 1 / inertia))
    sim.run(0.5 * ends)
    t = sim.time
    np.testing.assert_allclose(world.velocity[0] @ along, speed - mu * G * t, rtol=1e-9)
    turn = np.cross(up, along)  # the way a grain rolls
    np.testing.assert_allclose(world.spin[0] @ turn, mu * G * t / (inertia * RADIUS),
                               rtol=1e-5)
    sim.run(0.97 * ends - sim.time)
    sliding = world.velocity[0] + np.cross(world.spin[0], -RADIUS * up)
    np.testing.assert_allclose(
        sliding @ along, speed - mu * G * sim.time * (1 + 1 / inertia), atol=1e-5 * speed)
    sim.run(1.03 * ends - sim.time)
    assert abs((world.velocity[0] + np.cross(world.spin[0], -RADIUS * up)) @ along) < 1e-3 * speed
    sim.run(ends)
    rolling = {3: 5 / 7, 2: 2 / 3}[dimension] * speed
    np.testing.assert_allclose(world.velocity[0], rolling * along, atol=1e-5 * speed)
    np.testing.assert_allclose(world.spin[0], rolling / RADIUS * turn,
                               atol=1e-5 * speed / RADIUS)


# ---- impacts, so slow that overlaps are a millionth of a radius and the contact plane stands ----

SLOW = 1e-4
N = unit(2, -1, 2)


def throw_at_wall(law, dimension, velocity, spin, steps=100):
    n = np.array([0.0, 1.0, 0.0]) if dimension == 2 else N
    gap = 0.5 * T_C / steps * abs(velocity @ n)
    world = gr.World(gravity=(0.0, 0.0, 0.0), dimension=dimension)
    world.add(gr.Plane((0, 0, 0), tuple(n)))
    shape = gr.Disc(RADIUS) if dimension == 2 else gr.Sphere(RADIUS)
    world.add(shape, at=[(RADIUS + gap) * n], density=2500, velocity=velocity, spin=spin)
    sim = gr.Simulation(world, law, time_step=T_C / steps, threads=1)
    sim.step(math.ceil(1.2 * steps))
    assert len(sim.contacts()) == 0
    return world


@pytest.mark.parametrize(("dimension", "inertia"), [(3, 0.4), (2, 0.5)])
@pytest.mark.parametrize("restitution", [1.0, 0.9, 0.5])
def test_oblique_impact_on_a_wall_that_slides_throughout(dimension, inertia, restitution):
    """e_t = 1 - μ J / tan a, spin = J μ v_n / (q R); J = 1 + e if the contact never pulls."""
    mu = 0.2
    n, t = (unit(0, 1, 0), unit(1, 0, 0)) if dimension == 2 else (N, unit(1, 2, 0))
    push = Oscillator(restitution, T_C).push()
    if restitution == 1.0:
        assert push == pytest.approx(2.0, rel=1e-14)
    tan_a = 3.0 * mu * (1 + 1 / inertia) * push  # slides throughout: three times what is needed
    law = gr.LinearViscoelastic(restitution, T_C, friction=mu)
    world = throw_at_wall(law, dimension, SLOW * (tan_a * t - n), (0, 0, 0))
    e_t = world.velocity[0] @ t / (SLOW * tan_a)
    assert e_t == pytest.approx(1 - mu * push / tan_a, abs=1e-3 * mu * push / tan_a)
    assert world.velocity[0] @ n / SLOW == pytest.approx(restitution, abs=2.5e-4)
    # the grain rubs at its low end, so it turns as if it rolled along t
    expected = mu * push * SLOW / (inertia * RADIUS) * np.cross(n, t)
    np.testing.assert_allclose(world.spin[0], expected, atol=1e-3 * np.linalg.norm(expected))


@pytest.mark.parametrize("dimension", [3, 2])
@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_oblique_impact_of_two_grains_that_slides_throughout(dimension, restitution):
    """Impulses J n and μ J along the slip; unequal grains that spin, in any direction."""
    mu, push = 0.15, Oscillator(restitution, T_C).push()
    r1, r2 = RADIUS, 1.7 * RADIUS
    if dimension == 2:
        n, side = unit(3, 4, 0), unit(-4, 3, 0)
        spins = SLOW / RADIUS * np.array([[0, 0, 2.0], [0, 0, 0.8]])
    else:
        n, side = N, unit(1, 2, 0)
        spins = SLOW / RADIUS * np.array([[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]])
    v1 = 0.7 * SLOW * n
    v2 = -0.3 * SLOW * n + 6.0 * SLOW * side
    world = gr.World(gravity=(0.0, 0.0, 0.0), dimension=dimension)
    shape = gr.Disc([r1, r2]) if dimension == 2 else gr.Sphere([r1, r2])
    world.add(shape, at=[np.zeros(3), (r1 + r2 + 0.5 * T_C / 100 * SLOW) * n], density=2500,
              velocity=[v1, v2], spin=spins)
    law = gr.LinearViscoelastic(restitution, T_C, friction=mu)
    sim = gr.Simulation(world, law, time_step=T_C / 100, threads=1)
    sim.step(120)
    assert len(sim.contacts()) == 0

    m1, m2 = world.mass
    reduced = m1 * m2 / (m1 + m2)
    slip = v2 - v1 - np.cross(spins[1], r2 * n) - np.cross(spins[0], r1 * n)
    slip -= (slip @ n) * n
    rub = mu * push * reduced * SLOW * slip / np.linalg.norm(slip)  # on grain 1
    on_1 = rub - (1 + restitution) * reduced * SLOW * n
    q = 0.5 if dimension == 2 else 0.4
    tight = 1e-3 * SLOW
    np.testing.assert_allclose(world.velocity[0], v1 + on_1 / m1, atol=tight)
    np.testing.assert_allclose(world.velocity[1], v2 - on_1 / m2, atol=tight)
    for k, (r, m) in enumerate(((r1, m1), (r2, m2))):
        kick = np.cross(r * n, rub) / (q * m * r**2)
        np.testing.assert_allclose(world.spin[k], spins[k] + kick,
                                   atol=1e-3 * np.linalg.norm(kick))


def test_friction_is_in_the_ratio_to_the_normal_impulse():
    """An elastic contact that slides throughout: J_t = μ J_n to rounding, whatever the step."""
    mu = 0.2
    t = unit(1, 2, 0)
    law = gr.LinearViscoelastic(1.0, T_C, friction=mu)
    world = throw_at_wall(law, 3, SLOW * (6 * t - N), (0, 0, 0), steps=37)
    lost = 6 * SLOW - world.velocity[0] @ t
    gained = SLOW + world.velocity[0] @ N
    assert lost == pytest.approx(mu * gained, rel=1e-9)


@pytest.mark.parametrize("dimension", [3, 2])
@pytest.mark.parametrize("tangential", [0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("restitution", [1.0, 0.6])
def test_slip_is_returned_with_the_tangential_restitution(dimension, tangential, restitution):
    """Without a bound on friction slip is an oscillator too, with the same half period t_c.

    It returns -e_s; if the contact pulls at its end (e < 1), slip goes free when that begins.
    """
    n, t = (unit(0, 1, 0), unit(1, 0, 0)) if dimension == 2 else (N, unit(1, 2, 0))
    law = gr.LinearViscoelastic(restitution, T_C, friction=1e9, tangential_restitution=tangential)
    spin = 0.5 * SLOW / RADIUS * np.cross(n, t)
    world = throw_at_wall(law, dimension, SLOW * (1.5 * t - n), spin)
    slip = world.velocity[0] + np.cross(world.spin[0], -RADIUS * n)
    slip -= (slip @ n) * n
    swing, free = Oscillator(tangential, T_C), Oscillator(restitution, T_C).slack()
    off = 1e-3
    if restitution == 1.0:
        assert swing.rate(free) == pytest.approx(-tangential, rel=1e-14)
    else:  # it goes free inside a step
        off += 0.5 * T_C / 100 * abs(swing.acceleration(free))
    np.testing.assert_allclose(slip / SLOW, swing.rate(free) * t, atol=off)


@pytest.mark.parametrize("tangential", [0.5, 1.0])
def test_slip_of_two_grains_is_returned(tangential):
    r1, r2 = RADIUS, 2 * RADIUS
    side = unit(1, 2, 0)
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Sphere([r1, r2]), at=[np.zeros(3), (r1 + r2 + 0.5 * T_C / 100 * SLOW) * N],
              density=2500, velocity=[SLOW * N, SLOW * side])
    law = gr.LinearViscoelastic(1.0, T_C, friction=1e9, tangential_restitution=tangential)
    sim = gr.Simulation(world, law, time_step=T_C / 100, threads=1)
    sim.step(120)
    v, w = world.velocity, world.spin
    slip = v[1] - v[0] + np.cross(N, r1 * w[0] + r2 * w[1])
    slip -= (slip @ N) * N
    np.testing.assert_allclose(slip / SLOW, -tangential * side, atol=1e-3)
