"""Grains that are lowered: where they come to rest, how densely, and that nothing overlaps."""

import itertools
import math

import numpy as np
import pytest
from place_twin import deepest
from scipy.optimize import nnls

import granum as gr
from granum.errors import InputError
from granum.sizes import ByMass
from granum.world.place import Sediment, Space
from granum.world.place.barriers import no_barriers
from granum.world.place.grid import grid_of

OPEN_BOX = np.array([[-np.inf, -np.inf, 0.0], [np.inf, np.inf, 100.0]])
CELL = 12.0
TALL = Sediment(radius=0.5, count=4000, low=(0, 0, 0), high=(CELL, CELL, 34))


@pytest.fixture(scope="module")
def heap():
    """A wide heap of equal grains of diameter 1."""
    return TALL.place(Space(periodic=(CELL, CELL, None)), np.random.default_rng(1))


@pytest.fixture(scope="module")
def mixed():
    """Two sizes, half of the mass each."""
    sizes = ByMass((0.5, 0.3), (0.5, 0.5))
    placing = Sediment(radius=sizes, count=3000, low=(0, 0, 0), high=(8, 8, 22))
    return placing.place(Space(periodic=(8.0, 8.0, None)), np.random.default_rng(2))


def lowered(fixed, fixed_radii, start, radius):
    """Where one grain rests that is lowered onto grains that are there, on a floor at 0."""
    fixed, fixed_radii = np.array(fixed, dtype=float), np.array(fixed_radii, dtype=float)
    points, radii = np.array([start], dtype=float), np.array([radius], dtype=float)
    grid = grid_of(fixed, fixed_radii, radii, (None, None, None))
    assert grid.lower_in_turn(points, radii, OPEN_BOX, no_barriers(), 2).all()
    return points[0]


def slab_volume(points, radii, low, high):
    """Volume of spheres between two heights, exactly."""
    def below(h):
        t = np.clip(h - points[:, 2] + radii, 0.0, 2.0 * radii)
        return (np.pi * t**2 * (3.0 * radii - t) / 3.0).sum()

    return below(high) - below(low)


def carriers(points, radii, i, walls, cell=None):
    """Normals of all that grain ``i`` rests on: grains that came before it, and walls."""
    apart = points[i] - points[:i]
    if cell is not None:
        apart[:, :2] -= cell * np.rint(apart[:, :2] / cell)
    distance = np.linalg.norm(apart, axis=1)
    touched = np.abs(distance - radii[i] - radii[:i]) < 1e-8 * radii[i]
    at_walls = [normal for gap, normal in walls(points[i], radii[i]) if abs(gap) < 1e-8 * radii[i]]
    return np.array([*(apart[touched] / distance[touched, None]), *at_walls]).reshape(-1, 3)


def unsupported(points, radii, walls, cell=None):
    """How far the weight of each grain is from being carried by pushes of what it rests on.

    Pushes can carry it exactly where the vertical through the centre meets the triangle (or its
    edge, or the point) of the contacts.
    """
    up = np.array([0.0, 0.0, 1.0])
    left = []
    for i in range(len(radii)):
        normals = carriers(points, radii, i, walls, cell)
        left.append(nnls(normals.T, up)[1] if len(normals) else 1.0)
    return np.array(left)


def floor(point, radius):
    return [(point[2] - radius, (0.0, 0.0, 1.0))]


def test_a_grain_falls_straight_onto_the_floor():
    x, y, z = lowered([(5, 5, 1)], [1.0], (0.3, 0.2, 7.0), 0.5)
    assert (x, y) == (0.3, 0.2)
    assert z == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("angle", [0.1, 2.0, 4.4])
@pytest.mark.parametrize(("radius", "aside"), [
    (0.4, 1.4),  # past the equator it falls: sideways by both radii
    (1.0, 2.0),  # reaches the floor at the equator
    (2.0, 2.0 * math.sqrt(2.0)),  # reaches the floor before: 2 sqrt(R r)
])
def test_a_grain_rolls_off_another_straight_away_from_it(radius, aside, angle):
    way = np.array([math.cos(angle), math.sin(angle)])
    x = lowered([(0, 0, 1)], [1.0], (*(0.05 * way), 9.0), radius)
    assert x[2] == pytest.approx(radius, abs=1e-8)
    assert x[:2] == pytest.approx(aside * way, abs=2e-4)  # the fall begins a step past the equator


@pytest.mark.parametrize("start", [(0.1, 0.0), (-0.3, 0.25), (0.2, -0.5), (0.8, 0.1)])
def test_three_grains_carry_a_fourth(start):
    corners = [(2.0 / math.sqrt(3.0) * math.cos(a), 2.0 / math.sqrt(3.0) * math.sin(a), 1.0)
               for a in (0.0, 2.0 * math.pi / 3.0, 4.0 * math.pi / 3.0)]
    x = lowered(corners, [1.0, 1.0, 1.0], (*start, 8.0), 1.0)
    assert x == pytest.approx([0.0, 0.0, 1.0 + math.sqrt(8.0 / 3.0)], abs=1e-8)


def test_nothing_overlaps(heap, mixed):
    for placed, cell in ((heap, CELL), (mixed, 8.0)):
        part = slice(0, 2500)
        assert deepest(placed.points[part], placed.radii[part], (cell, cell, None)) < 1e-9 * 0.3
        low = placed.points[:, 2] - placed.radii
        assert low.min() > -1e-9 * 0.3


def test_every_grain_is_carried(heap, mixed):
    assert unsupported(heap.points[:2000], heap.radii[:2000], floor, CELL).max() < 1e-6
    assert unsupported(mixed.points[:2000], mixed.radii[:2000], floor, 8.0).max() < 1e-6


def test_a_wide_heap_is_as_dense_as_is_known(heap):
    """Visscher and Bolsterli (1972) found 0.582 for equal spheres lowered one by one."""
    top = np.quantile(heap.points[:, 2], 0.9) - 1.0
    density = slab_volume(heap.points, heap.radii, 2.0, top) / (CELL**2 * (top - 2.0))
    assert density == pytest.approx(0.582, abs=0.008)


def test_a_heap_is_alike_from_layer_to_layer(heap, mixed):
    for placed, cell in ((heap, CELL), (mixed, 8.0)):
        top = np.quantile(placed.points[:, 2], 0.9) - 1.0
        heights = np.linspace(2.0, top, 6)
        layers = [slab_volume(placed.points, placed.radii, low, high) / (cell**2 * (high - low))
                  for low, high in itertools.pairwise(heights)]
        assert np.ptp(layers) < 0.03
    is_large = mixed.radii > 0.4
    for low, high in itertools.pairwise(heights):
        here = (mixed.points[:, 2] >= low) & (mixed.points[:, 2] < high)
        share = is_large.mean()
        scatter = math.sqrt(share * (1.0 - share) / here.sum())
        assert abs(is_large[here].mean() - share) < 4.0 * scatter


def test_the_mixture_is_kept_and_in_no_order(mixed):
    assert len(mixed) == 3000
    weights = np.array([1.0 / 0.125, 1.0 / 0.027])
    assert (mixed.radii > 0.4).sum() == round(3000 * weights[0] / weights.sum())


def test_the_same_seed_gives_the_same_bits(heap):
    again = TALL.place(Space(periodic=(CELL, CELL, None)), np.random.default_rng(1))
    other = TALL.place(Space(periodic=(CELL, CELL, None)), np.random.default_rng(3))
    assert again.points.tobytes() == heap.points.tobytes() != other.points.tobytes()


def cylinder_walls(point, radius):
    rho = math.hypot(point[0], point[1])
    return [*floor(point, radius),
            (0.05 - rho - radius, (-point[0] / rho, -point[1] / rho, 0.0))]


def box_walls(point, radius):
    sides = [(point[a] - radius, np.eye(3)[a]) for a in (0, 1)]
    sides += [(0.06 - point[a] - radius, -np.eye(3)[a]) for a in (0, 1)]
    return [*floor(point, radius), *sides]


CORNERS = tuple((x, y, z) for x in (0, 0.06) for y in (0, 0.06) for z in (0, 0.2))
SIDES = ((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
         (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3))  # of the box, counted outwards


def cone_walls(point, radius):
    """Radius 0.01 at the bottom, 0.05 at a height of 0.1."""
    rho = math.hypot(point[0], point[1])
    c, s = 1.0 / math.hypot(1.0, 0.4), 0.4 / math.hypot(1.0, 0.4)
    gap = (0.01 + 0.4 * point[2] - rho) * c - radius
    return [*floor(point, radius), (gap, (-c * point[0] / rho, -c * point[1] / rho, s))]


def bowl_walls(point, radius):
    inwards = np.array([0.0, 0.0, 0.05]) - point
    distance = np.linalg.norm(inwards)
    return [(0.05 - distance - radius, inwards / distance)]


@pytest.mark.parametrize(("walls", "gaps"), [
    ([gr.Cone((0, 0, 0), (0, 0, 1), 0.01, 0.05, 0.1), gr.Plate((0, 0, 0), (0, 0, 1), 0.01)],
     cone_walls),
    ([gr.SphereWall((0, 0, 0.05), 0.05)], bowl_walls),
    ([gr.Cylinder((0, 0, 0), (0, 0, 1), 0.05, 0.2), gr.Plate((0, 0, 0), (0, 0, 1), 0.05)],
     cylinder_walls),
    ([gr.Box((0, 0, 0), (0.06, 0.06, 0.2))], box_walls),
    ([gr.Mesh(vertices=CORNERS, faces=SIDES, side="inside")], box_walls),
])
def test_heaps_in_containers(walls, gaps):
    world = gr.World(seed=3)
    for wall in walls:
        world.add(wall)
    world.add(gr.Sediment(radius=4e-3, count=250, spread=0.2), density=2500)
    assert deepest(world.position, world.radius) < 1e-9 * 3.2e-3
    assert min(gap for x, r in zip(world.position, world.radius, strict=True)
               for gap, _ in gaps(x, r)) > -1e-9 * 3.2e-3
    # At the bottom of a bowl the height tells slopes to the root of its own error, 1e-13 radii.
    assert unsupported(world.position, world.radius, gaps).max() < 1e-5


def test_discs_in_a_flat_world():
    world = gr.World(dimension=2, seed=1)
    world.add(gr.Sediment(radius=0.01, count=300, spread=0.3, low=(0, 0, 0), high=(0.5, 1, 0)),
              density=1000)
    assert not world.position[:, 2].any()
    assert deepest(world.position, world.radius) < 1e-9 * 0.01
    density = (np.pi * world.radius**2).sum() / (0.5 * np.quantile(world.position[:, 1], 0.97))
    assert 0.75 < density < 0.9  # discs lowered one by one: about 0.82, and a rough surface


def test_grains_that_are_there_stay_and_are_minded():
    world = gr.World(seed=1)
    world.add(gr.Sphere(0.2), at=[(0.5, 0.5, 0.2)], density=1)
    world.add(gr.Sediment(radius=0.03, count=1500, low=(0, 0, 0), high=(1, 1, 1)), density=1)
    assert world.position[0].tolist() == [0.5, 0.5, 0.2]
    assert deepest(world.position, world.radius) < 1e-9 * 0.03


@pytest.mark.parametrize(("fields", "periodic", "message"), [
    ({"count": 6000}, (None, None, None),
     r"Sediment count = 6000 grains .* do not fit: \d+ came to rest, .* filled to 5\d"),
    ({"count": 20_000}, (None, None, None), "would take .* % of the volume of the region"),
    ({"radius": 0.6}, (None, None, None), "Sediment: the region is 1 m long in x, too thin"),
    ({"high": None}, (None, None, None), "Sediment high must be given"),
    ({}, (None, None, 1.0), "Sediment: the cell is periodic in z"),
    ({"count": 0}, (None, None, None), "Sediment count must be at least 1"),
    ({"spread": 1.0}, (None, None, None), "Sediment spread must be less than 1"),
])
def test_what_cannot_be_is_refused(fields, periodic, message):
    usual = {"radius": 0.03, "count": 10, "low": (0, 0, 0), "high": (1, 1, 1)}
    with pytest.raises(InputError, match=message):
        Sediment(**(usual | fields)).place(Space(periodic=periodic), np.random.default_rng(0))


def test_a_region_outside_the_walls_is_refused():
    world = gr.World()
    world.add(gr.Box((0, 0, 0), (1, 1, 1)))
    with pytest.raises(InputError, match=r"Sediment: no grain of radius 0\.1 m fits between"):
        world.add(gr.Sediment(radius=0.1, count=1, low=(2, 2, 2), high=(3, 3, 3)), density=1)
