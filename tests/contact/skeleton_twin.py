"""The energy of two skeletons in plain NumPy, with the full sum over simplices (Euler).

Shares nothing with the kernels: no parts, no shares, another way to find the closest points.
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


def counts(body):
    """Return all simplices as sets of vertices, and how often each counts, by the definition."""
    simplices = [frozenset(s) for s in (*body.faces, *body.edges,
                                         *((v,) for v in range(len(body.points))))]
    count = {}
    for s in simplices:  # the larger ones first
        count[s] = 1 - sum(count[t] for t in count if s < t)
    return count


def potential(d, reach):
    """Return δ²/2."""
    return 0.5 * max(0.0, reach - d) ** 2


def lines(a, b, c, d):
    """Return s, t and the distance of two lines, by least squares."""
    along = np.column_stack((b - a, c - d))
    s, t = np.linalg.lstsq(along, c - a, rcond=None)[0]
    return s, t, np.linalg.norm(a + s * (b - a) - c - t * (d - c))


def of_crossing(a, b, c, d, reach):
    """Return the energy of edges that cross."""
    s, t, h = lines(a, b, c, d)
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


def parts(body):
    """Return the vertices of all edges and faces."""
    return [list(part) for part in (*body.edges, *body.faces)]


def energy(body_a, XA, body_b, XB):
    """Return the energy for k = 1."""
    reach = body_a.radius + body_b.radius
    total = 0.0
    for X, other, Y in ((XA, body_b, XB), (XB, body_a, XA)):
        for s, c in counts(other).items():
            total += sum(c * potential(to_simplex(p, Y[sorted(s)]), reach) for p in X)
    total -= sum(potential(np.linalg.norm(p - q), reach) for p in XA for q in XB)
    for (i, j), one in zip(body_a.edges, body_a.skeleton.crosses, strict=True):
        for (k, m), two in zip(body_b.edges, body_b.skeleton.crosses, strict=True):
            if one and two:
                total += of_crossing(XA[i], XA[j], XB[k], XB[m], reach)
    return total + of_crowds(body_a, XA, body_b, XB, reach)
