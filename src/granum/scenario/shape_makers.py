"""Shapes that a scenario has made: boxes, Platonic solids, rounded bodies, bodies from files.

``shape = { type = "box", lengths = [...], radius = ... }`` becomes a spheropolyhedron with its
vertices before anything else is read. So the scenario as understood, which a run folder holds,
needs neither the maker nor a file any more.
"""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, ClassVar, Literal

from granum.checks import wild
from granum.errors import InputError
from granum.quantity import Length, Point
from granum.scenario.problems import Collector, Document, Problem, ScenarioError
from granum.scenario.schema import build_choice
from granum.shapes import (
    Spherocylinder,
    SpheroPolygon,
    SpheroPolyhedron,
    Spherotetrahedron,
    Spherotriangle,
)

SHAPES: dict[str, type] = {
    "spherocylinder": Spherocylinder, "spherotriangle": Spherotriangle,
    "spherotetrahedron": Spherotetrahedron, "sphero_polyhedron": SpheroPolyhedron,
    "sphero_polygon": SpheroPolygon,
}
_OF_A_SHAPE = re.compile(r"^(?:SpheroPolyhedron |SpheroPolygon |(?:box|cow) (?=length))")
_VERBS = ("must ", "is ", "has ", "cannot ", "needs ")


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
    """

    file: str
    radius: Length
    scale: float = 1.0
    most: int = 100

    type_name: ClassVar[str] = "mesh"
    told_at: ClassVar[str] = "file"

    def make(self) -> SpheroPolyhedron:
        """Return the body in the file."""
        return SpheroPolyhedron.from_file(self.file, self.radius, scale=self.scale, most=self.most)


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


MAKERS: dict[str, type[Maker]] = {
    maker.type_name: maker
    for maker in (MeshShape, BoxShape, RegularShape, RoundedHull, RoundedOutline, CowShape)
}


def with_made_shapes(collector: Collector) -> Document:
    """Return the document with all shapes by their vertices; what cannot be made is left out."""
    document = collector.document
    entries = document.data.get("grains")
    if not isinstance(entries, list):
        return document
    grains = [_placing(collector, k, entry) if isinstance(entry, Mapping) else entry
              for k, entry in enumerate(entries)]
    return dataclasses.replace(document, data={**document.data, "grains": grains})


def _placing(collector: Collector, k: int, placing: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table of a placing with its shape made."""
    if "shape" not in placing:
        return placing
    folder = FilePath(collector.document.name).parent
    shape = collector.attempt(("grains", k, "shape"), made, placing["shape"], folder)
    rest = {key: value for key, value in placing.items() if key != "shape"}
    return rest if shape is None else {**rest, "shape": shape}


def made(table: Any, folder: FilePath) -> Mapping[str, Any]:
    """Return the table of a shape by its vertices; files are sought in a folder.

    Raises:
        ScenarioError: no shape has this name, or it cannot be made; with the key to blame.
    """
    if isinstance(table, Mapping):
        kind, file = table.get("type"), table.get("file")
        if isinstance(kind, str) and kind in SHAPES:
            return table
        if kind == MeshShape.type_name and isinstance(file, str):
            if not file:
                message = 'the name of a file is wanted, as in file = "stone.stl", got ""'
                raise ScenarioError([Problem(("file",), message)])
            table = {**table, "file": str(folder / file)}
    choices: dict[str, type[Any]] = {**SHAPES, **MAKERS}
    maker: Maker = build_choice(choices, table)
    try:
        return _explicit(maker.make())
    except InputError as error:
        problem = _blamed(maker, str(error))
    raise ScenarioError([problem])


def _explicit(shape: SpheroPolyhedron | SpheroPolygon) -> dict[str, Any]:
    """Return the table of a shape with all its numbers."""
    if isinstance(shape, SpheroPolygon):
        return {"type": "sphero_polygon", "radius": shape.radius, "points": _rows(shape.points)}
    table = {"type": "sphero_polyhedron", "radius": shape.radius, "vertices": _rows(shape.vertices)}
    return table if shape.faces is None else {**table, "faces": [list(f) for f in shape.faces]}


def _rows(points: tuple[tuple[float, ...], ...]) -> list[list[float]]:
    """Return points as lists; a coordinate that ought to be 0 and is not quite becomes 0."""
    return [[0.0 if wild(x) == "small" else x for x in point] for point in points]


def _blamed(maker: Maker, message: str) -> Problem:
    """Return what is wrong with a shape, at the key that its message begins with."""
    message = _OF_A_SHAPE.sub("", message)
    for field in dataclasses.fields(maker):  # type: ignore[arg-type]
        match = re.match(rf"{field.name.rstrip('s')}s?(?=[ :\[])", message)
        if match:
            rest = message[match.end():].lstrip()
            return Problem((field.name,), rest if rest.startswith(_VERBS) else message)
    return Problem((maker.told_at,) if maker.told_at else (), message)
