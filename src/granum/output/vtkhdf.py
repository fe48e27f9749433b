"""The VTKHDF file format, as far as frames of grains need it: PolyData over time, one part a step.

Layout (https://docs.vtk.org, "VTKHDF format specification", version 2.0): the grains of all steps
stand one after the other in ``Points`` and ``PointData/<name>``; ``Steps`` says where each step
begins. Every grain is one vertex cell.

Two liberties keep all readers from VTK 9.3 on content:

* ``Connectivity`` is 0, 1, 2, ... for every step, so the steps share one array (offset 0).
* ``Offsets`` has one entry more than a step has cells, and readers find a step's place in it by
  counting the steps before; VTK 9.4 and later miscount steps without cells. An empty step
  therefore takes the room of a step with one cell, ``[0, 0]``, which all of them count alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from granum.errors import InputError, OutputError

FORMAT_VERSION = (2, 0)
STORABLE = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")


@dataclass(frozen=True)
class Frame:
    """The grains at one time.

    Attributes:
        time: [s]
        points: centres, shape (n, 3) [m].
        fields: one array for each quantity, shape (n,) or (n, components).
    """

    time: float
    points: NDArray[np.float64]
    fields: dict[str, NDArray[Any]]


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
    time: float, points: NDArray[Any], fields: Mapping[str, NDArray[Any]]
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
    return Frame(float(time), centres, checked)


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
    file: h5py.File, times: Sequence[float], counts: Sequence[int], names: Iterable[str]
) -> h5py.Group:
    """Write everything but the long columns, and return the group they belong into.

    Args:
        file: a new HDF5 file.
        times: time of each step [s].
        counts: number of grains of each step.
        names: the fields that will be there.
    """
    count = np.asarray(counts, dtype=np.int64)
    root = file.create_group("VTKHDF")
    root.attrs["Version"] = np.array(FORMAT_VERSION, dtype=np.int64)
    root.attrs["Type"] = np.bytes_("PolyData")
    root["NumberOfPoints"] = count
    # Equal arrays are stored once; naming a stored array again makes a second name for it.
    root["Vertices/NumberOfCells"] = root["NumberOfPoints"]
    root["Vertices/NumberOfConnectivityIds"] = root["NumberOfPoints"]
    root["Vertices/Connectivity"] = np.arange(count.max(initial=0), dtype=np.int64)
    root["Lines/NumberOfCells"] = np.zeros_like(count)
    root["Lines/NumberOfConnectivityIds"] = root["Lines/NumberOfCells"]
    root["Lines/Connectivity"] = np.zeros(0, dtype=np.int64)
    root["Lines/Offsets"] = root["Lines/NumberOfCells"]
    root["Polygons"] = root["Strips"] = root["Lines"]
    steps = root.create_group("Steps")
    steps.attrs["NSteps"] = np.int64(len(count))
    steps["Values"] = np.asarray(times, dtype=np.float64)
    steps["PartOffsets"] = np.arange(len(count))
    steps["NumberOfParts"] = np.ones_like(count)
    steps["PointOffsets"] = np.cumsum(count) - count
    cell_offsets = np.zeros((len(count), 4), dtype=np.int64)
    cell_offsets[1:, 0] = np.cumsum(offset_room(count) - 1)[:-1]
    steps["CellOffsets"] = cell_offsets
    steps["ConnectivityIdOffsets"] = np.zeros((len(count), 4), dtype=np.int64)
    for name in names:
        steps[f"PointDataOffsets/{name}"] = steps["PointOffsets"]
    return root


def write_frame(file: h5py.File, frame: Frame) -> None:
    """Write one frame as a file with a single step."""
    root = write_steps(file, [frame.time], [len(frame.points)], frame.fields)
    root["Points"] = frame.points
    root["Vertices/Offsets"] = offsets_of(len(frame.points))
    for name, values in frame.fields.items():
        root[f"PointData/{name}"] = values


def write_virtual(
    root: h5py.Group, column: Column, sources: Sequence[str], rows: Sequence[int]
) -> None:
    """Create a column that HDF5 puts together from other files whenever it is read.

    Args:
        root: the group to create it in.
        column: what to create; it has the same path in the other files.
        sources: the other files, relative to the folder of this one.
        rows: how many rows each of them gives, all that it has.
    """
    if sum(rows) == 0:
        root.create_dataset(column.path, shape=column.shape(0), dtype=column.dtype)
        return
    layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    space = h5py.h5s.create_simple(column.shape(sum(rows)))
    first = 0
    for source, count in zip(sources, rows, strict=True):
        if count > 0:
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
    return Frame(float(root["Steps/Values"][step]), root["Points"][rows], fields)


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
