"""The energy of swept skeletons in plain NumPy: the full sum over simplices, nothing cancelled.

Shares nothing with the kernels: no parts, no weights by place, another way to find closest points.
"""

from __future__ import annotations

from itertools import product

import numpy as np


def to_simplex(p, corners):
    """Return the distance of a point to a simplex: the least over the feet that are inside."""
    best = np.linalg.norm(corners - p, axis=1).min()
    for keep in product((False, True), repeat=len(corners)):
        some = corners[list(keep)]
        if len(some) < 2:
            continue
        along = (some[1:] - some[0]).T
        weights = np.linalg.lstsq(along, p - some[0], rcond=None)[0]
        if (weights >= 0.0).all() and weights.sum() <= 1.0:
            best = min(best, np.linalg.norm(p - some[0] - along @ weights))
    return best


def counts(shape):
    """Return all simplices as sets of vertices, and how often each counts, by the definition."""
    simplices = [frozenset(s) for s in (*shape.faces, *shape.edges, *shape.seams,
                                        *((v,) for v in range(len(shape))))]
    count = {}
    for s in simplices:  # the larger ones first
        count[s] = 1 - sum(count[t] for t in count if s < t)
    return count


def potential(d, reach):
    """Return δ²/2."""
    return 0.5 * max(0.0, reach - d) ** 2


def of_crossing(a, b, c, d, reach):
    """Return the energy of edges that cross."""
    s, t = np.linalg.lstsq(np.column_stack((b - a, c - d)), c - a, rcond=None)[0]
    h = np.linalg.norm(a + s * (b - a) - c - t * (d - c))
    if not (0.0 < s < 1.0 and 0.0 < t < 1.0) or h >= reach:
        return 0.0
    energy = potential(h, reach)
    for p, start, end in ((a, c, d), (b, c, d), (c, a, b), (d, a, b)):
        along = (end - start) / np.linalg.norm(end - start)
        away = np.linalg.norm(np.cross(p - start, along))
        energy *= 1.0 - potential(away, reach) / potential(h, reach)
    return energy


def of_crowds(one, X, two, Y, reach):
    """Return what edges and faces add of which all vertices touch each other."""
    energies = np.array([[potential(np.linalg.norm(p - q), reach) for q in Y] for p in X])
    total = 0.0
    for s, t in product(parts(one), parts(two)):
        some = energies[np.ix_(s, t)]
        if (some > 0.0).all():
            total += (-1) ** (len(s) + len(t)) / np.sqrt((some**-2.0).mean())
    return total


def parts(shape):
    """Return the vertices of all edges and faces."""
    return [list(part) for part in (*shape.edges, *shape.seams, *shape.faces)]


def energy(one, X, two, Y, crossing):
    """Return the energy of two shapes with their vertices at X and Y, for a stiffness of 1.

    ``crossing`` are the edges of the first and of the second that may cross.
    """
    reach = one.radii[0] + two.radii[0]
    total = 0.0
    for points, other, corners in ((X, two, Y), (Y, one, X)):
        for s, c in counts(other).items():
            total += sum(c * potential(to_simplex(p, corners[sorted(s)]), reach) for p in points)
    total -= sum(potential(np.linalg.norm(p - q), reach) for p in X for q in Y)
    total += sum(of_crossing(X[i], X[j], Y[k], Y[m], reach)
                 for (i, j), (k, m) in product(*crossing))
    return total + of_crowds(one, X, two, Y, reach)
