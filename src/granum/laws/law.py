"""What the engine asks of a contact law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from granum.checks import FloatArray


class Law(Protocol):
    """A contact law: parameters that people measure, and a function that kernels call."""

    def coefficients(self) -> FloatArray:
        """Return the numbers that the function takes, as one flat array."""
        ...

    def kernel(self) -> Callable[..., Any]:
        """Return the function that is compiled into the sweep.

        It takes (p, overlap, rate, m_n, m_t, sx, sy, sz, ux, uy, uz) and returns the normal
        force, the tangential force on i (three numbers) and the spring to remember (three).
        """
        ...

    @property
    def recommended_time_step(self) -> float:
        """The time step to take unless one is given [s]."""
        ...

    @property
    def longest_time_step(self) -> float:
        """The longest time step that is stable [s]; a longer one is refused."""
        ...

    @property
    def elastic(self) -> tuple[float, float]:
        """Normal and tangential stiffness for each unit of effective mass [1/s2]."""
        ...
