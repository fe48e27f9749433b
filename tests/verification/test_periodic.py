"""A periodic cell has no boundary: what happens across it happens as in its middle."""

from __future__ import annotations

import numpy as np
import pytest
from verification_forms import unit

import granum as gr

CELL = 0.05
T_C = 1e-3


def collide(shift, n, periodic=(CELL, CELL, CELL)):
    """Collide two grains that spin; the middle between them is put at ``shift``."""
    r1, r2 = 4e-3, 6e-3
    side = unit(*np.cross(n, (0.3, -0.2, 0.9)))
    start = np.array([-(r1 + 1e-5) * n, (r2 + 1e-5) * n])
    world = gr.World(gravity=(0.0, 0.0, 0.0), periodic=periodic)
    world.add(gr.Sphere([r1, r2]), at=shift + start, density=2500,
              velocity=[0.05 * n + 0.03 * side, -0.04 * n - 0.06 * side],
              spin=[(20.0, -30.0, 10.0), (-5.0, 15.0, 25.0)])
    sim = gr.Simulation(world, gr.LinearViscoelastic(0.6, T_C, friction=0.4), threads=1)
    sim.run(0.5 * T_C)
    middle = sim.contacts()
    assert len(middle) == 1
    sim.run(2 * T_C)
    assert len(sim.contacts()) == 0
    return world, middle


DIRECTIONS = [unit(1, 0, 0), unit(0, -1, 0), unit(0, 0, 1), unit(1, -2, 3), unit(-3, -1, 1)]


@pytest.mark.parametrize("n", DIRECTIONS)
def test_a_collision_across_the_boundary_is_one_in_the_middle(n):
    there, contact = collide(np.full(3, 0.5 * CELL), n)
    for corner in (np.zeros(3), np.array([0.0, 0.5, 0.0]) * CELL, np.array([1e-3, 2e-3, 0.0])):
        here, crossed = collide(corner, n)
        np.testing.assert_allclose(here.velocity, there.velocity, atol=1e-11)
        np.testing.assert_allclose(here.spin, there.spin, atol=1e-8)
        moved = here.position - there.position - (corner - 0.5 * CELL)
        np.testing.assert_allclose(moved - CELL * np.rint(moved / CELL), 0.0, atol=1e-13)
        assert (here.position >= 0.0).all()
        assert (here.position <= CELL).all()
        for column in ("normal", "force"):
            np.testing.assert_allclose(getattr(crossed, column), getattr(contact, column),
                                       atol=1e-9 * np.abs(getattr(contact, column)).max())
        np.testing.assert_allclose(crossed.overlap, contact.overlap, rtol=1e-8)


def test_the_middle_of_a_cell_is_like_no_cell_at_all():
    inside, _ = collide(np.full(3, 0.5 * CELL), DIRECTIONS[3])
    alone, _ = collide(np.full(3, 0.5 * CELL), DIRECTIONS[3], periodic=(None, None, None))
    np.testing.assert_allclose(inside.velocity, alone.velocity, atol=1e-12)
    np.testing.assert_allclose(inside.spin, alone.spin, atol=1e-9)


def test_a_grain_that_leaves_comes_back_on_the_other_side_and_meets_one_there():
    """It flies through the boundary and returns its speed to an equal grain that waits beyond."""
    r, speed = 4e-3, 0.1
    world = gr.World(gravity=(0.0, 0.0, 0.0), periodic=(CELL, None, None))
    world.add(gr.Sphere(r), at=[(CELL - 0.01, 0, 0), (0.02, 0, 0)], density=2500,
              velocity=[(speed, 0, 0), (0, 0, 0)])
    sim = gr.Simulation(world, gr.LinearViscoelastic(1.0, T_C), threads=1)
    gap = 0.01 + 0.02 - 2 * r
    sim.run(0.9 * gap / speed)
    np.testing.assert_allclose(world.velocity[:, 0], [speed, 0.0], atol=1e-15)
    assert world.position[0, 0] == pytest.approx(0.9 * gap - 0.01, abs=1e-12)
    sim.run(0.1 * gap / speed + 2 * T_C)
    np.testing.assert_allclose(world.velocity[:, 0], [0.0, speed], atol=1e-3 * speed)
