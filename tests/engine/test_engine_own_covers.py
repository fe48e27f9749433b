"""Shapes that bring the spheres along by which the triangulation finds them."""

import math
from dataclasses import replace

import numpy as np
import pytest

import granum as gr
from granum.errors import InputError
from granum.neighbours.own_covers import refuse_unsuited
from granum.output.describe import from_plain, to_plain
from granum.shapes.cover_kinds import Kinds
from granum.shapes.turning import random_turns, turned

HARD = gr.LinearViscoelastic(restitution=1.0, contact_time=0.05, friction=0.0)
ROD = gr.Spherocylinder(1.5, 0.2)


def chain(a, b, r, ratio=1.18):
    """Return Pournin's chain of spheres along a segment, (n,3), and their radius (3.2.1.1)."""
    a, b, R = np.array(a, dtype=float), np.array(b, dtype=float), ratio * r
    length = np.linalg.norm(b - a)
    n = math.ceil((length - 2.0 * (R - r)) / (2.0 * math.sqrt(R * R - r * r))) + 1
    share = np.linspace((R - r) / length, 1.0 - (R - r) / length, n)
    return a + share[:, None] * (b - a), R


def chained(rod=ROD):
    return rod.covered(*chain((-0.5 * rod.length, 0, 0), (0.5 * rod.length, 0, 0), rod.radius))


def angle():
    """Return two rods in one, far from the origin, with chains along both."""
    corner = np.array([(3.0, 1.0, 2.0), (4.2, 1.0, 2.0), (3.0, 1.7, 2.5)])
    first, R = chain(corner[0], corner[1], 0.25)
    second, _ = chain(corner[0], corner[2], 0.25)
    shape = gr.SpheroPolyhedron(corner, faces=(), edges=[(0, 1), (0, 2)], radius=0.25)
    return shape.covered(np.concatenate((first, second)), R)


def wedge():
    """Return an open outline of the plane, far from the origin, with chains along its sides."""
    corner = np.array([(5.0, 2.0), (6.2, 2.0), (5.9, 2.8)])
    first, R = chain(corner[0], corner[1], 0.25)
    second, _ = chain(corner[1], corner[2], 0.25)
    shape = gr.SpheroPolygon(corner, 0.25, closed=False)
    return shape.covered(np.concatenate((first, second)), R)


def crowd(shapes, dimension):
    """Return grains that fly about and hit each other: of these shapes, in several sizes."""
    rng = np.random.default_rng(4)
    world = gr.World(gravity=(0, 0, 0), dimension=dimension, periodic=(7.5, None, None))
    ways = [np.arange(3) * 2.5 + 1.2] * dimension + [np.zeros(1)] * (3 - dimension)
    at = rng.permutation(np.stack(np.meshgrid(*ways), axis=-1).reshape(-1, 3))
    for k, place in enumerate(at):
        if k % 4 == 3:
            ball = gr.Sphere(0.5) if dimension == 3 else gr.Disc(0.5)
            world.add(ball, at=[place[:dimension]], density=1.0)
            continue
        shape, turn = shapes[k % len(shapes)], random_turns(rng, 1, dimension)[0]
        world.add(gr.Explicit((tuple(place),), rng.choice((0.8, 0.9, 1.1)), shape=shape,
                              orientation=tuple(turn)), density=1.0)
    world.velocity = 2.0 * rng.normal(size=at.shape) * (1, 1, dimension - 2)
    return world


CROWDS = {"rods": ([chained()], 3), "rods and angles": ([chained(), angle()], 3),
          "some with, some without": ([angle(), ROD], 3), "wedges": ([wedge()], 2),
          "rods in the plane": ([chained()], 2)}


@pytest.mark.parametrize("name", CROWDS)
def test_runs_are_those_of_cells_to_the_last_bit(name):
    """With a cover of one's own, and with cells for the same shapes without any."""
    shapes, dimension = CROWDS[name]
    runs = []
    for neighbours in ("cells", "triangulation"):
        some = [replace(shape, cover=()) for shape in shapes] if neighbours == "cells" else shapes
        sim = gr.Simulation(crowd(some, dimension), HARD, time_step=1e-3, neighbours=neighbours)
        sim.run(0.5)
        runs.append(sim.fingerprint())
    assert runs[0] == runs[1]
    assert sim.counts["triangulation_checks"] > 10
    assert np.ptp(sim.world.spin[:, 2]) > 0.1  # they did hit


def test_the_spheres_are_those_that_were_given():
    """In the frame of the shape as the engine has it, with a skin, for each class of sizes."""
    shape = angle()
    given = np.array(shape.cover)
    world = crowd([shape], 3)
    own, settled = world.shapes[0], shape.settled(3)
    assert np.allclose(turned(settled.axes, np.array(own.cover)[:, :3]) + settled.centre,
                       given[:, :3], atol=1e-12)
    kinds = Kinds(world.shapes, world.grains.shape, world.grains.radius, 3)
    assert len(kinds.kinds) == 2
    for kind in kinds.kinds:
        more = max(0.0, kinds.skin / kind.low - own.skin)
        assert more > 0.0
        assert np.allclose(kind.cover.points, np.array(own.cover)[:, :3], atol=2e-3 * 0.25)
        assert kind.cover.radii == pytest.approx(given[:, 3] + more, abs=2e-3 * 0.25)
        assert kind.cover.skin * kind.low >= kinds.skin * (1.0 - 1e-12)


def test_a_checkpoint_keeps_the_cover(tmp_path):
    """A simulation that was cut goes on as if it had not been, with the same spheres."""
    def begun():
        return gr.Simulation(crowd([chained(), angle()], 3), HARD, time_step=1e-3,
                             neighbours="triangulation")

    whole, cut = begun(), begun()
    whole.run(0.4)
    cut.run(0.2)
    cut.save(tmp_path / "half.h5")
    found = gr.Simulation.load(tmp_path / "half.h5")
    assert found.world.shapes == cut.world.shapes
    assert all(shape.cover and shape.skin for shape in found.world.shapes)
    found.run(0.2)
    assert found.fingerprint() == whole.fingerprint()


@pytest.mark.parametrize("shape", [chained(), angle(), wedge(),
                                   gr.Spherotetrahedron(0.2, 0.5).covered([(0, 0, 0)], 0.63)])
def test_a_shape_to_be_poured_keeps_its_cover(shape):
    assert shape.cover
    assert from_plain(to_plain(shape)) == shape


# ---- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(("points", "radii", "text"), [
    ([(-0.5, 0, 0), (0.5, 0, 0)], 0.25,
     r"the cover of this Spherocylinder does not hold it: \(-?\d.* is in the grain"),
    ([(0, 0, 0), (0, 0.3, 0)], 1.1,
     "sphere 1 in the cover of this Spherocylinder has its centre outside"),
    ([(0, 0, 0), (0.4, 0, 0)], (1.1, 0.3), "spheres 0 and 1 in the cover of this Spherocylinder"),
    ([(0, 0, 0)], -1.0, "Spherocylinder radius of sphere 0 in the cover must be greater than 0"),
    ([(0, 0, 0)], (1.0, 1.0), r"Spherocylinder radii of the cover must have shape \(1\)"),
    ([0, 0, 0], 1.0, r"Spherocylinder cover must have shape \(n, n\)"),
    (np.zeros((2001, 3)), 1.0, "cover must have 2000 spheres at most, got 2001")])
def test_covers_that_cannot_be_are_refused_at_once(points, radii, text):
    with pytest.raises(InputError, match=text):
        ROD.covered(points, radii)


def test_a_cover_is_checked_in_the_world_where_it_is_used():
    """Given with the shape itself, and with a centre outside of the plane of a 2D world."""
    bare = gr.Spherocylinder(1.5, 0.2, cover=[(-0.5, 0, 0, 0.25)])
    with pytest.raises(InputError, match="the cover of this Spherocylinder does not hold it"):
        gr.World().add(bare, at=[(0, 0, 0)], density=1.0)
    points, R = chain((-0.75, 0, 0), (0.75, 0, 0), 0.2)
    lifted = ROD.covered(points + np.array([0.0, 0.0, 0.01]), 1.1 * R)
    with pytest.raises(InputError, match="centres with z, but a 2D world lies in z = 0"):
        gr.World(dimension=2).add(lifted, at=[(0, 0)], density=1.0)


def beside(shape, other=None, pour=None):
    world = gr.World(gravity=(0, 0, 0))
    world.add(shape, at=[(0, 0, 0), (0, 0, 3)], density=1.0)
    if other is not None:
        world.add(other, at=[(0, 5, 0)], density=1.0)
    if pour is not None:
        world.add(pour, density=1.0)
    return world


WIDE = gr.Spherocylinder(0.8, 1.0).covered([(0, 0, 0)], 1.41)


def test_covers_too_large_for_their_own_kind_are_refused():
    """Condition (3) between grains of one shape; cells need no cover."""
    world = beside(WIDE)
    text = (r"sphere 0 in the cover of shape 0 with a skin of 0.15 m \(radius 1.\d+ m, its centre "
            r"1 m deep\) and sphere 0 in that of shape 0 .* too large beside each other")
    with pytest.raises(InputError, match=text):
        gr.Simulation(world, HARD, neighbours="triangulation")
    gr.Simulation(world, HARD, neighbours="cells")


def test_covers_too_large_beside_others_are_refused():
    """Condition (3) with thinner grains, that are there or to be poured in."""
    pair = gr.Spherotetrahedron(0.5, 1.0).covered([(0, 0, 0)], 1.35)
    thin = gr.Spherocylinder(0.3, 0.1)
    text = r"sphere 0 in the cover of shape 0 .* and sphere \d in that of shape 1"
    gr.Simulation(beside(pair), HARD, neighbours="triangulation")
    with pytest.raises(InputError, match=text):
        gr.Simulation(beside(pair, thin), HARD, neighbours="triangulation")
    pour = gr.Pour(radius=0.25, count=5, rate=1.0, low=(-5, -5, 5), high=(5, 5, 9), shape=thin)
    with pytest.raises(InputError, match=text):
        gr.Simulation(beside(pair, pour=pour), HARD, neighbours="triangulation")


def test_small_grains_of_one_shape_ask_more_of_large_ones():
    """A cover that does for grains of one size may not for a wide mix of sizes."""
    tight = gr.Spherotetrahedron(0.4, 1.0).covered([(0, 0, 0)], 1.25)
    for small, refused in ((0.9, False), (0.1, True)):
        world = gr.World(gravity=(0, 0, 0))
        for k, radius in enumerate((1.0, small)):
            world.add(gr.Explicit(((4.0 * k, 0, 0),), radius, shape=tight,
                                  orientation=(1, 0, 0, 0)), density=1.0)
        if refused:
            with pytest.raises(InputError, match=r"cover of shape 0 .* too large"):
                refuse_unsuited(world)
        else:
            refuse_unsuited(world)


def test_radii_that_differ_may_be_too_near_with_a_skin():
    """Condition (1) holds for the spheres as given, but not once all are thicker."""
    R, r = 1.16, 1.10
    away = 1.005 * math.sqrt(R * R - r * r)
    shape = gr.Spherotriangle(0.15, 1.0).covered([(0, 0, 0), (away, 0, 0)], (R, r))
    with pytest.raises(InputError, match="spheres 0 and 1 in the cover of shape 0 with a skin"):
        gr.Simulation(beside(shape), HARD, neighbours="triangulation")
