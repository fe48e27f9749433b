"""The folder of a run: its files by name, beginning one and going on with it, its log."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from granum.compile import versions
from granum.errors import CheckpointError, InputError
from granum.measures import (
    Found,
)
from granum.output.atomic import output_error, replace_bytes
from granum.output.series import read_series
from granum.simulation import Simulation

SCENARIO, LOG, SERIES, SUMMARY = "scenario.toml", "run.log", "series.csv", "summary.json"
CHECKPOINTS, TABLES = "checkpoints", "measures"


def refuse_taken(folder: Path) -> None:
    """Refuse a folder that holds a run already, or is none."""
    if (folder / SCENARIO).exists() or (folder / SUMMARY).exists():
        message = (
            f"{folder} already holds a run: choose another folder with --out, delete it, "
            f"or go on with it: granum resume {folder}"
        )
        raise InputError(message)
    if folder.exists() and not folder.is_dir():
        message = f"{folder} is a file, not a folder: choose another --out"
        raise InputError(message)


def refuse_no_run(folder: Path) -> None:
    """Refuse a folder that holds no run."""
    if not folder.is_dir() or not (folder / SCENARIO).exists():
        message = f"{folder} is not a run folder: it has no {SCENARIO}"
        raise InputError(message)


def start_folder(folder: Path, scenario: str, meshes: Mapping[str, bytes] | None = None,
                 branched: Simulation | None = None) -> None:
    """Make the run folder with its scenario and the files of its meshes, by their names there.

    One that holds a run already is refused. A simulation that is ``branched`` is saved first, so
    that no kill can make it start anew.
    """
    refuse_taken(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in meshes or {}:
            (folder / name).parent.mkdir(exist_ok=True)
    except OSError as error:
        raise output_error(folder, error) from error
    for name, content in (meshes or {}).items():
        replace_bytes(folder / name, content)
    if branched is not None:
        (folder / CHECKPOINTS).mkdir(exist_ok=True)
        for left in checkpoints(folder):
            left.unlink()
        branched.save(checkpoint_path(folder, branched.steps))
    replace_bytes(folder / SCENARIO, scenario.encode())


def checkpoint_path(folder: Path, step: int) -> Path:
    """Return where the checkpoint of a step is."""
    return folder / CHECKPOINTS / f"step_{step:012d}.h5"


def checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints of a run, oldest first."""
    return sorted((folder / CHECKPOINTS).glob("step_*.h5"))


def newest_simulation(folder: Path, threads: int | None) -> Simulation:
    """Return the simulation of the newest checkpoint that is whole."""
    refuse_no_run(folder)
    problems = []
    for path in reversed(checkpoints(folder)):
        try:
            with warnings_in(folder):
                sim = Simulation.load(path, threads)
        except CheckpointError as error:
            problems.append(str(error))
            log(folder, f"passed over: {error}")
        else:
            return sim
    message = f"{folder} has no checkpoint to go on from" + "".join(f"\n  {p}" for p in problems)
    raise CheckpointError(message)


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write ``data`` as JSON, whole or not at all."""
    replace_bytes(path, (json.dumps(data, indent=2) + "\n").encode())


def log(folder: Path, text: str) -> None:
    """Add a line with the date to the run's log."""
    stamp = time.strftime("%Y-%m-%d %H:%M:%S")
    try:
        with (folder / LOG).open("a", encoding="utf-8") as file:
            file.write(f"{stamp}  {text}\n")
    except OSError as error:
        raise output_error(folder / LOG, error) from error


@contextmanager
def warnings_in(folder: Path, now: Callable[[], float] | None = None) -> Iterator[None]:
    """Write what granum warns of into the run's log, with the simulated time if that is known."""
    class ToLog(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            when = "" if now is None else f" at t = {now():.6g} s"
            log(folder, f"{record.levelname.lower()}{when}: {record.getMessage()}")

    logger, handler = logging.getLogger("granum"), ToLog(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def environment() -> str:
    """Return the versions that results may depend on, in one line."""
    return ", ".join(f"{name} {version}" for name, version in versions().items())


def seconds_before(folder: Path) -> float:
    """Return the computing time that earlier parts of this run took [s]."""
    path = folder / SUMMARY
    if not path.exists():
        return 0.0
    return float(json.loads(path.read_text()).get("seconds", 0.0))


def last_row(path: Path) -> Found:
    """Return the last row of a series, by column; empty if there is none."""
    return {name: values[-1].item() for name, values in read_series(path).items() if len(values)}
