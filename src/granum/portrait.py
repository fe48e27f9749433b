"""Pictures of a run: its grains at a few moments with the walls around them; its stages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from granum.checks import FloatArray
from granum.output import (
    Frame,
    colour_by,
    draw,
    panel,
    read_frames,
    read_series,
    write_png,
)
from granum.output.joined import by_grain
from granum.output.plot import Curve, Panel, plot_panels
from granum.world import World

PICTURE, STAGES = "picture.png", "stages.png"
SIZE = (520, 640)  # of one moment [pixel]
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
Colour = Literal["speed", "size", "layer"]
UNITS = ((1.0, "s"), (1e3, "ms"), (1e6, "µs"))


def draw_run(
    folder: Path, world: World, *, dimension: int = 3, moments: int = 4,
    view: tuple[float, float] = (-72.0, 14.0), until: float | None = None,
    colour: Colour = "speed",
) -> Path:
    """Write ``picture.png``: moments spread evenly over the frames.

    Where there are clusters, grains have the colour of the cluster they belong to.

    Args:
        folder: of the run.
        world: its walls are drawn as outlines, where they were at each moment.
        dimension: a 2D world is seen from above its plane.
        moments: how many.
        view: azimuth and elevation of the viewer [degree].
        until: last time to show [s]; the end of the run unless given.
        colour: by what grains are coloured; ``"layer"`` is their height at the first moment, which
            shows how they mix.
    """
    frames = read_frames(folder)
    times = np.asarray(frames.times)
    last = len(times) - 1 if until is None else int(np.searchsorted(times, until, "right")) - 1
    chosen = np.unique(np.linspace(0, last, moments).round().astype(int))
    shown = [frames[int(k)] for k in chosen]
    outlines = [_outlines(folder, world, frame.time) for frame in shown]
    reach = [frame.points + sign * frame.fields["radius"][:, None]
             for frame in shown for sign in (-1.0, 1.0)]
    lines = [line for moment in outlines for line in moment]
    everything = np.concatenate([*reach, np.zeros((0, 3)), *lines])
    box = (everything.min(axis=0), everything.max(axis=0))
    images = [
        draw(frame.points, frame.fields["radius"], colours, moment, size=SIZE,
             view=(-90.0, 90.0) if dimension == 2 else view, frame=box, edges=frame.edges,
             faces=frame.faces)
        for frame, colours, moment in zip(shown, _colours(shown, colour), outlines,
                                            strict=True)
    ]
    path = folder / PICTURE
    write_png(path, panel(images, time_labels([frame.time for frame in shown])))
    return path


def plot_stages(folder: Path, record: Sequence[Mapping[str, Any]]) -> Path:
    """Write ``stages.png``: the kinetic energy over time, and where each stage of a record begins.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    series = read_series(folder / "series.csv")
    energy = np.asarray(series["kinetic"] + series["rotational"], dtype=np.float64)
    marks = [(float(row["began"]), str(row["name"])) for row in record]
    path = folder / STAGES
    energy[energy <= 0.0] = np.nan  # leaves a gap
    curve = Curve("kinetic energy", series["time"], energy)
    plot_panels(path, [Panel([curve], "time [s]", "kinetic energy [J]", "Kinetic energy by stages",
                             marks)], log="y")
    return path


def _colours(shown: Sequence[Frame], colour: Colour) -> list[FloatArray]:
    """Return the colours of the grains at each moment, (n,3)."""
    if "cluster" in shown[0].fields:
        numbers = [frame.fields["cluster"].astype(np.float64) for frame in shown]
        # steps of the golden section keep neighbours apart, however many there are
        places = [np.where(number < 0.0, np.nan, number * GOLDEN % 1.0) for number in numbers]
        return [colour_by(place, 0.0, 1.0) for place in places]
    if colour == "size":
        values = [np.log(frame.fields["radius"]) for frame in shown]
    elif colour == "layer":
        values = [_first_heights(frame, shown[0]) for frame in shown]
    else:
        values = [by_grain(frame, np.linalg.norm(frame.fields["velocity"], axis=1))
                  for frame in shown]
        fast = float(np.quantile(np.concatenate(values), 0.98)) if any(map(len, values)) else 0.0
        return [colour_by(value, 0.0, fast or 1.0) for value in values]
    known = np.concatenate([value[np.isfinite(value)] for value in values])
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    return [colour_by(value, low, high) for value in values]


def _first_heights(frame: Frame, first: Frame) -> FloatArray:
    """Return how high each grain of a frame was in the first one, (n,) [m]; nan if it was not."""
    heights = dict(zip(first.fields["id"].tolist(), by_grain(first, first.points[:, 2]).tolist(),
                       strict=True))
    return np.array([heights.get(number, np.nan) for number in frame.fields["id"].tolist()])


def _outlines(folder: Path, world: World, time: float) -> list[FloatArray]:
    """Return the outlines of all walls at a time; of those that are driven, the series knows."""
    driven = [body.name for body in world.bodies if body.is_driven]
    places = {}
    if driven:
        series = read_series(folder / "series.csv")
        places = {name: np.array([np.interp(time, series["time"], series[f"{name}_{axis}"])
                                  for axis in "xyz"]) for name in driven}
    return world.outlines(time, places)


def time_labels(times: Sequence[float]) -> list[str]:
    """Return times as a person reads them side by side: one unit, and digits that tell them apart.

    The unit is the largest of s, ms and µs in which the last time is at least 0.1; no time gets
    fewer than two digits behind the point, nor more than tell neighbours apart.
    """
    last = max(map(abs, times), default=0.0)
    scale, unit = next((pair for pair in UNITS if last * pair[0] >= 0.1), UNITS[0])
    values = [time * scale for time in times]
    digits = 2
    while digits < 6 and len({f"{value:.{digits}f}" for value in values}) < len(set(values)):
        digits += 1
    return [f"{value:.{digits}f} {unit}" for value in values]
