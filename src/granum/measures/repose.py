"""The angle of repose: how steep the free surface is.

Heights of the surface, column by column (see `surface`), are fitted by least squares: those of a
heap by a cone, h = h_0 - ρ tan α, ρ the horizontal distance from its axis; those of a slope by a
plane, h = h_0 + b x + c y, tan α = √(b² + c²). Only columns between the shares ``low`` and ``high``
of the heap's height count: neither the rounded tip nor the thin foot is part of the slope
(Al-Hashemi and Al-Amoudi, Powder Technol. 330 (2018) 397, for the ways of measuring it).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from granum.checks import number, positive, settle
from granum.errors import InputError
from granum.measures.measure import Look, Measure, Values
from granum.measures.region import Region
from granum.measures.surface import surface
from granum.quantity import Length
from granum.world import World

Shape = Literal["cone", "slope"]


def repose_angle(world: World, shape: Shape = "cone", *,
                 centre: tuple[float, float] | None = None, width: float | None = None,
                 low: float = 0.1, high: float = 0.9, among: NDArray[np.bool_] | None = None
                 ) -> float:
    """Return the angle of the surface to the horizontal [rad]; nan if there is too little of it.

    Args:
        world: with the grains.
        shape: what is fitted.
        centre: of the cone, horizontally [m]; that of the grains' mass unless given.
        width: of a column [m]; two mean diameters unless given.
        low: share of the height below which columns do not count.
        high: share of the height above which columns do not count.
        among: (n,) which grains count; all unless given.
    """
    found = surface(world, width, among)
    if not len(found.height):
        return float("nan")
    bottom, top = float(found.height.min()), float(found.height.max())
    part = (found.height >= bottom + low * (top - bottom)) & (
        found.height <= bottom + high * (top - bottom))
    place, height = found.place[part], found.height[part]
    if shape == "cone":
        middle = np.array(_middle(world, among) if centre is None else centre)
        across = np.linalg.norm(place - middle, axis=1)[:, None]
    else:
        across = place[:, : world.dimension - 1]
    matrix = np.column_stack([across, np.ones(len(across))])
    if len(height) < matrix.shape[1]:
        return float("nan")
    fit, _, rank, _ = np.linalg.lstsq(matrix, height, rcond=1e-9)
    if rank < matrix.shape[1]:
        return float("nan")
    return math.atan(-float(fit[0])) if shape == "cone" else math.atan(math.hypot(*fit[:-1]))


def _middle(world: World, among: NDArray[np.bool_] | None) -> tuple[float, float]:
    """Return the centre of mass, horizontally [m]."""
    chosen = slice(None) if among is None else among
    mass, place = world.grains.mass[chosen], world.grains.position[chosen]
    x, y, _ = (mass[:, None] * place).sum(axis=0) / mass.sum()
    return float(x), float(y) if world.dimension == 3 else 0.0


@dataclass(frozen=True)
class ReposeAngle(Measure):
    """The angle of the free surface to the horizontal.

    Args:
        shape: ``"cone"`` for a heap, ``"slope"`` for a surface with one slope.
        region: which grains count, by their centres; all unless given.
        centre: of the cone, x and y [m]; that of the grains' mass unless given.
        width: of the columns in which heights are taken [m]; two mean diameters unless given.
        low: share of the heap's height below which columns do not count.
        high: share of the heap's height above which columns do not count.
    """

    type_name: ClassVar[str] = "repose_angle"
    shape: Shape = "cone"
    region: Region | None = None
    centre: tuple[Length, Length] | None = None
    width: Length | None = None
    low: float = 0.1
    high: float = 0.9

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        if self.shape not in ("cone", "slope"):
            message = f"shape must be 'cone' or 'slope', got {self.shape!r}"
            raise InputError(message)
        if self.width is not None:
            positive("width", self.width)
        number("low", self.low, at_least=0.0)
        number("high", self.high, above=self.low, at_most=1.0)
        if self.centre is not None:
            settle(self, centre=tuple(number("centre", x) for x in self.centre))

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the column."""
        return ("repose_angle [rad]",)

    def read(self, look: Look) -> Values:
        """Return the angle."""
        return (repose_angle(look.world, self.shape, centre=self.centre, width=self.width,
                             low=self.low, high=self.high, among=look.inside(self.region)),)
