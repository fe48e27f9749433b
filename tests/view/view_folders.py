"""Run folders without a run: frames, series and walls written down directly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from granum.output import FrameWriter, SeriesWriter, write_container
from granum.output.describe import to_plain
from granum.output.vtkhdf import Frame
from granum.walls import Box

RADIUS = 0.1
SIDE = 6  # grains along an edge of the block


def block_of_grains(frame: int, frames: int, count: int = SIDE**3) -> Frame:
    """A block of grains that slides along x by its own width, the faster the higher it lies."""
    side = int(np.ceil(count ** (1 / 3)))
    places = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1)
    places = places.reshape(-1, 3)[:count]
    points = RADIUS + 2 * RADIUS * (1 - 1e-3) * places
    share = frame / max(frames - 1, 1)
    points += np.array([2 * RADIUS * side * share, 0.0, 0.0])
    rows = np.arange(count)
    return Frame(0.1 * frame, points, {
        "id": rows, "radius": np.full(count, RADIUS) * (1 - 0.3 * (rows % 2)),
        "velocity": np.column_stack((0.1 * (1.0 + places[:, 2]), np.zeros((count, 2)))),
        "spin": np.zeros((count, 3)), "orientation": np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        "material": rows % 3,
    })


def write_frames(folder: Path, frames: int, count: int = SIDE**3, *, whole: bool = True) -> None:
    writer = FrameWriter(folder)
    for k in range(frames):
        frame = block_of_grains(k, frames, count)
        writer.write(k, frame.time, frame.points, frame.fields)
    if whole:
        writer.consolidate()


def world_of(walls: list[Any], bodies: list[dict[str, Any]] | None = None, dimension: int = 3
             ) -> dict[str, Any]:
    """The part of a checkpoint that tells the walls."""
    return {"dimension": dimension, "periodic": [None] * 3, "walls": [to_plain(w) for w in walls],
            "bodies": bodies or [], "materials": [{"type": "Material", "name": name}
                                                  for name in ("glass", "steel", "<b>lead</b>")]}


def write_checkpoint(folder: Path, world: dict[str, Any],
                     arrays: dict[str, Any] | None = None) -> None:
    (folder / "checkpoints").mkdir(exist_ok=True)
    write_container(folder / "checkpoints" / "step_000000000000.h5", arrays or {},
                    {"world": world}, "checkpoint")


def write_series(folder: Path, rows: int = 50) -> None:
    with SeriesWriter(folder / "series.csv", ["time", "step", "kinetic", "contacts"]) as series:
        for k in range(rows):
            series.write({"time": 0.01 * k, "step": k, "kinetic": (k - 20.0) ** 2, "contacts": k})


def make_run(folder: Path, frames: int = 5, count: int = SIDE**3, *, state: str = "finished",
             title: str = "A block") -> Path:
    """A whole run folder: a block of grains that slides along a box."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scenario.toml").write_text(f"title = {json.dumps(title)}\n")
    write_frames(folder, frames, count, whole=state == "finished")
    write_series(folder)
    size = 2 * RADIUS * np.ceil(count ** (1 / 3))
    write_checkpoint(folder, world_of([Box((0.0, 0.0, 0.0), (2 * size, size, size))]))
    if state != "running":
        (folder / "summary.json").write_text(json.dumps({"state": state}))
    return folder
