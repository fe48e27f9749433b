"""Gravity, steady or turning.

Turning a container over is seen from the container as gravity that turns (Ferrez 6.3.4): each turn
rotates the pull about an axis by an angle, evenly from its start to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from granum.checks import FloatArray, direction, number, positive
from granum.compile import kernel
from granum.quantity import Angle, Direction, Time


@dataclass(frozen=True)
class Turn:
    """One turn of gravity.

    Args:
        start: when it begins [s].
        duration: how long it takes [s].
        angle: by how much gravity turns, right-handed about ``axis`` [rad].
        axis: direction of the axis.
    """

    start: Time
    duration: Time
    angle: Angle = np.pi
    axis: Direction = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        number("the start of a turn", self.start, at_least=0.0)
        positive("the duration of a turn", self.duration)
        number("the angle of a turn", self.angle)
        direction("the axis of a turn", self.axis)


def turn_table(turns: Sequence[Turn]) -> FloatArray:
    """Return turns as rows start, duration, angle, axis, in the order of their start, (t,6)."""
    rows = [
        [turn.start, turn.duration, turn.angle, *direction("axis", turn.axis)]
        for turn in sorted(turns, key=lambda turn: turn.start)
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 6)


@kernel
def gravity_at(gx, gy, gz, turns, time):
    """Return gravity at ``time`` [m/s2]: Rodrigues' rotation of each turn so far, one by one."""
    for t in range(turns.shape[0]):
        share = min(max((time - turns[t, 0]) / turns[t, 1], 0.0), 1.0)
        if share == 0.0:
            continue
        angle = share * turns[t, 2]
        ax, ay, az = turns[t, 3], turns[t, 4], turns[t, 5]
        c, s = np.cos(angle), np.sin(angle)
        along = (ax * gx + ay * gy + az * gz) * (1.0 - c)
        gx, gy, gz = (
            gx * c + (ay * gz - az * gy) * s + ax * along,
            gy * c + (az * gx - ax * gz) * s + ay * along,
            gz * c + (ax * gy - ay * gx) * s + az * along,
        )
    return gx, gy, gz
