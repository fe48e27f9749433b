"""Parameters that depend on the two materials that meet.

A law holds for all materials unless told otherwise. Told that parameters differ for one material,
contacts of that material with itself take them, and contacts with another one take the law's own
mixture of the two (`Law.mixed`). Told what holds between two materials, that is what holds. Grains
and walls are treated alike; a wall without a material counts as one of the grain's own.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from granum.checks import FloatArray
from granum.errors import InputError
from granum.laws.law import Law, TimeSteps

Changes = tuple[tuple[tuple[str, ...], tuple[tuple[str, float], ...]], ...]


@dataclass(frozen=True)
class Pairs:
    """A law with parameters by material and by pair of materials.

    Args:
        law: what holds unless said otherwise.
        changes: parameters that differ, by name of a material or by the names of two:
            ``{"steel": {"friction": 0.1}, ("glass", "steel"): {"restitution": 0.9}}``.
    """

    law: Any
    changes: Any

    remembers: ClassVar[int] = 0

    def __post_init__(self) -> None:
        """Bring the changes into one form, and refuse what the law does not know."""
        object.__setattr__(self, "changes", _sorted_changes(self.changes))
        for names, parameters in self.changes:
            if not 1 <= len(names) <= 2:
                message = f"a law is changed for one material or between two, got {names}"
                raise InputError(message)
            _changed(self.law, names, parameters)

    def of(self, name: str) -> Law:
        """Return the law of a material against itself, but for what is said of the pair."""
        return _changed(self.law, (name,), dict(self.changes).get((name,), ()))

    def between(self, a: str, b: str) -> Law:
        """Return the law between two materials."""
        mine = self.of(a)
        mixture = mine if a == b else mine.mixed(self.of(b))
        pair = (min(a, b), max(a, b))
        return _changed(mixture, pair, dict(self.changes).get(pair, ()))

    def names(self) -> list[str]:
        """Return the materials that are mentioned."""
        return sorted({name for names, _ in self.changes for name in names})

    def all_laws(self) -> list[Law]:
        """Return the law itself and those between all materials that are mentioned."""
        names = self.names()
        return [self.law, *(self.between(a, b) for a in names for b in names)]

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
            near = difflib.get_close_matches(unknown[0], list(names), 1)
            message = (f"the law speaks of the material '{unknown[0]}', which no grain and no wall "
                       f"is made of" + (f"; did you mean '{near[0]}'?" if near else "")
                       + f" (known: {', '.join(names)})")
            raise InputError(message)
        return np.array([self.between(a, b).coefficients() for a in names for b in names])


def _sorted_changes(changes: Any) -> Changes:
    items = changes.items() if isinstance(changes, Mapping) else changes
    found = []
    for names, parameters in items:
        together = (names,) if isinstance(names, str) else tuple(sorted(names))
        pairs = parameters.items() if isinstance(parameters, Mapping) else parameters
        found.append((together, tuple(sorted((str(key), value) for key, value in pairs))))
    return tuple(sorted(found))


def _changed(law: Any, names: tuple[str, ...], parameters: Any) -> Any:
    """Return the law with other parameters; say whose they are if it does not take them."""
    composed = hasattr(law, "changed")  # a law with add-ons
    known = law.parameters() if composed else [f.name for f in fields(law)]
    for key, _ in parameters:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            message = (f"{type(law).__name__} has no parameter '{key}' (given for "
                       f"{' and '.join(names)})" + (f"; did you mean '{near[0]}'?" if near else "")
                       + f"; it takes {', '.join(known)}")
            raise InputError(message)
    if composed:
        return law.changed(dict(parameters))
    return replace(law, **dict(parameters)) if parameters else law
