"""Recorded paths from CSV files: the same motion as lists, kept by the run, refused by line."""

from __future__ import annotations

import json
import os
import signal

import numpy as np
import pytest

import granum as gr
from granum.errors import InputError
from granum.output import read_series
from granum.run import SCENARIO, Run, newest_simulation, start_folder
from granum.scenario.build import plan_of, understand
from granum.scenario.problems import ScenarioError
from granum.scenario.reader import read_toml
from granum.scenario.writer import to_toml

TIMES, HEIGHTS = (0.0, 0.01, 0.025, 0.03), (0.0, 0.001, 0.004, 0.003)
TABLE = "time,x,y,z\n0.0,0,0,0\n0.01,0,0,1e-3\n0.025,0,0,0.004\n0.03,0,0,3e-3\n"
LIFT = gr.Path(TIMES, tuple((0.0, 0.0, z) for z in HEIGHTS))
SCENE = """\
[materials.glass]
density = 2500
[law]
type = "linear_viscoelastic"
restitution = 0.5
contact_time = "1 ms"
[[walls]]
type = "plane"
point = [0, 0, 0]
normal = [0, 0, 1]
name = "floor"
[walls.motion]
type = "path"
MOTION
[[grains]]
type = "explicit"
radius = "1 mm"
points = [[0, 0, "1 mm"]]
[run]
duration = "40 ms"
[output]
series = "1 ms"
frames = "20 ms"
checkpoints = "20 ms"
"""
FILE = 'file = "lift.csv"'
LISTS = f"times = {list(TIMES)}\nplaces = {[list(place) for place in LIFT.places]}"


@pytest.fixture
def scene(tmp_path):
    """Return a function that writes a scenario, with its table beside it, and reads it."""
    def write(motion=FILE, table=TABLE, text=SCENE):
        (tmp_path / "lift.csv").write_text(table)
        (tmp_path / "lift.toml").write_text(text.replace("MOTION", motion))
        return read_toml(tmp_path / "lift.toml")

    return write


def run(folder, scenario, report=None):
    start_folder(folder, to_toml(scenario.as_understood()))
    return Run(scenario.simulation(1), scenario.plan, folder,
               **({} if report is None else {"report": report})).go()


# ---- good ------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [
    TABLE,
    "\ufeff" + TABLE.replace("\n", "\r\n"),
    TABLE.replace("time,x,y,z", " time , x,y, z ") + "\n\n",
    "z,note,time,x,y\n0,a,0,0,0\n1e-3,b,0.01,0,0\n0.004,,0.025,0,0\n3e-3,\"c, d\",0.03,0,0\n",
], ids=["plain", "windows", "spaces", "any-order"])
def test_a_table_is_the_same_motion_as_lists(tmp_path, table):
    path = tmp_path / "lift.csv"
    path.write_bytes(table.encode())
    assert gr.Path.from_csv(path) == LIFT
    assert gr.Path.from_csv(str(path), stops=0.02) == gr.Path(LIFT.times, LIFT.places, 0.02)


def test_a_scenario_with_a_file_is_that_with_lists(scene):
    by_file, by_lists = understand(scene()), understand(scene(LISTS))
    assert by_file.world.bodies[0].moving == (LIFT,) == by_lists.world.bodies[0].moving
    assert by_file.as_understood() == by_lists.as_understood()


def test_the_floor_goes_the_recorded_way_and_lifts_the_grain(scene, tmp_path):
    """At each time of the table the floor is at its place, and a grain on it is never below."""
    summary = run(tmp_path / "run", understand(scene()))
    series = read_series(tmp_path / "run" / "series.csv")
    at = [int(np.argmin(abs(series["time"] - time))) for time in TIMES]
    assert series["floor_z"][at] == pytest.approx(np.array(HEIGHTS), abs=1e-9)
    assert series["floor_z"][-1] == pytest.approx(HEIGHTS[-1], abs=1e-12)
    assert (series["height"] > series["floor_z"] + 0.9e-3).all()
    assert summary["state_sha256"] == run(tmp_path / "lists", understand(scene(LISTS)))[
        "state_sha256"]


def test_a_run_goes_on_without_the_file(scene, tmp_path):
    whole = run(tmp_path / "whole", understand(scene()))
    folder = tmp_path / "cut"
    cut = run(folder, understand(scene()), lambda progress: os.kill(os.getpid(), signal.SIGINT))
    assert cut["state"] == "interrupted"
    (tmp_path / "lift.csv").unlink()
    document = read_toml(folder / SCENARIO)
    Run(newest_simulation(folder, 1), plan_of(document), folder).go()
    resumed = json.loads((folder / "summary.json").read_text())
    assert resumed["state_sha256"] == whole["state_sha256"]
    assert understand(document).world.bodies[0].moving == (LIFT,)  # it can be run anew, too


def test_files_in_lists_of_motions_and_in_stages(scene):
    text = SCENE.replace("[walls.motion]", "[[walls.motion]]").replace("[[grains]]", (
        '[[walls.motion]]\ntype = "linear"\nvelocity = [0, 0, 0.1]\n[[grains]]')) + (
        '[[stages]]\nname = "lift"\nfor = "40 ms"\n'
        'motions.floor = { type = "path", file = "lift.csv" }\n')
    scenario = understand(scene(text=text))
    assert scenario.world.bodies[0].moving == (LIFT, gr.Linear((0, 0, 0.1)))
    assert dict(scenario.stages[0].motions) == {"floor": (LIFT,)}
    assert "lift.csv" not in to_toml(scenario.as_understood())


# ---- bad -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "said"), [
    ("", "line 1: the column time is missing, got nothing"),
    ("0.0,0,0,0\n0.1,0,0,1\n", "line 1: the column time is missing, got 0.0, 0, 0, 0"),
    ("time,x,y\n0,0,0\n1,0,0\n", "line 1: the column z is missing, got time, x, y"),
    ("time,x,y,z,z\n0,0,0,0,0\n", "line 1: the column z is twice"),
    (TABLE.replace("0.025", "0.01"), "line 4: times must grow from line to line, got 0.01 s after"),
    (TABLE.replace("0.0,0", "-1,0", 1), "line 2: times must not be negative, got -1 s"),
    (TABLE.replace("1e-3", "1 mm"), "line 3: z must be a number in SI units, got '1 mm'"),
    (TABLE.replace("1e-3", "nan"), "line 3: z must be a number in SI units, got 'nan'"),
    (TABLE.replace("0.004", "0.004,9"), "line 4 has 5 values, but the header names 4 columns"),
    ("time,x,y,z\n0,0,0,0\n", "a path has at least 2 places, each in a line, got 1"),
    ("time,x,y,z\n\n0,0,0,0\n\n0,0,0,1\n", "line 5: times must grow"),
    ('time,x,y,z\n0,0,0,"0\n', "it is no table of text"),
], ids=lambda value: None)
def test_a_table_that_is_wrong_is_refused_with_the_line(scene, tmp_path, table, said):
    path = tmp_path / "lift.csv"
    path.write_text(table)
    with pytest.raises(InputError) as error:
        gr.Path.from_csv(path)
    assert str(error.value).startswith(f"{path}: ")
    assert said in str(error.value)
    with pytest.raises(ScenarioError) as error:
        understand(scene(table=table))
    problem, = error.value.problems
    assert said in problem.message
    assert problem.line == 14  # of the scenario, where the file is named


def test_a_file_that_is_not_there_or_not_text(tmp_path, scene):
    with pytest.raises(InputError, match=r"none\.csv: the path cannot be read: no such file"):
        gr.Path.from_csv(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"time,x,y,z\n\xff\xfe\n")
    with pytest.raises(InputError, match="it is no table of text"):
        gr.Path.from_csv(tmp_path / "bytes.csv")
    with pytest.raises(ScenarioError, match=r"line 14, walls\[0\]\.motion\.file: .*no such file"):
        understand(scene('file = "none.csv"'))


@pytest.mark.parametrize(("motion", "said"), [
    ("file = 3", "the name of a file is wanted"),
    (f"{FILE}\ntimes = [0, 1]", "a path has a file, or times and places; here are file and times"),
    (f"{FILE}\n{LISTS}", "here are file and times and places"),
    (f"{FILE}\nstarts = 1", "starts"),
    ("stops = 1", "times"),
])
def test_a_motion_that_is_wrong(scene, motion, said):
    with pytest.raises(ScenarioError) as error:
        understand(scene(motion))
    assert said in str(error.value)


def test_other_problems_are_told_beside_a_missing_file(scene):
    text = SCENE.replace("restitution = 0.5", "restitution = 5")
    with pytest.raises(ScenarioError) as error:
        understand(scene('file = "none.csv"', text=text))
    assert [problem.path[:1] for problem in error.value.problems] == [("law",), ("walls",)]
