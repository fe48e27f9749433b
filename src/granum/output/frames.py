"""Frames of a run: what ParaView opens, readable at any moment, even after a kill.

While the run goes on, every frame is a small whole file of its own, ``frames/frame_000012.vtkhdf``,
and ``frames.vtkhdf`` is an index: an HDF5 file whose long arrays are *virtual*, put together from
the frame files beside it. The names in it are relative, so the run's folder can be moved. At the
end ``consolidate`` makes ``frames.vtkhdf`` one self-contained file and removes the frame files.

The frame files are the truth as long as they exist; the index only repeats them. The attribute
``granum_frames`` of ``frames.vtkhdf`` tells the two forms apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from granum.checks import IntArray
from granum.errors import InputError, OutputError
from granum.output import vtkhdf
from granum.output.atomic import PART_SUFFIX, hdf5_into, output_error, replacing, sync_folder
from granum.output.frame_contacts import (
    ContactArrays,
    check_contacts,
    join_contacts,
    read_contacts,
    write_contacts,
)
from granum.output.vtkhdf import Column, Frame

WHOLE_NAME = "frames.vtkhdf"
FOLDER_NAME = "frames"
FORM, WHOLE, INDEX = "granum_frames", "whole", "index"
OFFSETS = ("Vertices/Offsets", "Lines/Offsets", "Polygons/Offsets")  # of balls, edges and faces
FRAME_FILE = re.compile(r"frame_(\d{6,})\.vtkhdf")

# The index costs about 0.2 ms for each frame in it. Refreshed after every frame it would cost more
# than the frames themselves in a long run, so it may lag behind by one frame in fifty.
INDEX_LAG = 50


@dataclass(frozen=True)
class _Record:
    """What the index needs to know of one frame file."""

    index: int
    time: float
    sizes: tuple[int, int, int]  # balls, edges and faces


class FrameWriter:
    """Writes the frames of a run into its folder.

    Opening a folder that has frames goes on after the last of them; see :meth:`truncate`.

    Args:
        folder: the run's folder, which exists.
    """

    def __init__(self, folder: Path) -> None:
        """Find out what the folder holds already."""
        self.folder = Path(folder)
        self._whole = self.folder / WHOLE_NAME
        self._parts = self.folder / FOLDER_NAME
        self._columns: list[Column] = []
        self._records: list[_Record] = []
        self._indexed = 0
        self._is_whole = _form(self._whole) == WHOLE
        self._load()

    @property
    def next_index(self) -> int:
        """The number of the next frame."""
        return self._records[-1].index + 1 if self._records else 0

    def write(
        self, index: int, time: float, points: NDArray[Any], fields: Mapping[str, NDArray[Any]],
        contacts: ContactArrays | None = None, edges: NDArray[Any] | None = None,
        faces: NDArray[Any] | None = None,
    ) -> None:
        """Write one frame; writing the last index once more replaces that frame.

        Args:
            index: number of the frame, growing.
            time: [s], growing.
            points: centres, shape (n, 3) [m]; n may change from frame to frame.
            fields: the same names and types in every frame, shape (n,) or (n, components).
            contacts: ``i``, ``j``, ``point`` and ``force`` of each contact (see
                ``frame_contacts``), if the run keeps them.
            edges: pairs of rows that swept segments join, shape (e, 2).
            faces: triples of rows that swept triangles join, shape (f, 3).

        Raises:
            InputError: out of order, or the arrays do not fit each other or the first frame.
            OutputError: the disk is full; the frames before stay readable.
        """
        frame = vtkhdf.make_frame(time, points, fields, edges, faces)
        checked = None if contacts is None else check_contacts(contacts)
        earlier = [record for record in self._records if record.index != index]
        self._check_order(index, frame.time, earlier)
        if earlier:
            self._check_columns(frame)
        if self._is_whole:
            self._unpack()
        self._write_part(index, frame, checked)
        self._columns = vtkhdf.columns_of(frame.fields)
        self._records = [*earlier, _Record(index, frame.time, frame.sizes)]
        if len(self._records) - self._indexed > len(self._records) // INDEX_LAG:
            self._write_index()

    def truncate(self, after_time: float) -> None:
        """Drop all frames later than ``after_time`` [s], before going on from a checkpoint."""
        if self._is_whole:
            if all(record.time <= after_time for record in self._records):
                return
            self._unpack()
        dropped = [record for record in self._records if record.time > after_time]
        self._records = [record for record in self._records if record.time <= after_time]
        self._write_index()  # first, so that it never names a frame that is gone
        self._remove(dropped)

    def consolidate(self) -> None:
        """Put all frames into one self-contained file and remove the frame files."""
        if self._records and not self._is_whole:
            with replacing(self._whole) as raw, hdf5_into(raw) as file:
                self._write_whole(file)
            self._is_whole = True
        self._clean_parts()

    def _load(self) -> None:
        """Find out what is there, and clear away what a killed process may have left."""
        if self._is_whole:
            self._clean_parts()
            with vtkhdf.open_vtkhdf(self._whole) as file:
                self._records = _records(file, file["frame_index"][()].tolist())
                self._columns = vtkhdf.columns_in(file)
            return
        for path in self._parts.glob(f"*{PART_SUFFIX}"):
            path.unlink()
        files = _frame_files(self._parts)
        _refuse_unknown(self._whole, [path for _, path in files])
        for index, path in files:
            with vtkhdf.open_vtkhdf(path) as file:
                self._records += _records(file, [index])
                self._columns = vtkhdf.columns_in(file)
        for before, after in pairwise(self._records):
            if after.time <= before.time:
                message = (f"the frames in {self._parts} are out of order: frame {after.index} "
                           f"(t = {after.time} s) is not later than frame {before.index} "
                           f"(t = {before.time} s); remove those that do not belong to this run")
                raise OutputError(message)

    def _path(self, index: int) -> Path:
        return self._parts / f"frame_{index:06d}.vtkhdf"

    def _check_order(self, index: int, time: float, earlier: list[_Record]) -> None:
        if earlier and (index < earlier[-1].index or not time > earlier[-1].time):
            last = earlier[-1]
            message = (f"frame {index} at {time} s cannot follow frame {last.index} at "
                       f"{last.time} s: truncate first")
            raise InputError(message)

    def _check_columns(self, frame: Frame) -> None:
        wanted, got = ({column.path: column for column in columns}
                       for columns in (self._columns, vtkhdf.columns_of(frame.fields)))
        if wanted != got:
            differing = sorted(
                path.rpartition("/")[2] for path in wanted.keys() | got.keys()
                if wanted.get(path) != got.get(path)
            )
            message = ("all frames of a run must have the same fields, of the same type and "
                       f"width; different from the first frame: {', '.join(differing)}")
            raise InputError(message)

    def _write_part(self, index: int, frame: Frame, contacts: ContactArrays | None) -> None:
        try:
            if not self._parts.is_dir():
                self._parts.mkdir()
                sync_folder(self.folder)
        except OSError as error:
            raise output_error(self._parts, error) from error
        with replacing(self._path(index)) as raw, hdf5_into(raw) as file:
            vtkhdf.write_frame(file, frame)
            if contacts is not None:
                write_contacts(file, contacts)

    def _start(self, file: h5py.File, form: str) -> h5py.Group:
        """Write what index and whole file have in common."""
        file.attrs[FORM] = form
        file["frame_index"] = np.array([record.index for record in self._records], dtype=np.int64)
        names = [column.name for column in self._columns[1:]]
        return vtkhdf.write_steps(
            file, [record.time for record in self._records],
            [record.sizes for record in self._records], names,
        )

    @property
    def _sizes(self) -> IntArray:
        """Balls, edges and faces of all frames, (frames, 3)."""
        return np.array([record.sizes for record in self._records], dtype=np.int64)

    def _write_index(self) -> None:
        """Replace the index by one of all frames; without any frame there is no index."""
        if not self._records:
            self._whole.unlink(missing_ok=True)
        else:
            sources = [f"{FOLDER_NAME}/{self._path(record.index).name}"
                       for record in self._records]
            with replacing(self._whole) as raw, hdf5_into(raw) as file:
                root = self._start(file, INDEX)
                for column, rows in self._long_columns():
                    given = [None if _is_empty(column, record) else source
                             for source, record in zip(sources, self._records, strict=True)]
                    vtkhdf.write_virtual(root, column, given, rows.tolist())
        self._indexed = len(self._records)

    def _long_columns(self) -> Iterator[tuple[Column, IntArray]]:
        """Give all long columns, and how many rows each frame gives to them."""
        sizes, whole = self._sizes, np.dtype(np.int64)
        for column in self._columns:
            yield column, sizes[:, 0]
        for k, path in enumerate(OFFSETS):
            if k == 0 or sizes[:, k].any():
                yield Column(path, whole, ()), vtkhdf.offset_room(sizes[:, k])
        for k, (kind, width) in enumerate(vtkhdf.JOINTS, start=1):
            if sizes[:, k].any():
                yield Column(f"{kind}/Connectivity", whole, ()), width * sizes[:, k]

    def _write_whole(self, file: h5py.File) -> None:
        """Copy all frames, one after the other, into one file."""
        root = self._start(file, WHOLE)
        columns = list(self._long_columns())
        data = []
        for column, rows in columns:
            total = int(rows.sum())
            own = column.path.startswith(("Points", "PointData/"))
            how = {} if own else {"chunks": (min(max(total, 1), 1 << 14),), **vtkhdf.DULL}
            data.append(root.create_dataset(column.path, column.shape(total), column.dtype, **how))
        first = np.zeros(len(columns), dtype=np.int64)
        for number, record in enumerate(self._records):
            after = first + [rows[number] for _, rows in columns]
            with vtkhdf.open_vtkhdf(self._path(record.index)) as part:
                for k, (column, _) in enumerate(columns):
                    if not _is_empty(column, record):  # else zeros, as it was made
                        data[k][first[k]:after[k]] = part[f"VTKHDF/{column.path}"][()]
            first = after
        join_contacts(file, self._parts_in_turn())

    def _parts_in_turn(self) -> Iterator[h5py.File]:
        for record in self._records:
            with vtkhdf.open_vtkhdf(self._path(record.index)) as part:
                yield part

    def _unpack(self) -> None:
        """Go back from one whole file to frame files, so that frames can be dropped or added.

        A kill on the way does no harm: the whole file counts until the index replaces it.
        """
        with vtkhdf.open_vtkhdf(self._whole) as file:
            for step, record in enumerate(self._records):
                self._write_part(record.index, vtkhdf.read_frame(file, step),
                                 read_contacts(file, step))
        self._write_index()
        self._is_whole = False

    def _remove(self, records: list[_Record]) -> None:
        for record in reversed(records):
            self._path(record.index).unlink(missing_ok=True)
        if records and self._parts.is_dir():
            sync_folder(self._parts)

    def _clean_parts(self) -> None:
        """Remove the frame files and their folder; anything else in there stays."""
        if not self._parts.is_dir():
            return
        for path in self._parts.iterdir():
            if FRAME_FILE.fullmatch(path.name.removesuffix(PART_SUFFIX)):
                path.unlink()
        if not any(self._parts.iterdir()):
            self._parts.rmdir()
        sync_folder(self.folder)


class Frames:
    """The frames of a run, read one at a time: ``len(frames)``, ``frames.times``, ``frames[k]``.

    Attributes:
        times: shape (frames,) [s].
    """

    def __init__(self, steps: list[tuple[Path, int]], times: list[float],
                 written: Mapping[Path, tuple[int, float]] | None = None) -> None:
        """Remember for each frame its file and its place in it.

        ``written`` tells of frame files when each was written [ns], and the time of its frame [s].
        """
        self._steps = steps
        self.written = dict(written or {})
        self.times = np.array(times, dtype=np.float64)

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self._steps)

    def __getitem__(self, number: int) -> Frame:
        """Read frame ``number``; negative numbers count from the last."""
        path, step = self._steps[number]
        with vtkhdf.open_vtkhdf(path) as file:
            return vtkhdf.read_frame(file, step)

    def contacts(self, number: int) -> dict[str, NDArray[Any]] | None:
        """Read the contacts of frame ``number``: i, j, point, force; None if it holds none."""
        path, step = self._steps[number]
        with vtkhdf.open_vtkhdf(path) as file:
            return read_contacts(file, step)

    def path(self, number: int) -> Path:
        """Return the file in which frame ``number`` stands."""
        return self._steps[number][0]


def read_frames(folder: Path, known: Frames | None = None) -> Frames:
    """Return the frames in a run's folder, finished or not.

    Args:
        folder: of the run.
        known: what was read of it before; frame files that are the same as then are not opened.

    Raises:
        OutputError: there are none, or they cannot be read.
    """
    folder = Path(folder)
    whole = folder / WHOLE_NAME
    if _form(whole) == WHOLE:
        with vtkhdf.open_vtkhdf(whole) as file:
            times = [float(time) for time in file["VTKHDF/Steps/Values"][()]]
        return Frames([(whole, step) for step in range(len(times))], times)
    paths = [path for _, path in _frame_files(folder / FOLDER_NAME)]
    _refuse_unknown(whole, paths)
    if not paths:
        message = f"there are no frames in {folder}: neither {WHOLE_NAME} nor {FOLDER_NAME}/"
        raise OutputError(message)
    before = {} if known is None else known.written
    written = {}
    for path in paths:
        stamp = path.stat().st_mtime_ns
        if path not in before or before[path][0] != stamp:
            with vtkhdf.open_vtkhdf(path) as file:
                written[path] = (stamp, float(file["VTKHDF/Steps/Values"][0]))
        else:
            written[path] = before[path]
    return Frames([(path, 0) for path in paths], [time for _, time in written.values()], written)


def _form(path: Path) -> str:
    """Return which form ``path`` has, or ``"none"`` if it is no readable file of frames."""
    try:
        with h5py.File(path, "r", locking=False) as file:
            return str(file.attrs.get(FORM, "none"))
    except OSError:
        return "none"


def _refuse_unknown(whole: Path, frame_files: list[Path]) -> None:
    """Refuse a damaged or foreign ``frames.vtkhdf`` if there is nothing to make it anew from."""
    if whole.exists() and not frame_files and _form(whole) != INDEX:
        vtkhdf.open_vtkhdf(whole).close()
        message = f"{whole} was not written by granum: move it away"
        raise OutputError(message)


def _frame_files(folder: Path) -> list[tuple[int, Path]]:
    """Return number and path of every frame file, in the order of the numbers."""
    if not folder.is_dir():
        return []
    found = [(FRAME_FILE.fullmatch(path.name), path) for path in folder.iterdir()]
    return sorted((int(match[1]), path) for match, path in found if match)


def _is_empty(column: Column, record: _Record) -> bool:
    """Tell whether a frame has nothing to say in a column: zeros stand there, if it takes room."""
    kind = column.path.partition("/")[0]
    return record.sizes[{"Lines": 1, "Polygons": 2}.get(kind, 0)] == 0


def _records(file: h5py.File, indices: list[int]) -> list[_Record]:
    """Return the records of all steps in an open file."""
    times = file["VTKHDF/Steps/Values"][()].tolist()
    sizes = zip(*(file[f"VTKHDF/{name}"][()].tolist() for name in (
        "NumberOfPoints", "Lines/NumberOfCells", "Polygons/NumberOfCells")), strict=True)
    return [_Record(*row) for row in zip(indices, times, sizes, strict=True)]
