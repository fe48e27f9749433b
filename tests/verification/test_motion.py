"""Motion without contacts: falling, turning, and what a 2D world is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import granum as gr

LAW = gr.LinearViscoelastic(0.5, 1e-3, friction=0.4)


@pytest.mark.parametrize("integrator", ["verlet", "constant-acceleration"])
def test_free_fall_is_exact(integrator):
    gravity = np.array([0.7, -1.3, -9.81])
    x0, v0 = np.array([[0.1, -0.2, 0.3]]), np.array([[1.5, 2.5, 3.5]])
    world = gr.World(gravity=tuple(gravity))
    world.add(gr.Sphere(1e-3), at=x0, density=2500, velocity=v0)
    sim = gr.Simulation(world, LAW, time_step=1e-4, integrator=integrator, threads=1)
    sim.step(3000)
    t = 0.3
    assert sim.time == pytest.approx(t, rel=1e-14)
    np.testing.assert_allclose(world.position, x0 + v0 * t + 0.5 * gravity * t**2, rtol=1e-11)
    np.testing.assert_allclose(world.velocity, v0 + gravity * t, rtol=1e-11)


def turned(world: gr.World) -> Rotation:
    w, x, y, z = world.orientation[0]
    return Rotation.from_quat([x, y, z, w])


def spinning(spin, orientation=(1.0, 0.0, 0.0, 0.0), time_step=1e-5) -> gr.Simulation:
    world = gr.World(gravity=(0.0, 0.0, 0.0))
    world.add(gr.Sphere(1e-3), at=[(0, 0, 0)], density=2500, spin=spin, orientation=orientation)
    return gr.Simulation(world, LAW, time_step=time_step, threads=1)


def test_spin_turns_a_grain_about_its_axis_by_its_angle():
    spin = np.array([30.0, -50.0, 80.0])
    q = np.array([0.5, 0.1, -0.7, 0.2])
    q /= np.linalg.norm(q)
    sim = spinning(spin, q)
    before = turned(sim.world)
    sim.step(5000)  # 0.05 s, nearly five radians
    angle = np.linalg.norm(spin) * 0.05
    expected = Rotation.from_rotvec(spin * 0.05) * before
    off = (turned(sim.world) * expected.inv()).magnitude()
    # the step turns by 4 atan(Ω dt / 4), short of Ω dt by (Ω dt)² / 48
    assert off < 1.01 * angle * (np.linalg.norm(spin) * 1e-5) ** 2 / 48 + 1e-13
    np.testing.assert_array_equal(sim.world.spin[0], spin)


def test_quarter_turn_carries_the_body_axes_as_drawn():
    """Right-handed about z: what pointed along x points along y."""
    sim = spinning((0.0, 0.0, 100.0))
    sim.run(0.5 * math.pi / 100.0)
    np.testing.assert_allclose(turned(sim.world).apply([1, 0, 0]), [0, 1, 0], atol=1.1e-3)
    np.testing.assert_allclose(turned(sim.world).apply([0, 0, 1]), [0, 0, 1], atol=1e-12)


def test_a_step_turns_by_the_cayley_angle():
    sim = spinning((0.0, 2000.0, 0.0), time_step=1e-4)  # 0.2 rad a step
    sim.step(10)
    angle = 10 * 4 * math.atan(0.2 / 4)
    np.testing.assert_allclose(turned(sim.world).as_rotvec(), [0.0, angle, 0.0], atol=1e-13)


def test_orientation_stays_unit():
    sim = spinning((300.0, -700.0, 400.0), time_step=1e-4)
    steps = 50_000
    sim.step(steps)
    off = abs(np.linalg.norm(sim.world.orientation[0]) - 1.0)
    assert off < steps * np.finfo(float).eps  # rounding of one step, at worst always the same way


def test_mass_and_inertia_of_spheres_and_discs():
    radii = np.array([1e-3, 2.5e-3])
    space = gr.World()
    space.add(gr.Sphere(radii), at=[(0, 0, 0), (1, 0, 0)], density=2500)
    mass = 2500 * 4 / 3 * np.pi * radii**3
    np.testing.assert_allclose(space.mass, mass, rtol=1e-14)
    np.testing.assert_allclose(space.inertia, np.outer(0.4 * mass * radii**2, np.ones(3)),
                               rtol=1e-14)
    plane = gr.World(dimension=2)
    plane.add(gr.Disc(radii), at=[(0, 0), (1, 0)], density=2500)
    mass = 2500 * np.pi * radii**2
    np.testing.assert_allclose(plane.mass, mass, rtol=1e-14)
    np.testing.assert_allclose(plane.inertia[:, 2], 0.5 * mass * radii**2, rtol=1e-14)


def test_discs_stay_in_their_plane_and_turn_about_z_only():
    world = gr.World(dimension=2, seed=5)
    world.add(gr.Box((0, 0, 0), (0.06, 0.06, 0)))
    rng = np.random.default_rng(5)
    grid = np.stack(np.meshgrid(np.arange(5), np.arange(5)), axis=-1).reshape(-1, 2)
    points = 0.006 + 0.011 * grid + rng.uniform(-5e-4, 5e-4, (25, 2))
    velocity = np.column_stack([rng.uniform(-1, 1, (25, 2)), np.zeros(25)])
    world.add(gr.Disc(rng.uniform(3e-3, 4.5e-3, 25)), at=points, density=2500, velocity=velocity,
              spin=np.column_stack([np.zeros((25, 2)), rng.uniform(-200, 200, 25)]))
    spin = world.spin.copy()
    sim = gr.Simulation(world, LAW, threads=1)
    sim.run(0.1)
    assert (np.abs(world.spin[:, 2] - spin[:, 2]) > 1e-3).sum() > 20  # they did rub
    for flat in (world.position[:, 2], world.velocity[:, 2], world.spin[:, :2],
                 world.orientation[:, 1:3]):
        np.testing.assert_array_equal(flat, 0.0)


@pytest.mark.parametrize("spin", [(5.0, 0.0, 0.0), (0.0, 5.0, 1.0)])
def test_a_disc_that_would_turn_out_of_its_plane_is_refused(spin):
    world = gr.World(dimension=2)
    with pytest.raises(gr.InputError, match="spin"):
        world.add(gr.Disc(1e-3), at=[(0, 0)], density=2500, spin=spin)


def test_gravity_that_would_turn_out_of_the_plane_is_refused():
    with pytest.raises(gr.InputError, match="axis"):
        gr.World(dimension=2, turns=[gr.Turn(0.0, 1.0, math.pi, (1.0, 0.0, 0.0))])
