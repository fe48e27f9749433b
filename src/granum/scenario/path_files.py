"""Recorded paths that stand in files: read once, and from then on part of the scenario.

``motion = { type = "path", file = "lift.csv" }`` becomes the same motion with ``times`` and
``places``. So the scenario as understood, which a run folder holds, needs the file no more.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from granum.errors import InputError
from granum.scenario.problems import Collector, Document
from granum.scenario.wording import Path
from granum.walls.moving.recorded import read_path


def with_path_files(collector: Collector) -> Document:
    """Return the document with all paths as lists; what cannot be read is noted and left out."""
    document = collector.document
    data = dict(document.data)
    if _is_tables(data.get("walls")):
        data["walls"] = [_wall(collector, k, wall) for k, wall in enumerate(data["walls"])]
    if _is_tables(data.get("stages")):
        data["stages"] = [
            {**stage, "motions": {
                name: _read(collector, ("stages", k, "motions", name), motion) or "stop"
                for name, motion in stage["motions"].items()}}
            if isinstance(stage.get("motions"), Mapping) else stage
            for k, stage in enumerate(data["stages"])]
    return dataclasses.replace(document, data=data)


def _wall(collector: Collector, k: int, wall: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table of a wall with its motion read."""
    motion = _read(collector, ("walls", k, "motion"), wall.get("motion"))
    rest = {key: value for key, value in wall.items() if key != "motion"}
    return rest if motion is None else {**rest, "motion": motion}


def _is_tables(entries: Any) -> bool:
    return isinstance(entries, list) and all(isinstance(entry, Mapping) for entry in entries)


def _read(collector: Collector, path: Path, motion: Any) -> Any:
    """Return a motion, or several, with lists for files; None if that fails."""
    if isinstance(motion, list):
        every = [_read(collector, (*path, k), one) for k, one in enumerate(motion)]
        return [one for one in every if one is not None]
    if not isinstance(motion, Mapping) or motion.get("type") != "path" or "file" not in motion:
        return motion
    folder = FilePath(collector.document.name).parent
    return collector.attempt((*path, "file"), _listed, motion, folder)


def _listed(motion: Mapping[str, Any], folder: FilePath) -> dict[str, Any]:
    """Return the table of a path with what its file holds."""
    file = motion["file"]
    if not isinstance(file, str) or not file:
        message = f'the name of a file is wanted, as in file = "lift.csv", got {file!r}'
        raise InputError(message)
    twice = [key for key in ("times", "places") if key in motion]
    if twice:
        message = f"a path has a file, or times and places; here are file and {' and '.join(twice)}"
        raise InputError(message)
    times, places = read_path(str(folder / file))
    return {**{key: value for key, value in motion.items() if key != "file"},
            "times": list(times), "places": [list(place) for place in places]}
