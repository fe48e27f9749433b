"""The same run to the last bit, however it is cut, watched, threaded or described."""

from __future__ import annotations

import re

import numba
import numpy as np
import pytest
from run_silo import (
    assert_same_run,
    command,
    cut,
    interrupt,
    silo,
    start,
    summary_of,
)

import granum as gr
from granum.errors import InputError
from granum.measures import Flow
from granum.output import read_frames, read_series
from granum.run import LOG, SERIES, Plan, Run, checkpoints, newest_simulation
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml
from small_scenario import DURATION, HIGH, RANDOM, beads

ALL = int(numba.config.NUMBA_NUM_THREADS)


def test_the_silo_is_eventful(uncut):
    series = read_series(uncut / SERIES)
    assert series["grains"].max() == 50  # all are poured in ...
    assert series["grains"][-1] < 45  # ... and some have left
    assert series["contacts"].max() >= 4
    assert series["wall_contacts"].max() >= 4
    assert series["hole_grains"].max() >= 5
    assert summary_of(uncut)["sortings"] >= 1
    assert summary_of(uncut)["list_updates"] >= 10


def test_the_same_command_gives_the_same_run(uncut, silo_file, tmp_path):
    command("run", silo_file, "--out", tmp_path / "again", "--threads", ALL)
    assert_same_run(tmp_path / "again", uncut)


def test_the_scenario_as_understood_gives_the_same_run(uncut, tmp_path):
    command("run", uncut / "scenario.toml", "--out", tmp_path / "again", "--threads", 1)
    assert_same_run(tmp_path / "again", uncut)


@pytest.mark.parametrize("step", [1, 990, 1234, 2800])
def test_interrupted_and_resumed(uncut, tmp_path, step):
    cut(tmp_path / "cut", step)
    command("resume", tmp_path / "cut", "--threads", 1)
    assert_same_run(tmp_path / "cut", uncut)


def test_interrupted_again_and_again(uncut, tmp_path):
    folder = tmp_path / "cut"
    summary = start(folder, silo(), report=interrupt(0)).go()
    pieces = 1
    while summary["state"] == "interrupted":
        before = summary["steps"]
        sim = newest_simulation(folder, 1 + pieces % ALL)
        summary = Run(sim, silo().plan, folder, report=interrupt(before + 240)).go()
        assert summary["steps"] > before
        pieces += 1
    assert pieces >= 8
    assert_same_run(folder, uncut)


def test_resuming_a_finished_run_changes_nothing(uncut, tmp_path, silo_file):
    folder = tmp_path / "done"
    command("run", silo_file, "--out", folder, "--threads", 1)
    command("resume", folder, "--threads", 1)
    assert_same_run(folder, uncut)


def test_a_run_made_longer_is_the_longer_run(uncut, tmp_path, silo_file):
    folder = tmp_path / "short"
    command("run", silo_file, "--out", folder, "--threads", 1, "--set", "run.duration=17 ms")
    assert summary_of(folder)["steps"] == 1700
    command("resume", folder, "--threads", 1, "--set", "run.duration=30 ms")
    assert_same_run(folder, uncut)


@pytest.mark.parametrize("change", [
    "output.series=3 ms", "output.series=0.2 ms", "output.frames=1.7 ms", "output.frames=9 ms",
    "output.checkpoints=2.3 ms",
])
def test_resumed_with_other_output(uncut, half, change):
    command("resume", half, "--threads", 1, "--set", change)
    assert summary_of(half)["state_sha256"] == summary_of(uncut)["state_sha256"]
    assert (np.diff(read_series(half / SERIES)["time"]) > 0).all()
    assert (np.diff(read_frames(half).times) > 0).all()


@pytest.mark.parametrize("change", ["law.friction=0.9", "run.time_step=5 us", "seed=8",
                                    "walls[1].hole=5 mm"])
def test_physics_cannot_be_changed_half_way(half, change):
    """It stays what it was; that must be said, not passed over."""
    with pytest.raises(InputError, match=re.escape(change.partition("=")[0])):
        command("resume", half, "--threads", 1, "--set", change)


@pytest.mark.parametrize(("series", "frames", "checkpoints"), [
    (1e-4, 1.7e-3, 1.0), (1.0, 1.0, 1.0),
])
def test_output_never_changes_what_is_simulated(uncut, tmp_path, series, frames, checkpoints):
    plan = Plan(0.03, series, frames, checkpoints, (Flow("a"), Flow("b", normal=(1, 0, 0))))
    (tmp_path / "run").mkdir()
    summary = Run(silo().simulation(1), plan, tmp_path / "run").go()
    assert summary["state_sha256"] == summary_of(uncut)["state_sha256"]


def test_the_same_from_python(uncut):
    world = gr.World(
        (0.0, 0.0, -40.0), seed=7, leaving="remove",
        turns=[gr.Turn(6e-3, 10e-3, 0.35, (1.0, 0.0, 0.0))],
        domain=((-0.03, -0.03, -0.005), (0.03, 0.03, 0.06)),
    )
    world.add(gr.Cylinder((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=0.01, height=0.04))
    world.add(gr.Plate((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius=0.01, hole=0.007, opens=0.008))
    world.add(gr.Random(radius=1.5e-3, spread=0.3, count=30, low=(-0.01, -0.01, 0.0),
                        high=(0.01, 0.01, 0.015)), density=2500.0)
    world.add(gr.Pour(radius=1.2e-3, count=20, rate=2000.0, low=(-7e-3, -7e-3, 0.02),
                      high=(7e-3, 7e-3, 0.035), velocity=(0.0, 0.0, -1.0)), density=2500.0)
    law = gr.LinearViscoelastic(restitution=0.6, contact_time=5e-4, friction=0.4)
    sim = gr.Simulation(world, law, threads=1)
    for _ in range(7):
        sim.step(101)
    sim.run(0.03 - sim.time)
    assert sim.fingerprint() == summary_of(uncut)["state_sha256"]
    last = newest_simulation(uncut, 1).world
    assert last.position.tobytes() == world.position.tobytes()
    assert last.spin.tobytes() == world.spin.tobytes()


MANY = beads(
    ("[materials.glass]", "seed = 2\n[materials.glass]"),
    ('contact_time = "1 ms"', 'contact_time = "0.5 ms"\nfriction = 0.3'),
    (HIGH, "high = [0.025, 0.025, 0.04]"),
    (RANDOM, 'type = "random"\nradius = "1 mm"\nspread = 0.2\ncount = 1300\n'),
    (DURATION, 'duration = "8 ms"'),
    more='[output]\nframes = "4 ms"\n[world]\ngravity = [0, 0, -60]\n',
)


def test_threads_change_nothing(tmp_path):
    """Of so many grains, each thread has its own."""
    for name, threads in (("one", 1), ("all", ALL)):
        scenario = understand(parse_toml(MANY))
        summary = start(tmp_path / name, scenario, threads).go()
        assert summary["threads"] == threads
        assert summary["last_sample"]["contacts"] > 20
    assert_same_run(tmp_path / "all", tmp_path / "one")
    cut(tmp_path / "mixed", 100, understand(parse_toml(MANY)), threads=ALL)
    command("resume", tmp_path / "mixed", "--threads", 1)
    assert_same_run(tmp_path / "mixed", tmp_path / "one")


def test_what_is_written_when(uncut):
    series = read_series(uncut / SERIES)
    assert series["step"].tolist() == list(range(0, 3001, 50))
    assert series["time"].tolist() == [step * 1e-5 for step in range(0, 3001, 50)]
    assert read_frames(uncut).times.tolist() == [step * 1e-5 for step in range(0, 3001, 400)]
    assert [path.stem for path in checkpoints(uncut)] == ["step_000000002800", "step_000000003000"]
    log = (uncut / LOG).read_text().splitlines()
    assert len(log) == 2
    assert "starts at t = 0 s" in log[0]
    assert np.__version__ in log[0]
    assert "finished" in log[1]


def test_a_frame_shows_the_grains_of_its_time(uncut):
    sim = silo().simulation(1)
    sim.step(1600)
    frame = read_frames(uncut)[4]
    assert frame.time == sim.time
    assert frame.points.tobytes() == sim.world.position.tobytes()
    assert np.array_equal(frame.fields["id"], sim.world.id)
    row = sim.sample()
    series = read_series(uncut / SERIES)
    assert row == {name: values[32] for name, values in series.items() if name in row}
