"""Bonds of glued spheres: their forces, and keeping them out of the contact law.

Each grain adds up its own bonds, in the order of its partners' ids; so every bond is evaluated
twice, from both ends. Differences of positions and velocities are then the same numbers with the
other sign, and so is the force, to the last bit: momentum is kept, no block waits for another, and
both ends see a bond break in the same sweep.

The formulas are those of `granum.clusters.glue`. Legend: X (n,4) position and radius; V (n,4)
velocity and 1/m; F (rows,8) force and torque over radius; L (3,) period.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.clusters.glue import BREAKS, DAMPER, LONGEST, NUMBERS, SHORTEST, energy_of, pull_of
from granum.compile import kernel, parallel_kernel
from granum.contact.sweep import half_period, nearest_image
from granum.neighbours import Candidates

BLOCKS = 64  # at most; see `granum.neighbours.candidates.block_bounds`


class BondRows(NamedTuple):
    """The bonds of grains in storage order: a row for each grain, every bond in two of them."""

    begin: NDArray[np.int64]  # (n + 1,) a row's first entry
    partner: NDArray[np.int64]  # (2 b,) storage index of the other grain
    bond: NDArray[np.int64]  # (2 b,) number of the bond
    numbers: NDArray[np.float64]  # (b, NUMBERS) see `granum.clusters.glue`
    broken: NDArray[np.uint8]  # (2 b,) whether this end has broken
    breaks: NDArray[np.int64]  # (BLOCKS, 8) ends of a block that have broken
    force: NDArray[np.float64]  # (2 b, 3) of the last sweep on this end [N]


def lay_bonds(first: NDArray[np.int64], second: NDArray[np.int64], numbers: NDArray[np.float64],
              grains: int) -> BondRows:
    """Return the bonds in rows.

    Args:
        first: (b,) storage index of one end; bonds are in the order of both ends' ids.
        second: (b,) storage index of the other end.
        numbers: (b, NUMBERS) of each bond.
        grains: how many there are.
    """
    here = np.concatenate([second, first])  # lower partners first: the order of their ids
    partner = np.concatenate([first, second])
    bond = np.tile(np.arange(len(first)), 2)
    order = np.argsort(here, kind="stable")
    begin = np.concatenate([[0], np.cumsum(np.bincount(here, minlength=grains))])
    return BondRows(begin.astype(np.int64), partner[order], bond[order], numbers,
                    np.zeros(len(here), dtype=np.uint8), np.zeros((BLOCKS, 8), dtype=np.int64),
                    np.zeros((len(here), 3)))


def no_bond_rows() -> BondRows:
    """Return rows for a world without glue."""
    none = np.zeros(0, dtype=np.int64)
    return lay_bonds(none, none, np.zeros((0, NUMBERS)), 0)


@kernel
def any_broken(breaks):
    """Tell whether any bond has broken since the rows were laid."""
    found = False
    for b in range(breaks.shape[0]):
        found = found or breaks[b, 0] > 0
    return found


@register_jitable
def _between(X, i, j, L):
    """Return the way from i to the nearest image of j, and its length."""
    dx = nearest_image(X[j, 0] - X[i, 0], L[0], half_period(L[0]))
    dy = nearest_image(X[j, 1] - X[i, 1], L[1], half_period(L[1]))
    dz = nearest_image(X[j, 2] - X[i, 2], L[2], half_period(L[2]))
    return dx, dy, dz, np.sqrt(dx * dx + dy * dy + dz * dz)


@parallel_kernel
def pull_bonds(block, rows, F, bonds, L, deep):
    """Add the forces of all bonds to the grains, block by block; note what breaks."""
    for b in numba.prange(block.size - 1):
        first, last = np.int64(block[b]), np.int64(block[b + 1])
        _pull_block(b, first, last, rows.X, rows.V, F, bonds, L, deep)


@kernel
def _pull_block(b, first, last, X, V, F, bonds, L, deep):
    """Add the forces of their bonds to grains first to last, which are block b."""
    for i in range(first, last):
        begin, end = bonds.begin[i], bonds.begin[i + 1]
        if begin == end:
            continue
        fx = fy = fz = 0.0
        for e in range(begin, end):
            bonds.force[e, 0] = bonds.force[e, 1] = bonds.force[e, 2] = 0.0
            if bonds.broken[e]:
                continue
            j = bonds.partner[e]
            k, numbers = bonds.bond[e], bonds.numbers
            dx, dy, dz, d = _between(X, i, j, L)
            if d > numbers[k, BREAKS]:
                bonds.broken[e] = 1
                bonds.breaks[b, 0] += 1
                continue
            if not numbers[k, SHORTEST] <= d <= numbers[k, LONGEST]:
                deep[b, 0], deep[b, 1], deep[b, 2] = i, j, k
            rate = ((V[j, 0] - V[i, 0]) * dx + (V[j, 1] - V[i, 1]) * dy
                    + (V[j, 2] - V[i, 2]) * dz) / d
            damping = numbers[k, DAMPER] / np.sqrt(V[i, 3] + V[j, 3])
            pull = (pull_of(numbers, k, d) + damping * rate) / d
            px, py, pz = pull * dx, pull * dy, pull * dz
            bonds.force[e, 0], bonds.force[e, 1], bonds.force[e, 2] = px, py, pz
            fx, fy, fz = fx + px, fy + py, fz + pz
        F[i, 0] += fx
        F[i, 1] += fy
        F[i, 2] += fz


@parallel_kernel
def leave_out(block, begin, end, first, last, owner, partner, target, wraps, row, glued, broken):
    """Take the glued pairs out of the candidates, and close the gaps they leave in the rows.

    ``row`` and ``glued`` are begin and partner of `BondRows`; bonds that have broken do not count.
    """
    for b in numba.prange(block.size - 1):
        place = np.int64(first[b])
        for i in range(np.int64(block[b]), np.int64(block[b + 1])):
            start, stop = np.int64(begin[i]), np.int64(end[i])
            begin[i] = place
            for k in range(start, stop):
                is_glued = False
                for e in range(row[i], row[i + 1]):
                    same = glued[e] == np.int64(partner[k])
                    is_glued = is_glued or (same and not broken[e])
                if not is_glued:
                    owner[place], partner[place] = owner[k], partner[k]
                    target[place], wraps[place] = target[k], wraps[k]
                    place += 1
            end[i] = place
        last[b] = place


def without_glued(pairs: Candidates, bonds: BondRows) -> Candidates:
    """Return the candidates without the pairs that are glued; their arrays are changed."""
    leave_out(pairs.block, pairs.begin, pairs.end, pairs.first, pairs.last, pairs.owner,
              pairs.partner, pairs.target, pairs.wraps, bonds.begin, bonds.partner, bonds.broken)
    return pairs


@kernel
def measure_bonds(X, first, second, numbers, L, out):
    """Write distance [m], pull without damping [N] and energy [J] of each bond, (b,3)."""
    for k in range(first.size):
        _, _, _, d = _between(X, first[k], second[k], L)
        out[k, 0], out[k, 1], out[k, 2] = d, pull_of(numbers, k, d), energy_of(numbers, k, d)


@kernel
def energy_in_bonds(X, bonds, L):
    """Return what all bonds that hold have stored [J]."""
    total = 0.0
    for i in range(bonds.begin.size - 1):
        for e in range(bonds.begin[i], bonds.begin[i + 1]):
            j = bonds.partner[e]
            if i < j and not bonds.broken[e]:
                _, _, _, d = _between(X, i, j, L)
                total += energy_of(bonds.numbers, bonds.bond[e], d)
    return total
