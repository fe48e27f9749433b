"""Spheropolyhedra: polyhedra, plates and crosses of segments, swept by a ball."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.meshes import facing_out, make_surface, read_mesh, refuse_open
from granum.quantity import Ball, Length, Point
from granum.shapes.assembly import assemble
from granum.shapes.coarsen import coarsened
from granum.shapes.erosion import eroded_hull
from granum.shapes.inset import eroded_solid
from granum.shapes.skeleton import Skeleton, hull
from granum.shapes.swept import Swept

MOST = 2000  # vertices
GOLDEN = 0.5 * (1.0 + math.sqrt(5.0))


@dataclass(frozen=True)
class SpheroPolyhedron(Swept):
    """A polyhedron swept by a ball, convex or not.

    Without faces and edges it is the convex hull of its vertices: a solid, or a flat plate, or a
    rod. With faces it is what they close, whatever its form; a face that shares no side with
    another one is a plate. Edges are rods of their own: a cross of three is a hexapod.

    What cannot be felt is left out: vertices inside a convex body or straight between others, edges
    inside a solid or along a face.

    Args:
        vertices: in a frame of its own [m].
        faces: the vertices of each flat face, counted from 0, counter-clockwise as seen from
            outside; left out: the convex hull. ``()``: none, only edges.
        radius: of the ball [m], greater than 0.
        edges: pairs of vertices that a rod joins, beside the sides of the faces.
        cover: spheres that hold it, for neighbours by triangulation, each as x, y, z and radius
            [m]; found by granum unless given.
    """

    vertices: tuple[Point, ...]
    faces: tuple[tuple[int, ...], ...] | None = None
    radius: Length = 0.0
    edges: tuple[tuple[int, int], ...] = ()
    cover: tuple[Ball, ...] = ()

    def __post_init__(self) -> None:
        """Check every number, and that a body comes of them."""
        name = type(self).__name__
        checks.settle(
            self, radius=checks.positive_field(self, "radius"),
            vertices=_tuples(_vertices(f"{name} vertices", self.vertices)),
            faces=None if self.faces is None else _rows(f"{name} faces", self.faces),
            edges=_rows(f"{name} edges", self.edges), cover=self._checked_cover())
        _skeleton(self)

    def skeleton(self) -> Skeleton:
        """Return the vertices, edges and triangles that can be felt."""
        return _skeleton(self)

    @classmethod
    def rounded(cls, vertices: Any, radius: float, faces: Any = None) -> SpheroPolyhedron:
        """Return a solid with rounded edges that keeps its outer size.

        Its faces are moved inwards by the radius of the ball, which is then swept over the rest.
        Inner edges stay sharp.

        Args:
            vertices: [m].
            radius: of the ball [m]; it must be able to roll around inside the whole solid.
            faces: as of the class, for solids with hollows; left out: the convex hull. Where more
                planes meet at a vertex than meet in one point after the move, the vertex goes
                behind all of them, so that nothing comes out of the solid.
        """
        name = cls.__name__
        points = _vertices(f"{name} vertices", vertices)
        radius = checks.positive(f"{name} radius", radius)
        if faces is not None:
            inner, left = eroded_solid(name, points, _rows(f"{name} faces", faces), radius)
            return cls(_tuples(inner), None if left is None else left.tolist(), radius)
        if len(hull(points).faces) < 4:
            message = f"{name} vertices must be those of a solid to be rounded, but they are flat"
            raise InputError(message)
        return cls(_tuples(eroded_hull(name, points, radius)), radius=radius)

    @classmethod
    def from_file(cls, file: str, radius: float, *, scale: float = 1.0, most: int = 100,
                  rounded: bool = False) -> SpheroPolyhedron:
        """Return the body that a mesh encloses, with the ball swept over its surface.

        Args:
            file: STL, OBJ or PLY; the surface must be closed.
            radius: of the ball [m].
            scale: metres to the unit of the file.
            most: vertices that are kept; a finer surface is drawn together, its flattest parts
                first.
            rounded: whether its faces are moved inwards first, so that the body keeps its outer
                size, hollows included.
        """
        raw, _ = read_mesh(file)
        surface = make_surface(raw, file)
        refuse_open(surface, file, "a grain is solid")
        surface = facing_out(surface, file)
        x, faces = coarsened(file, checks.positive("scale", scale) * surface.vertices,
                             surface.faces, checks.whole("most", most, at_least=4))
        if rounded:
            return cls.rounded(x, radius, faces)
        return cls(_tuples(x), tuple(map(tuple, faces.tolist())), radius)

    @classmethod
    def box(cls, lengths: Sequence[float], radius: float) -> SpheroPolyhedron:
        """Return a box with rounded edges about the origin.

        Args:
            lengths: of the sides of the box over which the ball is swept, along x, y and z [m].
            radius: of the ball [m].
        """
        half = 0.5 * checks.vector("box lengths", lengths)
        for axis, length in zip("xyz", half, strict=True):
            checks.positive(f"box length along {axis}", float(length))
        return cls(_tuples(half * _CUBE), radius=radius)

    @classmethod
    def regular(cls, faces: int, length: float, radius: float) -> SpheroPolyhedron:
        """Return one of the five Platonic solids with rounded edges about the origin.

        Args:
            faces: how many it has: 4, 6, 8, 12 or 20.
            length: of its sides, before the ball is swept over them [m].
            radius: of the ball [m].
        """
        if faces not in _PLATONIC:
            message = f"faces must be 4, 6, 8, 12 or 20, got {faces!r}"
            raise InputError(message)
        corners = _PLATONIC[faces]
        apart = np.linalg.norm(corners[1:] - corners[0], axis=1).min()
        scale = checks.positive("length", length) / apart
        return cls(_tuples(scale * corners), radius=radius)


@cache
def _skeleton(shape: SpheroPolyhedron) -> Skeleton:
    x = np.array(shape.vertices)
    if shape.faces is None and not shape.edges:
        return hull(x)
    return assemble(type(shape).__name__, x, shape.faces or (), shape.edges, shape.radius)


def _tuples(x: FloatArray) -> tuple[Point, ...]:
    return tuple((a, b, c) for a, b, c in x.tolist())


def _vertices(name: str, given: Any) -> FloatArray:
    count = len(given) if isinstance(given, Sequence | np.ndarray) else 0
    if not 1 <= count <= MOST:
        message = f"{name} must be 1 to {MOST}, got {count}"
        raise InputError(message)
    return checks.measured(name, given, (None, 3))


def _rows(name: str, given: Any) -> tuple[tuple[int, ...], ...]:
    """Return lists of numbers of vertices."""
    try:
        rows = [list(row) for row in given]
    except TypeError as error:
        message = f"{name} must be lists of numbers of vertices, got {given!r}"
        raise InputError(message) from error
    return tuple(tuple(checks.whole(f"{name}[{k}]", i, at_least=0) for i in row)
                 for k, row in enumerate(rows))


def _signs(x: float, y: float, z: float) -> list[tuple[float, float, float]]:
    """Return the points (±x, ±y, ±z), each once."""
    return sorted({(a * x, b * y, c * z) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)})


def _turned(x: float, y: float, z: float) -> list[tuple[float, float, float]]:
    """Return the same with x, y and z in turn."""
    return [*_signs(x, y, z), *_signs(y, z, x), *_signs(z, x, y)]


_CUBE = np.array(_signs(1.0, 1.0, 1.0))
_PLATONIC = {
    4: np.array([corner for corner in _CUBE if corner.prod() > 0.0]),
    6: _CUBE,
    8: np.array(_turned(0.0, 0.0, 1.0)) + 0.0,
    12: np.array([*_CUBE.tolist(), *_turned(0.0, 1.0 / GOLDEN, GOLDEN)]) + 0.0,
    20: np.array(_turned(0.0, 1.0, GOLDEN)) + 0.0,
}
