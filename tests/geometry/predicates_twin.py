"""The predicates once more, slowly: from their definitions, in fractions."""

from fractions import Fraction

import numpy as np

TINY = Fraction(1, 2**3000)
"""Far below any determinant of doubles within the limits, over any other."""


def exactly(values):
    """Return nested lists of fractions."""
    return [exactly(v) if np.ndim(v) else Fraction(float(v)) for v in values]


def reduce(matrix):
    """Return the reduced row echelon form of a matrix of fractions and its determinant's sign."""
    rows, sign, done = [list(row) for row in matrix], 1, 0
    for column in range(len(rows[0])):
        pivot = next((k for k in range(done, len(rows)) if rows[k][column] != 0), None)
        if pivot is None:
            continue
        if pivot != done:
            rows[pivot], rows[done] = rows[done], rows[pivot]
            sign = -sign
        if rows[done][column] < 0:
            sign = -sign
        rows[done] = [v / rows[done][column] for v in rows[done]]
        for k in range(len(rows)):
            if k != done:
                factor = rows[k][column]
                rows[k] = [v - factor * r for v, r in zip(rows[k], rows[done], strict=True)]
        done += 1
        if done == len(rows):
            break
    return rows, sign if done == len(rows) else 0


def orient(points, simplex):
    """Return the sign of det[b - a; c - a; ...]."""
    first, *others = exactly(points[list(simplex)])
    return reduce([[x - y for x, y in zip(p, first, strict=True)] for p in others])[1]


def conflict(points, weights, simplex, e):
    """Tell whether the lifted e lies below the affine hull of the lifted simplex: 1, else -1.

    Really perturbed: the vertex with the k-th lowest index has the extra weight TINY^k. The point e
    is written as an affine combination of the simplex, whatever the dimension of the space.
    """
    vertices = [*simplex, e]
    rank = {v: k + 1 for k, v in enumerate(sorted(vertices))}
    p = dict(zip(vertices, exactly(points[vertices]), strict=True))
    lift = {v: sum(x * x for x in p[v]) - Fraction(float(weights[v])) - TINY ** rank[v]
            for v in vertices}
    system = [[p[v][axis] for v in vertices] for axis in range(points.shape[1])]
    rows, _ = reduce([*system, [Fraction(1)] * len(vertices)])
    share = [row[-1] for row in rows[: len(simplex)]]
    assert all(rows[k][k] == 1 for k in range(len(simplex))), "the simplex is flat"
    assert not any(row[-1] for row in rows[len(simplex) :]), "e is not in its affine hull"
    height = lift[e] - sum(s * lift[v] for s, v in zip(share, simplex, strict=True))
    assert height != 0
    return -1 if height > 0 else 1


def expected(predicate, points, weights, order):
    """Return what a predicate must say of the vertices in this order; None if it need not."""
    if predicate.startswith("orient"):
        return orient(points, order)
    *simplex, e = order
    if predicate in ("conflict2d", "conflict3d"):
        turned = orient(points, simplex)
        return turned * conflict(points, weights, simplex, e) if turned else None
    return conflict(points, weights, simplex, e)


def last_bits(rng, values, steps=1):
    """Return values of which each has moved by up to some last bits; zeros stay."""
    for _ in range(steps):
        towards = rng.choice([-np.inf, np.inf], values.shape)
        moves = (values != 0.0) & (rng.random(values.shape) < 0.5)
        values = np.where(moves, np.nextafter(values, towards), values)
    return values
