"""One gate for numbers and arrays: a wrong value is refused by name, with what is allowed."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Triple = tuple[float, float, float]

LARGEST, LEAST = 1e15, 1e-30
"""Sizes of SI numbers beyond which one was not meant: squares and products stay finite within."""


def wild(value: float) -> str:
    """Return how a number is too wild to be meant, "large" or "small"; "" if it is not."""
    if abs(value) > LARGEST:
        return "large"
    return "small" if 0.0 < abs(value) < LEAST else ""


def number(name: str, value: float, *, above: float = -math.inf, at_least: float = -math.inf,
           below: float = math.inf, at_most: float = math.inf) -> float:
    """Return ``value`` as a finite float within the given limits, or refuse it by name."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        message = f"{name} must be a number, got {value!r}"
        raise InputError(message)
    result = float(value)
    limits = [
        (result > above, f"greater than {above:g}"),
        (result >= at_least, f"at least {at_least:g}"),
        (result < below, f"less than {below:g}"),
        (result <= at_most, f"at most {at_most:g}"),
    ]
    if not math.isfinite(result):
        message = f"{name} must be a finite number, got {result}"
        raise InputError(message)
    how = wild(result)
    if how == "large" or (how == "small" and above >= 0.0):  # where 0 is allowed, tiny is harmless
        message = f"{name} = {result:g} is too {how} to be meant: check its unit"
        raise InputError(message)
    for ok, wanted in limits:
        if not ok:
            message = f"{name} must be {wanted}, got {result:g}"
            raise InputError(message)
    return result


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'radius'?"``, or nothing when no known name is near."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def positive(name: str, value: float) -> float:
    """Return ``value`` as a float greater than zero."""
    return number(name, value, above=0.0)


def whole(name: str, value: int, *, at_least: int) -> int:
    """Return ``value`` as an int of at least ``at_least``; 1.0 and True are no whole numbers."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        message = f"{name} must be a whole number, got {value!r}"
        raise InputError(message)
    if value < at_least:
        message = f"{name} must be at least {at_least}, got {value}"
        raise InputError(message)
    return int(value)


def array(name: str, value: Any, shape: tuple[int | None, ...]) -> FloatArray:
    """Return ``value`` as a fresh finite float64 array of ``shape`` (``None``: any length)."""
    try:
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = f"{name} must be an array of numbers, got {type(value).__name__}"
        raise InputError(message) from error
    wanted = "(" + ", ".join("n" if size is None else str(size) for size in shape) + ")"
    if result.ndim != len(shape) or any(
        size is not None and size != got for size, got in zip(shape, result.shape, strict=False)
    ):
        message = f"{name} must have shape {wanted}, got {result.shape}"
        raise InputError(message)
    if not np.isfinite(result).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(result))[0])
        message = f"{name} must be finite, but entry {where} is {result[where]}"
        raise InputError(message)
    return result


def measured(name: str, value: Any, shape: tuple[int | None, ...]) -> FloatArray:
    """Return ``value`` as ``array`` does; entries too large to be meant are refused.

    Entries may be as small as they like: a coordinate that ought to be 0 is often not quite.
    """
    result = array(name, value, shape)
    large = np.abs(result) > LARGEST
    if large.any():
        where = tuple(int(k) for k in np.argwhere(large)[0])
        message = f"{name}: entry {where} = {result[where]:g} is too large to be meant"
        raise InputError(message)
    return result


def vector(name: str, value: Any) -> FloatArray:
    """Return ``value`` as a float64 array of three finite numbers."""
    return measured(name, value, (3,))


def direction(name: str, value: Any) -> FloatArray:
    """Return ``value`` as a unit vector; a zero vector has no direction and is refused."""
    result = vector(name, value)
    length = float(np.linalg.norm(result))
    if length < LEAST:
        message = f"{name} must not be the zero vector"
        if result.any():
            message += f", and {tuple(result.tolist())} is too small to be meant"
        raise InputError(message)
    return np.asarray(result / length)


# ---- fields of descriptors -------------------------------------------------------------------


def settle(descriptor: object, **values: Any) -> None:
    """Store checked values in the fields of a frozen dataclass; only for ``__post_init__``."""
    for field, value in values.items():
        object.__setattr__(descriptor, field, value)


def name_of(descriptor: object, field: str) -> str:
    """Return how messages call a field, such as ``Cylinder radius``."""
    return f"{type(descriptor).__name__} {field}"


def positive_field(descriptor: object, field: str) -> float:
    """Return the field as a float greater than zero."""
    return positive(name_of(descriptor, field), getattr(descriptor, field))
