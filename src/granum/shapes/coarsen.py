"""Closed surfaces with fewer vertices: sides are drawn together to a point, the flattest first.

What it costs to move a vertex is the sum of the squared distances from the planes of all triangles
that it stands for (M. Garland and P. S. Heckbert, SIGGRAPH 1997, 209). A side is drawn together to
the point where that is least, unless the surface would be pinched (the ends have more than two
neighbours in common) or a triangle would turn over.
"""

from __future__ import annotations

import heapq

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.shapes.skeleton import FLAT

TURN = 0.2  # least cosine between the normals of a triangle before and after
MOST = 20_000  # vertices of a surface


def coarsened(name: str, x: FloatArray, faces: IntArray, most: int) -> tuple[FloatArray, IntArray]:
    """Return a closed surface with at most ``most`` vertices, (n,3) and (m,3).

    Vertices that lie in the midst of a flat part or of a straight edge always go.
    """
    if len(x) > MOST:
        message = (f"{name} has {len(x)} vertices, more than the {MOST} that can be drawn together "
                   "in a short time: export it coarser")
        raise InputError(message)
    surface = _Surface(x.copy(), faces)
    while surface.draw_together(at_most=surface.nothing):
        pass
    while len(surface.around) > most:
        if not surface.draw_together():
            message = (f"{name} cannot be drawn together to {most} vertices: with "
                       f"{len(surface.around)} any further would fold the surface")
            raise InputError(message)
    return surface.result()


class _Surface:
    """Triangles that are drawn together one side after another."""

    def __init__(self, x: FloatArray, faces: IntArray) -> None:
        self.x = x
        self.faces = dict(enumerate(map(tuple, faces.tolist())))
        self.around: dict[int, set[int]] = {k: set() for k in range(len(x))}  # faces at a vertex
        self.cost = np.zeros((len(x), 4, 4))
        self.age = np.zeros(len(x), dtype=np.int64)
        for k, face in self.faces.items():
            plane = self._plane(face)
            for i in face:
                self.around[i].add(k)
                self.cost[i] += np.outer(plane, plane)
        size = float(np.linalg.norm(np.ptp(x, axis=0)))
        self.nothing = (FLAT * size) ** 2 * size**2  # what it costs to move by what counts as flat
        self.queue: list[tuple[float, int, int, int, int]] = []
        for i in self.around:
            self._queue_sides(i, [j for j in self._neighbours(i) if j > i])

    def _plane(self, face: tuple[int, ...]) -> FloatArray:
        """Return normal and offset, weighted with the root of the area."""
        a, b, c = self.x[list(face)]
        cross = np.cross(b - a, c - a)
        twice = float(np.linalg.norm(cross))
        n = cross / max(twice, np.finfo(float).tiny)
        return np.append(n, -n @ a) * np.sqrt(0.5 * twice)

    def _neighbours(self, i: int) -> set[int]:
        return {k for f in self.around[i] for k in self.faces[f]} - {i}

    def _queue_sides(self, i: int, others: list[int]) -> None:
        for j in sorted(others):
            a, b = min(i, j), max(i, j)
            cost, _ = self._target(a, b)
            heapq.heappush(self.queue, (cost, a, b, int(self.age[a]), int(self.age[b])))

    def _target(self, i: int, j: int) -> tuple[float, FloatArray]:
        """Return the cost of drawing a side together, and to which point.

        Where the planes leave the point open (on a flat part, along a straight edge), it stays as
        near to the middle of the side as they let it.
        """
        Q = self.cost[i] + self.cost[j]
        middle = 0.5 * (self.x[i] + self.x[j])
        length2 = float((self.x[i] - self.x[j]) @ (self.x[i] - self.x[j]))
        soft = 1e-6 * max(float(np.trace(Q[:3, :3])), np.finfo(float).tiny)
        point = np.linalg.solve(Q[:3, :3] + soft * np.eye(3), soft * middle - Q[:3, 3])
        places = [point, self.x[i], self.x[j]]
        costs = [float(np.append(p, 1.0) @ Q @ np.append(p, 1.0)) for p in places]
        best = int(np.argmin(costs))
        return max(costs[best], 0.0) + 1e-12 * soft * length2, places[best]

    def draw_together(self, at_most: float = np.inf) -> bool:
        """Draw the cheapest side together that may be; False if there is none so cheap."""
        while self.queue and self.queue[0][0] <= at_most:
            _, i, j, age_i, age_j = heapq.heappop(self.queue)
            if (i in self.around and j in self.around and self.age[i] == age_i
                    and self.age[j] == age_j):
                point = self._target(i, j)[1]
                if self._may(i, j, point):
                    self._join(i, j, point)
                    return True
        return False

    def _may(self, i: int, j: int, point: FloatArray) -> bool:
        """Tell whether a side can be drawn together without pinching or folding the surface."""
        shared = self.around[i] & self.around[j]
        if len(self._neighbours(i) & self._neighbours(j)) != 2 or len(shared) != 2:
            return False
        for f in (self.around[i] | self.around[j]) - shared:
            old = self.x[list(self.faces[f])]
            new = np.array([point if k in (i, j) else self.x[k] for k in self.faces[f]])
            n, m = (np.cross(p[1] - p[0], p[2] - p[0]) for p in (old, new))
            if n @ m <= TURN * np.linalg.norm(n) * np.linalg.norm(m):
                return False
        return True

    def _join(self, i: int, j: int, point: FloatArray) -> None:
        for f in self.around[i] & self.around[j]:
            for k in self.faces.pop(f):
                self.around[k].discard(f)
        for f in self.around.pop(j):
            self.faces[f] = tuple(i if k == j else k for k in self.faces[f])
            self.around[i].add(f)
        self.x[i] = point
        self.cost[i] += self.cost[j]
        near = self._neighbours(i)
        self.age[i] += 1
        self._queue_sides(i, list(near))

    def result(self) -> tuple[FloatArray, IntArray]:
        kept = sorted(self.around)
        number = {k: m for m, k in enumerate(kept)}
        faces = [[number[k] for k in self.faces[f]] for f in sorted(self.faces)]
        return self.x[kept], np.array(faces, dtype=np.int64)
