"""What of a run is converted: which frames, which table, which colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.convert.whole import whole_frame
from granum.output.vtkhdf import Frame
from granum.view.record import Record, radius_of
from granum.view.scene import frame_at

TableName = Literal["grains", "contacts", "series"]


@dataclass(frozen=True)
class Look:
    """How grains are coloured, where a format has colours.

    Attributes:
        colour: by which quantity.
        map_name: the colour map.
        low: value of the first colour; that of the whole run unless given.
        high: value of the last colour.
    """

    colour: str = "speed"
    map_name: str = "lagoon"
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Choice:
    """What of a run is converted.

    Attributes:
        record: the run.
        time: only the frame nearest to this time [s]; all of them unless given.
        every: only every so many frames, from the first one on.
        table: which table, where a format has tables.
        look: colours.
    """

    record: Record
    time: float | None = None
    every: int = 1
    table: TableName = "grains"
    look: Look = field(default_factory=Look)

    def numbers(self) -> list[int]:
        """Return the numbers of the chosen frames."""
        checks.whole("every", self.every, at_least=1)
        if self.time is not None:
            return [frame_at(self.record, self.time)]
        return list(range(0, len(self.record.times()), self.every))

    def frames(self) -> Iterator[Frame]:
        """Read the chosen frames, one after the other."""
        for number in self.numbers():
            yield self.frame(number)

    def frame(self, number: int) -> Frame:
        """Read a frame; swept grains have one row each."""
        return whole_frame(self.record.frame(number), self.record.walls.shapes)

    def box(self) -> tuple[FloatArray, FloatArray, list[bool]]:
        """Return the corners of a box that holds all chosen frames, and where it is periodic.

        The cell in periodic directions; elsewhere around the grains and walls, (3,) each [m].
        """
        _, low, high = self.record.box()
        for frame in self.frames():
            reach = radius_of(frame)[:, None]
            low = np.minimum(low, (frame.points - reach).min(axis=0, initial=np.inf))
            high = np.maximum(high, (frame.points + reach).max(axis=0, initial=-np.inf))
        cell = self.record.walls.enclosure.periods()
        periodic = cell > 0.0
        low, high = np.where(periodic, 0.0, low), np.where(periodic, cell, high)
        return low, np.where(high > low, high, low + 1.0), periodic.tolist()
