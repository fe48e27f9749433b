"""What the columns of the series measure: their kinds, so that units can be checked."""

from __future__ import annotations

from collections.abc import Iterable

from granum.checks import nearest
from granum.errors import InputError
from granum.measures import BUDGET_COLUMNS
from granum.quantity import Kind

COUNT = Kind("number", "")
TIME = Kind("time", "s")
ENERGY = Kind("energy", "J")
MASS = Kind("mass", "kg")
LENGTH = Kind("length", "m")
_KINDS = {
    "time": TIME, "kinetic": ENERGY, "rotational": ENERGY, "gravitational": ENERGY,
    "elastic": ENERGY, "fastest": Kind("speed", "m/s"), "height": LENGTH,
    **dict.fromkeys(BUDGET_COLUMNS, ENERGY),
}
_ENDINGS = {
    "_mass": MASS, "_work": ENERGY,
    **{f"_force_{axis}": Kind("force", "N") for axis in "xyz"},
    **{f"_torque_{axis}": Kind("torque", "N m") for axis in "xyz"},
    **{f"_{axis}": LENGTH for axis in "xyz"},
}
_WORDS = {f"{name} energy": name for name in ("kinetic", "rotational", "gravitational", "elastic")}


def kind_of(column: str) -> Kind:
    """Return what a column of the series measures."""
    if column in _KINDS:
        return _KINDS[column]
    return next((kind for ending, kind in _ENDINGS.items() if column.endswith(ending)), COUNT)


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
