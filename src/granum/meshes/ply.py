"""Reading PLY (Stanford): a header in words, then vertices and faces, as text or binary.

The header names elements in the order in which they stand in the file, with how many there are and
their properties. Of ``vertex`` the properties x, y and z are used, of ``face`` the list
``vertex_indices`` (or ``vertex_index``); everything else is passed over. Faces of more than three
corners are cut into triangles.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from granum.checks import FloatArray
from granum.meshes.raw import RawMesh, fan, index_of, number_of, raw_mesh, refuse

FORMATS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
CODES = {"char": "b", "int8": "b", "uchar": "B", "uint8": "B", "short": "h", "int16": "h",
         "ushort": "H", "uint16": "H", "int": "i", "int32": "i", "uint": "I", "uint32": "I",
         "float": "f", "float32": "f", "double": "d", "float64": "d"}
LISTS = ("vertex_indices", "vertex_index")


@dataclass
class _Property:
    name: str
    code: str
    count: str = ""  # code of the number of entries, if it is a list


@dataclass
class _Element:
    name: str
    count: int
    properties: list[_Property] = field(default_factory=list)


@dataclass
class _Source:
    """The part of the file behind the header, and how far it has been read."""

    name: str
    data: bytes
    order: str  # "<" or ">", or "" for text
    at: int  # next byte; of text the next line
    lines: list[bytes] = field(default_factory=list)

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"byte {self.at}" if self.order else f"line {self.at + 1}"


Row = dict[str, list[float]]


def read_ply(data: bytes, name: str) -> RawMesh:
    """Return the triangles of a PLY file; ``name`` stands for it in messages."""
    elements, source = _read_header(data, name)
    kinds = [element.name for element in elements]
    for wanted in ("vertex", "face"):
        if kinds.count(wanted) != 1:
            refuse(name, "header", f"one element '{wanted}' is wanted, got {kinds.count(wanted)}")
    vertices = np.zeros((0, 3))
    polygons: list[tuple[int, list[int]]] = []
    take: Callable[[_Source, _Element], Row] = _binary_row if source.order else _text_row
    for element in elements:
        wanted_keys = _wanted(element, name)
        places, rows = [], []
        for _ in range(element.count):
            places.append(source.at + (not source.order))
            row = take(source, element)
            rows.append([row[key] for key in wanted_keys])
        if element.name == "vertex":
            vertices = _points(rows, places, source)
        elif element.name == "face":
            polygons = [(place, [int(k) for k in row[0]])
                        for place, row in zip(places, rows, strict=True)]
    _refuse_rest(source)
    faces: list[list[int]] = []
    place: list[int] = []
    unit = "byte" if source.order else "line"
    for at, corners in polygons:
        made = fan(corners, vertices, name, f"{unit} {at}")
        faces += made
        place += [at] * len(made)
    return raw_mesh(vertices, faces, place, unit)


def _wanted(element: _Element, name: str) -> list[str]:
    """Return the properties of an element that are used."""
    known = {one.name: one for one in element.properties}
    if element.name == "vertex":
        for axis in "xyz":
            if axis not in known or known[axis].count:
                refuse(name, "header", f"vertices have no coordinate '{axis}'")
        return ["x", "y", "z"]
    if element.name == "face":
        lists = [one for one in LISTS if one in known and known[one].count]
        if not lists:
            refuse(name, "header", "faces have no list 'vertex_indices'")
        return lists[:1]
    return []


def _points(rows: list[list[list[float]]], places: list[int], source: _Source) -> FloatArray:
    points = np.array(rows, dtype=np.float64).reshape(-1, 3)
    is_sound = np.isfinite(points).all(axis=1)
    if not is_sound.all():
        unit = "byte" if source.order else "line"
        refuse(source.name, f"{unit} {places[int(np.argmin(is_sound))]}",
               "a coordinate is not finite")
    return points


def _read_header(data: bytes, name: str) -> tuple[list[_Element], _Source]:
    lines = data.split(b"\n")
    if lines[0].strip() != b"ply":
        refuse(name, "line 1", "a PLY file begins with the line 'ply'")
    ends = [k for k, line in enumerate(lines) if line.strip() == b"end_header"]
    if not ends:
        refuse(name, f"line {len(lines)}", "the file ends within its header: it is truncated")
    elements: list[_Element] = []
    order: str | None = None
    for number, line in enumerate(lines[1:ends[0]], start=2):
        words = line.decode("latin-1").split()
        place = f"line {number}"
        if not words or words[0] in ("comment", "obj_info"):
            continue
        if words[0] == "format" and len(words) == 3:
            if words[1] not in FORMATS or words[2] != "1.0":
                refuse(name, place, f"the format must be one of {', '.join(FORMATS)}, version 1.0, "
                                    f"got '{' '.join(words[1:])[:60]}'")
            order = FORMATS[words[1]]
        elif words[0] == "element" and len(words) == 3:
            elements.append(_Element(words[1], _count(words[2], name, place)))
        elif words[0] == "property" and elements:
            elements[-1].properties.append(_property(words, name, place))
        else:
            refuse(name, place, f"{' '.join(words)[:40]!r} is no line of a header")
    if order is None:
        refuse(name, f"line {ends[0] + 1}", "the header does not say the format")
    at = sum(len(line) + 1 for line in lines[:ends[0] + 1]) if order else ends[0] + 1
    return elements, _Source(name, data, order, at, lines)


def _count(text: str, name: str, place: str) -> int:
    count = index_of(text, name, place)
    if count < 0:
        refuse(name, place, f"there cannot be {count} of anything")
    return count


def _property(words: list[str], name: str, place: str) -> _Property:
    is_list = words[1:2] == ["list"]
    types = words[2:4] if is_list else words[1:2]
    if len(words) != (5 if is_list else 3) or any(one not in CODES for one in types):
        refuse(name, place, f"'{' '.join(words)[:60]}' is no property: known types are "
                            f"{', '.join(CODES)}")
    return _Property(words[-1], CODES[types[-1]], CODES[types[0]] if is_list else "")


def _text_row(source: _Source, element: _Element) -> Row:
    while source.at < len(source.lines) and not source.lines[source.at].strip():
        source.at += 1
    if source.at >= len(source.lines):
        refuse(source.name, source.place, f"the file ends within its {element.count} of "
                                          f"'{element.name}': it is truncated")
    words = source.lines[source.at].decode("latin-1").split()
    row: Row = {}
    for one in element.properties:
        length = 1
        if one.count:
            length = index_of(words.pop(0), source.name, source.place) if words else -1
        if not 0 <= length <= len(words):
            refuse(source.name, source.place, f"too few numbers for one '{element.name}'")
        row[one.name] = [_text_number(word, one, source) for word in words[:length]]
        del words[:length]
    if words:
        refuse(source.name, source.place, f"{len(words)} numbers too many for one "
                                          f"'{element.name}'")
    source.at += 1
    return row


def _text_number(word: str, one: _Property, source: _Source) -> float:
    if one.code in "fd":
        return number_of(word, source.name, source.place)
    return index_of(word, source.name, source.place)


def _binary_row(source: _Source, element: _Element) -> Row:
    row: Row = {}
    for one in element.properties:
        length = 1
        if one.count:
            length = int(_unpack(source, one.count, 1, element)[0])
            if length < 0:
                refuse(source.name, source.place, f"a list of {length} entries cannot be")
        row[one.name] = _unpack(source, one.code, length, element)
    return row


def _unpack(source: _Source, code: str, length: int, element: _Element) -> list[float]:
    layout = struct.Struct(f"{source.order}{length}{code}")
    if source.at + layout.size > len(source.data):
        refuse(source.name, f"byte {len(source.data)}",
               f"the file ends within its {element.count} of '{element.name}': it is truncated")
    values = layout.unpack_from(source.data, source.at)
    source.at += layout.size
    return list(values)


def _refuse_rest(source: _Source) -> None:
    """Refuse what stands behind the last element: the counts of the header are wrong."""
    rest = source.data[source.at:] if source.order else b"".join(source.lines[source.at:])
    if rest.strip():
        refuse(source.name, source.place, "there is more than the counts of the header say")
