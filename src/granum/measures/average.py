"""Moving averages of any column of the series.

    ā(t) = mean of a(t') over the samples with t - T < t' ≤ t

(as Ferrez 2001, chapter 5, follows the density of grains that are shaken). At the start there are
fewer samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from granum.checks import nearest, positive
from granum.errors import InputError
from granum.measures.measure import Look, Measure, Memory, Values
from granum.quantity import Time
from granum.world import World

ROUNDING = 1e-9  # of the window: a sample at its very beginning is outside of it


@dataclass(frozen=True)
class MovingAverage(Measure):
    """The mean of a column of the series over the time before.

    Args:
        of: name of the column, one of the series' own or of a measure without an interval that
            stands before this one.
        over: length of the window [s].
    """

    type_name: ClassVar[str] = "moving_average"
    of: str
    over: Time

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        positive("over", self.over)
        if self.interval is not None:
            message = "interval must not be given: an average follows the samples of the series"
            raise InputError(message)

    @property
    def title(self) -> str:
        """What it is called: its name, or else that of its column."""
        return self.name or f"{self.of}_average"

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the column."""
        return (f"{self.of}_average",)

    def refuse_unknown(self, columns: list[str]) -> None:
        """Refuse a column that is not there."""
        if self.of not in columns:
            message = (f"of = {self.of!r} is no column of the series before this average"
                       f"{nearest(self.of, columns)}; there are {', '.join(columns)}")
            raise InputError(message)

    def recall(self, look: Look, memory: Memory) -> tuple[Values, Memory]:
        """Add the moment's value, and drop what has left the window."""
        self.refuse_unknown(list(look.row))
        known = memory or {"time": np.zeros(0), "value": np.zeros(0)}
        window = (known["time"] < look.time) & (
            known["time"] > look.time - self.over * (1.0 - ROUNDING))
        time = np.append(known["time"][window], look.time)
        value = np.append(known["value"][window], float(look.row[self.of]))
        return (float(value.mean()),), {"time": time, "value": value}
