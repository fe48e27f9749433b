"""A small silo in which much happens, runs of it that are cut, and how two runs are compared."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from typer.testing import CliRunner

import granum.cli.run
from granum.cli.app import app
from granum.output import read_frames
from granum.run import SERIES, SUMMARY, Progress, Run, start_folder
from granum.scenario.build import Scenario, understand
from granum.scenario.overrides import override
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from small_scenario import no_picture

# Gravity turns, grains are poured in, touch each other and walls, and leave: all that could make
# a resumed run another one.
SILO = """\
title = "A small silo"
seed = 7

[world]
gravity = [0, 0, -40]
leaving = "remove"
turns = [{ start = "6 ms", duration = "10 ms", angle = 0.35, axis = [1, 0, 0] }]

[world.domain]
low = ["-3 cm", "-3 cm", "-5 mm"]
high = ["3 cm", "3 cm", "6 cm"]

[materials.glass]
density = "2.5 g/cm3"

[law]
type = "linear_viscoelastic"
restitution = 0.6
contact_time = "0.5 ms"
friction = 0.4

[[walls]]
type = "cylinder"
base = [0, 0, 0]
axis = [0, 0, 1]
radius = "10 mm"
height = "4 cm"

[[walls]]
type = "plate"
centre = [0, 0, 0]
normal = [0, 0, 1]
radius = "10 mm"
hole = "7 mm"
opens = "8 ms"

[[grains]]
type = "random"
radius = "1.5 mm"
spread = 0.3
low = ["-1 cm", "-1 cm", "0 mm"]
high = ["1 cm", "1 cm", "15 mm"]
count = 30

[[grains]]
type = "pour"
radius = "1.2 mm"
count = 20
rate = "2 kHz"
low = ["-7 mm", "-7 mm", "20 mm"]
high = ["7 mm", "7 mm", "35 mm"]
velocity = [0, 0, -1]

[run]
duration = "30 ms"

[output]
series = "0.5 ms"
frames = "4 ms"
checkpoints = "7 ms"
flows = [{ name = "hole", point = [0, 0, 0], normal = [0, 0, -1] }]
"""
MAIN = "from granum.cli import main\nmain()\n"
NO_PICTURE = """
import granum.cli.run
granum.cli.run.draw_run = lambda folder, world, dimension: folder / "picture.png"
"""


def silo(*changes: str) -> Scenario:
    """Return the silo, changed as ``--set`` would."""
    return understand(override(parse_toml(SILO, "silo.toml"), changes))


def start(folder: Path, scenario: Scenario, threads: int = 1, **options: Any) -> Run:
    """Return a run of ``scenario`` in a new folder, ready to go."""
    start_folder(folder, to_toml(scenario.as_understood()))
    return Run(scenario.simulation(threads), scenario.plan, folder, **options)


def interrupt(step: int) -> Callable[[Progress], None]:
    """Return a report that presses Ctrl-C once the run has come to ``step``."""
    def report(progress: Progress) -> None:
        if progress.step >= step:
            os.kill(os.getpid(), signal.SIGINT)

    return report


def cut(folder: Path, step: int, scenario: Scenario | None = None, threads: int = 1) -> None:
    """Run the silo until it is interrupted at ``step`` or soon after."""
    summary = start(folder, scenario or silo(), threads, report=interrupt(step)).go()
    assert summary["state"] == "interrupted"
    assert summary["steps"] >= step


def command(*arguments: Any, code: int = 0) -> str:
    """Run granum in this process, without drawing; return what it prints."""
    with patch.object(granum.cli.run, "draw_run", no_picture):
        result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def process(*arguments: Any, before: str = "", **environment: str) -> subprocess.Popen[str]:
    """Start granum in a process of its own, after the Python text ``before``."""
    words = [sys.executable, "-c", NO_PICTURE + before + MAIN, *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **environment})


def summary_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / SUMMARY).read_text())


def assert_same_frames(folder: Path, other: Path) -> None:
    """Compare all frames of two runs, value by value."""
    ours, theirs = read_frames(folder), read_frames(other)
    assert ours.times.tolist() == theirs.times.tolist()
    for number in range(len(ours)):
        assert_same_frame(ours[number], theirs[number])


def assert_same_frame(ours: Any, theirs: Any) -> None:
    assert ours.points.tobytes() == theirs.points.tobytes()
    assert ours.fields.keys() == theirs.fields.keys()
    for name, values in ours.fields.items():
        assert np.array_equal(values, theirs.fields[name]), name


def assert_same_run(folder: Path, other: Path) -> None:
    """Compare everything that two finished runs have found, to the last bit."""
    ours, theirs = summary_of(folder), summary_of(other)
    for name in ("state", "time", "steps", "grains", "state_sha256", "last_sample"):
        assert ours[name] == theirs[name], name
    assert (folder / SERIES).read_bytes() == (other / SERIES).read_bytes()
    assert_same_frames(folder, other)
