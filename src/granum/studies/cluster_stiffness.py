"""A cylinder of glued spheres under a piston (Ferrez 2001, section 6.4.2).

20 layers of about 85 spheres, glued by the cohesion potential with A = -1500 and α = 0.2, are
pressed with 10, 50, 100, 500 and 1000 N; the strain for β = 1, 2, 4 and 8 is table 6.3. Here the
four cylinders stand side by side, each under its own piston, and the forces follow each other.

The thesis does not give the radius of the spheres, which matters: the stiffness of a bond is
α (β - α) |A| / D^2.2, so the strain at one force grows as D^1.2. With D = 0.8 m the strains for
β = 1 and 2 are as published within a few percent. There is no gravity, plates have no friction, and
the piston begins 0.2 % of the height above the cylinder, which is where the published curves begin.
Density and damping set the clock only.

What it must show: the strain grows linearly with the force, and falls with β.
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
from granum.clusters import GluedCylinder, PotentialGlue
from granum.errors import MissingExtraError
from granum.output import plot_series, read_series
from granum.output.atomic import replace_bytes
from granum.portrait import draw_run
from granum.studies.study import Published
from granum.world import World

BETAS = (1.0, 2.0, 4.0, 8.0)
FORCES = (10.0, 50.0, 100.0, 500.0, 1000.0)  # [N]
PUBLISHED = {  # table 6.3: strain at each force
    1.0: (0.003935, 0.006073, 0.007750, 0.018670, 0.031611),
    2.0: (0.002726, 0.003337, 0.004183, 0.009463, 0.015267),
    4.0: (0.002239, 0.002390, 0.002726, 0.005473, 0.008437),
    8.0: (0.002022, 0.002080, 0.002175, 0.003537, 0.005200),
}
COEFFICIENT, ALPHA = -1500.0, 0.2
RADIUS, DENSITY = 0.4, 10.0  # [m], [kg/m3]
GAP = 0.002  # between piston and cylinder, as a share of its height
LATE = 0.9  # share of the time of one force after which the strain is read
TIME_STEP = 1.6e-3  # [s]; 25 in a contact, which does for coming to rest
TABLE, PLOT = "strain.csv", "strain.png"


@dataclass(frozen=True)
class Column:
    """The cylinders of one size.

    Args:
        layers: of spheres.
        width: in radii.
        spheres: in a layer, about.
        first: how long the first force acts, which has to close the gap [s].
        each: how long each of the others acts [s].
    """

    layers: int
    width: float
    spheres: float
    first: float
    each: float

    @property
    def height(self) -> float:
        """From the floor to the top of the spheres [m]."""
        return 2.0 * RADIUS * (1.0 + (self.layers - 1) * math.sqrt(2.0 / 3.0))

    @property
    def forces(self) -> tuple[float, ...]:
        """What presses: the published forces, or the same on each sphere [N]."""
        return tuple(force * min(self.spheres / 85.0, 1.0) for force in FORCES)

    @property
    def ends(self) -> FloatArray:
        """When each force ends [s]."""
        return np.asarray(self.first + self.each * np.arange(len(FORCES)), dtype=np.float64)


COLUMNS = {False: Column(20, 21.2, 85.0, 16.0, 7.0), True: Column(8, 10.6, 18.5, 9.0, 3.0)}


class ClusterStiffnessStudy:
    """The calibration of the glue of Ferrez 6.4.2."""

    name = "cluster-stiffness"
    title = "How stiff glued spheres are"
    source = "Ferrez 2001, section 6.4.2"
    shows = "strain that grows with the force and falls with β, beside table 6.3"
    variants: Mapping[str, str] = {
        "press": "four cylinders of 20 layers of 85 spheres, β = 1, 2, 4, 8, up to 1000 N",
    }
    published: Mapping[str, tuple[Published, ...]] = {"press": tuple(
        Published(f"strain, β = {beta:g}, {force:g} N", PUBLISHED[beta][k], f"strain_beta_{beta:g}",
                  k, source="table 6.3")
        for beta in BETAS for k, force in enumerate(FORCES))}

    def scenario(self, variant: str, quick: bool) -> dict[str, Any]:
        """Return the tables; ``quick`` has 8 layers of 18 or 19 spheres and forces to match."""
        column = COLUMNS[quick]
        title = "quick" if quick else self.variants[variant]
        return {
            "title": f"Stiffness of glued spheres: {title}",
            "world": {"gravity": [0, 0, 0]},
            "materials": {"foam": {"density": DENSITY}},
            "law": {"type": "linear_viscoelastic", "restitution": 0.5, "contact_time": 0.04,
                    "friction": 0.0},
            "walls": [{"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1], "name": "floor"},
                      *(_piston(column, k) for k in range(len(BETAS)))],
            "grains": [_cylinder(column, k) for k in range(len(BETAS))],
            "run": {"duration": float(column.ends[-1]), "time_step": TIME_STEP},
            "output": {"series": column.each / 100, "frames": column.each / 4},
        }

    def conclude(self, folder: Path, world: World) -> dict[str, Any]:
        """Write the strains beside the published ones; return the slopes."""
        series = read_series(folder / "series.csv")
        quick = len(world) < 4 * 1000
        column = COLUMNS[quick]
        time = np.asarray(series["time"], dtype=np.float64)
        ways = {beta: -np.asarray(series[f"{_name(beta)}_z"], dtype=np.float64) for beta in BETAS}
        strain = {beta: strains(time, ways[beta], column) for beta in BETAS}
        replace_bytes(folder / TABLE, table(strain, column, quick).encode())
        found: dict[str, Any] = {"table": str(folder / TABLE)}
        for beta in BETAS:
            found[f"strain_beta_{beta:g}"] = strain[beta].tolist()
        slopes = [slope(column.forces, strain[beta]) for beta in BETAS]
        found["compliance"] = slopes
        found["linearity"] = [linearity(column.forces, strain[beta]) for beta in BETAS]
        if not quick:
            found["published_compliance"] = [slope(FORCES, np.array(PUBLISHED[b])) for b in BETAS]
        found["picture"] = str(draw_run(folder, world, moments=2, view=(-90.0, 8.0)))
        try:
            found["plot"] = str(_plot(folder, column, strain, quick))
        except MissingExtraError as error:
            found["plot"] = str(error)
        return found


def strains(time: FloatArray, way: FloatArray, column: Column) -> FloatArray:
    """Return the strain under each force: the mean of the end of the time that it acts.

    Args:
        time: [s].
        way: of the piston downwards, the gap included [m].
        column: of the cylinders.
    """
    begins = np.append(0.0, column.ends[:-1])
    late = [(time > begin + LATE * (end - begin)) & (time <= end)
            for begin, end in zip(begins, column.ends, strict=True)]
    return np.array([way[mask].mean() for mask in late]) / column.height


def slope(forces: Any, strain: FloatArray) -> float:
    """Return the strain for each newton, by the last two forces [1/N]."""
    return float((strain[-1] - strain[-2]) / (forces[-1] - forces[-2]))


def linearity(forces: Any, strain: FloatArray) -> float:
    """Return the largest distance from the straight line of best fit, over the strain at the end.

    The gap, which the strain includes, is where the line begins.
    """
    line = np.polynomial.Polynomial.fit(forces, strain, 1)
    return float(np.abs(line(np.array(forces)) - strain).max() / (strain[-1] - strain[0]))


def table(strain: Mapping[float, FloatArray], column: Column, quick: bool) -> str:
    """Return the strains as text, each beside the published one where that is comparable."""
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(["beta", "force [N]", "strain", *([] if quick else ["published"])])
    for beta in BETAS:
        for k, force in enumerate(column.forces):
            published = [] if quick else [PUBLISHED[beta][k]]
            writer.writerow([f"{beta:g}", f"{force:g}", f"{strain[beta][k]:.6f}", *published])
    return sheet.getvalue()


def _name(beta: float) -> str:
    return f"beta_{beta:g}"


def _place(column: Column, k: int) -> float:
    """Return where cylinder k stands along x [m]."""
    return k * (column.width + 4.0) * RADIUS


def _cylinder(column: Column, k: int) -> dict[str, Any]:
    glue = {"coefficient": COEFFICIENT, "alpha": ALPHA, "beta": BETAS[k], "damping": 0.1}
    shape: dict[str, Any] = {"radius": RADIUS, "layers": column.layers,
                             "width": column.width * RADIUS}
    layout = GluedCylinder(**shape, glue=PotentialGlue(**glue)).layout()
    height = RADIUS - float(layout.points[:, 2].min())  # of its centre, when it stands on the floor
    return {"type": "clusters", "at": [[_place(column, k), 0.0, height]],
            "orientation": [1.0, 0.0, 0.0, 0.0],
            "cluster": {"type": "glued_cylinder", **shape,
                        "glue": {"type": "potential_glue", **glue}}}


def _piston(column: Column, k: int) -> dict[str, Any]:
    """Return a plate with the mass of a layer, braked like the soft cylinder brakes a wave.

    A wave that runs up the cylinder is swallowed if the braking force for each m/s is
    sqrt(stiffness of the cylinder times its mass).
    """
    diameter = 2.0 * RADIUS
    mass = DENSITY * math.pi / 6.0 * diameter**3
    bond = ALPHA * (ALPHA - BETAS[0]) * COEFFICIENT * diameter ** (-ALPHA - 2.0)
    stiffness = 1.7 * bond * column.spheres / column.layers
    damping = math.sqrt(stiffness * mass * column.spheres * column.layers)
    steps = [[float(t), force] for t, force in zip(column.ends, column.forces[1:], strict=False)]
    return {
        "type": "plate", "centre": [_place(column, k), 0.0, (1.0 + GAP) * column.height],
        "normal": [0, 0, 1], "radius": (column.width / 2.0 + 1.0) * RADIUS, "name": _name(BETAS[k]),
        "motion": {"type": "piston", "mass": mass * column.spheres, "direction": [0, 0, -1],
                   "force": column.forces[0], "steps": steps, "gravity": False,
                   "damping": damping},
    }


def _plot(folder: Path, column: Column, strain: Mapping[float, FloatArray], quick: bool) -> Path:
    path = folder / PLOT
    curves: list[tuple[str, Any]] = [(f"β = {beta:g}", strain[beta]) for beta in BETAS]
    if not quick:
        curves += [(f"published, β = {beta:g}", PUBLISHED[beta]) for beta in BETAS]
    plot_series(path, np.array(column.forces), curves, "force [N]", "strain",
                "Strain of a glued cylinder under a piston", compared=not quick)
    return path
