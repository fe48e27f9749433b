"""Kernels are compiled once on a machine, not once a process."""

from __future__ import annotations

import re
import subprocess
import sys

from small_scenario import beads

RUN = f"""
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml

sim = understand(parse_toml({beads()!r})).simulation(1)
sim.run(1e-3)
sim.sample()
"""


def test_a_second_process_compiles_nothing(monkeypatch):
    exec(compile(RUN, "beads", "exec"), {})  # compiled here, if not before
    monkeypatch.setenv("NUMBA_DEBUG_CACHE", "1")
    result = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True,
                            check=True)
    assert "data loaded from" in result.stdout
    assert re.findall(r"data saved to '(.*)'", result.stdout) == []
