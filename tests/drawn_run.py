"""A run folder without a run, for tests of what is made of one: a few grains in a box with a hole.

Seven balls, of which the last two are one clump; the box rises by 1 m/s; contacts are written down.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from granum.output import FrameWriter, SeriesWriter, write_container
from granum.output.describe import to_plain
from granum.walls import Box
from granum.walls.moving import Linear

TIMES = (0.0, 0.1, 0.2, 0.3)
IDS = np.array([0, 1, 2, 3, 5, 8, 8])
RADII = np.array([0.1, 0.2, 0.15, 0.1, 0.12, 0.1, 0.1])
SIDE = 2.0
CONTACTS = {"i": np.array([0, 2]), "j": np.array([1, -1]),
            "point": np.array([[0.5, 0.5, 0.5], [1.0, 1.0, 0.0]]),
            "force": np.array([[0.0, 3.0, 4.0], [0.0, 0.0, 2.0]])}


def points_at(frame: int) -> np.ndarray:
    """Centres of all balls, (7, 3) [m]."""
    rng = np.random.default_rng(4)
    return rng.uniform(0.3, 1.7, (len(IDS), 3)) - [0.0, 0.0, 0.01 * frame]


def fields_at(frame: int, contacts: bool = False) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(10 + frame)
    count = len(IDS)
    return {"id": IDS, "radius": RADII, "velocity": rng.normal(size=(count, 3)),
            "spin": rng.normal(size=(count, 3)),
            "orientation": np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
            "material": np.arange(count) % 2}


def make_run(folder: Path, *, contacts: bool = True, periodic: Any = (None, None, None),
             moving: bool = True) -> Path:
    """Write the folder of a finished run."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scenario.toml").write_text('title = "Seven balls"\n')
    (folder / "summary.json").write_text(json.dumps({"state": "finished"}))
    writer = FrameWriter(folder)
    for k, time in enumerate(TIMES):
        writer.write(k, time, points_at(k), fields_at(k), CONTACTS if contacts else None)
    writer.consolidate()
    with SeriesWriter(folder / "series.csv", ["time", "step", "kinetic"]) as series:
        for k in range(20):
            series.write({"time": 0.02 * k, "step": k, "kinetic": 0.1 / (k + 1)})
    wall = to_plain(Box((0.0, 0.0, 0.0), (SIDE, SIDE, SIDE)))
    bodies = [{"name": "lift", "walls": [0], "moving": [to_plain(Linear((0.0, 0.0, 1.0)))]}]
    world = {"dimension": 3, "periodic": list(periodic), "walls": [wall],
             "bodies": bodies if moving else [],
             "materials": [{"type": "Material", "name": name} for name in ("glass", "steel")]}
    (folder / "checkpoints").mkdir(exist_ok=True)
    write_container(folder / "checkpoints" / "step_000000000000.h5", {}, {"world": world},
                    "checkpoint")
    return folder
