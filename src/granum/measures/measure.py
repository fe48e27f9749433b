"""What a measure is, and what it sees: one quantity, read from a simulation without changing it.

A measure is a frozen dataclass that says what is measured, where, and how often. It has columns,
and at each look it gives one number for each of them, or, for a profile, one array for each. Most
measures know nothing but the moment. Those with a memory (a flow, an average) are handed what they
remembered at the look before and give back what they will know next time; the simulation keeps it
and writes it into its checkpoints (see `notebook`).

To add one: a module with its formula, its class in ``MEASURES`` (``granum.measures``), a row in
``docs/measures.md``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, positive
from granum.contact.table import Contacts
from granum.errors import InputError
from granum.measures.region import Region, Settled, centres_in, refuse_outside
from granum.quantity import Time
from granum.world import Grains, World

Memory = dict[str, NDArray]
Values = Sequence[float | int | NDArray]
Found = dict[str, Any]  # by column: numbers, or arrays for a profile

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
COLUMN = re.compile(r"\s*(\w+)\s*(?:\[([^\[\]]*)\])?\s*")


class Simulated(Protocol):
    """What a measure may ask of a simulation."""

    @property
    def world(self) -> World:
        """The world."""

    @property
    def time(self) -> float:
        """Simulated time [s]."""

    @property
    def steps(self) -> int:
        """Steps done so far."""

    @property
    def gravity(self) -> FloatArray:
        """Gravity of the moment, (3,) [m/s2]."""

    def contacts(self) -> Contacts:
        """Return all contacts of the moment."""

    def sample(self) -> Found:
        """Return the row of the series of the moment."""


class Look:
    """A simulation at one moment; what several measures ask for is worked out once.

    Args:
        sim: the simulation.
        row: what else is in the same row of the series; worked out when asked for unless given.
        contacts: of the moment; worked out when asked for unless given.
    """

    def __init__(self, sim: Simulated, row: Found | None = None, contacts: Contacts | None = None
                 ) -> None:
        self.sim = sim
        self._row = row
        self._contacts = contacts

    @property
    def world(self) -> World:
        """The world."""
        return self.sim.world

    @property
    def grains(self) -> Grains:
        """The grains."""
        return self.sim.world.grains

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.sim.time

    @property
    def step(self) -> int:
        """Steps done so far."""
        return self.sim.steps

    @property
    def up(self) -> int:
        """Number of the axis that points up: 2 (z), in a 2D world 1 (y)."""
        return self.sim.world.dimension - 1

    @cached_property
    def contacts(self) -> Contacts:
        """All contacts of the moment."""
        return self.sim.contacts() if self._contacts is None else self._contacts

    @cached_property
    def row(self) -> Found:
        """The row of the series."""
        return self.sim.sample() if self._row is None else self._row

    def settled(self, region: Region) -> Settled | None:
        """Return a region as it is now; None for a container up to the surface of no grains."""
        return region.settled(self.world, self.time)

    def inside(self, region: Region | None) -> NDArray[np.bool_]:
        """Tell which grains have their centre in a region, (n,); all of them without one."""
        if region is None:
            return np.ones(len(self.grains), dtype=np.bool_)
        settled = self.settled(region)
        if settled is None:
            return np.zeros(len(self.grains), dtype=np.bool_)
        return centres_in(self.world, settled)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What all measures have in common.

    Args:
        name: put before the names of its columns, and the name of its table.
        interval: simulated time between two looks [s], for a table of its own; unless given, that
            of the series.
    """

    type_name: ClassVar[str] = ""
    is_profile: ClassVar[bool] = False  # several rows at each look
    counts_parts: ClassVar[bool] = False  # of grains in its region, not only those centred there

    name: str = ""
    interval: Time | None = None

    def __post_init__(self) -> None:
        """Refuse a name that cannot be part of a column, and an interval without a meaning."""
        if self.name and not NAME.fullmatch(self.name):
            message = (f"name must be letters, digits and underscores, a letter first, got "
                       f"{self.name!r}")
            raise InputError(message)
        if self.interval is not None:
            positive("interval", self.interval)

    @property
    def title(self) -> str:
        """What it is called: its name, or else its kind."""
        return self.name or self.type_name

    @property
    def has_table(self) -> bool:
        """Whether it has a table of its own, and no columns in the series."""
        return self.is_profile or self.interval is not None

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return what is measured, each as in ``"top [m]"``."""
        raise NotImplementedError

    def units(self, world: World) -> dict[str, str]:
        """Return the columns, each with its unit."""
        prefix = f"{self.name}_" if self.name else ""
        return {prefix + name: unit for name, unit in map(split, self.quantities(world))}

    def columns(self, world: World) -> list[str]:
        """Return the names of the columns."""
        return list(self.units(world))

    def refuse(self, world: World) -> None:
        """Refuse what cannot be measured in this world, before anything runs."""
        region = getattr(self, "region", None)
        settled = None if region is None else region.settled(world, 0.0)
        if settled is not None:
            refuse_outside(world, settled)

    def read(self, look: Look) -> Values:
        """Return what is found at this moment, one value for each column."""
        raise NotImplementedError

    def recall(self, look: Look, memory: Memory) -> tuple[Values, Memory]:
        """Return what is found, and what to remember; a look at the same step changes nothing.

        Args:
            look: the simulation now.
            memory: of the look before; empty at the first.
        """
        return self.read(look), {}

    def is_due(self, found: Found) -> bool:
        """Tell whether a run writes what was found; only a mean over several looks may not be."""
        return True

    def entered(self, memory: Memory, grains: Grains) -> Memory:
        """Return what to remember once these grains have come into the world."""
        return memory

    def leaving(self, memory: Memory, grains: Grains, world: World) -> Memory:
        """Return what to remember once these grains, still in the world, have left it."""
        return memory


def split(text: str) -> tuple[str, str]:
    """Return name and unit of a quantity such as ``"top [m]"``."""
    found = COLUMN.fullmatch(text)
    if found is None or not NAME.fullmatch(found[1]):
        message = (f"columns must each be a name and a unit, as in 'height [m]' or 'count', got "
                   f"{text!r}")
        raise InputError(message)
    return found[1], (found[2] or "").strip()


def mean(values: FloatArray) -> float:
    """Return the mean; nan of nothing."""
    return float(values.mean()) if len(values) else float("nan")
