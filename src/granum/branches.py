"""Branching: a new simulation that goes on from a moment of another one.

The state is that of the moment: grains, what contacts remember, walls and where they are, the time.
Law, gravity, time step and stages may be others.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from granum.errors import InputError
from granum.output.container import read_container
from granum.run import checkpoints, refuse_no_run
from granum.simulation import Simulation


def branch(source: Simulation | str | Path, *, at: float | str | None = None, **changes: Any
           ) -> Simulation:
    """Return a simulation that goes on from a run, a checkpoint or a simulation.

    Args:
        source: a run folder, a checkpoint file, or a simulation, which stays as it is.
        at: of a run folder: the time of a checkpoint [s], or its name; the newest unless given.
        changes: see `Simulation.branch`.
    """
    if isinstance(source, Simulation):
        return source.branch(**changes)
    path = find_checkpoint(Path(source), at)
    new = Simulation.load(path, changes.get("threads")).branch(**changes)
    new.origin.update(run=str(Path(source)), checkpoint=path.name)
    return new


def find_checkpoint(folder: Path, at: float | str | None = None) -> Path:
    """Return the checkpoint of a run at a time [s], or of a name; the newest unless given."""
    if folder.is_file() and at is None:
        return folder
    refuse_no_run(folder)
    found = checkpoints(folder)
    if not found:
        message = f"{folder} has no checkpoint to branch from"
        raise InputError(message)
    if at is None:
        return found[-1]
    if isinstance(at, str):
        named = [path for path in found if at in (path.name, path.stem)]
    else:
        named = [path for path in found if abs(_time_of(path)[0] - at) <= 0.51 * _time_of(path)[1]]
    if not named:
        wanted = at if isinstance(at, str) else f"at {at:g} s"
        there = ", ".join(f"{_time_of(path)[0]:g} s ({path.stem})" for path in found)
        message = (f"{folder} has no checkpoint {wanted}; there are: {there}. The last two are "
                   "kept, and those at which stages began")
        raise InputError(message)
    return named[0]


def _time_of(path: Path) -> tuple[float, float]:
    """Return time and time step of a checkpoint [s]."""
    _, meta = read_container(path, "checkpoint")
    step = float(meta["time_step"])
    return (meta["step"] + meta.get("ahead", 0)) * step, step
