"""Rods and tetrahedra of glued spheres in a box that shakes (Ferrez 2001, section 6.4.1).

50 short rods of 15 spheres, or 125 tetrahedra of 35, in a cubic box whose floor vibrates at 2.5 Hz
for 10 s, glued by the force of formula 3.25. The thesis gives neither sizes nor the parameters of
the glue; here the spheres have a radius of 2 cm and 1000 kg/m3, the box is as wide as the lattice
of the start needs, and the floor goes up and down by 4 cm, so that its acceleration just reaches
that of free fall. Glue with exponent 1 and 3e5 N/m lets a cluster that falls from the top of the
box on one of its corners give way there by a few percent of the sphere.

What it must show: clusters stay whole; first they fall and rearrange, then they move only a little
and follow the vibration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from granum.checks import FloatArray
from granum.errors import MissingExtraError
from granum.output import plot_series, read_frames
from granum.portrait import draw_run
from granum.studies.study import Published
from granum.world import World

RADIUS, FREQUENCY, AMPLITUDE = 0.02, 2.5, 0.04  # [m], [1/s], [m]
PERIOD = 1.0 / FREQUENCY
FRAMES = 4  # in a period
CALM = 0.25  # median way of a cluster in a period, in radii, below which the pile is settled
PLOT = "ways.png"
GLUE = {"type": "power_glue", "stiffness": "300 kN/m", "damping": 0.1}


@dataclass(frozen=True)
class Pile:
    """Clusters of one kind in a box: how many, how wide the box is [m], for how long [s]."""

    cluster: Mapping[str, Any]
    count: int
    side: float
    duration: float = 10.0


ROD = {"type": "glued_rod", "radius": RADIUS, "layers": 5, "glue": GLUE}
TETRAHEDRON = {"type": "glued_tetrahedron", "radius": RADIUS, "side": 5, "glue": GLUE}
PILES = {"rods": Pile(ROD, 50, 0.73), "tetrahedra": Pile(TETRAHEDRON, 125, 1.2)}
QUICK = {"rods": Pile(ROD, 18, 0.55, 2.4), "tetrahedra": Pile(TETRAHEDRON, 8, 0.49, 2.4)}
PUBLISHED = (
    Published("bonds that broke", 0.0, "broken_bonds", spread=0.0, source="section 6.4.1"),
    Published("way in the first period [radius]", "massive rearrangement", "way_at_first",
              source="section 6.4.1"),
    Published("way in the last period [radius]", "local movements only", "way_at_last",
              source="section 6.4.1"),
)


class ClustersStudy:
    """The validation of clusters of Ferrez 6.4.1."""

    name = "clusters"
    title = "Clusters of glued spheres"
    source = "Ferrez 2001, section 6.4.1"
    shows = "clusters that stay whole, rearrange while they fall, then follow the floor"
    variants: Mapping[str, str] = {
        "rods": "50 short rods of 15 spheres",
        "tetrahedra": "125 tetrahedra of 35 spheres",
    }
    published: Mapping[str, tuple[Published, ...]] = {"rods": PUBLISHED, "tetrahedra": PUBLISHED}

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables of a variant; ``quick`` has fewer clusters and less time."""
        pile = (QUICK if quick else PILES)[variant]
        half = pile.side / 2
        return {
            "title": f"Clusters, {variant}" + (
                " (quick)" if quick else f": {self.variants[variant]}"),
            "seed": 1,
            "materials": {"plastic": {"density": "1 g/cm3"}},
            "law": {"type": "linear_viscoelastic", "restitution": 0.3, "contact_time": "1 ms",
                    "friction": 0.3},
            "walls": [
                {"type": "box", "low": [-half, -half, -2 * AMPLITUDE],
                 "high": [half, half, pile.side], "open_top": True},
                {"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "name": "floor",
                 "motion": {"type": "sine", "frequency": "2.5 Hz", "amplitude": AMPLITUDE,
                            "phase": "-90 deg"}},
            ],
            "grains": [{"type": "clusters", "cluster": pile.cluster, "count": pile.count,
                        "arrangement": "lattice", "low": [-half, -half, 0.0],
                        "high": [half, half, pile.side]}],
            "run": {"duration": pile.duration},
            "output": {"series": "10 ms", "frames": PERIOD / FRAMES},
        }

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Draw the clusters; return how they moved and how much they were deformed."""
        frames = read_frames(folder)
        points = np.array([frames[k].points for k in range(len(frames))])
        time, ways = period_ways(frames.times, points, world)
        found = {
            "clusters": world.clusters, "bonds": len(world.bonds),
            "broken_bonds": world.broken_bonds,
            "largest_strain": largest_strain(points, world),
            "settled_after": settled_after(time, ways),
            "way_at_first": float(ways[0]), "way_at_last": float(ways[-1]),
            "height_at_first": height(points[0], world),
            "height_at_last": height(points[-1], world),
            "picture": str(draw_run(folder, world)),
        }
        try:
            found["plot"] = str(_plot(folder, time, ways))
        except MissingExtraError as error:
            found["plot"] = str(error)
        return found


def period_ways(times: FloatArray, points: FloatArray, world: World
                ) -> tuple[FloatArray, FloatArray]:
    """Return how far clusters go in a period of the floor: its end [s], median way [radii].

    Args:
        times: of the frames, (f,) [s].
        points: of all spheres in each, (f,n,3) [m].
        world: with the clusters.
    """
    first = np.flatnonzero(np.diff(world.cluster, prepend=-1))
    centres = np.add.reduceat(points, first, axis=1)
    centres /= np.diff(np.append(first, len(world)))[:, None]
    way = np.linalg.norm(centres[FRAMES:] - centres[:-FRAMES], axis=2)
    return times[FRAMES:], np.median(way, axis=1) / world.radius[0]


def settled_after(time: FloatArray, ways: FloatArray) -> float | None:
    """Return when the median way in a period falls below `CALM` for good [s]; None if never."""
    wild = np.flatnonzero(ways >= CALM)
    last = wild[-1] + 1 if wild.size else 0
    return float(time[last]) if last < len(time) else None


def largest_strain(points: FloatArray, world: World) -> float:
    """Return by which share of its length any bond was deformed in any frame."""
    bonds = world.bonds
    if not len(bonds):
        return 0.0
    index = np.searchsorted(world.id, np.stack([bonds.i, bonds.j]))
    length = np.linalg.norm(points[:, index[1]] - points[:, index[0]], axis=2)
    return float(np.abs(length / bonds.rest - 1.0).max())


def height(points: FloatArray, world: World) -> float:
    """Return the height of the centre of mass above the floor's place at the start [m]."""
    return float(world.mass @ points[:, 2] / world.mass.sum())


def _plot(folder: Path, time: FloatArray, ways: FloatArray) -> Path:
    path = folder / PLOT
    plot_series(path, time, [("median", ways)], "time [s]", "way in one period [radius]",
                "How far clusters go while the floor goes up and down once")
    return path
