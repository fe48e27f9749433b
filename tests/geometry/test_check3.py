"""The check of all cells, its filter in doubles, and the estimates that building relies on."""

from fractions import Fraction

import numba
import numpy as np
import pytest
from oracle import Exact, as_sets, determinant, lifted_hull

from granum.geometry.check3 import TURNED, flag_cells
from granum.geometry.estimates import (
    CONFLICT_3D,
    ORIENT_3D,
    estimate_conflict3d,
    estimate_sides,
    quick_conflict3d,
)
from granum.geometry.tetrahedra import TOP
from granum.geometry.triangulation2 import Triangulation2
from granum.geometry.triangulation3 import Triangulation3


def finite_flags(t):
    """Return the flags of the finite cells as fractions find them, None for infinite ones."""
    mesh = t._mesh
    V, N = mesh.V[: mesh.counts[TOP]].tolist(), mesh.N[: mesh.counts[TOP]].tolist()
    exact = Exact(t.points, t.weights)
    result = []
    for c, cell in enumerate(V):
        if min(cell) < 0:
            result.append(None)
        elif exact.volume(*cell) <= 0:
            result.append(TURNED)
        else:
            others = [(f, V[mate >> 2][mate & 3]) for f, mate in enumerate(N[c]) if mate >> 2 > c]
            result.append(sum(1 << f for f, e in others if e >= 0 and exact.is_below(cell, e)))
    return result


def found_flags(t):
    flags = np.empty(len(t._mesh.V), dtype=np.uint8)
    bad = flag_cells(t._mesh, np.ones(len(t._mesh.points) + 2, dtype=np.bool_), flags)
    flags = flags[: t._mesh.counts[TOP]]
    assert bad == (flags != 0).sum()
    return flags.tolist()


def illegal_facets(mesh, flags):
    """Return the flagged facets, each by the slots of both its sides, and the turned cells."""
    facets, turned = set(), set()
    for c in np.flatnonzero(flags).tolist():
        turned |= {c} if flags[c] & TURNED else set()
        facets |= {frozenset((4 * c + f, int(mesh.N[c, f]))) for f in range(len(mesh.places))
                   if flags[c] >> f & 1}
    return facets, turned


@pytest.mark.parametrize("kind", [Triangulation2, Triangulation3])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5])
def test_what_rests_need_not_be_looked_at(kind, share):
    """Where few vertices move, the same facets and cells are found as by looking at all."""
    rng = np.random.default_rng(3)
    dimension = 2 if kind is Triangulation2 else 3
    points = rng.random((300, dimension))
    t = kind(points, 1e-3 * rng.random(300))
    start = t._state.positions()
    t.points[rng.random(300) < share] += 0.03
    found = []
    for before in (None, start):
        bad = t._state.check(before)
        flags = t._state.flags[: t._mesh.counts[TOP]].copy()
        assert bad == (flags != 0).sum()
        found.append(illegal_facets(t._mesh, flags))
    (facets, turned), (near, near_turned) = found
    assert near_turned == turned
    sides = {side for cell in turned for side in range(4 * cell, 4 * cell + 4)}
    assert {f for f in near if not f & sides} == {f for f in facets if not f & sides}
    assert bool(facets or turned) == (share > 0.0)


@pytest.mark.parametrize("step", [0.0, 1e-15, 1e-3, 0.1])
def test_flags_are_exact(step):
    rng = np.random.default_rng(1)
    grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 3, indexing="ij"), -1).reshape(-1, 3) * 0.3
    whole = 0.25 * np.round(grid / 0.3)
    for points in (grid, whole, rng.random((80, 3))):
        mixed = 0 if points is whole else rng.integers(0, 2, len(points))
        t = Triangulation3(points, np.full(len(points), 0.01) * mixed)
        t.points[:] += step * rng.normal(size=points.shape)
        expected, found = finite_flags(t), found_flags(t)
        assert all(a is None or a == b for a, b in zip(expected, found, strict=True))
        assert any(found) == (step > (0.0 if points is grid or points is whole else 1e-9))
        if step == 0.1:
            assert TURNED in found


@pytest.mark.parametrize("long", ["none", "low", "high", "all"])
@pytest.mark.parametrize("steps", [0, 1])
def test_flags_of_crystals_are_exact(long, steps):
    """Hundreds of ties at once, in coordinates of few bits, of many, and side by side."""
    rng = np.random.default_rng(5)
    grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 3, indexing="ij"), -1).reshape(-1, 3)
    points = grid[grid.sum(axis=1) % 2 == 0] + 1.0
    has_long = {"none": points[:, 0] < 0.0, "low": points[:, 0] < 3.5, "high": points[:, 0] > 3.5,
                "all": points[:, 0] >= 0.0}[long]
    points[has_long] = points[has_long] * (1.0 + 2.0**-30) + 0.1
    t = Triangulation3(points, np.zeros(len(points)))
    assert not any(found_flags(t))
    moved = rng.random(points.shape) < 0.3 * steps
    t.points[moved] = np.nextafter(t.points[moved], np.inf)
    expected, found = finite_flags(t), found_flags(t)
    assert all(a is None or a == b for a, b in zip(expected, found, strict=True))
    assert any(found) == (steps > 0)


def test_flags_do_not_depend_on_threads():
    rng = np.random.default_rng(2)
    t = Triangulation3(rng.random((2000, 3)), np.zeros(2000))
    t.points[:] += 0.01 * rng.normal(size=(2000, 3))
    most = numba.config.NUMBA_NUM_THREADS
    results = []
    for threads in range(1, most + 1):
        numba.set_num_threads(threads)
        results.append(found_flags(t))
    numba.set_num_threads(most)
    assert all(flags == results[0] for flags in results)
    assert any(results[0])


def five(rng, flatness):
    """Return five vertices (x, y, z, w), nearly on one sphere and in one plane."""
    x = rng.normal(size=(5, 3))
    x /= np.linalg.norm(x, axis=1)[:, None]
    x[:, 2] *= flatness
    return [(*row, w) for row, w in zip((x + 3.0).tolist(), (1e-3 * rng.random(5)).tolist(),
                                        strict=True)]


def exact_rows(vertices):
    *rest, e = [[Fraction(x) for x in v] for v in vertices]
    rows = []
    for v in rest:
        x = [a - b for a, b in zip(v[:3], e[:3], strict=True)]
        rows.append([*x, sum(a * a for a in x) - (v[3] - e[3])])
    return rows


@pytest.mark.parametrize("flatness", [1.0, 1e-3, 1e-8])
def test_estimates_keep_their_bounds(flatness):
    rng = np.random.default_rng(3)
    tightest = 0.0
    for _ in range(200):
        vertices = five(rng, flatness)
        rows = exact_rows(vertices)
        exact = -determinant(rows)
        t, square = quick_conflict3d(*vertices)
        same, m = estimate_conflict3d(*vertices)
        assert t == same
        error = abs(Fraction(t) - exact)
        assert error * error <= square
        assert (CONFLICT_3D * m) ** 2 <= square
        tightest = max(tightest, float(error * error) / square)
        *sides, n = estimate_sides(*vertices)
        for f in range(4):
            three = [row[:3] for k, row in enumerate(rows) if k != f]
            volume = determinant(three) * (1 if f % 2 == 0 else -1)
            assert abs(Fraction(sides[f]) - volume) <= ORIENT_3D * n
    assert tightest > 0.0


def test_holes_of_any_size():
    rng = np.random.default_rng(4)
    shell = rng.normal(size=(400, 3))
    shell /= np.linalg.norm(shell, axis=1)[:, None]
    for middle in (np.zeros((1, 3)), 0.1 * rng.normal(size=(3, 3))):
        points = np.concatenate((shell, middle))  # the last ones see facets by the hundred
        t = Triangulation3(points, np.zeros(len(points)))
        assert t.is_valid()
        t.remove([400])
        t.insert(middle[:1], np.zeros(1))
        assert t.is_valid()
        assert as_sets(t.cells) == lifted_hull(points, np.zeros(len(points)))
