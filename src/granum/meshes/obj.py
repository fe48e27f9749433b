"""Reading OBJ (Wavefront): lines ``v x y z`` and ``f 1 2 3``, corners counted from 1.

A corner may name texture and normal as well (``1/4/2``), which are not used, and may count back
from the last vertex (``-1``). Faces of more than three corners are cut into triangles.
"""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray
from granum.meshes.raw import RawMesh, fan, index_of, number_of, raw_mesh, refuse, text_lines

UNUSED = frozenset(("vt", "vn", "vp", "g", "o", "s", "l", "p", "usemtl", "mtllib", "usemap", "lod",
                    "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj", "cstype", "deg"))


def read_obj(data: bytes, name: str) -> RawMesh:
    """Return the triangles of an OBJ file; ``name`` stands for it in messages."""
    vertices: list[list[float]] = []
    polygons: list[tuple[int, list[int]]] = []
    pending, begun = "", 1
    for line, text in enumerate(text_lines(data, name), start=1):
        begun = begun if pending else line
        if text.endswith("\\"):  # goes on in the next line
            pending += text[:-1] + " "
            continue
        words, pending = (pending + text).split("#", maxsplit=1)[0].split(), ""
        if not words or words[0] in UNUSED:
            continue
        if words[0] == "v":
            vertices.append(_vertex(words[1:], name, begun))
        elif words[0] == "f":
            polygons.append((begun, _corners(words[1:], len(vertices), name, begun)))
        else:
            refuse(name, f"line {begun}", f"{words[0][:40]!r} is no statement of an OBJ file that "
                                          "is known here: 'v' and 'f' are wanted")
    if pending:
        refuse(name, f"line {begun}", "the file ends within a statement: it is truncated")
    return _triangles(np.array(vertices, dtype=np.float64).reshape(-1, 3), polygons, name)


def _triangles(points: FloatArray, polygons: list[tuple[int, list[int]]], name: str) -> RawMesh:
    faces: list[list[int]] = []
    place: list[int] = []
    for line, corners in polygons:
        made = fan(corners, points, name, f"line {line}")
        faces += made
        place += [line] * len(made)
    return raw_mesh(points, faces, place, "line")


def _vertex(words: list[str], name: str, line: int) -> list[float]:
    if len(words) not in (3, 4, 6):  # a weight or a colour may follow
        refuse(name, f"line {line}", f"a vertex has three coordinates, got {len(words)}")
    return [number_of(word, name, f"line {line}") for word in words[:3]]


def _corners(words: list[str], count: int, name: str, line: int) -> list[int]:
    corners = []
    for word in words:
        number = index_of(word.split("/", maxsplit=1)[0], name, f"line {line}")
        if number == 0 or number < -count:
            refuse(name, f"line {line}", f"there is no vertex {number}: they are counted from 1, "
                                         f"or back from -1, and {count} stand above")
        corners.append(number - 1 if number > 0 else count + number)
    return corners
