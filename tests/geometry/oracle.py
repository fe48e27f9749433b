"""What a regular triangulation is, said slowly: lifted hulls and exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.spatial import ConvexHull


def as_sets(rows):
    """Return rows of vertex indices as a set of sorted tuples."""
    return {tuple(sorted(row)) for row in np.asarray(rows).tolist()}


def edges_of(cells):
    """Return all pairs of vertices that share one of the cells."""
    return {pair for cell in cells for pair in combinations(sorted(cell), 2)}


def lifted_hull(points, weights):
    """Return the cells of the lower hull of the lifted points; for points in general position."""
    hull = ConvexHull(np.column_stack((points, (points**2).sum(axis=1) - weights)))
    return as_sets(hull.simplices[hull.equations[:, points.shape[1]] < 0.0])


def determinant(rows):
    """Return the determinant of a square matrix of fractions, by expansion along the first row."""
    if len(rows) == 1:
        return rows[0][0]
    return sum(
        (-1) ** k * x * determinant([row[:k] + row[k + 1 :] for row in rows[1:]])
        for k, x in enumerate(rows[0]) if x != 0
    )


class Exact:
    """Points and weights as fractions, with ties broken by perturbed weights.

    Vertex i has the extra weight eps_i, eps_0 >> eps_1 >> ...: heights are polynomials, and the
    first coefficient that is not zero is the sign.
    """

    def __init__(self, points, weights):
        self.p = [[Fraction(float(x)) for x in point] for point in points]
        self.w = [Fraction(float(x)) for x in weights]
        self.n = len(self.w)

    def volume(self, a, *others):
        """Return six times the signed volume of a tetrahedron, twice the area of a triangle."""
        return determinant([[x - y for x, y in zip(self.p[v], self.p[a], strict=True)]
                            for v in others])

    def barycentric(self, cell, e):
        """Return the barycentric coordinates of vertex e in a cell of nonzero volume."""
        whole = self.volume(*cell)
        return [self.volume(*(e if u == v else u for u in cell)) / whole for v in cell]

    def is_below(self, cell, e):
        """Tell whether the lifted vertex e lies below the plane of a lifted cell."""
        share = self.barycentric(cell, e)
        height = [sum(x * x for x in self.p[v]) - self.w[v] for v in (*cell, e)]
        gap = sum(s * h for s, h in zip(share, height[:-1], strict=True)) - height[-1]
        if gap != 0:
            return gap > 0
        terms = sorted([(v, -s) for v, s in zip(cell, share, strict=True)] + [(e, Fraction(1))])
        return next(t for _, t in terms if t != 0) > 0

    def cells(self, vertices=None):
        """Return the cells with nothing below them, by trying all: the definition itself."""
        vertices = range(self.n) if vertices is None else vertices
        return {
            cell for cell in combinations(vertices, len(self.p[0]) + 1)
            if self.volume(*cell) != 0
            and not any(self.is_below(cell, e) for e in vertices if e not in cell)
        }

    def is_regular(self, cells, vertices):
        """Tell whether no vertex lies below any of the cells and they fill the hull once.

        The hull's volume is the sum over the cells of any triangulation, so cells that are all
        right fill it if together they have the volume that a ray test finds: none is missing when
        each facet has a cell on both sides or all vertices on one.
        """
        facets = {}
        for cell in cells:
            for v in cell:
                facets.setdefault(tuple(u for u in cell if u != v), []).append(v)
        for facet, tops in facets.items():
            sides = [self.volume(*facet, v) > 0 for v in tops]
            if len(tops) == 2 and sides[0] != sides[1]:
                continue
            beyond = [self.volume(*facet, v) for v in vertices if v not in facet]
            if len(tops) != 1 or any(x != 0 and (x > 0) != sides[0] for x in beyond):
                return False
        return not any(
            self.is_below(cell, e) for cell in cells for e in vertices if e not in cell
        )
