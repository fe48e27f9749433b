"""The run as the page sees it: read from its folder on demand, also while the run goes on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import QhullError

from granum.checks import FloatArray
from granum.errors import GranumError, InputError, OutputError
from granum.measures.columns import unit_of
from granum.output.bodies import closed_surfaces
from granum.output.frame_contacts import check_contacts
from granum.output.frames import Frames, read_frames
from granum.output.joined import joined_rows
from granum.output.series import TIME, read_series
from granum.output.vtkhdf import Frame
from granum.view import guard
from granum.view.block import pack
from granum.view.cell import cell_of
from granum.view.enclosure import Walls
from granum.view.network import Contacts, loads_of, rods_of
from granum.view.quantities import POSITION, Quantity, labels_of, limits_of, quantities_in
from granum.view.triangulated import edges_of

KEPT = 6  # frames in memory
SAMPLES = 8  # frames looked at for the box of the scene and the limits of colours
LONGEST_NOTE = 1000  # characters
ROWS = 2000  # of the series that the page gets
UNKNOWN_CONTACTS = ("these frames hold no contacts, and those of edges and faces cannot be found "
                    "from where grains are: run it with output.contacts = true to see them")


class Record:
    """A run folder, read on demand; safe to be asked from several threads.

    Args:
        folder: of the run; nothing in it is changed.
    """

    def __init__(self, folder: Path) -> None:
        """Refuse what is no run folder."""
        self.folder = Path(folder)
        known = (guard.SCENARIO, guard.SERIES, guard.SUMMARY, guard.FRAMES, guard.FRAME_FOLDER)
        if not any((self.folder / name).exists() for name in known):
            message = (f"{folder} is not a run folder: it has none of {', '.join(known)}; "
                       "'granum run' makes one")
            raise InputError(message)
        self._lock = threading.RLock()
        self._frames: Frames | None = None
        self._kept: OrderedDict[int, tuple[Frame, Contacts | None]] = OrderedDict()
        self._checked: set[tuple[str, int, int]] = set()
        self._limits: dict[tuple[Quantity, int], tuple[float, float]] = {}
        self._series: tuple[tuple[int, int], dict[str, NDArray[Any]]] | None = None
        self._walls: Walls | None = None
        self._scene: tuple[FloatArray, FloatArray, FloatArray] | None = None
        self.quantities: list[Quantity] = []

    # ---- the whole -----------------------------------------------------------------------------

    def describe(self) -> dict[str, Any]:
        """Return what the page needs to begin: title, state, times, box, quantities, notes."""
        with self._lock:
            notes: list[str] = []
            times = self._refresh(notes)
            scenario = self._table(guard.SCENARIO, notes)
            summary = self._table(guard.SUMMARY, notes)
            if self.walls.why_not:
                notes.append(self.walls.why_not)
            if summary.get("trouble"):
                notes.append(f"the run was stopped: {summary['trouble']}")
            origin, low, high = self._box()
            return {
                "title": str(scenario.get("title") or self.folder.resolve().name)[:200],
                "state": str(summary.get("state", "running"))[:40],
                "times": times.tolist(),
                "dimension": self.walls.enclosure.dimension,
                "origin": origin.tolist(),
                "low": (low - origin).tolist(), "high": (high - origin).tolist(),
                "quantities": [quantity.described() for quantity in self.quantities],
                "notes": [note[:LONGEST_NOTE] for note in notes],
            }

    @property
    def walls(self) -> Walls:
        """The walls, from the newest checkpoint; looked for again as long as there is none."""
        with self._lock:
            if self._walls is None or self._walls.why_not:
                self._walls = Walls(self.folder)
            return self._walls

    def walls_described(self) -> list[dict[str, Any]]:
        """Return all walls as triangles and lines."""
        with self._lock:
            origin, low, high = self._box()
            return self.walls.described((low, high), origin)

    def times(self) -> FloatArray:
        """Return the times of all frames [s].

        Raises:
            OutputError: there are none, or they cannot be read.
        """
        with self._lock:
            notes: list[str] = []
            found = self._refresh(notes)
            if not len(found):
                message = f"there is nothing to show: {'; '.join(notes)}"
                raise OutputError(message)
            return found

    def box(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return origin and corners of the box around grains and walls, (3,) each [m]."""
        with self._lock:
            return self._box()

    # ---- one frame -----------------------------------------------------------------------------

    def frame(self, number: int) -> Frame:
        """Return a frame, from memory if it was asked for lately.

        If it holds contacts, ``force`` and ``contacts`` are among its fields.

        Raises:
            OutputError: there is no such frame, or it cannot be read.
        """
        return self._keep(number)[0]

    def contacts(self, number: int) -> Contacts | None:
        """Return the contacts of a frame: i, j, point, force; None if it holds none."""
        return self._keep(number)[1]

    def _keep(self, number: int) -> tuple[Frame, Contacts | None]:
        """Return a frame and its contacts, if it holds them."""
        with self._lock:
            if self._frames is None:
                self._refresh([])
            if self._frames is None or not 0 <= number < len(self._frames):
                message = f"there is no frame {number}"
                raise OutputError(message)
            if number not in self._kept:
                self._kept[number] = self._read(self._frames, number)
            self._kept.move_to_end(number)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return self._kept[number]

    def frame_block(self, number: int) -> bytes:
        """Return centres and radii [m], float32, ids, what joins balls, and the poses of walls.

        Centres are told from the origin of the description, so that float32 is enough. A pose is a
        turn (9 numbers) and a shift (3) about the same origin.
        """
        frame = self.frame(number)
        with self._lock:
            origin = self._box()[0]
            return pack({
                "position": (frame.points - origin).astype(np.float32),
                "radius": radius_of(frame).astype(np.float32),
                "id": id_of(frame), **joints_block(frame),
            }, time=frame.time, poses=self.poses(frame.time), grains=grains_in(frame))

    def poses(self, time: float) -> list[list[float]]:
        """Return turn and shift about the origin of each body of walls at a time [s]."""
        with self._lock:
            if not self.walls.enclosure.bodies:
                return []
            origin = self._box()[0]
            poses = self.walls.poses(time, self._series_or_none())
            # y = R x + t, seen from the origin o: y - o = R (x - o) + (R o - o + t)
            poses[:, 9:] += poses[:, :9].reshape(-1, 3, 3) @ origin - origin
            return poses.tolist()

    def values_block(self, number: int, quantity: int) -> bytes:
        """Return a quantity of all grains of a frame, float32, with the frame's own limits."""
        asked = self.quantity(quantity)
        values = asked.of(self.frame(number))
        with np.errstate(over="ignore"):
            return pack({"value": values.astype(np.float32)},
                        limits=limits_of(asked, [values]))

    def network_block(self, number: int) -> bytes:
        """Return who touches whom: both ends [m] and strength of each rod, and 1 at walls."""
        frame, contacts = self._keep(number)
        rods = rods_of(frame, contacts)
        note = UNKNOWN_CONTACTS if contacts is None and joined_rows(frame).any() else ""
        with self._lock:
            origin = self._box()[0]
        numbers = np.column_stack((rods.ends - np.tile(origin, 2), rods.strength, rods.at_wall))
        return pack({"rods": numbers.astype(np.float32)}, high=rods.strong, what=rods.what,
                    unit=rods.unit, note=note)

    def triangulation_block(self, number: int) -> bytes:
        """Return the edges of the triangulation of a frame, by rows, uint32."""
        try:
            edges = edges_of(self.frame(number), self.walls.enclosure.dimension)
        except (*guard.UNREADABLE, QhullError) as error:
            message = f"the triangulation cannot be found: {error}"
            raise OutputError(message) from error
        return pack({"edges": edges.astype(np.uint32)})

    def grain(self, number: int, row: int) -> dict[str, Any]:
        """Return all numbers of one row of a frame."""
        frame = self.frame(number)
        if not 0 <= row < len(frame.points):
            message = f"frame {number} has no row {row}"
            raise OutputError(message)
        return {"fields": labels_of({POSITION: frame.points, **frame.fields}, row),
                "time": frame.time}

    def cell(self, number: int, row: int) -> dict[str, Any]:
        """Return the power cell of one row of a frame, and its edges of the triangulation.

        Coordinates are told from the origin of the description.
        """
        frame = self.frame(number)
        if not 0 <= row < len(frame.points):
            message = f"frame {number} has no row {row}"
            raise OutputError(message)
        with self._lock:
            origin, low, high = self._box()
            enclosure = self.walls.enclosure
        if not (np.isfinite(frame.points[row]).all() and radius_of(frame)[row] > 0.0):
            message = f"row {row} of frame {number} has no place or no size"
            raise OutputError(message)
        try:
            found = cell_of(frame, row, low, high, enclosure.periods(), enclosure.dimension)
        except (*guard.UNREADABLE, QhullError) as error:
            message = f"the power cell cannot be found: {error}"
            raise OutputError(message) from error
        centre = frame.points[row] - origin
        return {"faces": [(face - origin).tolist() for face in found.faces],
                "edges": [[centre.tolist(), (end - origin).tolist()] for end in found.ends],
                "neighbours": id_of(frame)[found.neighbours].tolist(), "volume": found.volume}

    # ---- quantities ----------------------------------------------------------------------------

    def quantity(self, number: int) -> Quantity:
        """Return a quantity by its number in the description."""
        with self._lock:
            if not self.quantities:
                self._refresh([])
            if not 0 <= number < len(self.quantities):
                message = f"there is no quantity {number}"
                raise OutputError(message)
            return self.quantities[number]

    def limits(self, number: int) -> tuple[float, float]:
        """Return the limits of a quantity's colours over the whole run, from a few frames."""
        asked = self.quantity(number)
        with self._lock:
            chosen = self._sample()
            key = (asked, len(self._frames or ()).bit_length())
            if key not in self._limits:
                self._limits[key] = limits_of(asked, [asked.of(self.frame(k)) for k in chosen])
            return self._limits[key]

    # ---- the series ----------------------------------------------------------------------------

    def series_block(self) -> bytes:
        """Return the columns of the series, float32, evenly thinned to at most `ROWS` rows.

        Without a series there are no columns.
        """
        if not (self.folder / guard.SERIES).exists():
            return pack({}, units={}, rows=0)
        series = self.series()
        rows = len(series[TIME])
        chosen = np.unique(np.linspace(0, max(rows - 1, 0), min(rows, ROWS)).round().astype(int))
        with np.errstate(over="ignore"):
            arrays = {name: column[chosen].astype(np.float32) for name, column in series.items()}
        return pack(arrays, units={name: unit_of(name) for name in arrays}, rows=rows)

    def series(self) -> dict[str, NDArray[Any]]:
        """Return the series by column.

        Raises:
            OutputError: there is none, or it cannot be read.
        """
        with self._lock:
            path = guard.check_series(self.folder)
            stamp = (path.stat().st_mtime_ns, path.stat().st_size)
            if self._series is None or self._series[0] != stamp:
                found = read_series(path)
                if TIME not in found:
                    message = f"{path.name} has no column {TIME}"
                    raise OutputError(message)
                self._series = (stamp, dict(found))
            return self._series[1]

    def _series_or_none(self) -> dict[str, NDArray[Any]]:
        try:
            return self.series()
        except GranumError:
            return {}

    # ---- reading -------------------------------------------------------------------------------

    def _table(self, name: str, notes: list[str]) -> dict[str, Any]:
        try:
            return guard.read_table(self.folder, name)
        except GranumError as error:
            notes.append(str(error))
            return {}

    def _refresh(self, notes: list[str]) -> FloatArray:
        """Look for new frames; return the times of all [s]."""
        try:
            guard.inside(self.folder, self.folder / guard.FRAME_FOLDER)
            guard.check_steps(self.folder)
            found = read_frames(self.folder, self._frames)
        except (GranumError, *guard.UNREADABLE) as error:
            notes.append(str(error))
            self._frames = None
            return np.zeros(0)
        if len(found) > guard.MOST_FRAMES or not np.isfinite(found.times).all():
            notes.append(f"the frames are not shown: {len(found)} of them, or times that are no "
                         "numbers")
            self._frames = None
            return np.zeros(0)
        old = self._frames
        if old is None or len(found) < len(old) or (found.times[:len(old)] != old.times).any():
            self._kept.clear()
        self._frames = found
        if not self.quantities and len(found):
            try:
                self.quantities = quantities_in(self.frame(0), self.walls.materials)
            except GranumError as error:
                notes.append(str(error))
        return found.times

    def _read(self, frames: Frames, number: int) -> tuple[Frame, Contacts | None]:
        """Read a frame and its contacts, after a look at the file they stand in."""
        path = frames.path(number)
        try:
            stamp = (str(path), path.stat().st_mtime_ns, path.stat().st_size)
            if stamp not in self._checked:
                guard.check_frames(self.folder, path)
                self._checked.add(stamp)
            frame = frames[number]
            count = len(frame.points)
            if frame.points.shape != (count, 3) or any(
                    len(values) != count for values in frame.fields.values()):
                message = "its arrays have different lengths"
                raise OutputError(message)
            contacts = frames.contacts(number)
            if contacts is not None:
                force, touches = loads_of(frame, check_contacts(contacts))
                frame.fields.update(force=force, contacts=touches)
        except (GranumError, *guard.UNREADABLE) as error:
            message = f"frame {number} cannot be read: {error}"
            raise OutputError(message) from error
        return frame, contacts

    def _sample(self) -> list[int]:
        """Return a few frames over the whole run."""
        count = len(self._frames or ())
        places = np.linspace(0, count - 1, min(count, SAMPLES)).round().astype(int)
        return np.unique(places).tolist()

    def _box(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return origin and corners of the box around grains and walls, (3,) each [m].

        They stay the same as long as the record lives, once there is something to see.
        """
        if self._scene is not None:
            return self._scene
        low, high = self.walls.bounds()
        seen = False
        for number in self._sample():
            try:
                frame = self.frame(number)
            except GranumError:
                continue
            reach = radius_of(frame)[:, None]
            good = np.isfinite(frame.points).all(axis=1) & np.isfinite(reach[:, 0])
            if good.any():
                seen = True
                low = np.minimum(low, (frame.points - reach)[good].min(axis=0))
                high = np.maximum(high, (frame.points + reach)[good].max(axis=0))
        known = low <= high
        low, high = np.where(known, low, -0.5), np.where(known, high, 0.5)
        scene = (0.5 * (low + high), low, high)
        if seen:
            self._scene = scene
        return scene


def radius_of(frame: Frame) -> FloatArray:
    """Return the radii in a frame, (n,) [m]; 0 if it has none."""
    values = frame.fields.get("radius")
    if values is None or values.ndim != 1:
        return np.zeros(len(frame.points))
    return np.asarray(values, dtype=np.float64)


def id_of(frame: Frame) -> NDArray[np.uint32]:
    """Return the ids in a frame, (n,); the rows if it has none that fit."""
    values = frame.fields.get("id")
    if values is None or values.ndim != 1 or values.dtype.kind not in "iu" or (
            len(values) and not 0 <= int(values.min()) <= int(values.max()) < 1 << 32):
        return np.arange(len(frame.points), dtype=np.uint32)
    return values.astype(np.uint32)


def joints_block(frame: Frame) -> dict[str, NDArray[Any]]:
    """Return edges and faces for a block, by rows, and which faces hold a grain's inside.

    Nothing if there are none. What a face holds is told by the tetrahedron from it to the middle of
    the grain's vertices, which is right where all of a closed surface is seen from there.
    """
    if not len(frame.edges) and not len(frame.faces):
        return {}
    solid, ids = closed_surfaces(len(frame.points), frame.faces), id_of(frame)
    _, owner, balls = np.unique(ids, return_inverse=True, return_counts=True)
    with np.errstate(invalid="ignore", over="ignore"):
        middle = np.column_stack([np.bincount(owner, axis) / balls for axis in frame.points.T])
        a, b, c = (frame.points[frame.faces[:, k]] - middle[owner[frame.faces[:, 0]]]
                   for k in range(3))
        hidden = ~((np.cross(a, b) * c).sum(axis=1) > 0.0)  # seen from its back, or edge on
    bad = np.isin(solid, solid[hidden])
    return {"edges": frame.edges.astype(np.uint32), "faces": frame.faces.astype(np.uint32),
            "holds": ((solid >= 0) & ~bad).astype(np.uint8)}


def grains_in(frame: Frame) -> int:
    """Return how many grains there are: balls of one clump have one id."""
    return len(np.unique(id_of(frame)))
