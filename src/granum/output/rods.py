"""Rods in pictures, and pictures through which others are seen.

A rod is a row of balls so close that they look like one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.output.colours import decode, encode
from granum.output.picture import Image

STEP = 0.35  # between two balls of a rod, in their radii


def rods(starts: ArrayLike, ends: ArrayLike, radii: ArrayLike, colours: ArrayLike
         ) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the balls that draw rods: centres (m,3) [m], radii (m,) [m] and colours (m,3).

    Args:
        starts: where each rod begins, (n,3) [m].
        ends: where it ends, (n,3) [m].
        radii: of the rods, (n,) [m].
        colours: red green blue from 0 to 1, (n,3).
    """
    first = checks.array("starts", starts, (None, 3))
    count = len(first)
    last = checks.array("ends", ends, (count, 3))
    radius = checks.array("radii", radii, (count,))
    colour = checks.array("colours", colours, (count, 3))
    if not (radius > 0.0).all():
        message = f"the radii of rods must be greater than zero, got {radius.min():g} m"
        raise InputError(message)
    length = np.linalg.norm(last - first, axis=1)
    balls = np.ceil(length / (STEP * radius)).astype(np.int64) + 1
    rod = np.repeat(np.arange(count), balls)
    number = np.arange(len(rod)) - np.repeat(np.cumsum(balls) - balls, balls)
    share = number / np.maximum(balls[rod] - 1, 1)
    points = first[rod] + share[:, None] * (last - first)[rod]
    return points, radius[rod], colour[rod]


def seen_through(veil: Image, behind: Image, opacity: float) -> Image:
    """Return a picture that is seen through another one of the same size.

    Args:
        veil: the picture in front.
        behind: what shines through it.
        opacity: share of the light that comes from the veil, from 0 to 1.
    """
    checks.number("opacity", opacity, at_least=0.0, at_most=1.0)
    if veil.shape != behind.shape:
        message = f"pictures of {veil.shape} and {behind.shape} pixels do not cover each other"
        raise InputError(message)
    light = opacity * decode(veil / 255.0) + (1.0 - opacity) * decode(behind / 255.0)
    return np.asarray(np.round(255.0 * encode(light)), dtype=np.uint8)
