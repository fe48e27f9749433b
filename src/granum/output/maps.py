"""The named colour maps, the same as in the page of a run (``view/page/colours.js``).

A map is a path through OKLab (B. Ottosson, "A perceptual color space for image processing", 2020)
in steps of equal length, so that equal differences look equal. Lightness only rises, so that maps
also read in grey; that of "two sides" falls to both ends from the middle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from granum.checks import FloatArray, nearest
from granum.errors import InputError
from granum.output.colours import STEPS, UNKNOWN, oklab_to_srgb

FINE = 1024  # points along a path before it is cut into equal steps
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
Station = tuple[float, float, float]

STATIONS: dict[str, tuple[Station, ...]] = {
    "lagoon": ((0.345, 0.125, 292), (0.47, 0.11, 252), (0.615, 0.098, 198), (0.765, 0.155, 146),
               (0.915, 0.165, 104)),
    "ember": ((0.27, 0.09, 300), (0.42, 0.15, 350), (0.58, 0.18, 25), (0.75, 0.15, 60),
              (0.93, 0.1, 98)),
    "ice": ((0.3, 0.1, 268), (0.46, 0.12, 256), (0.63, 0.11, 238), (0.79, 0.08, 215),
            (0.94, 0.03, 190)),
    "grey": ((0.32, 0, 0), (0.95, 0, 0)),
    "two sides": ((0.42, 0.15, 258), (0.68, 0.11, 250), (0.95, 0.01, 100), (0.7, 0.13, 45),
                  (0.44, 0.16, 28)),
}
"""Lightness, chroma and hue [degree] along each map."""


def map_table(name: str) -> FloatArray:
    """Return the colours of a map from its first to its last, (256, 3), sRGB from 0 to 1."""
    if name not in STATIONS:
        message = (f"there is no colour map {name!r}{nearest(name, STATIONS)} "
                   f"(there are {', '.join(STATIONS)})")
        raise InputError(message)
    path = _path(_to_lab(np.array(STATIONS[name], dtype=np.float64)))
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    even = np.linspace(0.0, length[-1], STEPS)
    return oklab_to_srgb(np.column_stack([np.interp(even, length, path[:, c]) for c in range(3)]))


def category_colours(values: ArrayLike) -> FloatArray:
    """Return a colour for each number of a category, (n, 3); neighbours are kept apart.

    Hues are steps of the golden section, so that there may be any number of categories; what is
    negative or not a number is grey.
    """
    numbers = np.asarray(values, dtype=np.float64)
    known = np.isfinite(numbers) & (numbers >= 0)
    k = np.where(known, numbers, 0.0)
    light = np.where(k % 2 == 1, 0.78, 0.6)
    station = np.column_stack([light, np.full(len(k), 0.14), (250 + 360 * k * GOLDEN) % 360])
    colours = oklab_to_srgb(_to_lab(station))
    colours[~known] = UNKNOWN
    return colours


def _to_lab(station: FloatArray) -> FloatArray:
    hue = np.deg2rad(station[:, 2])
    return np.column_stack([station[:, 0], station[:, 1] * np.cos(hue),
                            station[:, 1] * np.sin(hue)])


def _path(lab: FloatArray) -> FloatArray:
    """Return points along a smooth path through stations, (FINE, 3).

    Between two stations it is a cubic that leaves each along the line from the one before it to the
    one behind it.
    """
    place = np.linspace(0.0, len(lab) - 1.0, FINE)
    k = np.minimum(np.floor(place).astype(np.int64), len(lab) - 2)
    s = (place - k)[:, None]
    x, y = lab[k], lab[k + 1]
    d = y - x
    m = np.where((k > 0)[:, None], (y - lab[np.maximum(k - 1, 0)]) / 2.0, d)
    n = np.where((k < len(lab) - 2)[:, None], (lab[np.minimum(k + 2, len(lab) - 1)] - x) / 2.0, d)
    return np.asarray(x + s * (m + s * (3.0 * d - 2.0 * m - n + s * (m + n - 2.0 * d))))
