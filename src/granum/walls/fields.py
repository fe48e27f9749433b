"""Checks of a wall's fields: every refusal names the wall and the field."""

from __future__ import annotations

import difflib

from granum import checks
from granum.checks import Triple, name_of, settle
from granum.checks import positive_field as positive
from granum.errors import InputError


def point(wall: object, field: str) -> Triple:
    """Return the field as three plain finite floats [m]."""
    x, y, z = checks.vector(name_of(wall, field), getattr(wall, field)).tolist()
    return x, y, z


def direction(wall: object, field: str) -> Triple:
    """Return the field as three plain floats, as given; a zero vector is refused."""
    checks.direction(name_of(wall, field), getattr(wall, field))
    return point(wall, field)


def not_negative(wall: object, field: str) -> float:
    """Return the field as a float of at least zero."""
    return checks.number(name_of(wall, field), getattr(wall, field), at_least=0.0)


def flag(wall: object, field: str) -> bool:
    """Return the field, which must be true or false; 0 and 1 are no truth values."""
    value = getattr(wall, field)
    if not isinstance(value, bool):
        message = f"{name_of(wall, field)} must be true or false, got {value!r}"
        raise InputError(message)
    return value


def choice(wall: object, field: str, allowed: tuple[str, ...]) -> str:
    """Return the field, which must be one of the words ``allowed``."""
    value = getattr(wall, field)
    if isinstance(value, str) and value in allowed:
        return value
    words = ", ".join(f'"{word}"' for word in allowed)
    message = f"{name_of(wall, field)} must be one of {words}, got {value!r}"
    nearest = difflib.get_close_matches(value, allowed, n=1) if isinstance(value, str) else []
    if nearest:
        message += f'; did you mean "{nearest[0]}"?'
    raise InputError(message)


def text_of(values: tuple[float, ...]) -> str:
    """Return a point or direction as a person writes it: ``(0, 0.05, 1)``."""
    return "(" + ", ".join(f"{value + 0.0:g}" for value in values) + ")"


__all__ = [
    "Triple", "choice", "direction", "flag", "name_of", "not_negative", "point", "positive",
    "settle", "text_of",
]
