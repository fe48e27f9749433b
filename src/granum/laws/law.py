"""What the engine asks of a contact law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from granum.checks import FloatArray
from granum.contact.model import Touch

__all__ = ["Law", "TimeSteps", "Touch"]


class TimeSteps(NamedTuple):
    """How long a time step may be [s]."""

    recommended: float
    longest: float


class Law(Protocol):
    """A contact law: parameters that people measure, and functions that kernels call.

    A law is a frozen dataclass: it is written to files, compared and mixed by its fields. It may
    also have ``couple()``, which returns the function of a couple against rolling and twisting
    (see `granum.contact.model`), and ``signs``, one for each number that contacts remember: -1
    where it changes sign when seen from the other grain.
    """

    remembers: ClassVar[int]  # numbers that a contact keeps for the law, beside its spring

    @property
    def range(self) -> float:
        """How far apart grains may be and still feel each other [m]; 0 for most laws."""
        ...

    def mixed(self, other: Self) -> Self:
        """Return the law between a grain of this material and one of another."""
        ...

    def coefficients(self) -> FloatArray:
        """Return the numbers that the functions take, as one flat array."""
        ...

    def kernel(self) -> Callable[..., Any]:
        """Return the function that is compiled into the sweep.

        It takes (p, touch, state): coefficients, a `Touch`, and the numbers that the contact
        remembers (a tuple, zeros in a new contact). It returns the normal force [N], positive where
        it pushes the grains apart, the tangential force on i (three numbers) [N], the spring to
        remember (three) [m] and the state to remember.
        """
        ...

    def potential(self) -> Callable[..., Any]:
        """Return the function from (p, touch, state) to the energy that the contact can give back.

        Two numbers [J]: of the normal and of the tangential force. The state is the remembered one.
        """
        ...

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return the time step to take and the longest one for grains of these sizes."""
        ...
