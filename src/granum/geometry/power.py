"""The power diagram (Laguerre complex) of weighted points, within a box.

The cell of vertex i is where the power |x - p_i|² - w_i is the least of all. Cells are convex and
fill space; over the whole of space, exactly the neighbours of i in the regular triangulation bound
its cell, so cutting the box by these alone gives the cell within the box, to the last corner. A
hidden vertex has no cell; a cell that lies outside of the box has none of it. Volumes are
measurements: floating point, and right to rounding for lattices, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray, array
from granum.errors import InputError
from granum.geometry.power_neighbours import Neighbours, list_neighbours
from granum.geometry.power_polygons import NO_ROOM, make_polygon, make_scratch2, measure_cells2
from granum.geometry.power_polyhedra import (
    list_loops,
    make_cell,
    make_scratch3,
    measure_cells3,
)

BLOCKS = 64  # pieces of work for threads; results do not depend on it
ROOM = 128  # corners of a cell that there is room for at first; random points have 27, few 100

Box = tuple[Sequence[float] | FloatArray, Sequence[float] | FloatArray]


class RegularTriangulation(Protocol):
    """What a power diagram needs to know of a triangulation, in the plane or in space."""

    @property
    def points(self) -> FloatArray:
        """Return the positions (n,dim)."""

    @property
    def weights(self) -> FloatArray:
        """Return the weights (n,)."""

    @property
    def edges(self) -> NDArray[np.int32]:
        """Return the edges (m,2)."""

    @property
    def shifts(self) -> NDArray[np.int8]:
        """Return the shifts (m,dim): periods to add to the position of each edge's second end."""

    @property
    def periods(self) -> FloatArray:
        """Return the period (dim,) in each direction, 0 where there is none."""

    @property
    def visible(self) -> NDArray[np.bool_]:
        """Tell (n,) which vertices are there and not hidden."""


class PowerFaces(NamedTuple):
    """The faces of all cells, those of vertex i from ``start[i]`` to ``start[i + 1]``.

    Neighbours whose cell touches in an edge or a corner only may be listed with an area of the
    size of rounding.
    """

    start: IntArray  # (n+1,)
    neighbour: IntArray  # (k,) vertex on the other side; -1, -2, … low x, high x, … of the box
    area: FloatArray  # (k,) area, in the plane length


@dataclass(frozen=True, eq=False)
class PowerDiagram:
    """The cells of weighted points within a box.

    Attributes:
        points: (n,dim).
        weights: (n,).
        box: (2,dim) low and high corner; of no meaning in periodic directions.
        periods: (dim,) period in each direction, 0 if there is none.
        neighbours: of each vertex, whose half spaces bound its cell.
        is_visible: (n,) which vertices may have a cell.
        volumes: (n,) volumes, in the plane areas; 0 where there is no cell.
        centroids: (n,dim) centroids of the cells; nan where there is no cell.
        reach: (n,) largest distance of a corner of the cell from its vertex; 0 without a cell.
        areas: (k,) area (length) of the face towards each of ``neighbours``.
        sides: (n,2 dim) area (length) of the faces at the box: low x, high x, low y, …
    """

    points: FloatArray
    weights: FloatArray
    box: FloatArray
    periods: FloatArray
    neighbours: Neighbours
    is_visible: NDArray[np.bool_]
    volumes: FloatArray
    centroids: FloatArray
    reach: FloatArray
    areas: FloatArray
    sides: FloatArray

    @cached_property
    def faces(self) -> PowerFaces:
        """The faces with an area; in a periodic direction a vertex may be its own neighbour."""
        n, dim = self.points.shape
        owner = np.repeat(np.arange(n), np.diff(self.neighbours.start))
        label = np.tile(-1 - np.arange(2 * dim), (n, 1))
        wraps = np.repeat(self.periods > 0.0, 2)
        label[:, wraps] = np.arange(n)[:, None]
        vertex = np.concatenate((owner, np.repeat(np.arange(n), 2 * dim)))
        area = np.concatenate((self.areas, self.sides.ravel()))
        found = np.flatnonzero(area > 0.0)
        order = found[np.argsort(vertex[found], kind="stable")]
        start = np.searchsorted(vertex[order], np.arange(n + 1))
        return PowerFaces(start, np.concatenate((self.neighbours.vertex, label.ravel()))[order],
                          area[order])

    def polygons(self, vertex: int) -> list[FloatArray]:
        """Return the faces of a cell as corners (k,3), anticlockwise seen from outside.

        In the plane there is one polygon (k,2), the cell itself, anticlockwise. Nothing is
        returned for a vertex without a cell.
        """
        n, dim = self.points.shape
        if not 0 <= vertex < n:
            message = f"there is no vertex {vertex}: there are {n}, counted from 0"
            raise InputError(message)
        if not self.is_visible[vertex]:
            return []
        half = 0.5 * self.periods
        low = np.where(half > 0.0, -half, self.box[0] - self.points[vertex])
        high = np.where(half > 0.0, half, self.box[1] - self.points[vertex])
        outline = _outline if dim == 2 else _loops
        room, found = ROOM, None
        while found is None:
            found = outline(self, vertex, low, high, room)
            room *= 4
        return [self.points[vertex] + corners for corners in found]


def _outline(
    diagram: PowerDiagram, vertex: int, low: FloatArray, high: FloatArray, room: int
) -> list[FloatArray] | None:
    """Return the polygon of a cell relative to its vertex; None if there was no room for it."""
    _, X, f, face = (part[0] for part in make_scratch2(1, room))
    count, half = make_polygon(diagram.points, diagram.weights, *diagram.neighbours, vertex,
                               low, high, X, f, face)
    if count == NO_ROOM:
        return None
    return [X[half, :count]] if count else []


def _loops(
    diagram: PowerDiagram, vertex: int, low: FloatArray, high: FloatArray, room: int
) -> list[FloatArray] | None:
    """Return the faces of a cell relative to its vertex; None if there was no room for them."""
    _, X, f, twin, face, new, gone, seen, _ = (part[0] for part in make_scratch3(1, room))
    count = make_cell(diagram.points, diagram.weights, *diagram.neighbours, vertex, low, high,
                      X, f, twin, face, new, gone)
    if count == NO_ROOM:
        return None
    corner, label = np.empty((2, 3 * count), dtype=np.int64)
    loop = np.empty(3 * count + 1, dtype=np.int64)
    loops = list_loops(twin, face, seen, count, corner, loop, label)
    return [X[:, corner[loop[k] : loop[k + 1]]].T for k in range(loops)]


def power_diagram(triangulation: RegularTriangulation, box: Box) -> PowerDiagram:
    """Return the power diagram of the points of a regular triangulation, within a box.

    Args:
        triangulation: in the plane or in space.
        box: low and high corner, (dim,) each; of no meaning in periodic directions, where cells
            are unwrapped around their vertices.
    """
    t = triangulation
    return power_cells(t.points, t.weights, t.edges, box, shifts=t.shifts, periods=t.periods,
                       is_visible=t.visible)


def power_cells(
    points: FloatArray, weights: FloatArray, edges: NDArray, box: Box, *,
    shifts: NDArray | None = None, periods: Sequence[float] | FloatArray | None = None,
    is_visible: NDArray[np.bool_] | None = None,
) -> PowerDiagram:
    """Return the power diagram of weighted points, from the edges of their triangulation.

    Args:
        points: (n,dim) positions, dim = 2 or 3.
        weights: (n,) weights, squares of the radii.
        edges: (m,2) edges of the regular triangulation, each once; more do no harm.
        box: low and high corner, (dim,) each. In periodic directions cells extend over its faces.
        shifts: (m,dim) whole periods to add to the position of the second end; none unless given.
        periods: (dim,) period in each direction, 0 where there is none.
        is_visible: (n,) which vertices are there and not hidden; unless given, those that have
            an edge, or if there is none at all, the heaviest.
    """
    points, weights, edges, corners = _checked(points, weights, edges, box)
    n, dim = points.shape
    period = np.zeros(dim) if periods is None else array("periods", periods, (dim,))
    if (period < 0.0).any():
        message = f"periods must be positive, or 0 where there is none, got {period.tolist()}"
        raise InputError(message)
    offset = np.empty((0, dim))
    if shifts is not None:
        offset = array("shifts", shifts, (len(edges), dim)) * period
    neighbours = list_neighbours(edges, offset, points)
    if is_visible is None:
        is_visible = np.diff(neighbours.start) > 0
        if len(edges) == 0 and n > 0:
            is_visible[np.argmax(weights)] = True
    return measured(points, weights, neighbours, corners, period, np.asarray(is_visible))


def measured(points: FloatArray, weights: FloatArray, neighbours: Neighbours, box: FloatArray,
             periods: FloatArray, is_visible: NDArray[np.bool_]) -> PowerDiagram:
    """Return the diagram, measured; see ``PowerDiagram`` for the arguments."""
    n, dim = points.shape
    make_scratch, measure = ((make_scratch2, measure_cells2) if dim == 2
                             else (make_scratch3, measure_cells3))
    volumes, reach, sides = np.zeros(n), np.zeros(n), np.zeros((n, 2 * dim))
    centroids, areas = points.copy(), np.zeros(len(neighbours.vertex))
    todo, room = np.flatnonzero(is_visible), ROOM
    while len(todo):
        scratch = make_scratch(min(BLOCKS, len(todo)), room)
        has_room = measure(points, weights, *neighbours, periods, box, todo, scratch,
                           volumes, centroids, areas, sides, reach)
        todo, room = todo[~has_room], 4 * room
    centroids[volumes == 0.0] = np.nan
    return PowerDiagram(points, weights, box, periods, neighbours, is_visible, volumes, centroids,
                        np.sqrt(reach), areas, sides)


def _checked(
    points: FloatArray, weights: FloatArray, edges: NDArray, box: Box
) -> tuple[FloatArray, FloatArray, IntArray, FloatArray]:
    """Return what was given as arrays that fit each other."""
    dim = np.shape(points)[-1] if np.ndim(points) == 2 else 0
    if dim not in (2, 3):
        message = f"points must have shape (n, 2) or (n, 3), got {np.shape(points)}"
        raise InputError(message)
    points = array("points", points, (None, dim))
    weights = array("weights", weights, (len(points),))
    edges = np.ascontiguousarray(edges, dtype=np.int64).reshape(-1, 2)
    if len(edges) and not (edges.min() >= 0 and edges.max() < len(points)):
        message = (f"edges must name vertices from 0 to {len(points) - 1}, "
                   f"got {edges.min()} to {edges.max()}")
        raise InputError(message)
    corners = np.stack([array(f"box {end}", corner, (dim,))
                        for end, corner in zip(("low", "high"), box, strict=True)])
    if not (corners[0] < corners[1]).all():
        message = (f"box must have its low corner below its high one in every direction, "
                   f"got {corners[0].tolist()} and {corners[1].tolist()}")
        raise InputError(message)
    return points, weights, edges, corners
