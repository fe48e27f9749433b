"""Motions that are prescribed: functions of time alone, whatever the grains do.

A wall stands where it was described until a motion starts, and stays where it is when the motion
stops. Several motions of one wall add up: displacements are summed, and rotations turn the wall in
the order given, about points that are carried along by the displacements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from os import PathLike, fspath

import numpy as np

from granum import checks
from granum.checks import FloatArray, Triple
from granum.errors import InputError
from granum.quantity import (
    Acceleration,
    Angle,
    AngularSpeed,
    Direction,
    Length,
    Number,
    Point,
    Rate,
    Time,
    Velocity,
)
from granum.walls import fields
from granum.walls.moving.recorded import read_path

LINEAR, SINE, TAP, PATH, ROTATION = 0, 1, 2, 3, 4
CODE, STARTS, STOPS, ALONG = 0, 1, 2, 3  # columns of every motion's row
SIZE, OMEGA, PHASE = 6, 7, 8  # of a sine: amplitude [m], 2 pi times frequency [1/s], phase [rad]
PERIOD, RISE, FALL = 7, 8, 9  # of a tap, beside its height in SIZE: period, rise and fall [s]
FIRST, END = 6, 7  # of a path: its rows in the table of knots
ABOUT, SPEED, TURNS = 6, 9, 10  # of a rotation: point [m], rate [rad/s], 1 if its shape turns
MOTION = 11

FREE_FALL = 9.80665
"""Standard acceleration of free fall [m/s2] (3rd CGPM, 1901), the unit g of descriptions."""


@dataclass(frozen=True)
class Linear:
    """Steady motion along a straight line.

    Attributes:
        velocity: how fast and where it goes [m/s].
        starts: when it begins [s].
        stops: when it ends [s]; never if None.
    """

    velocity: Velocity
    starts: Time = 0.0
    stops: Time | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, velocity=fields.point(self, "velocity"))
        settle_times(self)

    @property
    def fastest(self) -> float:
        """Highest speed [m/s]."""
        return float(np.linalg.norm(self.velocity))

    @property
    def shortest(self) -> float:
        """Shortest time that steps must resolve [s]."""
        return math.inf

    @property
    def directions(self) -> tuple[Triple, ...]:
        """Directions in which it moves."""
        return (self.velocity,)

    def row(self) -> FloatArray:
        """Return the motion as kernels see it, (MOTION,)."""
        return blank_row(LINEAR, self.starts, self.stops, self.velocity)

    def describe(self) -> str:
        """Return one line for a person."""
        return f"goes at {fields.text_of(self.velocity)} m/s{during(self)}"


@dataclass(frozen=True)
class Sine:
    """Sinusoidal shaking: displacement A (sin(2 pi f t + phase) - sin(phase)), t from its start.

    The wall begins where it was described. With a phase of -90 degrees it begins at rest, at the
    lowest point of its way; with a phase of 0 in the middle, at full speed.

    Attributes:
        frequency: how often a second, f [1/s].
        direction: in which the wall goes first if the phase is 0.
        amplitude: A, half of the way from end to end [m]; or give an acceleration.
        acceleration: highest acceleration, A (2 pi f)^2 [m/s2]; "2 g" is twice free fall.
        phase: where in its period it begins [rad].
        starts: when it begins [s].
        stops: when it ends [s]; never if None.
    """

    frequency: Rate
    direction: Direction = (0.0, 0.0, 1.0)
    amplitude: Length | None = None
    acceleration: Acceleration | None = None
    phase: Angle = 0.0
    starts: Time = 0.0
    stops: Time | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, frequency=fields.positive(self, "frequency"),
                      direction=fields.direction(self, "direction"),
                      phase=checks.number("Sine phase", self.phase))
        if (self.amplitude is None) == (self.acceleration is None):
            given = "neither" if self.amplitude is None else "both"
            message = f"Sine needs either an amplitude or an acceleration, got {given}"
            raise InputError(message)
        size = "amplitude" if self.acceleration is None else "acceleration"
        fields.settle(self, **{size: fields.positive(self, size)})
        settle_times(self)

    @property
    def omega(self) -> float:
        """Angular frequency [rad/s]."""
        return 2.0 * math.pi * self.frequency

    @property
    def reach(self) -> float:
        """Amplitude [m], given or from the acceleration."""
        if self.acceleration is not None:
            return self.acceleration / self.omega**2
        assert self.amplitude is not None
        return self.amplitude

    @property
    def fastest(self) -> float:
        """Highest speed [m/s]."""
        return self.reach * self.omega

    @property
    def shortest(self) -> float:
        """Shortest time that steps must resolve [s]: the period."""
        return 1.0 / self.frequency

    @property
    def directions(self) -> tuple[Triple, ...]:
        """Directions in which it moves."""
        return (self.direction,)

    def row(self) -> FloatArray:
        """Return the motion as kernels see it, (MOTION,)."""
        row = blank_row(SINE, self.starts, self.stops, checks.direction("", self.direction))
        row[SIZE], row[OMEGA], row[PHASE] = self.reach, self.omega, self.phase
        return row

    def describe(self) -> str:
        """Return one line for a person."""
        peak = self.reach * self.omega**2
        return (f"shakes at {self.frequency:g} Hz along {fields.text_of(self.direction)}, "
                f"amplitude {self.reach:.4g} m ({peak / FREE_FALL:.4g} g){during(self)}")


@dataclass(frozen=True)
class Tap:
    """Tapping: in each period the wall is lifted, let down again, and rests.

    So does a vibrator in which a plate that is not symmetric turns and lifts the container (Ferrez
    2001, figure 5.1: about 4 Hz and 3 mm). Lift and fall are half waves of a cosine, so that the
    velocity is continuous.

    Attributes:
        amplitude: height of the lift [m].
        frequency: taps a second [1/s].
        direction: of the lift.
        rise: share of the period that the lift takes.
        fall: share of the period that the fall takes; the rest of the period is rest.
        starts: when the first tap begins [s].
        stops: when it ends [s]; never if None.
    """

    amplitude: Length
    frequency: Rate
    direction: Direction = (0.0, 0.0, 1.0)
    rise: Number = 0.5
    fall: Number = 0.1
    starts: Time = 0.0
    stops: Time | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, amplitude=fields.positive(self, "amplitude"),
                      frequency=fields.positive(self, "frequency"),
                      direction=fields.direction(self, "direction"),
                      rise=fields.positive(self, "rise"), fall=fields.positive(self, "fall"))
        if self.rise + self.fall > 1.0:
            message = ("Tap rise and fall are shares of one period and must not be more than 1 "
                       f"together, got {self.rise:g} and {self.fall:g}")
            raise InputError(message)
        settle_times(self)

    @property
    def fastest(self) -> float:
        """Highest speed [m/s], in the middle of the shorter half wave."""
        return 0.5 * math.pi * self.amplitude / (min(self.rise, self.fall) / self.frequency)

    @property
    def shortest(self) -> float:
        """Shortest time that steps must resolve [s]: the period of the shorter half wave."""
        return 2.0 * min(self.rise, self.fall) / self.frequency

    @property
    def directions(self) -> tuple[Triple, ...]:
        """Directions in which it moves."""
        return (self.direction,)

    def row(self) -> FloatArray:
        """Return the motion as kernels see it, (MOTION,)."""
        row = blank_row(TAP, self.starts, self.stops, checks.direction("", self.direction))
        period = 1.0 / self.frequency
        row[SIZE], row[PERIOD] = self.amplitude, period
        row[RISE], row[FALL] = self.rise * period, self.fall * period
        return row

    def describe(self) -> str:
        """Return one line for a person."""
        return (f"taps at {self.frequency:g} Hz along {fields.text_of(self.direction)}, "
                f"{self.amplitude:g} m high{during(self)}")


@dataclass(frozen=True)
class Rotation:
    """Steady rotation about an axis, such as that of a drum.

    Attributes:
        rate: angular speed, right-handed about the axis [rad/s].
        axis: direction of the axis.
        point: a point of the axis [m].
        starts: when it begins [s].
        stops: when it ends [s]; never if None.
    """

    rate: AngularSpeed
    axis: Direction
    point: Point = (0.0, 0.0, 0.0)
    starts: Time = 0.0
    stops: Time | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        fields.settle(self, rate=checks.number("Rotation rate", self.rate),
                      axis=fields.direction(self, "axis"), point=fields.point(self, "point"))
        settle_times(self)

    @property
    def fastest(self) -> float:
        """Highest speed [m/s] of the axis: that of the wall is known only with its size."""
        return 0.0

    @property
    def shortest(self) -> float:
        """Shortest time that steps must resolve [s]: that of a turn."""
        return 2.0 * math.pi / abs(self.rate) if self.rate else math.inf

    @property
    def directions(self) -> tuple[Triple, ...]:
        """Directions in which it moves: none, but about its axis."""
        return ()

    def row(self) -> FloatArray:
        """Return the motion as kernels see it, (MOTION,)."""
        row = blank_row(ROTATION, self.starts, self.stops, checks.direction("", self.axis))
        row[ABOUT:ABOUT + 3] = self.point
        row[SPEED], row[TURNS] = self.rate, 1.0
        return row

    def describe(self) -> str:
        """Return one line for a person."""
        return (f"turns at {self.rate:g} rad/s about {fields.text_of(self.axis)} through "
                f"{fields.text_of(self.point)} m{during(self)}")


@dataclass(frozen=True)
class Path:
    """A recorded way: the wall is at each place at its time, and moves smoothly in between.

    Between two times each coordinate goes along a cubic that never leaves the range of its two
    values (Fritsch and Butland 1984), with a continuous velocity; at both ends the wall rests.

    Attributes:
        times: when the wall is at each place [s], each later than the one before.
        places: displacements, or places of any point of the wall [m]: what counts is how far each
            is from the first.
        stops: when it ends on its way [s]; at the last place if None.
    """

    times: tuple[Time, ...]
    places: tuple[Point, ...]
    stops: Time | None = None

    def __post_init__(self) -> None:
        """Refuse wrong values by the name of their field."""
        times = checks.measured("Path times", self.times, (None,))
        places = checks.measured("Path places", self.places, (None, 3))
        if len(times) < 2 or len(times) != len(places):
            message = (f"Path times and places must be as many, and at least 2, got {len(times)} "
                       f"times and {len(places)} places")
            raise InputError(message)
        if times[0] < 0.0:
            message = f"Path times must not be negative, got {times[0]:g} s first"
            raise InputError(message)
        late = np.flatnonzero(np.diff(times) <= 0.0)
        if late.size:
            k = int(late[0])
            message = (f"Path times must be sorted, each later than the one before, but number "
                       f"{k + 2} is {times[k + 1]:g} s after {times[k]:g} s")
            raise InputError(message)
        fields.settle(self, times=tuple(times.tolist()),
                      places=tuple((x, y, z) for x, y, z in places.tolist()))
        settle_stop(self, self.times[0])

    @classmethod
    def from_csv(cls, file: str | PathLike[str], *, stops: float | None = None) -> Path:
        """Return the way that a CSV file holds, with a header line and SI units.

        Args:
            file: with the columns ``time``, ``x``, ``y`` and ``z``.
            stops: when it ends on its way [s]; at the last place if None.

        Raises:
            InputError: the file cannot be read, a column is missing, or times do not grow; with
                the line.
        """
        return cls(*read_path(fspath(file)), stops)

    def knots(self) -> FloatArray:
        """Return time, displacement and velocity at each knot, (k,7)."""
        t, x = np.array(self.times), np.array(self.places)
        x = x - x[0]
        return np.column_stack([t, x, *(slopes(t, x[:, a]) for a in range(3))])

    @property
    def fastest(self) -> float:
        """Highest speed [m/s], as a bound: cubics of this kind go at most 3 times their mean."""
        steps = np.linalg.norm(np.diff(np.array(self.places), axis=0), axis=1)
        return 3.0 * float((steps / np.diff(self.times)).max())

    @property
    def shortest(self) -> float:
        """Shortest time that steps must resolve [s]: ten times that between two knots."""
        return 10.0 * float(np.diff(self.times).min())

    @property
    def directions(self) -> tuple[Triple, ...]:
        """Directions in which it moves."""
        ways = np.diff(np.array(self.places), axis=0)
        return tuple((x, y, z) for x, y, z in ways.tolist())

    def row(self) -> FloatArray:
        """Return the motion as kernels see it, (MOTION,); which knots are its own comes later."""
        last = self.times[-1] if self.stops is None else min(self.stops, self.times[-1])
        return blank_row(PATH, self.times[0], last, (0.0, 0.0, 0.0))

    def describe(self) -> str:
        """Return one line for a person."""
        stop = "" if self.stops is None else f", stops at {self.stops:g} s"
        return (f"follows a path through {len(self.times)} places from {self.times[0]:g} s to "
                f"{self.times[-1]:g} s{stop}")


Motion = Linear | Sine | Tap | Rotation | Path


def slopes(t: FloatArray, x: FloatArray) -> FloatArray:
    """Return the slopes at knots of the monotone cubics through ``x`` at ``t``, zero at both ends.

    Weighted harmonic means of the slopes on either side (Fritsch and Butland 1984, SIAM J. Sci.
    Stat. Comput. 5, 300, eq. 5); zero where the direction changes.
    """
    h = np.diff(t)
    s = np.diff(x) / h
    found = np.zeros(len(t))
    for k in range(1, len(t) - 1):
        if s[k - 1] * s[k] > 0.0:
            before, after = 2.0 * h[k] + h[k - 1], h[k] + 2.0 * h[k - 1]
            found[k] = (before + after) / (before / s[k - 1] + after / s[k])
    return found


def blank_row(code: int, starts: float, stops: float | None, along: FloatArray | Triple
              ) -> FloatArray:
    """Return the row of a motion with what all motions have."""
    row = np.zeros(MOTION)
    row[CODE], row[STARTS], row[STOPS] = code, starts, math.inf if stops is None else stops
    row[ALONG:ALONG + 3] = along
    return row


def settle_times(motion: object) -> None:
    """Check the fields ``starts`` and ``stops`` of a motion."""
    starts = fields.not_negative(motion, "starts")
    fields.settle(motion, starts=starts)
    settle_stop(motion, starts)


def settle_stop(motion: object, starts: float) -> None:
    """Check the field ``stops`` of a motion that starts at some time [s]."""
    stops = getattr(motion, "stops", None)
    if stops is not None:
        name = checks.name_of(motion, "stops")
        if checks.number(name, stops) <= starts:
            message = f"{name} must be later than starts = {starts:g} s, got {stops:g} s"
            raise InputError(message)
        fields.settle(motion, stops=float(stops))


def during(motion: object) -> str:
    """Return when a motion is on, as the end of a sentence; nothing if always."""
    starts, stops = getattr(motion, "starts", 0.0), getattr(motion, "stops", None)
    text = f" from {starts:g} s" if starts else ""
    return text + (f" until {stops:g} s" if stops is not None else "")
