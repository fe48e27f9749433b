"""What people ask of a run by name and by time: a quantity, a frame, colours, walls in place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from granum.checks import FloatArray, IntArray, nearest
from granum.errors import InputError
from granum.output.colours import SAND, colour_by
from granum.output.maps import category_colours, map_table
from granum.output.vtkhdf import Frame
from granum.view.quantities import Quantity
from granum.view.record import Record
from granum.view.surfaces import surfaces_of

PLAIN = "none"  # all grains of one colour
Limits = tuple[float, float]


def frame_at(record: Record, time: float | None) -> int:
    """Return the number of the frame nearest to a time [s]; the last one unless given.

    Frames are at steps, and so hardly ever at a round time: half of what lies between two frames is
    allowed beyond the first and the last.
    """
    times = record.times()
    if time is None:
        return len(times) - 1
    beyond = max(0.5 * float(np.diff(times).max(initial=0.0)), 1e-9 * abs(float(times[-1])))
    if not times[0] - beyond <= time <= times[-1] + beyond:
        message = (f"there is no frame at {time:g} s: this run has frames from {times[0]:g} s to "
                   f"{times[-1]:g} s")
        raise InputError(message)
    return int(np.abs(times - time).argmin())


def names_of(quantity: Quantity) -> list[str]:
    """Return the names by which a person may ask for a quantity, the shortest first."""
    plain = quantity.label.partition(" (")[0].replace(" ", "_")
    whole = [quantity.source] if quantity.component is None or plain == quantity.source else []
    return list(dict.fromkeys([plain, *whole]))


def quantity_named(record: Record, name: str) -> Quantity:
    """Return the quantity of a name such as ``speed``, ``velocity_x`` or ``local_density``."""
    record.times()
    known = {alias: quantity for quantity in reversed(record.quantities)
             for alias in names_of(quantity)}
    asked = name.strip().replace(" ", "_")
    if asked not in known:
        names = sorted({names_of(quantity)[0] for quantity in record.quantities} | {PLAIN})
        message = (f"grains cannot be coloured by {name!r}{nearest(asked, known)} (this run knows "
                   f"{', '.join(names)})")
        raise InputError(message)
    return known[asked]


@dataclass(frozen=True)
class Colouring:
    """How grains are coloured.

    Attributes:
        quantity: by what; None: all alike.
        limits: values of the first and the last colour.
        table: the colours between them, (256, 3), sRGB from 0 to 1.
    """

    quantity: Quantity | None
    limits: Limits
    table: FloatArray

    def of(self, frame: Frame) -> FloatArray:
        """Return the colours of all grains of a frame, (n, 3), sRGB from 0 to 1."""
        if self.quantity is None:
            return np.tile(SAND, (len(frame.points), 1))
        values = self.quantity.of(frame)
        if self.quantity.kind == "category":
            return category_colours(values)
        return colour_by(values, *self.limits, self.table)


def colouring(record: Record, name: str, map_name: str = "lagoon",
              low: float | None = None, high: float | None = None) -> Colouring:
    """Return how grains of a run are coloured; limits are those of the whole run unless given."""
    table = map_table(map_name)
    if name == PLAIN:
        return Colouring(None, (0.0, 1.0), table)
    quantity = quantity_named(record, name)
    found = record.limits(record.quantities.index(quantity))
    limits = (found[0] if low is None else low, found[1] if high is None else high)
    if not (np.isfinite(limits).all() and limits[0] <= limits[1]):
        message = (f"the limits of colours must be two numbers, the lower one first, got "
                   f"{limits[0]:g} and {limits[1]:g} for {name}")
        raise InputError(message)
    return Colouring(quantity, limits, table)


@dataclass(frozen=True, eq=False)
class Standing:
    """The walls of a run where they are at one time: (v, 3) [m], (t, 3), and lines (k, 3) [m]."""

    vertices: FloatArray
    triangles: IntArray
    lines: list[FloatArray]


class Enclosing:
    """The walls of a run as triangles and lines, made once, put in place as often as needed."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._origin, low, high = record.box()
        enclosure = record.walls.enclosure
        number = {wall: b for b, body in enumerate(enclosure.bodies) for wall in body.walls}
        self._parts = [(number.get(wall, -1), surfaces_of(wall, (low, high)), wall.outline())
                       for wall in enclosure.walls]

    def at(self, time: float) -> Standing:
        """Return all walls at a time [s]; without lids of holes that are open by then."""
        poses = np.array(self._record.poses(time)).reshape(-1, 12)
        vertices, triangles, lines = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], []
        first = 0
        for body, surfaces, outline in self._parts:
            for surface in surfaces:
                if time < surface.until:
                    vertices.append(self._moved(poses, body, surface.vertices))
                    triangles.append(np.asarray(surface.triangles, dtype=np.int64) + first)
                    first += len(surface.vertices)
            lines += [self._moved(poses, body, np.asarray(line)) for line in outline]
        return Standing(np.concatenate(vertices), np.concatenate(triangles), lines)

    def _moved(self, poses: FloatArray, body: int, points: FloatArray) -> FloatArray:
        if body < 0:
            return points
        turn, shift = poses[body, :9].reshape(3, 3), poses[body, 9:]
        return np.asarray((points - self._origin) @ turn.T + shift + self._origin)
