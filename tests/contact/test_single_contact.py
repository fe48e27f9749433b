"""One contact of two convex skeletons: distance and points against FCL; parallel features."""

from __future__ import annotations

import fcl
import numpy as np
import pytest
import skeleton_samples as samples
from scipy.spatial.transform import Rotation

from granum.contact.pairs import closest_points, pair_energy_and_force, single_contact

PAIRS = 6250  # of each two of four bodies: 100 000


def known(body):
    """Return the body as FCL takes it."""
    faces = np.column_stack((np.full(len(body.faces), 3), body.faces))
    return fcl.CollisionObject(fcl.Convex(body.points, len(faces), faces.ravel()))


RNG = np.random.default_rng(3)
BODIES = [samples.random_hull(RNG, 4), samples.random_hull(RNG, 6), samples.random_hull(RNG, 8),
          samples.cube()]
CUBE = BODIES[3]


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1)[:, None]


@pytest.mark.parametrize("i", range(4))
@pytest.mark.parametrize("j", range(4))
def test_distance_and_closest_points_are_those_of_fcl(i, j):
    """FCL stops at a relative change of 1e-6, mostly at the exact features.

    Where features are nearly parallel it may stop at other points that are as close: one pair in
    100 000 here.
    """
    rng = np.random.default_rng((i, j))
    a, b = BODIES[i], BODIES[j]
    drawn = 5 * PAIRS // 2
    turns = Rotation.random(drawn, random_state=rng).as_matrix()
    away = rng.normal(size=(drawn, 3))
    away *= (rng.uniform(0.7, 2.0, drawn) / np.linalg.norm(away, axis=1))[:, None]
    one, two = known(a), known(b)
    expected = []
    for k in range(drawn):
        two.setTransform(fcl.Transform(turns[k], away[k]))
        answer = fcl.DistanceResult()
        if fcl.distance(one, two, fcl.DistanceRequest(enable_nearest_points=True), answer) > 0.0:
            expected.append((k, answer.min_distance, *answer.nearest_points))
        if len(expected) == PAIRS:
            break
    assert len(expected) == PAIRS  # of those that are apart
    found = [closest_points(a.points, a.skeleton, b.points @ turns[k].T + away[k], b.skeleton)
             for k, *_ in expected]
    distance, known_distance = (np.array([row[k] for row in rows]) for k, rows in (
        (0, found), (1, expected)))
    points, known_points = (np.array([row[k:] for row in rows]) for k, rows in (
        (1, found), (2, expected)))
    wrong = np.abs(distance - known_distance)
    aside = np.abs(points - known_points).max(axis=(1, 2))
    normal, known_normal = (unit(x[:, 1] - x[:, 0]) for x in (points, known_points))
    off = np.linalg.norm(normal - known_normal, axis=1)
    assert wrong.max() < 1e-6
    assert off.max() < 1e-5
    for errors in (wrong, aside, off):
        assert np.quantile(errors, 0.999) < 1e-11


def contact(turn_a=(0, 0, 0), turn_b=(0, 0, 0), aside=(0, 0), depth=0.01, height=None):
    """Return overlap, normal and point of two cubes, B above A."""
    a = b = CUBE
    XA, XB = a.points @ samples.rotation(turn_a).T, b.points @ samples.rotation(turn_b).T
    if height is None:
        height = XA[:, 2].max() - XB[:, 2].min() + 0.2 - depth
    at = np.array([*aside, height])
    body = np.array([(0, 0, 0, 0.1), (*at, 0.1)])
    return single_contact(XA, a.skeleton, XB + at, b.skeleton, body)


CORNER = np.arctan(np.sqrt(2.0)) * np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)
EDGE = (np.pi / 4.0, 0.0, 0.0)  # edges along x at the top and at the bottom


@pytest.mark.parametrize(("turn_a", "turn_b", "aside", "where"), [
    ((0, 0, 0), CORNER, (0.2, 0.1), (0.2, 0.1)),
    (EDGE, (0.0, np.pi / 4.0, 0.0), (0.1, 0.2), (0.1, 0.0)),
    ((0, 0, 0), EDGE, (0.6, 0.1), (0.3, 0.1)),  # edge along a face: the middle of what they share
    (EDGE, EDGE, (0.6, 0.0), (0.3, 0.0)),  # edge along edge
    ((0, 0, 0), (0, 0, 0), (0.6, 0.2), (0.3, 0.1)),  # faces
    ((0, 0, 0), (0, 0, np.pi / 4.0), (0.0, 0.0), (0.0, 0.0)),
])
def test_point_is_amid_the_closest_points(turn_a, turn_b, aside, where):
    overlap, normal, point = contact(turn_a, turn_b, aside)
    assert overlap == pytest.approx(0.01)
    assert normal == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    assert point[:2] == pytest.approx(where, abs=1e-12)


def test_bodies_that_do_not_touch_have_a_negative_overlap():
    overlap, normal, point = contact(turn_b=CORNER, aside=(0.2, 0.1), depth=-0.3)
    assert overlap == pytest.approx(-0.3)
    assert normal == pytest.approx([0.0, 0.0, 1.0])
    assert point == pytest.approx([0.2, 0.1, 0.5 + 0.1 + 0.15])


WAYS = {
    "tilt": lambda s: {"turn_b": (0.06 * s - 0.03, 0.01 * s, 0.2), "aside": (0.2, 0.1)},
    "twist": lambda s: {"turn_b": (0, 0, 0.6 * s - 0.1), "aside": (0.2, 0.1)},
    "slide": lambda s: {"aside": (0.8 + 0.25 * s, 0.2 - 0.3 * s)},
}


@pytest.mark.parametrize("way", WAYS)
def test_contact_does_not_jump(way):
    """The largest change from step to step falls like the step, where features are parallel too.

    On all ways the bodies touch: without a force it does not matter where the contact is.
    """
    largest = []
    for steps in (100, 800):
        rows = np.array([np.concatenate(contact(height=1.19, **WAYS[way](s))[1:])
                         for s in np.linspace(0.0, 1.0, steps + 1)])
        largest.append(np.abs(np.diff(rows, axis=0)).max())
    assert largest[0] > 1e-3
    assert largest[1] < 0.25 * largest[0]


def test_force_is_that_of_all_contacts_where_there_is_one():
    """A corner on a face: both models are the same spring."""
    a = b = CUBE
    XB = b.points @ samples.rotation(CORNER).T
    at = np.array([0.2, 0.1, 0.5 - XB[:, 2].min() + 0.19])
    body = np.array([(0, 0, 0, 0.1), (*at, 0.1)])
    bodies = a.points, a.skeleton, XB + at, b.skeleton, body
    overlap, normal, point = single_contact(*bodies)
    _, force, torque, _ = pair_energy_and_force(*bodies, 1.0)
    assert force == pytest.approx(-overlap * normal, abs=1e-14)
    assert torque == pytest.approx(np.cross(point, force), abs=1e-14)
