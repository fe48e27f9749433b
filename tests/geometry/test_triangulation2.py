"""The dynamic regular triangulation in the plane against its definition and against itself."""

import numpy as np
import pytest
from dynamic import assert_whole, fresh
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Exact, as_sets, lifted_hull

from granum.errors import InputError
from granum.geometry.triangulation2 import Triangulation2


def square(k):
    return np.stack(np.meshgrid(np.arange(k), np.arange(k)), -1).reshape(-1, 2) * 1.0


def triangular(k):
    g = square(k)
    return np.column_stack((g[:, 0] + 0.5 * (g[:, 1] % 2), g[:, 1] * np.sqrt(0.75)))


def circle():
    quarter = np.array([[65, 0], [63, 16], [60, 25], [56, 33], [52, 39], [39, 52], [33, 56],
                        [25, 60], [16, 63]])
    return np.concatenate([quarter @ np.linalg.matrix_power([[0, 1], [-1, 0]], k)
                           for k in range(4)]) * 1.0


def rod(m):
    return np.outer(np.arange(m), [2.0, 1.0])


def assert_regular(points, weights, t):
    """Check against the definition, in fractions."""
    exact = Exact(points, weights)
    cells = t.cells.tolist()
    assert all(exact.volume(*cell) > 0 for cell in cells)
    assert exact.is_regular(as_sets(cells), range(len(points)))
    if len(points) <= 13:
        assert as_sets(cells) == exact.cells()


@pytest.mark.parametrize("method", ["insertion", "sweep"])
@pytest.mark.parametrize(("n", "spread"), [(4, 0.0), (40, 0.0), (300, 0.01), (300, 0.3)])
def test_cells_are_the_lifted_hull(n, spread, method):
    rng = np.random.default_rng(n)
    points, weights = rng.random((n, 2)), spread * rng.random(n)
    t = Triangulation2(points, weights, method)
    assert as_sets(t.cells) == lifted_hull(points, weights)
    assert_whole(t)
    assert t.dimension == 2
    assert t.is_hidden.any() == (spread > 0.0)


@pytest.mark.parametrize("ratio", [1, 10, 35])
def test_sizes_of_all_kinds(ratio):
    rng = np.random.default_rng(ratio)
    radii = 0.05 * float(ratio) ** -rng.random(400)
    points = rng.random((400, 2))
    for method in ("insertion", "sweep"):
        t = Triangulation2(points, radii**2, method)
        assert as_sets(t.cells) == lifted_hull(points, radii**2)
        assert_whole(t)


DEGENERATE = {
    "square": (square(4), 0.0),
    "square with weights": (square(5), 1.0),
    "triangular": (triangular(4), 0.0),
    "triangular with weights": (triangular(4), 1.0),
    "on one circle": (circle(), 0.0),
    "rod and a point": (np.concatenate((rod(8), [[3.0, 5.0]])), 0.0),
    "rod and a point, weights": (np.concatenate((rod(8), [[3.0, 5.0]])), 9.0),
    "same place": (np.repeat(square(3), 2, axis=0), 0.0),
    "same place, weights": (np.repeat(square(2), 4, axis=0), 0.5),
    "columns": (square(6)[:12], 2.0),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_points_exactly(case):
    points, spread = DEGENERATE[case]
    rng = np.random.default_rng(11)
    points = points[rng.permutation(len(points))]
    weights = spread * rng.integers(0, 3, len(points)) / 2.0
    t = Triangulation2(points, weights)
    assert_whole(t)
    assert_regular(points, weights, t)
    by_sweep = Triangulation2(points, weights, "sweep")
    assert as_sets(by_sweep.cells) == as_sets(t.cells)
    assert_whole(by_sweep)


PLACES = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 6))


@settings(max_examples=60)
@given(st.lists(PLACES, min_size=3, max_size=11))
def test_any_few_points_exactly(rows):
    rows = np.array(rows, dtype=float)
    points, weights = np.ascontiguousarray(rows[:, :2]), rows[:, 2].copy()
    t, by_sweep = (Triangulation2(points, weights, method) for method in ("insertion", "sweep"))
    exact = Exact(points, weights)
    assert as_sets(t.cells) == exact.cells() == as_sets(by_sweep.cells)
    assert t.is_valid()
    assert by_sweep.is_valid()
    if t.dimension == 2:
        assert_whole(t)
        assert_whole(by_sweep)


CHANGES = st.lists(st.tuples(st.booleans(), PLACES), min_size=1, max_size=12)


@settings(max_examples=40)
@given(st.lists(PLACES, min_size=1, max_size=8), CHANGES)
def test_insertions_and_removals_equal_a_fresh_build(rows, changes):
    rows = np.array(rows, dtype=float)
    t = Triangulation2(rows[:, :2], rows[:, 2])
    for comes, (x, y, w) in changes:
        present = np.flatnonzero(t.is_present)
        if comes or len(present) == 0:
            t.insert(np.array([[x, y]], dtype=float), np.array([w], dtype=float))
        else:
            t.remove([present[(x + 5 * y) % len(present)]])
        assert t.is_valid()
        assert as_sets(t.cells) == fresh(t)
        if t.dimension == 2:
            assert_whole(t)


@settings(max_examples=60)
@given(st.lists(st.tuples(PLACES, PLACES), min_size=3, max_size=16))
def test_any_motion_of_a_few_points(rows):
    rows = np.array(rows, dtype=float)
    start, end = rows[:, 0], rows[:, 1]
    t = Triangulation2(start[:, :2], start[:, 2])
    for part in (0.0625, 0.125, 0.5, 1.0):
        rows = (1.0 - part) * start + part * end
        t.move(rows[:, :2], rows[:, 2])
        assert t.is_valid()
        assert as_sets(t.cells) == fresh(t)
        if t.dimension == 2:
            assert_whole(t)


def test_far_motion():
    rng = np.random.default_rng(3)
    points, weights = rng.random((200, 2)), 0.01 * rng.random(200)
    t = Triangulation2(points, weights)
    for v in (0, 17, 99):  # one vertex is elsewhere at once
        points[v] = rng.random(2)
        t.move(points)
        assert as_sets(t.cells) == fresh(t)
        assert_whole(t)
    t.move(points[::-1])  # all change places
    assert as_sets(t.cells) == lifted_hull(points[::-1], weights)
    t.move(-points)
    assert as_sets(t.cells) == lifted_hull(-points, weights)
    t.move(points * [-1.0, 1.0])  # the mirror image: all cells turn over
    assert as_sets(t.cells) == lifted_hull(points * [-1.0, 1.0], weights)
    assert_whole(t)
    t.move(points * [1.0, 0.0])  # flat
    assert t.dimension == 1
    assert t.is_valid()
    line = as_sets(t.edges)
    visible = np.flatnonzero(~t.is_hidden)
    order = visible[np.argsort(points[visible, 0])]
    assert line == as_sets(np.column_stack((order[:-1], order[1:])))
    t.move(points)
    assert as_sets(t.cells) == lifted_hull(points, weights)
    assert_whole(t)


@pytest.mark.parametrize("lattice", [square(7), triangular(7)])
def test_lattice_melts_and_freezes(lattice):
    rng = np.random.default_rng(4)
    t = Triangulation2(lattice, np.zeros(len(lattice)))
    frozen = as_sets(t.cells)
    for step in (1e-9, 1e-3, 1e-2):
        t.move(lattice + step * rng.normal(size=lattice.shape))
        assert as_sets(t.cells) == fresh(t)
        assert_whole(t)
        t.move(lattice)
        assert as_sets(t.cells) == frozen
    for k in range(1, 6):  # shear, exact in doubles on the square lattice: rows stay rows
        t.move(lattice + np.outer(lattice[:, 1], [k / 4.0, 0.0]))
        assert as_sets(t.cells) == fresh(t)
        assert_whole(t)


def test_weights_hide_and_uncover():
    rng = np.random.default_rng(6)
    for points in (rng.random((150, 2)), square(9) / 9.0):
        n = len(points)
        t = Triangulation2(points, np.zeros(n))
        heavy = np.zeros(n)
        heavy[[3, 40, n - 1]] = 0.06
        t.move(points, heavy)  # in the lattice, vertices are hidden on lines between others
        assert t.is_hidden.sum() > 5
        assert as_sets(t.cells) == fresh(t)
        assert_whole(t)
        assert t.statistics.builds == 1
        t.move(points, np.zeros(n))
        assert not t.is_hidden.any()
        assert as_sets(t.cells) == fresh(t)
        t.move(points, heavy)
        t.remove([3, 40, n - 1])
        assert not t.is_hidden.any()
        assert as_sets(t.cells) == fresh(t)
        assert_whole(t)


def test_fewer_dimensions():
    none = Triangulation2(np.empty((0, 2)), np.empty(0))
    assert none.dimension == -1
    assert len(none.edges) == 0
    assert none.is_valid()
    t = Triangulation2(np.outer([3.0, 0.0, 1.0, 7.0, 2.0], [1.0, -2.0]), np.zeros(5), "sweep")
    assert t.dimension == 1
    assert len(t.cells) == 0
    assert as_sets(t.edges) == {(1, 2), (2, 4), (0, 4), (0, 3)}
    with pytest.raises(InputError, match="span dimension 1"):
        t.locate(np.zeros(2))
    same = Triangulation2(np.ones((4, 2)), np.array([0.0, 1.0, 1.0, 0.5]))
    assert same.dimension == 0
    assert same.is_hidden.tolist() == [True, False, True, True]  # a tie goes to the lower index
    assert t.insert(np.array([[0.0, 1.0]]), np.zeros(1)).tolist() == [5]
    assert t.dimension == 2
    assert_whole(t)
    t.remove([5])
    assert t.dimension == 1
    assert as_sets(t.edges) == {(1, 2), (2, 4), (0, 4), (0, 3)}
    t.remove(np.arange(5))
    assert t.dimension == -1


def test_a_fan_that_winds_twice_is_found():
    """Nine spokes, then all at twice their angle: cells are positive, the hull convex everywhere.

    The cells cover the disc twice; only the count of lowest vertices tells.
    """
    angle = 2 * np.pi * np.arange(9) / 9
    points = np.concatenate(([[0.0, 0.0]], np.column_stack((np.cos(angle), np.sin(angle)))))
    t = Triangulation2(points, np.zeros(10))
    assert t.is_valid()
    twice = np.concatenate(
        ([[0.0, 0.0]], np.column_stack((np.cos(2 * angle), np.sin(2 * angle))))
    )
    t.points[:] = twice
    assert not t.is_valid()
    t.move(twice)
    assert_whole(t)


def test_refusals():
    t = Triangulation2(square(3), np.zeros(9))
    with pytest.raises(InputError, match="one for each vertex, got 3"):
        t.move(np.zeros((3, 2)))
    with pytest.raises(InputError, match="vertex 9 is not present"):
        t.remove([9])
    with pytest.raises(InputError, match="finite"):
        t.move(np.full((9, 2), np.nan))
    with pytest.raises(InputError, match=r"shape \(n, 2\)"):
        Triangulation2(np.zeros((4, 3)), np.zeros(4))
    with pytest.raises(InputError, match="insertion, sweep, got 'magic'"):
        Triangulation2(square(3), np.zeros(9), "magic")
