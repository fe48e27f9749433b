"""One moment of a run as glTF 2.0 in one binary file (.glb), for web pages, slides and Blender.

Format: Khronos glTF 2.0 specification (ISO/IEC 12113). Grains are one mesh: icospheres and the
surfaces of swept shapes, each made once (`swept_mesh`), finer where there are few of them, with
normals and a colour at each vertex. Walls are a second one, translucent. Lengths are metres; z is
up in granum and y in glTF, so the scene is turned.
"""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.convert.choice import Choice
from granum.convert.swept_mesh import Mesh, swept_mesh
from granum.convert.whole import Whole, whole_grains
from granum.output.atomic import replace_bytes
from granum.output.colours import decode
from granum.output.joined import joined_rows
from granum.shapes import RigidShape
from granum.shapes.drawn_faces import drawn_faces
from granum.shapes.turning import turned
from granum.view.enclosure import Walls
from granum.view.record import grains_in, radius_of
from granum.view.scene import Enclosing, colouring, frame_at

Part = tuple[FloatArray, FloatArray, IntArray, FloatArray]

MAGIC, VERSION = 0x46546C67, 2
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
FLOAT, UINT, USHORT = 5126, 5125, 5123
ARRAY, ELEMENTS = 34962, 34963  # what a buffer view is for
MOST_VERTICES = 300_000  # of all grains, unless that makes them coarser than an icosahedron
FINEST = 3  # how often an icosahedron is refined at most
Z_TO_Y = (-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))  # turn about x by -90 degrees
GRAIN = {"name": "grains", "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.55}}
WALL = {"name": "walls", "alphaMode": "BLEND", "doubleSided": True,
        "pbrMetallicRoughness": {"baseColorFactor": [0.55, 0.65, 0.75, 0.22],
                                 "metallicFactor": 0.0, "roughnessFactor": 0.3}}


def write_gltf(choice: Choice, path: Path) -> str:
    """Write one moment, the last one unless the choice has a time."""
    record, look = choice.record, choice.look
    frame = record.frame(frame_at(record, choice.time))
    colours = colouring(record, look.colour, look.map_name, look.low, look.high).of(frame)
    scene = _Scene()
    good = np.isfinite(frame.points).all(axis=1)
    whole = whole_grains(frame, record.walls.shapes)
    alone = good if whole is None else good & ~joined_rows(frame)
    parts = [_balls(frame.points[alone], radius_of(frame)[alone], colours[alone])]
    if whole is not None:
        parts += _swept(whole, record.walls, colours)
    if any(len(part[0]) for part in parts):
        scene.add(GRAIN, *_together(parts))
    walls = Enclosing(record).at(frame.time)
    if len(walls.triangles):
        scene.add(WALL, *_flat(walls.vertices, walls.triangles), None)
    replace_bytes(path, scene.packed({"time": frame.time, "quantity": look.colour}))
    return (f"{grains_in(frame)} grains at {frame.time:g} s, {len(walls.triangles)} triangles of "
            "walls")


class _Scene:
    """Meshes, and their arrays in one buffer."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._meshes: list[dict[str, Any]] = []
        self._materials: list[dict[str, Any]] = []

    def add(self, material: dict[str, Any], vertices: FloatArray, normals: FloatArray,
            triangles: IntArray, colours: FloatArray | None) -> None:
        """Add a mesh: (v, 3) [m], (v, 3), (t, 3), and (v, 3) linear light."""
        attributes = {"POSITION": self._array(vertices.astype("<f4"), FLOAT, "VEC3", bounded=True),
                      "NORMAL": self._array(normals.astype("<f4"), FLOAT, "VEC3")}
        if colours is not None:
            opaque = np.column_stack([colours, np.ones(len(colours))])
            shorts = np.rint(65535.0 * opaque).astype("<u2")
            attributes["COLOR_0"] = self._array(shorts, USHORT, "VEC4")
        index = self._array(triangles.ravel().astype("<u4"), UINT, "SCALAR", ELEMENTS)
        self._meshes.append({"name": material["name"], "primitives": [
            {"attributes": attributes, "indices": index, "material": len(self._materials)}]})
        self._materials.append(material)

    def _array(self, array: NDArray[Any], component: int, form: str, target: int = ARRAY,
               bounded: bool = False) -> int:
        """Store an array; return the number of its accessor. All lengths are multiples of 4."""
        begin = sum(map(len, self._parts))
        self._parts.append(array.tobytes())
        self._views.append({"buffer": 0, "byteOffset": begin, "byteLength": array.nbytes,
                            "target": target})
        accessor: dict[str, Any] = {"bufferView": len(self._views) - 1, "componentType": component,
                                    "count": len(array), "type": form}
        if component == USHORT:
            accessor["normalized"] = True
        if bounded:
            accessor |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        self._accessors.append(accessor)
        return len(self._accessors) - 1

    def packed(self, extras: dict[str, Any]) -> bytes:
        """Return the whole file."""
        data = b"".join(self._parts)
        nodes: list[dict[str, Any]] = [{"mesh": k, "name": mesh["name"]}
                                       for k, mesh in enumerate(self._meshes)]
        root: dict[str, Any] = {"name": "granum", "rotation": Z_TO_Y, "extras": extras}
        if nodes:
            root["children"] = list(range(len(nodes)))
        described: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "granum"}, "scene": 0,
            "scenes": [{"nodes": [len(nodes)]}], "nodes": [*nodes, root]}
        if nodes:
            described |= {"meshes": self._meshes, "materials": self._materials,
                          "accessors": self._accessors, "bufferViews": self._views,
                          "buffers": [{"byteLength": len(data)}]}
        text = json.dumps(described, allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        chunks = [struct.pack("<II", len(text), JSON_CHUNK) + text]
        if data:
            chunks.append(struct.pack("<II", len(data), BINARY_CHUNK) + data)
        whole = b"".join(chunks)
        return struct.pack("<III", MAGIC, VERSION, 12 + len(whole)) + whole


def _together(parts: list[Part]) -> Part:
    """Return several parts as one."""
    first = np.cumsum([0, *(len(part[0]) for part in parts)]).tolist()
    triangles = [part[2] + k for part, k in zip(parts, first, strict=False)]
    return (np.concatenate([part[0] for part in parts]),
            np.concatenate([part[1] for part in parts]), np.concatenate(triangles),
            np.concatenate([part[3] for part in parts]))


def _swept(whole: Whole, walls: Walls, colours: FloatArray) -> list[Part]:
    """Return vertices, normals, triangles and linear colours of all swept grains, by shapes."""
    dimension, made = walls.enclosure.dimension, []
    for k in np.unique(whole.shape).tolist():
        shape, mine = walls.shapes[k], whole.shape == k
        faces = np.array(drawn_faces(shape, dimension), dtype=np.int64).reshape(-1, 3)
        mesh = _fitting(shape, faces, len(whole.first))
        turn, scale = whole.turn[mine][:, None], whole.scale[mine][:, None, None]
        vertices = whole.centre[mine][:, None] + scale * turned(turn, mesh.vertices[None])
        first = len(mesh.vertices) * np.arange(int(mine.sum()))
        made.append((vertices.reshape(-1, 3), turned(turn, mesh.normals[None]).reshape(-1, 3),
                     (first[:, None, None] + mesh.triangles[None]).reshape(-1, 3),
                     np.repeat(decode(colours[whole.first[mine]]), len(mesh.vertices), axis=0)))
    return made


def _fitting(shape: RigidShape, faces: IntArray, grains: int) -> Mesh:
    """Return the surface of a shape, as fine as so many grains may have it."""
    edges = np.array(shape.edges, dtype=np.int64).reshape(-1, 2)
    for detail in range(FINEST + 1, 0, -1):
        mesh = swept_mesh(np.array(shape.points), shape.radii[0], edges, faces, detail)
        if grains * len(mesh.vertices) <= MOST_VERTICES:
            break
    return mesh


def _balls(centres: FloatArray, radii: FloatArray, colours: FloatArray) -> Part:
    """Return vertices, normals, triangles and linear colours of all balls."""
    unit, faces = icosphere(_detail(len(centres)))
    vertices = centres[:, None, :] + radii[:, None, None] * unit[None]
    first = len(unit) * np.arange(len(centres))
    triangles = (first[:, None, None] + faces[None]).reshape(-1, 3)
    return (vertices.reshape(-1, 3), np.tile(unit, (len(centres), 1)), triangles,
            np.repeat(decode(colours), len(unit), axis=0))


def _detail(balls: int) -> int:
    fitting = [k for k in range(FINEST + 1) if balls * (10 * 4**k + 2) <= MOST_VERTICES]
    return max(fitting, default=0)


def icosphere(refined: int) -> tuple[FloatArray, IntArray]:
    """Return an icosahedron whose triangles were cut into four so often, on the unit sphere.

    Returns:
        Vertices, (10 4^k + 2, 3), and triangles, (20 4^k, 3), counter-clockwise from outside.
    """
    g = (1.0 + math.sqrt(5.0)) / 2.0
    vertices = np.array([[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g],
                         [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]])
    faces = np.array([[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9],
                      [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2],
                      [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10],
                      [8, 6, 7], [9, 8, 1]])
    for _ in range(refined):
        sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]))
        edges, edge = np.unique(sides, axis=0, return_inverse=True)
        ab, bc, ca = edge.reshape(3, -1) + len(vertices)
        vertices = np.concatenate([vertices, vertices[edges].mean(axis=1)])
        a, b, c = faces.T
        faces = np.concatenate([np.stack(corners, axis=1) for corners in (
            (a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
        vertices = vertices / np.linalg.norm(vertices, axis=1, keepdims=True)
    return vertices / np.linalg.norm(vertices, axis=1, keepdims=True), faces


def _flat(vertices: FloatArray, triangles: IntArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return triangles with vertices of their own, so that each is flat; none without area."""
    corners = vertices[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    good = length > 0.0
    flat = np.repeat(normal[good] / length[good, None], 3, axis=0)
    return corners[good].reshape(-1, 3), flat, np.arange(3 * int(good.sum())).reshape(-1, 3)
