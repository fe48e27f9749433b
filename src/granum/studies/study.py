"""What a study is: a published experiment, ready to run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from granum.world import World


class Study(Protocol):
    """A built-in scenario with what it must show."""

    name: str
    title: str
    source: str
    shows: str
    variants: Mapping[str, str]  # name and description; the first is run unless one is chosen

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the scenario of a variant as the tables of a scenario file."""
        ...

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw pictures and plots into the run folder; return what was found."""
        ...
