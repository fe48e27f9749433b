"""Meshes in the engine: the same forces as smooth walls, with memory, and no contact missed."""

from __future__ import annotations

import math

import engine_moving as moving
import engine_worlds as worlds
import numpy as np
import pytest
from engine_worlds import differences, reloaded, simulation

import granum as gr
import mesh_shapes as shapes
from granum.contact.walls import find_wall_candidates
from granum.errors import InputError
from granum.neighbours import block_bounds
from granum.walls import nearest_possible

R = 2e-3
FLOOR = shapes.sheet(9, 0.012, np.random.default_rng(3))  # triangles of about the grain's size


def tumbling():
    """Grains of two sizes in a drum of 14 facets with a baffle, which turns and taps."""
    world = gr.World(gravity=(0.0, 0.0, -100.0))
    turning = [gr.Rotation(15.0, (0.0, 1.0, 0.0), (0.0, 0.0, 0.03)), gr.Tap(1e-3, 40.0, fall=0.4)]
    world.add(gr.Mesh("", *shapes.drum(0.03, 0.04, 14), shift=(0, 0, 0.03), side="inside"),
              name="drum", moving=turning)
    blade = [(-0.03, 0.0, 0.03), (-0.03, 0.04, 0.03), (-0.015, 0.0, 0.03), (-0.015, 0.04, 0.032)]
    world.add(gr.Mesh(vertices=blade, faces=[[0, 1, 2], [2, 1, 3]]), name="drum")
    world.add(gr.Random(radius=4e-3, count=20, low=(-0.02, 0.0, 0.005), high=(0.02, 0.04, 0.05)),
              density=2500.0)
    world.add(gr.Random(radius=1.5e-3, count=30, low=(-0.02, 0.0, 0.005), high=(0.02, 0.04, 0.05)),
              density=2500.0)
    worlds.agitate(world, 0.5)
    return world


def spiky():
    """A star at rest in the midst of a gas, met at faces, edges and corners."""
    world = gr.World(gravity=(0.0, 0.0, -40.0))
    world.add(gr.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    world.add(gr.Mesh("", *shapes.star(np.random.default_rng(6), 30), scale=0.012, side="outside",
                      shift=(0.025, 0.025, 0.02)))
    world.add(gr.Box((0.0, 0.0, 0.0), (0.05, 0.05, 0.05)))
    world.add(gr.Random(radius=3e-3, count=60, low=(0, 0, 0), high=(0.05, 0.05, 0.05)),
              density=2500.0)
    worlds.agitate(world, 1.5)
    return world


@pytest.mark.parametrize("make", [tumbling, spiky])
def test_no_contact_with_a_mesh_is_missed(make):
    sim = simulation(make())
    met = 0
    for k in range(100):
        sim.step()
        met += moving.check_contacts(sim) if k % 4 == 3 else 0
    assert met > 20
    assert sim.counts["list_updates"] < 80


@pytest.mark.parametrize("make", [tumbling, spiky])
def test_no_bit_depends_on_threads_skin_or_cuts(make, tmp_path):
    whole, other = simulation(make()), simulation(make(), threads=2, neighbours="cells")
    whole.step(330)
    other.step(330)
    other.neighbours = whole.neighbours
    assert differences(whole, other) == []
    cut = simulation(make())
    worlds.set_skin(cut, 0.3 * cut.world.radius.min())
    cut.step(117)
    cut = reloaded(cut, tmp_path / "cut.h5")
    for steps in (1, 3, 209):
        cut.wall_forces()
        cut.step(steps)
    assert differences(whole, cut) == []


def test_candidates_against_all_pieces():
    """Every piece within reach is listed, in order; what is listed is not far beyond it."""
    world = tumbling()
    table = world.wall_table()
    X = np.column_stack([world.position, world.radius])
    n = len(X)
    body, pose = world.wall_bodies(table), world.poses(0.0)
    margin, allowance = np.full(n, 4e-3), np.where(body >= 0, 2e-4, 0.0)
    found = find_wall_candidates(X, block_bounds(n), table, world.wall_materials(table), margin,
                                 body, pose, allowance)
    listed = list(zip(found.grain.tolist(), found.piece.tolist(), strict=True))
    assert listed == sorted(set(listed))
    gap = np.array([[nearest_possible(table.kind, table.data, w, *X[i, :3]) - X[i, 3]
                     for w in range(len(table.kind))] for i in range(n)])
    reach = 4.2e-3
    must = {(i, w) for i, w in np.argwhere(gap < reach).tolist()}
    may = {(i, w) for i, w in np.argwhere(gap < reach + 0.13 * X[:, 3].min()).tolist()}
    assert len(must) > 50
    assert must <= set(listed) <= may


# ---- beside smooth walls ---------------------------------------------------------------------


def followed(wall, start, velocity, spin, steps, gravity=(0.0, 0.0, -9.81), every=5):
    """One grain on a wall: position, velocity, spin, force and spring, over time; pieces met."""
    world = gr.World(gravity=gravity)
    world.add(wall)
    world.add(gr.Sphere(R), at=[start], density=2500.0, velocity=[velocity], spin=[spin])
    sim = simulation(world)
    rows, pieces = [], set()
    for _ in range(steps // every):
        sim.step(every)
        contacts = sim.contacts()
        assert len(contacts) <= 1
        pieces |= set(contacts.wall.tolist())
        touch = [*contacts.force[0], *contacts.spring[0]] if len(contacts) else [0.0] * 6
        rows.append([*world.position[0], *world.velocity[0], *world.spin[0], *touch])
    return np.array(rows), pieces


def compare_with_plane(angle, velocity, spin, steps):
    """Let a grain go over a floor of triangles and over a plane, both tilted."""
    axis = (1.0, 0.4, 0.0)
    mesh = gr.Mesh("", *FLOOR, axis=axis, angle=angle)
    corners = mesh.surface.vertices[mesh.surface.faces[0]]
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    normal /= np.linalg.norm(normal)
    inside = mesh.surface.vertices[0] * 0.55
    start = inside + 1.001 * R * normal
    velocity = np.asarray(velocity) - (np.asarray(velocity) @ normal) * normal
    pull = tuple(-9.81 * normal)
    found, pieces = followed(mesh, start, velocity, spin, steps, pull)
    expected, _ = followed(gr.Plane((0, 0, 0), normal), start, velocity, spin, steps, pull)
    assert len(pieces) > 6
    assert np.abs(expected[:, 9:12]).max() > 0.0
    for first in range(0, 15, 3):
        size = np.abs(expected[:, first:first + 3]).max()
        assert np.abs(found - expected)[:, first:first + 3].max() <= 1e-12 * size
    return expected


@pytest.mark.parametrize("angle", [0.0, 0.4])
def test_sliding_over_triangles_is_sliding_over_a_plane(angle):
    """Friction holds its full force across edges and vertices, and its spring goes along."""
    way = compare_with_plane(angle, (0.25, 0.17, 0.0), (0.0, 0.0, 30.0), 900)
    assert np.ptp(way[:, 0]) > 5.0 * 0.012 / 9.0


def test_rolling_over_triangles_is_rolling_over_a_plane():
    """A grain that rolls without slipping keeps a spring that is far from friction's bound."""
    v = np.array([0.15, 0.1, 0.0])
    compare_with_plane(0.0, v, tuple(np.cross((0, 0, 1), v) / R), 1500)


def test_memory_goes_round_a_convex_edge():
    """A grain that slides along a roof while it rolls over the ridge is one contact all the way.

    Friction is at its bound, so the spring is as long as the normal force has it; were it lost at
    the ridge, it would begin anew at nothing.
    """
    slope = 0.1
    vertices = [(-1, -1, -slope), (-1, 1, -slope), (0, -1, 0), (0, 1, 0), (1, -1, -slope),
                (1, 1, -slope)]
    roof = gr.Mesh(vertices=np.array(vertices) * 0.03,
                   faces=[[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]])
    lean = math.atan(slope)
    start = np.array((-3e-4, 0.001, -3e-4 * slope)) + R * np.array(
        (-math.sin(lean), 0.0, math.cos(lean)))
    start[2] -= 1e-9
    rows, pieces = followed(roof, start, (0.15, 0.4, 0.015), (0.0, 0.0, 0.0), 180,
                            gravity=(0.0, 0.0, -40.0), every=1)
    assert len(pieces) == 3  # face, edge, face
    assert rows[-1, 0] > 2e-4
    spring = np.linalg.norm(rows[:, 12:15], axis=1)
    passing = np.abs(rows[1:, 0]) < 4e-4
    assert passing.sum() > 50
    change = spring[1:] / spring[:-1]
    assert change[passing].min() > 0.8
    assert change[passing].max() < 1.25


@pytest.mark.parametrize("turned", [False, True])
def test_box_of_triangles_is_a_box(turned):
    """A packing that settles goes the same way between 12 triangles as between 6 planes."""
    size = (0.02, 0.02, 0.03)
    mesh = gr.Mesh("", *shapes.cube((0, 0, 0), size), side="inside")
    motion = gr.Sine(40.0, (0.3, 0.2, 1.0), amplitude=1e-4) if turned else None
    sims = []
    for wall in (mesh, gr.Box((0, 0, 0), size)):
        world = gr.World(gravity=(0, 0, -30.0), seed=4)
        world.add(wall, moving=motion)
        world.add(gr.Random(radius=2e-3, count=85, spread=0.2, low=(0, 0, 0), high=size),
                  density=2500.0)
        worlds.agitate(world, 0.3, spin=20.0)
        sims.append(simulation(world))
    one, other = sims
    assert np.array_equal(one.world.position, other.world.position)
    for steps in (20, 60):  # longer, and chaos makes rounding grow
        one.step(steps)
        other.step(steps)
        assert np.abs(one.world.position - other.world.position).max() < 1e-12 * size[0]
        a, b = one.contacts(), other.contacts()
        assert len(a) == len(b) > 5
        assert np.array_equal(a.i, b.i)
        order = [np.lexsort((t.normal.round(6).T[0], t.normal.round(6).T[1],
                             t.normal.round(6).T[2], t.j, t.i)) for t in (a, b)]
        force, expected = a.force[order[0]], b.force[order[1]]
        assert np.abs(force - expected).max() < 1e-11 * np.abs(expected).max()


def test_resting_grain_does_not_feel_the_triangles():
    """On a vertex, on an edge, on a face: the same depth, once it rests."""
    depths = []
    for x, y in ((0.0, 0.0), (0.012 / 9, 0.012 / 9), (0.001, 0.0007), (0.012 / 9, 0.0)):
        rows, _ = followed(gr.Mesh("", *FLOOR), (x, y, R), (0, 0, 0), (0, 0, 0), 2000, every=500)
        assert rows[-1, :2] == pytest.approx((x, y), abs=1e-15)
        depths.append(rows[-1, 2])
    assert np.ptp(depths) == 0.0
    assert depths[0] < R


# ---- a drum ----------------------------------------------------------------------------------


def test_turning_drum_keeps_its_grains():
    """A cylinder of many facets turns more than once; its grains go along, and none gets out."""
    world = gr.World(seed=2)
    drum = gr.Mesh("", *shapes.drum(0.02, 0.01, 36), side="inside")
    world.add(drum, name="drum", moving=gr.Rotation(30.0, (0, 1, 0)))
    world.add(gr.Random(radius=1e-3, count=150, low=(-0.02, 0, -0.02), high=(0.02, 0.01, 0.0)),
              density=2500.0)
    sim = simulation(world, gr.LinearViscoelastic(0.4, contact_time=5e-4, friction=0.6),
                     time_step=None)
    sim.run(0.25)
    assert len(world) == 150
    assert drum.contains(world.position).all() or np.hypot(
        world.position[:, 0], world.position[:, 2]).max() < 0.02
    assert sim.wall_forces()["drum"].work > 0.0  # lifted, not only carried
    assert world.position[:, 2].mean() < 0.0


def test_grains_in_a_mesh_are_refused():
    vertices, faces = shapes.cube((0, 0, 0), (0.02, 0.02, 0.02))
    world = gr.World()
    world.add(gr.Mesh(vertices=vertices, faces=faces, side="outside"))
    world.add(gr.Sphere(1e-3), at=[(0.01, 0.01, 0.01)], density=2500.0)
    with pytest.raises(InputError, match="outside its container"):
        simulation(world)
    world = gr.World()
    world.add(gr.Mesh(vertices=vertices, faces=faces))
    world.add(gr.Sphere(1e-3), at=[(0.01, 0.01, 0.0005)], density=2500.0)
    with pytest.raises(InputError, match=r"cuts 0\.0005 m into a wall"):
        simulation(world)
