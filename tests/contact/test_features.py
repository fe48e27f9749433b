"""All contacts of two swept skeletons: how often each counts, energy, force and torque."""

from __future__ import annotations

import numpy as np
import pytest
import skeleton_samples as samples

import skeleton_energy as twin
from granum.contact.pairs import closest_points, pair_energy_and_force

REACH = 0.2  # of two bodies with the radius 0.1 of most samples


class Pair:
    """Two bodies, each where it is and turned as it is."""

    def __init__(self, a, b, turn_a=(0, 0, 0), turn_b=(0, 0, 0), at=(0, 0, 0), origin=(0, 0, 0)):
        self.a, self.b = a, b
        self.turns = [samples.rotation(turn_a), samples.rotation(turn_b)]
        self.centres = [np.array(origin, dtype=float), np.add(origin, at)]

    @property
    def vertices(self):
        return [body.points @ turn.T + centre for body, turn, centre
                in zip((self.a, self.b), self.turns, self.centres, strict=True)]

    @property
    def reach(self):
        return self.a.radius + self.b.radius

    def distance(self):
        XA, XB = self.vertices
        return closest_points(XA, self.a.skeleton, XB, self.b.skeleton)[0]

    def drawn_apart(self, along, distance):
        """Move B along a direction until the skeletons are so far apart."""
        near, far, start = 0.0, 4.0, self.centres[0]
        for _ in range(30):
            middle = 0.5 * (near + far)
            self.centres[1] = start + middle * np.asarray(along)
            near, far = (middle, far) if self.distance() < distance else (near, middle)
        return self

    def forces(self):
        XA, XB = self.vertices
        body = np.column_stack((self.centres, (self.a.radius, self.b.radius)))
        return pair_energy_and_force(XA, self.a.skeleton, XB, self.b.skeleton, body, 1.0)

    def energy(self):
        return self.forces()[0]

    def slope(self, which, axis, step=1e-6):
        """Return minus the slope of the energy: of moves 0, 1 and turns 2, 3 of A, B."""
        kept, found = (self.centres, self.turns)[which // 2], []
        before = kept[which % 2].copy()
        for sign in (1.0, -1.0):
            way = sign * step * np.eye(3)[axis]
            kept[which % 2] = before + way if which < 2 else samples.rotation(way) @ before
            found.append(self.energy())
        kept[which % 2] = before
        return (found[1] - found[0]) / (2.0 * step)


def random_pair(rng, make):
    """Return two bodies that overlap by up to half of their reach, anywhere."""
    a, b = make(rng), make(rng)
    moving, turning = ((1, 1, 0), (0, 0, 1)) if a.dimension == 2 else ((1, 1, 1), (1, 1, 1))
    along = rng.normal(size=3) * moving
    pair = Pair(a, b, *(rng.uniform(-3.0, 3.0, (2, 3)) * turning),
                origin=rng.normal(size=3) * moving)
    return pair.drawn_apart(along / np.linalg.norm(along), rng.uniform(0.5, 1.0) * pair.reach)


KINDS = {
    "polygons": samples.random_polygon,
    "open in the plane": lambda rng: (samples.polyline, samples.square, lambda: samples.ball(2))[
        rng.integers(3)](),
    "cubes": lambda rng: samples.cube(),
    "hulls": lambda rng: samples.random_hull(rng, 8),
    "hollow": lambda rng: samples.dented(rng, 8),
    "short sides in the plane": samples.round_polygon,
    "short sides": lambda rng: samples.random_hull(rng, 16, radius=0.8),
    "rods and sheets": lambda rng: (samples.rod, samples.ball, samples.sheet)[rng.integers(3)](),
}


@pytest.mark.parametrize("kind", KINDS)
def test_energy_is_the_full_sum_over_simplices(kind):
    rng = np.random.default_rng(1)
    for _ in range(4):
        pair = random_pair(rng, KINDS[kind])
        XA, XB = pair.vertices
        expected = twin.energy(pair.a.shape, XA, pair.b.shape, XB,
                               (pair.a.crossing, pair.b.crossing))
        assert expected > 0.0
        assert pair.energy() == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_forces_and_torques_are_the_slopes_of_the_energy(kind):
    """A central difference over ±1e-6 is off by up to 1.2e-9 of the force: rounding, curvature.

    Where the curvature jumps within that step, it is off by up to the step times the jump.
    """
    rng = np.random.default_rng(2)
    for _ in range(30):
        pair = random_pair(rng, KINDS[kind])
        _, force, torque_a, torque_b = pair.forces()
        plane, scale = pair.a.dimension == 2, np.abs(force).max()
        found = [(force, 0), (-force, 1), (torque_a, 2), (torque_b, 3)]
        for expected, which in found:
            for axis in range(3):
                if plane and (axis == 2) != (which >= 2):
                    continue
                assert pair.slope(which, axis) == pytest.approx(expected[axis], rel=0,
                                                                abs=1e-8 * scale)


@pytest.mark.parametrize("kind", KINDS)
def test_angular_momentum_is_kept(kind):
    rng = np.random.default_rng(3)
    for _ in range(30):
        pair = random_pair(rng, KINDS[kind])
        _, force, torque_a, torque_b = pair.forces()
        arm = pair.centres[0] - pair.centres[1]
        assert np.abs(torque_a + torque_b + np.cross(arm, force)).max() < 1e-14


@pytest.mark.parametrize("kind", ["short sides in the plane", "short sides"])
def test_crowds_of_vertices_push_harder_the_deeper_they_are(kind):
    """Each vertex with each counted once only would pull, from a few hundredths of the reach on."""
    rng, crowded = np.random.default_rng(4), 0
    for _ in range(4):
        pair = random_pair(rng, KINDS[kind])
        along = pair.centres[1] - pair.centres[0]
        along /= np.linalg.norm(along)
        pushes = [0.0]
        for overlap in (0.02, 0.05, 0.1, 0.2, 0.4):
            pair.drawn_apart(along, (1.0 - overlap) * pair.reach)
            energy, force, *_ = pair.forces()
            deepest = 0.5 * (overlap * pair.reach) ** 2
            assert energy > 0.9 * deepest
            crowded += energy > 1.5 * deepest
            pushes.append(-force @ along)
        assert (np.diff(pushes) > 0.0).all()
    assert crowded > 3


def stiffness(pair, depth):
    """Return the force along z, and the energy, in units of one contact of that overlap."""
    energy, force, *_ = pair.forces()
    return -force[2] / depth, energy / (0.5 * depth**2)


CORNER = np.arctan(np.sqrt(2.0)) * np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)  # a corner to the top
EDGE = (np.pi / 4.0, 0.0, 0.0)


@pytest.mark.parametrize(("count", "turn_a", "turn_b", "aside"), [
    (1, (0, 0, 0), CORNER, (0.2, 0.1)),  # corner on a face
    (1, (0, 0, 0), CORNER, (0.0, 0.0)),  # and above the diagonal that splits it
    (1, (0, 0, 0), CORNER, (0.5, 0.1)),  # and above its rim
    (1, CORNER, CORNER, (0.0, 0.0)),  # corner on corner
    (1, EDGE, (0.0, np.pi / 4.0, 0.0), (0.1, 0.2)),  # edge across edge
    (4, (0, 0, 0), (0, 0, 0), (0.0, 0.0)),  # face on face, aligned
    (4, (0, 0, 0), (0, 0, 0), (1e-17, -1e-17)),
    (4, (0, 0, 0), (0, 0, 0), (0.3, 0.0)),  # shifted along a side
    (4, (0, 0, 0), (0, 0, 0), (0.3, 0.2)),  # and along both
    (2, EDGE, EDGE, (0.0, 0.0)),  # edge along edge
    (2, EDGE, EDGE, (0.3, 0.0)),
    (2, (0, 0, 0), EDGE, (0.2, 0.1)),  # edge along a face
    (8, (0, 0, 0), (0, 0, np.pi / 4.0), (0.0, 0.0)),  # faces that share an octagon
])
def test_stiffness_of_cubes(count, turn_a, turn_b, aside):
    depth = 0.01
    pair = Pair(samples.cube(), samples.cube(), turn_a, turn_b)
    XA, XB = pair.vertices
    pair.centres[1] = np.array([*aside, XA[:, 2].max() - XB[:, 2].min() + REACH - depth])
    assert stiffness(pair, depth) == pytest.approx((count, count), rel=1e-9)


@pytest.mark.parametrize(("count", "make", "turn", "aside"), [
    (2, samples.square, 0.0, 0.0), (2, samples.square, 0.0, 0.3), (1, samples.square, 0.0, 1.0),
    (1, samples.square, np.pi / 4.0, 0.2), (1, samples.square, np.pi / 4.0, 0.5),
])
def test_stiffness_of_squares(count, make, turn, aside):
    depth = 0.01
    pair = Pair(make(), make(), turn_b=(0, 0, turn))
    XA, XB = pair.vertices
    pair.centres[1] = np.array([aside, XA[:, 1].max() - XB[:, 1].min() + REACH - depth, 0.0])
    force = pair.forces()[1]
    assert -force[1] / depth == pytest.approx(count, rel=1e-9)


def test_rods_side_by_side_touch_twice_and_across_once():
    side = Pair(samples.rod(), samples.rod(), at=(0.3, 0, 0.19))
    assert stiffness(side, 0.01) == pytest.approx((2.0, 2.0), rel=1e-9)
    across = Pair(samples.rod(), samples.rod(), turn_b=(0, 0, 1.0), at=(0.1, 0, 0.19))
    assert stiffness(across, 0.01) == pytest.approx((1.0, 1.0), rel=1e-9)


def test_end_of_a_bar_slides_over_a_rim_without_a_bump():
    """The crossing takes over from the corner exactly: nothing changes on the way."""
    depth = 0.01
    pair = Pair(samples.cube(), samples.cube())
    for aside in np.linspace(0.0, 0.8, 33):
        pair.centres[1] = np.array([aside, 0.3, 1.0 + REACH - depth])
        assert stiffness(pair, depth) == pytest.approx((4.0, 4.0), rel=1e-9)


def test_nothing_is_lost_where_rounding_decides():
    """A ball straight above a corner, an edge, a diagonal of a turned cube counts once, always."""
    rng = np.random.default_rng(8)
    pair = Pair(samples.cube(), samples.ball())
    beyond = pair.reach - 0.01
    for _ in range(500):
        pair.turns[0] = samples.rotation(rng.normal(size=3))
        x, y = rng.uniform(-0.5, 0.5), 0.5 * rng.choice((-1, 1))
        foot = ((y, 0.5), (x, y), (y, x), (x, x), (x, -x))[rng.integers(5)]
        pair.centres[1] = pair.turns[0] @ (*foot, 0.5 + beyond)
        assert pair.energy() == pytest.approx(0.5 * 0.01**2, rel=1e-9)


def moved(pair, start, end, steps):
    """Return energy, and force and torques as one row, at points of a way; each x, y, z, turn."""
    rows = []
    for x, y, z, tilt, twist in np.linspace(start, end, steps + 1):
        pair.centres[1] = np.array([x, y, z])
        pair.turns[1] = samples.rotation((0, 0, twist)) @ samples.rotation((tilt, 0, 0))
        energy, force, torque_a, torque_b = pair.forces()
        rows.append([energy, *force, *torque_a, *torque_b])
    return np.array(rows)


WAYS = {
    "offset, aligned, offset": ((-0.12, -0.07, 1.19, 0, 0), (0.10, 0.09, 1.19, 0, 0)),
    "aligned to twisted": ((0, 0, 1.19, 0, -0.05), (0, 0, 1.19, 0, 0.4)),
    "flat to tilted": ((0.2, 0.1, 1.19, -0.02, 0), (0.2, 0.1, 1.19, 0.03, 0)),
    "off the edge": ((0.9, 0.3, 1.19, 0, 0.01), (1.2, 0.35, 1.19, 0, 0.01)),
    "all at once": ((-0.1, 0.9, 1.2, 0.02, -0.1), (0.15, 1.1, 1.18, -0.02, 0.1)),
}


@pytest.mark.parametrize("way", WAYS)
def test_forces_do_not_jump(way):
    """The largest change from step to step falls like the step: none of it is a jump."""
    pair = Pair(samples.cube(), samples.cube())
    coarse, fine = (np.abs(np.diff(moved(pair, *WAYS[way], steps), axis=0)).max(axis=0)
                    for steps in (200, 1600))
    assert coarse.max() > 1e-4
    assert (fine <= 0.25 * coarse + 1e-12).all()


def test_hollow_and_flat_edges_are_not_crossed():
    assert samples.cube().skeleton.crosses.tolist() == [True] * 12 + [False] * 6
    dented = samples.dented(np.random.default_rng(5))
    deep = np.argmin(np.linalg.norm(dented.points, axis=1))
    hollow = [pair for pair, one in zip(dented.edges, dented.skeleton.crosses, strict=True)
              if not one]
    assert 0 < len(hollow) < len(dented.edges)
    assert any(deep in pair for pair in hollow)
    assert samples.sheet().skeleton.crosses.all()
    assert not samples.square().skeleton.crosses.any()


@pytest.mark.parametrize(("body", "vertices", "edges"), [
    (samples.cube(), 1, -1), (samples.square(), -1, 1), (samples.rod(), 0, 1),
    (samples.ball(), 1, None), (samples.dented(np.random.default_rng(6)), 1, -1),
])
def test_how_often_simplices_count(body, vertices, edges):
    assert set(body.skeleton.vertex_count) == {vertices}
    assert set(body.skeleton.edge_count) == ({edges} if edges else set())
