"""Ctrl-C and a polite kill: the step under way is finished, everything is saved and said."""

from __future__ import annotations

import json
import signal
import time

import numpy as np
import pytest
from run_silo import process, silo, summary_of

from granum.output import read_frames, read_series
from granum.run import CHECKPOINTS, LOG, SERIES, newest_simulation

CHANGES = ["run.duration=1000 s", "walls[1].opens=1000 s"]


def interrupted(folder, silo_file, number, *options):
    """Start a run that would take hours, send it a signal, and return how it ended."""
    words = [word for change in CHANGES for word in ("--set", change)]
    running = process("run", silo_file, "--out", folder, "--threads", 1, *words, *options)
    while running.poll() is None and not list((folder / CHECKPOINTS).glob("step_*.h5")):
        time.sleep(0.02)
    time.sleep(0.2)
    running.send_signal(number)
    output, errors = running.communicate()
    return running.returncode, output, errors


@pytest.mark.parametrize(("number", "options"), [
    (signal.SIGINT, []), (signal.SIGINT, ["--json"]), (signal.SIGTERM, ["--quiet"]),
])
def test_interrupted(silo_file, tmp_path, number, options):
    folder = tmp_path / "run"
    code, output, errors = interrupted(folder, silo_file, number, *options)
    assert code == 130, errors
    assert errors == ""
    summary = summary_of(folder)
    assert summary["state"] == "interrupted"
    if options == ["--json"]:
        assert json.loads(output) == summary
    elif options == ["--quiet"]:
        assert output == ""
    else:
        assert f"Interrupted at t = {summary['time']:g} s" in output
        assert f"granum resume {folder}" in output
    assert_complete(folder, summary)


def assert_complete(folder, summary):
    """The folder holds all there is to hold, and the state is that of an uncut run."""
    names = {path.name for path in folder.iterdir()}
    assert names == {"scenario.toml", LOG, SERIES, "frames", "frames.vtkhdf", CHECKPOINTS,
                     "summary.json"}
    assert "interrupted" in (folder / LOG).read_text().splitlines()[-1]
    sim = newest_simulation(folder, 1)
    assert (sim.steps, sim.fingerprint()) == (summary["steps"], summary["state_sha256"])
    assert read_series(folder / SERIES)["step"].tolist() == list(range(0, sim.steps + 1, 50))
    times = read_frames(folder).times
    assert times.tolist() == [step * sim.time_step for step in range(0, sim.steps + 1, 400)]
    same = silo(*CHANGES).simulation(1)
    same.step(sim.steps)
    assert same.fingerprint() == summary["state_sha256"]
    assert np.array_equal(same.world.position, sim.world.position)
