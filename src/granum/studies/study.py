"""What a study is: a published experiment, ready to run, with the figures that were published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from granum.world import World

SPEED = "speed"  # key of the speed of a run, which every report knows [1/s]
SCALES = {"%": 100.0}  # by which a figure that was found is multiplied to be in a unit


@dataclass(frozen=True)
class Published:
    """One figure of a paper, and where a run of the study finds its own.

    Args:
        name: what it is, in a few words.
        value: as printed, in ``unit``; a text where the paper has words instead of a number.
        key: of what the study found, by which it is compared; `SPEED` is that of the run.
        index: which entry of it, if it is a list.
        unit: ``"%"`` for shares that are told in percent.
        spread: how far apart both may be before they differ, in ``unit``: what runs with other
            seeds, or the digits that were printed, leave open; None where nobody knows.
        source: where it stands, such as ``"table 5.2"``.
    """

    name: str
    value: float | bool | str
    key: str
    index: int | None = None
    unit: str = ""
    spread: float | None = None
    source: str = ""

    def measured(self, found: Mapping[str, Any]) -> float | bool | None:
        """Return the run's own figure in ``unit``; None if the run has none."""
        value = found.get(self.key)
        if self.index is not None and isinstance(value, list):
            value = value[self.index] if self.index < len(value) else None
        if isinstance(value, bool):
            return value
        if not isinstance(value, int | float):
            return None
        return float(value) * SCALES.get(self.unit, 1.0)

    def difference(self, found: Mapping[str, Any]) -> float | None:
        """Return measured less published in ``unit``; None where one of them is no number."""
        measured = self.measured(found)
        if measured is None or isinstance(self.value, bool | str) or isinstance(measured, bool):
            return None
        return measured - self.value

    def agrees(self, found: Mapping[str, Any]) -> bool | None:
        """Tell whether both are the same within the spread; None if that cannot be told."""
        measured, difference = self.measured(found), self.difference(found)
        if isinstance(self.value, bool) and isinstance(measured, bool):
            return self.value == measured
        if difference is None or self.spread is None:
            return None
        return abs(difference) <= self.spread


class Study(Protocol):
    """A built-in scenario with what it must show."""

    name: str
    title: str
    source: str
    shows: str
    variants: Mapping[str, str]  # name and description; the first is run unless one is chosen
    published: Mapping[str, tuple[Published, ...]]  # figures of each variant that has some

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the scenario of a variant as the tables of a scenario file."""
        ...

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw pictures and plots into the run folder; return what was found."""
        ...
