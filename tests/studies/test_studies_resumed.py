"""A study that is stopped half way, in the middle of its taps, and gone on with is the same run."""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest
from quick_study import run_quick

from granum.cli import main
from granum.cli.progress import Reporter
from granum.run import LOG, SERIES, SUMMARY
from granum.studies import STUDIES

STUDY, VARIANT = "packing-narrow", "30mm"  # 88 grains that are tapped twice


def granum(monkeypatch, *words):
    """Run a command; return its exit code."""
    monkeypatch.setattr(sys, "argv", ["granum", *map(str, words), "--threads", "1", "--quiet"])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code or 0


def test_a_study_that_is_stopped_while_it_is_tapped(tmp_path, monkeypatch):
    whole = run_quick(tmp_path / "whole", STUDY, variant=VARIANT)
    with monkeypatch.context() as patch:
        patch.setattr(Reporter, "__call__", lambda self, progress: (
            os.kill(os.getpid(), signal.SIGINT) if progress.time > 0.26 else None))
        words = ("run", STUDY, "--quick", "--set", f"variant={VARIANT}", "--out", tmp_path / "cut")
        assert granum(monkeypatch, *words) == 130
    log = (tmp_path / "cut" / LOG).read_text()
    stopped = float(log.split("interrupted at t = ")[1].split()[0])
    taps = STUDIES[STUDY].quick[VARIANT].taps
    assert 1.0 / taps.frequency < stopped < taps.until  # the cup is lifted for the second time
    assert granum(monkeypatch, "resume", tmp_path / "cut") == 0
    resumed = json.loads((tmp_path / "cut" / SUMMARY).read_text())
    for name in ("state", "state_sha256", "steps", "last_sample"):
        assert resumed[name] == whole[name], name
    assert (tmp_path / "cut" / SERIES).read_bytes() == (tmp_path / "whole" / SERIES).read_bytes()
    ours, theirs = ({name: value for name, value in summary["found"].items()
                     if not isinstance(value, str)} for summary in (resumed, whole))
    assert ours == theirs
    assert ours
