"""Units of the columns that runs write, by their names.

The names of measures begin as the user likes, but end as the measure has it, so the end tells. A
unit that is not known is left out, never guessed.
"""

from __future__ import annotations

from granum.measures.budget import BUDGET_COLUMNS
from granum.measures.stress import AXES

UNITS = {
    "time": "s", "fastest": "m/s", "height": "m",
    **dict.fromkeys(("kinetic", "rotational", "gravitational", "elastic", *BUDGET_COLUMNS), "J"),
}
STRESSES = [f"stress_{axes}" for axes in AXES]
ENDINGS = {
    **{f"{unit}_{axis}": "" for unit in ("normal", "director") for axis in "xyz"},
    "centre_of_mass": "m", "mass": "kg", "work": "J", "force": "N",
    **{f"force_{axis}": "N" for axis in "xyz"},
    **{f"torque_{axis}": "N m" for axis in "xyz"},
    **{f"velocity_{axis}": "m/s" for axis in "xyz"},
    **dict.fromkeys((*STRESSES, "pressure"), "Pa"),
    **dict.fromkeys(("velocity_across", "velocity_up", "rms_velocity"), "m/s"),
    "temperature": "m2/s2", **dict.fromkeys(("angle", "angle_spread"), "rad"),
    **dict.fromkeys(("top", "mean_height", "surface_height", "chosen_height",
                     "others_height", "across", "up", "overlap"), "m"),
    **dict.fromkeys("xyz", "m"),
}
"""Last words, in the order in which they are tried."""


def unit_of(column: str) -> str:
    """Return the unit of a column; empty if it is a plain number or not known."""
    plain = column.removesuffix("_average")
    if plain in UNITS:
        return UNITS[plain]
    found = (unit for ending, unit in ENDINGS.items() if f"_{plain}".endswith(f"_{ending}"))
    return next(found, "")
