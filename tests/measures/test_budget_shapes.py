"""The energy budget of swept shapes, at walls with rims too, and what a fluid does to them.

One compiled step serves all: a law with friction, rolling resistance and a medium, and the single
contact of convex shapes, which those that are not convex do not have.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import granum as gr
from granum.contact.history import read_walls
from granum.laws.medium import drag_radii

T_C = 1e-3
NONE = gr.Damping()
CUBE = gr.SpheroPolyhedron.box((6e-3, 6e-3, 6e-3), radius=1e-3)
ROD = gr.Spherocylinder(length=8e-3, radius=2e-3)
HEXAPOD = gr.SpheroPolyhedron(
    4e-3 * np.vstack((np.eye(3), -np.eye(3))), faces=(), edges=[(0, 3), (1, 4), (2, 5)],
    radius=1.2e-3)


def law(medium=NONE, restitution=0.5):
    return gr.With(gr.LinearViscoelastic(restitution, T_C, friction=0.4),
                   gr.RollingResistance(0.1, T_C), medium)


def unit(vector):
    return vector / np.linalg.norm(vector)


def heap(*shapes, medium=NONE, time_step=T_C / 50, threads=1):
    """Return shapes that fall onto a plate with a hole, which shakes, over a floor."""
    world = gr.World(seed=3)
    world.add(gr.Box((0, 0, -0.02), (0.04, 0.04, 0.1)))
    world.add(gr.Plate((0.02, 0.02, 0.0), (0, 0, 1), radius=0.02, hole=6e-3), name="plate",
              moving=gr.Sine(60.0, (0.3, 0.0, 1.0), amplitude=2e-4))
    rng = np.random.default_rng(1)
    places = np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(-1, 3)
    for k, place in enumerate(places):
        world.add(shapes[k % len(shapes)], at=[(0.0065, 0.0065, 0.0085) + 0.0135 * place],
                  density=2500.0, orientation=unit(rng.normal(size=4)), velocity=(0, 0, -0.3),
                  spin=20.0 * rng.normal(size=3))
    return gr.Simulation(world, law(medium), time_step=time_step, threads=threads, budget=True,
                         contacts="single")


def missing(found):
    """Return what is not accounted for, as a share of all that was there and came in."""
    energy = found.energy
    return abs(found.unaccounted) / (energy.kinetic + energy.rotational + energy.elastic
                                     + found.dissipated)


def test_a_heap_on_a_plate_that_shakes_closes_to_rounding():
    """Of bodies with equal moments of inertia, whose free turn is exact."""
    sim = heap(CUBE, HEXAPOD, gr.Sphere(4e-3))
    at_rims = 0
    for _ in range(10):
        sim.run(0.01)
        assert missing(sim.budget()) < 1e-11
        at_rims += len(sim._engine.memory()[1].i) - len(read_walls(
            sim._engine._walls, sim._engine._wall_history, sim._engine._now,
            sim._engine._members.ball, sim._engine._model).i)
    found = sim.budget()
    assert at_rims > 10
    assert found.lost_normal > 0.2 * found.dissipated
    assert found.lost_tangential > 0.1 * found.dissipated
    assert found.lost_rolling > 0.0
    assert abs(found.from_walls) > 1e-3 * found.dissipated


def test_rods_close_to_the_second_order_of_their_free_turn():
    sim = heap(ROD, CUBE)
    sim.run(0.05)
    found = sim.budget()
    assert found.dissipated > found.energy.kinetic
    assert missing(found) < 1e-6


def test_threads_and_restarts_change_no_bit(tmp_path):
    sims = [heap(ROD, HEXAPOD, threads=threads) for threads in (1, 2, 1)]
    for sim in sims[:2]:
        sim.step(700)
    sims[2].step(345)
    sims[2].save(tmp_path / "part.h5")
    sims[2] = gr.Simulation.load(tmp_path / "part.h5")
    sims[2].step(355)
    assert len({sim.fingerprint() for sim in sims}) == 1
    assert len({sim._engine.books.work.tobytes() for sim in sims}) == 1


# ---- a fluid -------------------------------------------------------------------------------------


def prolate(ratio):
    """Return drag of a prolate spheroid along and across, and torques, in those of a sphere.

    With half axes ``ratio``, 1 and 1 (J. Happel and H. Brenner, Low Reynolds number hydrodynamics,
    chapter 5), closed forms that share nothing with elliptic integrals.
    """
    e = math.sqrt(1.0 - ratio**-2)
    log = math.log((1.0 + e) / (1.0 - e))
    along = 8.0 / 3.0 * e**3 / (-2.0 * e + (1.0 + e**2) * log) * ratio
    across = 16.0 / 3.0 * e**3 / (2.0 * e + (3.0 * e**2 - 1.0) * log) * ratio
    about = 4.0 / 3.0 * e**3 * (1.0 - e**2) / (2.0 * e - (1.0 - e**2) * log) * ratio**3
    over = 4.0 / 3.0 * e**3 * (2.0 - e**2) / (-2.0 * e + (1.0 + e**2) * log) * ratio**3
    return along, across, about, over


@pytest.mark.parametrize("ratio", [1.01, 2.0, 8.0])
def test_ellipsoids_are_dragged_by_the_closed_form(ratio):
    inertia = np.array([[2.0, ratio**2 + 1.0, ratio**2 + 1.0]]) / 5.0
    along, across, about, over = prolate(ratio)
    found = drag_radii(np.ones(1), inertia)[0]
    assert found == pytest.approx([along, across, across, about, over, over], rel=1e-8)


def test_a_sphere_is_dragged_by_stokes_law():
    r = 0.7
    found = drag_radii(np.array([3.0]), np.full((1, 3), 0.4 * 3.0 * r**2))[0]
    assert found == pytest.approx([r] * 3 + [r**3] * 3, rel=1e-14)


def above_a_plate(**options):
    """Return a world in which nothing is near, with a wall that has rims, as in the others."""
    world = gr.World(**options, domain=((-1, -1, -1), (1, 1, 1)))
    world.add(gr.Plate((0, 0, -0.1), (0, 0, 1), radius=0.02, hole=6e-3))
    return world


@pytest.mark.parametrize("axis", range(3))
def test_a_rod_slows_down_along_and_about_its_axes(axis):
    """v = u + (v_0 - u) exp(-6 π η r_k t / m), and ω = ω_0 exp(-8 π η r³_k t / I_k)."""
    errors = []
    for parts in (240, 480):
        world = above_a_plate(gravity=(0, 0, 0))
        world.add(ROD, at=[(0, 0, 0)], density=2500.0, orientation=(0.5, 0.1, -0.7, 0.5))
        turn = Rotation.from_quat(world.orientation, scalar_first=True)
        n = turn.apply(np.eye(3)[axis])[0]
        radii = drag_radii(world.mass, world.inertia)[0]
        tau = 4e-3
        viscosity = world.mass[0] / (6.0 * np.pi * radii[axis] * tau)
        decay = 8.0 * np.pi * viscosity * radii[3 + axis] / world.inertia[0, axis]
        world.velocity[:], world.spin[:] = 0.3 * n, 40.0 * n
        drag = law(gr.Drag(viscosity, velocity=tuple(0.1 * n)))
        sim = gr.Simulation(world, drag, time_step=tau / parts, threads=1, budget=True,
                            contacts="single")
        sim.step(parts)
        gone = math.exp(-sim.time * decay)
        errors.append([np.abs(world.velocity[0] - (0.1 + 0.2 * math.exp(-1.0)) * n).max(),
                       np.abs(world.spin[0] / 40.0 - gone * n).max()])
    assert max(errors[1]) < 1e-4
    assert np.log2(np.divide(*errors)) == pytest.approx([2.0, 2.0], abs=0.2)
    found = sim.budget()
    assert found.lost_medium > 0.0
    assert missing(found) < 1e-4


def test_a_rod_that_falls_aslant_drifts_sideways():
    """At last the force of gravity is the tensor of drag times the velocity."""
    world = above_a_plate()
    world.add(ROD, at=[(0, 0, 0)], density=2500.0, orientation=unit(np.array([0.9, 0.1, 0.4, 0.2])))
    radii, q = drag_radii(world.mass, world.inertia)[0], world.orientation.copy()
    drag = gr.Drag(viscosity=2.0)
    sim = gr.Simulation(world, law(drag), time_step=T_C / 50, threads=1, budget=True,
                        contacts="single")
    sim.run(0.05)
    turn = Rotation.from_quat(q, scalar_first=True).as_matrix()[0]
    tensor = 6.0 * np.pi * 2.0 * turn @ np.diag(radii[:3]) @ turn.T
    wanted = np.linalg.solve(tensor, world.mass[0] * np.array([0.0, 0.0, -9.81]))
    assert world.velocity[0] == pytest.approx(wanted, rel=1e-6)
    assert np.hypot(*wanted[:2]) > 0.02 * abs(wanted[2])


def test_a_heap_in_a_fluid_closes_to_second_order():
    sim = heap(CUBE, HEXAPOD, medium=gr.Drag(viscosity=5e-2, velocity=(0.05, 0, 0)))
    sim.run(0.05)
    found = sim.budget()
    assert found.lost_medium > 0.01 * found.dissipated
    assert missing(found) < 1e-4
