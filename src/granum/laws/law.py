"""What the engine asks of a contact law, and what it tells one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from granum.checks import FloatArray


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
    step: float  # time step [s]


class TimeSteps(NamedTuple):
    """How long a time step may be [s]."""

    recommended: float
    longest: float


class Law(Protocol):
    """A contact law: parameters that people measure, and functions that kernels call.

    A law is a frozen dataclass: it is written to files, compared and mixed by its fields.
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
