"""A triangulation that follows spheres which have names: they move, come and go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.geometry import Triangulation

RENEWED = 0.3  # share of vertices put in or out above which a new triangulation is cheaper

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Following:
    """The regular triangulation of spheres that are known by their names.

    Attributes:
        vertex: (n,) the vertex of each sphere that was given last.
    """

    def __init__(self) -> None:
        self.vertex = self._name = np.zeros(0, dtype=np.int64)
        self._mesh: Triangulation | None = None
        self._earlier: dict[str, int] = {}

    @property
    def mesh(self) -> Triangulation:
        """The triangulation; there is one once spheres have been followed."""
        assert self._mesh is not None
        return self._mesh

    @property
    def counts(self) -> dict[str, int]:
        """What has happened to the triangulation so far."""
        now = {} if self._mesh is None else self._mesh.stats._asdict()
        return {f"triangulation_{name}": now.get(name, 0) + self._earlier.get(name, 0)
                for name in now | self._earlier}

    def follow(self, points: Float, radii: Float, names: Int) -> None:
        """Bring the triangulation to where the spheres are; make a new one if most are new.

        Args:
            points: (n,d) centres [m].
            radii: (n,) [m].
            names: (n,) of the spheres, each once; they keep them as they move.
        """
        points, weights = np.ascontiguousarray(points), radii**2
        if self._mesh is None or not self._recognise(self._mesh, points, weights, names):
            for name, number in ({} if self._mesh is None else self._mesh.stats._asdict()).items():
                self._earlier[name] = self._earlier.get(name, 0) + number
            self._mesh = Triangulation(points, weights)
            self._name, self.vertex = names.copy(), np.arange(len(names))
            return
        moved, heavy = self._mesh.points.copy(), self._mesh.weights.copy()
        moved[self.vertex], heavy[self.vertex] = points, weights
        same = np.array_equal(heavy, self._mesh.weights)
        self._mesh.move(moved, None if same else heavy)

    def _recognise(self, mesh: Triangulation, points: Float, weights: Float, names: Int) -> bool:
        """Find each sphere's vertex, after putting some in and out; False if these are too many."""
        if np.array_equal(self._name[self.vertex], names):
            return True
        present = np.flatnonzero(self._name >= 0)
        gone = present[~np.isin(self._name[present], names)]
        new = np.flatnonzero(~np.isin(names, self._name[present]))
        if len(gone) + len(new) > RENEWED * len(names):
            return False
        if len(gone):
            mesh.remove(gone)
            self._name[gone] = -1
        if len(new):
            where = np.asarray(mesh.insert(points[new], weights[new]))
            longer = np.full(max(len(self._name), int(where.max()) + 1), -1, dtype=np.int64)
            longer[: len(self._name)] = self._name
            longer[where] = names[new]
            self._name = longer
        order = np.argsort(self._name, kind="stable")
        self.vertex = order[np.searchsorted(self._name[order], names)]
        return True
