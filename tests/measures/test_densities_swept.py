"""Density and surface of swept shapes: what a region cuts of them, beside closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import granum as gr
from granum.measures import density, filled_volumes, layer_density, surface
from granum.shapes.stuffing import COUNT, stuffing
from granum.shapes.turning import random_turns, turned

FAR = 100.0
ROD = gr.Spherocylinder(8.0, 0.5)
CLOSE = 6e-3  # of a grain's volume: what the points that fill it leave open


def alone(shape, turn=(1.0, 0.0, 0.0, 0.0), dimension=3, **world):
    """Return a world with one grain, in the middle or where it is told."""
    at = world.pop("at", (0.0, 0.0, 0.0))
    scene = gr.World(dimension=dimension, **world)
    scene.add(shape, at=[at], density=1.0, orientation=[turn])
    return scene


def shares(world, axis, places):
    """Return the share of the only grain that lies below some places along an axis."""
    found = []
    for place in places:
        high = np.full(3, FAR)
        high[axis] = place
        region = gr.BoxRegion((-FAR, -FAR, -FAR), tuple(high))
        found.append(filled_volumes(world, region)[0] / world.volumes()[0])
    return np.array(found)


def rod_below(x, length, r):
    """Return the volume of a rod along x that lies below places (k,): a shaft and two caps."""
    half = 0.5 * length
    shaft = np.pi * r**2 * np.clip(x + half, 0.0, length)
    caps = 0.0
    for start, side in ((-half, -1.0), (half, 1.0)):
        h = np.clip(side * (x - start), 0.0, r)  # of the cap, from its flat side
        slab = np.pi * (r**2 * h - h**3 / 3.0)
        whole = 2.0 / 3.0 * np.pi * r**3
        caps = caps + (slab if side > 0 else np.where(x < start, whole - slab, whole))
    return shaft + caps


def test_a_rod_is_cut_where_its_vertices_are_not():
    world = alone(ROD)
    axis = int(np.argmax(np.abs(turned(np.array([1.0, 0, 0, 0]),
                                       np.array(world.shapes[0].points[1])))))
    places = np.linspace(-4.4, 4.4, 23)
    exact = rod_below(places, 8.0, 0.5) / world.volumes()[0]
    assert shares(world, axis, places) == pytest.approx(exact, abs=CLOSE)
    middle = gr.BoxRegion((-2, -2, -2), (2, 2, 2))
    assert density(world, middle) == pytest.approx(np.pi * 0.25 * 4.0 / 64.0, rel=0.03)


def test_inside_a_cube_there_is_nothing_but_cube():
    world = alone(gr.SpheroPolyhedron.box((4.0, 4.0, 4.0), 0.1))
    for side in (1.2, 2.0, 3.0):
        half = 0.5 * side
        region = gr.BoxRegion((-half, -half, -half), (half, half, half))
        assert density(world, region) == pytest.approx(1.0, abs=0.1)
    half = 2.2  # and nothing of it is outside
    whole = gr.BoxRegion((-half, -half, -half), (half, half, half))
    assert filled_volumes(world, whole)[0] == pytest.approx(world.volumes()[0], rel=1e-14)


@pytest.mark.parametrize(("shape", "dimension"), [
    (gr.SpheroPolyhedron.box((3.0, 2.0, 1.0), 0.02), 3),
    (gr.SpheroPolygon(((0.0, 0.0), (3.0, 0.0), (3.0, 2.0), (0.0, 2.0)), 0.02), 2),
])
def test_a_box_with_sharp_edges_is_cut_in_proportion(shape, dimension):
    rng = np.random.default_rng(4)
    for turn in [np.array([1.0, 0, 0, 0]), *random_turns(rng, 3, dimension)]:
        world = alone(shape, tuple(turn), dimension)
        corners = turned(turn, np.array(world.shapes[0].points))
        low, high = corners[:, 0].min() - 0.02, corners[:, 0].max() + 0.02
        assert shares(world, 0, [low - 1e-9, 0.0, high + 1e-9]) == pytest.approx(
            [0.0, 0.5, 1.0], abs=1e-9)  # a cut through the middle halves it
    world = alone(shape, dimension=dimension)
    extent = np.ptp(np.array(world.shapes[0].points)[:, 0])
    places = np.linspace(-0.45, 0.45, 10) * extent
    assert shares(world, 0, places) == pytest.approx(0.5 + places / (extent + 0.04), abs=0.02)


def test_what_is_hollow_is_cut_as_it_is():
    """Of the cow in the plane, by pixels; its outline is far from convex."""
    world = alone(gr.SpheroPolygon.cow(2.0, 0.05), dimension=2)
    shape = world.shapes[0]
    from granum.shapes.cover_depth import gaps
    from granum.shapes.drawn_faces import outline_of
    from granum.shapes.filling import is_inside

    x, y = (k.ravel() for k in np.meshgrid(*[np.arange(-1.3, 1.3, 4e-3)] * 2))
    pixel = np.column_stack((x, y, np.zeros_like(x)))
    outline = np.array(shape.points)[outline_of(shape), :2]
    cow = pixel[(gaps(shape, pixel) < 0.0) | is_inside(pixel[:, :2], outline)]
    for axis in (0, 1):
        places = np.linspace(-0.7, 0.7, 8)
        counted = [(cow[:, axis] < place).mean() for place in places]
        assert shares(world, axis, places) == pytest.approx(counted, abs=CLOSE)


def test_a_blunt_cube_is_counted_up_to_its_skin():
    """By a fine grid of points, where the ball is as large as the skeleton.

    A cut just below a flat side runs along cells of the lattice, and is off by up to 0.7 %.
    """
    world = alone(gr.SpheroPolyhedron.box((1.0, 1.0, 1.0), 0.5))
    grid = np.stack(np.meshgrid(*[np.arange(-1.0, 1.0, 0.02) + 0.01] * 3), axis=-1).reshape(-1, 3)
    beyond = np.maximum(np.abs(grid) - 0.5, 0.0)
    body = grid[(beyond**2).sum(axis=1) < 0.25]
    places = np.array([-0.93, -0.85, -0.7, -0.5, -0.3])
    counted = [(body[:, 0] < place).mean() for place in places]
    assert shares(world, 0, places) == pytest.approx(counted, abs=0.01)
    corner = gr.BoxRegion((0.6, 0.6, 0.6), (FAR, FAR, FAR))
    counted = (body > 0.6).all(axis=1).mean()
    assert filled_volumes(world, corner)[0] / world.volumes()[0] == pytest.approx(counted, rel=0.3)


def test_points_count_by_their_depth():
    """Of a blunt cube the depth below the surface is known in closed form, inside, too."""
    shape = alone(gr.SpheroPolyhedron.box((1.0, 1.0, 1.0), 0.5)).shapes[0]
    found = stuffing(shape, 3)
    beyond = np.linalg.norm(np.maximum(np.abs(found.points) - 0.5, 0.0), axis=1)
    depth = 0.5 - beyond + np.maximum(0.5 - np.abs(found.points).max(axis=1), 0.0)
    side = (shape.volume / COUNT) ** (1.0 / 3.0)
    inside = depth > 0.01 * side  # those that were not brought in
    wanted = np.minimum(0.5 + depth / side, 1.0)
    assert found.weight[inside] == pytest.approx(found.weight.max() * wanted[inside], rel=1e-9)
    assert (depth > 0.0).all()
    assert found.weight.sum() == pytest.approx(1.0, rel=1e-12)


def heap(periodic=None):
    """Return rods and blunt tetrahedra at random places."""
    world = gr.World(seed=3, periodic=periodic or (None, None, None))
    for shape in (gr.Spherocylinder(2.0, 0.3), gr.Spherotetrahedron(1.0, 0.5)):
        world.add(gr.Random(radius=1e-3, count=30, low=(0, 0, 0), high=(0.012, 0.012, 0.012),
                            shape=shape), density=1.0)
    return world


def test_layers_add_up():
    world = heap()
    region = gr.BoxRegion((0, 0, 0), (0.012, 0.012, 0.012))
    layers = layer_density(world, region, 5)
    assert np.mean(layers.density) == pytest.approx(density(world, region), rel=1e-9)
    assert density(world, region) == pytest.approx(world.volumes().sum() / 0.012**3, rel=1e-9)


def test_over_the_border_of_a_periodic_cell():
    world = heap((0.012, 0.012, 0.012))
    whole = gr.BoxRegion((0, 0, 0), (0.012, 0.012, 0.012))
    assert filled_volumes(world, whole) == pytest.approx(world.volumes(), rel=1e-9)
    # a rod across the border: its ends are in the region, its middle is not
    rod = alone(gr.Spherocylinder(8.0, 0.5), periodic=(20.0, 20.0, 20.0), at=(20.0, 10.0, 10.0))
    axis = int(np.argmax(np.abs(rod.shapes[0].points[0])))
    rod.position = np.where(np.arange(3) == axis, 20.0, 10.0)[None]
    low, high = np.zeros(3), np.full(3, 20.0)
    low[axis], high[axis] = 2.0, 18.0
    ends = rod_below(np.array([-2.0]), 8.0, 0.5)[0] * 2.0
    assert filled_volumes(rod, gr.BoxRegion(tuple(low), tuple(high)))[0] == pytest.approx(
        ends, abs=CLOSE * rod.volumes()[0])


def test_the_shaft_of_a_rod_is_part_of_the_surface():
    world = alone(ROD)
    axis = int(np.argmax(np.abs(world.shapes[0].points[0])))
    turn = {0: (1.0, 0, 0, 0), 1: (1.0, 0, 0, 0), 2: (np.sqrt(0.5), np.sqrt(0.5), 0, 0)}[axis]
    world.orientation = [turn]  # it lies
    found = surface(world, 1.0)
    assert len(found.height) >= 8  # columns of 1 along a shaft of 8
    assert found.height == pytest.approx(np.full(len(found.height), 0.5), abs=1e-12)
