"""What a run writes, and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from granum import checks
from granum.errors import InputError
from granum.measures import (
    BUDGET_COLUMNS,
    COLUMNS,
    FIELDS,
    Field,
    Flow,
    Measure,
    MovingAverage,
    bond_columns,
    empty_at_start,
    wall_columns,
)
from granum.world import World


@dataclass(frozen=True)
class Plan:
    """What a run writes, and when; all times are simulated seconds.

    Args:
        duration: of the whole run at most; None if its stages end it.
        series: between two rows of ``series.csv``.
        frames: between two frames.
        checkpoints: between two checkpoints.
        flows: planes through which the flow is measured.
        fields: what frames hold of each grain beside its state; ``"local_density"``.
        measures: what else is measured; in the series, or, with an interval of its own or for a
            profile, in a table of its own.
        contacts: whether frames hold all contacts, with their forces.
    """

    duration: float | None
    series: float
    frames: float
    checkpoints: float
    flows: tuple[Flow, ...] = ()
    fields: tuple[Field, ...] = ()
    measures: tuple[Measure, ...] = ()
    contacts: bool = False

    @property
    def in_series(self) -> tuple[Measure, ...]:
        """The measures whose columns are in the series."""
        return tuple(m for m in (*self.flows, *self.measures) if not m.has_table)

    @property
    def in_tables(self) -> tuple[Measure, ...]:
        """The measures that have tables of their own."""
        return tuple(m for m in (*self.flows, *self.measures) if m.has_table)

    def empty(self, world: World, time: float = 0.0) -> list[str]:
        """Return in words which measures find no grain in their regions as yet, and why."""
        found = [empty_at_start(m, world, time) for m in (*self.flows, *self.measures)]
        return [words for words in found if words]

    def columns(self, world: World, budget: bool, walls: Sequence[str] | None = None) -> list[str]:
        """Return the columns of the series; those of walls may be more than the present ones."""
        of_flows, of_measures = ([name for m in measures if not m.has_table
                                  for name in m.columns(world)]
                                 for measures in (self.flows, self.measures))
        return [*COLUMNS, *of_flows, *(wall_columns(world) if walls is None else walls),
                *bond_columns(world), *(BUDGET_COLUMNS if budget else ()), *of_measures]

    def refuse(self, world: World, budget: bool, walls: Sequence[str] | None = None) -> None:
        """Refuse measures that have the same columns or tables, or an average of nothing."""
        known = self.columns(world, budget, walls)
        refuse_same("column", known)
        refuse_same("table", [m.title for m in self.in_tables])
        titles = [m.title for m in (*self.flows, *self.measures)]
        refuse_same("title", titles)
        for measure in self.measures:
            if isinstance(measure, MovingAverage):
                measure.refuse_unknown(known[:known.index(measure.columns(world)[0])])

    def __post_init__(self) -> None:
        """Refuse intervals without a meaning, and unknown fields."""
        for name in ("duration", "series", "frames", "checkpoints"):
            if name != "duration" or self.duration is not None:
                checks.positive(name, getattr(self, name))
        for name in self.fields:
            if name not in FIELDS:
                message = f"fields has {name!r}, which is unknown; known are {', '.join(FIELDS)}"
                raise InputError(message)


def refuse_same(kind: str, names: Sequence[str]) -> None:
    """Refuse measures of which two would have the same column or table."""
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        message = (f"two measures have the same {kind} '{twice[0]}': give one of them another "
                   'name, as in name = "upper"')
        raise InputError(message)
