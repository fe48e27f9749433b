"""Stages and runs that grains themselves end: a funnel that runs empty, a hole that jams."""

from __future__ import annotations

import json

import numpy as np
import pytest
from stage_run import staged, start

from granum.output import read_series
from granum.run import LOG, SERIES, SUMMARY

COUNT = 30
# Grains of 3 mm above a hole of 14 mm at the tip of a steep funnel, or above one of 4 mm in the
# middle of a flat floor: it is too narrow for two at once, and most stay above.
FUNNEL = """\
[[walls]]
type = "cone"
base = [0, 0, 0]
axis = [0, 0, 1]
base_radius = "7 mm"
top_radius = "15 mm"
height = "3 cm"
name = "funnel"
"""
FLOOR = """\
[[walls]]
type = "cylinder"
base = [0, 0, 0]
axis = [0, 0, 1]
radius = "1 cm"
height = "3 cm"
[[walls]]
type = "plate"
centre = [0, 0, 0]
normal = [0, 0, 1]
radius = "1 cm"
hole = "2 mm"
"""
FLOWING = """\
seed = 3
[world]
leaving = "remove"
domain = { low = ["-3 cm", "-3 cm", "-1 cm"], high = ["3 cm", "3 cm", "5 cm"] }
[materials.glass]
density = "2.5 g/cm3"
[law]
type = "linear_viscoelastic"
restitution = 0.4
contact_time = "1 ms"
friction = 0.5
WALLS[[grains]]
type = "random"
radius = "1.5 mm"
count = 30
low = ["-8 mm", "-8 mm", "0 mm"]
high = ["8 mm", "8 mm", "25 mm"]
STAGES[output]
series = "5 ms"
frames = "1 s"
checkpoints = "1 s"
flows = [{ name = "hole", point = [0, 0, 0], normal = [0, 0, -1] }]
"""
STAGES = """\
[[stages]]
name = "flow"
until = "CONDITION"
at_most = "4 s"
[[stages]]
name = "after"
for = "10 ms"
"""


def text(walls: str, stages: str) -> str:
    return FLOWING.replace("WALLS", walls).replace("STAGES", stages)


@pytest.fixture(scope="module")
def flow(tmp_path_factory):
    """Return a function that runs walls with a condition; summary, series and log of the run."""
    def run(walls, stages):
        folder = tmp_path_factory.mktemp("flow") / "run"
        start(folder, staged(text=text(walls, stages))).go()
        return (json.loads((folder / SUMMARY).read_text()), read_series(folder / SERIES),
                (folder / LOG).read_text())

    return run


@pytest.fixture(scope="module")
def emptied(flow):
    return flow(FUNNEL, STAGES.replace("CONDITION", "empty"))


@pytest.fixture(scope="module")
def jammed(flow):
    return flow(FLOOR, STAGES.replace("CONDITION", "jammed"))


def test_a_funnel_that_runs_empty_ends_its_stage(emptied):
    """The stage ends at the look, every 100 steps, at which the last grain has left the world."""
    summary, series, log = emptied
    first, after = summary["stages"]
    assert (first["name"], first["why"]) == ("flow", "empty")
    assert after["began"] == first["ended"] < 1.0
    assert summary["state"] == "finished"
    assert summary["grains"] == 0
    assert series["hole_grains"][-1] == COUNT
    in_flow = series["time"] < first["ended"] - 100 * summary["time_step"]
    assert (series["grains"][in_flow] > 0).all()
    assert (series["grains"][series["time"] > first["ended"]] == 0).all()
    assert "empty" in log


def test_an_empty_funnel_is_no_jam(flow, emptied):
    """Nothing passes any more, but nothing is left either: only the guard ends such a stage."""
    stages = STAGES.replace("CONDITION", "jammed").replace(
        'at_most = "4 s"', 'at_most = "0.6 s"\notherwise = "go on"')
    summary, series, _ = flow(FUNNEL, stages)
    assert summary["stages"][0]["why"].startswith("its 0.6 s were over before this was met: jammed")
    rows = np.flatnonzero(series["grains"])[-1] + np.arange(2)  # the last with grains, and the next
    last, none = series["time"][rows]
    assert last < emptied[0]["stages"][0]["ended"] <= none + 100 * summary["time_step"]
    assert none < 0.6 - 0.25


def test_a_hole_that_jams_ends_its_stage(jammed):
    """It ends 0.25 s after the last grain has passed, with grains that lie still above."""
    summary, series, log = jammed
    first, after = summary["stages"]
    assert (first["name"], first["why"]) == ("flow", "jammed for 0.25 s")
    assert after["began"] == first["ended"]
    passed = series["hole_grains"]
    assert 0 < passed[-1] < COUNT - 10
    assert summary["grains"] == COUNT - passed[-1]
    changes = series["time"][1:][np.diff(passed) != 0]
    assert first["ended"] - changes[-1] == pytest.approx(0.25, abs=8e-3)
    assert "jammed for 0.25 s" in log


@pytest.mark.parametrize(("walls", "stop", "like"), [
    (FUNNEL, "empty", "emptied"), (FLOOR, "jammed", "jammed")])
def test_the_same_conditions_stop_a_run_without_stages(flow, request, walls, stop, like):
    """The same moment as that at which the stage ended: what is asked is the state alone."""
    summary, series, _ = flow(walls, f'[run]\nduration = "4 s"\nstop = "{stop}"\n')
    staged_summary, _, _ = request.getfixturevalue(like)
    assert summary["state"] == "finished"
    assert summary["ended"] == staged_summary["stages"][0]["why"]
    assert summary["time"] == staged_summary["stages"][0]["ended"]
    assert series["time"][-1] == pytest.approx(summary["time"], abs=5e-3)
