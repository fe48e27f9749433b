"""The triangulation for all who use one: in the plane or in space, in the open or periodic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray, array, positive
from granum.errors import InputError
from granum.geometry.limits import refuse_unsafe
from granum.geometry.periodic import PeriodicTriangulation
from granum.geometry.power import Box, power_diagram
from granum.geometry.triangulation2 import Triangulation2
from granum.geometry.triangulation3 import Triangulation3
from granum.geometry.triangulation_base import Statistics


class Triangulation:
    """The regular (weighted Delaunay) triangulation of points, kept up as they move.

    Two spheres of radius r, with weights r^2, that touch without overlapping too much are joined by
    an edge. A vertex keeps its index, and an edge its slot, for as long as it lives.

    Args:
        points: (n,2) or (n,3) positions.
        weights: (n,) weights, squares of the radii; all 0 if left out.
        periodic: the period in each direction, None where there is none, like (Lx, None, None).
            Points may lie anywhere; with all their images they are the same.

    Attributes:
        periods: (d,) the period in each direction, 0 where there is none.
    """

    def __init__(
        self, points: FloatArray, weights: FloatArray | None = None, *,
        periodic: Sequence[float | None] | None = None,
    ) -> None:
        shape = np.shape(points)
        if len(shape) != 2 or shape[1] not in (2, 3):
            message = f"points must have shape (n, 2) or (n, 3), got {shape}"
            raise InputError(message)
        points = array("points", points, (None, shape[1]))
        weights = array("weights", np.zeros(len(points)) if weights is None else weights,
                        (len(points),))
        self._t: Triangulation2 | Triangulation3 | PeriodicTriangulation
        period = _periods(periodic, shape[1])
        self.periods = np.where(np.isfinite(period), period, 0.0)
        if np.isfinite(period).any():
            refuse_unsafe(points, weights)
            self._t = PeriodicTriangulation(points, weights, period)
        elif shape[1] == 2:
            self._t = Triangulation2(points, weights)
        else:
            self._t = Triangulation3(points, weights)

    @property
    def points(self) -> FloatArray:
        """Return the positions (n,d), not to be written: use `move`."""
        return _unwritable(self._t.points)

    @property
    def weights(self) -> FloatArray:
        """Return the weights (n,), not to be written: use `move`."""
        return _unwritable(self._t.weights)

    @property
    def dimension(self) -> int:
        """Return the dimension of what the points span, with their images; -1 if there are none."""
        return self._t.dimension

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Tell (n,) which vertices have no edge because heavier ones hide them."""
        return self._t.is_hidden

    @property
    def visible(self) -> NDArray[np.bool_]:
        """Tell (n,) which vertices are there, neither removed nor hidden."""
        return self._t.is_present & ~self._t.is_hidden

    @property
    def cells(self) -> NDArray[np.int32]:
        """Return the triangles (m,3), counter-clockwise, or the positive tetrahedra (m,4).

        There are none if ``dimension`` is less than that of the points.
        """
        return self._t.cells

    @property
    def edges(self) -> NDArray[np.int32]:
        """Return the edges (m,2), the lower vertex first, in the order of their slots.

        In a periodic box two vertices may be joined more than once, and a vertex to itself, each
        time to another image; see ``shifts``.
        """
        slots = self._t.slots
        return slots[slots[:, 0] >= 0]

    @property
    def shifts(self) -> NDArray[np.int8]:
        """Return the shifts (m,d): edge (i, j) joins i to j moved by so many periods."""
        if isinstance(self._t, PeriodicTriangulation):
            return self._t.slot_shifts[self._t.slots[:, 0] >= 0]
        return np.zeros((len(self.edges), self.points.shape[1]), dtype=np.int8)

    @property
    def slots(self) -> NDArray[np.int32]:
        """Return all slots (k,2): the edge that lives there, or -1, -1. Do not write."""
        return self._t.slots

    def slots_of(self, i: int) -> NDArray[np.int32]:
        """Return the slots of a vertex's edges."""
        return self._t.slots_of(i)

    def neighbours_of(self, i: int) -> NDArray[np.int32]:
        """Return the vertices that share an edge with vertex i, in order."""
        ends = self._t.slots[self._t.slots_of(i)]
        return np.unique(np.where(ends[:, 0] == i, ends[:, 1], ends[:, 0]))

    @property
    def stats(self) -> Statistics:
        """Return what has happened so far: builds, flips and the like."""
        return self._t.statistics

    def is_valid(self, exact: bool = True) -> bool:
        """Tell whether this is the regular triangulation of the points as they are.

        Args:
            exact: of no consequence: the answer is always exact, since exact arithmetic is used
                only where doubles cannot tell and takes no time otherwise.
        """
        del exact
        return self._t.is_valid()

    def power_volumes(self, box: Box) -> FloatArray:
        """Return the volumes (n,), in the plane areas, of the power cells within a box.

        Args:
            box: low and high corner, (d,) each; of no meaning in periodic directions. For faces,
                centroids and corners, see ``power_diagram``.
        """
        return power_diagram(self, box).volumes

    def locate(self, point: FloatArray) -> NDArray[np.int32]:
        """Return the vertices (d+1,) of a cell that contains a point, -1 among them if outside."""
        return self._t.locate(point)

    def move(
        self, points: FloatArray, weights: FloatArray | None = None, method: str = "auto",
        vertices: IntArray | None = None,
    ) -> None:
        """Move all vertices, and change their weights if given.

        Rows of vertices that have been removed do not matter. In a periodic box a vertex may run on
        beyond the faces or be put back inside: it takes the nearest way.

        Args:
            points: (n,d) new positions.
            weights: (n,) new weights; by default they stay as they are.
            method: how to follow the motion; the result is the same. "auto" takes what is fastest;
                "flips", "kinetic", "submoves" and "rebuild" insist on one way: see
                ``TriangulationBase.move``.
            vertices: (n,) which ones move, each once, if not all: where these are few, only the
                cells around them are looked at.
        """
        self._t.move(points, weights, method, vertices)

    def insert(
        self, point: FloatArray, weight: float | FloatArray = 0.0
    ) -> int | IntArray:
        """Insert one point (d,) or several (k,d); returns its index, or theirs (k,).

        Indices of vertices that have been removed are used again, the lowest first.
        """
        points = array("point", np.atleast_2d(point), (None, self.points.shape[1]))
        weights = np.full(len(points), weight) if np.ndim(weight) == 0 else np.asarray(weight)
        weights = array("weight", weights, (len(points),))
        refuse_unsafe(points, weights)
        vertices = self._t.insert(points, weights)
        return int(vertices[0]) if np.ndim(point) == 1 else vertices

    def remove(self, i: int | IntArray) -> None:
        """Remove one vertex or several; what they had hidden comes back."""
        self._t.remove(np.atleast_1d(np.asarray(i, dtype=np.int64)))


def _periods(periodic: Sequence[float | None] | None, dimension: int) -> FloatArray:
    """Return the periods (d,), infinite where there is none."""
    if periodic is None:
        return np.full(dimension, np.inf)
    if len(periodic) != dimension:
        message = (f"periodic must have {dimension} entries, a period or None for each direction, "
                   f"got {len(periodic)}")
        raise InputError(message)
    return np.array([np.inf if x is None else positive("period", x) for x in periodic])


def _unwritable(array: FloatArray) -> FloatArray:
    view = array.view()
    view.flags.writeable = False
    return view
