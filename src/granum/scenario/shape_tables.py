"""The tables of shapes that a scenario has made, as dataclasses that are their own schema."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from granum.quantity import Length, Point
from granum.shapes import (
    Spherocylinder,
    SpheroPolygon,
    SpheroPolyhedron,
    Spherotetrahedron,
    Spherotriangle,
    families,
)

SHAPES: dict[str, type] = {
    "spherocylinder": Spherocylinder, "spherotriangle": Spherotriangle,
    "spherotetrahedron": Spherotetrahedron, "sphero_polyhedron": SpheroPolyhedron,
    "sphero_polygon": SpheroPolygon,
}


class Maker(ABC):
    """What a table says of a shape that is to be made.

    Attributes:
        type_name: by which scenarios know it.
        told_at: the key that is to blame if what is wrong names none.
    """

    type_name: ClassVar[str]
    told_at: ClassVar[str] = ""

    @abstractmethod
    def make(self) -> SpheroPolyhedron | SpheroPolygon:
        """Return the shape."""


@dataclass(frozen=True)
class MeshShape(Maker):
    """The body that a mesh encloses, with a ball swept over its surface.

    A run keeps its vertices and faces, and does not need the file any more.

    Args:
        file: STL, OBJ or PLY, beside the scenario; the surface must be closed.
        radius: of the ball [m].
        scale: metres to the unit of the file.
        most: vertices that are kept; a finer surface is drawn together, its flattest parts first.
        rounded: whether its faces are moved inwards first, so that the body keeps its outer size,
            hollows included.
    """

    file: str
    radius: Length
    scale: float = 1.0
    most: int = 100
    rounded: bool = False

    type_name: ClassVar[str] = "mesh"
    told_at: ClassVar[str] = "file"

    def make(self) -> SpheroPolyhedron:
        """Return the body in the file."""
        return SpheroPolyhedron.from_file(self.file, self.radius, scale=self.scale, most=self.most,
                                          rounded=self.rounded)


@dataclass(frozen=True)
class BoxShape(Maker):
    """A box with rounded edges about the origin.

    Args:
        lengths: of the sides of the box over which the ball is swept, along x, y and z [m].
        radius: of the ball [m].
    """

    lengths: tuple[Length, Length, Length]
    radius: Length

    type_name: ClassVar[str] = "box"

    def make(self) -> SpheroPolyhedron:
        """Return the box."""
        return SpheroPolyhedron.box(self.lengths, self.radius)


@dataclass(frozen=True)
class RegularShape(Maker):
    """One of the five Platonic solids with rounded edges about the origin.

    Args:
        faces: how many it has: a tetrahedron 4, a cube 6, an octahedron 8, a dodecahedron 12, an
            icosahedron 20.
        length: of its sides, before the ball is swept over them [m].
        radius: of the ball [m].
    """

    faces: Literal[4, 6, 8, 12, 20]
    length: Length
    radius: Length

    type_name: ClassVar[str] = "regular"

    def make(self) -> SpheroPolyhedron:
        """Return the solid."""
        return SpheroPolyhedron.regular(self.faces, self.length, self.radius)


@dataclass(frozen=True)
class RoundedHull(Maker):
    """The convex hull of points with rounded edges; it keeps its outer size.

    Its faces are moved inwards by the radius of the ball, which is then swept over the rest.

    Args:
        vertices: in a frame of its own [m].
        radius: of the ball [m]; less than that of the largest ball inside.
    """

    vertices: tuple[Point, ...]
    radius: Length

    type_name: ClassVar[str] = "rounded_hull"
    told_at: ClassVar[str] = "vertices"

    def make(self) -> SpheroPolyhedron:
        """Return the rounded hull."""
        return SpheroPolyhedron.rounded(self.vertices, self.radius)


@dataclass(frozen=True)
class RoundedPolyhedron(Maker):
    """A solid with rounded edges that keeps its outer size, convex or not.

    Its faces are moved inwards by the radius of the ball, which is then swept over the rest. Inner
    edges stay sharp.

    Args:
        vertices: in a frame of its own [m].
        faces: the vertices of each flat face, counted from 0, counter-clockwise as seen from
            outside; they must close a solid. Where more planes meet at a vertex than meet in one
            point after the move, the vertex goes behind all of them.
        radius: of the ball [m]; it must be able to roll around inside the whole solid.
    """

    vertices: tuple[Point, ...]
    faces: tuple[tuple[int, ...], ...]
    radius: Length

    type_name: ClassVar[str] = "rounded_polyhedron"
    told_at: ClassVar[str] = "vertices"

    def make(self) -> SpheroPolyhedron:
        """Return the rounded solid."""
        return SpheroPolyhedron.rounded(self.vertices, self.radius, self.faces)


@dataclass(frozen=True)
class RoundedOutline(Maker):
    """A closed outline with rounded corners that keeps its outer size, for 2D worlds.

    The outline is moved inwards by the radius of the disc, which is then swept over it. Inner
    corners stay sharp.

    Args:
        points: of the outline, in turn, (x, y) in a frame of its own [m].
        radius: of the disc [m]; it must be able to roll around inside the whole outline.
    """

    points: tuple[tuple[Length, Length], ...]
    radius: Length

    type_name: ClassVar[str] = "rounded_outline"
    told_at: ClassVar[str] = "points"

    def make(self) -> SpheroPolygon:
        """Return the rounded outline."""
        return SpheroPolygon.rounded(self.points, self.radius)


@dataclass(frozen=True)
class CowShape(Maker):
    """A cow seen from the side: legs, tail and horns, in 62 points; for 2D worlds.

    Args:
        length: of its outline, from the nose to the tail [m].
        radius: of the disc [m].
    """

    length: Length
    radius: Length

    type_name: ClassVar[str] = "cow"

    def make(self) -> SpheroPolygon:
        """Return the cow."""
        return SpheroPolygon.cow(self.length, self.radius)


@dataclass(frozen=True)
class AngularShape(Maker):
    """A random convex grain, from a smooth pebble to crushed stone.

    All grains of the placing have this shape; others come of other seeds.

    Args:
        length: of the longest axis of the ellipsoid on which its points are spread [m].
        radius: of the ball [m].
        dimension: 2 for an outline of a 2D world.
        vertices: points on the ellipsoid; those that end inside the hull of the others are lost.
        angularity: 0 leaves points on the ellipsoid; with 1 they move in by up to 60 %.
        elongation: middle over longest axis, from 0 (excluded) to 1.
        flatness: shortest over middle axis, the same; of no effect in 2D.
        seed: the same seed gives the same shape.
    """

    length: Length
    radius: Length
    dimension: Literal[2, 3] = 3
    vertices: int = 24
    angularity: float = 0.5
    elongation: float = 1.0
    flatness: float = 1.0
    seed: int = 0

    type_name: ClassVar[str] = "angular"

    def make(self) -> SpheroPolyhedron | SpheroPolygon:
        """Return the first of its family."""
        return families.angular(
            1, self.length, self.radius, dimension=self.dimension, vertices=self.vertices,
            angularity=self.angularity, elongation=self.elongation, flatness=self.flatness,
            seed=self.seed)[0]


MAKERS: dict[str, type[Maker]] = {
    maker.type_name: maker
    for maker in (MeshShape, BoxShape, RegularShape, RoundedHull, RoundedPolyhedron,
                  RoundedOutline, CowShape, AngularShape)
}
