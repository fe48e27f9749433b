"""A law with add-ons: one law made of several.

Coefficients and state of the parts stand one after the other. The law comes first and on its own:
its Coulomb bound, and the bounds that add-ons take from a normal force, know its own repulsion only
and not what cohesion takes off. At rest this repulsion is load plus cohesion, so that cohesive
grains rub and roll as if pressed together by their cohesion too.

Damping and drag (`medium`) act on each grain and are no part of what happens at contacts.

Where grains do not touch but an add-on holds them, a law without a range has no force, and its
spring and state are zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from granum.checks import FloatArray
from granum.errors import InputError
from granum.laws import compose
from granum.laws.changes import changed, parameters_of
from granum.laws.compose import Part
from granum.laws.law import TimeSteps


@dataclass(frozen=True, init=False)
class With:
    """A law with add-ons, as in ``With(law, RollingResistance(0.1, contact_time=1e-3))``.

    Args:
        law: what happens where grains touch.
        addons: what acts beside it, in any number.
    """

    law: Any
    addons: tuple[Any, ...]

    def __init__(self, law: Any, *more: Any, addons: Iterable[Any] = ()) -> None:
        """Take a law and add-ons; of a law that has some already, they come first."""
        together = (*addons, *more)
        if isinstance(law, With):
            law, together = law.law, (*law.addons, *together)
        if hasattr(law, "table"):
            message = ("With takes one law, not one that depends on materials: give the add-ons to "
                       "the law inside, Pairs(With(law, ...), changes)")
            raise InputError(message)
        for addon in together:
            if not hasattr(addon, "signs") and not hasattr(addon, "medium"):
                message = (f"With takes a law and add-ons, and {type(addon).__name__} is not an "
                           "add-on; those that there are: RollingResistance, Cohesion, Adhesion, "
                           "CapillaryBridge, Damping, Drag")
                raise InputError(message)
        object.__setattr__(self, "law", law)
        object.__setattr__(self, "addons", together)

    # ---- what the engine asks --------------------------------------------------------------

    @property
    def signs(self) -> tuple[float, ...]:
        """For each number remembered, -1 where it changes sign seen from the other grain."""
        own = getattr(self.law, "signs", (1.0,) * self.law.remembers)
        return (*own, *(sign for addon in self._at_contacts for sign in addon.signs))

    @property
    def remembers(self) -> int:
        """Numbers that a contact keeps beside its spring."""
        return len(self.signs)

    @property
    def range(self) -> float:
        """How far apart grains may be and still feel each other [m]."""
        return max(part.range for part in self._parts())

    def coefficients(self) -> FloatArray:
        """Return the coefficients of the law, then those of each add-on."""
        return np.concatenate([part.coefficients() for part in self._parts()])

    def kernel(self) -> Any:
        """Return the force of all parts."""
        if not self._at_contacts:
            return self.law.kernel()
        base, *rest = self._layout("kernel")
        return compose.force(base, tuple(rest), self._alone, self.couple() is not None)

    def couple(self) -> Any:
        """Return the couple of all parts, or None if none has one."""
        if not self._at_contacts:
            return getattr(self.law, "couple", lambda: None)()
        base, *rest = self._layout("couple")
        if all(part.function is None for part in (base, *rest)):
            return None
        return compose.couple(base, tuple(rest))

    def potential(self) -> Any:
        """Return the energies of all parts."""
        if not self._at_contacts:
            return self.law.potential()
        base, *rest = self._layout("potential")
        return compose.potential(base, tuple(rest), self._alone)

    def time_steps(self, radius: FloatArray, mass: FloatArray) -> TimeSteps:
        """Return the shortest of all parts."""
        steps = [part.time_steps(radius, mass) for part in (self.law, *self.addons)]
        return TimeSteps(*(min(column) for column in zip(*steps, strict=True)))

    # ---- materials -------------------------------------------------------------------------

    def mixed(self, other: With) -> With:
        """Return the law between two materials: each part mixed with its like."""
        mine, others = [self.law, *self.addons], [other.law, *other.addons]
        if [type(part) for part in mine] != [type(part) for part in others]:
            message = ("two materials can meet only if their laws have the same add-ons in the "
                       f"same order, got {_names(mine)} and {_names(others)}")
            raise InputError(message)
        law, *addons = (a.mixed(b) for a, b in zip(mine, others, strict=True))
        return With(law, *addons)

    def parameters(self) -> list[str]:
        """Return the names of all parameters that contacts have: ``addon.name`` of an add-on."""
        return parameters_of(self.law) + [f"{tag_of(addon)}.{name}" for addon in self._at_contacts
                                          for name in parameters_of(addon)]

    def changed(self, parameters: Mapping[str, Any]) -> With:
        """Return the same with some parameters changed, by their names in ``parameters()``."""
        changes: dict[str, dict[str, Any]] = {}
        for key, value in parameters.items():
            tag, _, name = key.rpartition(".")
            changes.setdefault(tag, {})[name] = value
        return With(changed(self.law, changes.get("", {})),
                    *(changed(addon, changes.get(tag_of(addon), {})) for addon in self.addons))

    # ---- inside ----------------------------------------------------------------------------

    @property
    def _at_contacts(self) -> tuple[Any, ...]:
        """The add-ons that act at contacts; the others act on each grain."""
        return tuple(addon for addon in self.addons if hasattr(addon, "signs"))

    def _parts(self) -> Iterator[Any]:
        yield self.law
        yield from self._at_contacts

    @property
    def _alone(self) -> bool:
        """Whether the law must be kept from seeing gaps, for it does not expect any."""
        return self.law.range == 0.0 and any(addon.reaches for addon in self._at_contacts)

    def _layout(self, name: str) -> list[Part]:
        """Return a function of each part, and where its coefficients and its state stand."""
        found, p, s = [], 0, 0
        for k, part in enumerate(self._parts()):
            make = getattr(part, name, None)
            numbers = len(part.coefficients())
            state = len(part.signs) if k else len(self.signs) - sum(
                len(addon.signs) for addon in self._at_contacts)
            found.append(Part(make() if make else None, p, p + numbers, s, s + state))
            p, s = p + numbers, s + state
        return found


def tag_of(addon: Any) -> str:
    """Return the name of an add-on as files have it: ``rolling_resistance``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(addon).__name__).lower()


def _names(parts: list[Any]) -> str:
    return " + ".join(type(part).__name__ for part in parts)
