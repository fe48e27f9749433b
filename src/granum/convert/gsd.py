"""Frames as GSD with the schema ``hoomd``, which OVITO and HOOMD-blue read.

Format: GSD file layer specification 2.0 and hoomd schema 1.4 (https://gsd.readthedocs.io). A file
is a header of 256 bytes; then the arrays ("chunks") one after the other; then the index, 32 bytes
for each chunk, sorted by frame and name; then the names, with a zero byte behind each. All numbers
are little-endian. What is not in a frame is as it was in the first.

The box of a GSD file has its middle at the origin: centres are told from the middle of the run's
box, which stands in ``log/granum/origin`` [m]. Lengths are metres, in float32 as the schema has it.
Swept grains are one particle each, with the place of their centre of mass; their types tell their
shapes.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.convert.choice import Choice
from granum.convert.looks import shape_of
from granum.output.atomic import replacing, write_all
from granum.output.vtkhdf import Frame
from granum.view.record import id_of, radius_of

MAGIC = 0x65DF65DF65DF65DF
HEADER = struct.Struct("<QQQQQII64s64s80x")  # magic, index, entries, names, entries, versions, ...
ENTRY = struct.Struct("<QQqIHBB")  # frame, rows, place, columns, number of the name, type, flags
SCHEMA_VERSION, FILE_VERSION = 1 << 16 | 4, 2 << 16
MOST_TYPES = 4000  # of swept grains: beyond that they are spheres, as large as what holds them
NAME_ROOM = 64  # bytes by which the room for names is counted
TYPES = {"u1": 1, "u2": 2, "u4": 3, "u8": 4, "i1": 5, "i2": 6, "i4": 7, "i8": 8, "f4": 9, "f8": 10}
LOGGED = "log/particles/"
PLAIN = {"velocity", "orientation", "material", "radius", "id"}  # have a place in the schema


def write_gsd(choice: Choice, path: Path) -> str:
    """Write the chosen frames; fields without a place in the schema go to ``log/particles``."""
    low, high, _ = choice.box()
    numbers = choice.numbers()
    entries: list[tuple[int, int, int, int, str, int]] = []
    first: dict[str, tuple[tuple[int, ...], bytes]] = {}
    with replacing(path) as raw:
        write_all(raw, bytes(HEADER.size))
        for place, number in enumerate(numbers):
            for name, array in _chunks(choice, number, low, high).items():
                content = array.tobytes()
                seen = (array.shape, content)
                if place and first.get(name) == seen:
                    continue
                if place == 0:
                    first[name] = seen
                columns = array.shape[1] if array.ndim == 2 else 1
                entries.append((place, len(array), raw.tell(), columns, name,
                                TYPES[array.dtype.str[1:]]))
                write_all(raw, content)
        names = sorted({entry[4] for entry in entries})
        index = sorted((frame, names.index(name), rows, where, columns, kind)
                       for frame, rows, where, columns, name, kind in entries)
        index_at = raw.tell()
        write_all(raw, b"".join(ENTRY.pack(frame, rows, where, columns, number, kind, 0)
                                for frame, number, rows, where, columns, kind in index))
        text = b"".join(name.encode() + b"\0" for name in names)
        room = -(-(len(text) + 1) // NAME_ROOM)
        names_at = raw.tell()
        write_all(raw, text.ljust(room * NAME_ROOM, b"\0"))
        raw.seek(0)
        write_all(raw, HEADER.pack(MAGIC, index_at, len(index), names_at, room, SCHEMA_VERSION,
                                   FILE_VERSION, b"granum", b"hoomd"))
    return f"{len(numbers)} frames"


def _chunks(choice: Choice, number: int, low: FloatArray, high: FloatArray
            ) -> dict[str, NDArray[Any]]:
    """Return the arrays of one frame, by their names in the schema."""
    frame = choice.frame(number)
    fields, count = frame.fields, len(frame.points)
    middle = 0.5 * (low + high)
    enclosure = choice.record.walls.enclosure
    box = np.concatenate([high - low, np.zeros(3)])
    if enclosure.dimension == 2:
        box[2] = 0.0
    ids = id_of(frame)
    found: dict[str, NDArray[Any]] = {
        "configuration/step": np.array([number], dtype="<u8"),
        "configuration/dimensions": np.array([enclosure.dimension], dtype="<u1"),
        "configuration/box": box.astype("<f4"),
        "particles/N": np.array([count], dtype="<u4"),
        **_types(choice, frame),
        "particles/diameter": (2.0 * radius_of(frame)).astype("<f4"),
        "particles/position": (frame.points - middle).astype("<f4"),
        "log/granum/time": np.array([frame.time]),
        "log/granum/origin": middle,
        f"{LOGGED}id": ids.astype("<u4"),
    }
    if len(np.unique(ids)) < count:
        found["particles/body"] = ids.astype("<i4")
    for name in ("velocity", "orientation"):
        if name in fields:
            found[f"particles/{name}"] = fields[name].astype("<f4")
    for name in fields.keys() - PLAIN:
        array = np.ascontiguousarray(fields[name])
        found[LOGGED + name] = array.astype(array.dtype.newbyteorder("<"))
    return found


def _types(choice: Choice, frame: Frame) -> dict[str, NDArray[Any]]:
    """Return the types of particles: materials, and for each size of a swept shape one of its own.

    How a type looks is told in ``type_shapes``; that of spheres is left open, since their diameters
    differ.
    """
    count, names = len(frame.points), _materials(choice, frame)
    typeid = np.asarray(frame.fields.get("material", np.zeros(count))).astype("<u4")
    shapes = choice.record.walls.shapes
    number = np.asarray(frame.fields.get("shape", np.full(count, -1)))
    swept = (number >= 0) & (number < len(shapes))
    swept[swept] = [bool(shapes[k].edges) for k in number[swept].tolist()]
    size = np.array([f"{r:.6g}" for r in radius_of(frame)[swept].tolist()])
    kinds, which = np.unique(np.column_stack([typeid[swept], number[swept], size]), axis=0,
                             return_inverse=True)
    if not len(kinds) or len(kinds) > MOST_TYPES or len(frame.edges):
        return {"particles/types": _texts(names), "particles/typeid": typeid}
    typeid[swept] = len(names) + which
    looks = ["{}"] * len(names)
    for material, k, radius in kinds.tolist():
        shape = shapes[int(k)]
        names.append(f"{names[int(material)]}, shape {k}, {radius} m")
        looks.append(json.dumps(shape_of(shape, float(radius) / shape.radius,
                                         choice.record.walls.enclosure.dimension)))
    return {"particles/types": _texts(names), "particles/typeid": typeid,
            "particles/type_shapes": _texts(looks)}


def _materials(choice: Choice, frame: Frame) -> list[str]:
    """Return a name for every number of a material that may occur."""
    most = int(np.max(frame.fields.get("material", np.zeros(1)), initial=0)) + 1
    known = choice.record.walls.materials
    return [known[k] if k < len(known) else f"material {k}" for k in range(max(most, len(known)))]


def _texts(names: list[str]) -> NDArray[Any]:
    """Return texts as the schema has them: rows of bytes, filled up with zeros."""
    encoded = [name.encode() for name in names]
    width = max(map(len, encoded)) + 1
    rows = b"".join(text.ljust(width, b"\0") for text in encoded)
    return np.frombuffer(rows, dtype="i1").reshape(len(names), width)
