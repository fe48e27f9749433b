"""Checks of descriptor fields that several ways of placing share."""

from __future__ import annotations

from typing import Any

from granum import checks
from granum.checks import Triple, name_of, settle
from granum.checks import positive_field as positive
from granum.errors import InputError
from granum.quantity import Length, Number
from granum.shapes import AnyShape, AnySwept, Clump
from granum.sizes import AnySizes, Plain, Sizes


def whole(descriptor: object, field: str) -> int:
    """Return the field as an int of at least one."""
    return checks.whole(name_of(descriptor, field), getattr(descriptor, field), at_least=1)


def triple(name: str, value: Any) -> Triple:
    """Return ``value`` as a tuple of three finite floats."""
    x, y, z = checks.vector(name, value).tolist()
    return (x, y, z)


class Shaped:
    """A placing whose grains may be something else than spheres."""

    clump: Clump | None
    shape: AnySwept | None

    @property
    def body(self) -> AnyShape | None:
        """What the grains are; None for spheres."""
        return self.clump or self.shape

    def settle_body(self) -> None:
        """Refuse grains of two kinds at once."""
        if self.clump is not None and self.shape is not None:
            message = f"{name_of(self, 'shape')} must be left out where a clump is given"
            raise InputError(message)


class Sized(Shaped):
    """A placing whose grains have a ``radius`` that may ``spread``, or a distribution of radii."""

    radius: Length | AnySizes
    spread: Number

    @property
    def sizes(self) -> Sizes:
        """How large the grains are."""
        if isinstance(self.radius, AnySizes):
            return self.radius
        return Plain(self.radius, self.spread)

    @property
    def size_text(self) -> str:
        """How large they are, for messages."""
        if isinstance(self.radius, AnySizes):
            return f"radii {self.radius.smallest:g} to {self.radius.largest:g} m"
        return f"radius {self.radius:g} m"

    def settle_size(self) -> None:
        """Check the radius [m] and the spread of sizes; keep them as floats."""
        self.settle_body()
        spread = checks.number(name_of(self, "spread"), self.spread, at_least=0.0, below=1.0)
        if not isinstance(self.radius, AnySizes):
            settle(self, radius=positive(self, "radius"), spread=spread)
        elif spread > 0.0:
            message = (f"{name_of(self, 'spread')} must be left out where the radius is a "
                       f"distribution, which says itself how sizes spread, got {spread:g}")
            raise InputError(message)


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


__all__ = [
    "Shaped", "Sized", "Triple", "name_of", "positive", "settle", "settle_box", "triple", "whole",
]
