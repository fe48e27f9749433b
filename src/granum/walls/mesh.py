"""A wall of triangles, from a file or from arrays."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, get_args

import numpy as np

from granum import checks
from granum.checks import FloatArray, IntArray, direction
from granum.errors import InputError
from granum.meshes import (
    RawMesh,
    Surface,
    facing_out,
    joined,
    make_surface,
    read_mesh,
    refuse_open,
)
from granum.quantity import Angle, Direction, Number, Point
from granum.walls import fields
from granum.walls.features import make_features
from granum.walls.piece import Piece
from granum.walls.table import WallTable, in_front, table_of
from granum.walls.wall import BoolArray, Bounds, Side

SIDES: tuple[str, ...] = get_args(Side)
NUMBERS = ("scale", "axis", "angle", "shift", "side")
"""Fields that say where the points of a mesh go, and how they are met."""

SHARP = math.radians(30.0)
"""Edges that bend by more are drawn."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface of triangles, from a file or from vertices and faces.

    Its points are scaled, then turned about an axis through the origin, then shifted. A mesh with
    an inside is met from the side where grains live; it must be closed. One that is met from both
    sides may have holes.

    Attributes:
        file: name of an STL, OBJ or PLY file, text or binary; in a scenario sought from the folder
            of the scenario on. Nothing if vertices and faces are given instead.
        vertices: points [m], if there is no file.
        faces: for each triangle its three vertices, counted from 0, if there is no file.
        scale: what the numbers of the file are multiplied by: 0.001 if they are millimetres.
        axis: direction about which it is turned, of any length.
        angle: by how much it is turned about the axis [rad].
        shift: where the origin of the file goes to [m].
        side: where grains live: `"inside"` or `"outside"` of a closed mesh, or on `"both"` sides.
        sha256: fingerprint that the file must have; any if left out. A run folder has it.
    """

    file: str = ""
    vertices: tuple[Point, ...] = field(default=(), repr=False)
    faces: tuple[tuple[int, int, int], ...] = field(default=(), repr=False)
    scale: Number = 1.0
    axis: Direction = (0.0, 0.0, 1.0)
    angle: Angle = 0.0
    shift: Point = (0.0, 0.0, 0.0)
    side: Side = "both"
    sha256: str = ""

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field, and a file that is no mesh."""
        self._settle_numbers()
        if bool(self.file) == bool(len(self.vertices) or len(self.faces)):
            message = "Mesh file or Mesh vertices and faces must be given, one of the two"
            raise InputError(message)
        if not self.file:
            self._settle_arrays()
        assert self.surface is not None  # read and joined now, so that a broken one is refused

    def _settle_numbers(self) -> None:
        fields.settle(self, scale=fields.positive(self, "scale"),
                      axis=fields.direction(self, "axis"),
                      angle=checks.number("Mesh angle", self.angle),
                      shift=fields.point(self, "shift"), side=fields.choice(self, "side", SIDES))

    def _settle_arrays(self) -> None:
        """Keep vertices and faces as plain tuples."""
        points = checks.measured("Mesh vertices", self.vertices, (None, 3))
        corners = checks.array("Mesh faces", self.faces, (None, 3))
        if (corners != np.rint(corners)).any():
            message = "Mesh faces must be whole numbers, three vertices each"
            raise InputError(message)
        fields.settle(self, vertices=tuple(map(tuple, points.tolist())),
                      faces=tuple(map(tuple, corners.astype(np.int64).tolist())))

    @classmethod
    def recalled(cls, vertices: FloatArray, faces: IntArray, *, file: str, sha256: str,
                 **numbers: Any) -> Mesh:
        """Return the mesh that was saved with these points and triangles; no file is read."""
        mesh = object.__new__(cls)
        arrays = ((), ()) if file else (vertices, faces)
        fields.settle(mesh, file=str(file), sha256=str(sha256), vertices=arrays[0],
                      faces=arrays[1], **{name: numbers[name] for name in NUMBERS})
        mesh.__dict__["raw"] = RawMesh(vertices, faces, np.arange(len(faces)), "face")
        mesh._settle_numbers()
        if not file:
            mesh._settle_arrays()
        assert mesh.surface is not None
        return mesh

    @cached_property
    def raw(self) -> RawMesh:
        """Points and triangles as given or read, in the unit of the file."""
        if not self.file:
            faces = np.array(self.faces, dtype=np.int64).reshape(-1, 3)
            return RawMesh(np.array(self.vertices, dtype=np.float64).reshape(-1, 3), faces,
                           np.arange(len(faces)), "face")
        raw, content = read_mesh(self.file)
        if self.sha256 and self.sha256 != content:
            message = (f"Mesh sha256 is not that of {self.file}: the file has been changed since "
                       "this was written; bring the old file back, or start a new run")
            raise InputError(message)
        fields.settle(self, sha256=content)
        return raw

    @cached_property
    def surface(self) -> Surface:
        """The triangles joined, in metres, where they stand; the normals point to the grains."""
        made = make_surface(self.raw, self.title)
        if self.side != "both":
            refuse_open(made, self.title, f"grains live {self.side} of this mesh")
            made = facing_out(made, self.title)
            if self.side == "inside":
                made = joined(made.vertices, made.faces[:, [0, 2, 1]])
        points = self.scale * made.vertices
        if self.angle != 0.0:
            points = _turned(points, direction("axis", self.axis), self.angle)
        points = points + np.array(self.shift)
        checks.measured(f"{self.title}: vertices", points, (None, 3))
        return made._replace(vertices=points)

    @property
    def title(self) -> str:
        """What messages call it: its file."""
        return self.file.replace("\\", "/").rpartition("/")[2] or "Mesh"

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the wall that it makes."""
        parts = (self.surface.vertices, self.surface.faces)
        whole = b"".join(part.tobytes() for part in parts) + self.side.encode()
        return hashlib.sha256(whole).hexdigest()

    def __eq__(self, other: object) -> bool:
        """Tell whether another wall is the same triangles, met from the same side."""
        return self is other or (isinstance(other, Mesh) and self.digest == other.digest)

    def __hash__(self) -> int:
        """Return a number that is the same for the same mesh."""
        return hash(self.digest)

    @cached_property
    def _pieces(self) -> list[Piece]:
        return make_features(self.surface, self.side != "both")

    def pieces(self) -> list[Piece]:
        """See `Wall.pieces`."""
        return self._pieces

    def contains(self, points: Any) -> BoolArray:
        """See `Wall.contains`; no opinion if it is met from both sides."""
        centres = checks.array("points", points, (None, 3))
        if self.side == "both":
            return np.ones(len(centres), dtype=np.bool_)
        return in_front(self._shell, centres)

    @cached_property
    def _shell(self) -> WallTable:
        """The same triangles, facing the same way, met from both sides."""
        return table_of(make_features(self.surface, one_sided=False))

    def bounds(self) -> Bounds:
        """See `Wall.bounds`."""
        return self.surface.vertices.min(axis=0), self.surface.vertices.max(axis=0)

    def outline(self) -> list[FloatArray]:
        """See `Wall.outline`; edges that are sharp or bound a hole, or all if there is none."""
        vertices, _, edges, face_edge = self.surface
        corner = vertices[self.surface.faces]
        normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        by_edge = np.argsort(face_edge.ravel(), kind="stable") // 3
        uses = self.surface.uses
        begin = np.cumsum(uses) - uses
        drawn = uses != 2
        pair = np.flatnonzero(uses == 2)
        along = np.abs(np.einsum("ij,ij->i", normal[by_edge[begin[pair]]],
                                 normal[by_edge[begin[pair] + 1]]))
        drawn[pair] = along < math.cos(SHARP)
        chosen = edges[drawn] if drawn.any() else edges
        return list(vertices[chosen])

    def describe(self) -> str:
        """See `Wall.describe`."""
        low, high = self.bounds()
        size = " x ".join(f"{side:.4g}" for side in high - low)
        closed = "closed" if self.surface.is_closed else "open"
        where = "on both sides" if self.side == "both" else self.side
        name = f"mesh {self.title}" if self.file else "mesh"
        return (f"{name}, {len(self.surface.faces)} triangles, {closed}, {size} m from "
                f"{fields.text_of(tuple(low.tolist()))} m on, grains {where}")


def _turned(points: FloatArray, axis: FloatArray, angle: float) -> FloatArray:
    """Return points turned about an axis through the origin (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    along = (points @ axis)[:, None] * axis
    return np.asarray(points * c + np.cross(axis, points) * s + along * (1.0 - c))
