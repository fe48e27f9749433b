"""Killed at the worst moments: nothing is broken, and the resumed run is the uncut one."""

from __future__ import annotations

import signal
from pathlib import Path

import h5py
import numpy as np
import pytest
from run_silo import assert_same_frame, assert_same_run, command, process

from granum.output import read_frames, read_series
from granum.run import SERIES, checkpoints, newest_simulation
from granum.simulation import Simulation

# Kills its own process in the middle of the NUMBER-th write to files whose names fit PATTERN
# ("write"), or when the NUMBER-th such file is complete but not yet in its place ("replace"), or
# has just got there ("replaced").
KILLER = """
import os, signal
from fnmatch import fnmatch
from granum.output import atomic, container, series

pattern, number, moment = os.environ["KILL"].split()
left = int(number)

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def is_time(path, now):
    global left
    if now == moment and fnmatch(os.path.basename(path).removesuffix(".part"), pattern):
        left -= 1
        return left == 0
    return False

def replace(source, target):
    if is_time(target, "replace"):
        die()
    real_replace(source, target)
    if is_time(target, "replaced"):
        die()

def write_all(raw, content):
    if is_time(raw.name, "write"):
        raw.write(bytes(content)[: len(content) // 2])
        die()
    real_write(raw, content)

real_replace, os.replace = os.replace, replace
real_write = atomic.write_all
atomic.write_all = container.write_all = series.write_all = write_all
"""
MOMENTS = [
    "step_000000001400.h5 10 write",
    "step_*.h5 3 replace",
    "step_*.h5 3 replaced",
    "frame_000001.vtkhdf 10 write",  # the only checkpoint is that of the start
    "frame_000005.vtkhdf 10 write",
    "frame_*.vtkhdf 5 replaced",
    "frames.vtkhdf 5 replace",
    "series.csv 40 write",
    "frames.vtkhdf 9 replaced",  # the last one, which makes the frame files superfluous
    "summary.json 1 replace",
]
# A second kill, while the resumed run clears away what is later than its checkpoint, or soon after.
SECOND = {
    "step_*.h5 3 replace": "series.csv 1 replaced",
    "frame_*.vtkhdf 5 replaced": "frames.vtkhdf 1 replaced",
    "series.csv 40 write": "step_*.h5 1 replace",
    "frames.vtkhdf 9 replaced": "summary.json 1 replace",
}


def killed(moment: str, *arguments: object) -> None:
    """Run granum until it kills itself."""
    running = process(*arguments, "--threads", 1, before=KILLER, KILL=moment)
    _, errors = running.communicate()
    assert running.returncode == -signal.SIGKILL, errors


def assert_readable(folder: Path, uncut: Path) -> None:
    """Whatever is there is whole, and the same as in the uncut run."""
    frames, wanted = read_frames(folder), read_frames(uncut)
    assert frames.times.tolist() == wanted.times[: len(frames)].tolist()
    for number in range(len(frames)):
        assert_same_frame(frames[number], wanted[number])
    with h5py.File(folder / "frames.vtkhdf", "r") as file:  # as any other program reads it
        points = file["VTKHDF/Points"][()]
        counts = file["VTKHDF/NumberOfPoints"][()]
    assert points.tobytes() == np.concatenate(
        [wanted[number].points for number in range(len(counts))]).tobytes()
    series, rows = read_series(folder / SERIES), read_series(uncut / SERIES)
    assert all((values == rows[name][: len(values)]).all() for name, values in series.items())
    assert len(series["time"]) >= len(frames)
    for path in checkpoints(folder):
        assert path.stem == f"step_{Simulation.load(path, 1).steps:012d}"
    assert newest_simulation(folder, 1).time <= series["time"][-1]


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_and_resumed(uncut, silo_file, tmp_path, moment):
    folder = tmp_path / "killed"
    killed(moment, "run", silo_file, "--out", folder)
    assert_readable(folder, uncut)
    if moment in SECOND:
        killed(SECOND[moment], "resume", folder)
        assert_readable(folder, uncut)
    command("resume", folder, "--threads", 1)
    assert_same_run(folder, uncut)
    assert not list(folder.rglob("*.part"))
    assert len(checkpoints(folder)) <= 2


def test_killed_before_the_first_checkpoint(uncut, silo_file, tmp_path):
    """Then there is nothing to go on from but the scenario."""
    folder = tmp_path / "killed"
    killed("step_*.h5 1 replace", "run", silo_file, "--out", folder)
    assert not checkpoints(folder)
    command("resume", folder, "--threads", 1)
    assert_same_run(folder, uncut)
