"""The mean stress in a region.

    σ = -(1/V) Σ_c (w_i a_i - w_j a_j) ⊗ f  +  (1/V) Σ_i m_i u_i ⊗ u_i

over all contacts c: f the force on grain i, a_i and a_j the arms from the centres of i and j to the
contact point, w_i and w_j the shares of these two arms that lie in the region, V its volume (Love
and Weber; Christoffersen, Mehrabadi and Nemat-Nasser, J. Appl. Mech. 48 (1981) 339). With the
shares, the means over layers are those of the force that is carried at each height. At a wall there
is one arm. The second sum is left out unless asked for: the kinetic part, with the velocities u_i
of the grains in the region less their mean.

Pressure is positive, as in soil mechanics, [Pa]; in 2D [N/m]. σ_ab is the force along b across
planes of normal a. It is symmetric where no grain is accelerated to spin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from granum.checks import FloatArray
from granum.contact.table import Contacts
from granum.measures.density import WHOLE
from granum.measures.measure import Look, Measure, Values
from granum.measures.region import BoxRegion, Region, Settled, centres_in, shifts_to
from granum.walls.frame import make_frame
from granum.world import World

AXES = tuple(f"{a}{b}" for a in "xyz" for b in "xyz")


def stress(world: World, contacts: Contacts, region: Region = WHOLE, time: float = 0.0, *,
           kinetic: bool = False) -> FloatArray:
    """Return the mean stress in a region, (3,3) [Pa]; in 2D [N/m], with zeros along z.

    Args:
        world: with the grains.
        contacts: of the moment.
        region: where; the container up to the surface of the grains unless given.
        time: at which walls that move are where they are [s].
        kinetic: whether the part of the grains' own motion counts.
    """
    settled = region.settled(world, time)
    if settled is None:
        return np.full((3, 3), np.nan)
    total = np.zeros((3, 3))
    ids, centre = world.grains.id, world.grains.position
    for partner, sign in ((contacts.i, -1.0), (contacts.j, 1.0)):
        is_grain = partner >= 0
        point, force = contacts.point[is_grain], contacts.force[is_grain]
        arm = nearest(world, point - centre[np.searchsorted(ids, partner[is_grain])])
        share = sum(shares(settled, point + shift - arm, arm, world.dimension)
                    for shift in shifts_to(world, settled))
        total += sign * np.einsum("c,ca,cb->ab", share, arm, force)
    if kinetic:
        total += _kinetic(world, settled)
    return np.asarray(total / settled.volume(world.dimension))


def nearest(world: World, way: FloatArray) -> FloatArray:
    """Return ways (n,3) [m] to the nearest image in periodic directions."""
    cell = world.periods()
    whole = np.where(cell > 0.0, cell, 1.0)
    return np.asarray(way - np.where(cell > 0.0, cell * np.rint(way / whole), 0.0))


def shares(region: Settled, start: FloatArray, way: FloatArray, dimension: int) -> FloatArray:
    """Return the share of straight ways (n,3) from their starts that lies in a region, (n,)."""
    first, last = np.zeros(len(start)), np.ones(len(start))
    if isinstance(region, BoxRegion):
        low, high = np.array(region.low) - start, np.array(region.high) - start
        for axis in range(dimension):
            first, last = _between(way[:, axis], low[:, axis], high[:, axis], first, last)
        return np.maximum(last - first, 0.0)
    frame = np.stack(make_frame(region.axis))
    x, v = (start - np.array(region.base)) @ frame.T, way @ frame.T
    if dimension == 3:
        first, last = _between(v[:, 2], -x[:, 2], region.height - x[:, 2], first, last)
    a, b = (v[:, :2] ** 2).sum(axis=1), (v[:, :2] * x[:, :2]).sum(axis=1)
    c = (x[:, :2] ** 2).sum(axis=1) - region.radius**2
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    meets = b * b > a * c
    slope = np.where(a > 0.0, a, 1.0)
    enters = np.where(a > 0.0, (-b - root) / slope, np.where(c < 0.0, -np.inf, np.inf))
    leaves = np.where(a > 0.0, (-b + root) / slope, np.where(c < 0.0, np.inf, -np.inf))
    inside = np.minimum(last, leaves) - np.maximum(first, enters)
    return np.where(meets | (a == 0.0), np.maximum(inside, 0.0), 0.0)


def _between(v: FloatArray, low: FloatArray, high: FloatArray, first: FloatArray, last: FloatArray
             ) -> tuple[FloatArray, FloatArray]:
    """Return the part from ``first`` to ``last`` of ways along v that is from low to high."""
    moves = v != 0.0
    slope = np.where(moves, v, 1.0)
    ends = np.stack([low / slope, high / slope])
    inside = (low <= 0.0) & (high > 0.0)
    enters = np.where(moves, ends.min(axis=0), np.where(inside, -np.inf, np.inf))
    leaves = np.where(moves, ends.max(axis=0), np.where(inside, np.inf, -np.inf))
    return np.maximum(first, enters), np.minimum(last, leaves)


def _kinetic(world: World, region: Settled) -> FloatArray:
    inside = centres_in(world, region)
    if not inside.any():
        return np.zeros((3, 3))
    mass, u = world.grains.mass[inside], world.grains.velocity[inside]
    own = u - (mass[:, None] * u).sum(axis=0) / mass.sum()
    return np.asarray(np.einsum("i,ia,ib->ab", mass, own, own))


@dataclass(frozen=True)
class Stress(Measure):
    """The mean stress in a region; pressure is positive.

    Args:
        region: where; the container up to the surface of the grains unless given.
        kinetic: whether the part of the grains' own motion counts, too.
    """

    type_name: ClassVar[str] = "stress"
    counts_parts: ClassVar[bool] = True
    region: Region = WHOLE
    kinetic: bool = False

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        unit = "N/m" if world.dimension == 2 else "Pa"
        return (*(f"stress_{axes} [{unit}]" for axes in AXES), f"pressure [{unit}]")

    def read(self, look: Look) -> Values:
        """Return the stress, and its mean over the directions."""
        found = stress(look.world, look.contacts, self.region, look.time, kinetic=self.kinetic)
        return *found.ravel().tolist(), float(np.trace(found)) / look.world.dimension
