"""The anchor of a sensor, pushed through gravel (Ferrez 2001, section 6.2).

A cylinder of steel, 16 mm long and 20 mm wide, stands for an anchor of a sensor in fresh concrete,
and grains of 2 to 32 mm for its aggregate. The anchor is held while grains settle; then it is free
to move, but not to turn, and a force along its axis grows by 20 N every 10 ms. Its axis is 50 mm
above the floor (middle), 15 mm above it (floor), or 15 mm below the surface.

The thesis gives neither the law nor the sizes in between. Here the grains are elastic spheres
(Hertz and Mindlin): with stiffness in proportion to mass, as in the other experiments, a grain of
2 mm would be 4000 times softer than one of 32 mm. The sieve curve is such that 3909 grains, as many
as in the thesis, fill about 100 mm. They are lowered into a heap, which is at rest after some
10 ms, so the anchor is held for 0.2 s, not for the second that grains need to fall. It is a mesh of
24 facets.

What it must show: beyond 200 N, 100 N more move the anchor by less than 0.01 mm; by less near the
floor, by much more near the surface. (It shows the order of the heights, not the firmness: the bed
weighs 58 N, and the anchor ploughs through it at forces of that order.)
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from granum.checks import FloatArray
from granum.errors import MissingExtraError
from granum.output import colour_by, draw, panel, plot_series, read_frames, read_series, write_png
from granum.output.atomic import replace_bytes
from granum.portrait import time_labels
from granum.studies.origin import read_origin
from granum.studies.study import Published
from granum.world import World

ANCHOR = "anchor"
LENGTH, WIDTH, STEEL, FACETS = 0.016, 0.020, 7800.0, 24  # of the anchor: [m], [m], [kg/m3]
GRAVEL = 2700.0  # [kg/m3]
STEP = 20.0  # by which the force grows [N]
LATE = 0.5  # share of the time of one force after which the place is read
FAR = 0.02  # way after which the anchor has got away and the run ends [m]
HELD, LOST = 1e-3, 1e-2  # ways up to which it is told to be held, and to be lost [m]
SKIN = 7e-4  # radius of the balls that draw the anchor [m]
SIZE, VIEW = (560, 420), (-90.0, 10.0)  # of one moment [pixel]; azimuth, elevation [degree]
TABLE, PLOT, PICTURE = "anchor.csv", "anchor.png", "picture.png"
HEIGHTS = {"middle": 0.050, "floor": 0.015, "surface": 0.085}  # of its axis [m]


@dataclass(frozen=True)
class Bed:
    """Gravel in a box.

    Args:
        side: of the square box [m].
        count: of the grains.
        meshes: of the sieves [m].
        passing: share of the mass that passes each [%].
        held: until when the anchor is held [s].
        each: how long each force acts [s].
        most: largest force [N].
        young: modulus of the grains [Pa].
        time_step: [s].
    """

    side: float
    count: int
    meshes: tuple[float, ...]
    passing: tuple[float, ...]
    held: float
    each: float
    most: float
    young: float
    time_step: float

    @property
    def forces(self) -> FloatArray:
        """The forces, one after the other, the first 0 [N]."""
        return np.asarray(STEP * np.arange(round(self.most / STEP) + 1), dtype=np.float64)

    @property
    def ends(self) -> FloatArray:
        """When each of them ends [s]."""
        return np.asarray(self.held + self.each * (1.0 + np.arange(len(self.forces))),
                          dtype=np.float64)


BEDS = {
    False: Bed(0.2, 3909, (2e-3, 4e-3, 8e-3, 16e-3, 32e-3), (0.0, 1.0, 4.0, 20.0, 100.0),
               0.2, 0.01, 600.0, 2e8, 1.8e-6),
    True: Bed(0.12, 560, (10e-3, 14e-3, 20e-3), (0.0, 30.0, 100.0), 0.1, 0.005, 600.0, 2e8, 8e-6),
}
PUSHED = "section 6.2.5"
STANDS = "force that moves it by 10 mm [N]"
FOR_100 = "way for 100 N more, beyond 200 N [mm]"
PUBLISHED: dict[str, tuple[Published, ...]] = {
    "middle": (
        Published(FOR_100, "less than 0.01", "for_100_more", source=PUSHED),
        Published("it is less than 0.01 mm", True, "is_firm", source=PUSHED),
        Published("way up to 200 N [mm]", "about half a millimetre", "first_shift", source=PUSHED),
        Published(STANDS, "up to 15 000", "lost_force", source=PUSHED)),
    "floor": (
        Published(FOR_100, "below 0.002, the sensor's resolution", "for_100_more", source=PUSHED),
        Published("it is less than 0.01 mm", True, "is_firm", source=PUSHED),
        Published(STANDS, "more stable than in the middle", "lost_force", source=PUSHED)),
    "surface": (
        Published(FOR_100, "acceptable up to 600 N", "for_100_more", source=PUSHED),
        Published(STANDS, "much easier to move", "lost_force", source=PUSHED)),
}


class SensorStudy:
    """The sensor in concrete of Ferrez 6.2."""

    name = "sensor"
    title = "Anchor of a sensor in gravel"
    source = "Ferrez 2001, section 6.2"
    shows = "how far a growing force moves an anchor: in the middle, near the floor, near the top"
    variants: Mapping[str, str] = {
        "middle": "50 mm above the floor, in 100 mm of gravel",
        "floor": "15 mm above the floor",
        "surface": "15 mm below the surface",
    }
    published: Mapping[str, tuple[Published, ...]] = PUBLISHED

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables of a variant; ``quick`` has a smaller box and no small grains."""
        bed, half = BEDS[quick], BEDS[quick].side / 2.0
        title = f"{self.title}, {variant}" + (
            " (quick)" if quick else f": {self.variants[variant]}")
        return {
            "title": title,
            "seed": 1,
            "materials": {"gravel": {"density": GRAVEL}},
            "law": {"type": "hertz_mindlin", "young": bed.young, "poisson": 0.25,
                    "restitution": 0.3, "friction": 0.5},
            "walls": [{"type": "box", "low": [-half, -half, 0.0], "high": [half, half, 0.3],
                       "open_top": True, "name": "box"}, _anchor(bed, HEIGHTS[variant])],
            "grains": [{"type": "sediment", "count": bed.count, "high": [half, half, 0.3],
                        "radius": {"type": "sieve", "meshes": list(bed.meshes),
                                   "passing": list(bed.passing)}}],
            "run": {"duration": float(bed.ends[-1]), "time_step": bed.time_step,
                    "stop": f"{ANCHOR}_x > {FAR} m"},
            "output": {"series": bed.each / 10.0, "frames": bed.each},
        }

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw the way over the force and the grains that moved; return what the anchor stood."""
        origin = read_origin(folder / "scenario.toml")
        bed = BEDS[origin is not None and origin.quick]
        series = read_series(folder / "series.csv")
        time = np.asarray(series["time"], dtype=np.float64)
        way = np.stack([np.asarray(series[f"{ANCHOR}_{axis}"], dtype=np.float64)
                        for axis in "xyz"], axis=1)
        force, places = at_forces(time, way, bed)
        replace_bytes(folder / TABLE, table(force, places).encode())
        found: dict[str, Any] = {**anchor_facts(force, places), "grains": len(world),
                                 "table": str(folder / TABLE),
                                 "picture": str(draw_bed(folder, world, bed))}
        try:
            plot_series(folder / PLOT, force, [("along the force", 1e3 * places[:, 0]),
                                               ("upwards", 1e3 * places[:, 2])],
                        "force [N]", "way [mm]", "Way of the anchor")
            found["plot"] = str(folder / PLOT)
        except MissingExtraError as error:
            found["plot"] = str(error)
        return found


def prism(length: float, width: float, facets: int) -> tuple[FloatArray, list[list[int]]]:
    """Return vertices and triangles of a prism along x, with the volume of a cylinder.

    Args:
        length: along x [m].
        width: diameter of the cylinder [m].
        facets: round it.
    """
    radius = 0.5 * width * math.sqrt(
        2.0 * math.pi / (facets * math.sin(2.0 * math.pi / facets)))
    angle = 2.0 * math.pi * np.arange(facets) / facets
    ring = np.stack([np.zeros(facets), radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    back, front = np.array([[-0.5 * length, 0.0, 0.0]]), np.array([[0.5 * length, 0.0, 0.0]])
    vertices = np.concatenate([back, front, ring + back, ring + front])
    faces = []
    for k in range(facets):
        a, b = 2 + k, 2 + (k + 1) % facets
        faces += [[0, b, a], [1, a + facets, b + facets], [a, b, b + facets],
                  [a, b + facets, a + facets]]
    return vertices, faces


def _anchor(bed: Bed, height: float) -> dict[str, Any]:
    """Return the anchor at a height [m]: held at first, then pushed along x step by step."""
    vertices, faces = prism(LENGTH, WIDTH, FACETS)
    begins = bed.ends - bed.each
    steps = [[float(t), [float(force), 0.0, 0.0]]
             for t, force in zip(begins[1:], bed.forces[1:], strict=True)]
    return {"type": "mesh", "vertices": vertices.tolist(), "faces": faces, "side": "outside",
            "shift": [0.0, 0.0, height], "name": ANCHOR,
            "motion": {"type": "free_body", "mass": STEEL * math.pi / 4.0 * WIDTH**2 * LENGTH,
                       "steps": steps, "starts": bed.held}}


def at_forces(time: FloatArray, way: FloatArray, bed: Bed) -> tuple[FloatArray, FloatArray]:
    """Return the forces that were reached (k,) [N], and where the anchor was under each (k,3) [m].

    That is the mean over the later part of the time that a force acts; of the last force, if the
    run ended before, the last place.

    Args:
        time: of the samples (s,) [s].
        way: of the anchor from where it was held (s,3) [m].
        bed: for its forces.
    """
    since = (time - bed.held) / bed.each
    number = np.minimum(np.floor(since + 1e-6), len(bed.forces) - 1)
    late = since - number >= LATE - 1e-6
    reached = range(int(number[-1]) + 1)
    places = [way[(number == k) & late] for k in reached]
    return bed.forces[: len(reached)], np.array([
        found.mean(axis=0) if len(found) else way[-1] for found in places])


def anchor_facts(force: FloatArray, places: FloatArray) -> dict[str, Any]:
    """Return what the ways under each force say; None where a force or a way was not reached.

    Args:
        force: (k,) [N], growing.
        places: of the anchor under each (k,3) [m].
    """
    along = places[:, 0]
    beyond = (force >= 200.0) & (force <= 600.0)
    line = np.polyfit(force[beyond], along[beyond], 1) if beyond.sum() > 1 else None
    more = None if line is None else float(1e5 * line[0])  # [mm] for 100 N
    return {
        "for_100_more": more,
        "is_firm": more is not None and more < 0.01,
        "first_shift": float(1e3 * np.interp(200.0, force, along)) if force[-1] >= 200 else None,
        "held_force": force_at(force, along, HELD),
        "lost_force": force_at(force, along, LOST),
        "largest_force": float(force[-1]),
        "way": float(1e3 * along[-1]),
        "rise": float(1e3 * places[-1, 2]),
    }


def force_at(force: FloatArray, along: FloatArray, way: float) -> float | None:
    """Return the force [N] at which the anchor first comes as far as ``way`` [m], if it does."""
    beyond = np.flatnonzero(along >= way)
    if not beyond.size:
        return None
    k = max(int(beyond[0]), 1)
    return float(np.interp(way, along[k - 1:k + 1], force[k - 1:k + 1]))


def table(force: FloatArray, places: FloatArray) -> str:
    """Return forces and places as text."""
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(["force [N]", "x [mm]", "y [mm]", "z [mm]"])
    for newton, place in zip(force, places, strict=True):
        writer.writerow([f"{newton:g}", *(f"{1e3 * x:.6f}" for x in place)])
    return sheet.getvalue()


def draw_bed(folder: Path, world: World, bed: Bed) -> Path:
    """Draw the bed cut open along the anchor: when it is let go, half-way, and at the end.

    Grains are coloured by how far they have moved since it was let go, up to a centimetre.
    """
    frames, series = read_frames(folder), read_series(folder / "series.csv")
    times = np.asarray(frames.times)
    first = int(np.searchsorted(times, bed.held - 0.5 * bed.each).clip(0, len(times) - 1))
    chosen = np.unique(np.linspace(first, len(times) - 1, 3).round().astype(int))
    shown = [frames[int(k)] for k in chosen]
    box = (np.array([-bed.side / 2.0, -bed.side / 2.0, 0.0]),
           np.array([bed.side / 2.0, bed.side / 2.0, 0.13]))
    images = []
    for frame in shown:
        place = np.array([np.interp(frame.time, series["time"], series[f"{ANCHOR}_{axis}"])
                          for axis in "xyz"])
        behind = frame.points[:, 1] > 0.0
        moved = np.linalg.norm(frame.points - shown[0].points, axis=1)[behind]
        skin = _skin() + place + [0.0, 0.0, _height(world)]
        points = np.concatenate([frame.points[behind], skin])
        radii = np.append(frame.fields["radius"][behind], np.full(len(skin), SKIN))
        colours = np.concatenate([colour_by(moved, 0.0, 0.01), np.full((len(skin), 3), 0.25)])
        images.append(draw(points, radii, colours, size=SIZE, view=VIEW, frame=box))
    path = folder / PICTURE
    write_png(path, panel(images, time_labels([frame.time for frame in shown])))
    return path


def _skin() -> FloatArray:
    """Return points all over the anchor, where balls make it visible, (n,3) [m]."""
    along = np.arange(-0.5 * LENGTH, 0.5 * LENGTH + 0.5 * SKIN, SKIN)
    angle = np.linspace(0.0, 2.0 * np.pi, 90, endpoint=False)
    radius = np.arange(0.0, 0.5 * WIDTH + 0.5 * SKIN, SKIN)
    mantle = np.stack(np.meshgrid(along, [0.5 * WIDTH], angle), axis=-1).reshape(-1, 3)
    lids = np.stack(np.meshgrid([along[0], along[-1]], radius, angle), axis=-1).reshape(-1, 3)
    x, r, a = np.concatenate([mantle, lids]).T
    return np.stack([x, r * np.cos(a), r * np.sin(a)], axis=1)


def _height(world: World) -> float:
    """Return how high the anchor's axis was at the start [m]."""
    (anchor,) = [body for body in world.bodies if body.name == ANCHOR]
    low, high = anchor.walls[0].bounds()
    return float(0.5 * (low[2] + high[2]))
