"""What the studies of Pournin 2005 share: grains at rest on a floor that then shakes at 30 Hz.

The law is linear, with a contact time of 0.6 ms and a time step of 20 µs. The floor goes up and
down as a sine; its highest acceleration over that of free fall is called Γ (6.1, 7.1). The side
walls stand still. Grains settle until they are at rest, and only then the floor begins to move,
from the lowest point of its way: at its mean height it is an amplitude above where it began.

With a contact time that long, grains that fall from where they are placed would come too deep into
each other. So they fall under a quarter of gravity, and settle again under the whole of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from granum.checks import FloatArray
from granum.run import SUMMARY

CONTACT_TIME, TIME_STEP = 6e-4, 2e-5  # [s]
FREQUENCY = 30.0  # of the floor [1/s]
PERIOD = 1.0 / FREQUENCY  # one tap
FLOOR, FALL, SETTLE, SHAKE = "floor", "fall", "settle", "shake"
GRAVITY, GENTLE = 9.81, 0.25  # [m/s2], and the share of it under which grains fall
LONGEST = 1.0  # time after which a stage ends though grains have not come to rest [s]
SAMPLES = 4  # of the series in a tap
DENSITY = 1910.0  # [kg/m3]
ROUNDING = 1e-6  # taps
LAST = 10.0  # taps over which what is told of the end is averaged


def law(restitution: float, friction: float, contact_time: float = CONTACT_TIME
        ) -> dict[str, Any]:
    """Return the law."""
    return {"type": "linear_viscoelastic", "restitution": restitution, "friction": friction,
            "contact_time": contact_time}


def floor() -> dict[str, Any]:
    """Return the floor, still at rest."""
    return {"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "name": FLOOR}


def tube(width: float, height: float) -> dict[str, Any]:
    """Return the side wall: a cylinder so wide and so high [m]."""
    return {"type": "cylinder", "base": [0, 0, 0], "axis": [0, 0, 1], "radius": 0.5 * width,
            "height": height}


def stages(gamma: float, taps: float, frames: int) -> list[dict[str, Any]]:
    """Return the stages: grains fall and settle, then the floor shakes them.

    Args:
        gamma: highest acceleration of the floor, in that of free fall.
        taps: how often the floor goes up and down.
        frames: of the last stage.
    """
    rest = {"until": "at rest", "at_most": LONGEST, "otherwise": "go on"}
    motion = {"type": "sine", "frequency": FREQUENCY, "acceleration": f"{gamma:g} g",
              "phase": "-90 deg"}
    return [
        {"name": FALL, "gravity": [0.0, 0.0, -GENTLE * GRAVITY], **rest},
        {"name": SETTLE, "gravity": [0.0, 0.0, -GRAVITY], **rest},
        {"name": SHAKE, "for": taps * PERIOD, "motions": {FLOOR: motion},
         "output": {"series": PERIOD / SAMPLES, "frames": taps * PERIOD / frames,
                    "checkpoints": min(taps, 30.0) * PERIOD}},
    ]


def began(folder: Path) -> float:
    """Return when the floor of a run began to shake [s]; infinite if it never did."""
    record = json.loads((folder / SUMMARY).read_text(encoding="utf-8")).get("stages", [])
    return next((float(row["began"]) for row in record if row["name"] == SHAKE), np.inf)


def taps_at(time: FloatArray, start: float) -> FloatArray:
    """Return how many taps there have been at each time [s] since the ``start`` [s], (n,)."""
    return (time - start) * FREQUENCY


def at_last(taps: FloatArray, values: FloatArray) -> float | None:
    """Return the mean over the last taps, without what is no number; None if there is nothing."""
    if not len(taps):
        return None
    late = values[(taps >= 0.0) & (taps > taps[-1] - LAST)]
    late = late[np.isfinite(late)]
    return float(late.mean()) if len(late) else None


def at_tap(taps: FloatArray, values: FloatArray, number: float) -> float | None:
    """Return the mean over the taps about a number of them, a fifth more and less; None beyond.

    At 0 that is the first moment alone.
    """
    if not len(taps) or taps[-1] < number:
        return None
    near = (taps >= 0.8 * number) & (taps <= 1.2 * number + ROUNDING)
    chosen = values[near & np.isfinite(values)]
    return float(chosen.mean()) if len(chosen) else None


def smoothed(taps: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return taps and values averaged over a tap each: what follows the floor goes."""
    if len(values) < SAMPLES:
        return taps, values
    window = np.full(SAMPLES, 1.0 / SAMPLES)
    return np.convolve(taps, window, "valid"), np.convolve(values, window, "valid")


def columns(series: Mapping[str, Any], *names: str) -> list[FloatArray]:
    """Return columns of a series as floats, (n,) each."""
    return [np.asarray(series[name], dtype=np.float64) for name in names]
