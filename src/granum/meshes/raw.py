"""What a reader of mesh files hands on, and the words in which it refuses one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, NoReturn

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.errors import InputError


class RawMesh(NamedTuple):
    """Triangles as a file has them, nothing joined and nothing checked but numbers and counts."""

    vertices: FloatArray  # (n, 3), in the unit of the file
    faces: IntArray  # (m, 3) corners of the triangles, counted from 0
    place: IntArray  # (m,) where each triangle stands in the file
    unit: str  # what places are: "line", "byte", or "face" where there is no file

    def where(self, k: int) -> str:
        """Return where triangle ``k`` came from, for a message."""
        number = f"triangle {k + 1}"
        return number if self.unit == "face" else f"{self.unit} {self.place[k]}, {number}"


def refuse(name: str, place: str, what: str) -> NoReturn:
    """Refuse the file ``name`` for ``what`` is wrong at a place, such as ``"line 14"``."""
    message = f"{name}: {place}: {what}" if place else f"{name}: {what}"
    raise InputError(message)


def number_of(text: str, name: str, place: str) -> float:
    """Return a finite number that stands in a text file."""
    try:
        value = float(text)
    except ValueError:
        refuse(name, place, f"{text[:40]!r} is no number")
    if not np.isfinite(value):
        refuse(name, place, f"the coordinate {text!r} is not finite")
    return value


def index_of(text: str, name: str, place: str) -> int:
    """Return a whole number that stands in a text file."""
    try:
        return int(text)
    except ValueError:
        refuse(name, place, f"{text[:40]!r} is no whole number")


def text_lines(data: bytes, name: str) -> list[str]:
    """Return the lines of a text file."""
    try:
        return data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        refuse(name, f"byte {error.start}", "neither text nor a binary file of this format")


def fan(corners: list[int], vertices: FloatArray, name: str, place: str) -> list[list[int]]:
    """Return the triangles of a convex polygon, a fan from its first corner.

    A polygon that is not convex would be covered twice in places, and is refused.
    """
    if len(corners) < 3:
        refuse(name, place, f"a face needs three corners or more, got {len(corners)}")
    for corner in corners:
        if not 0 <= corner < len(vertices):
            refuse(name, place, f"a face names vertex {corner} counted from 0, but there are "
                                f"{len(vertices)}")
    made = [[corners[0], corners[k], corners[k + 1]] for k in range(1, len(corners) - 1)]
    if len(made) > 1:
        points = vertices[corners]
        onwards = np.roll(points, -1, axis=0) - points
        turns = np.cross(onwards, np.roll(onwards, -1, axis=0))
        if (turns @ turns.sum(axis=0) < 0.0).any():
            refuse(name, place, f"the face of {len(corners)} corners is not convex: export the "
                                "mesh as triangles")
    return made


def raw_mesh(vertices: Iterable[Iterable[float]], faces: list[list[int]], place: list[int],
             unit: str) -> RawMesh:
    """Return lists as the arrays of a mesh."""
    return RawMesh(np.array(vertices, dtype=np.float64).reshape(-1, 3),
                   np.array(faces, dtype=np.int64).reshape(-1, 3),
                   np.array(place, dtype=np.int64), unit)
