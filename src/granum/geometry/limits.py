"""Where the predicates are exact: no product of theirs may overflow or lose bits to underflow.

A conflict determinant has degree 5 in the coordinates, or 3 and one in the weights. A double of at
least 1e-48 > 2^-160 is a multiple of 2^-212, and 2^(-212 * 5) = 2^-1060 is above the smallest
double 2^-1074; weights of at least 1e-96 > 2^-319 are multiples of 2^-371, a multiple of
(2^-212)^2. So all intermediate results are multiples of 2^-1060, rounded ones too, and none is
rounded for being small. Upwards, differences are below 2^161, lifts below 2^325, triple products
below 2^486 and the determinant below 2^813, far from 2^1024. Zero is always safe.
"""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray
from granum.errors import InputError

SMALLEST_COORDINATE, LARGEST_COORDINATE = 1e-48, 1e48
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-96, 1e96


def refuse_unsafe(points: FloatArray, weights: FloatArray) -> None:
    """Refuse values for which the predicates might not be exact.

    Args:
        points: coordinates, (n, 2) or (n, 3).
        weights: one for each point, (n,), in the square of the coordinates' unit.

    Raises:
        InputError: a value is not finite, or neither zero nor within the limits above.
    """
    _refuse("coordinate", points, SMALLEST_COORDINATE, LARGEST_COORDINATE)
    _refuse("weight", weights, SMALLEST_WEIGHT, LARGEST_WEIGHT)


def _refuse(what: str, values: FloatArray, smallest: float, largest: float) -> None:
    size = np.abs(values)
    safe = ((size >= smallest) & (size <= largest)) | (size == 0.0)  # False for NaN
    if safe.all():
        return
    where = np.argwhere(~safe)[0]
    value = float(values[tuple(where)])
    place = f"{what} {where[1]} of" if len(where) > 1 else f"{what} of"
    message = f"{place} point {where[0]} is {value:g}; it must be finite"
    if np.isfinite(value):
        message = (
            f"{place} point {where[0]} is {value:g}; its size must be 0 or between {smallest:g} "
            f"and {largest:g}, where exact predicates neither overflow nor underflow. "
            "Use another unit of length, or set what is that small to 0"
        )
    raise InputError(message)
