"""Gravity that turns, holes that open, slopes that hold."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from verification_forms import unit

import granum as gr

G = 9.81
LAW = gr.LinearViscoelastic(0.5, 1e-3, friction=0.4)


def test_half_a_turn_reverses_gravity():
    world = gr.World(turns=[gr.Turn(0.1, 0.2, math.pi, (0.0, 1.0, 0.0))])
    world.add(gr.Sphere(1e-3), at=[(0, 0, 0)], density=2500)
    sim = gr.Simulation(world, LAW, time_step=1e-4, threads=1)
    seen = []
    for _ in range(4):
        seen.append(sim.gravity)
        sim.run(0.1)
    # right-handed about y: down, down, then against x, then up
    expected = [(0, 0, -G), (0, 0, -G), (-G, 0, 0), (0, 0, G)]
    np.testing.assert_allclose(seen, expected, atol=1e-10 * G)
    np.testing.assert_allclose(world.acceleration[0], [0, 0, G], atol=1e-10 * G)


def test_a_grain_follows_gravity_as_it_turns():
    """Closed form for one turn about y: v = g/Ω (cos θ - 1, 0, -sin θ)."""
    begin, lasts = 0.05, 0.4
    world = gr.World(turns=[gr.Turn(begin, lasts, math.pi, (0.0, 1.0, 0.0))])
    world.add(gr.Sphere(1e-3), at=[(0, 0, 0)], density=2500)
    sim = gr.Simulation(world, LAW, time_step=1e-4, threads=1)
    sim.run(begin + lasts)
    rate = math.pi / lasts
    v0 = -G * begin
    np.testing.assert_allclose(world.velocity[0], [-2 * G / rate, 0.0, v0],
                               atol=(rate * 1e-4) ** 2 / 12 * G * lasts)
    x = [-G / rate * lasts, 0.0, -0.5 * G * begin**2 + v0 * lasts - 2 * G / rate**2]
    np.testing.assert_allclose(world.position[0], x, atol=(rate * 1e-4) ** 2 * G * lasts**2)


def test_a_grain_follows_two_turns_about_odd_axes():
    turns = [gr.Turn(0.15, 0.2, -2.0, (1.0, 1.0, 0.0)), gr.Turn(0.02, 0.1, 1.2, (0.0, 2.0, 1.0))]

    def gravity(t):
        pull = np.array([0.0, 0.0, -G])
        for turn in sorted(turns, key=lambda turn: turn.start):
            share = np.clip((t - turn.start) / turn.duration, 0.0, 1.0)
            pull = Rotation.from_rotvec(share * turn.angle * unit(*turn.axis)).apply(pull)
        return pull

    state, knots = np.zeros(6), (0.0, 0.02, 0.12, 0.15, 0.35, 0.4)
    for a, b in itertools.pairwise(knots):
        state = solve_ivp(lambda t, y: np.concatenate([y[3:], gravity(t)]), (a, b), state,
                          rtol=1e-10, atol=1e-12).y[:, -1]
    world = gr.World(turns=turns)
    world.add(gr.Sphere(1e-3), at=[(0, 0, 0)], density=2500)
    sim = gr.Simulation(world, LAW, time_step=1e-4, threads=1)
    sim.run(0.4)
    np.testing.assert_allclose(world.position[0], state[:3], atol=1e-6)
    np.testing.assert_allclose(world.velocity[0], state[3:], atol=1e-6)


@pytest.mark.parametrize("up", [unit(0, 0, 1), unit(1, 2, 2)])
def test_a_hole_opens_and_the_grain_falls(up):
    r, opens, dt = 4e-3, 0.02, 1e-5
    sag = G / LAW.coefficients()[0]
    plate = np.array([0.01, 0.02, 0.03])
    world = gr.World(gravity=tuple(-G * up), domain=((-1, -1, -1), (1, 1, 1)))
    world.add(gr.Plate(tuple(plate), tuple(up), 0.05, hole=0.006, opens=opens))
    world.add(gr.Sphere(r), at=[plate + (r - sag) * up], density=2500)
    sim = gr.Simulation(world, LAW, time_step=dt, threads=1, initial_overlap=0.1)
    start = world.position[0].copy()
    sim.run(opens - 2 * dt)
    np.testing.assert_allclose(world.position[0], start, atol=1e-12)
    np.testing.assert_allclose(sim.contacts().force, [world.mass[0] * G * up],
                               atol=1e-8 * world.mass[0] * G)
    falls = 0.03
    sim.run(opens + falls - sim.time)
    assert len(sim.contacts()) == 0
    fallen = (start - world.position[0]) @ up
    assert fallen == pytest.approx(0.5 * G * falls**2, abs=1.5 * G * falls * dt)
    assert fallen > 0.5 * r  # through the plate
    np.testing.assert_allclose(world.velocity[0], -G * falls * up, atol=1.5 * G * dt)


def test_a_hole_too_small_holds_the_grain_on_its_rim():
    """It sinks until its surface meets the rim: sqrt(r² - h²) above the plate, less the sag."""
    r, hole, opens = 4e-3, 2e-3, 0.01
    world = gr.World()
    world.add(gr.Plate((0, 0, 0), (0, 0, 1), 0.05, hole=hole, opens=opens))
    world.add(gr.Sphere(r), at=[(0, 1e-4, r)], density=2500)
    sim = gr.Simulation(world, LAW, threads=1)
    sim.run(opens)
    assert world.position[0, 2] == pytest.approx(r, abs=2 * G / LAW.coefficients()[0])
    sim.run(0.5)
    assert world.position[0, 2] == pytest.approx(math.sqrt(r**2 - hole**2), abs=1e-5)


@pytest.mark.parametrize(("friction", "inertia"), [(0.5, 0.4), (0.1, 0.4)])
def test_a_grain_on_a_slope_rolls_or_slips(friction, inertia):
    """It rolls at g sin a / (1 + q) if μ >= tan a q / (1 + q), or slips at g (sin a - μ cos a)."""
    a = math.radians(30)
    r = 5e-3
    n, down = np.array([math.sin(a), 0, math.cos(a)]), np.array([math.cos(a), 0, -math.sin(a)])
    law = gr.LinearViscoelastic(0.3, 1e-4, friction=friction)
    sag = G * math.cos(a) / law.coefficients()[0]
    world = gr.World()
    world.add(gr.Plane((0, 0, 0), tuple(n)))
    world.add(gr.Sphere(r), at=[(r - sag) * n], density=2500)
    sim = gr.Simulation(world, law, threads=1, initial_overlap=0.1)
    sim.run(0.1)
    rolls = friction >= math.tan(a) * inertia / (1 + inertia)
    rate = G * math.sin(a) / (1 + inertia) if rolls else G * (math.sin(a) - friction * math.cos(a))
    # the first contact time winds the spring up
    assert world.velocity[0] @ down == pytest.approx(rate * 0.1, rel=1e-3)
    spin = rate / r if rolls else friction * G * math.cos(a) / (inertia * r)
    np.testing.assert_allclose(world.spin[0], spin * 0.1 * np.cross(n, down),
                               atol=1e-3 * spin * 0.1)
    assert abs(world.velocity[0] @ n) < 1e-6
