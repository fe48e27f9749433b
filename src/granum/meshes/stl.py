"""Reading STL: triangles without names, each with its own three corners.

A binary file has 80 bytes of anything, the number of triangles (4 bytes, little-endian), and 50
bytes for each: normal, three corners (float32), two bytes of anything. A text file says ``solid``,
then for each triangle ``facet normal``, ``outer loop``, three times ``vertex x y z``, ``endloop``
and ``endfacet``, and at last ``endsolid``; there may be several solids. The normals are not used:
the order of the corners says the same.
"""

from __future__ import annotations

import numpy as np

from granum.meshes.raw import RawMesh, number_of, raw_mesh, refuse, text_lines

HEADER, RECORD = 84, 50  # [byte]
RECORDS = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
CYCLE = ("facet", "outer", "vertex", "vertex", "vertex", "endloop", "endfacet")


def read_stl(data: bytes, name: str) -> RawMesh:
    """Return the triangles of an STL file; ``name`` stands for it in messages."""
    is_text = data[:80].lstrip()[:5].lower() == b"solid"
    if len(data) >= HEADER:
        count = int.from_bytes(data[80:HEADER], "little")
        if len(data) == HEADER + RECORD * count:  # some programs begin binary files with "solid"
            return _read_binary(data, count, name)
        if not is_text:
            _refuse_size(len(data), count, name)
    if not is_text:
        refuse(name, f"byte {len(data)}", f"ends before the {HEADER} bytes that a binary STL file "
                                          "begins with")
    return _read_text(data, name)


def _refuse_size(size: int, count: int, name: str) -> None:
    held = (size - HEADER) // RECORD
    wanted = HEADER + RECORD * count
    what = "ends too early" if size < wanted else "has more than it says"
    refuse(name, f"byte {size}", f"the file {what}: it speaks of {count} triangles ({wanted} "
                                 f"bytes) and holds {held}")


def _read_binary(data: bytes, count: int, name: str) -> RawMesh:
    corners = np.frombuffer(data, RECORDS, count, HEADER)["corners"].astype(np.float64)
    place = HEADER + RECORD * np.arange(count, dtype=np.int64)
    is_sound = np.isfinite(corners).all(axis=(1, 2))
    if not is_sound.all():
        k = int(np.argmin(is_sound))
        refuse(name, f"byte {place[k]}, triangle {k + 1}", "a coordinate is not finite")
    return RawMesh(corners.reshape(-1, 3), np.arange(3 * count, dtype=np.int64).reshape(-1, 3),
                   place, "byte")


def _read_text(data: bytes, name: str) -> RawMesh:
    vertices: list[list[float]] = []
    place: list[int] = []
    step, is_open, line = 0, False, 0
    for line, text in enumerate(text_lines(data, name), start=1):
        words = text.split()
        if not words:
            continue
        word = words[0].lower()
        if word in ("solid", "endsolid") and step == 0:
            is_open = word == "solid"
            continue
        if not is_open or word != CYCLE[step]:
            wanted = f"'{CYCLE[step]}'" + (" or 'endsolid'" if step == 0 else "")
            refuse(name, f"line {line}",
                   f"{wanted if is_open else repr('solid')} is expected, got {words[0][:40]!r}")
        if word == "vertex":
            if len(words) != 4:
                refuse(name, f"line {line}", f"a vertex has three coordinates, got "
                                             f"{len(words) - 1}")
            vertices.append([number_of(x, name, f"line {line}") for x in words[1:]])
        elif word == "facet":
            place.append(line)
        step = (step + 1) % len(CYCLE)
    if is_open:
        wanted = f"'{CYCLE[step]}'" if step else "'endsolid'"
        refuse(name, f"line {line}", f"the file ends where {wanted} is expected: it is truncated")
    faces = np.arange(len(vertices)).reshape(-1, 3).tolist()
    return raw_mesh(vertices, faces, place, "line")
