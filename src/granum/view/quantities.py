"""What grains can be coloured by: every field of the frames, as one number for each grain.

A field of one number is a quantity. Of a vector, its length is one and each component another; of
four numbers (an orientation) each is one. The position is a field as any other, and the number of
contacts is always there, counted from the frame if the run did not write it; contacts of edges and
faces cannot be counted so. Grains with edges have one value for all their vertices, the mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.output.joined import by_grain, joined_rows
from granum.output.vtkhdf import Frame
from granum.view.touching import contact_counts

Kind = Literal["number", "category"]
POSITION, CONTACTS = "position", "contacts"

KNOWN: dict[str, tuple[str, str, Kind]] = {
    "velocity": ("speed", "m/s", "number"),
    "radius": ("size (radius)", "m", "number"),
    "spin": ("spin", "rad/s", "number"),
    "force": ("force", "N", "number"),
    CONTACTS: ("contacts", "", "number"),
    "local_density": ("local density", "", "number"),
    "material": ("species", "", "category"),
    "cluster": ("cluster", "", "category"),
    "shape": ("shape", "", "category"),
    "id": ("id", "", "number"),
    POSITION: ("position", "m", "number"),
    "orientation": ("orientation", "", "number"),
}
"""Label of the field (of a vector: of its length), unit, kind; in the order of the list."""

AXES = {3: "xyz", 4: "wxyz"}


@dataclass(frozen=True)
class Quantity:
    """One number for each grain.

    Attributes:
        source: the field of the frames it comes from.
        component: of a vector, which; None for a scalar, or the length of a vector.
        label: for a person.
        unit: of its values.
        kind: whether values are on a scale, or names.
        labels: names of categories.
    """

    source: str
    component: int | None
    label: str
    unit: str
    kind: Kind
    labels: tuple[str, ...] = field(default=())

    def of(self, frame: Frame) -> FloatArray:
        """Return the values in a frame, (n,)."""
        if self.source == CONTACTS and CONTACTS not in frame.fields:
            return np.where(joined_rows(frame), np.nan, contact_counts(frame))
        return by_grain(frame, self._of_balls(frame))

    def _of_balls(self, frame: Frame) -> FloatArray:
        values = frame.points if self.source == POSITION else frame.fields[self.source]
        values = np.asarray(values, dtype=np.float64)
        if values.ndim == 1:
            return values
        if self.component is None:
            # scaled, so that no square is too large for its type
            largest = np.abs(values).max(initial=0.0)
            scale = largest if 0.0 < largest < np.inf else 1.0
            return np.asarray(np.linalg.norm(values / scale, axis=1) * scale)
        return values[:, self.component]

    def described(self) -> dict[str, Any]:
        """Return what the page needs to know."""
        return {"label": self.label, "unit": self.unit, "kind": self.kind,
                "labels": list(self.labels), "main": self.component is None}


def quantities_in(frame: Frame, materials: tuple[str, ...] = ()) -> list[Quantity]:
    """Return all quantities of frames like this one, the best known first."""
    shapes = {name: values.shape[1:] for name, values in frame.fields.items()}
    shapes = {CONTACTS: (), **shapes, POSITION: (3,)}
    found = []
    for source in sorted(shapes, key=_rank):
        label, unit, kind = KNOWN.get(source, (source.replace("_", " "), "", "number"))
        labels = materials if source == "material" else ()
        width = shapes[source][0] if shapes[source] else 1
        if width == 1 or (width != 4 and source != POSITION):
            only = 0 if shapes[source] == (1,) else None
            found.append(Quantity(source, only, label, unit, kind, labels))
        if width > 1:
            plain = source.replace("_", " ")
            names = AXES.get(width, [str(k + 1) for k in range(width)])
            found += [Quantity(source, k, f"{plain} {names[k]}", unit, kind)
                      for k in range(width)]
    return sorted(found, key=lambda quantity: quantity.component is not None)


def _rank(source: str) -> tuple[int, str]:
    order = list(KNOWN)
    return (order.index(source) if source in order else len(order), source)


def limits_of(quantity: Quantity, samples: list[NDArray[np.float64]]) -> tuple[float, float]:
    """Return the values of the first and the last colour: all but the outermost hundredths.

    Lengths of vectors and counts begin at zero.
    """
    everything = np.concatenate([np.zeros(0), *samples])
    finite = everything[np.isfinite(everything)]
    if finite.size == 0:
        return 0.0, 1.0
    if quantity.kind == "category" or quantity.source == "id":
        return float(finite.min()), float(finite.max())
    low, high = (float(x) for x in np.quantile(finite, [0.01, 0.99]))
    starts_at_zero = quantity.component is None and quantity.source in ("velocity", "spin", "force",
                                                                       CONTACTS)
    low = 0.0 if starts_at_zero else low
    return low, high if high > low else float(max(finite.max(), low))


def labels_of(fields: Mapping[str, NDArray[Any]], row: int) -> list[tuple[str, list[float | None]]]:
    """Return name and numbers of every field at one row; None for what is not finite."""
    found = []
    for name, values in fields.items():
        numbers = np.atleast_1d(np.asarray(values[row], dtype=np.float64)).tolist()
        found.append((name, [x if np.isfinite(x) else None for x in numbers]))
    return found
