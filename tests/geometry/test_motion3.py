"""Following motions in space: every way leads to the triangulation that a fresh build gives."""

from fractions import Fraction

import numpy as np
import pytest
from oracle import Exact, as_sets, determinant

from granum.errors import InputError
from granum.geometry.motion3 import (
    DEPTH,
    NEVER,
    Motion,
    conflict_in_time,
    first_rise,
    volume_in_time,
)
from granum.geometry.triangulation3 import Triangulation3

FORCED = ("flips", "kinetic", "submoves", "rebuild")
METHODS = ("auto", *FORCED)
RADIUS = 0.5


def packing(n, seed=0, spread=0.0):
    """Return points as evenly spread as grains are, and the squares of their radii."""
    rng = np.random.default_rng(seed)
    side = round(n ** (1 / 3))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    return (grid + 0.4 * rng.random(grid.shape),
            (RADIUS * (1.0 - spread * rng.random(len(grid)))) ** 2)


def living(t):
    return {tuple(pair): slot for slot, pair in enumerate(t.slots.tolist()) if pair[0] >= 0}


def assert_follows(t, points, weights, method):
    """Move and compare with a fresh build: cells, hidden vertices, edges and their slots."""
    before = living(t)
    t.move(points, weights, method=method)
    new = Triangulation3(points, weights)
    assert t.dimension == new.dimension
    assert as_sets(t.cells) == as_sets(new.cells)
    assert as_sets(t.edges) == as_sets(new.edges)
    assert np.array_equal(t.is_hidden, new.is_hidden)
    assert t.is_valid()
    after = living(t)
    assert all(after[pair] == slot for pair, slot in before.items() if pair in after)


# Polynomials in time.


def random_motion(rng, n):
    return Motion(rng.normal(size=(n, 3)), rng.normal(size=(n, 3)),
                  rng.random(n), rng.normal(size=n))


def exact_at(motion, t):
    t = Fraction(t)
    p = [[Fraction(x) + t * Fraction(v) for x, v in zip(*rows, strict=True)]
         for rows in zip(motion.x.tolist(), motion.v.tolist(), strict=True)]
    w = [Fraction(a) + t * Fraction(b)
         for a, b in zip(motion.w.tolist(), motion.u.tolist(), strict=True)]
    return p, w


def value(a, t):
    return sum(Fraction(c) * Fraction(t) ** k for k, c in enumerate(a))


def test_polynomials_are_the_determinants():
    rng = np.random.default_rng(0)
    for _ in range(20):
        motion = random_motion(rng, 5)
        volume, volume_error = volume_in_time(motion, 0, 1, 2, 3)
        conflict, conflict_error = conflict_in_time(motion, 0, 1, 2, 3, 4)
        for t in (0.0, 0.25, 0.5, 1.0):
            p, w = exact_at(motion, t)
            rows = [[x - y for x, y in zip(p[v], p[0], strict=True)] for v in (1, 2, 3)]
            assert abs(value(volume, t) - determinant(rows)) < 4 * volume_error
            lifted = [[*p[v], sum(x * x for x in p[v]) - w[v], Fraction(1)] for v in range(5)]
            assert abs(value(conflict, t) + determinant(lifted)) < 6 * conflict_error


def test_sign_of_conflict_in_time():
    rng = np.random.default_rng(1)
    for _ in range(20):
        motion = random_motion(rng, 5)
        exact = Exact(motion.x, motion.w)
        a, _ = conflict_in_time(motion, 0, 1, 2, 3, 4)
        turns = exact.volume(0, 1, 2, 3) > 0
        assert (a[0] > 0) == (exact.is_below((0, 1, 2, 3), 4) == turns)


def first_rise_by_roots(a, start):
    roots = np.roots(np.trim_zeros(a[::-1], "f"))
    times = sorted(r.real for r in roots if abs(r.imag) < 1e-9 and start < r.real <= 1.0)
    if np.polyval(a[::-1], start) > 0.0:
        return start
    slope = np.polyder(np.poly1d(a[::-1]))
    return next((t for t in times if slope(t) > 0.0), NEVER)


def test_first_rise_finds_the_first_root():
    rng = np.random.default_rng(2)
    scratch = np.empty((DEPTH + 3, 8))
    found = []
    for _ in range(2000):
        roots = rng.uniform(-0.5, 1.5, 5)
        a = np.poly(roots)[::-1] * rng.choice([-1.0, 1.0])
        if rng.random() < 0.3:
            a = np.polymul(np.poly(roots[:3]), [1.0, 0.0, 0.3])[::-1] * rng.choice([-1.0, 1.0])
        start = rng.choice([0.0, 0.3])
        expected = first_rise_by_roots(a, start)
        assert first_rise(tuple(a.tolist()), 1e-15, start, scratch) == pytest.approx(
            expected, abs=1e-6
        )
        found.append(expected)
    assert NEVER in found
    assert 0.3 in found
    assert len({t for t in found if 0.3 < t <= 1.0}) > 300


def test_first_rise_at_a_zero_looks_at_what_comes_next():
    scratch = np.empty((DEPTH + 3, 8))
    assert first_rise((0.0, 1.0, 0.0, 0.0, 0.0, 0.0), 1e-12, 0.0, scratch) == 0.0
    assert first_rise((0.0, -1.0, 0.0, 0.0, 0.0, 0.0), 1e-12, 0.0, scratch) == NEVER
    assert first_rise((0.0, -1.0, 2.0, 0.0, 0.0, 0.0), 1e-12, 0.0, scratch) == pytest.approx(0.5)
    assert first_rise((1e-13, 1e-13, 0.0, 0.0, 0.0, 0.0), 1e-12, 0.0, scratch) == NEVER


# Motions that each way can follow.


@pytest.mark.parametrize("method", ["kinetic", "submoves"])
@pytest.mark.parametrize("length", [1e-2, 3e-2])
def test_longer_motion_is_followed_without_building_anew(method, length):
    points, weights = packing(512, spread=0.3)
    rng = np.random.default_rng(4)
    t = Triangulation3(points, weights)
    for _ in range(3):
        points = points + length * RADIUS * rng.normal(size=points.shape)
        assert_follows(t, points, weights, method)
    done = t.statistics
    assert done.builds == 1
    assert done.failed_kinetic == done.failed_submoves == 0
    assert done.flips > 20
    assert (done.events >= 20) == (method == "kinetic")
    assert (done.submoves >= 3) == (method == "submoves")


@pytest.mark.parametrize("method", ["kinetic", "submoves"])
def test_shear_is_followed_without_building_anew(method):
    points, weights = packing(512)
    t = Triangulation3(points, weights)
    for _ in range(2):
        points = points + np.outer(points[:, 2], [0.05, 0.0, 0.0])
        assert_follows(t, points, weights, method)
    assert t.statistics.builds == 1
    assert t.statistics.flips > 100


def test_events_go_where_flips_are_blocked():
    points, weights = packing(512)
    rng = np.random.default_rng(5)
    far = points + 0.2 * RADIUS * rng.normal(size=points.shape)
    a, b = Triangulation3(points, weights), Triangulation3(points, weights)
    assert_follows(a, far, weights, "flips")
    assert a.statistics.failed_flips == 1
    assert_follows(b, far, weights, "kinetic")
    assert b.statistics.builds == 1


def test_weights_change_on_the_way():
    points, weights = packing(343)
    rng = np.random.default_rng(6)
    heavy = weights.copy()
    heavy[rng.choice(len(points), 12, replace=False)] *= 9.0
    for method in METHODS:
        t = Triangulation3(points, weights)
        assert_follows(t, points + 1e-3 * rng.normal(size=points.shape), heavy, method)
        assert t.is_hidden.any()
        assert_follows(t, points, weights, method)
        assert not t.is_hidden.any()


# Motions that are too long: never wrong, whatever the way.


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("times", [10, 100, 1000])
def test_motion_too_long(method, times):
    points, weights = packing(216, spread=0.5)
    rng = np.random.default_rng(times)
    t = Triangulation3(points, weights)
    for _ in range(2):
        points = points + 0.01 * times * RADIUS * rng.normal(size=points.shape)
        assert_follows(t, points, weights, method)


@pytest.mark.parametrize("method", METHODS)
def test_teleported_grains(method):
    points, weights = packing(216)
    t = Triangulation3(points, weights)
    for k, victims in enumerate(([0], [3, 100, 200], list(range(40)))):
        points = points.copy()
        points[victims] = np.random.default_rng(k).random((len(victims), 3)) * 5.0
        assert_follows(t, points, weights, method)


@pytest.mark.parametrize("method", METHODS)
def test_flattened_to_a_plane_and_back(method):
    points, weights = packing(125)
    t = Triangulation3(points, weights)
    for height in (0.1, 0.0, 1e-3, 1.0):
        assert_follows(t, points * [1.0, 1.0, height], weights, method)
    assert t.dimension == 3


@pytest.mark.parametrize("method", METHODS)
def test_all_grains_swapped(method):
    points, weights = packing(125, spread=0.5)
    t = Triangulation3(points, weights)
    assert_follows(t, points[::-1].copy(), weights, method)
    assert_follows(t, -points, weights, method)


@pytest.mark.parametrize("method", METHODS)
def test_crystal(method):
    k = np.arange(4) * 1.0
    corner = np.stack(np.meshgrid(k, k, k, indexing="ij"), -1).reshape(-1, 3)
    points = np.concatenate([corner + s for s in ((0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5),
                                                  (0, 0.5, 0.5))]) * 0.7
    weights = np.full(len(points), 0.0625)
    rng = np.random.default_rng(7)
    t = Triangulation3(points, weights)
    for end in (points + 1e-4 * rng.normal(size=points.shape), points,
                points + np.array([0.1234567, 0.0371, 0.0009]), 0.999 * points,
                points + np.outer(points[:, 2], [0.05, 0.0, 0.0])):
        assert_follows(t, end, weights, method)


@pytest.mark.parametrize("method", METHODS)
def test_memory_stays_bounded(method):
    points, weights = packing(216)
    rng = np.random.default_rng(8)
    t = Triangulation3(points, weights)
    room = []
    for _ in range(12):
        t.move(points + 0.1 * RADIUS * rng.normal(size=points.shape), method=method)
        room.append((len(t.slots), len(t._mesh.V), len(t._edges.ends)))
    assert t.is_valid()
    assert room[-1][0] < 2 * len(t.edges)
    assert room[-1][1:] == room[2][1:]


def test_absent_vertices_do_not_matter():
    points, weights = packing(216)
    for method in METHODS:
        t = Triangulation3(points, weights)
        t.remove(np.arange(5, 100, 7))
        moved = points + 0.01 * np.random.default_rng(9).normal(size=points.shape)
        moved[5] = 1e3
        t.move(moved, method=method)
        assert t.is_valid()
        assert not np.isin(np.arange(5, 100, 7), t.edges).any()


def test_unknown_method():
    t = Triangulation3(np.eye(4, 3), np.zeros(4))
    with pytest.raises(InputError, match="one of auto, flips, kinetic, submoves, rebuild"):
        t.move(np.eye(4, 3), method="magic")
