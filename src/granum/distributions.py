"""How sizes, speeds, forces and contacts are distributed over the grains of one moment, as plots.

A distribution is a density whose integral is 1, so that runs of different size can be compared:
in each bin the share of all values there, divided by the width of the bin. All runs in a panel have
the same bins. Contacts are counted; their bins are the whole numbers, and their densities shares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, nearest
from granum.errors import InputError
from granum.output.plot import Curve, Panel, plot_panels
from granum.view.quantities import CONTACTS
from granum.view.record import Record, id_of, radius_of
from granum.view.scene import frame_at
from granum.view.touching import contact_counts

FEWEST, MOST = 8, 60  # bins
Values = Callable[[Record, int], FloatArray]


class Distribution(NamedTuple):
    """What is counted: its values in a frame, its axis, and whether it comes in whole numbers."""

    values: Values
    xlabel: str
    is_whole: bool = False


def diameters(record: Record, number: int) -> FloatArray:
    """Return the diameters of all balls of a frame, (n,) [m]."""
    return 2.0 * radius_of(record.frame(number))


def speeds(record: Record, number: int) -> FloatArray:
    """Return the speeds of all balls of a frame, (n,) [m/s]."""
    velocity = record.frame(number).fields.get("velocity")
    if velocity is None:
        message = f"the frames of {record.folder} have no velocities"
        raise InputError(message)
    return np.asarray(np.linalg.norm(velocity, axis=1))


def forces(record: Record, number: int) -> FloatArray:
    """Return the sizes of all contact forces of a frame, over their mean, (c,)."""
    contacts = record.contacts(number)
    if contacts is None:
        message = (f"the frames of {record.folder} hold no forces: they do with output.contacts = "
                   "true in the scenario")
        raise InputError(message)
    size = np.asarray(np.linalg.norm(contacts["force"], axis=1))
    return size / size.mean() if size.any() else size


def coordination(record: Record, number: int) -> FloatArray:
    """Return how many contacts each grain of a frame has, (g,).

    Those with walls are among them if the frame holds contacts. Else contacts are overlaps of
    grains in the frame.
    """
    frame = record.frame(number)
    _, first, owner = np.unique(id_of(frame), return_index=True, return_inverse=True)
    if record.contacts(number) is not None:
        return np.asarray(frame.fields[CONTACTS][first], dtype=np.float64)
    return np.bincount(owner, contact_counts(frame), len(first)).astype(np.float64)


DISTRIBUTIONS: Mapping[str, Distribution] = {
    "sizes": Distribution(diameters, "diameter [m]"),
    "speeds": Distribution(speeds, "speed [m/s]"),
    "forces": Distribution(forces, "contact force / mean"),
    "contacts": Distribution(coordination, "contacts of a grain", is_whole=True),
}


@dataclass(frozen=True)
class _Bins:
    edges: FloatArray  # (b + 1,)

    def outline(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the density of values as the steps of a staircase, (2 b + 2,) each."""
        density = np.histogram(values, self.edges)[0] / (max(len(values), 1) * np.diff(self.edges))
        return np.repeat(self.edges, 2), np.concatenate([[0.0], np.repeat(density, 2), [0.0]])


def plot_distributions(path_out: Path, sources: Sequence[Path], names: Sequence[str],
                       time: float | None = None, log: str = "", title: str = "") -> list[float]:
    """Plot distributions of one or several runs into a file.

    Args:
        path_out: ends in ``.png``, ``.svg`` or ``.pdf``.
        sources: run folders.
        names: of `DISTRIBUTIONS`, a panel for each.
        time: of the moment [s]; the last frame of each run unless given.
        log: axes that are logarithmic.
        title: one line.

    Returns:
        The time of the frame of each run [s].
    """
    for name in names:
        if name not in DISTRIBUTIONS:
            message = (f"there is no distribution {name!r}{nearest(name, DISTRIBUTIONS)} "
                       f"(there are {', '.join(DISTRIBUTIONS)})")
            raise InputError(message)
    records = [Record(source) for source in sources]
    numbers = [frame_at(record, time) for record in records]
    panels = [_panel(DISTRIBUTIONS[name], records, numbers) for name in names]
    if title:
        panels[0] = panels[0]._replace(title=title)
    plot_panels(path_out, panels, log)
    return [float(record.times()[number]) for record, number in zip(records, numbers, strict=True)]


def _panel(what: Distribution, records: Sequence[Record], numbers: Sequence[int]) -> Panel:
    found = [what.values(record, number) for record, number in zip(records, numbers, strict=True)]
    found = [values[np.isfinite(values)] for values in found]
    if not any(map(len, found)):
        message = f"there is nothing to plot: no values of '{what.xlabel}' at that time"
        raise InputError(message)
    bins = _bins(found, what.is_whole)
    curves = [Curve(record.folder.resolve().name, *bins.outline(values), colour)
              for colour, (record, values) in enumerate(zip(records, found, strict=True))]
    return Panel(curves, what.xlabel, "share of grains" if what.is_whole else "density")


def _bins(found: Sequence[FloatArray], is_whole: bool) -> _Bins:
    """Return bins for all values: as many as the root of the fewest, within reason."""
    pooled = np.concatenate(found)
    low, high = float(pooled.min()), float(pooled.max())
    if is_whole:
        return _Bins(np.arange(low - 0.5, high + 1.0))
    if high - low <= 1e-9 * abs(high):  # all alike
        width = 0.05 * abs(high) or 1.0
        return _Bins(np.array([low - width / 2, high + width / 2]))
    fewest = min(len(values) for values in found if len(values))
    count = int(np.clip(np.ceil(np.sqrt(fewest)), FEWEST, MOST))
    return _Bins(np.linspace(low, high, count + 1))
