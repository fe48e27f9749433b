"""What of a run folder is read, and how much: a folder may come from anybody.

Only the files that granum writes are opened, by names that stand here, never by names from outside.
They must lie in the folder itself, not behind a link that leads out of it. HDF5 can hide in a file
that its arrays stand in other files, anywhere on the disk; such arrays are refused. So are sizes
that no run has, before room is made for them.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import h5py

from granum.errors import OutputError
from granum.output.frame_contacts import COLUMNS as CONTACT_COLUMNS
from granum.output.frame_contacts import FIRST
from granum.output.frame_contacts import GROUP as CONTACTS
from granum.output.vtkhdf import JOINTS, open_vtkhdf

SCENARIO, SERIES, SUMMARY = "scenario.toml", "series.csv", "summary.json"
CHECKPOINTS = "checkpoints"
FRAMES, FRAME_FOLDER = "frames.vtkhdf", "frames"

MOST_GRAINS = 5_000_000  # of a frame
MOST_JOINTS = 20_000_000  # edges of a frame, and faces
MOST_FRAMES = 200_000
MOST_FIELDS, WIDEST = 64, 16
MOST_COLUMNS, LONGEST_HEADER, LARGEST_SERIES = 1000, 1 << 17, 1 << 28  # columns, bytes, bytes
LARGEST_TEXT = 1 << 22  # bytes
LARGEST_CHECKPOINT = 1 << 33  # bytes

UNREADABLE = (OSError, KeyError, ValueError, TypeError, RuntimeError, IndexError, AttributeError,
              OverflowError, MemoryError)
"""What HDF5, NumPy and the parsers raise on files that are damaged or made up."""


def inside(folder: Path, path: Path) -> Path:
    """Return ``path`` if it leads to something in ``folder``.

    Raises:
        OutputError: it is a link out of the folder.
    """
    if not path.resolve().is_relative_to(folder.resolve()):
        message = f"{path.name} leads out of the run folder and is not read"
        raise OutputError(message)
    return path


def read_text(folder: Path, name: str) -> str | None:
    """Return the text of a small file, or None if there is none."""
    path = inside(folder, folder / name)
    if not path.is_file():
        return None
    if path.stat().st_size > LARGEST_TEXT:
        message = f"{name} has {path.stat().st_size / 1e6:.0f} MB and is not read"
        raise OutputError(message)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{name} cannot be read: {error}"
        raise OutputError(message) from error


def read_table(folder: Path, name: str) -> dict[str, Any]:
    """Return a small TOML or JSON file as a table, empty if there is none."""
    text = read_text(folder, name)
    if text is None:
        return {}
    try:
        found = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"{name} cannot be read: {error}"
        raise OutputError(message) from error
    if not isinstance(found, dict):
        message = f"{name} holds no table"
        raise OutputError(message)
    return found


def check_series(folder: Path) -> Path:
    """Return the path of the series after a look at its size and its header."""
    path = inside(folder, folder / SERIES)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.readline(LONGEST_HEADER)
    except OSError as error:
        message = f"{SERIES} cannot be read: {error.strerror or error}"
        raise OutputError(message) from error
    columns = header.count(b",") + 1
    if columns > MOST_COLUMNS or len(header) == LONGEST_HEADER:
        message = f"{SERIES} has {columns} columns or more; at most {MOST_COLUMNS} are shown"
        raise OutputError(message)
    if size > LARGEST_SERIES:
        message = (f"{SERIES} has {size / 1e6:.0f} MB; at most {LARGEST_SERIES / 1e6:.0f} MB are "
                   "shown")
        raise OutputError(message)
    return path


def check_steps(folder: Path) -> None:
    """Refuse a ``frames.vtkhdf``, of either form, with more frames than any run has."""
    path = inside(folder, folder / FRAMES)
    if not path.is_file():
        return
    with open_vtkhdf(path) as file:
        root = _group(file, "VTKHDF")
        steps = _group(root, "Steps")
        for place, name in ((root, "NumberOfPoints"), (steps, "Values")):
            _check_array(path, place, name)
            if place[name].shape[0] > MOST_FRAMES:
                message = (f"{path.name} has {place[name].shape[0]} frames; at most {MOST_FRAMES} "
                           "are shown")
                raise OutputError(message)


def check_frames(folder: Path, path: Path) -> None:
    """Refuse a file of frames whose arrays stand elsewhere, or are of impossible size."""
    with open_vtkhdf(inside(folder, path)) as file:
        root = _group(file, "VTKHDF")
        fields = _group(root, "PointData") if "PointData" in root else {}
        if len(fields) > MOST_FIELDS:
            message = f"{path.name} has {len(fields)} fields; at most {MOST_FIELDS} are shown"
            raise OutputError(message)
        steps = _group(root, "Steps")
        joints = [(_group(root, kind), name) for kind, _ in JOINTS
                  for name in ("NumberOfCells", "Connectivity")]
        for place, name in [(root, "Points"), (root, "NumberOfPoints"), (steps, "Values"),
                            (steps, "PointOffsets"), (steps, "ConnectivityIdOffsets"), *joints,
                            *((fields, name) for name in fields)]:
            _check_array(path, place, name)
        if CONTACTS in file:
            group = _group(file, CONTACTS)
            for name in (*CONTACT_COLUMNS, FIRST):
                _check_array(path, group, name)
        most = int(root["NumberOfPoints"][:MOST_FRAMES].max(initial=0))
        if most > MOST_GRAINS:
            message = f"{path.name} has a frame of {most} grains; at most {MOST_GRAINS} are shown"
            raise OutputError(message)
        for kind, _ in JOINTS:
            most = int(root[kind]["NumberOfCells"][:MOST_FRAMES].max(initial=0))
            if most > MOST_JOINTS:
                message = (f"{path.name} has a frame of {most} {kind.lower()}; at most "
                           f"{MOST_JOINTS} are shown")
                raise OutputError(message)


def check_size(path: Path) -> None:
    """Refuse a checkpoint that would not fit into memory."""
    if path.stat().st_size > LARGEST_CHECKPOINT:
        message = f"{path.name} has {path.stat().st_size / 1e9:.0f} GB and is not read"
        raise OutputError(message)


def _group(place: h5py.Group, name: str) -> h5py.Group:
    _refuse_links(place, name)
    found = place[name]
    if not isinstance(found, h5py.Group):
        message = f"{name} is no group"
        raise OutputError(message)
    return found


def _check_array(path: Path, place: h5py.Group, name: str) -> None:
    _refuse_links(place, name)
    data = place[name]
    if not isinstance(data, h5py.Dataset) or data.dtype.kind not in "iuf":
        message = f"{path.name}: {name} holds no numbers"
        raise OutputError(message)
    if data.external or data.is_virtual:
        message = f"{path.name}: {name} stands in another file and is not read"
        raise OutputError(message)
    if data.ndim not in (1, 2) or (data.ndim == 2 and data.shape[1] > WIDEST):
        message = f"{path.name}: {name} has the shape {data.shape}, which no field has"
        raise OutputError(message)


def _refuse_links(place: h5py.Group, name: str) -> None:
    if not isinstance(place.get(name, getlink=True), h5py.HardLink):
        message = f"{name} stands in another file and is not read"
        raise OutputError(message)
