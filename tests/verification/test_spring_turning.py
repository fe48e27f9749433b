"""The tangential spring turns with its contact.

A pair that is carried round as a rigid body does not slip, so its spring must keep its length and
its place in the pair. The engine knows the new normal only, so it turns the spring with an error
of second order in the angle of the step.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from verification_forms import unit

import granum as gr
from granum.contact.batch import turn

RADIUS = 5e-3
NORMAL = unit(1, 2, 2)
AXIS = unit(2, 1, -2)  # at a right angle to NORMAL
IN_PLANE = np.cross(AXIS, NORMAL)  # the way the normal turns
MIXED = unit(1, 1, 0) @ np.array([AXIS, IN_PLANE, NORMAL])  # worst case: half way between


@pytest.mark.parametrize("spring", [AXIS, IN_PLANE], ids=["along the axis", "across the axis"])
@pytest.mark.parametrize("angle", [1e-3, 0.1, 1.0, -0.7])
def test_turn_is_exact_along_and_across_the_axis(spring, angle):
    by = Rotation.from_rotvec(angle * AXIS)
    found = turn(*(3e-6 * spring), *by.apply(NORMAL))
    np.testing.assert_allclose(found, by.apply(3e-6 * spring), atol=3e-6 * 1e-12)


def test_turn_is_of_second_order_at_worst():
    errors = []
    for angle in (0.04, 0.02, 0.01):
        by = Rotation.from_rotvec(angle * AXIS)
        found = turn(*MIXED, *by.apply(NORMAL))
        assert np.linalg.norm(found) == pytest.approx(1.0, rel=1e-14)
        assert abs(np.dot(found, by.apply(NORMAL))) < 1e-14
        errors.append(np.linalg.norm(found - by.apply(MIXED)))
    np.testing.assert_allclose(errors, np.array([0.04, 0.02, 0.01]) ** 2 / 4, rtol=1e-2)


def test_turn_of_nothing_is_nothing():
    assert turn(0.0, 0.0, 0.0, *NORMAL) == (0.0, 0.0, 0.0)
    assert turn(*NORMAL, *NORMAL) == pytest.approx((0.0, 0.0, 0.0), abs=1e-15)


def carried_round(axis, steps, stretch, lift=0.0, angle=2 * math.pi):
    """Carry a touching pair round ``axis`` and return its spring before and after, in the pair.

    The contact is so soft that its forces are nothing, and the grains are put on their circle
    before each step, so that the step ends in a rigid turn: no slip, only a turning plane.
    ``stretch`` is the direction in which the spring is drawn first.
    """
    distance = 1.98 * RADIUS
    law = gr.LinearViscoelastic(1.0, 1e6, friction=1e9)
    dt = 1e-3
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    start = np.array([-0.5, 0.5])[:, None] * distance * NORMAL + lift * axis
    world.add(gr.Sphere(RADIUS), at=start, density=2500)
    sim = gr.Simulation(world, law, time_step=dt, threads=1, initial_overlap=0.1)
    world.velocity[1] = 1e-3 * RADIUS / dt * stretch  # slip for one step
    sim.step()
    world.velocity = 0.0
    world.position = start
    sim.step()
    before = sim.contacts().spring[0]
    rate = angle / (steps * dt)
    for k in range(1, steps + 1):
        by = Rotation.from_rotvec(k * rate * dt * axis)
        there = by.apply(start)
        world.velocity = np.cross(rate * axis, there)
        world.position = there - dt * world.velocity
        world.spin = rate * axis
        world.acceleration = 0.0
        sim.step()
    after = sim.contacts().spring[0]
    return before, Rotation.from_rotvec(-angle * axis).apply(after)


@pytest.mark.parametrize("stretch", [AXIS, IN_PLANE], ids=["along the axis", "across the axis"])
def test_a_pair_carried_round_keeps_its_spring(stretch):
    before, after = carried_round(AXIS, 300, stretch)
    size = np.linalg.norm(before)
    np.testing.assert_allclose(before, size * stretch, atol=1e-9 * size)
    np.testing.assert_allclose(after, before, atol=1e-9 * size)


def test_a_pair_carried_half_round_sees_its_spring_turned_about():
    """In the lab the spring has turned; after a full turn one that never did would look right."""
    before, after = carried_round(AXIS, 300, IN_PLANE, angle=math.pi)
    np.testing.assert_allclose(after, before, atol=1e-9 * np.linalg.norm(before))
    before, after = carried_round(AXIS, 300, IN_PLANE, angle=0.5 * math.pi)
    np.testing.assert_allclose(after, before, atol=1e-9 * np.linalg.norm(before))


def test_a_pair_carried_round_off_its_middle_keeps_its_spring():
    before, after = carried_round(AXIS, 300, IN_PLANE, lift=0.7 * RADIUS)
    np.testing.assert_allclose(after, before, atol=1e-9 * np.linalg.norm(before))


def test_a_mixed_spring_drifts_by_the_error_of_the_step():
    drifts = []
    for steps in (200, 400):
        before, after = carried_round(AXIS, steps, MIXED)
        size = np.linalg.norm(before)
        assert np.linalg.norm(after) == pytest.approx(size, rel=1e-9)
        drifts.append(np.linalg.norm(after - before) / size)
        assert drifts[-1] < 1.1 * steps * (2 * math.pi / steps) ** 2 / 4
    assert drifts[1] < 0.6 * drifts[0]


@pytest.mark.parametrize("axis", [NORMAL, unit(*(NORMAL + AXIS)), unit(*(NORMAL - 2 * IN_PLANE))],
                         ids=["along the normal", "oblique", "more oblique"])
@pytest.mark.parametrize("angle", [0.5 * math.pi, 2 * math.pi])
def test_a_pair_that_turns_about_its_own_line_too_keeps_its_spring(axis, angle):
    """A force seen from a turning frame is the same force: no axis is special."""
    before, after = carried_round(axis, 400, MIXED, angle=angle)
    size = np.linalg.norm(before)
    assert np.linalg.norm(after) == pytest.approx(size, rel=1e-9)
    np.testing.assert_allclose(after, before, atol=400 * (angle / 400) ** 2 * size)
