"""Runs with stages: the same bits however they are cut, watched and threaded; what is written."""

from __future__ import annotations

import io
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from stage_run import STAGED, command, interrupt, staged, start

import granum as gr
from granum.cli.progress import Reporter
from granum.errors import StageError
from granum.output import read_frames, read_series
from granum.run import LOG, SERIES, SUMMARY, Progress, Run, checkpoints, newest_simulation
from granum.stages.course import Course
from granum.stages.telling import share_done

NAMES = ["fill", "calm", "shake", "tilt", "flow"]


def summary_of(folder: Path) -> dict:
    return json.loads((folder / SUMMARY).read_text())


@pytest.fixture(scope="module")
def uncut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run in one go, on one thread."""
    folder = tmp_path_factory.mktemp("stages") / "uncut"
    start(folder, staged()).go()
    return folder


def assert_same(folder: Path, other: Path) -> None:
    ours, theirs = summary_of(folder), summary_of(other)
    for name in ("state", "time", "steps", "grains", "state_sha256", "last_sample", "stages",
                 "ended"):
        assert ours[name] == theirs[name], name
    assert (folder / SERIES).read_bytes() == (other / SERIES).read_bytes()
    mine, others = read_frames(folder), read_frames(other)
    assert mine.times.tolist() == others.times.tolist()
    for k in range(len(mine)):
        assert mine[k].points.tobytes() == others[k].points.tobytes()


def test_the_run_goes_through_all_stages(uncut):
    record = summary_of(uncut)["stages"]
    assert [row["name"] for row in record] == NAMES
    assert all(row["why"] for row in record)
    for before, after in itertools.pairwise(record):
        assert (before["ended"], before["ended_step"]) == (after["began"], after["began_step"])
    assert record[1]["why"] == "kinetic is below 1e-05 J for 0.004 s"
    assert record[3]["why"].startswith("height is steady")
    assert record[4]["why"] == "its 0.025 s were over before this was met: empty"
    assert summary_of(uncut)["ended"] == record[4]["why"]
    series = read_series(uncut / SERIES)
    assert series["hole_grains"][-1] > 0
    assert series["grains"].max() > 30
    assert series["shutter_force_z"][-1] == 0.0
    assert np.abs(series["tube_z"]).max() > 1e-4


def test_the_log_says_what_happened(uncut):
    log = (uncut / LOG).read_text()
    for name in NAMES:
        assert f"stage {name}: " in log
        assert f"stage '{name}' ended at t = " in log
    assert "floor closes" in log
    assert "the end: its 0.025 s were over" in log


def test_stages_are_written_from_their_beginning(uncut):
    """A row, a frame and a checkpoint at each boundary; own intervals in between."""
    series, frames, record = read_series(uncut / SERIES), read_frames(uncut).times, (
        summary_of(uncut)["stages"])
    kept = {path.stem for path in checkpoints(uncut)}
    for row in record:
        assert row["began"] in series["time"]
        assert row["began"] in frames
        assert f"step_{row['began_step']:012d}" in kept
    assert series["time"][-1] == frames[-1] == record[-1]["ended"]
    inside = (series["time"] > record[2]["began"]) & (series["time"] < record[2]["ended"])
    assert np.diff(series["time"][inside]) == pytest.approx(0.3e-3, rel=0.03)
    assert np.diff(series["time"][series["time"] < record[0]["ended"]]) == pytest.approx(1e-3)


def test_cut_again_and_again(uncut, tmp_path):
    folder, pieces = tmp_path / "cut", 1
    summary = start(folder, staged(), report=interrupt(0)).go()
    while summary["state"] == "interrupted":
        sim = newest_simulation(folder, 1 + pieces % 2)
        summary = Run(sim, staged().plan, folder, report=interrupt(sim.steps + 210)).go()
        pieces += 1
    assert pieces > 8
    assert_same(folder, uncut)


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_cut_at_every_boundary(uncut, tmp_path, offset):
    """Saved and loaded at the last step of a stage, at the boundary and at the first step."""
    scenario = staged()
    sim = scenario.simulation(1)
    for row in summary_of(uncut)["stages"]:
        if not sim.is_finished:
            sim.step(row["ended_step"] + offset - sim.steps)
        sim.save(tmp_path / "state.h5")
        loaded = gr.Simulation.load(tmp_path / "state.h5", threads=2)
        assert loaded.fingerprint() == sim.fingerprint()
        assert loaded.course.place == sim.course.place
        sim = loaded
    if not sim.is_finished:
        sim.run()
    assert sim.fingerprint() == summary_of(uncut)["state_sha256"]


@pytest.mark.parametrize("number", [2, 4])
def test_killed_at_a_boundary(uncut, tmp_path, number):
    """All that is later than the checkpoint of a boundary is lost; so is the boundary itself."""
    record = summary_of(uncut)["stages"]
    for lost in (False, True):
        folder = tmp_path / f"killed {lost}"
        start(folder, staged(), report=interrupt(record[number]["began_step"] + 1)).go()
        (folder / SUMMARY).unlink()
        for path in checkpoints(folder):
            step = int(path.stem.removeprefix("step_"))
            if step > record[number]["began_step"] or (lost and step == record[number][
                    "began_step"]):
                path.unlink()
        command("resume", folder, "--threads", 1)
        assert_same(folder, uncut)


@pytest.mark.parametrize("changes", [
    ["output.series=0.13 ms", "output.frames=20 ms", "output.flows=[]"],
    ["output.checkpoints=1 ms", "stages[2].output.series=5 ms"],
])
def test_output_never_changes_what_is_simulated(uncut, tmp_path, changes):
    summary = start(tmp_path / "run", staged(*changes), threads=2).go()
    assert summary["state_sha256"] == summary_of(uncut)["state_sha256"]


def test_the_scenario_as_understood_gives_the_same_run(uncut, tmp_path):
    command("run", uncut / "scenario.toml", "--out", tmp_path / "again", "--threads", 2)
    assert_same(tmp_path / "again", uncut)
    assert (tmp_path / "again" / "stages.png").exists()


def test_the_same_from_python(uncut):
    scenario = staged()
    sim = gr.Simulation(scenario.world, scenario.law, stages=scenario.stages,
                        measures=scenario.plan.in_series, threads=1)
    while not sim.is_finished:
        sim.run(1.7e-3)
    assert sim.fingerprint() == summary_of(uncut)["state_sha256"]


def test_a_duration_ends_a_run_in_a_stage(uncut, tmp_path):
    folder = tmp_path / "short"
    summary = start(folder, staged("run.duration=15 ms")).go()
    assert (summary["state"], summary["ended"]) == ("finished", "the duration of the run was up")
    assert summary["time"] == pytest.approx(0.015)
    assert summary["stages"][-1]["ended"] is None
    command("resume", folder, "--threads", 1, "--set", "run.duration=10 s")
    assert summary_of(folder)["state_sha256"] == summary_of(uncut)["state_sha256"]


def test_a_guard_that_stops_the_run(tmp_path):
    folder = tmp_path / "run"
    scenario = staged('stages[1].at_most="5 ms"')
    with pytest.raises(StageError, match=r"stage 'calm' did not end at t = 0\.015 s"):
        start(folder, scenario).go()
    summary = summary_of(folder)
    assert summary["state"] == "trouble"
    assert "stage 'calm' did not end" in summary["trouble"]
    assert "stopped: stage 'calm'" in (folder / LOG).read_text()
    with pytest.raises(StageError, match="stage 'calm' did not end"):
        Run(newest_simulation(folder, 1), scenario.plan, folder).go()


def test_a_run_that_stops_when_a_condition_is_met(tmp_path):
    text = STAGED[: STAGED.index("[[stages]]")] + STAGED[STAGED.index("[output]"):]
    changes = ("run.duration=1 s", 'run.stop="hole_grains >= 3"')
    folder = tmp_path / "run"
    summary = start(folder, staged(*changes, text=text), report=interrupt(1200)).go()
    assert summary["state"] == "interrupted"
    command("resume", folder, "--threads", 1)
    summary = summary_of(folder)
    assert (summary["state"], summary["stages"]) == ("finished", [])
    assert summary["ended"] == "hole_grains is at least 3"
    assert summary["last_sample"]["hole_grains"] >= 3
    uncut = start(tmp_path / "uncut", staged(*changes, text=text)).go()
    assert uncut["state_sha256"] == summary["state_sha256"]


def test_progress_knows_stages(tmp_path):
    seen = []
    start(tmp_path / "run", staged(), report=seen.append).go()
    shares = [progress.share for progress in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert any("stage 3 of 5, shake: " in progress.stage for progress in seen)
    assert any(" of at most 0.02 s, until height is steady" in progress.stage for progress in seen)
    assert all(progress.steps < float("inf") for progress in seen)


@pytest.mark.parametrize(("end", "steps", "said"), [
    (None, float("inf"), "t = 0.5 s  stage 1 of 2, wait [a]: 0.5 s, until empty  10 steps/s  7"),
    (9.0, 200, "t = 0.5 of 9 s  stage 1 of 2, wait [a]: 0.5 s, until empty  10 steps/s  at most "
     "10 s left  7"),
])
def test_the_progress_of_a_stage_of_unknown_length(end, steps, said):
    text = io.StringIO()
    reporter = Reporter(Console(file=text, width=300), None)
    reporter(Progress(100, steps, 0.5, end, 10.0, 1e-3, 5, 7, 1.0,
                      "stage 1 of 2, wait [a]: 0.5 s, until empty"))
    assert said in text.getvalue()


def test_progress_is_a_share_of_time_not_of_stages():
    stages = (gr.Stage("calm", until=gr.AtRest(), at_most=1.0), gr.Stage("shake", duration=9.0))
    course = Course(stages)
    course.begin(0, 0.0)
    assert share_done(course, 0.5) == pytest.approx(0.05)
    course.end(50, 0.5, "at rest")
    course.begin(50, 0.5)
    assert share_done(course, 0.5) == pytest.approx(0.5 / 9.5)
    assert share_done(course, 5.0) == pytest.approx(5.0 / 9.5)
    course.end(950, 9.5, "its time is over")
    assert share_done(course, 9.5) == 1.0
