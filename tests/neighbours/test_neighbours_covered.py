"""Pairs of long grains by the triangulation of their covers, against all pairs."""

from dataclasses import replace

import numpy as np
import pytest

import granum as gr
from granum.neighbours.covered import Covered
from granum.shapes import RigidShape
from granum.shapes.apart import segments_to_segments
from granum.shapes.cover_kinds import ROUND, Kinds
from granum.shapes.turning import product, random_turns, turned

OPEN = np.zeros(3)


def rod(length, radius):
    half = 0.5 * length
    return RigidShape(((-half, 0.0, 0.0), (half, 0.0, 0.0)), (radius, radius), 1.0,
                      (1.0, 1.0, 1.0), ((0, 1),))


LONG, SHORT = rod(6.0, 1.0), rod(2.0, 1.3)
PLATE = RigidShape(tuple((2.0 * np.cos(a), 2.0 * np.sin(a), 0.0) for a in (0.0, 2.1, 4.2)),
                   (1.0,) * 3, 1.0, (1.0, 1.0, 1.0), ((0, 1), (1, 2), (0, 2)), ((0, 1, 2),))


class Crowd:
    """Grains of some shapes by chance in a box, periodic or not; -1 is round."""

    def __init__(self, shapes, number, side, dimension, seed, scales=(1.0, 1.0)):
        rng = np.random.default_rng(seed)
        n = len(number)
        self.shapes, self.dimension, self.ids = shapes, dimension, np.arange(n) + 3
        self.shape = np.array(number)
        self.position = rng.uniform(0.0, side, (n, 3))
        self.position[:, dimension:] = 0.0
        self.orientation = random_turns(rng, n, dimension)
        sizes = np.array([*(shape.radius for shape in shapes), 1.2])
        self.radius = sizes[self.shape] * rng.uniform(*scales, n)

    def arrays(self):
        return self.position, self.orientation, self.shape, self.radius, self.ids

    def move(self, way, angle, rng, L=OPEN):
        step = way * rng.normal(size=self.position.shape)
        step[:, self.dimension:] = 0.0
        self.position = self.position + step
        self.position = np.where(L > 0.0, np.mod(self.position, np.where(L > 0.0, L, 1.0)),
                                 self.position)
        turns = random_turns(rng, len(self.ids), self.dimension) * angle + [1.0, 0.0, 0.0, 0.0]
        turns /= np.linalg.norm(turns, axis=1)[:, None]
        self.orientation = product(turns, self.orientation)

    def spheres(self):
        """Return the covering spheres of each grain, one by one."""
        kinds = Kinds(self.shapes, self.shape, self.radius, self.dimension)
        scale = kinds.scales(self.shape, self.radius)
        for k, kind in enumerate(kinds.of(self.shape, self.radius)):
            if kind == ROUND:
                yield self.position[[k]], np.array([self.radius[k] + kinds.skin])
                continue
            cover = kinds.kinds[kind].cover
            yield (self.position[k] + turned(self.orientation[k], scale[k] * cover.points),
                   scale[k] * cover.radii)

    def meeting(self, L=OPEN):
        """Return the pairs of grains whose covers meet, by comparing all spheres."""
        covers = list(self.spheres())
        found = []
        for i, (p, a) in enumerate(covers):
            for j in range(i + 1, len(covers)):
                q, b = covers[j]
                apart = q[None] - p[:, None]
                apart -= L * np.rint(apart / np.where(L > 0.0, L, np.inf))
                if (np.linalg.norm(apart, axis=2) < a[:, None] + b).any():
                    found.append((i, j))
        return found


def check(finder, crowd, L=OPEN):
    found = list(map(tuple, finder.find(*crowd.arrays()).tolist()))
    assert found == crowd.meeting(L)
    return found


@pytest.mark.parametrize("periodic", [(0, 0, 0), (1, 0, 0), (1, 1, 1)])
@pytest.mark.parametrize(("side", "is_deep"), [(30.0, False), (9.0, True)])
def test_rods_plates_and_spheres(periodic, side, is_deep):
    """As they move, turn, come and go: all pairs whose covers meet, however deep they overlap."""
    L = side * np.array(periodic)
    crowd = Crowd([LONG, SHORT, PLATE], [0] * 20 + [1] * 15 + [2] * 10 + [-1] * 15, side, 3, 1)
    finder = Covered(crowd.shapes, L, 3)
    rng = np.random.default_rng(2)
    for _ in range(4):
        assert len(check(finder, crowd, L)) > 5
        crowd.move(0.02, 0.005, rng, L)
    if is_deep:
        assert finder.counts["deep_pairs"] > 0
    else:
        assert finder.counts["triangulation_builds"] == 1  # it follows
    crowd.move(0.5, 0.2, rng, L)
    order = rng.permutation(60)[5:]
    for name in ("position", "orientation", "shape", "radius", "ids"):
        setattr(crowd, name, getattr(crowd, name)[order])
    check(finder, crowd, L)
    assert finder.overlap > 0.0
    assert finder.skin == pytest.approx(0.15)


@pytest.mark.parametrize("periodic", [(0, 0, 0), (1, 1, 0)])
def test_rods_and_discs_in_the_plane(periodic):
    L = 40.0 * np.array(periodic)
    crowd = Crowd([LONG, SHORT], [0] * 20 + [1] * 15 + [-1] * 20, 40.0, 2, 5)
    finder = Covered(crowd.shapes, L, 2)
    rng = np.random.default_rng(3)
    for _ in range(4):
        assert len(check(finder, crowd, L)) > 20
        crowd.move(0.3, 0.1, rng, L)


def test_grains_of_many_sizes():
    """Scales from 1 to 1.8: some classes, each with its cover, and all suit each other."""
    crowd = Crowd([LONG, PLATE], [0] * 25 + [1] * 15 + [-1] * 10, 30.0, 3, 7, (1.0, 1.8))
    finder = Covered(crowd.shapes, OPEN, 3)
    assert len(check(finder, crowd)) > 20
    kinds = Kinds(crowd.shapes, crowd.shape, crowd.radius, 3)
    assert len(kinds.kinds) == 6
    assert kinds.overlap >= 0.09 * kinds.skin / 0.15
    for kind in kinds.kinds:
        assert kind.high <= 1.25 * kind.low
        assert kind.low * kind.cover.skin >= kinds.skin * (1.0 - 1e-12)
    crowd.radius[0] *= 3.0  # larger than any there was: covers are made anew
    check(finder, crowd)


def own(shape, centres, radius):
    """Return a rod with a cover of its own, about points of its segment."""
    rows = tuple((x, 0.0, 0.0, radius, shape.radii[0]) for x in centres)
    return replace(shape, cover=rows, skin=0.0)


@pytest.mark.parametrize("periodic", [(0, 0, 0), (1, 1, 1)])
def test_rods_with_covers_of_their_own(periodic):
    """All pairs whose spheres meet, all that are near among them; in several sizes."""
    chains = [own(LONG, np.linspace(-2.82, 2.82, 7), 1.18), own(SHORT, (-0.8, 0.0, 0.8), 1.5)]
    L = 30.0 * np.array(periodic)
    crowd = Crowd(chains, [0] * 25 + [1] * 20 + [-1] * 10, 30.0, 3, 8, (1.0, 1.5))
    finder = Covered(crowd.shapes, L, 3)
    rng = np.random.default_rng(5)
    for _ in range(3):
        found = set(check(finder, crowd, L))
        near = near_rods(crowd, 2.0 * finder.skin, L)
        assert len(near) > 5
        assert near <= found
        crowd.move(0.3, 0.1, rng, L)
    kinds = Kinds(chains, crowd.shape, crowd.radius, 3)
    assert {len(kind.cover) for kind in kinds.kinds if kind.shape == 0} == {7}
    assert len(Kinds([LONG, SHORT], crowd.shape, crowd.radius, 3).kinds[0].cover) != 7


def near_rods(crowd, most, L):
    """Return pairs of rods with a gap below ``most``, by the distances of their segments."""
    rods = np.flatnonzero(crowd.shape >= 0)
    i, j = (rods[side] for side in np.triu_indices(len(rods), 1))
    arm = np.array([shape.points for shape in crowd.shapes])
    scale = crowd.radius / np.array([*(shape.radius for shape in crowd.shapes), 1.0])[crowd.shape]
    ends = scale[:, None, None] * turned(crowd.orientation[:, None], arm[crowd.shape])
    thick = scale * np.array([*(shape.radii[0] for shape in crowd.shapes), 1.0])[crowd.shape]
    way = crowd.position[j] - crowd.position[i]
    way -= L * np.rint(way / np.where(L > 0.0, L, np.inf))
    apart = segments_to_segments(ends[i, 0], ends[i, 1], way + ends[j, 0], way + ends[j, 1])[0]
    near = apart - thick[i] - thick[j] < most
    return set(zip(i[near].tolist(), j[near].tolist(), strict=True))


def test_few_grains():
    finder = Covered([LONG], OPEN, 3)
    one = Crowd([LONG], [0], 1.0, 3, 1)
    assert finder.find(*one.arrays()).shape == (0, 2)
    two = Crowd([LONG], [0, 0], 1.0, 3, 1)
    assert finder.find(*two.arrays()).tolist() == [[0, 1]]


def test_pairs_of_a_world_of_clumps():
    """Every contact of a world is between grains that are found as a pair."""
    clump = gr.Clump(points=[(x, 0, 0) for x in np.linspace(-2.0, 2.0, 5)], radii=1.0)
    world = gr.World(domain=((-9,) * 3, (29,) * 3))
    rng = np.random.default_rng(2)
    world.add(clump, at=rng.uniform(0.0, 14.0, (40, 3)), orientation=random_turns(rng, 40, 3),
              density=1.0)
    grains, balls = world.grains, world.balls()
    finder = Covered(world.shapes, OPEN, 3)
    found = set(map(tuple, finder.find(grains.position, grains.orientation, grains.shape,
                                       grains.radius, grains.id).tolist()))
    at, r, grain = world.ball_positions(balls), balls.arm[:, 3], balls.grain
    apart = np.linalg.norm(at[:, None] - at, axis=2) - r[:, None] - r
    i, j = np.nonzero((apart < 2.0 * finder.skin) & (grain[:, None] < grain))
    near = set(zip(grain[i].tolist(), grain[j].tolist(), strict=True))
    assert len(near) > 20
    assert near <= found
