"""The contacts of frames: who pressed whom, where and how hard, beside the grains.

They stand in the group ``contacts`` of a file of frames, where VTK does not look: ``i``, ``j``,
``point`` and ``force``, the contacts of all frames one after the other, and ``first``, where those
of each frame begin, with one entry more than there are frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from granum.errors import InputError

GROUP, FIRST = "contacts", "first"
COLUMNS: dict[str, tuple[np.dtype[Any], tuple[int, ...]]] = {
    "i": (np.dtype(np.int64), ()),  # id of a grain
    "j": (np.dtype(np.int64), ()),  # id of its partner; -1 for a wall
    "point": (np.dtype(np.float64), (3,)),  # of the contact [m]
    "force": (np.dtype(np.float64), (3,)),  # on i [N]
}
ContactArrays = Mapping[str, NDArray[Any]]


def check_contacts(contacts: ContactArrays) -> dict[str, NDArray[Any]]:
    """Return the columns of a table of contacts, (c,) or (c, 3); refuse one that does not fit."""
    count = len(contacts["i"]) if "i" in contacts else 0
    checked = {}
    for name, (dtype, tail) in COLUMNS.items():
        values = np.ascontiguousarray(contacts.get(name, np.zeros(0)), dtype=dtype)
        if values.shape != (count, *tail):
            message = (f"the contacts of a frame need a column {name!r} of shape "
                       f"{(count, *tail)}, got {values.shape}")
            raise InputError(message)
        checked[name] = values
    return checked


def write_contacts(file: h5py.File, contacts: ContactArrays) -> None:
    """Write the contacts of the only frame in ``file``."""
    for name, values in contacts.items():
        file[f"{GROUP}/{name}"] = values
    file[f"{GROUP}/{FIRST}"] = np.array([0, len(contacts["i"])])


def join_contacts(file: h5py.File, parts: Iterable[h5py.File]) -> None:
    """Write the contacts of all frames in ``parts``, one each, into ``file``; none if none has."""
    first, grown = [0], False
    for part in parts:
        found = read_contacts(part, 0)
        if found is not None and not grown:
            for name, (dtype, tail) in COLUMNS.items():
                file.create_dataset(f"{GROUP}/{name}", (0, *tail), dtype, maxshape=(None, *tail),
                                    chunks=(1 << 12, *tail))
            grown = True
        first.append(first[-1] + (0 if found is None else len(found["i"])))
        for name, values in (found or {}).items():
            column = file[f"{GROUP}/{name}"]
            column.resize(first[-1], axis=0)
            column[first[-2]:] = values
    if grown:
        file[f"{GROUP}/{FIRST}"] = np.array(first)


def read_contacts(file: h5py.File, step: int) -> dict[str, NDArray[Any]] | None:
    """Return the contacts of step number ``step`` of a file, or None if it holds none."""
    if GROUP not in file:
        return None
    group = file[GROUP]
    begin, end = (int(place) for place in group[FIRST][step:step + 2])
    return {name: group[name][begin:end] for name in COLUMNS}
