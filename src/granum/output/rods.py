"""Rods in pictures, and pictures through which others are seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from granum import checks
from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.output.colours import decode, encode
from granum.output.picture import Image

BETWEEN_GRAINS, AT_WALLS = (0.10, 0.28, 0.75), (0.82, 0.12, 0.10)  # colours of forces, sRGB


class Rods(NamedTuple):
    """Rods as `draw` takes them: swept segments, each with a ball at both ends.

    Attributes:
        points: (2n,3) [m], a rod's start and end one after the other.
        radii: (2n,) [m].
        colours: (2n,3).
        edges: (n,2) which two belong together.
    """

    points: FloatArray
    radii: FloatArray
    colours: FloatArray
    edges: IntArray


def rods(starts: ArrayLike, ends: ArrayLike, radii: ArrayLike, colours: ArrayLike) -> Rods:
    """Return rods as they are drawn.

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
    return Rods(np.hstack((first, last)).reshape(-1, 3), np.repeat(radius, 2),
                np.repeat(colour, 2, axis=0), np.arange(2 * count).reshape(-1, 2))


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
