"""Conditions: what a simulation can wait for.

They are asked at fixed numbers of steps, and answer from the state of that moment and from a few
numbers that they noted before. The notes are part of the state, so a run that is cut and resumed
decides as an uncut one does.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from granum.checks import FloatArray, name_of, nearest, number, positive, vector
from granum.errors import InputError
from granum.measures import Flow, Measure
from granum.measures.columns import unit_of
from granum.measures.energy import kinetic, rotational
from granum.measures.flow import LEFT, PAUSE, is_jammed
from granum.quantity import Number, Point, Time
from granum.stages.columns import column_of
from granum.world import World

Notes = tuple[float, ...]
"""What a condition keeps in mind; empty at the beginning of a stage."""
Sign = Literal["<", "<=", ">", ">="]
SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
WORDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}
ROUNDING = 1e-9  # by which a time may fall short of a wanted one, as a share of it


@dataclass(frozen=True)
class Moment:
    """What a condition may look at.

    Attributes:
        time: [s].
        world: grains and walls.
        gravity: of the moment, (3,) [m/s2].
        measures: flows and others that conditions speak of.
        columns: names of the columns that can be compared.
        measured: what the measures have found, by column.
        row: returns the columns that every series has.
    """

    time: float
    world: World
    gravity: FloatArray
    measures: Sequence[Measure]
    columns: Sequence[str]
    measured: Mapping[str, Any]
    row: Callable[[], Mapping[str, Any]]

    def value(self, words: str) -> float:
        """Return the value of a column."""
        column = column_of(words, self.columns)
        return float(self.measured[column] if column in self.measured else self.row()[column])


class Condition(Protocol):
    """Something that a stage or a run can wait for."""

    def check(self, moment: Moment) -> None:
        """Refuse what this world does not have, before anything runs."""
        ...

    def shortest(self, moment: Moment) -> float:
        """Return the time [s] before which it can never be met."""
        ...

    def look(self, moment: Moment, notes: Notes) -> tuple[bool, Notes]:
        """Return whether it is met, and what to keep in mind until the next look."""
        ...

    def describe(self) -> str:
        """Return it in words, after "until"."""
        ...

    def uses(self, measures: Sequence[Measure], world: World) -> list[Measure]:
        """Return those of the measures that it looks at."""
        ...


class _OfGrains:
    """A condition that looks at nothing but grains."""

    def uses(self, measures: Sequence[Measure], world: World) -> list[Measure]:
        """See `Condition.uses`."""
        return []


class _OfColumn:
    """A condition that looks at a column."""

    column: str

    def uses(self, measures: Sequence[Measure], world: World) -> list[Measure]:
        """See `Condition.uses`."""
        name = self.column.replace(" ", "_")
        return [measure for measure in measures if name in measure.columns(world)]


@dataclass(frozen=True)
class AtRest(_OfGrains):
    """All grains together have nearly no kinetic energy, and that for a while.

    The energy of translation and rotation, for each grain, is compared with what a grain gains when
    it falls by its own diameter: E < share g Σ m d. At 1e-5 a grain of 2 mm moves at 0.6 mm/s.

    Attributes:
        share: of the energy of that fall, at most.
        lasting: for how long without a break [s]; 5 sqrt(d / g) with the mean diameter d if None,
            in which a grain could fall by 12 diameters.
    """

    share: Number = 1e-5
    lasting: Time | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        positive("AtRest share", self.share)
        if self.lasting is not None:
            number("AtRest lasting", self.lasting, at_least=0.0)

    def check(self, moment: Moment) -> None:
        """See `Condition.check`; without gravity there is nothing to compare with."""
        if not moment.gravity.any():
            message = ("'at rest' compares kinetic energy with a fall under gravity, and there is "
                       "none here: compare a column instead, as in \"kinetic < 1e-9 J\"")
            raise InputError(message)

    def shortest(self, moment: Moment) -> float:
        """See `Condition.shortest`."""
        if self.lasting is not None:
            return self.lasting
        radius = moment.world.sizes()[0]
        pull = float(np.linalg.norm(moment.gravity))
        return 5.0 * math.sqrt(2.0 * float(radius.mean()) / pull) if len(radius) else 0.0

    def look(self, moment: Moment, notes: Notes) -> tuple[bool, Notes]:
        """See `Condition.look`; a world without grains is not at rest."""
        grains = moment.world.grains
        fall = 2.0 * float(np.linalg.norm(moment.gravity)) * float(grains.mass @ grains.radius)
        is_calm = kinetic(grains) + rotational(grains) < self.share * fall
        return _lasting(is_calm, self.shortest(moment), moment.time, notes)

    def describe(self) -> str:
        """See `Condition.describe`."""
        how_long = "" if self.lasting is None else f" for {self.lasting:g} s"
        return f"at rest{how_long}" + (f" (share {self.share:g})" if self.share != 1e-5 else "")


@dataclass(frozen=True)
class Jammed:
    """Nothing flows through a plane for a while, although grains are left before it.

    Attributes:
        flow: name of the flow; may be left out if there is only one.
        lasting: for how long no grain has passed [s].
        left: share of the mass that must still be before the plane.
    """

    flow: str = ""
    lasting: Time = PAUSE
    left: Number = LEFT

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        positive("Jammed lasting", self.lasting)
        number("Jammed left", self.left, at_least=0.0, below=1.0)

    def check(self, moment: Moment) -> None:
        """See `Condition.check`."""
        self._plane(moment.measures)

    def uses(self, measures: Sequence[Measure], world: World) -> list[Measure]:
        """See `Condition.uses`."""
        return [self._plane(measures)]

    def shortest(self, moment: Moment) -> float:
        """See `Condition.shortest`."""
        return self.lasting

    def look(self, moment: Moment, notes: Notes) -> tuple[bool, Notes]:
        """See `Condition.look`; noted is how many have passed, and since when there are as many."""
        flow, grains = self._plane(moment.measures), moment.world.grains
        count = float(moment.measured[f"{flow.name}_grains"])
        since = notes[1] if notes and notes[0] == count else moment.time
        before = (grains.position - np.array(flow.point)) @ np.array(flow.normal) <= 0.0
        total = float(grains.mass.sum())
        left = float(grains.mass[before].sum()) / total if total else 0.0
        return is_jammed(moment.time - since, left, self.lasting, self.left), (count, since)

    def describe(self) -> str:
        """See `Condition.describe`."""
        return f"jammed{f' at {self.flow}' if self.flow else ''} for {self.lasting:g} s"

    def _plane(self, measures: Sequence[Measure]) -> Flow:
        flows = {measure.name: measure for measure in measures if isinstance(measure, Flow)}
        names = list(flows)
        if not self.flow and len(names) == 1:
            return flows[names[0]]
        if self.flow not in names:
            what = f"flow '{self.flow}' is unknown{nearest(self.flow, names)}" if self.flow else (
                "'jammed' needs a plane through which grains flow")
            message = (f"{what} (known: {', '.join(names) or 'none'}); give one in "
                       "[[output.flows]], in Python with measures=[gr.Flow(...)]")
            raise InputError(message)
        return flows[self.flow]


@dataclass(frozen=True)
class Empty(_OfGrains):
    """No grain is left, or none with its centre in a box.

    Before the first grain has come, nothing is empty.

    Attributes:
        low: lower corner of the box [m]; without end if None.
        high: upper corner of the box [m]; without end if None.
    """

    low: Point | None = None
    high: Point | None = None

    def __post_init__(self) -> None:
        """Refuse a box without an inside."""
        low, high = (np.full(3, end) if given is None else vector(name_of(self, name), given)
                     for name, given, end in (("low", self.low, -np.inf),
                                              ("high", self.high, np.inf)))
        if (low >= high).any():
            message = f"Empty high must be above low in each direction, got {self.low}, {self.high}"
            raise InputError(message)

    def check(self, moment: Moment) -> None:
        """See `Condition.check`; every world can become empty."""

    def shortest(self, moment: Moment) -> float:
        """See `Condition.shortest`."""
        return 0.0

    def look(self, moment: Moment, notes: Notes) -> tuple[bool, Notes]:
        """See `Condition.look`."""
        position = moment.world.grains.position
        inside = np.ones(len(position), dtype=np.bool_)
        if self.low is not None:
            inside &= (position > np.array(self.low)).all(axis=1)
        if self.high is not None:
            inside &= (position < np.array(self.high)).all(axis=1)
        return moment.world.next_id > 0 and not inside.any(), ()

    def describe(self) -> str:
        """See `Condition.describe`."""
        sides = [f"{word} {corner} m" for word, corner in (("from", self.low), ("to", self.high))
                 if corner is not None]
        return " ".join(["empty", *sides])


@dataclass(frozen=True)
class Steady(_OfColumn):
    """The mean of a column over a window of time is that of the window before.

    Attributes:
        column: of the series, such as ``kinetic``.
        window: how long each of the two windows is [s].
        tolerance: by which share of the larger mean the two may differ.
    """

    column: str = "kinetic"
    window: Time = 0.1
    tolerance: Number = 0.05

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        positive("Steady window", self.window)
        number("Steady tolerance", self.tolerance, above=0.0, below=1.0)

    def check(self, moment: Moment) -> None:
        """See `Condition.check`."""
        column_of(self.column, moment.columns)

    def shortest(self, moment: Moment) -> float:
        """See `Condition.shortest`."""
        return 2.0 * self.window

    def look(self, moment: Moment, notes: Notes) -> tuple[bool, Notes]:
        """See `Condition.look`; noted are begin, sum and number of a window, and a mean."""
        value = moment.value(self.column)
        if not notes:
            return False, (moment.time, value, 1.0)
        begin, total, count = notes[0], notes[1] + value, notes[2] + 1.0
        if moment.time - begin < self.window * (1.0 - ROUNDING):
            return False, (begin, total, count, *notes[3:])
        mean = total / count
        is_steady = len(notes) > 3 and abs(mean - notes[3]) <= self.tolerance * max(
            abs(mean), abs(notes[3]))
        return is_steady, (moment.time, 0.0, 0.0, mean)

    def describe(self) -> str:
        """See `Condition.describe`."""
        return (f"{self.column} is steady within {100.0 * self.tolerance:g} % over two windows of "
                f"{self.window:g} s")


@dataclass(frozen=True)
class Compare(_OfColumn):
    """A column of the series is below or above a value.

    Attributes:
        column: of the series, such as ``kinetic``.
        sign: how it compares: ``<``, ``<=``, ``>`` or ``>=``.
        value: to compare with, in the column's SI unit.
        lasting: for how long without a break [s].
    """

    column: str
    sign: Sign
    value: Number
    lasting: Time = 0.0

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        if self.sign not in SIGNS:
            message = f"Compare sign must be <, <=, > or >=, got {self.sign!r}"
            raise InputError(message)
        number("Compare value", self.value)
        number("Compare lasting", self.lasting, at_least=0.0)

    def check(self, moment: Moment) -> None:
        """See `Condition.check`."""
        column_of(self.column, moment.columns)

    def shortest(self, moment: Moment) -> float:
        """See `Condition.shortest`."""
        return self.lasting

    def look(self, moment: Moment, notes: Notes) -> tuple[bool, Notes]:
        """See `Condition.look`."""
        value = moment.value(self.column)
        return _lasting(SIGNS[self.sign](value, self.value), self.lasting, moment.time, notes)

    def describe(self) -> str:
        """See `Condition.describe`."""
        unit = unit_of(self.column)
        how_long = f" for {self.lasting:g} s" if self.lasting else ""
        return (f"{self.column} is {WORDS[self.sign]} {self.value:g}{f' {unit}' if unit else ''}"
                f"{how_long}")


CONDITIONS: dict[str, type] = {
    "at_rest": AtRest, "jammed": Jammed, "empty": Empty, "steady": Steady, "compare": Compare,
}
"""All conditions, as scenario files call them."""


def _lasting(holds: bool, wanted: float, time: float, notes: Notes) -> tuple[bool, Notes]:
    """Return whether something has held for the wanted time [s]; noted is since when it holds."""
    if not holds:
        return False, ()
    since = notes[0] if notes else time
    return time - since >= wanted * (1.0 - ROUNDING), (since,)
