"""One frame of a run as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from granum.checks import FloatArray
from granum.errors import InputError
from granum.output.joined import rows_left
from granum.output.picture import Image, draw, view_axes
from granum.output.png import write_png
from granum.output.rods import seen_through
from granum.portrait import time_labels
from granum.render.contacts import RodLook
from granum.render.legend import add_scale, add_time, strip_height, with_strip
from granum.render.style import Style, cut_place, view_angles
from granum.view.record import Record, radius_of
from granum.view.scene import Enclosing, Standing, colouring, frame_at

GAP = 4  # between two views [pixel]
OPACITY = 0.22  # of grains around contacts


class Drawing:
    """Draws frames of a run in one style; all of them at the same scale.

    Args:
        record: the run.
        style: how.
        version: of granum, for the file.
    """

    def __init__(self, record: Record, style: Style, version: str = "") -> None:
        """Refuse what the run does not have, before anything is drawn."""
        self.record = record
        self._version = version
        self.times = record.times()
        flat = record.walls.enclosure.dimension == 2
        views = style.views or (("top",) if flat else ("corner",))
        self._colouring = colouring(record, style.colour, style.map_name, style.low, style.high)
        low, high = self._colouring.limits
        known = self._colouring.quantity is not None
        self.style = replace(style, views=views, low=low if known else None,
                             high=high if known else None)
        width, height = style.size
        self._size = (width, height - strip_height(height) if style.legend else height)
        self._enclosing = Enclosing(record)
        self._rods = RodLook.of(record) if style.contacts else None
        self._box = self._whole()
        self._labels = time_labels(self.times.tolist())

    def image(self, number: int) -> Image:
        """Return the picture of a frame, (height, width, 3)."""
        frame = self.record.frame(number)
        colours = self._colouring.of(frame)
        walls = self._enclosing.at(frame.time)
        gap = np.full((self._size[1], GAP, 3), 255, dtype=np.uint8)
        parts = [part for view in self.style.views
                 for part in (gap, self._view(number, colours, walls, view_angles(view)))]
        image = np.concatenate(parts[1:], axis=1)
        if self.style.legend:
            image = with_strip(image, self.style.size[1])
            add_time(image, self._labels[number])
            add_scale(image, self._colouring)
        return image

    def texts(self, *more: str) -> dict[str, str]:
        """Return what stands in a file beside the picture: its title, and how to repeat it."""
        return {"Title": self.record.describe()["title"],
                "Software": f"granum {self._version}".strip(),
                "Comment": self.style.command(self.record.folder, *more)}

    def _view(self, number: int, colours: FloatArray, walls: Standing,
              angles: tuple[float, float]) -> Image:
        frame = self.record.frame(number)
        radius = radius_of(frame)
        good = np.isfinite(frame.points).all(axis=1) & (radius > 0.0)
        shown = self.style.walls
        scene = partial(draw, outlines=walls.lines if shown else (), size=self._size, view=angles,
                        frame=self._box, panes=walls.vertices[walls.triangles] if shown else None,
                        cut=self._cut(angles))
        grains = scene(frame.points[good], radius[good], colours[good],
                       edges=rows_left(frame.edges, good), faces=rows_left(frame.faces, good))
        if self._rods is None:
            return grains
        rods = self._rods.rods(self.record, number)
        return seen_through(grains, scene(*rods[:3], edges=rods.edges), OPACITY)

    def _cut(self, angles: tuple[float, float]) -> tuple[FloatArray, FloatArray] | None:
        """Return point and normal of the cut; what lies towards the viewer is taken away."""
        if not self.style.cut:
            return None
        axis, place = cut_place(self.style.cut)
        low, high = self._box
        point = 0.5 * (low + high)
        if place is not None:
            if not low[axis] <= place <= high[axis]:
                message = (f"the cut {self.style.cut} does not meet the scene, which reaches from "
                           f"{low[axis]:.4g} m to {high[axis]:.4g} m")
                raise InputError(message)
            point[axis] = place
        towards = float(view_axes(*angles)[2, axis])
        normal = np.zeros(3)
        normal[axis] = -1.0 if towards < -1e-9 else 1.0
        return point, normal

    def _whole(self) -> tuple[FloatArray, FloatArray]:
        """Return the corners of the box around grains and walls wherever they move, (3,) [m]."""
        _, low, high = self.record.box()
        for time in self.times[:: max(1, len(self.times) // 32)].tolist():
            walls = self._enclosing.at(time)
            for points in (walls.vertices, *walls.lines):
                low = np.minimum(low, points.min(axis=0, initial=np.inf))
                high = np.maximum(high, points.max(axis=0, initial=-np.inf))
        return low, high


def render_still(drawing: Drawing, path: Path, times: Sequence[float] = ()) -> Path:
    """Write a picture: moments nearest to the given times [s] side by side, or the last one.

    Returns:
        The file.
    """
    if path.suffix != ".png":
        message = f"a picture ends in .png and a film in .mp4, got {path.name}"
        raise InputError(message)
    numbers = [frame_at(drawing.record, time) for time in times] or [len(drawing.times) - 1]
    images = [drawing.image(number) for number in numbers]
    gap = np.full((images[0].shape[0], GAP, 3), 255, dtype=np.uint8)
    parts = [part for image in images for part in (gap, image)][1:]
    told = [f"--time={float(drawing.times[number])!r}" for number in numbers]
    write_png(path, np.concatenate(parts, axis=1), drawing.texts(*told, f"--out={path.name}"))
    return path
