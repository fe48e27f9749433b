"""Glued grains in the engine: their bonds in storage order, what breaks, and the time step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.clusters import Bonds, bond_numbers
from granum.clusters.glue import DAMPER, MEANT
from granum.contact.bonds import BondRows, lay_bonds, measure_bonds, no_bond_rows
from granum.dynamics.crowding import FEW, most_points
from granum.dynamics.medium import drag_steps
from granum.laws import Law, TimeSteps
from granum.world import World

STEPS = 50.0  # in a period of the fastest oscillation
SAFETY = 0.5  # of the longest step that is stable: contacts make the spheres stiffer still


@dataclass(frozen=True, eq=False)
class BondTable:
    """All bonds of a moment, one row each, in the order of their grains' ids.

    Attributes:
        i: (b,) id of a grain.
        j: (b,) id of the grain that it is glued to, i < j.
        rest: (b,) distance of the centres at rest [m].
        distance: (b,) of the centres now [m].
        pull: (b,) force of the glue without its damping, positive where it pulls [N].
        energy: (b,) that the bond can give back [J].
        glue: (b,) number of the glue, in the order of ``world.glues``.
    """

    i: IntArray
    j: IntArray
    rest: FloatArray
    distance: FloatArray
    pull: FloatArray
    energy: FloatArray
    glue: IntArray

    def __len__(self) -> int:
        """Return the number of bonds."""
        return len(self.i)


class Bonding:
    """The bonds of a world as the engine works on them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._source: Bonds | None = None
        self.rows: BondRows = no_bond_rows()

    def follow(self, place: IntArray, rows: int) -> bool:
        """Lay the bonds if the user has changed them; tell whether that is so."""
        is_new = self._world.clusters > 0 and self._source is not self._world.bonds
        if is_new:
            self.lay(place, rows)
        return is_new

    def lay(self, place: IntArray, rows: int) -> None:
        """Bring the bonds into the order of storage; ``place[id]`` is a grain's row there."""
        world = self._world
        if not world.clusters:
            return
        bonds = self._source = world.bonds
        self.rows = lay_bonds(place[bonds.i], place[bonds.j], numbers_of(world), rows)

    def settle(self, place: IntArray, rows: int) -> bool:
        """Take out of the world what has broken in the last sweep; tell whether anything has."""
        if not self.rows.breaks.any():
            return False
        world = self._world
        broken = np.zeros(len(world.bonds), dtype=np.bool_)
        broken[self.rows.bond[self.rows.broken != 0]] = True
        world.bonds = world.bonds.chosen(~broken)
        world.broken_bonds += int(broken.sum())
        self.lay(place, rows)
        return True


def numbers_of(world: World) -> FloatArray:
    """Return the numbers of all bonds of a world, as kernels take them."""
    bonds, radius = world.bonds, world.grains.radius
    first, second = ends_of(world)
    ri, rj = radius[first], radius[second]
    return bond_numbers(world.glues, bonds.glue, bonds.rest, np.minimum(ri, rj), ri + rj)


def ends_of(world: World) -> tuple[IntArray, IntArray]:
    """Return where the two grains of each bond stand in the arrays of the world."""
    ids = world.grains.id
    return np.searchsorted(ids, world.bonds.i), np.searchsorted(ids, world.bonds.j)


def list_bonds(world: World) -> BondTable:
    """Return all bonds of the moment."""
    bonds = world.bonds
    first, second = ends_of(world)
    measured = np.zeros((len(bonds), 3))
    measure_bonds(world.grains.position, first, second, numbers_of(world), world.periods(),
                  measured)
    distance, pull, energy = measured.T.copy()
    return BondTable(bonds.i, bonds.j, bonds.rest, distance, pull, energy, bonds.glue)


def time_steps(law: Law, world: World) -> TimeSteps:
    """Return the time step to take and the longest one, for contacts, media and bonds alike.

    Grains that touch at many points from the start ask for shorter steps than one contact does.
    """
    steps = law.time_steps(*world.sizes())
    steps = TimeSteps(steps.recommended * min(1.0, FEW / max(most_points(world), 1)), steps.longest)
    known = np.isfinite(steps.recommended)  # or the law cannot tell, and the user must
    others = [drag_steps(law, world)] + ([_bond_steps(world)] if len(world.bonds) else [])
    return TimeSteps(
        min(steps.recommended, *(other.recommended for other in others)) if known
        else steps.recommended, min(steps.longest, *(other.longest for other in others)))


def _bond_steps(world: World) -> TimeSteps:
    """Return a fiftieth of the shortest period, and half of what is stable.

    With displacements u and bonds of stiffness k along n between masses m and m',

        Σ k (n·u - n·u')² <= Σ k w (m (n·u)² + m' (n·u')²),  w = 1/m + 1/m'

    so the square of no frequency exceeds the largest eigenvalue of Σ k w n nᵀ over the bonds of
    one grain; two grains on one bond meet it. With damping coefficients in place of stiffnesses
    the same bounds the rate γ = 2 ζ ω of damping. The step of `integrate`, which has the force at
    the predicted velocity, is stable up to ω dt = 2 (sqrt(1 + g²) - g), g = γ / ω.
    """
    bonds, grains = world.bonds, world.grains
    first, second = ends_of(world)
    stiffness = np.zeros(len(bonds))
    for number, glue in enumerate(world.glues):
        mine = bonds.glue == number
        stiffness[mine] = glue.stiffness_within(bonds.rest[mine], MEANT)
    way = grains.position[second] - grains.position[first]
    period = world.periods()
    way -= np.where(period > 0.0, period * np.rint(way / np.where(period > 0.0, period, 1.0)), 0.0)
    n = way / np.linalg.norm(way, axis=1)[:, None]
    w = 1.0 / grains.mass[first] + 1.0 / grains.mass[second]
    damping = numbers_of(world)[:, DAMPER] / np.sqrt(w)
    outer = n[:, :, None] * n[:, None, :]

    def largest(per_bond: FloatArray) -> float:
        total = np.zeros((len(grains), 3, 3))
        part = (per_bond * w)[:, None, None] * outer
        np.add.at(total, first, part)
        np.add.at(total, second, part)
        return float(np.linalg.eigvalsh(total).max())

    omega = np.sqrt(largest(stiffness))
    g = largest(damping) / omega
    longest = SAFETY * 2.0 * (np.sqrt(1.0 + g**2) - g) / omega
    return TimeSteps(min(2.0 * np.pi / (STEPS * omega), 0.5 * longest), longest)
