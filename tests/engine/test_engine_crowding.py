"""Grains that touch at many points from the start: how many, and the time step that serves them."""

import numpy as np
import pytest

import granum as gr
from granum.dynamics.bonding import time_steps
from granum.dynamics.crowding import FEW, most_points

LAW = gr.LinearViscoelastic(restitution=0.2, contact_time=2e-4, friction=0.5)
SIDE, BALL = 0.01, 5e-4
CUBE = gr.SpheroPolyhedron.box((SIDE - 2 * BALL,) * 3, BALL)


def cubes(*steps, gap=0.0, periodic=(None, None, None)):
    """Return cubes side by side, so many along each axis."""
    world = gr.World(gravity=(0, 0, 0), periodic=periodic)
    grid = np.stack(np.meshgrid(*map(np.arange, steps), indexing="ij"), axis=-1).reshape(-1, 3)
    world.add(CUBE, at=(SIDE + gap) * (grid + 0.5), density=2500.0)
    return world


def rock(**options):
    world = gr.World(gravity=(0, 0, 0), seed=1)
    world.add(gr.Box((0, 0, 0), (0.04, 0.04, 0.04)))
    world.add(gr.Voronoi(count=40, radius=0.3e-3, relaxations=2, **options), density=2600.0)
    return world


def pair(one, two, way, dimension=3):
    world = gr.World(dimension=dimension, gravity=(0, 0, 0))
    world.add(one, at=[(0,) * dimension], density=1.0)
    world.add(two, at=[way], density=1.0)
    return world


@pytest.mark.parametrize(("steps", "points"), [
    ((1, 1, 1), 0), ((2, 1, 1), 4), ((3, 1, 1), 8), ((3, 3, 1), 16), ((3, 3, 3), 24)])
def test_cubes_that_lie_on_each_other_touch_at_the_corners_of_their_faces(steps, points):
    assert most_points(cubes(*steps)) == points
    assert most_points(cubes(*steps, gap=1e-5 * SIDE)) == 0


def test_images_count():
    assert most_points(cubes(4, 4, 4, periodic=(4 * SIDE,) * 3)) == 24


@pytest.mark.parametrize(("one", "two", "way", "points"), [
    (gr.Spherocylinder(2.0, 0.5), gr.Spherocylinder(2.0, 0.5), (0, 1, 0), 2),  # ends on ends
    (gr.Spherocylinder(4.0, 0.5), gr.Spherocylinder(2.0, 0.5), (0, 0, 1), 3),  # 2, by mass 2.6
    (CUBE, CUBE, (SIDE, 0.3 * SIDE, 0.4 * SIDE), 4),  # two corners on faces, and edges cross twice
    (CUBE, gr.Sphere(0.1 * SIDE), (0.6 * SIDE, 0, 0), 0),  # one contact, as for which a step is
])
def test_points_of_two_grains(one, two, way, points):
    assert most_points(pair(one, two, way)) == points


@pytest.mark.parametrize("tip_first", [False, True])
def test_a_tip_on_a_face_is_seen_from_either_side(tip_first):
    """Of shapes that are not the same upside down: one point, for the lighter one nearly two."""
    tip = gr.SpheroPolyhedron([(0, 0, 0), (4e-3, 0, 4e-3), (-4e-3, 4e-3, 4e-3),
                               (-4e-3, -4e-3, 4e-3)], radius=BALL)
    at = np.array((1e-3, 2e-3, 0.5 * SIDE + BALL)) + tip.centre
    one, two, way = (tip, CUBE, -at) if tip_first else (CUBE, tip, at)
    assert most_points(pair(one, two, way)) == 2
    assert most_points(pair(one, two, 1.001 * way)) == 0


def test_a_light_grain_is_held_more_firmly():
    """By contacts with one of nine times its mass: by 9/10 instead of 1/2 of its own."""
    world = pair(CUBE, gr.SpheroPolyhedron.box((SIDE - 2 * BALL,) * 3, BALL), (SIDE, 0, 0))
    world.mass[1] *= 9.0
    assert most_points(world) == np.ceil(4 * 1.8)


def test_squares_in_the_plane():
    square = gr.SpheroPolygon(((0, 0), (1, 0), (1, 1), (0, 1)), 0.1)
    assert most_points(pair(square, square, (1.2, 0.0), dimension=2)) == 2
    assert most_points(pair(square, square, (1.2, 0.5), dimension=2)) == 2
    assert most_points(pair(square, square, (1.21, 0.5), dimension=2)) == 0


@pytest.mark.parametrize("turn", [0.2, 0.7])
def test_edges_of_faces_that_are_turned_cross(turn):
    """A square on another one, turned about the middle, has eight corners in common with it."""
    world = cubes(1, 1, 1)
    half = 0.5 * turn
    world.add(CUBE, at=[(0.5 * SIDE, 0.5 * SIDE, 1.5 * SIDE)], density=2500.0,
              orientation=(np.cos(half), 0.0, 0.0, np.sin(half)))
    assert most_points(world) == 8


def test_what_is_counted_is_what_the_engine_finds():
    """A rock that is pressed together by a little is as stiff as so many contacts."""
    world = rock()
    expected = most_points(world)
    world.position[:] = 0.02 + (1.0 - 1e-6) * (world.position - 0.02)
    contacts = gr.Simulation(world, LAW, time_step=1e-7, initial_overlap=0.5).contacts()
    between = contacts.j >= 0
    i, j, mass = contacts.i[between], contacts.j[between], world.mass
    found = (np.bincount(i, 2.0 * mass[j] / (mass[i] + mass[j]), 40)
             + np.bincount(j, 2.0 * mass[i] / (mass[i] + mass[j]), 40))
    assert found.max() > 40.0
    assert abs(found.max() - expected) <= 0.05 * expected


def test_the_recommended_step_is_shorter_by_that_and_brings_a_rock_to_rest():
    assert time_steps(LAW, cubes(2, 1, 1)).recommended == pytest.approx(2e-4 / 50)
    assert time_steps(LAW, cubes(3, 3, 3)).recommended == pytest.approx(2e-4 / 50 * FEW / 24)
    assert time_steps(LAW, cubes(3, 3, 3)).longest == time_steps(LAW, cubes(1, 1, 1)).longest
    sim = gr.Simulation(rock(), LAW)
    assert sim.time_step < 2e-4 / 200
    sim.world.velocity[:, 0] = 1e-3
    sim.run(2e-4)
    before = sim.energy()
    sim.run(2e-3)
    after = sim.energy()
    assert after.kinetic + after.rotational < 1e-3 * (before.kinetic + before.rotational)
