"""Flow through a plane: what has passed to its far side.

Grains and mass beyond the plane, in the direction of its normal, counted at the grains' centres.
The flow rate is the difference quotient of the mass in time; it needs no memory, so it is the same
however a run was cut.
"""

from __future__ import annotations

from dataclasses import dataclass

from granum.checks import direction, vector
from granum.quantity import Direction, Point
from granum.world import Grains

PAUSE = 0.25  # without a grain through a plane for so long [s], the flow has ended
LEFT = 0.02  # share of the mass before the plane, above which a flow that has ended is jammed


@dataclass(frozen=True)
class Flow:
    """A plane through which grains flow.

    Args:
        name: what to call it; the columns are ``NAME_grains`` and ``NAME_mass``.
        point: a point of the plane [m].
        normal: the direction of the flow.
    """

    name: str = "flow"
    point: Point = (0.0, 0.0, 0.0)
    normal: Direction = (0.0, 0.0, -1.0)

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        vector("the point of a flow", self.point)
        direction("the normal of a flow", self.normal)

    def columns(self) -> list[str]:
        """Return the names of the two columns."""
        return [f"{self.name}_grains", f"{self.name}_mass"]

    def measure(self, grains: Grains) -> tuple[int, float]:
        """Return number and mass [kg] of the grains beyond the plane."""
        beyond = (grains.position - vector("point", self.point)) @ direction(
            "normal", self.normal) > 0.0
        return int(beyond.sum()), float(grains.mass[beyond].sum())


def is_jammed(still: float, left: float, pause: float = PAUSE, enough: float = LEFT) -> bool:
    """Tell whether a flow has jammed: nothing has passed for a while, and there is more to come.

    Args:
        still: time since the last grain passed [s].
        left: share of the mass before the plane.
        pause: time after which the flow has ended [s].
        enough: share that must be left.
    """
    return still > pause and left > enough
