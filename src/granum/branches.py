"""Branching: a new simulation that goes on from a moment of another one.

The state is that of the moment: grains, what contacts remember, walls and where they are, the time.
Law, gravity, time step and stages may be others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from granum.errors import InputError
from granum.laws import Law
from granum.measures import Measure
from granum.output.container import read_container
from granum.run import checkpoints, refuse_no_run
from granum.simulation import Simulation
from granum.stages import Condition, Stage, rehearse
from granum.stages.change import alter, sketch
from granum.stages.course import refuse_unstable


def branch(
    source: Simulation | str | Path,
    *,
    at: float | str | None = None,
    law: Law | None = None,
    gravity: Sequence[float] | None = None,
    time_step: float | None = None,
    stages: Sequence[Stage] = (),
    stop: Condition | None = None,
    measures: Sequence[Measure] = (),
    threads: int | None = None,
) -> Simulation:
    """Return a simulation that goes on from a moment of another one, which stays as it is.

    Stages of the other one are not taken over. What is left out stays as it is.

    Args:
        source: a run folder, a checkpoint file, or a simulation.
        at: of a run folder: the time of a checkpoint [s], or its name; the newest unless given.
        law: from now on, of the same kind.
        gravity: from now on [m/s2].
        time_step: from now on [s]; shortened a little, as for `Stage`.
        stages: as for `Simulation`.
        stop: as for `Simulation`.
        measures: as for `Simulation`.
        threads: as for `Simulation`.
    """
    origin = {"run": "", "checkpoint": ""}
    if not isinstance(source, Simulation):
        path = find_checkpoint(Path(source), at)
        origin = {"run": str(Path(source)), "checkpoint": path.name}
        source = Simulation.load(path, threads)
    arrays, meta = source.state()
    meta |= {"course": None, "holding": {},
             "origin": {**origin, "step": source.steps, "time": source.time,
                        "state_sha256": source.fingerprint()}}
    sim = Simulation.from_state(arrays, meta, threads or source.threads)
    first = Stage("branch", 1.0, law=law, gravity=gravity, time_step=time_step)
    scene, step = sketch(sim.world), time_step or sim.time_step
    new_law = alter(scene, sim.law, first, sim.time)
    refuse_unstable(new_law, scene, step, sim.time)
    course = rehearse(stages, stop, measures, scene, new_law, step, sim.keeps_budget, sim.time)
    sim.begin_course(course if stages or stop is not None else None, first)
    return sim


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
