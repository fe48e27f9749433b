"""Columns of the series by their names, or in words."""

from __future__ import annotations

from collections.abc import Iterable

from granum.checks import nearest
from granum.errors import InputError

_WORDS = {f"{name} energy": name for name in ("kinetic", "rotational", "gravitational", "elastic")}


def column_of(words: str, known: Iterable[str]) -> str:
    """Return the column that is meant: by its name, or in words, as in ``kinetic energy``."""
    plain = " ".join(words.split())
    name = _WORDS.get(plain.lower(), plain.replace(" ", "_"))
    columns = list(known)
    if name not in columns:
        near = nearest(name.removesuffix("_energy"), columns)
        message = (f"there is no column '{plain}' in the series{near} "
                   f"(known: {', '.join(columns)})")
        raise InputError(message)
    return name
