"""Branches: a new run that goes on from a moment of another one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from stage_run import STAGED, command, interrupt, staged, start
from stage_worlds import LAW, STEP, lone, simulation

import granum as gr
from granum.errors import CheckpointError, InputError
from granum.output import read_series
from granum.run import LOG, SERIES, SUMMARY, checkpoints
from granum.scenario.branching import split_source
from granum.scenario.problems import ScenarioError

PLAIN = STAGED[: STAGED.index("[[stages]]")] + STAGED[STAGED.index("[output]"):].replace(
    '"1 ms"', '"0.5 ms"') + '[run]\nduration = "20 ms"\n'


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario, a run of it, and a run of it that was cut half way."""
    home = tmp_path_factory.mktemp("branches")
    (home / "plain.toml").write_text(PLAIN)
    start(home / "whole", staged(text=PLAIN)).go()
    start(home / "half", staged(text=PLAIN), report=interrupt(400)).go()
    return home


def summary_of(folder: Path) -> dict:
    return json.loads((folder / SUMMARY).read_text())


def test_a_branch_with_nothing_changed_is_the_same_run(home, tmp_path):
    half = summary_of(home / "half")
    left = 0.02 - half["time"]
    command("run", home / "plain.toml", "--from", home / "half", "--out", tmp_path / "on",
            "--threads", 2, "--set", f"run.duration={left}")
    ours, whole = summary_of(tmp_path / "on"), summary_of(home / "whole")
    assert (ours["state_sha256"], ours["steps"]) == (whole["state_sha256"], whole["steps"])
    origin = ours["from"]
    assert origin["state_sha256"] == half["state_sha256"]
    assert (origin["step"], origin["run"]) == (half["steps"], str(home / "half"))
    assert origin["checkpoint"] == f"step_{half['steps']:012d}.h5"
    assert half["state_sha256"] in (tmp_path / "on" / "scenario.toml").read_text()
    assert "branched from" in (tmp_path / "on" / LOG).read_text()
    time = read_series(tmp_path / "on" / SERIES)["time"]
    assert time[0] == half["time"]
    assert np.diff(time) == pytest.approx(5e-4, rel=1e-9)


def test_a_branch_that_is_cut_and_resumed(home, tmp_path):
    stages = ("stages=[{name='quiet', for='2 ms', gravity=[0,0,-2]}, "
              "{name='rough', for='4 ms', law={friction=0.9}, time_step='10 us'}]")
    for name, options in (("uncut", ()), ("cut", ("run.duration=3 ms",))):
        words = [word for change in (stages, *options) for word in ("--set", change)]
        command("run", home / "plain.toml", "--from", f"{home / 'half'}@{0.007}", "--out",
                tmp_path / name, "--threads", 1, *words)
    assert summary_of(tmp_path / "cut")["time"] == pytest.approx(0.01)
    command("resume", tmp_path / "cut", "--threads", 1, "--set", "run.duration=20 ms")
    ours, theirs = summary_of(tmp_path / "cut"), summary_of(tmp_path / "uncut")
    for name in ("state_sha256", "stages", "from", "time"):
        assert ours[name] == theirs[name]
    assert ours["time"] == pytest.approx(0.013)
    assert [row["name"] for row in ours["stages"]] == ["quiet", "rough"]


def test_killed_right_after_its_start(home, tmp_path):
    """The state is in the folder before the scenario is, so resuming cannot start from scratch."""
    folder = tmp_path / "killed"
    command("run", home / "plain.toml", "--from", home / "half", "--out", folder, "--threads", 1,
            "--set", "run.duration=1 ms")
    first = checkpoints(folder)[0]
    end = summary_of(folder)["state_sha256"]
    for path in (*checkpoints(folder)[1:], folder / SUMMARY, folder / SERIES):
        path.unlink()
    assert first.stem == f"step_{summary_of(home / 'half')['steps']:012d}"
    command("resume", folder, "--threads", 1)
    assert summary_of(folder)["state_sha256"] == end


@pytest.mark.parametrize(("changes", "said"), [
    (["materials.glass.density=2600"], "the material 'glass' has the density 2600 kg/m3 here, and "
     "2500 kg/m3 in the run"),
    (["walls[1].hole=5 mm"], "walls[1]: is not that of the run"),
    (["grains[0].count=21"], "grains[0]: is not that of the run"),
    (["seed=9"], "seed: is 9, but the run"),
    (["run.contacts=single"], "run.contacts: is single, but the run"),
    (["law.type=linear_repulsive"], "the law cannot become another one on the way"),
    (["world.periodic.x=5 cm"], "world.periodic"),
    (["law.contact_time=50 us", "run.time_step=1 us", "stages=[{name='a', for='1 ms', "
      "time_step='20 us'}]"], "a time step of 2e-05 s is too long"),
])
def test_what_does_not_fit_is_refused(home, tmp_path, changes, said):
    words = [word for change in changes for word in ("--set", change)]
    with pytest.raises(ScenarioError) as error:
        command("run", home / "plain.toml", "--from", home / "half", "--out", tmp_path / "no",
                *words)
    assert said in str(error.value)
    assert not (tmp_path / "no").exists()


def test_which_moment(home):
    source = home / "whole"
    times = {path.stem: gr.branch(path).time for path in checkpoints(source)}
    assert gr.branch(source, threads=1).time == max(times.values())
    for stem, time in times.items():
        assert gr.branch(source, at=time).steps == gr.branch(source, at=stem).steps
    with pytest.raises(InputError, match=r"has no checkpoint at 0\.0031 s; there are: 0\."):
        gr.branch(source, at=0.0031)
    with pytest.raises(InputError, match="has no checkpoint step_7"):
        gr.branch(source, at="step_7")
    with pytest.raises(InputError, match="is not a run folder"):
        gr.branch(home / "nowhere")


def test_a_broken_checkpoint_is_refused(home, tmp_path):
    folder = shutil.copytree(home / "half", tmp_path / "half")
    checkpoints(folder)[-1].write_bytes(b"")
    with pytest.raises(CheckpointError, match="empty"):
        gr.branch(folder)


def test_folder_and_moment(tmp_path):
    assert split_source("runs/a") == (Path("runs/a"), None)
    assert split_source("runs/a@0.5 s") == (Path("runs/a"), "0.5 s")
    (tmp_path / "a@b").mkdir()
    assert split_source(str(tmp_path / "a@b")) == (tmp_path / "a@b", None)
    with pytest.raises(InputError, match="names no moment"):
        split_source("runs/a@")


# ---- from Python -----------------------------------------------------------------------------


def test_a_branch_leaves_its_source_alone():
    sim = simulation(lone())
    sim.step(70)
    before = sim.fingerprint()
    other = gr.branch(sim, gravity=(1, 0, 0), time_step=0.5 * STEP)
    other.run(1e-3)
    assert sim.fingerprint() == before
    assert other.origin["state_sha256"] == before
    assert other.world.velocity[0] == pytest.approx([1e-3, 0, -9.81 * 70 * STEP], rel=1e-9)
    assert other.start == (70, pytest.approx(70 * STEP))
    same = gr.branch(sim)
    for one in (sim, same):
        one.step(30)
    assert same.fingerprint() == sim.fingerprint()


def test_a_branch_of_a_finished_simulation_with_other_stages():
    sim = simulation(lone(), stages=[gr.Stage("a", 1e-3)])
    sim.run()
    new = gr.branch(sim, stages=[gr.Stage("b", 1e-3, gravity=(0, 0, 5))], threads=1)
    new.run()
    assert [row["name"] for row in new.course.record] == ["b"]
    assert new.course.record[0]["began"] == pytest.approx(1e-3)
    assert new.world.velocity[0, 2] == pytest.approx((5 - 9.81) * 1e-3)


def test_a_branch_refuses_what_does_not_fit():
    sim = simulation(lone())
    with pytest.raises(InputError, match="the law cannot become another one"):
        gr.branch(sim, law=gr.LinearRepulsive(0.5, 1e-3))
    with pytest.raises(InputError, match="is too long for the law"):
        gr.branch(sim, law=gr.LinearViscoelastic(0.5, 1e-5))
    with pytest.raises(InputError, match="there is no wall named 'lid'"):
        gr.branch(sim, stages=[gr.Stage("a", 1.0, remove="lid")])
    assert sim.law == LAW
