"""Orthonormal frames, circles and closed loops: what walls need to lie anywhere in space."""

from __future__ import annotations

from typing import Any

import numpy as np

from granum import checks
from granum.checks import FloatArray

CIRCLE_CORNERS = 64
"""Corners of a drawn circle: its polygon deviates from it by 0.1 % of the radius."""


def make_frame(axis: Any, along: Any = None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a right-handed orthonormal frame whose third vector is ``axis``.

    Args:
        axis: any direction, (3,).
        along: a direction across ``axis`` that the first vector follows; by default the
            coordinate axis furthest from ``axis`` (x for a vertical axis), made perpendicular.
    """
    third = checks.direction("axis", axis)
    if along is None:
        along = np.zeros(3)
        along[int(np.argmin(np.abs(third)))] = 1.0
    across = checks.direction("along", along)
    first = checks.direction("along", across - (across @ third) * third)
    return first, np.cross(third, first), third


def cylindrical(points: Any, base: Any, axis: Any) -> tuple[FloatArray, FloatArray]:
    """Return the distance from an axis and the height along it [m], (n,) each, of ``points``."""
    first, second, third = make_frame(axis)
    offset = checks.array("points", points, (None, 3)) - np.asarray(base)
    return np.hypot(offset @ first, offset @ second), np.asarray(offset @ third)


def circle(centre: Any, axis: Any, radius: float) -> FloatArray:
    """Return a closed polygon of `CIRCLE_CORNERS` corners on a circle [m], (m + 1, 3)."""
    first, second, _ = make_frame(axis)
    angle = np.linspace(0.0, 2.0 * np.pi, CIRCLE_CORNERS + 1)[:, np.newaxis]
    across = np.cos(angle) * first + np.sin(angle) * second
    return np.asarray(np.asarray(centre) + radius * across)


def circle_reach(axis: Any, radius: float) -> FloatArray:
    """Return how far a circle about ``axis`` reaches from its centre along x, y and z [m]."""
    first, second, _ = make_frame(axis)
    return np.asarray(radius * np.hypot(first, second))


def closed(corners: FloatArray) -> FloatArray:
    """Return the polyline through ``corners`` (m, 3) [m] and back to the first, (m + 1, 3)."""
    return np.concatenate([corners, corners[:1]])
