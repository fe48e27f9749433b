"""Following motions: every way leads to the triangulation that a fresh build gives."""

from fractions import Fraction

import numpy as np
import pytest
from dynamic import assert_slots_kept, living, triangulation
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Exact, as_sets, determinant, lifted_hull

from granum.errors import InputError
from granum.geometry import Triangulation, motion2, motion3
from granum.geometry.motion import NEVER, SCRATCH, Motion, first_rise
from granum.geometry.triangulation2 import Triangulation2

FORCED = ("flips", "kinetic", "submoves", "rebuild")
METHODS = ("auto", *FORCED)
RADIUS = 0.5
SIDES = {2: 15, 3: 6}  # of a packing, in grains

in_both = pytest.mark.parametrize("dimension", [2, 3])
by_all = pytest.mark.parametrize("method", METHODS)


def packing(dimension, seed=0, spread=0.0, side=None):
    """Return points as evenly spread as grains are, and the squares of their radii."""
    rng = np.random.default_rng(seed)
    axes = [np.arange(side or SIDES[dimension])] * dimension
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, dimension)
    return (grid + 0.4 * rng.random(grid.shape),
            (RADIUS * (1.0 - spread * rng.random(len(grid)))) ** 2)


def assert_follows(t, points, weights, method, is_general=True):
    """Move and compare with a fresh build: cells, hidden vertices, edges and their slots.

    Points in general position are compared with the hull of the lifted points as well.
    """
    before = living(t)
    t.move(points, weights, method=method)
    new = triangulation(points, weights)
    assert t.dimension == new.dimension
    assert as_sets(t.cells) == as_sets(new.cells)
    assert as_sets(t.edges) == as_sets(new.edges)
    assert np.array_equal(t.is_hidden, new.is_hidden)
    assert t.is_valid()
    if is_general:
        assert as_sets(t.cells) == lifted_hull(points, weights)
    assert_slots_kept(before, living(t))


# Polynomials in time.


def random_motion(rng, dimension):
    n = dimension + 2
    return Motion(rng.normal(size=(n, dimension)), rng.normal(size=(n, dimension)),
                  rng.random(n), rng.normal(size=n))


def volume_in_time(motion):
    if motion.x.shape[1] == 2:
        return motion2.area_in_time(motion, 0, 1, 2)
    return motion3.volume_in_time(motion, 0, 1, 2, 3)


def conflict_in_time(motion):
    kernels = motion2 if motion.x.shape[1] == 2 else motion3
    return kernels.conflict_in_time(motion, *range(len(motion.w)))


def exact_at(motion, t):
    t = Fraction(t)
    p = [[Fraction(x) + t * Fraction(v) for x, v in zip(*rows, strict=True)]
         for rows in zip(motion.x.tolist(), motion.v.tolist(), strict=True)]
    w = [Fraction(a) + t * Fraction(b)
         for a, b in zip(motion.w.tolist(), motion.u.tolist(), strict=True)]
    return p, w


def value(a, t):
    return sum(Fraction(c) * Fraction(t) ** k for k, c in enumerate(a))


@in_both
def test_polynomials_are_the_determinants(dimension):
    rng = np.random.default_rng(0)
    sign = 1 if dimension == 2 else -1  # of a conflict in the determinant of the lifted rows
    for _ in range(20):
        motion = random_motion(rng, dimension)
        volume, volume_error = volume_in_time(motion)
        conflict, conflict_error = conflict_in_time(motion)
        assert len(volume) == dimension + 1
        assert len(conflict) == dimension + 3
        for t in (0.0, 0.25, 0.5, 1.0):
            p, w = exact_at(motion, t)
            rows = [[x - y for x, y in zip(p[v], p[0], strict=True)]
                    for v in range(1, dimension + 1)]
            assert abs(value(volume, t) - determinant(rows)) < 4 * volume_error
            lifted = [[*p[v], sum(x * x for x in p[v]) - w[v], Fraction(1)]
                      for v in range(dimension + 2)]
            assert abs(value(conflict, t) - sign * determinant(lifted)) < 6 * conflict_error


@in_both
def test_sign_of_conflict_in_time(dimension):
    rng = np.random.default_rng(1)
    for _ in range(20):
        motion = random_motion(rng, dimension)
        exact = Exact(motion.x, motion.w)
        a, _ = conflict_in_time(motion)
        cell = tuple(range(dimension + 1))
        turns = exact.volume(*cell) > 0
        assert (a[0] > 0) == (exact.is_below(cell, dimension + 1) == turns)


def first_rise_by_roots(a, start):
    roots = np.roots(np.trim_zeros(a[::-1], "f"))
    times = sorted(r.real for r in roots if abs(r.imag) < 1e-9 and start < r.real <= 1.0)
    if np.polyval(a[::-1], start) > 0.0:
        return start
    slope = np.polyder(np.poly1d(a[::-1]))
    return next((t for t in times if slope(t) > 0.0), NEVER)


@pytest.mark.parametrize("degree", [2, 3, 4, 5])
def test_first_rise_finds_the_first_root(degree):
    rng = np.random.default_rng(2)
    scratch = np.empty(SCRATCH)
    found = []
    for _ in range(1000):
        roots = rng.uniform(-0.5, 1.5, degree)
        a = np.poly(roots)[::-1] * rng.choice([-1.0, 1.0])
        if rng.random() < 0.3:
            a = np.polymul(np.poly(roots[2:]), [1.0, 0.0, 0.3])[::-1] * rng.choice([-1.0, 1.0])
        start = rng.choice([0.0, 0.3])
        expected = first_rise_by_roots(a, start)
        assert first_rise(tuple(a.tolist()), 1e-15, start, scratch) == pytest.approx(
            expected, abs=1e-6
        )
        found.append(expected)
    assert NEVER in found
    assert 0.3 in found
    assert len({t for t in found if 0.3 < t <= 1.0}) > 100


def test_first_rise_at_a_zero_looks_at_what_comes_next():
    scratch = np.empty(SCRATCH)
    assert first_rise((0.0, 1.0, 0.0, 0.0, 0.0), 1e-12, 0.0, scratch) == 0.0
    assert first_rise((0.0, -1.0, 0.0, 0.0, 0.0), 1e-12, 0.0, scratch) == NEVER
    assert first_rise((0.0, -1.0, 2.0, 0.0, 0.0), 1e-12, 0.0, scratch) == pytest.approx(0.5)
    assert first_rise((1e-13, 1e-13, 0.0, 0.0, 0.0), 1e-12, 0.0, scratch) == NEVER


# Motions that each way can follow.


@in_both
@pytest.mark.parametrize("method", ["kinetic", "submoves"])
@pytest.mark.parametrize("length", [1e-2, 3e-2])
def test_longer_motion_is_followed_without_building_anew(dimension, method, length):
    points, weights = packing(dimension, spread=0.3, side={2: 30, 3: 8}[dimension])
    rng = np.random.default_rng(4)
    t = triangulation(points, weights)
    for _ in range(3):
        points = points + length * RADIUS * rng.normal(size=points.shape)
        assert_follows(t, points, weights, method)
    done = t.statistics
    assert done.builds == 1
    assert done.failed_kinetic == done.failed_submoves == 0
    assert done.flips > 20
    assert (done.events >= 20) == (method == "kinetic")
    assert (done.submoves >= 3) == (method == "submoves")


@in_both
@pytest.mark.parametrize("method", ["kinetic", "submoves"])
def test_shear_is_followed_without_building_anew(dimension, method):
    points, weights = packing(dimension, side={2: 20, 3: 8}[dimension])
    t = triangulation(points, weights)
    for _ in range(2):
        points = points + np.outer(points[:, -1], [0.05] + (dimension - 1) * [0.0])
        assert_follows(t, points, weights, method)
    assert t.statistics.builds == 1
    assert t.statistics.flips > {2: 30, 3: 100}[dimension]


@in_both
def test_events_go_where_flips_do_not(dimension):
    points, weights = packing(dimension, side={2: 20, 3: 8}[dimension])
    rng = np.random.default_rng(5)
    far = points + {2: 1.0, 3: 0.2}[dimension] * RADIUS * rng.normal(size=points.shape)
    a, b = triangulation(points, weights), triangulation(points, weights)
    assert_follows(a, far, weights, "flips")
    assert a.statistics.failed_flips == 1
    assert_follows(b, far, weights, "kinetic")
    assert b.statistics.builds == 1


def test_every_event_in_the_plane_is_a_flip():
    """In general position no edge has to wait, and nothing is left to Algorithm 1."""
    points, weights = packing(2, spread=0.8, side=20)
    rng = np.random.default_rng(6)
    t = Triangulation2(points, 4.0 * weights)
    t.move(points + RADIUS * rng.normal(size=points.shape), method="kinetic")
    done = t.statistics
    assert done.builds == 1
    assert done.events == done.flips > 500
    assert t.is_hidden.sum() > 10


@in_both
def test_weights_change_on_the_way(dimension):
    points, weights = packing(dimension)
    rng = np.random.default_rng(6)
    heavy = weights.copy()
    heavy[rng.choice(len(points), 12, replace=False)] *= 9.0
    for method in METHODS:
        t = triangulation(points, weights)
        assert_follows(t, points + 1e-3 * rng.normal(size=points.shape), heavy, method)
        assert t.is_hidden.any()
        assert_follows(t, points, weights, method)
        assert not t.is_hidden.any()


@by_all
def test_vertex_is_hidden_in_the_hull_of_the_plane(method):
    """A light vertex goes in between two heavy ones of the hull and comes out again."""
    points = np.array([[0.0, 0.0], [2.0, 0.1], [0.9, -0.3], [1.1, 2.0], [-1.0, 1.5], [3.0, 1.7]])
    weights = np.array([1.2, 1.2, 0.0, 0.0, 0.0, 0.0])
    t = Triangulation2(points, weights)
    assert not t.is_hidden.any()
    inside = points + np.outer(np.arange(6) == 2, [0.01, 0.4])
    assert_follows(t, inside, weights, method)
    assert t.is_hidden.tolist() == [v == 2 for v in range(6)]
    if method == "kinetic":
        assert t.statistics.builds == 1
    assert_follows(t, points, weights, method)
    assert not t.is_hidden.any()


# Motions that are too long: never wrong, whatever the way.


@in_both
@by_all
@pytest.mark.parametrize("times", [10, 100, 1000])
def test_motion_too_long(dimension, method, times):
    points, weights = packing(dimension, spread=0.5)
    rng = np.random.default_rng(times)
    t = triangulation(points, weights)
    for _ in range(2):
        points = points + 0.01 * times * RADIUS * rng.normal(size=points.shape)
        assert_follows(t, points, weights, method)


@in_both
@by_all
def test_heavy_overlap(dimension, method):
    points, weights = packing(dimension, spread=0.9)
    rng = np.random.default_rng(3)
    t = triangulation(points, 9.0 * weights)
    assert t.is_hidden.sum() > 5
    for length in (0.01, 0.1, 1.0):
        points = points + length * RADIUS * rng.normal(size=points.shape)
        assert_follows(t, points, 9.0 * weights, method)


@in_both
@by_all
def test_teleported_grains(dimension, method):
    points, weights = packing(dimension)
    t = triangulation(points, weights)
    for k, victims in enumerate(([0], [3, 100, 200], list(range(40)))):
        points = points.copy()
        points[victims] = np.random.default_rng(k).random((len(victims), dimension)) * 5.0
        assert_follows(t, points, weights, method)


@in_both
@by_all
def test_flattened_and_back(dimension, method):
    """To a plane in space, to a line in the plane."""
    points, weights = packing(dimension, side={2: 11, 3: 5}[dimension])
    t = triangulation(points, weights)
    for height in (0.1, 0.0, 1e-3, 1.0):
        assert_follows(t, points * ([1.0] * (dimension - 1) + [height]), weights, method, False)
    assert t.dimension == dimension


@in_both
@by_all
def test_all_grains_swapped(dimension, method):
    points, weights = packing(dimension, spread=0.5, side={2: 11, 3: 5}[dimension])
    t = triangulation(points, weights)
    assert_follows(t, points[::-1].copy(), weights, method)
    assert_follows(t, -points, weights, method)


def crystal(dimension):
    """Return a face-centred lattice: squares in the plane, turned by 45 degrees."""
    k = np.arange({2: 7, 3: 4}[dimension]) * 1.0
    corner = np.stack(np.meshgrid(*[k] * dimension, indexing="ij"), -1).reshape(-1, dimension)
    shifts = {2: ((0, 0), (0.5, 0.5)),
              3: ((0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5))}[dimension]
    return np.concatenate([corner + np.array(s) for s in shifts]) * 0.7


@in_both
@by_all
def test_crystal(dimension, method):
    points = crystal(dimension)
    weights = np.full(len(points), 0.0625)
    rng = np.random.default_rng(7)
    t = triangulation(points, weights)
    for end in (points + 1e-4 * rng.normal(size=points.shape), points,
                points + np.array([0.1234567, 0.0371, 0.0009][:dimension]), 0.999 * points,
                points + np.outer(points[:, -1], [0.05] + (dimension - 1) * [0.0])):
        assert_follows(t, end, weights, method, is_general=False)


PLACES = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 6))


@settings(max_examples=60)
@given(st.lists(st.tuples(PLACES, PLACES), min_size=3, max_size=16),
       st.sampled_from(["kinetic", "submoves"]))
def test_any_motion_of_a_few_points_in_the_plane(rows, method):
    """On a grid, where most things happen at the same time."""
    rows = np.array(rows, dtype=float)
    start, end = rows[:, 0], rows[:, 1]
    t = Triangulation2(start[:, :2], start[:, 2])
    for part in (0.125, 0.5, 1.0):
        rows = (1.0 - part) * start + part * end
        assert_follows(t, rows[:, :2].copy(), rows[:, 2].copy(), method, is_general=False)


@in_both
@by_all
def test_memory_stays_bounded(dimension, method):
    points, weights = packing(dimension)
    rng = np.random.default_rng(8)
    t = triangulation(points, weights)
    room = []
    for _ in range(12):
        t.move(points + 0.1 * RADIUS * rng.normal(size=points.shape), method=method)
        room.append((len(t.slots), len(t._mesh.V), len(t._edges.ends)))
    assert t.is_valid()
    assert room[-1][0] < 2 * len(t.edges)
    assert room[-1][1:] == room[2][1:]


@in_both
def test_absent_vertices_do_not_matter(dimension):
    points, weights = packing(dimension)
    for method in METHODS:
        t = triangulation(points, weights)
        t.remove(np.arange(5, 100, 7))
        moved = points + 0.01 * np.random.default_rng(9).normal(size=points.shape)
        moved[5] = 1e3
        t.move(moved, method=method)
        assert t.is_valid()
        assert not np.isin(np.arange(5, 100, 7), t.edges).any()


# Motions of a few vertices.


@in_both
@pytest.mark.parametrize("heavy", [1.0, 9.0])
@pytest.mark.parametrize("length", [0.02, 0.2, 3.0])
def test_few_vertices_move(dimension, heavy, length):
    """Inside and at the hull, a little and far; heavy ones hide others or are hidden."""
    points, weights = packing(dimension, spread=0.9)
    weights = heavy * weights
    rng = np.random.default_rng(11)
    t = triangulation(points, weights)
    assert t.is_hidden.any() == (heavy > 1.0)
    for k in range(12):
        some = rng.choice(len(points), 1 + k % 6, replace=False)
        before = living(t)
        points[some] += length * RADIUS * rng.normal(size=(len(some), dimension))
        weights[some] *= rng.uniform(0.9, 1.1, len(some))
        t.move(points[some], weights[some], vertices=some)
        new = triangulation(points, weights)
        assert as_sets(t.cells) == as_sets(new.cells)
        assert as_sets(t.edges) == as_sets(new.edges)
        assert np.array_equal(t.is_hidden, new.is_hidden)
        assert t.is_valid()
        assert_slots_kept(before, living(t))
    assert t.statistics.detours > 0
    assert t.statistics.builds == 1


@in_both
def test_a_vertex_of_many_edges_moves_at_the_hull(dimension):
    """In the middle of half a shell of others: it makes no detour, so the hull moves with it."""
    rng = np.random.default_rng(13)
    shell = rng.normal(size=(600, dimension))
    shell[:, 0] = abs(shell[:, 0])
    shell *= ((1.0 + 1e-3 * rng.random(600)) / np.linalg.norm(shell, axis=1))[:, None]
    points, weights = np.concatenate((np.zeros((1, dimension)), shell)), np.zeros(601)
    weights[0] = 0.25
    t = triangulation(points, weights)
    assert (t.edges == 0).sum() > 64
    for length in (0.01, 0.1, 0.3, 3.0):
        points[0, 0] -= length
        t.move(points[:1], vertices=np.array([0]))
        assert as_sets(t.cells) == as_sets(triangulation(points, weights).cells)
        assert t.is_valid()
    assert t.statistics.detours == 0


@in_both
def test_few_vertices_of_a_crystal_move(dimension):
    points = crystal(dimension)
    weights = np.full(len(points), 0.0625)
    rng = np.random.default_rng(12)
    t = triangulation(points, weights)
    for _ in range(8):
        some = rng.choice(len(points), 2, replace=False)
        away = points[some] + 0.01 * rng.normal(size=(2, dimension))
        for end in (away, points[some]):
            t.move(end, vertices=some)
            now = points.copy()
            now[some] = end
            assert as_sets(t.cells) == as_sets(triangulation(now, weights).cells)
            assert t.is_valid()


@in_both
def test_some_vertices_of_a_periodic_box_move(dimension):
    points, weights = packing(dimension)
    period = [float(SIDES[dimension])] * dimension
    t = Triangulation(points, weights, periodic=period)
    some = np.array([3, 100, 200])
    points[some] += 0.1
    t.move(points[some], vertices=some)
    assert as_sets(t.edges) == as_sets(Triangulation(points, weights, periodic=period).edges)
    assert t.is_valid()


@in_both
def test_unknown_method(dimension):
    points = np.eye(dimension + 1, dimension)
    t = Triangulation(points)
    with pytest.raises(InputError, match="one of auto, flips, kinetic, submoves, rebuild, got"):
        t.move(points, method="magic")
    with pytest.raises(InputError, match="points must have 1 rows, one for each given vertex, got"):
        t.move(points, vertices=[0])
