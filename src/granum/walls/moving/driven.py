"""Walls that are driven: bodies with a mass that forces accelerate, those of the grains included.

A body keeps its direction and moves as a whole,

    M v' = F(t) + F_grains + M g - c v

with its mass M [kg], the given force F [N], the sum of the grains' forces on its walls, gravity if
it is let act, and a damping c [kg/s]. For a grain that touches it, it is a wall as any other, of
endless mass as far as the contact law asks for one.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from granum import checks
from granum.checks import FloatArray, Triple
from granum.errors import InputError
from granum.quantity import Area, Damping, Direction, Force, Mass, Pressure, Speed, Stiffness, Time
from granum.walls import fields
from granum.walls.moving.prescribed import during, settle_times

DRIVEN, MASS, FREE, TOWARDS, DRAG, LIMIT, FALLS, STEPS, HELD = 0, 1, 2, 3, 6, 7, 8, 9, 11
DRIVE = 13
"""Columns: 1 if driven, mass, 1 if free in all directions, direction, damping, highest speed, 1 if
gravity acts, first and last row in the table of forces, times of start and stop."""

ForceVector = tuple[Force, Force, Force]
AnyDrive = TypeVar("AnyDrive")


WANTED = {
    "direction": "along which it moves, as (0, 0, -1)",
    "mass": "in kg: forces accelerate it; that of the grains it touches, or more, serves well",
    "stiffness": "in N/m: its gain comes from it; that of what it presses on, or more",
    "limit": "in m/s: how fast it may go where it meets no grains",
}
"""What a field of a drive that cannot be left out is, and why it is wanted."""


def tells_what_is_missing(drive: type[AnyDrive]) -> type[AnyDrive]:
    """Let a drive refuse to be made without its needed fields, all at once and in words."""
    make: Callable[..., None] = drive.__init__
    needed = [field.name for field in dataclasses.fields(drive)  # type: ignore[arg-type]
              if field.default is dataclasses.MISSING]

    @functools.wraps(make)
    def asked(self: AnyDrive, *given: Any, **named: Any) -> None:
        missing = [name for name in needed[len(given):] if name not in named]
        if missing:
            wanted = ", and ".join(f"{name} ({WANTED[name]})" for name in missing)
            message = f"{drive.__name__} needs {wanted}"
            raise InputError(message)
        make(self, *given, **named)

    drive.__init__ = asked  # type: ignore[method-assign, assignment]
    return drive


class Braked:
    """What pistons and free bodies have in common: a damping, and no limit to their speed."""

    mass: Mass
    damping: Damping
    gravity: bool

    @property
    def fastest(self) -> float:
        """Highest speed [m/s] that is known beforehand: none."""
        return 0.0

    @property
    def shortest(self) -> float:
        """Shortest time that steps must resolve [s].

        That is the period of the oscillator that this damping would just keep from swinging.
        """
        return 4.0 * math.pi * self.mass / self.damping if self.damping else math.inf

    def _freely(self) -> str:
        weight = "" if self.gravity else ", without weight"
        return weight + (f", damping {self.damping:g} kg/s" if self.damping else "")


@tells_what_is_missing
@dataclass(frozen=True)
class Piston(Braked):
    """A wall with a mass that moves to and fro along one direction.

    Attributes:
        mass: of the wall and what moves with it [kg].
        direction: along which it moves.
        force: that drives it, positive along the direction [N].
        steps: other forces later on: pairs of the time from which a force acts [s] and the force
            [N].
        gravity: whether gravity pulls at it, too.
        damping: braking force for each m/s of speed [kg/s].
        starts: until when it is held where it is [s].
        stops: from when on it is held again [s]; never if None.
    """

    mass: Mass
    direction: Direction
    force: Force = 0.0
    steps: tuple[tuple[Time, Force], ...] = ()
    gravity: bool = True
    damping: Damping = 0.0
    starts: Time = 0.0
    stops: Time | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        settle_body(self)
        fields.settle(self, direction=fields.direction(self, "direction"),
                      force=checks.number("Piston force", self.force),
                      steps=_sorted_steps(self, (None, 2)))

    @property
    def directions(self) -> tuple[Triple, ...]:
        """Directions in which it can move."""
        return (self.direction,)

    def row(self) -> FloatArray:
        """Return the drive as kernels see it, (DRIVE,); its forces come later."""
        row = _blank_drive(self, self.damping, self.gravity)
        row[TOWARDS:TOWARDS + 3] = checks.direction("", self.direction)
        return row

    def forces(self) -> FloatArray:
        """Return from when on which force acts, (s,4) [s, N]."""
        way = checks.direction("", self.direction)
        return np.array([[-math.inf, *(self.force * way)],
                         *([t, *(force * way)] for t, force in self.steps)])

    def describe(self) -> str:
        """Return one line for a person."""
        return (f"piston of {self.mass:g} kg along {fields.text_of(self.direction)}, driven by "
                f"{self.force:g} N{_then(self.steps)}{self._freely()}{during(self)}")


@tells_what_is_missing
@dataclass(frozen=True)
class FreeBody(Braked):
    """A body with a mass that moves in all directions, but does not turn.

    Attributes:
        mass: of the body [kg].
        force: that pulls at it [N].
        steps: other forces later on: pairs of the time from which a force acts [s] and the force
            [N].
        gravity: whether gravity pulls at it, too.
        damping: braking force for each m/s of speed [kg/s].
        starts: until when it is held where it is [s].
        stops: from when on it is held again [s]; never if None.
    """

    mass: Mass
    force: ForceVector = (0.0, 0.0, 0.0)
    steps: tuple[tuple[Time, ForceVector], ...] = ()
    gravity: bool = True
    damping: Damping = 0.0
    starts: Time = 0.0
    stops: Time | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        settle_body(self)
        fields.settle(self, force=fields.point(self, "force"), steps=tuple(
            (float(t), _triple(f"FreeBody steps[{k}]", force))
            for k, (t, force) in enumerate(_pairs(self))))
        _refuse_unsorted(self, [t for t, _ in self.steps])

    @property
    def directions(self) -> tuple[Triple, ...]:
        """Directions in which forces move it."""
        return (self.force, *(force for _, force in self.steps))

    def row(self) -> FloatArray:
        """Return the drive as kernels see it, (DRIVE,); its forces come later."""
        row = _blank_drive(self, self.damping, self.gravity)
        row[FREE] = 1.0
        return row

    def forces(self) -> FloatArray:
        """Return from when on which force acts, (s,4) [s, N]."""
        return np.array([[-math.inf, *self.force], *([t, *force] for t, force in self.steps)])

    def describe(self) -> str:
        """Return one line for a person."""
        return (f"free body of {self.mass:g} kg, pulled by {fields.text_of(self.force)} N"
                f"{_then(self.steps)}{self._freely()}{during(self)}")


@tells_what_is_missing
@dataclass(frozen=True)
class Servo:
    """A wall that is moved so that it presses on the grains with a wanted force or pressure.

    It goes the faster the more is missing, v = gain (wanted - measured), never faster than its
    limit, and with the inertia of its mass M, which smooths single blows:

        M v' = wanted - measured - v / gain,    gain = 1 / (2 sqrt(M K)),    -limit <= v <= limit

    With the stiffness K of what it presses on, or a higher one, this is at least critically damped:
    the force comes to the wanted one without going beyond it, within some sqrt(M / K). In empty
    space it goes at gain times wanted, or at its limit.

    Attributes:
        direction: in which it presses.
        mass: M [kg]; at least that of the grains it touches serves well.
        stiffness: K, how much the force on the wall grows for each metre it moves into the grains
            [N/m]: at most that of all its contacts side by side.
        limit: highest speed [m/s].
        force: wanted [N]; or give a pressure and an area.
        pressure: wanted [Pa].
        area: that the pressure acts on [m2]. It stays as given: where other walls move and the true
            area becomes another, the force is held, not the true pressure.
        steps: other wanted values later on: pairs of the time from which one holds [s] and the
            force [N], or the pressure [Pa] if that is given.
        starts: until when it is held where it is [s].
        stops: from when on it is held again [s]; never if None.
    """

    direction: Direction
    mass: Mass
    stiffness: Stiffness
    limit: Speed
    force: Force | None = None
    pressure: Pressure | None = None
    area: Area | None = None
    steps: tuple[tuple[Time, float], ...] = ()
    starts: Time = 0.0
    stops: Time | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        settle_body(self)
        fields.settle(self, direction=fields.direction(self, "direction"),
                      stiffness=fields.positive(self, "stiffness"),
                      limit=fields.positive(self, "limit"), steps=_sorted_steps(self, (None, 2)))
        if (self.force is None) == (self.pressure is None):
            given = "neither" if self.force is None else "both"
            message = f"Servo needs either a force or a pressure with an area, got {given}"
            raise InputError(message)
        if (self.pressure is None) != (self.area is None):
            message = "Servo pressure and area belong together: give both, or a force"
            raise InputError(message)
        for field in ("force", "pressure", "area"):
            if getattr(self, field) is not None:
                fields.settle(self, **{field: fields.positive(self, field)})

    @property
    def directions(self) -> tuple[Triple, ...]:
        """Directions in which it can move."""
        return (self.direction,)

    @property
    def damping(self) -> float:
        """Braking force for each m/s of speed [kg/s], one over the gain."""
        return 2.0 * math.sqrt(self.mass * self.stiffness)

    @property
    def fastest(self) -> float:
        """Highest speed [m/s]."""
        return self.limit

    @property
    def shortest(self) -> float:
        """Shortest time that steps must resolve [s]: the period of its mass on its stiffness."""
        return 2.0 * math.pi * math.sqrt(self.mass / self.stiffness)

    def row(self) -> FloatArray:
        """Return the drive as kernels see it, (DRIVE,); its forces come later."""
        row = _blank_drive(self, self.damping, False)
        row[TOWARDS:TOWARDS + 3] = checks.direction("", self.direction)
        row[LIMIT] = self.limit
        return row

    def forces(self) -> FloatArray:
        """Return from when on which force is wanted, (s,4) [s, N]."""
        way = checks.direction("", self.direction) * (1.0 if self.area is None else self.area)
        first = self.force if self.pressure is None else self.pressure
        assert first is not None
        return np.array([[-math.inf, *(first * way)], *([t, *(x * way)] for t, x in self.steps)])

    def describe(self) -> str:
        """Return one line for a person."""
        wanted = (f"{self.force:g} N" if self.pressure is None
                  else f"{self.pressure:g} Pa on {self.area:g} m2")
        return (f"servo of {self.mass:g} kg that presses along {fields.text_of(self.direction)} "
                f"with {wanted}{_then(self.steps)}, at most {self.limit:g} m/s{during(self)}")


Drive = Piston | FreeBody | Servo


def settle_body(drive: Piston | FreeBody | Servo) -> None:
    """Check the fields that all drives have."""
    fields.settle(drive, mass=fields.positive(drive, "mass"))
    if not isinstance(drive, Servo):
        fields.settle(drive, gravity=fields.flag(drive, "gravity"),
                      damping=fields.not_negative(drive, "damping"))
    settle_times(drive)


def _pairs(drive: FreeBody) -> list[tuple[float, Triple]]:
    """Return the steps, which must be pairs."""
    try:
        return [(checks.number("FreeBody steps time", t), force) for t, force in drive.steps]
    except (TypeError, ValueError) as error:
        message = f"FreeBody steps must be pairs of a time and a force, got {drive.steps!r}"
        raise InputError(message) from error


def _triple(name: str, value: object) -> Triple:
    x, y, z = checks.vector(name, value).tolist()
    return x, y, z


def _sorted_steps(drive: Piston | Servo, shape: tuple[int | None, ...]
                  ) -> tuple[tuple[float, float], ...]:
    steps = checks.measured(f"{type(drive).__name__} steps", drive.steps or np.zeros((0, 2)), shape)
    _refuse_unsorted(drive, steps[:, 0].tolist())
    return tuple((t, value) for t, value in steps.tolist())


def _refuse_unsorted(drive: object, times: list[float]) -> None:
    for earlier, later in itertools.pairwise(times):
        if later <= earlier:
            message = (f"{type(drive).__name__} steps must be sorted, each later than the one "
                       f"before, but {later:g} s comes after {earlier:g} s")
            raise InputError(message)


def _blank_drive(drive: Piston | FreeBody | Servo, damping: float, gravity: bool) -> FloatArray:
    row = np.zeros(DRIVE)
    row[DRIVEN], row[MASS], row[DRAG], row[LIMIT] = 1.0, drive.mass, damping, math.inf
    row[FALLS] = gravity
    row[HELD:HELD + 2] = drive.starts, math.inf if drive.stops is None else drive.stops
    return row


def _then(steps: tuple[tuple[float, object], ...]) -> str:
    return f", then {len(steps)} steps" if steps else ""
