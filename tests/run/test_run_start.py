"""Kernels are compiled once on a machine, not once a process."""

from __future__ import annotations

import re
import subprocess
import sys

BEADS = """
from granum.scenario.build import understand
from granum.scenario.reader import parse_toml

text = '''
[materials.a]
density = 1000
[law]
type = "linear_viscoelastic"
restitution = 0.5
contact_time = "1 ms"
[[walls]]
type = "box"
low = [0, 0, 0]
high = [0.05, 0.05, 0.05]
[[grains]]
type = "random"
radius = "2 mm"
count = 20
[run]
duration = "1 ms"
'''
sim = understand(parse_toml(text)).simulation(1)
sim.run(1e-3)
sim.sample()
"""


def test_a_second_process_compiles_nothing(monkeypatch):
    exec(compile(BEADS, "beads", "exec"), {})  # compiled here, if not before
    monkeypatch.setenv("NUMBA_DEBUG_CACHE", "1")
    result = subprocess.run([sys.executable, "-c", BEADS], capture_output=True, text=True,
                            check=True)
    assert "data loaded from" in result.stdout
    assert re.findall(r"data saved to '(.*)'", result.stdout) == []
