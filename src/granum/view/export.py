"""A run as one file: the page with its data in it, small enough to be sent around.

Frames are thinned evenly and their numbers quantised until everything fits. Centres take 16 bits a
coordinate, on one grid for the whole run, so that what rests does not tremble; quantities take 16
bits, or 8 where that saves frames, on a grid between the limits of each frame. What is the same in
all frames, as radii and ids mostly are, stands there once.
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
from granum.view.quantities import limits_of
from granum.view.record import Record, id_of, radius_of

MEGABYTE = 1e6
BASE64 = 4.0 / 3.0
HEADER = 1500  # bytes of a block beside its arrays, at most, for one quantity or few
GRIDS: tuple[Grid, Grid] = ("u2", "u1")


def export_page(record: Record, path: Path, size: float = 15.0) -> dict[str, Any]:
    """Write the page of a run as one file that needs no server and no network.

    Args:
        record: the run.
        path: the file, ``.html``; one that is there is replaced when the new one is complete.
        size: the most it may have [MB].

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
    if not 0.0 < size < 2000.0:
        message = f"--size must be more than 0 and less than 2000 MB, got {size:g}"
        raise InputError(message)
    described = record.describe()
    if not described["times"]:
        message = f"there is nothing to export: {'; '.join(described['notes'])}"
        raise OutputError(message)
    chosen = [k for k, quantity in enumerate(described["quantities"]) if quantity["main"]]
    fixed = _fixed_elements(record)
    room = size * MEGABYTE - len(whole_page("").encode()) - sum(map(len, fixed)) - 20_000
    kept, grid = _plan(record, len(described["times"]), len(chosen), room)
    blocks = _blocks(record, kept, chosen, grid)
    described = {**described, "times": [described["times"][k] for k in kept],
                 "all_frames": len(described["times"]),
                 "quantities": [described["quantities"][k] for k in chosen],
                 "limits": [record.limits(k) for k in chosen]}
    elements = [_json_element("run", described), *fixed,
                *(_block_element(name, block) for name, block in blocks.items())]
    content = whole_page("\n".join(elements)).encode()
    if len(content) > size * MEGABYTE:
        message = (f"the page would have {len(content) / MEGABYTE:.1f} MB, more than --size "
                   f"{size:g}: give more room")
        raise OutputError(message)
    replace_bytes(path, content)
    return {"frames": len(kept), "of": described["all_frames"], "bytes": len(content)}


def _fixed_elements(record: Record) -> list[str]:
    """Return the elements that do not depend on the frames: walls and series."""
    made = [_json_element("walls", record.walls_described())]
    try:
        made.append(_block_element("series", record.series_block()))
    except GranumError as error:
        made.append(_json_element("series-error", {"error": str(error)}))
    return made


def _plan(record: Record, frames: int, quantities: int, room: float) -> tuple[list[int], Grid]:
    """Return which frames are kept, evenly spread, and how finely quantities are stored."""
    grains = max(len(record.frame(k).points) for k in {0, frames // 2, frames - 1})
    for grid in GRIDS:
        values = quantities * np.dtype(grid).itemsize
        # at worst radii and ids are not the same in all frames
        each = BASE64 * (grains * (6 + 2 + 4 + values) + HEADER + 100 * quantities)
        if frames * each <= room:
            return list(range(frames)), grid
    fitting = int(room // each)
    if fitting < 1:
        message = (f"not even one frame of {grains} grains fits: give --size "
                   f"{(each + 200_000) / MEGABYTE + 1:.0f} or more")
        raise OutputError(message)
    return np.unique(np.linspace(0, frames - 1, fitting).round().astype(int)).tolist(), grid


def _blocks(record: Record, kept: list[int], chosen: list[int], grid: Grid) -> dict[str, bytes]:
    """Return the blocks by the names of their elements: what all frames share, then each frame."""
    origin = np.array(record.describe()["origin"])
    low, high = _box(record, kept)
    first = record.frame(kept[0])
    shared = {"radius": radius_of(first), "id": id_of(first)}
    for number in kept:
        frame = record.frame(number)
        same = {"radius": radius_of(frame), "id": id_of(frame)}
        shared = {name: values for name, values in shared.items()
                  if np.array_equal(values, same[name])}
    made = {"shared": pack({name: _slim(name, values) for name, values in shared.items()})}
    for place, number in enumerate(kept):
        frame = record.frame(number)
        arrays: dict[str, NDArray[Any] | Quantised] = {
            "position": quantise(frame.points - origin, "u2", low - origin, high - origin)}
        for name, values in {"radius": radius_of(frame), "id": id_of(frame)}.items():
            if name not in shared:
                arrays[name] = _slim(name, values)
        limits = []
        for k, asked in enumerate(chosen):
            values = record.quantity(asked).of(frame)
            arrays[f"value {k}"] = quantise(values, grid)
            limits.append(limits_of(record.quantity(asked), [values]))
        made[f"frame-{place}"] = pack(arrays, time=frame.time, poses=record.poses(frame.time),
                                      limits=limits)
    return made


def _slim(name: str, values: NDArray[Any]) -> NDArray[Any] | Quantised:
    return values if name == "id" else quantise(values, "u2")


def _box(record: Record, kept: list[int]) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the box around the centres of all frames that are kept, (3,) each."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for number in kept:
        points = _finite(record.frame(number))
        low = np.minimum(low, points.min(axis=0, initial=np.inf))
        high = np.maximum(high, points.max(axis=0, initial=-np.inf))
    return np.where(low <= high, low, 0.0), np.where(low <= high, high, 0.0)


def _finite(frame: Frame) -> FloatArray:
    return frame.points[np.isfinite(frame.points).all(axis=1)]


def _json_element(name: str, data: Any) -> str:
    """Return data as an element that is never run; no text in it can end the element."""
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="data-{html.escape(name)}">{text}</script>'


def _block_element(name: str, block: bytes) -> str:
    text = base64.b64encode(block).decode()
    return f'<script type="text/plain" id="data-{html.escape(name)}">{text}</script>'
