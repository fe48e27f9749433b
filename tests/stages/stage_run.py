"""A scenario with stages of every kind, and runs of it that are cut."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from typer.testing import CliRunner

import granum.cli.run
from granum.cli.app import app
from granum.run import Progress, Run, start_folder
from granum.scenario.build import Scenario, understand
from granum.scenario.overrides import override
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from small_scenario import no_picture

# Shut and open holes, motions, gravity, law, pouring, time step and output all change; stages end
# by a duration, by conditions with a memory, and by a guard.
STAGED = """\
seed = 4
[world]
leaving = "remove"
domain = { low = ["-2 cm", "-2 cm", "-1 cm"], high = ["2 cm", "2 cm", "6 cm"] }
[materials.glass]
density = "2.5 g/cm3"
[law]
type = "linear_viscoelastic"
restitution = 0.4
contact_time = "1 ms"
friction = 0.3
[[walls]]
type = "cylinder"
base = [0, 0, 0]
axis = [0, 0, 1]
radius = "8 mm"
height = "4 cm"
name = "tube"
[[walls]]
type = "plate"
centre = [0, 0, 0]
normal = [0, 0, 1]
radius = "8 mm"
hole = "6 mm"
name = "floor"
[[walls]]
type = "plate"
centre = [0, 0, "-2 mm"]
normal = [0, 0, 1]
radius = "8 mm"
name = "shutter"
[[grains]]
type = "random"
radius = "1.4 mm"
spread = 0.2
count = 20
low = ["-8 mm", "-8 mm", "0 mm"]
high = ["8 mm", "8 mm", "15 mm"]
[[grains]]
type = "pour"
radius = "1.2 mm"
count = 20
rate = "1 kHz"
low = ["-6 mm", "-6 mm", "18 mm"]
high = ["6 mm", "6 mm", "30 mm"]
[[stages]]
name = "fill"
close = ["floor"]
for = "9.99 ms"
[[stages]]
name = "calm"
pour = "off"
until = { type = "compare", column = "kinetic", sign = "<", value = "1e-5", lasting = "4 ms" }
at_most = "80 ms"
[[stages]]
name = "shake"
for = "8 ms"
pour = "on"
motions.tube = { type = "sine", frequency = "100 Hz", amplitude = "0.3 mm" }
law.friction = 0.1
time_step = "13 us"
output.series = "0.3 ms"
[[stages]]
name = "tilt"
gravity = [2, 0, -9]
motions.tube = "stop"
pour = "off"
until = { type = "steady", column = "height", window = "3 ms", tolerance = 0.5 }
at_most = "20 ms"
time_step = "20 us"
[[stages]]
name = "flow"
open = ["floor"]
remove = ["shutter"]
until = "empty"
at_most = "25 ms"
otherwise = "go on"
[output]
series = "1 ms"
frames = "5 ms"
checkpoints = "7 ms"
flows = [{ name = "hole", point = [0, 0, 0], normal = [0, 0, -1] }]
"""


def staged(*changes: str, text: str = STAGED) -> Scenario:
    """Return the scenario, changed as ``--set`` would."""
    return understand(override(parse_toml(text, "staged.toml"), changes))


def start(folder: Path, scenario: Scenario, threads: int = 1, **options: Any) -> Run:
    """Return a run of a scenario in a new folder, ready to go."""
    start_folder(folder, to_toml(scenario.as_understood()))
    return Run(scenario.simulation(threads), scenario.plan, folder, **options)


def interrupt(step: int) -> Callable[[Progress], None]:
    """Return a report that presses Ctrl-C once the run has come to ``step``."""
    def report(progress: Progress) -> None:
        if progress.step >= step:
            os.kill(os.getpid(), signal.SIGINT)

    return report


def command(*arguments: Any, code: int = 0) -> str:
    """Run granum in this process, without drawing; return what it prints."""
    with (patch.object(granum.cli.run, "draw_run", no_picture),
          patch.object(sys, "argv", ["granum"])):
        result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output
