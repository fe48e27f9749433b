"""What a law tells and what it is told: the seam between contacts and laws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from granum.sources import source_of


class Touch(NamedTuple):
    """One contact, as a law sees it: grain i against grain j, or against a wall.

    The spring and the slip velocity lie in the contact plane, seen from i.
    """

    overlap: float  # δ [m]; a law with a range also sees gaps, as negative overlaps
    rate: float  # δ' [m/s], positive while the grains approach
    mass: float  # effective mass of approach, 1 / (1/m_i + 1/m_j) [kg]
    slip_mass: float  # effective mass of slip, 1 / (1/m_i + 1/m_j + r_i²/I_i + r_j²/I_j) [kg]
    radius: float  # effective radius, 1 / (1/r_i + 1/r_j) [m]; the grain's own against a wall
    sx: float  # tangential spring: how far j has slipped along i since they met [m]
    sy: float
    sz: float
    ux: float  # slip: velocity of j relative to i at the contact point [m/s]
    uy: float
    uz: float
    lasting: float  # 1 if the two were in contact a step ago, else 0
    step: float  # time that has passed since the last step [s]; 0 where contacts are looked at


class Turning(NamedTuple):
    """How the two grains of a contact turn against each other."""

    nx: float  # normal, from i to j
    ny: float
    nz: float
    wx: float  # spin of j less that of i [rad/s]
    wy: float
    wz: float
    twist: float  # how fast the two turn together about the normal [rad/s]
    past: float  # time for which the springs are to be stretched before the couple is found [s]
    ahead: float  # and after it, before they are remembered [s]


class Model(NamedTuple):
    """A law as the sweep compiles it in.

    Attributes:
        force: (p, touch, state) to normal force, tangential force on i, spring, state.
        couple: (p, touch, turning, normal force, state) to the couple on i (three numbers) [N m]
            and state, against rolling and twisting; None for most laws.
        potential: (p, touch, state) to the energy of the normal and of the tangential force [J].
        coefficients: how many numbers p has.
        signs: one for each number that contacts remember beside the spring: -1 where it changes
            sign when seen from the other grain, else 1.
        mixed: whether coefficients depend on the materials of the two.
        far: whether the law acts on grains that do not touch.
        counted: whether forces are kept until their work is counted (see `dynamics.work`).
    """

    force: Callable[..., Any]
    couple: Callable[..., Any] | None
    potential: Callable[..., Any]
    coefficients: int
    signs: tuple[float, ...]
    mixed: bool
    far: bool
    counted: bool = False

    @property
    def sources(self) -> tuple[str, ...]:
        """Fingerprints of all its functions, for the cache of compiled code."""
        functions = (self.force, self.couple, self.potential)
        return tuple(source_of(function) for function in functions if function is not None)

    @property
    def width(self) -> int:
        """Numbers in a row of history: spring and stamp, then the state, in steps of four."""
        return 4 * (1 + (len(self.signs) + 3) // 4)


def make_reader(count: int, stride: int) -> Callable[..., Any]:
    """Return the function that reads ``count`` numbers, every ``stride``-th from a place on.

    Four at a time, because Numba makes no tuple of a loop.
    """
    one, two, three, four = (np.uintp(k * stride) for k in range(1, 5))
    if count > 4:
        before, rest = make_reader(4, stride), make_reader(count - 4, stride)

        @register_jitable
        def read(m, q):
            return (*before(m, q), *rest(m, q + four))

        return read

    @register_jitable
    def read_none(_m, _q):
        return ()

    @register_jitable
    def read_one(m, q):
        return (m[q],)

    @register_jitable
    def read_two(m, q):
        return m[q], m[q + one]

    @register_jitable
    def read_three(m, q):
        return m[q], m[q + one], m[q + two]

    @register_jitable
    def read_four(m, q):
        return m[q], m[q + one], m[q + two], m[q + three]

    return (read_none, read_one, read_two, read_three, read_four)[count]


def make_unpack(model: Model) -> Callable[..., Any]:
    """Return the function that takes coefficients out of memory where all contacts share them.

    A tuple stays in the processor's registers; where materials differ, each contact looks its own
    coefficients up.
    """
    if model.mixed:

        @register_jitable
        def leave(p):
            return p

        return leave
    read = make_reader(model.coefficients, 1)

    @register_jitable
    def unpack(p):
        return read(p, np.uintp(0))

    return unpack


def make_writer(count: int, stride: int) -> Callable[..., Any]:
    """Return the function that writes ``count`` numbers in the same way."""
    places = tuple(np.uintp(k * stride) for k in range(count))

    @register_jitable
    def write(m, q, numbers):
        for k in range(count):
            m[q + places[k]] = numbers[k]

    if count:
        return write

    @register_jitable
    def write_none(_m, _q, _numbers):
        pass

    return write_none
