"""Parameters that depend on the two materials that meet.

A law holds for all materials unless told otherwise. Told that parameters differ for one material,
contacts of that material with itself take them, and contacts with another one take the law's own
mixture of the two (`Law.mixed`). Told what holds between two materials, that is what holds. Grains
and walls are treated alike; a wall without a material counts as one of the grain's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from granum.checks import FloatArray, nearest
from granum.errors import InputError
from granum.laws.changes import changed, parameters_of
from granum.laws.law import Law, TimeSteps

Parameters = tuple[tuple[str, Any], ...]
Changes = tuple[tuple[tuple[str, ...], Parameters], ...]


@dataclass(frozen=True)
class Pairs:
    """A law with parameters by material and by pair of materials.

    Args:
        law: what holds unless said otherwise.
        changes: parameters that differ, by name of a material or by the names of two:
            ``{"steel": {"friction": 0.1}, ("glass", "steel"): {"restitution": 0.9}}``. Twice the
            same name, ``("steel", "steel")``, is what holds between two of a kind and is not mixed
            with others.
    """

    law: Any
    changes: Any

    def __post_init__(self) -> None:
        """Bring the changes into one form, and refuse what the law does not know."""
        object.__setattr__(self, "changes", _in_one_form(self.changes))
        for names, _ in self.changes:
            self.between(names[0], names[-1])

    def of(self, name: str) -> Law:
        """Return the law of a material against itself, but for what is said of the pair."""
        return self._changed(self.law, (name,))

    def between(self, a: str, b: str) -> Law:
        """Return the law between two materials, in whichever order they are named."""
        first, second = sorted((a, b))
        return self._changed(_mixture(self.of(first), self.of(second)), (first, second))

    def names(self) -> list[str]:
        """Return the materials that are mentioned."""
        return sorted({name for names, _ in self.changes for name in names})

    def all_laws(self) -> list[Law]:
        """Return the laws between all materials that are mentioned and any others."""
        names = self.names()
        return [self.law, *(_mixture(self.law, self.of(name)) for name in names),
                *(self.between(a, b) for a, b in combinations_with_replacement(names, 2))]

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return the shortest of all."""
        steps = [law.time_steps(radius, mass) for law in self.all_laws()]
        return TimeSteps(*(min(column) for column in zip(*steps, strict=True)))

    @property
    def range(self) -> float:
        """The longest of all [m]."""
        return max(law.range for law in self.all_laws())

    def table(self, names: Sequence[str]) -> FloatArray:
        """Return the coefficients of all pairs of these materials, (pairs, numbers)."""
        unknown = [name for name in self.names() if name not in names]
        if unknown:
            message = (f"the law speaks of the material '{unknown[0]}', but no grain and no wall "
                       f"is made of it{nearest(unknown[0], names)} (there are: "
                       f"{', '.join(dict.fromkeys(names))}); give grains or walls "
                       f"material=gr.Material('{unknown[0]}', density), or, if they come later, "
                       "add the material itself to the world")
            raise InputError(message)
        return np.array([self.between(a, b).coefficients() for a in names for b in names])

    def _changed(self, law: Any, names: tuple[str, ...]) -> Any:
        """Return the law with what is said of these materials; say whose it is if it is wrong."""
        parameters = dict(dict(self.changes).get(names, ()))
        known = parameters_of(law)
        for key in parameters:
            if key not in known:
                message = (f"{type(law).__name__} has no parameter '{key}' ({_whose(names)})"
                           f"{nearest(key, known)}; it takes {', '.join(known)}")
                raise InputError(message)
        try:
            return changed(law, parameters)
        except InputError as error:
            message = f"{_whose(names)}: {error}"
            raise InputError(message) from error


def _mixture(first: Any, second: Any) -> Any:
    """Return the law between two materials; alike ones give the same law, to the last bit."""
    return first if first == second else first.mixed(second)


def _in_one_form(changes: Any) -> Changes:
    """Return the changes as sorted tuples, which compare and can be written to a file."""
    items = changes.items() if isinstance(changes, Mapping) else changes
    found: dict[tuple[str, ...], Parameters] = {}
    for names, parameters in items:
        together = _together(names)
        if together in found:
            message = f"the parameters {_whose(together)} are given twice: give them once"
            raise InputError(message)
        if not isinstance(parameters, Mapping | tuple | list):
            message = (f"the parameters {_whose(together)} must be named, as in "
                       f"{{'friction': 0.1}}, got {parameters!r}")
            raise InputError(message)
        found[together] = tuple(sorted(dict(parameters).items()))
    return tuple(sorted(found.items()))


def _together(names: Any) -> tuple[str, ...]:
    """Return one name or two as a sorted tuple."""
    given = (names,) if isinstance(names, str) else names
    if (not isinstance(given, tuple | list) or len(given) not in (1, 2)
            or not all(isinstance(name, str) for name in given)):
        message = (f"a law is changed for one material or between two, by their names, as in "
                   f"'steel' or ('glass', 'steel'); got {names!r}")
        raise InputError(message)
    return tuple(sorted(given))


def _whose(names: tuple[str, ...]) -> str:
    return f"for {names[0]}" if len(names) == 1 else f"between {names[0]} and {names[1]}"
