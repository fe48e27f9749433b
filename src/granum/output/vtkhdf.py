"""The VTKHDF file format, as far as frames of grains need it: PolyData over time, one part a step.

Layout (https://docs.vtk.org, "VTKHDF format specification", version 2.0): the balls of all steps
stand one after the other in ``Points`` and ``PointData/<name>``; ``Steps`` says where each step
begins. Every ball is one vertex cell. Balls that a swept shape joins are also ends of ``Lines``
(its edges) and corners of ``Polygons`` (its faces, all triangles), so that ParaView draws its
skeleton.

Two liberties keep all readers from VTK 9.3 on content:

* ``Connectivity`` is 0, 1, 2, ... for every step, so the steps share one array (offset 0).
* ``Offsets`` has one entry more than a step has cells, and readers find a step's place in it by
  counting the steps before; VTK 9.4 and later miscount steps without cells. An empty step
  therefore takes the room of a step with one cell, ``[0, 0]``, which all of them count alike.

Lines and polygons are not shared by the steps, since grains come and go; they compress very well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from granum.checks import IntArray
from granum.errors import InputError, OutputError

FORMAT_VERSION = (2, 0)
STORABLE = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
JOINTS = (("Lines", 2), ("Polygons", 3))
"""What joins balls: name of the kind of cells, and how many balls each of them has."""
DULL: dict[str, Any] = {"compression": 1, "shuffle": True}
"""How arrays are stored that are long and regular: they take next to no room then."""


def _none(width: int) -> IntArray:
    return np.zeros((0, width), dtype=np.int64)


@dataclass(frozen=True)
class Frame:
    """The grains at one time, ball by ball.

    Attributes:
        time: [s]
        points: centres, shape (n, 3) [m].
        fields: one array for each quantity, shape (n,) or (n, components).
        edges: pairs of rows that a swept segment joins, shape (e, 2).
        faces: triples of rows that a swept triangle joins, shape (f, 3).
    """

    time: float
    points: NDArray[np.float64]
    fields: dict[str, NDArray[Any]]
    edges: IntArray = field(default_factory=lambda: _none(2))
    faces: IntArray = field(default_factory=lambda: _none(3))

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many balls, edges and faces there are."""
        return len(self.points), len(self.edges), len(self.faces)


@dataclass(frozen=True)
class Column:
    """One array over all grains of all steps: where it stands in the file, its type and shape."""

    path: str
    dtype: np.dtype[Any]
    tail: tuple[int, ...]

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def shape(self, rows: int) -> tuple[int, ...]:
        """Return the shape of ``rows`` rows."""
        return (rows, *self.tail)


def make_frame(
    time: float, points: NDArray[Any], fields: Mapping[str, NDArray[Any]],
    edges: NDArray[Any] | None = None, faces: NDArray[Any] | None = None,
) -> Frame:
    """Return a checked frame; fields of booleans become 0 and 1, which VTK can show."""
    centres = np.ascontiguousarray(points, dtype=np.float64)
    if centres.ndim != 2 or centres.shape[1] != 3:
        message = f"the points of a frame must have shape (n, 3), got {centres.shape}"
        raise InputError(message)
    checked = {}
    for name, values in fields.items():
        field = np.ascontiguousarray(values)
        if field.dtype == np.bool_:
            field = field.astype(np.uint8)
        if field.ndim not in (1, 2) or len(field) != len(centres):
            message = (f"the field {name!r} must have shape ({len(centres)},) or "
                       f"({len(centres)}, components), got {field.shape}")
            raise InputError(message)
        if field.dtype.str[1:] not in STORABLE:
            message = f"the field {name!r} must hold integers or floats, got {field.dtype}"
            raise InputError(message)
        if not name or "/" in name or name.startswith("."):
            message = f"{name!r} is no name for a field: VTK allows no slash and no leading dot"
            raise InputError(message)
        checked[name] = field
    joined = [_rows(kind, _none(width) if given is None else given, width, len(centres))
              for (kind, width), given in zip(JOINTS, (edges, faces), strict=True)]
    return Frame(float(time), centres, checked, *joined)


def _rows(kind: str, given: NDArray[Any], width: int, count: int) -> IntArray:
    """Return checked numbers of rows, (m, width)."""
    rows = np.ascontiguousarray(given, dtype=np.int64)
    if rows.ndim != 2 or rows.shape[1] != width or (rows.size and not (
            rows.min() >= 0 and rows.max() < count)):
        message = (f"the {kind.lower()} of a frame must join rows 0 to {count - 1}, {width} each, "
                   f"got an array of shape {rows.shape}"
                   + (f" with numbers from {rows.min()} to {rows.max()}" if rows.size else ""))
        raise InputError(message)
    return rows


def columns_of(fields: Mapping[str, Any]) -> list[Column]:
    """Return the columns a file of frames with such ``fields`` has, one row a grain."""
    return [Column("Points", np.dtype(np.float64), (3,))] + [
        Column(f"PointData/{name}", values.dtype, values.shape[1:])
        for name, values in fields.items()
    ]


def columns_in(file: h5py.File) -> list[Column]:
    """Return the columns of an open file of frames."""
    return columns_of(file["VTKHDF"].get("PointData", {}))


def offset_room(count: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Return how many entries of ``Offsets`` a step of ``count`` grains takes."""
    return np.maximum(count, 1) + 1


def offsets_of(count: int) -> NDArray[np.int64]:
    """Return the entries of ``Offsets`` for a step of ``count`` grains."""
    return np.arange(count + 1) if count > 0 else np.zeros(2, dtype=np.int64)


def write_steps(
    file: h5py.File, times: Sequence[float], sizes: Sequence[tuple[int, int, int]],
    names: Iterable[str]
) -> h5py.Group:
    """Write everything but the long columns, and return the group they belong into.

    Args:
        file: a new HDF5 file.
        times: time of each step [s].
        sizes: numbers of balls, edges and faces of each step.
        names: the fields that will be there.
    """
    every = np.array(sizes, dtype=np.int64).reshape(-1, 3)
    count = every[:, 0]
    root = file.create_group("VTKHDF")
    root.attrs["Version"] = np.array(FORMAT_VERSION, dtype=np.int64)
    root.attrs["Type"] = np.bytes_("PolyData")
    root["NumberOfPoints"] = count
    # Equal arrays are stored once; naming a stored array again makes a second name for it.
    root["Vertices/NumberOfCells"] = root["NumberOfPoints"]
    root["Vertices/NumberOfConnectivityIds"] = root["NumberOfPoints"]
    root["Vertices/Connectivity"] = np.arange(count.max(initial=0), dtype=np.int64)
    root["Strips/NumberOfCells"] = np.zeros_like(count)
    root["Strips/NumberOfConnectivityIds"] = root["Strips/NumberOfCells"]
    root["Strips/Connectivity"] = np.zeros(0, dtype=np.int64)
    root["Strips/Offsets"] = root["Strips/NumberOfCells"]
    steps = root.create_group("Steps")
    steps.attrs["NSteps"] = np.int64(len(count))
    steps["Values"] = np.asarray(times, dtype=np.float64)
    steps["PartOffsets"] = np.arange(len(count))
    steps["NumberOfParts"] = np.ones_like(count)
    steps["PointOffsets"] = np.cumsum(count) - count
    cell_offsets = np.zeros((len(count), 4), dtype=np.int64)
    cell_offsets[1:, 0] = np.cumsum(offset_room(count) - 1)[:-1]
    id_offsets = np.zeros((len(count), 4), dtype=np.int64)
    for k, (kind, width) in enumerate(JOINTS, start=1):
        cells = every[:, k]
        if not cells.any():
            root[kind] = root["Strips"]
            continue
        root[f"{kind}/NumberOfCells"] = cells
        root[f"{kind}/NumberOfConnectivityIds"] = width * cells
        cell_offsets[1:, k] = np.cumsum(offset_room(cells) - 1)[:-1]
        id_offsets[1:, k] = np.cumsum(width * cells)[:-1]
    steps["CellOffsets"] = cell_offsets
    steps["ConnectivityIdOffsets"] = id_offsets
    for name in names:
        steps[f"PointDataOffsets/{name}"] = steps["PointOffsets"]
    return root


def write_frame(file: h5py.File, frame: Frame) -> None:
    """Write one frame as a file with a single step."""
    root = write_steps(file, [frame.time], [frame.sizes], frame.fields)
    root["Points"] = frame.points
    root["Vertices/Offsets"] = offsets_of(len(frame.points))
    for (kind, width), rows in zip(JOINTS, (frame.edges, frame.faces), strict=True):
        if len(rows):
            root.create_dataset(f"{kind}/Connectivity", data=rows.ravel(), **DULL)
            root.create_dataset(f"{kind}/Offsets", data=width * offsets_of(len(rows)), **DULL)
    for name, values in frame.fields.items():
        root[f"PointData/{name}"] = values


def write_virtual(
    root: h5py.Group, column: Column, sources: Sequence[str | None], rows: Sequence[int]
) -> None:
    """Create a column that HDF5 puts together from other files whenever it is read.

    Args:
        root: the group to create it in.
        column: what to create; it has the same path in the other files.
        sources: the other files, relative to the folder of this one; None: rows of zeros.
        rows: how many rows each of them gives, all that it has.
    """
    if sum(rows) == 0:
        root.create_dataset(column.path, shape=column.shape(0), dtype=column.dtype)
        return
    layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    space = h5py.h5s.create_simple(column.shape(sum(rows)))
    first = 0
    for source, count in zip(sources, rows, strict=True):
        if count > 0 and source is not None:
            shape = column.shape(count)
            space.select_hyperslab((first,) + (0,) * len(column.tail), shape)
            layout.set_virtual(space, source.encode(), f"VTKHDF/{column.path}".encode(),
                               h5py.h5s.create_simple(shape))
        first += count
    space.select_all()
    group = root.require_group(column.path.rpartition("/")[0]) if "/" in column.path else root
    h5py.h5d.create(group.id, column.name.encode(), h5py.h5t.py_create(column.dtype), space, layout)


def read_frame(file: h5py.File, step: int) -> Frame:
    """Return step number ``step`` of a file."""
    root = file["VTKHDF"]
    first = int(root["Steps/PointOffsets"][step])
    rows = slice(first, first + int(root["NumberOfPoints"][step]))
    fields = {name: data[rows] for name, data in root.get("PointData", {}).items()}
    points = root["Points"][rows]
    joined = [_read_rows(root, k, step, len(points)) for k in (1, 2)]
    return Frame(float(root["Steps/Values"][step]), points, fields, *joined)


def _read_rows(root: h5py.Group, k: int, step: int, points: int) -> IntArray:
    """Return what joins the balls of a step, (m, width); by the place of its kind in the file."""
    kind, width = JOINTS[k - 1]
    first = int(root["Steps/ConnectivityIdOffsets"][step, k])
    count = int(root[f"{kind}/NumberOfCells"][step])
    found = root[f"{kind}/Connectivity"][first:first + width * count]
    try:
        return _rows(kind, found.reshape(count, width), width, points)
    except (InputError, ValueError) as error:
        message = f"the {kind.lower()} of a frame cannot be read: {error}"
        raise OutputError(message) from error


def open_vtkhdf(path: Path) -> h5py.File:
    """Open a file of frames for reading.

    Raises:
        OutputError: it is missing, damaged, or something else.
    """
    try:
        # Finished files never change: no lock is needed, and network disks often have none.
        file = h5py.File(path, "r", locking=False)
    except OSError as error:
        message = f"cannot read the frames in {path}: {error}"
        raise OutputError(message) from error
    if "VTKHDF/Steps/Values" not in file:
        file.close()
        message = f"cannot read the frames in {path}: not a VTKHDF file with time steps"
        raise OutputError(message)
    return file
