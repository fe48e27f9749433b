"""What grains are made of."""

from __future__ import annotations

from dataclasses import dataclass

from granum.checks import positive
from granum.quantity import Density


@dataclass(frozen=True)
class Material:
    """A material of grains.

    Args:
        name: what to call it.
        density: mass of solid volume [kg/m3]; in a 2D world grains are discs of unit thickness.
    """

    name: str
    density: Density

    def __post_init__(self) -> None:
        """Refuse a density without a meaning."""
        positive(f"the density of {self.name}", self.density)
