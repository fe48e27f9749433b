"""Descriptors as the packages below would write them, for the tests of the scenario reader."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from granum import checks
from granum.errors import InputError
from granum.quantity import (
    Acceleration,
    Angle,
    AngularSpeed,
    Density,
    Direction,
    Length,
    Number,
    Point,
    Rate,
    Time,
)


@dataclass(frozen=True)
class Still:
    pass


@dataclass(frozen=True)
class SineMotion:
    amplitude: Length
    frequency: Rate
    phase: Angle = 0.0

    def __post_init__(self) -> None:
        checks.positive("amplitude", self.amplitude)


@dataclass(frozen=True)
class Cylinder:
    base: Point
    axis: Direction
    radius: Length
    height: Length | None = None
    side: Literal["inside", "outside"] = "inside"
    motion: Still | SineMotion = field(default_factory=Still)

    def __post_init__(self) -> None:
        checks.positive("radius", self.radius)
        checks.direction("axis", self.axis)
        if self.height is not None and self.height < self.radius:
            message = f"height and radius do not go together: {self.height:g} < {self.radius:g}"
            raise InputError(message)


@dataclass(frozen=True)
class Plane:
    point: Point
    normal: Direction
    spin: AngularSpeed = 0.0


@dataclass(frozen=True)
class Law:
    restitution: Number
    contact_time: Time
    friction: float = 0.0
    step: Literal["auto"] | Time = "auto"

    def __post_init__(self) -> None:
        checks.number("restitution", self.restitution, at_least=0.0, at_most=1.0)
        # As a law would, with its name in words.
        if self.contact_time <= 0.0:
            message = f"contact time must be greater than 0, got {self.contact_time:g}"
            raise InputError(message)


@dataclass(frozen=True)
class Material:
    density: Density = 2500.0
    # Names that pydantic's own models use, too.
    model_config: Number = 0.0
    copy: bool = False
    _hidden: int = 0


@dataclass(frozen=True)
class Everything:
    """One field of every sort that a descriptor may have."""

    count: int
    name: str = "grains"
    shaken: bool = False
    gravity: tuple[Acceleration, Acceleration, Acceleration] = (0.0, 0.0, -9.81)
    radius: Length | tuple[Length, ...] = 1.0
    corners: tuple[Point, ...] = ()
    steps: list[int] = field(default_factory=list)
    pair: tuple[Length, Time] | None = None
    grid: tuple[int, int] = (1, 1)
    law: Law | None = None
    walls: tuple[Cylinder | Plane, ...] = ()
    materials: dict[str, Material] = field(default_factory=dict)
    level: Literal[1, 2, "high"] = 1
    limit: Length | Literal["none"] | bool = "none"
    extra: Any = None
    table: dict[str, Any] = field(default_factory=dict)
    marks: tuple[Literal["a", "b"], ...] = ()
    single: tuple[Length] = (0.0,)
    inner: int = field(default=7, init=False)


def outcome(function, *args):
    """Return the result and the refusal of a call, one of which is ``None``."""
    try:
        return function(*args), None
    except InputError as error:
        return None, error


WALLS: dict[str, type[Any]] = {"plane": Plane, "cylinder": Cylinder}
