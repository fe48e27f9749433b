"""The tables of a scenario file, as dataclasses; the schema reads them from here.

``[world]``, ``[materials.NAME]``, ``[law]``, ``[[walls]]``, ``[[grains]]``, ``[run]``,
``[[stages]]``, ``[output]`` and ``[[measures]]``; lengths, times and so on take units (``"4 mm"``)
or plain SI numbers.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, Literal

from granum.checks import positive, whole
from granum.laws import LAWS
from granum.measures import Field, Flow, Measure
from granum.quantity import Acceleration, Density, Length, Point, Time
from granum.stages import AtRest, Compare, Empty, Intervals, Jammed, Steady
from granum.walls import Box, Cone, Cylinder, Hourglass, Mesh, Plane, Plate, SphereWall
from granum.walls.moving import FreeBody, Linear, Path, Piston, Rotation, Servo, Sine, Tap
from granum.world import Clusters, Explicit, Grow, Lattice, Pour, Random, Sediment, Turn, Voronoi

WALLS: dict[str, type] = {
    "box": Box, "cone": Cone, "cylinder": Cylinder, "hourglass": Hourglass, "mesh": Mesh,
    "plane": Plane, "plate": Plate, "sphere": SphereWall,
}
PLACINGS: dict[str, type] = {
    "explicit": Explicit, "lattice": Lattice, "random": Random, "sediment": Sediment,
    "grow": Grow, "voronoi": Voronoi, "pour": Pour, "clusters": Clusters,
}


AnyMotion = Linear | Sine | Tap | Rotation | Path | Piston | FreeBody | Servo
AnyCondition = AtRest | Compare | Empty | Jammed | Steady


@dataclass(frozen=True)
class PeriodicTable:
    """Length of the periodic cell in each periodic direction [m]."""

    x: Length | None = None
    y: Length | None = None
    z: Length | None = None

    def __post_init__(self) -> None:
        """Refuse a cell without an extent."""
        for axis in "xyz":
            if getattr(self, axis) is not None:
                positive(axis, getattr(self, axis))


@dataclass(frozen=True)
class DomainTable:
    """Corners beyond which a grain is lost [m]."""

    low: Point
    high: Point


@dataclass(frozen=True)
class WorldTable:
    """``[world]``: what holds for all grains."""

    dimension: Literal[2, 3] = 3
    gravity: tuple[Acceleration, Acceleration, Acceleration] | None = None
    periodic: PeriodicTable = field(default_factory=PeriodicTable)
    turns: tuple[Turn, ...] = ()
    domain: DomainTable | None = None
    leaving: Literal["stop", "remove"] = "stop"


@dataclass(frozen=True)
class MaterialTable:
    """``[materials.NAME]``."""

    density: Density

    def __post_init__(self) -> None:
        """Refuse a density without a meaning."""
        positive("density", self.density)


@dataclass(frozen=True)
class RunTable:
    """``[run]``: how long and how finely."""

    duration: Time | None = None
    stop: str | AnyCondition | None = None
    time_step: Time | None = None
    integrator: Literal["verlet", "constant-acceleration", "gear"] = "verlet"
    neighbours: Literal["auto", "cells", "triangulation"] = "auto"
    contacts: Literal["all", "single"] = "all"

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        for name in ("duration", "time_step"):
            if getattr(self, name) is not None:
                positive(name, getattr(self, name))


@dataclass(frozen=True)
class StageTable:
    """``[[stages]]``: parts of the run, one after the other; see [Stages](stages.md).

    A stage needs an end: a time, a condition, or both. What it changes stays changed in the stages
    after it.
    """

    name: str
    for_: Time | None = None
    until: str | AnyCondition | None = None
    at_most: Time | None = None
    otherwise: Literal["stop", "go on"] = "stop"
    gravity: tuple[Acceleration, Acceleration, Acceleration] | None = None
    motions: dict[str, Literal["stop"] | AnyMotion | tuple[AnyMotion, ...]] = field(
        default_factory=dict)
    open: tuple[str, ...] = ()
    close: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    law: dict[str, Any] = field(default_factory=dict)
    pour: Literal["on", "off"] | None = None
    time_step: Time | None = None
    output: Intervals | None = None

    @property
    def longest(self) -> float:
        """How long it can take [s]; infinite if there is no telling."""
        longest = self.for_ if self.until is None else self.at_most
        return math.inf if longest is None else longest


@dataclass(frozen=True)
class OutputTable:
    """``[output]``: what is written, and how often (simulated time)."""

    series: Time | None = None
    frames: Time | None = None
    checkpoints: Time | None = None
    flows: tuple[Flow, ...] = ()
    fields: tuple[Field, ...] = ()
    contacts: bool = False
    budget: bool = False

    def __post_init__(self) -> None:
        """Refuse intervals without a meaning."""
        for name in ("series", "frames", "checkpoints"):
            value = getattr(self, name)
            if value is not None:
                positive(name, value)


@dataclass(frozen=True)
class OwnMeasureTable(Measure):
    """What a scenario may say of a measure in a user's own file."""


@dataclass(frozen=True)
class TopTable:
    """What stands at the top of the file, and the tables that have one form."""

    run: RunTable = field(default_factory=RunTable)
    stages: tuple[StageTable, ...] = ()
    title: str = ""
    seed: int = 0
    world: WorldTable = field(default_factory=WorldTable)
    materials: dict[str, MaterialTable] = field(default_factory=dict)
    output: OutputTable = field(default_factory=OutputTable)
    law: dict[str, Any] = field(default_factory=dict)
    walls: tuple[dict[str, Any], ...] = ()
    grains: tuple[dict[str, Any], ...] = ()
    measures: tuple[dict[str, Any], ...] = ()

    def __post_init__(self) -> None:
        """Refuse a seed that no generator takes."""
        whole("seed", self.seed, at_least=0)


def with_keys(cls: type, *keys: tuple[str, Any, Any]) -> type:
    """Return the table of a class: its own keys, and others that the scenario sees to."""
    return dataclasses.make_dataclass(cls.__name__, keys, bases=(cls,), frozen=True,
                                      namespace={"__module__": cls.__module__})


def wall_table(cls: type) -> type:
    """Return the table of a wall: its own keys, its material, its name and how it moves."""
    return with_keys(cls, ("material", str, field(default="")), ("name", str, field(default="")),
                     ("motion", AnyMotion | tuple[AnyMotion, ...] | None, None))


def with_material(cls: type) -> type:
    """Return the table of a placing: its own keys, and which material it is of."""
    return with_keys(cls, ("material", str, field(default="")))


GRAINS = {name: with_material(placing) for name, placing in PLACINGS.items()}
WALL_TABLES = {name: wall_table(wall) for name, wall in WALLS.items()}
LAW_TABLES = {
    name: with_keys(law, ("materials", dict[str, dict[str, Any]], field(default_factory=dict)),
                    ("pairs", tuple[dict[str, Any], ...], ()))
    for name, law in LAWS.items()
}
PAIRS = {name: with_keys(law, ("between", tuple[str, str], field(kw_only=True)))
         for name, law in LAWS.items()}
