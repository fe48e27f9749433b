"""Rounded polyhedra in LAMMPS, so that granum's cubes can be compared with it in the same run.

LAMMPS calls them bodies of style ``rounded/polyhedron``, with the pair style of the same name (J.
Wang, H. S. Yu, P. A. Langston and F. Y. Fraige, Granular Matter 13 (2011) 1): springs and dashpots
where vertices, edges and faces are closer than the sum of the radii, friction without history. That
is less than granum does: it remembers no contact, counts some twice, and faces of four vertices are
one face there. Only the speed can be compared.

Some thresholds of LAMMPS are bare numbers, so lengths are given in units of a grain's radius,
masses in those of a grain, and times in those of a free fall by a radius.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from granum.bench.lammps_process import DATA, find, run_script
from granum.checks import FloatArray
from granum.errors import GranumError

WARM_UP_STEPS = 20
PACKAGE = "Unrecognized"  # what LAMMPS says of a style that it was built without
_TIMED = "granum: timed run"


@dataclass(frozen=True, kw_only=True)
class PeerBodies:
    """Equal rounded polyhedra on a floor, periodic sideways.

    Args:
        positions: centres of mass, shape (n, 3) [m].
        vertices: from the centres to the vertices, shape (n, m, 3) [m].
        edges: pairs of vertices.
        faces: loops of three or four vertices, anticlockwise from outside.
        rounding: radius of the ball that sweeps [m].
        radius: of the sphere around a grain [m].
        mass: of a grain [kg].
        inertia: its moment about any axis, that of a body as regular as a cube [kg m2].
        side: of the cell [m], in x and in y.
        height: of the cell [m].
        stiffness: of the normal spring [N/m].
        damping: of the normal dashpot [kg/s].
        friction: Coulomb's coefficient.
        time_step: [s].
        gravity: [m/s2], downwards.
    """

    positions: FloatArray
    vertices: FloatArray
    edges: tuple[tuple[int, ...], ...]
    faces: tuple[tuple[int, ...], ...]
    rounding: float
    radius: float
    mass: float
    inertia: float
    side: tuple[float, float]
    height: float
    stiffness: float
    damping: float
    friction: float
    time_step: float
    gravity: float

    @property
    def second(self) -> float:
        """How many units of time a second has: sqrt(g / R)."""
        return math.sqrt(self.gravity / self.radius)


@dataclass(frozen=True, kw_only=True)
class PeerSpeed:
    """How fast LAMMPS was: grains times steps a second of processor time."""

    version: str
    grains: int
    steps: int
    cpu_speed: float


def run_bodies(packing: PeerBodies, steps: int) -> PeerSpeed:
    """Simulate ``packing`` in LAMMPS on one core, in another process, and time it.

    Raises:
        MissingExtraError: LAMMPS is not installed.
        GranumError: LAMMPS failed, or was built without its package BODY.
    """
    try:
        log = run_script(body_file(packing), body_script(packing, steps))
    except GranumError as error:
        if PACKAGE in str(error):
            message = ("this LAMMPS was built without its package BODY, which has the style "
                       f"body/rounded/polyhedron:\n{error}")
            raise GranumError(message) from error
        raise
    _, _, timed = log.partition(f"\n{_TIMED}\n")
    seconds = float(find(r"^Loop time of (\S+) on", timed))
    share = float(find(r"^([\d.]+)% CPU use", timed)) / 100.0
    grains = len(packing.positions)
    return PeerSpeed(version=find(r"^LAMMPS \(([^)]+)\)", log), grains=grains, steps=steps,
                     cpu_speed=grains * steps / (seconds * share))


def body_script(packing: PeerBodies, steps: int) -> str:
    """Return the LAMMPS commands that warm up and time ``packing``."""
    t, m = packing.second, packing.mass
    k_n, c_n = packing.stiffness / (m * t * t), packing.damping / (m * t)
    count = packing.vertices.shape[1]
    return "\n".join([
        "units lj",
        f"atom_style body rounded/polyhedron {count} {count}",
        "newton on",
        "boundary p p m",
        "comm_modify vel yes",
        f"read_data {DATA}",
        f"pair_style body/rounded/polyhedron {c_n:.17g} {c_n:.17g} {packing.friction:.17g} 1 0",
        f"pair_coeff * * {k_n:.17g} 0",
        "neighbor 0.02 bin",
        "neigh_modify every 1 delay 0 check yes",
        f"timestep {packing.time_step * t:.17g}",
        "fix motion all nve/body",
        "fix gravity all gravity 1 vector 0 0 -1",
        f"fix floor all wall/body/polyhedron {k_n:.17g} {c_n:.17g} {c_n:.17g} zplane 0 NULL",
        "thermo 0",
        f"run {WARM_UP_STEPS}",
        f'print "{_TIMED}"',
        f"run {steps}",
    ]) + "\n"


def body_file(packing: PeerBodies) -> str:
    """Return the grains and the box as a LAMMPS data file (atom style body)."""
    count, per = len(packing.positions), 1.0 / packing.radius
    lines = ["packing", "", f"{count} atoms", f"{count} bodies", "1 atom types"]
    high = (*packing.side, packing.height)
    lines += [f"0 {high[k] * per:.17g} {axis}lo {axis}hi" for k, axis in enumerate("xyz")]
    lines += ["", "Atoms # body", ""]
    lines += [f"{k} 1 1 1 {x:.17g} {y:.17g} {z:.17g}"
              for k, (x, y, z) in enumerate(packing.positions * per, 1)]
    lines += ["", "Bodies", ""]
    corners, edges, faces = packing.vertices.shape[1], len(packing.edges), len(packing.faces)
    moment = f"{packing.inertia * per * per / packing.mass:.17g}"
    links = [" ".join(map(str, edge)) for edge in packing.edges]
    links += [" ".join(map(str, (*face, -1)[:4])) for face in packing.faces]
    for k, points in enumerate(packing.vertices * per, 1):
        lines += [f"{k} 3 {6 + 3 * corners + 2 * edges + 4 * faces + 1}",
                  f"{corners} {edges} {faces}", f"{moment} {moment} {moment} 0 0 0"]
        lines += [f"{x:.17g} {y:.17g} {z:.17g}" for x, y, z in points]
        lines += [*links, f"{2.0 * packing.rounding * per:.17g}"]
    return "\n".join(lines) + "\n"
