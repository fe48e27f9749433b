"""The command line as a person sees it: what is printed where, and the exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import granum.cli.run
from granum.cli import main
from small_scenario import no_picture

BEADS = """\
title = "Beads"
seed = 3

[materials.glass]
density = "2.5 g/cm3"

[law]
type = "linear_viscoelastic"
restitution = 0.5
contact_time = "1 ms"
friction = 0.3

[[walls]]
type = "box"
low = [0, 0, 0]
high = ["3 cm", "3 cm", "4 cm"]

[[walls]]
type = "plate"
centre = ["1.5 cm", "1.5 cm", "2 cm"]
normal = [0, 0, 1]
radius = "1 cm"
hole = "4 mm"

[[grains]]
type = "random"
radius = "1 mm"
count = 12

[[grains]]
type = "explicit"
points = [["5 mm", "5 mm", "35 mm"]]
radius = "0.5 mm"

[run]
duration = "2 ms"

[output]
series = "0.2 ms"
frames = "1 ms"
"""


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object that was printed, and nothing else."""
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(word: str) -> None:
    message = f"{word} is not JSON"
    raise ValueError(message)


Command = Callable[..., Outcome]


@pytest.fixture
def drawing_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Command:
    """Run granum in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: Any) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["granum", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        return Outcome(code, *capsys.readouterr())

    return run


@pytest.fixture
def command(drawing_command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run granum without drawing, which takes longer than the small runs here."""
    monkeypatch.setattr(granum.cli.run, "draw_run", no_picture)
    return drawing_command


@pytest.fixture
def scenario(tmp_path: Path) -> Callable[..., Path]:
    """Write the beads, with texts replaced, to a file; return its name in the working folder."""
    def write(*changes: tuple[str, str], name: str = "beads.toml") -> Path:
        text = BEADS
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (tmp_path / name).write_text(text)
        return Path(name)

    return write
