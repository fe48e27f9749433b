"""Checks of descriptor fields that several ways of placing share."""

from __future__ import annotations

from typing import Any

import numpy as np

from granum import checks
from granum.checks import FloatArray, Triple, name_of, settle
from granum.checks import positive_field as positive
from granum.errors import InputError


def whole(descriptor: object, field: str) -> int:
    """Return the field as an int of at least one."""
    return checks.whole(name_of(descriptor, field), getattr(descriptor, field), at_least=1)


def triple(name: str, value: Any) -> Triple:
    """Return ``value`` as a tuple of three finite floats."""
    x, y, z = checks.vector(name, value).tolist()
    return (x, y, z)


def settle_size(descriptor: Any) -> None:
    """Check the radius [m] of a descriptor and the spread of its sizes; keep them as floats."""
    spread = checks.number(
        name_of(descriptor, "spread"), descriptor.spread, at_least=0.0, below=1.0
    )
    settle(descriptor, radius=positive(descriptor, "radius"), spread=spread)


def settle_box(descriptor: Any) -> None:
    """Check the corners ``low`` and ``high`` of a descriptor; keep them as tuples."""
    for name in ("low", "high"):
        value = getattr(descriptor, name)
        if value is not None:
            settle(descriptor, **{name: triple(name_of(descriptor, name), value)})
    if descriptor.low is None or descriptor.high is None:
        return
    for axis, first, last in zip("xyz", descriptor.low, descriptor.high, strict=True):
        if first > last:
            message = (
                f"{name_of(descriptor, 'high')} must not be below low, got {axis} from "
                f"{first:g} m to {last:g} m"
            )
            raise InputError(message)


def sizes(rng: np.random.Generator, radius: float, spread: float, count: int) -> FloatArray:
    """Draw ``count`` radii [m], uniform within ``radius`` (1 ± ``spread``)."""
    if spread == 0.0:
        return np.full(count, radius)
    return np.asarray(radius * (1.0 + spread * (2.0 * rng.random(count) - 1.0)))


__all__ = [
    "Triple", "name_of", "positive", "settle", "settle_box", "settle_size", "sizes", "triple",
    "whole",
]
