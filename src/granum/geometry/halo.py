"""Periodic boxes: which images of the points are needed, and whether those there are suffice.

Let S be the points and all their images, E those within a halo h of the box. A cell of the regular
triangulation of E is one of S's if no image outside E conflicts with it. If that holds for all
cells of a vertex, they are all its cells in S as well: they close around it. A hidden vertex stays
hidden when more points come.

*Finite cells.* With c and R^2 the centre and the square of the radius of the orthogonal sphere, a
point that conflicts is nearer to c than sqrt(R^2 + w_max), and lies, in the open directions,
between the lowest and the highest of all points. If that region lies within the halo, nothing
outside E conflicts. If not, the points that are nearest to c in power are looked at one by one:
power is the square of a distance if each point is lifted by sqrt(w_max - w) into one more
dimension, so that a tree finds them.

*Infinite cells.* If the plane of the hull facet is parallel to all periodic directions, an image is
beyond it only if its original is, and none is. In the plane, the circle of the facet must lie
within the halo like the sphere of a cell. If it is not parallel, an image is beyond it.

*An upper limit.* In a box periodic in all directions, with half the diagonal D, a halo of 5.5 D
always suffices. Every place x has an image q of the heaviest point within D. Let c be the centre of
a cell of i, a vertex of its power cell in E. If q of c is in E, it is not nearer in power:
|c - p_i|^2 <= D^2 + w_i - w_max, so the sphere's region has the radius D and lies within 2 D of the
box. If not, c is more than h - D = 4.5 D from the box. Let q be the image of the heaviest near the
place 2 D from p_i towards c: then u . (q - p_i) >= D, with u the direction to c, and |q - p_i| <=
3 D, so q is in E. Since i is nearest to c in power, 2 |c - p_i| u . (q - p_i) <= |q - p_i|^2, hence
|c - p_i| <= 4.5 D, a contradiction. For an infinite cell, c is at infinity.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from granum.checks import FloatArray, IntArray
from granum.compile import inner_kernel, kernel
from granum.geometry.estimates import U
from granum.geometry.predicates import orient2d

ENOUGH = 5.5  # halo, in half diagonals of a box periodic in all directions, that always suffices
GOOD, OPEN, BAD = 0, 1, 2
NEAREST = 16  # points looked at around a centre; all, if so many have nearly the same distance


def list_images(
    base: FloatArray, period: FloatArray, halo: float
) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
    """Return the images within a halo of the box [0, period).

    Args:
        base: (n,d) points, anywhere.
        period: (d,) periods, infinite in open directions.
        halo: how far beyond the box.

    Returns:
        The points (m,) they are images of and the shifts (m,d) in periods, in the order of the
        points, then of the shifts: an order that looks the same from every image, so that ties fall
        alike in all of them. Which (m,) are those inside the box.
    """
    box = np.where(np.isfinite(period), np.floor(base / period), 0.0).astype(np.int64)
    inside = base - np.where(box != 0, box * np.where(np.isfinite(period), period, 0.0), 0.0)
    most = [int(np.ceil(halo / length)) + 1 if np.isfinite(length) else 0 for length in period]
    owners, shifts = [], []
    for shift in product(*(range(-m, m + 1) for m in most)):
        place = inside + _displacement(np.array(shift), period)
        near = ((place >= -halo) & (place <= period + halo)) | ~np.isfinite(period)
        chosen = np.flatnonzero(near.all(axis=1))
        owners.append(chosen)
        shifts.append(np.array(shift) - box[chosen])
    owner, moved = np.concatenate(owners), np.concatenate(shifts)
    order = np.lexsort((*moved.T[::-1], owner))
    owner, moved = owner[order], moved[order]
    return owner, moved, np.asarray((moved == -box[owner]).all(axis=1))


def _displacement(shift: IntArray, period: FloatArray) -> FloatArray:
    """Return shifts, in periods, as lengths; 0 in open directions."""
    return np.asarray(shift * np.where(np.isfinite(period), period, 0.0))


def images(base: FloatArray, owner: IntArray, shift: IntArray, period: FloatArray) -> FloatArray:
    """Return where the images (m,d) are."""
    return np.asarray(base[owner] + _displacement(shift, period))


@inner_kernel
def _solve(A, h, c):
    """Solve A c = h / 2 for the centre c of a cell, by elimination with pivots; rows are changed.

    Returns one over the size of the determinant, which bounds the error of c: infinite if singular.
    """
    d = h.size
    growth = 1.0
    for k in range(d):
        best = k
        for i in range(k + 1, d):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if A[best, k] == 0.0:
            return np.inf
        for j in range(d):
            A[k, j], A[best, j] = A[best, j], A[k, j]
        h[k], h[best] = h[best], h[k]
        for i in range(k + 1, d):
            factor = A[i, k] / A[k, k]
            for j in range(k, d):
                A[i, j] -= factor * A[k, j]
            h[i] -= factor * h[k]
    for k in range(d - 1, -1, -1):
        total = 0.5 * h[k]
        for j in range(k + 1, d):
            total -= A[k, j] * c[j]
        c[k] = total / A[k, k]
        growth /= abs(A[k, k])
    return growth


@inner_kernel
def _reach(p, w, corner, number, heaviest, low, high, c, A, h):
    """Return how far a conflict can be from the centre c of a cell or facet, along any period.

    Args:
        p: points, (n,d).
        w: weights.
        corner: its finite vertices.
        number: how many there are: d + 1, or d for a facet, whose centre lies in its plane.
        heaviest: largest weight.
        low: (d,) least coordinates of all points in open directions, -inf in periodic ones.
        high: (d,) the largest.
        c: (d,) becomes the centre.
        A: (d,d) scratch.
        h: (d,) scratch.

    Returns:
        The distance, -1 if there can be none; a bound of the centre's error; the square of the
        distance in all directions.
    """
    d = p.shape[1]
    a = corner[0]
    largest, height, volume = 0.0, 0.0, 1.0
    for i in range(number - 1):
        b = corner[i + 1]
        h[i] = w[a] - w[b]
        for k in range(d):
            A[i, k] = p[b, k] - p[a, k]
            h[i] += A[i, k] * A[i, k]
            largest = max(largest, abs(A[i, k]))
        height = max(height, abs(h[i]))
    if number == d:
        _close_with_normal(A, h, largest)
    growth = _solve(A, h, c)
    for _ in range(d - 1):
        volume *= largest
    length = 0.0
    for k in range(d):
        length += c[k] * c[k]
    square, outside = length + heaviest - w[a], 0.0
    length = np.sqrt(length)
    error = 256.0 * U * growth * volume * (height + largest * (largest + length))
    for k in range(d):
        c[k] += p[a, k]
        gap = max(low[k] - c[k], c[k] - high[k], 0.0)
        outside += gap * gap
    slack = 4.0 * error * (length + error)
    if square - outside + slack < 0.0:
        return -1.0, error, square
    return np.sqrt(square - outside + slack), error, square


@inner_kernel
def _close_with_normal(A, h, size):
    """Complete the equations of a facet: the centre lies in its plane."""
    d = h.size
    h[d - 1] = 0.0
    if d == 2:
        A[1, 0], A[1, 1] = -A[0, 1], A[0, 0]
        return
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        A[2, k] = (A[0, i] * A[1, j] - A[0, j] * A[1, i]) / size


@inner_kernel
def _is_parallel(p, opened, corner):
    """Tell whether a hull facet is parallel to all periodic directions, exactly.

    Seen along these it must be a point, or a segment if there are two open directions.

    Args:
        p: points, (n,d).
        opened: (n,k) their coordinates in the open directions.
        corner: its vertices.
    """
    k = opened.shape[1]
    if k == 0:
        return False
    if p.shape[1] == 3 and k == 2:
        return orient2d(opened, corner[0], corner[1], corner[2]) == 0
    level = True
    for i in range(1, p.shape[1]):
        level &= opened[corner[i], 0] == opened[corner[0], 0]
    return level


@kernel
def judge_cells(p, w, V, is_home, opened, low, high, heaviest, verdict, sphere):
    """Write for each cell of a home vertex whether it is one of the infinite triangulation's.

    Args:
        p: points, (n,d).
        w: weights.
        V: (m,d+1) cells; those with the first vertex below -1 are not in use.
        is_home: (n,) vertices that count.
        opened: (n,k) coordinates in the directions without a period.
        low: (2,d) bounds of the points in open directions (-inf in others), then of the halo in
            periodic ones (-inf in others).
        high: (2,d) the same at the other end.
        heaviest: largest weight.
        verdict: (m,) becomes GOOD; BAD; or OPEN if a point outside the halo may conflict.
        sphere: (m,d+2) becomes the centre, the square of the distance within which points conflict
            (less their want of weight), and a bound of the centre's error, of cells that are OPEN.
    """
    d = p.shape[1]
    A, h, c = np.empty((d, d)), np.empty(d), np.empty(d)
    corner = np.empty(d + 1, dtype=np.int64)
    for cell in range(V.shape[0]):
        verdict[cell] = GOOD
        number, counts = 0, False
        for i in range(d + 1):
            v = V[cell, i]
            if v >= 0:
                corner[number] = v
                number += 1
                counts |= v < is_home.size and is_home[v]
        if not counts or V[cell, 0] < -1:
            continue
        if number == d and not _is_parallel(p, opened, corner):
            verdict[cell] = BAD
        else:
            reach, error, square = _reach(p, w, corner, number, heaviest, low[0], high[0], c, A, h)
            for k in range(d):
                if reach >= 0.0 and not (c[k] - reach - error > low[1, k]
                                         and c[k] + reach + error < high[1, k]):
                    verdict[cell] = OPEN
            if verdict[cell] == OPEN:
                for k in range(d):
                    sphere[cell, k] = c[k]
                sphere[cell, d] = square
                sphere[cell, d + 1] = error


def exact_sphere(points: FloatArray, weights: FloatArray, heaviest: float) -> FloatArray:
    """Return what ``judge_cells`` writes about a finite cell (d+1 vertices), from fractions."""
    p = [[Fraction(float(x)) for x in point] for point in points]
    w = [Fraction(float(x)) for x in weights]
    rows = [[x - y for x, y in zip(q, p[0], strict=True)] for q in p[1:]]
    right = [(sum(x * x for x in row) - v + w[0]) / 2 for row, v in zip(rows, w[1:], strict=True)]
    centre = _solve_exactly(rows, right)
    square = sum(x * x for x in centre) + Fraction(heaviest) - w[0]
    place = [float(x + y) for x, y in zip(centre, p[0], strict=True)]
    return np.array([*place, float(square), 4.0 * U * max(map(abs, place))])


def are_clear(
    base: FloatArray, lift: FloatArray, period: FloatArray, width: float, sphere: FloatArray,
    number: int = NEAREST,
) -> bool:
    """Tell whether no image outside the halo conflicts with cells that reach beyond it.

    Args:
        base: (n,d) points.
        lift: (n,) roots of what their weights are less than the largest.
        period: (d,) periods, infinite in open directions.
        width: of the halo.
        sphere: (m,d+2) the cells, see ``judge_cells``.
        number: how many points to look at around each.
    """
    d, number = len(period), min(len(base), number)
    finite = np.where(np.isfinite(period), period, 0.0)
    inside = base - np.floor(base / period) * finite
    inside = np.where(inside >= np.where(finite > 0.0, finite, np.inf), 0.0, inside)
    tree = cKDTree(np.column_stack((inside, lift)), boxsize=np.append(finite, 0.0))
    centre = np.column_stack((sphere[:, :d], np.zeros(len(sphere))))
    found, at = tree.query(centre, k=np.arange(1, number + 1))
    distance, nearest = np.asarray(found), np.asarray(at)
    length = np.sqrt(np.abs(sphere[:, d]) + lift.max() ** 2) + sphere[:, d + 1]
    size = np.abs(sphere[:, :d]).max(axis=1) + length
    limit = sphere[:, d] + 8.0 * sphere[:, d + 1] * length + 64.0 * U * size**2
    crowded = distance[:, -1] ** 2 <= limit
    if number < len(base) and crowded.any():
        return are_clear(base, lift, period, width, sphere[~crowded]) and are_clear(
            base, lift, period, width, sphere[crowded], len(base))
    offset = sphere[:, None, :d] - inside[nearest]
    turn = np.rint(offset / period)
    for step in product(*((-1, 0, 1) if length > 0.0 else (0,) for length in finite)):
        place = inside[nearest] + (turn + step) * finite
        power = ((place - sphere[:, None, :d]) ** 2).sum(axis=2) + lift[nearest] ** 2
        beyond = ((place < -width) | (place > period + width)) & np.isfinite(period)
        if (beyond.any(axis=2) & (power <= limit[:, None])).any():
            return False
    return True


def _solve_exactly(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Solve a regular system of linear equations."""
    d = len(right)
    table = [[*row, x] for row, x in zip(rows, right, strict=True)]
    for k in range(d):
        pivot = next(i for i in range(k, d) if table[i][k] != 0)
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [x / table[k][k] for x in table[k]]
        for i in range(d):
            if i != k:
                table[i] = [x - table[i][k] * y for x, y in zip(table[i], table[k], strict=True)]
    return [row[d] for row in table]
