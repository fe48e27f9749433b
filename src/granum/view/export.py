"""A run as one file: the page with its data in it, small enough to be sent around.

Frames are thinned evenly and their numbers quantised until everything fits. Centres take 16 bits a
coordinate, on one grid for the whole run, so that what rests does not tremble; quantities take 16
bits, or 8 where that saves frames, on a grid between the limits of each frame. What is the same in
all frames, as radii and ids mostly are, stands there once. Contacts take more room than everything
else, so they are there only if asked for.
"""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.errors import GranumError, InputError, OutputError
from granum.output.atomic import replace_bytes
from granum.output.vtkhdf import Frame
from granum.view.block import Grid, Quantised, pack, quantise
from granum.view.bundle import whole_page
from granum.view.network import Rods, rods_of
from granum.view.quantities import limits_of
from granum.view.record import Record, grains_in, id_of, joints_block, radius_of

MEGABYTE = 1e6
BASE64 = 4.0 / 3.0
GRIDS: tuple[Grid, Grid] = ("u2", "u1")
Read = tuple[Frame, list[FloatArray], Rods | None]  # of a frame: what is kept of it


def export_page(record: Record, path: Path, size: float = 15.0, contacts: bool = False
                ) -> dict[str, Any]:
    """Write the page of a run as one file that needs no server and no network.

    Args:
        record: the run.
        path: the file, ``.html``; one that is there is replaced when the new one is complete.
        size: the most it may have [MB].
        contacts: whether contacts are in it, as rods.

    Returns:
        ``frames`` kept, ``of`` so many, and ``bytes`` of the file.

    Raises:
        InputError: the name or the size cannot be meant.
        OutputError: not even one frame fits, or the run cannot be read.
    """
    if path.suffix not in (".html", ".htm"):
        message = (f"a page ends in .html, got {path.name}; "
                   f"try: --export {path.with_suffix('.html')}")
        raise InputError(message)
    content, facts = exported(record, size, contacts)
    replace_bytes(path, content)
    return facts


def exported(record: Record, size: float = 15.0, contacts: bool = False
             ) -> tuple[bytes, dict[str, Any]]:
    """Return the page of a run with the run in it, and what `export_page` returns."""
    if not 0.0 < size < 2000.0:
        message = f"--size must be more than 0 and less than 2000 MB, got {size:g}"
        raise InputError(message)
    described = record.describe()
    frames = len(described["times"])
    if not frames:
        message = f"there is nothing to export: {'; '.join(described['notes'])}"
        raise OutputError(message)
    chosen = [k for k, quantity in enumerate(described["quantities"]) if quantity["main"]]
    described = {**described, "all_frames": frames, "contacts": contacts,
                 "limits": [record.limits(k) for k in chosen],
                 "quantities": [described["quantities"][k] for k in chosen]}
    fixed = [_json_element("run", described), *_fixed_elements(record)]
    room = size * MEGABYTE - len(whole_page("\n".join(fixed)).encode())
    harvest = _Harvest(record, np.array(described["origin"]), chosen, contacts)
    kept, blocks = _fitting(harvest, frames, room)
    described["times"] = [described["times"][k] for k in kept]
    fixed[0] = _json_element("run", described)
    elements = [*fixed, *(_block_element(name, block) for name, block in blocks.items())]
    content = whole_page("\n".join(elements)).encode()
    return content, {"frames": len(kept), "of": frames, "bytes": len(content)}


def _fixed_elements(record: Record) -> list[str]:
    """Return the elements that do not depend on the frames: walls and series."""
    made = [_json_element("walls", record.walls_described())]
    try:
        made.append(_block_element("series", record.series_block()))
    except GranumError as error:
        made.append(_json_element("series-error", {"error": str(error)}))
    return made


def _fitting(harvest: _Harvest, frames: int, room: float) -> tuple[list[int], dict[str, bytes]]:
    """Return the frames that are kept, as many as fit, and their blocks by name.

    How much a frame takes is guessed from three of them, and then seen.
    """
    count = 0
    for grid in GRIDS:
        trial = harvest.blocks(_spread(frames, 3), grid)
        shared = _size("shared", trial.pop("shared"))
        count = int((room - shared) // max(_size(name, block) for name, block in trial.items()))
        if count >= frames:
            break
    count = min(count, frames)
    while count > 0:
        kept = _spread(frames, count)
        blocks = harvest.blocks(kept, grid)
        taken = sum(_size(name, block) for name, block in blocks.items())
        if taken <= room:
            return kept, blocks
        count = min(count - 1, int(count * room / taken))
    message = (f"not even one frame of this run fits: give more room, such as --size "
               f"{max(10, round((BASE64 * len(harvest.blocks([0], 'u1')['frame-0'])) / 5e5)):d}")
    raise OutputError(message)


def _spread(frames: int, count: int) -> list[int]:
    """Return ``count`` of so many frames, or all if they are fewer, evenly spread."""
    places = np.linspace(0, frames - 1, min(count, frames)).round().astype(int)
    return np.unique(places).tolist()


def _size(name: str, block: bytes) -> int:
    return len(_block_element(name, b"")) + 1 + 4 * ((len(block) + 2) // 3)


class _Harvest:
    """Frames and their quantities, read once, put into blocks as often as needed."""

    def __init__(self, record: Record, origin: FloatArray, chosen: list[int],
                 contacts: bool) -> None:
        self._record = record
        self._contacts = contacts
        self._origin = origin
        self._quantities = [record.quantity(k) for k in chosen]
        self._read: dict[int, Read] = {}

    def blocks(self, kept: list[int], grid: Grid) -> dict[str, bytes]:
        """Return the blocks of frames: what is the same in all of them, then each frame."""
        low, high = self._box(kept)
        rows = [self._arrays(self._frame(number), low, high, grid) for number in kept]
        shared = {name: array for name, array in rows[0].items()
                  if all(name in other and _is_same(array, other[name]) for other in rows[1:])}
        made = {"shared": pack(shared)}
        for place, (number, arrays) in enumerate(zip(kept, rows, strict=True)):
            frame, values, rods = self._frame(number)
            told = {"what": rods.what, "unit": rods.unit, "high": rods.strong} if rods else {}
            made[f"frame-{place}"] = pack(
                {name: array for name, array in arrays.items() if name not in shared},
                time=frame.time, poses=self._record.poses(frame.time), grains=grains_in(frame),
                rods=told, limits=[limits_of(quantity, [value])
                        for quantity, value in zip(self._quantities, values, strict=True)])
        return made

    def _frame(self, number: int) -> Read:
        if number not in self._read:
            frame = self._record.frame(number)
            slim = Frame(frame.time, frame.points, {"radius": radius_of(frame), "id": id_of(frame)},
                         frame.edges, frame.faces)
            rods = rods_of(frame, self._record.contacts(number)) if self._contacts else None
            self._read[number] = slim, [quantity.of(frame) for quantity in self._quantities], rods
        return self._read[number]

    def _box(self, kept: list[int]) -> tuple[FloatArray, FloatArray]:
        """Return the corners of the box around the centres in all frames, (3,) each [m]."""
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for number in kept:
            points = self._frame(number)[0].points
            finite = points[np.isfinite(points).all(axis=1)]
            low = np.minimum(low, finite.min(axis=0, initial=np.inf))
            high = np.maximum(high, finite.max(axis=0, initial=-np.inf))
        return np.where(low <= high, low, 0.0), np.where(low <= high, high, 0.0)

    def _arrays(self, read: Read, low: FloatArray, high: FloatArray,
                grid: Grid) -> dict[str, NDArray[Any] | Quantised]:
        frame, values, rods = read
        origin = self._origin
        rod_arrays: dict[str, NDArray[Any] | Quantised] = {} if rods is None else {
            "rod ends": quantise(rods.ends - np.tile(origin, 2), "u2"),
            "rod strength": quantise(rods.strength, grid),
            "rod at wall": rods.at_wall.astype(np.uint8)}
        return {
            "position": quantise(frame.points - origin, "u2", low - origin, high - origin),
            "radius": quantise(frame.fields["radius"], "u2"),
            "id": frame.fields["id"], **joints_block(frame),
            **{f"value {k}": quantise(value, grid) for k, value in enumerate(values)},
            **rod_arrays,
        }


def _is_same(one: NDArray[Any] | Quantised, other: NDArray[Any] | Quantised) -> bool:
    if isinstance(one, Quantised) and isinstance(other, Quantised):
        return all(np.array_equal(a, b) for a, b in (
            (one.low, other.low), (one.high, other.high), (one.stored, other.stored)))
    return not isinstance(one, Quantised) and not isinstance(other, Quantised) and np.array_equal(
        one, other)


def _json_element(name: str, data: Any) -> str:
    """Return data as an element that is never run; no text in it can end the element."""
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="data-{html.escape(name)}">{text}</script>'


def _block_element(name: str, block: bytes) -> str:
    text = base64.b64encode(block).decode()
    return f'<script type="text/plain" id="data-{html.escape(name)}">{text}</script>'
