"""Covering spheres: they hold the shape, they are few, and no near pair of grains is missed."""

import math

import numpy as np
import pytest
from cover_twin import (
    box,
    distance,
    gap,
    heap,
    parts,
    polygon,
    rod,
    skeleton,
    solid,
    tetrahedron,
    triangle,
)

from granum.errors import InputError
from granum.geometry import Triangulation
from granum.shapes import RigidShape
from granum.shapes.cover_conditions import (
    Spheres,
    largest_overlap,
    largest_skin,
    refuse_incongruous,
)
from granum.shapes.cover_depth import depths, gaps, half_spaces
from granum.shapes.cover_reach import FINENESS, reach
from granum.shapes.covers import Cover, cover, given_cover
from granum.shapes.turning import turned

ANGLE = skeleton([(0, 0, 0), (4, 0, 0), (0, 3, 0)], 1.0, [(0, 1), (0, 2)])
SQUARE = polygon([(0, 0), (4, 0), (4, 4), (0, 4)], 0.5)
CLUMP = RigidShape(((0.0, 0.0, 0.0), (1.2, 0.0, 0.0), (0.0, 1.0, 0.0)), (1.0, 0.8, 0.7), 1.0,
                   (1.0, 1.0, 1.0))


def spheres(found, name="grain"):
    return Spheres(name, found.radii, found.depths)


def check_by_chance(shape, found, dimension, count=4000):
    """No point drawn at random within the skin of the shape lies outside of all spheres."""
    rng = np.random.default_rng(4)
    at, r = np.array(shape.points), np.array(shape.radii)
    low, high = at.min(axis=0) - r.max() - found.skin, at.max(axis=0) + r.max() + found.skin
    points = rng.uniform(low, high, (count, 3))
    points[:, dimension:] = 0.0
    points = points[gaps(shape, points) < found.skin]
    assert len(points) > 100
    away = np.linalg.norm(points[:, None] - found.points, axis=2) - found.radii
    assert away.min(axis=1).max() < 1e-9


# ---- gaps and depths -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [rod(3.0), triangle(2.0, 0.3), ANGLE, tetrahedron(2.0, 0.4)])
def test_gaps_are_distances_of_skeletons(shape):
    points = np.random.default_rng(1).uniform(-4.0, 4.0, (60, 3))
    wanted = [min(distance(x[None], part) for part in parts(shape, False)) for x in points]
    assert gaps(shape, points) == pytest.approx(np.array(wanted) - shape.radii[0], abs=1e-12)


def test_depth_in_a_solid_counts_from_its_sides():
    cube = box((4, 4, 4), 0.5)
    points = np.array([(0, 0, 0), (1.5, 0, 0), (2, 0, 0), (2.25, 0, 0), (3, 0, 0)], dtype=float)
    assert depths(cube, points, 3) == pytest.approx([2.5, 1.0, 0.5, 0.25, -0.5])
    assert depths(SQUARE, np.array([(2.0, 2.0, 0.0)]), 2) == pytest.approx([2.5])
    assert depths(SQUARE, np.array([(2.0, 2.0, 0.0)]), 3) == pytest.approx([-1.5])  # a wire in 3D
    assert half_spaces(polygon([(0, 0), (4, 0), (1, 1), (0, 4)], 0.1), 2) is None  # not convex
    assert half_spaces(triangle(1.0), 3) is None


# ---- the spheres -----------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0.3, 0.65, 0.66, 2.0, 7.3, 40.0])
@pytest.mark.parametrize("overlap", [0.0, 0.125])
def test_chains_have_as_many_spheres_as_published(length, overlap):
    """Pournin 3.2.1.1: R = √2 r - ξ/√2; the count is the least there is."""
    found = cover(rod(length), overlap=overlap)
    R = math.sqrt(2.0) - overlap / math.sqrt(2.0)
    count = max(math.ceil((length - 2.0 * (R - 1.0)) / (2.0 * math.sqrt(R * R - 1.0))), 0) + 1
    assert len(found) == count
    assert found.radii.max() <= R
    assert largest_overlap([spheres(found)]) > overlap
    check_by_chance(rod(length), found, 3)
    if count > 1:  # the same spheres in a closed form, at their waists and at the ends
        step = np.diff(found.points[:, 0])
        assert step == pytest.approx(2.0 * np.sqrt(found.radii[1:] ** 2 - 1.0))
        assert 0.5 * length - found.points[-1, 0] == pytest.approx(found.radii[0] - 1.0)


@pytest.mark.parametrize(("make", "published"), [
    (lambda ratio: rod(2.0 * ratio), 15.0 / (8.0 * math.sqrt(2.0)) - 1.0),
    (triangle, 15.0 / (8.0 * math.sqrt(2.0)) - 1.0),
    (tetrahedron, (45.0 - 24.0 * math.sqrt(2.0)) / (24.0 * math.sqrt(2.0) - 16.0))])
def test_one_sphere_is_enough_up_to_the_published_ratios(make, published):
    """Pournin 3.2.1.2, with overlaps of an eighth of the radius."""
    assert len(cover(make(0.999 * published), overlap=0.125)) == 1
    assert len(cover(make(1.01 * published), overlap=0.125)) > 1


@pytest.mark.parametrize(("shape", "dimension", "most"), [
    (ANGLE, 3, 9), (ANGLE, 2, 9), (triangle(2.0), 3, 16), (tetrahedron(1.5), 3, 10),
    (box((2, 2, 2)), 3, 10), (SQUARE, 2, 1), (polygon([(0, 0), (9, 0), (9, 2), (0, 2)], 0.6), 2, 8),
    (polygon([(0, 0), (5, 0), (1.5, 1.5), (0, 5)], 0.6), 2, 30), (CLUMP, 3, 3)])
def test_any_skeleton_is_covered(shape, dimension, most):
    """Proven by bisection, tried by chance; radii as the conditions allow."""
    r = min(shape.radii)
    found = cover(shape, dimension, skin=0.1 * r, overlap=0.1 * r)
    assert 1 <= len(found) <= most
    fine = (FINENESS if shape is not CLUMP else 0.03) * r
    assert given_cover(shape, found.points, found.radii, dimension).skin >= 0.1 * r - fine
    check_by_chance(shape, found, dimension)
    assert (depths(shape, found.points, dimension) >= found.depths * (1.0 - 1e-9)).all()
    assert largest_overlap([spheres(found)]) >= 0.1 * r * (1.0 - 1e-6)


def test_the_proven_skin_of_chains_is_that_of_the_closed_form():
    """n spheres of radius R hold the segment swept by ρ: L = 2 (R - ρ) + 2 (n - 1) √(R² - ρ²)."""
    centres = np.array([(-1.0, 0, 0), (1.0, 0, 0)])
    proven = reach(rod(2.4), centres, np.full(2, 1.6), 3)
    at_waist, at_ends = math.sqrt(1.6**2 - 1.0) - 1.0, 1.6 - 1.0 - 0.2
    assert proven.least == pytest.approx(min(at_waist, at_ends), abs=2.0 * FINENESS)
    assert proven.skin <= min(at_waist, at_ends) <= proven.least
    assert abs(proven.bare[0]) < 0.01  # at the waist


def test_beside_thin_grains_thick_ones_need_more_spheres():
    alone = cover(rod(20.0), skin=0.02, overlap=0.02)
    beside = cover(rod(20.0), skin=0.02, overlap=0.02, smallest=0.3)
    thin = cover(rod(6.0, 0.3), skin=0.02, overlap=0.02)
    assert len(beside) > len(alone)
    assert largest_overlap([spheres(beside), spheres(thin)]) >= 0.02
    assert largest_overlap([spheres(alone), spheres(thin)]) < 0.02


def test_the_skin_that_is_left():
    """Between touching grains of one kind: (2 r - ξ)² = 2 (R + s)²."""
    kind = Spheres("rod", np.array([1.2]), np.array([1.0]))
    assert largest_overlap([kind]) == pytest.approx(2.0 - 1.2 * math.sqrt(2.0))
    assert largest_skin([kind], 0.1) == pytest.approx(1.9 / math.sqrt(2.0) - 1.2)
    assert largest_skin([kind], 0.5) < 0.0


# ---- what is refused -------------------------------------------------------------------------


def test_covers_of_ones_own_are_checked():
    shape, middle = rod(2.0), [(-0.7, 0, 0), (0.7, 0, 0)]
    assert given_cover(shape, middle, [1.4, 1.4]).skin > 0.05
    for points, radii, text in (
            (middle, [1.2, 1.2], "the cover of pill does not hold it: .* is in the grain"),
            ([(0, 0, 0), (0.5, 0, 0)], [2.0, 1.2], "spheres 0 and 1 in the cover of pill are too"),
            ([(0, 0, 0), (0, 3.0, 0)], [2.0, 2.0], "sphere 1 .* of pill has its centre outside"),
            (middle, [1.2], "as many radii as centres"),
            (middle, [1.2, -1.0], "radius of sphere 1 in the cover of pill")):
        with pytest.raises(InputError, match=text):
            given_cover(shape, points, radii, name="pill")
    with pytest.raises(InputError, match="z = 0"):
        given_cover(rod(1.0), [(0, 0, 0.1)], [2.0], 2)


def test_covers_that_do_not_suit_each_other_are_refused():
    large = given_cover(rod(2.0), [(0, 0, 0)], [2.0])
    small = cover(rod(1.0, 0.5))
    kinds = [spheres(small, "match"), spheres(large, "pill")]
    with pytest.raises(InputError, match=r"in the cover of pill .* if grains stay 0.828 m"):
        refuse_incongruous(kinds, 0.0)
    refuse_incongruous(kinds[:1], 0.0)
    kinds[1] = Spheres("ball", np.array([1.0]), np.array([1.0]))
    with pytest.raises(InputError, match=r"of match .* of match .* up to 0.\d+ m"):
        refuse_incongruous(kinds, 0.3)


@pytest.mark.parametrize("values", [{"skin": 0.42}, {"skin": 0.2, "overlap": 0.4},
                                    {"skin": 0.1, "smallest": 0.1}])
def test_skins_that_no_cover_can_have_are_refused(values):
    for shape in (rod(3.0), triangle(1.0)):
        with pytest.raises(InputError, match="give a thinner skin or a smaller overlap"):
            cover(shape, **values)
    with pytest.raises(InputError, match="thinner skin"):
        cover(CLUMP, **values)


# ---- theorem 5 -------------------------------------------------------------------------------


def joined(covers, kinds, position, turns, dimension):
    """Return the pairs of bodies between which there is an edge of the triangulation."""
    centres = [position[k] + turned(turns[k], covers[kind].points) for k, kind in enumerate(kinds)]
    weights = np.concatenate([covers[kind].radii ** 2 for kind in kinds])
    owner = np.repeat(np.arange(len(kinds)), [len(covers[kind]) for kind in kinds])
    points = np.ascontiguousarray(np.concatenate(centres)[:, :dimension])
    ends = np.sort(owner[Triangulation(points, weights).edges], axis=1)
    return set(map(tuple, ends[ends[:, 0] < ends[:, 1]].tolist()))


RODS = [(rod(6.0), True), (rod(2.0), True)]
HEAPS = {
    "rods": (3, RODS, 45),
    "rods and angles": (3, [(rod(6.0), True), (ANGLE, False)], 16),
    "flat and solid": (3, [(triangle(1.5), True), (tetrahedron(1.5), True), (rod(3.0), True)], 16),
    "discs": (2, [(rod(6.0), True), (skeleton([(0, 0, 0)], 1.5), True), (ANGLE, False)], 40),
    "polygons": (2, [(polygon([(0, 0), (5, 0), (4, 2.5), (0, 2)], 1.0), True),
                     (rod(4.0), True)], 30),
}
SKIN, OVERLAP = 0.12, 0.12


def near_pairs(gaps_found):
    i, j = np.nonzero(np.triu(gaps_found < 2.0 * SKIN))
    return set(zip(i.tolist(), j.tolist(), strict=True))


@pytest.mark.parametrize("name", HEAPS)
def test_every_near_pair_is_joined_by_an_edge(name):
    """Bodies that overlap or keep a gap of less than both skins."""
    dimension, shapes, count = HEAPS[name]
    covers = [cover(shape, dimension, skin=SKIN, overlap=OVERLAP, smallest=1.0)
              for shape, _ in shapes]
    assert largest_overlap([spheres(one) for one in covers]) >= OVERLAP * (1.0 - 1e-6)
    *bodies, gaps_found = heap(shapes, count, dimension, -OVERLAP, 2.0 * SKIN, seed=1)
    near = near_pairs(gaps_found)
    assert len(near) > 0.9 * count
    assert near <= joined(covers, *bodies, dimension)


def test_by_a_single_sphere_each_pairs_are_missed():
    """That the test above can fail: spheres about whole rods break the conditions."""
    single = [Cover(np.zeros((1, 3)), np.array([shape.radius]), np.ones(1), 0.0)
              for shape, _ in RODS]
    assert largest_overlap([spheres(one) for one in single]) < 0.0
    *bodies, gaps_found = heap(RODS, 40, 2, -OVERLAP, 2.0 * SKIN, seed=1)
    assert near_pairs(gaps_found) - joined(single, *bodies, 2)


def test_the_twin_of_distances_knows_simple_cases():
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float)
    up = np.array([0.0, 0.0, 1.0])
    assert distance(square, square + np.array([0.2, 0.3, 2.0])) == pytest.approx(2.0)  # parallel
    assert distance(square, square + np.array([4.0, 5.0, 0.0])) == pytest.approx(5.0)
    cross = np.array([(0.5, 0.5, -1.0), (0.5, 0.5, 1.0)])
    assert distance(square[:3], cross) == pytest.approx(0.0, abs=1e-12)
    assert distance(square[:2], np.array([(0.5, 0.0, 1.0), (0.5, 3.0, 1.0)])) == pytest.approx(1.0)
    assert gap(([square], 0.25), ([square + up], 0.5)) == pytest.approx(0.25)
    assert solid(np.vstack((square, square + up)), 1.0).faces
