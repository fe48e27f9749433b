"""The run folder when things go wrong: broken checkpoints, a full disk, numerical trouble."""

from __future__ import annotations

import errno
import json
import logging
import re
from fnmatch import fnmatch
from pathlib import Path

import h5py
import numpy as np
import pytest
from run_silo import assert_same_run, command, silo, start, summary_of

from granum.errors import CheckpointError, InputError, NumericalError, OutputError
from granum.output import atomic, container, read_frames, read_series, series, write_container
from granum.run import LOG, SERIES, Plan, checkpoints, newest_simulation
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml
from granum.simulation import Simulation
from small_scenario import DURATION, HIGH, RANDOM, beads


def foreign_hdf5(path):
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(5)


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


BREAKS = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "empty": lambda path: path.write_bytes(b""),
    "one bit": flip,
    "text": lambda path: path.write_text("time,step\n0,0\n"),
    "another HDF5 file": foreign_hdf5,
    "another container": lambda path: write_container(path, {}, {}, "frame"),
    "a checkpoint of nothing": lambda path: write_container(path, {}, {}, "checkpoint"),
    "a checkpoint of something": lambda path: write_container(
        path, {"x": np.zeros(3)}, {"world": 1, "law": None}, "checkpoint"),
}


# ---- broken checkpoints --------------------------------------------------------------------


@pytest.mark.parametrize("how", BREAKS)
def test_a_broken_checkpoint_is_passed_over(half, how):
    older, newest = checkpoints(half)
    BREAKS[how](newest)
    sim = newest_simulation(half, 1)
    assert f"step_{sim.steps:012d}" == older.stem
    last = (half / LOG).read_text().splitlines()[-1]
    assert "passed over" in last
    assert str(newest) in last


def test_the_run_from_the_older_checkpoint_is_the_same(uncut, half):
    flip(checkpoints(half)[-1])
    command("resume", half, "--threads", 1)
    assert_same_run(half, uncut)
    assert len(checkpoints(half)) == 2


@pytest.mark.parametrize("how", ["truncated", "text"])
def test_without_a_sound_checkpoint_nothing_goes_on(half, how):
    before = (half / SERIES).read_bytes()
    for path in checkpoints(half):
        BREAKS[how](path)
    with pytest.raises(CheckpointError, match="no checkpoint to go on from") as refusal:
        command("resume", half)
    assert refusal.value.exit_code == 2
    assert all(str(path) in str(refusal.value) for path in checkpoints(half))
    assert (half / SERIES).read_bytes() == before


def test_a_folder_that_is_no_run(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(InputError, match="is not a run folder"):
            command("resume", folder)
    assert not (tmp_path / LOG).exists()


# ---- a full disk ---------------------------------------------------------------------------


@pytest.fixture
def full(monkeypatch):
    """Let the disk be full from the ``number``-th write on to files whose names fit."""
    real = atomic.write_all

    def fill(pattern, number):
        left = number

        def write_all(raw, content):
            nonlocal left
            if fnmatch(Path(raw.name).name.removesuffix(".part"), pattern):
                left -= 1
                if left <= 0:
                    raw.write(bytes(content)[: len(content) // 2])
                    raise OSError(errno.ENOSPC, "No space left on device")
            real(raw, content)

        for module in (atomic, container, series):
            monkeypatch.setattr(module, "write_all", write_all)

    yield fill
    monkeypatch.undo()


@pytest.mark.parametrize(("pattern", "number"), [
    ("step_000000001400.h5", 10), ("frame_000004.vtkhdf", 10), ("frames.vtkhdf", 500),
    ("series.csv", 45), ("summary.json", 1),
])
def test_a_full_disk_harms_nothing_that_is_there(uncut, tmp_path, full, monkeypatch, pattern,
                                                 number):
    folder = tmp_path / "run"
    run = start(folder, silo())
    full(pattern, number)
    with pytest.raises(OutputError, match="the disk is full") as refusal:
        run.go()
    assert refusal.value.exit_code == 1
    monkeypatch.undo()
    assert not list(folder.rglob("*.part"))
    for path in checkpoints(folder):
        Simulation.load(path, 1)
    rows = len(read_series(folder / SERIES)["time"])
    assert (folder / SERIES).read_bytes() == b"".join(
        (uncut / SERIES).read_bytes().splitlines(keepends=True)[: rows + 1])
    assert len(read_frames(folder)) > 0
    command("resume", folder, "--threads", 1)
    assert_same_run(folder, uncut)


def test_a_full_disk_at_the_start_leaves_nothing_in_the_way(tmp_path, silo_file, full,
                                                            monkeypatch):
    words = ("run", silo_file, "--out", tmp_path / "run", "--threads", 1,
             "--set", "run.duration=1 ms")
    full("scenario.toml", 1)
    with pytest.raises(OutputError, match="the disk is full"):
        command(*words)
    monkeypatch.undo()
    command(*words)


def test_a_log_that_cannot_be_written_is_an_error_with_a_name(tmp_path):
    run = start(tmp_path / "run", silo("run.duration=1 ms"))
    (tmp_path / "run" / LOG).mkdir()
    with pytest.raises(OutputError, match=LOG):
        run.go()


# ---- numerical trouble ---------------------------------------------------------------------

DROP = beads(
    (RANDOM, 'type = "explicit"\npoints = [[0.01, 0.01, 0.04], [0.03, 0.03, 0.01]]\n'
             'radius = "1 mm"\nvelocity = [[0, 0, -3], [0, 0, 0]]\n'),
    (DURATION, 'duration = "30 ms"'),
    more='[output]\nseries = "1 ms"\nframes = "2 ms"\ncheckpoints = "3 ms"\n',
)


def strict(text):
    """Read JSON as the standard has it: no NaN, no Infinity."""
    def refuse(word):
        raise ValueError(word)

    return json.loads(text, parse_constant=refuse)


def test_trouble_is_told_and_the_last_good_state_kept(tmp_path):
    folder = tmp_path / "run"
    run = start(folder, understand(parse_toml(DROP)))
    with pytest.raises(NumericalError, match="m deep in wall 'box: floor'") as trouble:
        run.go()
    assert trouble.value.exit_code == 3
    assert trouble.value.grain == 0
    fall = 0.038 / 3.0  # it touches the floor then [s], a little earlier for gravity
    assert 0.95 * fall < trouble.value.time < 1.1 * fall
    summary = strict((folder / "summary.json").read_text())
    assert summary["state"] == "trouble"
    assert summary["trouble"] == str(trouble.value)
    assert summary["time"] == trouble.value.time
    assert str(trouble.value) in (folder / LOG).read_text()
    sim = newest_simulation(folder, 1)  # the newest checkpoint is a good state
    assert sim.steps == 600
    assert np.isfinite(sim.world.position).all()
    assert sim.sample()["deepest"] == 0.0
    assert read_series(folder / SERIES)["step"].tolist() == list(range(0, 601, 50))
    with pytest.raises(NumericalError, match="grain 0 is"):  # and from there it happens again
        command("resume", folder, "--threads", 1)


def test_trouble_leaves_the_last_two_checkpoints(tmp_path):
    """The state that is kept in case of trouble must not be older than those on the disk."""
    folder = tmp_path / "run"
    with pytest.raises(NumericalError):
        start(folder, understand(parse_toml(DROP))).go()
    steps = [Simulation.load(path, 1).steps for path in checkpoints(folder)]
    assert len(steps) == 2
    assert steps[0] >= 450


def test_trouble_in_the_first_step(tmp_path):
    folder = tmp_path / "run"
    run = start(folder, understand(parse_toml(DROP.replace("[0, 0, -3]", "[0, 0, -3000]"))))
    with pytest.raises(NumericalError, match="grain 0 moves at 3000 m/s"):
        run.go()
    assert summary_of(folder)["state"] == "trouble"
    assert newest_simulation(folder, 1).steps == 0


def deep():
    """Two soft grains that meet head-on; a third flies past, so that lists are short-lived."""
    meet = ('type = "explicit"\npoints = [[0.1, 0.1, 0.1], [0.12, 0.1, 0.1], [0.1, 0.3, 0.1], '
            '[0.3, 0.1, 0.3], [0.2, 0.4, 0.4]]\nradius = "4 mm"\n'
            "velocity = [[2.8, 0, 0], [-2.8, 0, 0], [10, 0, 0], [0, 0, 0], [0, 0, 0]]\n")
    return understand(parse_toml(beads(
        (HIGH, "high = [0.5, 0.5, 0.5]"), (RANDOM, meet),
        (DURATION, 'duration = "5 ms"\nneighbours = "triangulation"'))))


def test_a_deep_overlap_is_logged_once_with_grains_time_and_meaning(tmp_path):
    summary = start(tmp_path / "run", deep()).go()
    assert summary["last_sample"]["contacts"] == 0
    lines = (tmp_path / "run" / LOG).read_text().splitlines()
    found = [line for line in lines if "warning" in line]
    assert len(found) == 1
    assert "grains 0 and 1 overlap by 0." in found[0]
    assert "no contact is missed" in found[0]
    time = float(re.search(r"warning at t = (\S+) s: ", found[0])[1])
    assert 2.1e-3 < time < 2.7e-3
    assert not logging.getLogger("granum").handlers


def test_what_was_done_for_the_neighbours_is_logged_at_the_end(tmp_path):
    summary = start(tmp_path / "run", deep()).go()
    last = (tmp_path / "run" / LOG).read_text().splitlines()[-1]
    for name in ("list_updates", "triangulation_checks", "triangulation_flips",
                 "triangulation_builds", "deep_pairs"):
        assert f"{name} {summary[name]}" in last
    assert summary["triangulation_checks"] > 0


def test_a_deep_overlap_is_logged_in_a_run_that_goes_on(tmp_path):
    folder = tmp_path / "run"
    run = start(folder, deep())
    run.sim.step(128)
    assert run.sim.sample()["deepest"] > 0.3
    (folder / "checkpoints").mkdir()
    run.sim.save(folder / "checkpoints" / "step_000000000128.h5")
    assert newest_simulation(folder, 1).steps == 128
    assert "warning: grains 0 and 1 overlap" in (folder / LOG).read_text()


def test_a_grain_lost(tmp_path):
    text = DROP.replace("[0, 0, -3]", "[0, 0, 1]").replace("0.05]", "0.05]\nopen_top = true")
    text += "[world]\ndomain = { low = [-1, -1, -1], high = [1, 1, 0.06] }\n"
    with pytest.raises(NumericalError, match="grain 0 is lost") as trouble:
        start(tmp_path / "run", understand(parse_toml(text))).go()
    assert trouble.value.grain == 0


# ---- the edges of what can be run ------------------------------------------------------------


def test_a_world_that_empties_itself(tmp_path):
    """Every grain leaves; the run goes on without, and so does what is resumed."""
    text = DROP.replace('type = "box"\nlow = [0, 0, 0]\nhigh = [0.05, 0.05, 0.05]',
                        'type = "plane"\npoint = [0, 0, -1]\nnormal = [0, 0, 1]')
    text += ('[world]\nleaving = "remove"\n'
             "domain = { low = [0, 0, 0.0095], high = [0.05, 0.05, 0.05] }\n")
    folder = tmp_path / "run"
    summary = start(folder, understand(parse_toml(text))).go()
    assert (summary["state"], summary["grains"]) == ("finished", 0)
    assert read_series(folder / SERIES)["grains"][-1] == 0
    assert len(read_frames(folder)[-1].points) == 0
    command("resume", folder, "--threads", 1, "--set", "run.duration=40 ms")
    assert summary_of(folder)["steps"] == 2000


def test_a_world_that_fills_from_empty(tmp_path):
    text = DROP[: DROP.index("[[grains]]")] + (
        '[[grains]]\ntype = "pour"\nradius = "1 mm"\ncount = 5\nrate = 500\n'
        "low = [0, 0, 0.02]\nhigh = [0.05, 0.05, 0.04]\n") + DROP[DROP.index("[run]"):]
    summary = start(tmp_path / "run", understand(parse_toml(text))).go()
    frames = read_frames(tmp_path / "run")
    assert [len(frames[number].points) for number in range(4)] == [0, 0, 1, 2]
    assert summary["grains"] == 5


@pytest.mark.parametrize("name", ["duration", "series", "frames", "checkpoints"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_plan_without_meaning_is_refused(name, value):
    times = {"duration": 1.0, "series": 1.0, "frames": 1.0, "checkpoints": 1.0, name: value}
    with pytest.raises(InputError, match=name):
        Plan(**times)
