"""The public triangulation: one class for plane and space, in the open and in periodic boxes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import as_sets, edges_of, lifted_hull

from granum.errors import InputError
from granum.geometry import Triangulation


@pytest.mark.parametrize("d", [2, 3])
def test_one_face_for_plane_and_space(d):
    rng = np.random.default_rng(d)
    points, weights = rng.random((80, d)), 0.04 * rng.random(80)
    t = Triangulation(points, weights)
    cells = lifted_hull(points, weights)
    assert as_sets(t.cells) == cells
    assert as_sets(t.edges) == edges_of(cells)
    assert t.dimension == d
    assert set(np.flatnonzero(t.hidden)) == set(range(80)) - {v for cell in cells for v in cell}
    assert t.hidden.any()
    assert t.shifts.shape == (len(t.edges), d)
    assert not t.shifts.any()
    v = int(t.edges[0, 0])
    neighbours = {u for pair in edges_of(cells) if v in pair for u in pair} - {v}
    assert t.neighbours_of(v).tolist() == sorted(neighbours)
    assert all(v in t.slots[slot] for slot in t.slots_of(v))
    assert t.is_valid()
    assert t.is_valid(exact=False)
    moved = points + 1e-3 * rng.normal(size=points.shape)
    t.move(moved, 0.99 * weights)
    assert as_sets(t.cells) == lifted_hull(moved, 0.99 * weights)
    assert t.stats.flips > 0
    assert -1 in t.locate(np.full(d, 7.0))


@pytest.mark.parametrize("d", [2, 3])
def test_insert_and_remove_one_or_several(d):
    rng = np.random.default_rng(d)
    points = rng.random((30, d))
    t = Triangulation(points)
    assert not t.weights.any()
    assert t.insert(np.full(d, 0.5), 0.01) == 30
    assert t.weights[30] == 0.01
    assert t.insert(np.outer([0.25, 0.35], np.ones(d))).tolist() == [31, 32]
    t.remove(3)
    t.remove([30, 31])
    assert t.insert(np.zeros(d)) == 3
    assert not t.hidden.any()
    present = [*range(30), 32]
    cells = lifted_hull(t.points[present], t.weights[present])
    assert as_sets(t.cells) == {tuple(present[v] for v in cell) for cell in cells}


def test_refusals():
    with pytest.raises(InputError, match=r"shape \(n, 2\) or \(n, 3\), got \(4,\)"):
        Triangulation(np.zeros(4))
    with pytest.raises(InputError, match="periodic must have 2 entries"):
        Triangulation(np.zeros((1, 2)), periodic=(1.0, 1.0, None))
    with pytest.raises(InputError, match="period must be greater than 0, got -1"):
        Triangulation(np.zeros((1, 2)), periodic=(-1.0, None))
    t = Triangulation(np.random.default_rng(1).random((5, 2)), periodic=(1.0, 1.0))
    with pytest.raises(InputError, match="one for each vertex, got 3"):
        t.move(np.zeros((3, 2)))
    with pytest.raises(InputError, match="vertex 5 is not present"):
        t.remove(5)
    with pytest.raises(InputError, match=r"one of auto, flips, .*, rebuild, got 'magic'"):
        t.move(t.points, method="magic")
    far = t.points.copy()
    far[0, 0] += 200.0
    t = Triangulation(far, periodic=(1.0, 1.0))
    with pytest.raises(InputError, match="127 periods"):
        _ = t.shifts


@pytest.mark.parametrize("method", ["kinetic", "submoves"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_every_way_leads_through_a_periodic_box(dimension, method):
    rng = np.random.default_rng(2)
    points = rng.random((60, dimension))
    moved = points + 0.01 * rng.normal(size=points.shape)
    t = Triangulation(points, periodic=[1.0] * dimension)
    t.move(moved, method=method)
    assert t.is_valid()
    assert listed(t) == listed(Triangulation(moved, periodic=[1.0] * dimension))
    assert t.stats.events + t.stats.submoves > 0


def canonical(i, j, shift):
    shift = tuple(int(s) for s in shift)
    back = tuple(-s for s in shift)
    return (j, i, back) if i > j or (i == j and shift < back) else (i, j, shift)


def listed(t):
    rows = {canonical(i, j, s) for (i, j), s in zip(t.edges.tolist(), t.shifts.tolist(),
                                                   strict=True)}
    assert len(rows) == len(t.edges)
    return rows


def by_all_images(points, weights, period, reach):
    """Return the edges (i, j, shift) of the hull of so many images in each direction."""
    n, d = points.shape
    length = np.array([x or 0.0 for x in period])
    shifts = list(product(*[range(-reach, reach + 1) if x else (0,) for x in period]))
    cells = lifted_hull(np.concatenate([points + np.array(s) * length for s in shifts]),
                        np.tile(weights, len(shifts)))
    middle = shifts.index((0,) * d)
    return {
        canonical(a % n, b % n, shifts[b // n])
        for pair in edges_of(cells) for a, b in (pair, pair[::-1]) if a // n == middle
    }


BOXES = [(1.0, 1.0), (1.0, None), (None, 0.7), (1.0, 0.3),
         (1.0, 1.0, 1.0), (1.0, None, None), (None, 0.6, 1.0)]


@pytest.mark.parametrize("period", BOXES)
@pytest.mark.parametrize(("n", "spread"), [(5, 0.0), (16, 0.03)])
def test_periodic_boxes_by_all_images(period, n, spread):
    rng = np.random.default_rng(n)
    d = len(period)
    length = np.array([x or 1.0 for x in period])
    points, weights = rng.random((n, d)) * length, spread * rng.random(n)
    t = Triangulation(points, weights, periodic=period)
    expected = by_all_images(points, weights, period, 2 if d == 3 else 5)
    # Above and below two periodic directions the images of one point make a lattice: a tie.
    level = d == 3 and period.count(None) == 1
    assert {e for e in listed(t) if not level or e[0] != e[1]} == {
        e for e in expected if not level or e[0] != e[1]}
    assert t.is_valid()
    assert t.stats.builds < 8
    turns = rng.integers(-3, 4, points.shape) * [0 if x is None else 1 for x in period]
    elsewhere = Triangulation(points + turns * length, weights, periodic=period)
    assert {canonical(i, j, s + turns[j] - turns[i]) for i, j, s in listed(elsewhere)} == listed(t)


@pytest.mark.parametrize("period", [(1.0, None, None), (1.0, 1.0, None)])
def test_a_floor_in_a_periodic_box(period):
    """Grains on a floor lie in one plane of the hull, exactly."""
    points = np.random.default_rng(4).random((14, 3))
    points[:6, 2] = 0.0
    t = Triangulation(points, periodic=period)
    expected = by_all_images(points, np.zeros(14), period, 3)
    assert {e for e in listed(t) if e[0] != e[1]} == {e for e in expected if e[0] != e[1]}
    assert t.is_valid()


def test_ties_fall_alike_in_all_images():
    """Lattices are nothing but ties; a torus has as many edges as it must."""
    square = np.array(list(product(range(4), repeat=2)), dtype=float)
    t = Triangulation(square, periodic=(4.0, 4.0))
    assert len(t.edges) == 3 * 16
    assert len(t.cells) == 2 * 16
    cubic = np.array(list(product(range(2), repeat=3)), dtype=float)
    t = Triangulation(cubic, periodic=(2.0, 2.0, 2.0))
    assert len(t.edges) == 8 + len(t.cells)  # Euler: n - edges + facets - cells = 0
    assert t.is_valid()
    # All but flat cells, whose spheres doubles do not know; shifts by a period are exact.
    noisy = cubic + np.random.default_rng(1).integers(-1, 2, cubic.shape) * 2.0**-46
    t = Triangulation(noisy, periodic=(2.0, 2.0, 2.0))
    assert len(t.edges) == 8 + len(t.cells)
    assert t.is_valid()
    alone = Triangulation(np.array([[0.3, 0.2]]), periodic=(1.0, 1.0))
    assert alone.edges.tolist() == [[0, 0]] * 3
    shifts = sorted(map(tuple, alone.shifts.tolist()))
    assert shifts in ([(0, 1), (1, -1), (1, 0)], [(0, 1), (1, 0), (1, 1)])


def test_points_on_a_line_along_the_period():
    t = Triangulation(np.array([[0.1, 5.0], [0.6, 5.0], [0.3, 5.0]]), periodic=(1.0, None))
    assert t.dimension == 1
    assert listed(t) == {(0, 2, (0, 0)), (1, 2, (0, 0)), (0, 1, (-1, 0))}
    assert len(t.cells) == 0
    none = Triangulation(np.empty((0, 2)), periodic=(1.0, 1.0))
    assert none.dimension == -1
    assert len(none.edges) == 0


@pytest.mark.parametrize(("period", "step"), [
    ((1.0, 1.0), 1e-3), ((1.0, 1.0), 0.05), ((1.0, None), 0.02), ((1.0, 1.0, 1.0), 0.01),
])
def test_periodic_motion(period, step):
    rng = np.random.default_rng(5)
    d = len(period)
    is_periodic = np.array([x is not None for x in period])
    weights = 0.003 * rng.random(60)
    t = Triangulation(rng.random((60, d)), weights, periodic=period)
    flow = np.where(is_periodic, [0.11, -0.07, 0.05][:d], 0.0)  # out of the box and on
    for k in range(12):
        before = dict(zip(map(tuple, np.column_stack((t.edges, t.shifts)).tolist()),
                          np.flatnonzero(t.slots[:, 0] >= 0), strict=True))
        points = t.points + flow + step * rng.normal(size=(60, d))
        turns = np.zeros((60, d), dtype=int)
        if k % 3 == 2:  # the caller puts all of them back
            turns = np.where(is_periodic, np.floor(points), 0.0).astype(int)
            points = points - turns
        t.move(points)
        assert listed(t) == listed(Triangulation(points, weights, periodic=period))
        if k % 4 == 0:
            assert t.is_valid()
        after = dict(zip(map(tuple, np.column_stack((t.edges, t.shifts)).tolist()),
                         np.flatnonzero(t.slots[:, 0] >= 0), strict=True))
        kept = 0
        for (i, j, *shift), slot in before.items():
            now = (i, j, *(np.array(shift) + turns[j] - turns[i]).tolist())
            if now in after:
                assert after[now] == slot
                kept += 1
        assert kept > 50


@pytest.mark.parametrize(("period", "method"), [
    ((None, None), "flips"), ((1.0, None), "rebuild"), ((1.0, 1.0, 1.0), "kinetic"),
    ((None, None, None), "submoves"),
])
def test_motion_by_one_method(period, method):
    rng = np.random.default_rng(6)
    points, weights = rng.random((60, len(period))), 0.003 * rng.random(60)
    t = Triangulation(points, weights, periodic=period)
    before = t.stats
    points = points + 3e-3 * rng.normal(size=points.shape)
    t.move(points, method=method)
    assert listed(t) == listed(Triangulation(points, weights, periodic=period))
    assert t.is_valid()
    did = {"flips": t.stats.flips > 0, "rebuild": t.stats.builds > before.builds,
           "kinetic": t.stats.events > 0, "submoves": t.stats.submoves > 0}
    assert did[method]
    assert did["kinetic"] == (method == "kinetic")
    assert did["submoves"] == (method == "submoves")


@settings(max_examples=15)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 7), st.integers(0, 7), st.integers(0, 3)),
                min_size=1, max_size=8))
def test_periodic_insertions_and_removals(changes):
    t = Triangulation(np.array([[1.0, 2.0], [6.0, 5.0]]), periodic=(8.0, 8.0))
    there = {0, 1}
    for comes, x, y, w in changes:
        if comes or not there:
            there.add(t.insert(np.array([float(x), float(y)]), float(w)))
        else:
            leaves = sorted(there)[x % len(there)]
            t.remove(leaves)
            there.remove(leaves)
        present = sorted(there)
        fresh = Triangulation(t.points[present], t.weights[present], periodic=(8.0, 8.0))
        assert listed(t) == {(present[i], present[j], s) for i, j, s in listed(fresh)}
        assert np.flatnonzero(t.hidden).tolist() == [present[v] for v in
                                                     np.flatnonzero(fresh.hidden)]
        assert t.is_valid()
        if there:
            assert len(t.edges) == 3 * (len(there) - t.hidden.sum())


def test_periodic_locate():
    rng = np.random.default_rng(3)
    points = rng.random((12, 2))
    t = Triangulation(points, periodic=(1.0, 1.0))
    cells = as_sets(t.cells)
    assert len(t.cells) == 24
    for x in rng.random((30, 2)) * 4.0 - 2.0:
        cell = t.locate(x)
        assert tuple(sorted(cell.tolist())) in cells
        around = [points[v] + s for v in cell for s in product(range(-4, 5), repeat=2)]
        near = np.array(around) - x
        corner = np.split(near, 3)
        inside = any(
            min(np.sign(a[0] * b[1] - a[1] * b[0]), np.sign(b[0] * c[1] - b[1] * c[0]),
                np.sign(c[0] * a[1] - c[1] * a[0])) > 0
            for a in corner[0][np.abs(corner[0]).max(axis=1) < 1]
            for b in corner[1][np.abs(corner[1]).max(axis=1) < 1]
            for c in corner[2][np.abs(corner[2]).max(axis=1) < 1]
        )
        assert inside


def test_hidden_in_a_periodic_box():
    rng = np.random.default_rng(8)
    points, weights = rng.random((40, 2)), np.zeros(40)
    points[0] = 0.99  # hides grains across the faces
    weights[0] = 0.1
    t = Triangulation(points, weights, periodic=(1.0, 1.0))
    assert listed(t) == by_all_images(points, weights, (1.0, 1.0), 3)
    joined = set(t.edges.ravel().tolist())
    assert set(np.flatnonzero(t.hidden)) == set(range(40)) - joined
    assert t.hidden.sum() == 5
    t.move(points, np.zeros(40))
    assert not t.hidden.any()
    assert listed(t) == by_all_images(points, np.zeros(40), (1.0, 1.0), 3)
