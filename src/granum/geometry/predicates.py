"""Exact geometric predicates of regular (weighted Delaunay) triangulations.

The power of a point x to vertex i is |x - p_i|^2 - w_i, its lift h_i = |p_i|^2 - w_i; the regular
triangulation is the lower hull of the points (p_i, h_i). Four stages decide a sign, each for those
cases only that the one before cannot tell:

1. doubles, with a bound of their rounding errors (`granum.geometry.estimates`);
2. integers of some hundred bits, where the coordinates fit (`granum.geometry.integers`);
3. expansions, for all others (`granum.geometry.exact`);
4. ties: weights perturbed in the order of the vertices' indices (`granum.geometry.ties`).

On lattices, where coordinates have few bits and weights are equal, doubles are exact: there one
more stage (5, `granum.geometry.short`) stands for all behind the first, ties included. On those
whose spacing is a rounded number, where all is nearly a tie, pairs of doubles decide before
integers do (6, `granum.geometry.doubled`).

Those that few vertices need, on flat parts of a hull, begin with an exact stage.

Positions are not perturbed: points may lie in one plane, on one line or in one place, and an
orientation can be 0. A conflict cannot. All this is exactly true for values that `refuse_unsafe`
lets pass. The indices of a call must be different from each other.

Arrays are read first, and all else works on vertices, tuples (x, y, z, w). An array that is used on
several paths has its references counted on each, which takes longer than a small determinant.
"""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import inner_kernel, kernel
from granum.geometry.estimates import (
    CONFLICT_2D,
    CONFLICT_3D,
    estimate_conflict2d,
    estimate_conflict3d,
    sign,
)
from granum.geometry.exact import exact_conflict1d
from granum.geometry.limits import refuse_unsafe
from granum.geometry.orientation import orient2d, orient3d, turn
from granum.geometry.settle import FILTER, settle2d, settle3d
from granum.geometry.ties import tie1d

__all__ = [
    "conflict1d", "conflict2d", "conflict2d_in_plane", "conflict3d", "orient2d", "orient3d",
    "refuse_unsafe", "stages2d", "stages3d",
]

Vertex = tuple[float, float, float, float]


@kernel
def conflict3d(p: FloatArray, w: FloatArray, a: int, b: int, c: int, d: int, e: int) -> int:
    """Tell whether e is in conflict with the positive tetrahedron abcd: 1, else -1.

    In conflict means that the power of e to the sphere orthogonal to a, b, c and d is negative:
    the lifted e lies below their hyperplane. For a negative tetrahedron the answer is reversed; for
    a flat one it means nothing (and is 0 if all five lie in one plane).

    Args:
        p: points, (n, 3).
        w: weights, (n,).
        a: a vertex of the tetrahedron, as are b, c and d.
        b: the next.
        c: the next.
        d: the last.
        e: the vertex to test.
    """
    A, B = (p[a, 0], p[a, 1], p[a, 2], w[a]), (p[b, 0], p[b, 1], p[b, 2], w[b])
    C, D = (p[c, 0], p[c, 1], p[c, 2], w[c]), (p[d, 0], p[d, 1], p[d, 2], w[d])
    E = (p[e, 0], p[e, 1], p[e, 2], w[e])
    t, m = estimate_conflict3d(A, B, C, D, E)
    if abs(t) > CONFLICT_3D * m:
        return sign(t)
    return settle3d(A, B, C, D, E, a, b, c, d, e)[0]


@kernel
def conflict2d(p: FloatArray, w: FloatArray, a: int, b: int, c: int, e: int) -> int:
    """Tell whether e is in conflict with the positive triangle abc: 1, else -1.

    As `conflict3d`, with points (n, 2) and the circle orthogonal to a, b and c.
    """
    A, B = (p[a, 0], p[a, 1], 0.0, w[a]), (p[b, 0], p[b, 1], 0.0, w[b])
    C, E = (p[c, 0], p[c, 1], 0.0, w[c]), (p[e, 0], p[e, 1], 0.0, w[e])
    t, m = estimate_conflict2d(A, B, C, E)
    if abs(t) > CONFLICT_2D * m:
        return sign(t)
    return settle2d(A, B, C, E, a, b, c, e)[0]


@inner_kernel
def _turned(A: Vertex, k: int) -> Vertex:
    """Return a vertex with its axes turned, so that it is seen along its axis k."""
    if k == 2:
        return A
    if k == 1:
        return A[2], A[0], A[1], A[3]
    return A[1], A[2], A[0], A[3]


@inner_kernel
def _view(A: Vertex, B: Vertex, C: Vertex) -> tuple[int, int]:
    """Return the axis along which ABC is seen as a triangle, and which way it turns.

    It is the axis of the largest area, or whichever exact arithmetic finds not to show a line; the
    sense is 0 only if A, B and C lie on one line.
    """
    ax, ay, az = A[0] - C[0], A[1] - C[1], A[2] - C[2]
    bx, by, bz = B[0] - C[0], B[1] - C[1], B[2] - C[2]
    nx, ny, nz = abs(ay * bz - az * by), abs(az * bx - ax * bz), abs(ax * by - ay * bx)
    k = 2
    if nx > nz and nx >= ny:
        k = 0
    elif ny > nz:
        k = 1
    sense = 0
    for _ in range(3):
        sense = turn(_turned(A, k), _turned(B, k), _turned(C, k))
        if sense != 0:
            break
        k = (k + 1) % 3
    return k, sense


@kernel
def conflict2d_in_plane(p: FloatArray, w: FloatArray, a: int, b: int, c: int, e: int) -> int:
    """Tell whether e is in conflict with triangle abc within their common plane: 1, else -1.

    The points, (n, 3), must lie in one plane exactly, as `orient3d` tells, and a, b, c not on one
    line (then the answer is 0). The sense in which a, b and c turn does not matter.

    An affine function on a plane is one of two coordinates if these tell its points apart: the
    determinant is that of `conflict2d` for two coordinates, with the lifts of all three.
    """
    A, B = (p[a, 0], p[a, 1], p[a, 2], w[a]), (p[b, 0], p[b, 1], p[b, 2], w[b])
    C, E = (p[c, 0], p[c, 1], p[c, 2], w[c]), (p[e, 0], p[e, 1], p[e, 2], w[e])
    k, sense = _view(A, B, C)
    A, B, C, E = _turned(A, k), _turned(B, k), _turned(C, k), _turned(E, k)
    t, m = estimate_conflict2d(A, B, C, E)
    if abs(t) > CONFLICT_2D * m:
        return sense * sign(t)
    return sense * settle2d(A, B, C, E, a, b, c, e)[0]


@inner_kernel
def _along(p: FloatArray, w: FloatArray, a: int, i: int) -> Vertex:
    """Return a vertex with axis i first; points (n, 2) or (n, 3)."""
    if p.shape[1] == 2:
        return p[a, i], p[a, 1 - i], 0.0, w[a]
    return p[a, i], p[a, (i + 1) % 3], p[a, (i + 2) % 3], w[a]


@kernel
def conflict1d(p: FloatArray, w: FloatArray, a: int, b: int, e: int) -> int:
    """Tell whether e is in conflict with segment ab within their common line: 1, else -1.

    The points, (n, 2) or (n, 3), must lie on one line exactly, a and b in different places (if not,
    the answer is 0). The order of a and b does not matter.
    """
    i = 0
    for k in range(1, p.shape[1]):
        if abs(p[b, k] - p[a, k]) > abs(p[b, i] - p[a, i]):
            i = k
    A, B, E = _along(p, w, a, i), _along(p, w, b, i), _along(p, w, e, i)
    found = exact_conflict1d(A, B, E)
    if found == 0:
        found = tie1d(A, B, E, a, b, e)
    return sign(B[0] - A[0]) * found


@kernel
def stages2d(p: FloatArray, w: FloatArray, cells: IntArray, opposite: IntArray) -> IntArray:
    """Return which stage, 1 to 6 as above, decides each of many tests by `conflict2d`.

    Args:
        p: points, (n, 2).
        w: weights, (n,).
        cells: triangles, (k, 3).
        opposite: the vertex tested against each, (k,).
    """
    stage = np.full(cells.shape[0], FILTER)
    for k in range(cells.shape[0]):
        a, b, c = cells[k, 0], cells[k, 1], cells[k, 2]
        e = opposite[k]
        A, B = (p[a, 0], p[a, 1], 0.0, w[a]), (p[b, 0], p[b, 1], 0.0, w[b])
        C, E = (p[c, 0], p[c, 1], 0.0, w[c]), (p[e, 0], p[e, 1], 0.0, w[e])
        t, m = estimate_conflict2d(A, B, C, E)
        if abs(t) <= CONFLICT_2D * m:
            stage[k] = settle2d(A, B, C, E, a, b, c, e)[1]
    return stage


@kernel
def stages3d(p: FloatArray, w: FloatArray, cells: IntArray, opposite: IntArray) -> IntArray:
    """Return the same for tests by `conflict3d`: points (n, 3), tetrahedra (k, 4)."""
    stage = np.full(cells.shape[0], FILTER)
    for k in range(cells.shape[0]):
        a, b, c = cells[k, 0], cells[k, 1], cells[k, 2]
        d, e = cells[k, 3], opposite[k]
        A, B = (p[a, 0], p[a, 1], p[a, 2], w[a]), (p[b, 0], p[b, 1], p[b, 2], w[b])
        C, D = (p[c, 0], p[c, 1], p[c, 2], w[c]), (p[d, 0], p[d, 1], p[d, 2], w[d])
        E = (p[e, 0], p[e, 1], p[e, 2], w[e])
        t, m = estimate_conflict3d(A, B, C, D, E)
        if abs(t) <= CONFLICT_3D * m:
            stage[k] = settle3d(A, B, C, D, E, a, b, c, d, e)[1]
    return stage
