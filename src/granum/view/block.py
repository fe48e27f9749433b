"""Blocks: named arrays as bytes that a browser hands to its graphics card as they are.

A block is, in little-endian order::

    4 bytes     "GRNV"
    4 bytes     length of the header in bytes, uint32, a multiple of 4
    header      JSON text, filled up with spaces
    data        the arrays one after the other, each begins at a multiple of 4

The header is an object. ``arrays`` lists for each array its ``name``, ``type`` ("f4", "u4", "u2",
"u1"), ``width`` (numbers a row), ``rows`` and ``first``, the byte of the data where it begins.
Arrays of type u2 and u1 that have ``low`` and ``high`` (``width`` numbers each) are quantised: with
the largest number m of the type, the stored s stands for

    low + (high - low) s / (m - 1),    s < m;    s = m stands for "not a number".

Whatever else the header holds is told beside the format by those who write it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

MAGIC = b"GRNV"
Grid = Literal["u1", "u2"]


@dataclass(frozen=True, eq=False)
class Quantised:
    """Numbers on an even grid between two limits.

    Attributes:
        stored: (n, width), uint8 or uint16.
        low: (width,) what 0 stands for.
        high: (width,) what the largest number but one stands for.
    """

    stored: NDArray[Any]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def values(self) -> NDArray[np.float64]:
        """Return the numbers again, (n, width), each within half a step of the grid."""
        most = np.iinfo(self.stored.dtype).max
        found = self.low + (self.high - self.low) * (self.stored / (most - 1))
        return np.where(self.stored == most, np.nan, found)


def quantise(values: NDArray[Any], grid: Grid, low: Any = None, high: Any = None) -> Quantised:
    """Return ``values``, (n,) or (n, width), on a grid from ``low`` to ``high``.

    The limits are those of the finite values unless given. What is not finite is "not a number".
    """
    rows = np.asarray(values, dtype=np.float64)
    rows = rows[:, None] if rows.ndim == 1 else rows
    finite = np.isfinite(rows)
    if low is None or high is None:
        low = np.where(finite, rows, np.inf).min(axis=0, initial=np.inf)
        high = np.where(finite, rows, -np.inf).max(axis=0, initial=-np.inf)
    low, high = np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)
    low, high = np.where(low <= high, low, 0.0), np.where(low <= high, high, 0.0)
    most = np.iinfo(grid).max
    span = np.where(high > low, high - low, 1.0)
    place = np.where(finite, (np.where(finite, rows, low) - low) / span, 0.0)
    stored = np.rint(np.clip(place, 0.0, 1.0) * (most - 1))
    return Quantised(np.where(finite, stored, most).astype(grid), low, high)


def pack(arrays: Mapping[str, NDArray[Any] | Quantised], **facts: Any) -> bytes:
    """Return a block of ``arrays``, (n,) or (n, width) each, with ``facts`` in its header.

    Arrays that are not quantised must be float32, uint32, uint16 or uint8.
    """
    told, parts, first = [], [], 0
    for name, given in arrays.items():
        array = given.stored if isinstance(given, Quantised) else given
        entry: dict[str, Any] = {
            "name": name, "type": array.dtype.str[1:], "rows": len(array), "first": first,
            "width": array.shape[1] if array.ndim == 2 else 1,
        }
        if isinstance(given, Quantised):
            entry.update(low=given.low.tolist(), high=given.high.tolist())
        data = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
        data += bytes(-len(data) % 4)
        told.append(entry)
        parts.append(data)
        first += len(data)
    header = json.dumps({"arrays": told, **facts}, allow_nan=False).encode()
    header += b" " * (-len(header) % 4)
    return b"".join([MAGIC, len(header).to_bytes(4, "little"), header, *parts])


def unpack(block: bytes) -> tuple[dict[str, NDArray[Any] | Quantised], dict[str, Any]]:
    """Return arrays and facts of a block: what the page does, in Python."""
    length = int.from_bytes(block[4:8], "little")
    header = json.loads(block[8:8 + length])
    arrays: dict[str, NDArray[Any] | Quantised] = {}
    for entry in header.pop("arrays"):
        array = np.frombuffer(block, f"<{entry['type']}", entry["rows"] * entry["width"],
                              8 + length + entry["first"])
        rows = array.reshape(entry["rows"], entry["width"])
        arrays[entry["name"]] = rows if entry["width"] > 1 else rows[:, 0]
        if "low" in entry:
            arrays[entry["name"]] = Quantised(rows, np.array(entry["low"]),
                                              np.array(entry["high"]))
    return arrays, header
