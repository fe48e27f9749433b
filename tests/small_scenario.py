"""A scenario of a few beads in a box, the shortest that runs; texts in it can be exchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

MATTER = """\
[materials.glass]
density = 2500
[law]
type = "linear_viscoelastic"
restitution = 0.5
contact_time = "1 ms"
"""
HIGH = "high = [0.05, 0.05, 0.05]"
RANDOM = 'type = "random"\nradius = "2 mm"\ncount = 20\n'
DURATION = 'duration = "1 ms"'
BEADS = (f'{MATTER}[[walls]]\ntype = "box"\nlow = [0, 0, 0]\n{HIGH}\n[[grains]]\n{RANDOM}[run]\n'
         f"{DURATION}\n")


def beads(*changes: tuple[str, str], more: str = "") -> str:
    """Return the scenario with texts replaced, each of which must be there once, and ``more``."""
    text = BEADS
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text + more


def no_picture(folder: Path, walls: Any, dimension: int) -> Path:
    """Stand in for drawing, which takes longer than small runs."""
    return folder / "picture.png"
