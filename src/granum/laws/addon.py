"""What a law is asked to take along: cohesion, resistance to rolling and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, Self

from granum.checks import FloatArray
from granum.laws.law import TimeSteps


class Addon(Protocol):
    """Something that acts at a contact beside its law, whatever law that is.

    An add-on is a frozen dataclass as a law is, and its functions are compiled in alike. They get
    the add-on's own coefficients and its own part of what the contact remembers. One that has no
    force, or no couple, returns None instead of a function.
    """

    signs: ClassVar[tuple[float, ...]]  # for each number remembered: -1 if j sees it the other way
    reaches: ClassVar[bool]  # whether it can act on grains that do not touch

    @property
    def range(self) -> float:
        """How far apart grains may be and still feel each other [m]."""
        ...

    def mixed(self, other: Self) -> Self:
        """Return the add-on between a grain of this material and one of another."""
        ...

    def coefficients(self) -> FloatArray:
        """Return the numbers that the functions take, as one flat array."""
        ...

    def kernel(self) -> Callable[..., Any] | None:
        """Return the function from (p, touch, state) to a normal force [N] and the state.

        The force is added to that of the law, positive where it pushes the grains apart. With a
        range, the function also sees gaps, and some that are wider than the range.
        """
        ...

    def couple(self) -> Callable[..., Any] | None:
        """Return the function from (p, touch, turning, f_n, state) to a couple and the state.

        The couple is that on i (three numbers) [N m]; f_n is the normal force of the law alone.
        """
        ...

    def potential(self) -> Callable[..., Any]:
        """Return the function from (p, touch, state) to two energies [J], as that of a law."""
        ...

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return the time step to take and the longest one for grains of these sizes."""
        ...
