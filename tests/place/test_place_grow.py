"""Packings that grow: the density asked, no overlap, and a clear word where it cannot be."""

import re

import numpy as np
import pytest
from place_twin import deepest

import granum as gr
from granum.errors import InputError
from granum.sizes import ByMass, LogNormal
from granum.world import refuse_bad_world
from granum.world.place import Grow, Space

CUBE = (1.0, 1.0, 1.0)
DENSE = Grow(radius=0.07, density=0.62)


@pytest.fixture(scope="module")
def packing():
    return DENSE.place(Space(periodic=CUBE), np.random.default_rng(1))


def filled(radii, dimension=3):
    return float((np.pi * radii**2 if dimension == 2 else 4.0 / 3.0 * np.pi * radii**3).sum())


def test_the_density_is_reached_without_overlap(packing):
    assert deepest(packing.points, packing.radii, CUBE) <= 1e-6 * 0.07
    assert abs(filled(packing.radii) - 0.62) <= 0.5 * 4.0 / 3.0 * np.pi * 0.07**3
    assert ((packing.points >= 0.0) & (packing.points < 1.0)).all()


def test_it_is_dense_all_over_and_in_no_order(packing):
    """Halves of the cell hold as much as each other, and neighbours are no crystal's."""
    for axis in range(3):
        assert abs((packing.points[:, axis] < 0.5).mean() - 0.5) < 0.05
    apart = packing.points[:, None] - packing.points[None]
    apart -= np.rint(apart)
    distance = np.linalg.norm(apart, axis=2) / 0.14
    # A face-centred cubic lattice of this density has no pair between 1.06 and 1.49 diameters.
    between = ((distance > 1.12) & (distance < 1.4)).sum() / len(packing)
    assert between > 2.0


def test_the_same_seed_gives_the_same_bits(packing):
    again, other = (DENSE.place(Space(periodic=CUBE), np.random.default_rng(k)) for k in (1, 2))
    assert again.points.tobytes() == packing.points.tobytes() != other.points.tobytes()


def test_unlike_sizes_pack_more_densely():
    sizes = ByMass((0.1, 0.04), (0.7, 0.3))
    placed = Grow(radius=sizes, density=0.66).place(Space(periodic=CUBE), np.random.default_rng(1))
    assert deepest(placed.points, placed.radii, CUBE) <= 1e-6 * 0.04
    assert filled(placed.radii) == pytest.approx(0.66, abs=2 * filled(np.array([0.1])))
    small = placed.radii < 0.05
    assert filled(placed.radii[small]) / filled(placed.radii) == pytest.approx(0.3, abs=0.02)


def test_discs():
    sizes = LogNormal(0.02, 0.2, low=0.012, high=0.035)
    cell = (1.0, 1.0, None)
    placed = Grow(radius=sizes, density=0.8).place(
        Space(dimension=2, periodic=cell), np.random.default_rng(1))
    assert deepest(placed.points, placed.radii, cell) <= 1e-6 * 0.035
    assert filled(placed.radii, 2) == pytest.approx(0.8, abs=0.5 * np.pi * 0.035**2)
    assert not placed.points[:, 2].any()


@pytest.mark.parametrize(("walls", "volume"), [
    ([gr.Box((0, 0, 0), (0.1, 0.1, 0.1))], 1e-3),
    ([gr.Cylinder((0, 0, 0), (0, 0, 1), 0.05, 0.1), gr.Plate((0, 0, 0), (0, 0, 1), 0.05),
      gr.Plate((0, 0, 0.1), (0, 0, -1), 0.05)], np.pi * 0.05**2 * 0.1),
])
def test_walls_are_minded(walls, volume):
    world = gr.World(seed=2)
    for wall in walls:
        world.add(wall)
    world.add(gr.Grow(radius=6e-3, density=0.52), density=2500)
    assert deepest(world.position, world.radius) <= 1e-6 * 6e-3
    assert world.clearance(world.position, world.radius, 0.0).min() >= -1e-6 * 6e-3
    # The volume is found by probing: 2^17 places tell the share of a circle in a square to 0.5 %.
    assert filled(world.radius) / volume == pytest.approx(0.52, rel=0.01)
    refuse_bad_world(world)


def test_grains_that_are_there_stay_and_count():
    space = Space(points=np.full((1, 3), 0.5), radii=np.array([0.3]), periodic=CUBE)
    placed = Grow(radius=0.06, density=0.55).place(space, np.random.default_rng(1))
    both = space.with_grains(placed)
    assert deepest(both.points, both.radii, CUBE) <= 1e-6 * 0.06
    assert filled(both.radii) == pytest.approx(0.55, abs=0.5 * filled(np.array([0.06])))


def test_a_density_that_cannot_be_is_told_with_the_one_reached():
    placing = Grow(radius=0.09, density=0.7)
    with pytest.raises(InputError, match=r"cannot be reached .* stuck at") as error:
        placing.place(Space(periodic=CUBE), np.random.default_rng(1))
    reached = float(re.search(r"stuck at (0\.\d+)", str(error.value))[1])
    # Random close packing of equal spheres, 0.64, less what so small a cell may cost.
    assert 0.58 < reached < 0.67


@pytest.mark.parametrize(("fields", "message"), [
    ({"density": 0.75}, "no packing of equal grains is denser than 0.7405"),
    ({"density": 0.0}, "Grow density must be greater than 0"),
    ({"density": 1.0}, "Grow density must be less than 1"),
    ({"radius": 0.6}, "Grow: the region is 1 m long in x, too thin"),
    ({"radius": 1e-4}, "Grow: a density of 0.5 takes more than 5e.07 grains"),
    ({"overlap": -1e-3}, "Grow overlap must be at least 0"),
    ({"attempts": 3}, r"stuck at 0\.\d+ .*3 rounds"),
])
def test_what_cannot_be_is_refused(fields, message):
    with pytest.raises(InputError, match=message):
        Grow(**({"radius": 0.1, "density": 0.5} | fields)).place(
            Space(periodic=CUBE), np.random.default_rng(0))


def test_room_that_is_taken_already_is_told():
    space = Space(points=np.full((1, 3), 0.5), radii=np.array([0.45]), periodic=CUBE)
    with pytest.raises(InputError, match=r"must be more than the 0\.3817 that the grains placed"):
        Grow(radius=0.05, density=0.3).place(space, np.random.default_rng(0))
