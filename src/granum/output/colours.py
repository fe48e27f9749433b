"""From numbers to colours that look as different as the numbers are.

The map runs from a deep violet blue over teal and green to yellow. It is laid out in OKLab (B.
Ottosson, "A perceptual color space for image processing", 2020), where equal distances look equal:
the path below is resampled to equal steps, and its lightness rises all the way, so that it also
reads in grey and for colour-blind eyes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from granum.checks import FloatArray
from granum.errors import InputError

# Lightness, chroma and hue [degree] of five stations along the map.
STATIONS = np.array([
    [0.345, 0.125, 292.0],
    [0.470, 0.110, 252.0],
    [0.615, 0.098, 198.0],
    [0.765, 0.155, 146.0],
    [0.915, 0.165, 104.0],
])
STEPS = 256
UNKNOWN = (0.62, 0.62, 0.62)  # grey, for values that are not numbers
SAND = (0.86, 0.69, 0.44)  # for grains without a quantity to show

# OKLab to linear sRGB, in two steps with a cube between them (Ottosson 2020).
LAB_TO_CONE = np.array([
    [1.0, 0.3963377774, 0.2158037573],
    [1.0, -0.1055613458, -0.0638541728],
    [1.0, -0.0894841775, -1.2914855480],
])
CONE_TO_RGB = np.array([
    [4.0767416621, -3.3077115913, 0.2309699292],
    [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.7076147010],
])


def colour_by(values: ArrayLike, low: float, high: float, table: FloatArray | None = None
              ) -> FloatArray:
    """Return a colour for each value, shape (n, 3), red green blue from 0 to 1 (sRGB).

    Args:
        values: shape (n,); what is not a number becomes grey.
        low: value of the first colour; values below get it too.
        high: value of the last colour; with ``high == low`` all get the middle one.
        table: colours from the first to the last, (256, 3); the map of this module unless given.
    """
    colour = TABLE if table is None else table
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or not (np.isfinite(low) and np.isfinite(high) and low <= high):
        message = (f"colours need values of shape (n,) and finite limits low <= high, got shape "
                   f"{numbers.shape}, low {low}, high {high}")
        raise InputError(message)
    known = ~np.isnan(numbers)
    clipped = np.clip(np.where(known, numbers, low), low, high)
    # Halves first: the span of two finite limits may be infinite.
    place = ((clipped / 2 - low / 2) / (high / 2 - low / 2) if high / 2 > low / 2
             else np.full(len(numbers), 0.5))
    position = place * (STEPS - 1)
    colours = np.column_stack([
        np.interp(position, np.arange(STEPS), colour[:, channel]) for channel in range(3)
    ])
    colours[~known] = UNKNOWN
    return colours


def oklab_to_srgb(lab: FloatArray) -> FloatArray:
    """Return sRGB colours (0 to 1) of OKLab colours, shape (n, 3)."""
    linear = (lab @ LAB_TO_CONE.T) ** 3 @ CONE_TO_RGB.T
    return encode(np.clip(linear, 0.0, 1.0))


def encode(linear: FloatArray) -> FloatArray:
    """Return sRGB values of linear light, both from 0 to 1 (IEC 61966-2-1)."""
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def decode(colour: FloatArray) -> FloatArray:
    """Return the linear light of sRGB values, both from 0 to 1 (IEC 61966-2-1)."""
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def _make_table() -> NDArray[np.float64]:
    """Return the map's colours: a smooth path through the stations, in equal steps."""
    hue = np.deg2rad(STATIONS[:, 2])
    lab = np.column_stack([STATIONS[:, 0], STATIONS[:, 1] * np.cos(hue),
                           STATIONS[:, 1] * np.sin(hue)])
    place = np.linspace(0.0, 1.0, len(lab))
    fine = np.linspace(0.0, 1.0, 4 * STEPS)
    path = np.column_stack([
        np.polyval(np.polyfit(place, lab[:, channel], len(lab) - 1), fine) for channel in range(3)
    ])
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    even = np.linspace(0.0, length[-1], STEPS)
    return oklab_to_srgb(
        np.column_stack([np.interp(even, length, path[:, channel]) for channel in range(3)])
    )


TABLE = _make_table()
