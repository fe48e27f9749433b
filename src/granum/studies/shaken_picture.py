"""Pictures of grains that are shaken: four moments from outside, and cut open along the axis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from granum.checks import FloatArray
from granum.output import Frame, colour_by, draw, panel, read_frames, write_png
from granum.studies.shaken import FREQUENCY
from granum.world import World

PICTURE = "picture.png"
SHARES = (0.0, 0.07, 0.22, 1.0)  # of the shaking: about those of figure 6.1 of the thesis
SIZE, VIEW = (420, 560), (-90.0, 8.0)  # of one moment [pixel]; azimuth, elevation [degree]
ROOM = 0.5e-3  # above the grains [m]
KINDS = np.array([(0.85, 0.66, 0.33), (0.20, 0.43, 0.68)])  # colours of two materials


def draw_shaken(folder: Path, world: World, start: float, colours: Callable[[Frame], FloatArray]
                ) -> Path:
    """Write ``picture.png``; without any shaking, the last moment alone.

    Args:
        folder: of the run.
        world: its walls are drawn as outlines, up to a little above the grains.
        start: when the floor began to shake [s].
        colours: of the balls of a frame, (n,3).
    """
    frames = read_frames(folder)
    times = np.asarray(frames.times)
    first = min(start, times[-1])
    moments = [first + share * (times[-1] - first) for share in SHARES]
    chosen = np.unique([int(np.abs(times - moment).argmin()) for moment in moments])
    shown = [frames[int(k)] for k in chosen]
    reach = np.concatenate([frame.points + sign * frame.fields["radius"][:, None]
                            for frame in shown for sign in (-1.0, 1.0)])
    low, high = reach.min(axis=0), reach.max(axis=0)
    high[2] += ROOM
    middle = 0.5 * (low + high)
    rows = []
    for cut in (None, (middle, (0.0, -1.0, 0.0))):
        images = [draw(frame.points, frame.fields["radius"], colours(frame),
                       [np.minimum(line, (np.inf, np.inf, high[2]))
                        for line in world.outlines(frame.time, {})],
                       size=SIZE, view=VIEW, frame=(low, high), cut=cut, edges=frame.edges,
                       faces=frame.faces) for frame in shown]
        rows.append(panel(images, [_label(frame.time - start) for frame in shown]))
    path = folder / PICTURE
    write_png(path, np.concatenate(rows))
    return path


def _label(since: float) -> str:
    """Return how many taps there have been after so much time [s]."""
    taps = round(max(since, 0.0) * FREQUENCY)
    return "1 tap" if taps == 1 else f"{taps} taps"


def by_angle(frame: Frame) -> FloatArray:
    """Return colours by the angle of the shaft to the floor, from 0 to 90 degrees, (n,3)."""
    angle = np.zeros(len(frame.points))
    way = frame.points[frame.edges[:, 1]] - frame.points[frame.edges[:, 0]]
    steep = np.arctan2(np.abs(way[:, 2]), np.hypot(way[:, 0], way[:, 1]))
    angle[frame.edges] = steep[:, None]
    return colour_by(angle, 0.0, 0.5 * np.pi)


def by_material(frame: Frame) -> FloatArray:
    """Return colours of the two kinds of grains, (n,3)."""
    return np.asarray(KINDS[frame.fields["material"].astype(np.int64) % 2])
