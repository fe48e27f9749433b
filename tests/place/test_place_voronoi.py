"""A box full of Voronoi grains: dense, without overlap, and refused where it must be."""

import numpy as np
import pytest

import granum as gr
from granum.dynamics.piercing import refuse_pierced
from granum.errors import InputError
from granum.shapes.closest import closest, surface_of
from granum.shapes.turning import turned
from granum.world import refuse_bad_world

SIDE = 0.1


def cells(dimension=3, walls=True, periodic=(None, None, None), seed=1, **fields):
    world = gr.World(dimension=dimension, seed=seed, periodic=periodic)
    high = (SIDE, SIDE, SIDE if dimension == 3 else 0.0)
    if walls:
        world.add(gr.Box((0, 0, 0), high))
    else:
        fields |= {"low": (0, 0, 0), "high": high}
    world.add(gr.Voronoi(**({"count": 40, "radius": 2e-4} | fields)), density=2000.0)
    return world


def skeleton(world, k):
    """Return the triangles over which the ball of grain k is swept, where they are."""
    shape = world.shapes[world.shape[k]]
    turns = np.repeat(world.orientation[k][None], len(shape), axis=0)
    return surface_of(turned(turns, np.array(shape.points)) + world.position[k],
                      np.array(shape.faces))


def gaps(world):
    """Return how far apart the surfaces of each two grains are [m], if within 1 cm."""
    radius = world.shapes[0].radii[0]
    parts = [skeleton(world, k) for k in range(len(world))]
    found = [closest(one, two, 0.01)[0] - 2.0 * radius
             for k, one in enumerate(parts) for two in parts[:k]]
    return np.array([gap for gap in found if gap < np.inf])


@pytest.mark.parametrize(("dimension", "walls", "periodic"), [
    (3, True, (None, None, None)), (2, True, (None, None, None)),
    (3, False, (SIDE, SIDE, SIDE)), (2, False, (SIDE, None, None)),
    (3, False, (None, SIDE, None))])
def test_they_fill_the_box_and_are_fit_to_be_simulated(dimension, walls, periodic):
    world = cells(dimension, walls, periodic, count=150, radius=5e-5, relaxations=3)
    assert len(world) == len(world.shapes) == 150
    assert world.volumes().sum() == pytest.approx(SIDE**dimension, rel=2e-3)
    assert world.volumes().sum() < SIDE**dimension
    refuse_bad_world(world)
    refuse_pierced(world, world.grains.id, 0.0)


@pytest.mark.parametrize("gap", [0.0, 3e-5])
def test_neighbours_touch_or_are_apart_by_the_gap(gap):
    world = cells(count=12, gap=gap)
    found = gaps(world)
    assert found.min() == pytest.approx(gap, abs=1e-12)
    assert (np.abs(found - gap) < 1e-12).sum() > 20
    ends = np.concatenate([skeleton(world, k).points for k in range(12)])
    for axis in range(3):
        low, high = ends[:, axis].min() - 2e-4, ends[:, axis].max() + 2e-4
        assert (low, high) == pytest.approx((gap / 2, SIDE - gap / 2), abs=1e-12)


def test_the_region_may_be_anywhere_and_of_any_sides():
    world = gr.World()
    low, high = np.array((-3.0, 7.0, 100.0)), np.array((-2.9, 7.3, 100.05))
    world.add(gr.Voronoi(30, 1e-4, tuple(low), tuple(high), velocity=(0, 0, -2)), density=1.0)
    ends = np.concatenate([skeleton(world, k).points for k in range(30)])
    assert ends.min(axis=0) - 1e-4 == pytest.approx(low, abs=1e-10)
    assert ends.max(axis=0) + 1e-4 == pytest.approx(high, abs=1e-10)
    assert world.mass.sum() == pytest.approx(np.prod(high - low), rel=0.01)
    assert (world.velocity == (0, 0, -2)).all()


def test_the_seed_decides_and_so_does_the_number_of_the_placing():
    one, same, other = cells(), cells(), cells(seed=2)
    assert one.shapes == same.shapes
    assert one.position.tobytes() == same.position.tobytes()
    assert one.orientation.tobytes() == same.orientation.tobytes()
    assert one.shapes != other.shapes
    two = gr.World(seed=1)
    for x in (0.0, SIDE):
        two.add(gr.Voronoi(10, 1e-4, (x, 0, 0), (x + SIDE, SIDE, SIDE)), density=1.0)
    assert len(two.shapes) == 20
    refuse_bad_world(two)


def test_relaxations_make_cells_more_alike():
    spread = [np.std(cells(relaxations=n).volumes()) for n in (0, 2, 10)]
    assert spread[0] > 1.2 * spread[1] > 1.2 * spread[2]


@pytest.mark.parametrize(("fields", "said"), [
    ({"count": 0}, "Voronoi count must be at least 1"),
    ({"count": 20_001}, "Voronoi count must be at most 20000"),
    ({"radius": 0.0}, "Voronoi radius must be greater than 0"),
    ({"radius": 0.02}, r"Voronoi radius = 0\.02 m is too large: the smallest of the 40 cells holds "
                       r"a ball of radius 0\.00\d+ m at most\. Lower radius or count"),
    ({"radius": 1e-3, "gap": 0.05}, r"radius = 0\.001 m with half a gap of 0\.05 m is too large"),
    ({"gap": -1e-3}, "Voronoi gap must be at least 0"),
    ({"relaxations": -1}, "Voronoi relaxations must be at least 0"),
    ({"relaxations": 101}, "Voronoi relaxations must be at most 100"),
    ({"low": (0.1, 0, 0), "high": (0, 1, 1)}, "Voronoi high must not be below low"),
    ({"low": (0, 0, 0), "high": (0.1, 0.1, 0)}, "Voronoi: the region has no extent in z"),
    ({"low": (0, 0, 0), "high": (0.1, 0.1, 0.2)}, "cells do not fit inside the walls, the first"),
])
def test_what_is_refused(fields, said):
    with pytest.raises(InputError, match=said):
        cells(**fields)


def test_a_region_without_sides_or_with_grains_or_turned_cells_is_refused():
    world = gr.World()
    with pytest.raises(InputError, match="Voronoi low must be given"):
        world.add(gr.Voronoi(5, 1e-4), density=1.0)
    world.add(gr.Sphere(1e-3), at=[(0.05, 0.05, 0.05)], density=1.0)
    box = gr.Voronoi(5, 1e-4, (0, 0, 0), (SIDE, SIDE, SIDE))
    with pytest.raises(InputError, match=r"grain 0 at .* placed before, is within the region"):
        world.add(box, density=1.0)
    with pytest.raises(InputError, match="orientation is not for Voronoi grains"):
        gr.World().add(box, density=1.0, orientation=(1, 0, 0, 0))


def test_a_round_container_is_refused_where_cells_would_stand_out():
    world = gr.World()
    world.add(gr.Cylinder((0, 0, 0), (0, 0, 1), 0.05, 0.1))
    with pytest.raises(InputError, match="of 40 cells do not fit inside the walls"):
        world.add(gr.Voronoi(40, 1e-4, (-0.05, -0.05, 0), (0.05, 0.05, 0.1)), density=1.0)
    world.add(gr.Voronoi(40, 1e-4, (-0.03, -0.03, 0), (0.03, 0.03, 0.1)), density=1.0)
    refuse_bad_world(world)
