"""The sweep: from candidate pairs to forces, in one pass over a block of grains.

Normals point from i to j (from the grain to the wall), and the overlap is positive in contact. The
contact point divides the line between the centres in proportion to the radii: the arms are

    a_i = r_i d / (r_i + r_j),  a_j = r_j d / (r_i + r_j),  d the distance

so force and counter-force meet in one point and angular momentum is kept to rounding; against a
wall, a grain without end, the arm is the radius (Ferrez 3.16). Both torques are then a_i and a_j
times the same vector, and what is summed is torque for each metre of radius.

Forces are added in the order of the pairs, so neither batches nor threads change a bit.

Legend: X (n,4) position and radius; V (n,4) velocity and 1/m; W (n,4) spin and r/I;
F (rows,8) force and torque over radius.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.compile import aligned
from granum.contact.batch import (
    COLUMNS,
    DEEPEST,
    FORCE,
    FULL,
    GOING,
    LANES,
    LARGE,
    OVERLAP,
    ROWS,
    SMALL,
    SPRING,
    TORQUE,
    TURNING,
    WAITING,
    ZERO,
    make_push,
    meet,
    part,
    turn_and_stretch,
)
from granum.prefetch import prefetch
from granum.vector_rows import EIGHT, FOUR, ONE, add_to_row, flat, read_row, write_row

CACHED = 20_000  # grains that a processor's own caches serve well without being asked


class History(NamedTuple):
    """What contacts remember: one slot for each candidate."""

    spring: NDArray[np.float64]  # (slots, 4) tangential spring [m]; last sweep that saw it touch


class Scratch(NamedTuple):
    """Room for one batch in each block, and what a sweep reports."""

    table: NDArray[np.float64]  # (blocks, ROWS, 4)
    columns: NDArray[np.float64]  # (blocks, COLUMNS)
    waiting: NDArray[np.float64]  # (blocks, 2, WAITING) where touching pairs are, two batches
    slot: NDArray[np.uint64]  # (blocks, 2, LANES) candidate slot of each lane
    deep: NDArray[np.int64]  # (blocks, 2) a grain too deep in its partner (or wall: -1 - w), or -1


def make_scratch(blocks: int) -> Scratch:
    """Return scratch for ``blocks`` blocks."""
    return Scratch(
        aligned(blocks * ROWS, 4).reshape(blocks, ROWS, 4),
        aligned(blocks, COLUMNS),
        aligned(2 * blocks, WAITING).reshape(blocks, 2, WAITING),
        np.zeros((blocks, 2, LANES), dtype=np.uint64),
        np.full((blocks, 8), -1, dtype=np.int64),
    )


@register_jitable
def half_period(length):
    """Return half a period, or infinity where there is none (length 0)."""
    return 0.5 * length if length > 0.0 else np.inf


@register_jitable
def nearest_image(d, length, half):
    """Return a difference of coordinates in the cell [0, length) to the nearest image."""
    d -= length if d > half else 0.0
    d += length if d < -half else 0.0
    return d


@register_jitable
def _gather(a, w, lanes, V, W, pairs, slot, spring):
    """Bring what the touching pairs need into the batch."""
    for m in range(lanes):
        k = slot[m]
        i = FOUR * pairs.owner[k]
        j = FOUR * pairs.partner[k]
        q = FOUR * m
        ri, rj = w[SMALL + m], w[LARGE + m]
        xi, yi, zi, wi = read_row(V, i)
        xj, yj, zj, wj = read_row(V, j)
        write_row(a, GOING + q, xj - xi, yj - yi, zj - zi, wj + wi)
        xi, yi, zi, wi = read_row(W, i)
        xj, yj, zj, wj = read_row(W, j)
        write_row(a, TURNING + q, rj * xj + ri * xi, rj * yj + ri * yi, rj * zj + ri * zi,
                  rj * wj + ri * wi)
        x, y, z, w0 = read_row(spring, FOUR * k)
        write_row(a, SPRING + q, x, y, z, w0)


@register_jitable
def _foresee(lanes, V, W, F, pairs, slot, history):
    """Ask for the rows that the batch is about to need."""
    for m in range(lanes):
        k = slot[m]
        prefetch(V, pairs.partner[k])
        prefetch(W, pairs.partner[k])
        prefetch(F, pairs.target[k])
        prefetch(history.spring, k)


@register_jitable
def _look_ahead(k, end, X, pairs):
    """Ask for the positions of the pairs that are tested next."""
    for ahead in range(k, min(k + FULL + FULL, end)):
        prefetch(X, pairs.partner[ahead])


@register_jitable
def _scatter(a, lanes, F, pairs, slot, spring):
    """Add forces and torques to both partners, pair after pair, and keep the springs."""
    for m in range(lanes):
        k = slot[m]
        i = EIGHT * pairs.owner[k]
        j = EIGHT * pairs.target[k]
        q = FOUR * m
        x, y, z, w = read_row(a, SPRING + q)
        write_row(spring, FOUR * k, x, y, z, w)
        fx, fy, fz, f0 = read_row(a, FORCE + q)
        tx, ty, tz, t0 = read_row(a, TORQUE + q)
        add_to_row(F, i, fx, fy, fz, f0)
        add_to_row(F, i + FOUR, tx, ty, tz, t0)
        add_to_row(F, j, -fx, -fy, -fz, -f0)
        add_to_row(F, j + FOUR, tx, ty, tz, t0)


@register_jitable
def _note_deep(b, c, w, lanes, pairs, slot, deep):
    """Write down the first pair of the batch that is too deep."""
    for m in range(lanes):
        if c[OVERLAP + m] > DEEPEST * w[SMALL + m]:
            deep[b, 0] = pairs.owner[slot[m]]
            deep[b, 1] = pairs.partner[slot[m]]
            return


def make_sweep(force: Callable[..., Any], periodic: bool) -> Callable[..., Any]:
    """Return the sweep over one block's pairs, with the law ``force`` compiled in."""
    push = make_push(force)

    @register_jitable
    def _find(k, end, X, pairs, L, half, w, slot):
        """Collect the next pairs that touch, from slot k on; return how many, and where to go on.

        The number of every pair is written into the next lane, and the lane is kept if the pair
        touches: no branch for the processor to guess.
        """
        m = ZERO
        while k < end and m < FULL:
            xi, yi, zi, ri = read_row(X, FOUR * pairs.owner[k])
            xj, yj, zj, rj = read_row(X, FOUR * pairs.partner[k])
            dx, dy, dz = xj - xi, yj - yi, zj - zi
            if periodic and pairs.wraps[k]:
                dx = nearest_image(dx, L[0], half[0])
                dy = nearest_image(dy, L[1], half[1])
                dz = nearest_image(dz, L[2], half[2])
            reach = ri + rj
            slot[m] = k
            write_row(w, FOUR * m, dx, dy, dz, reach)
            w[SMALL + m] = ri  # the owner is the smaller one
            w[LARGE + m] = rj
            m += ONE if dx * dx + dy * dy + dz * dz < reach * reach else ZERO
            k += ONE
        return m, k

    @register_jitable
    def sweep(b, rows, F, pairs, history, now, p, past, ahead, L, scratch):
        """Find the touching pairs of block b and add their forces.

        While one batch is worked on, what the next one needs is on its way from memory.
        """
        X, V, W = flat(rows.X), flat(rows.V), flat(rows.W)
        spring, flat_F = flat(history.spring), flat(F)
        a = flat(scratch.table[b])
        c = scratch.columns[b]
        w, next_w = scratch.waiting[b, 0], scratch.waiting[b, 1]
        slot, next_slot = scratch.slot[b, 0], scratch.slot[b, 1]
        half = half_period(L[0]), half_period(L[1]), half_period(L[2])
        foresee = rows.X.shape[0] > CACHED
        end = pairs.last[b]
        m, k = _find(pairs.first[b], end, X, pairs, L, half, w, slot)
        while m > ZERO:
            next_m, k = _find(k, end, X, pairs, L, half, next_w, next_slot)
            if foresee:
                _foresee(next_m, rows.V, rows.W, F, pairs, next_slot, history)
                _look_ahead(k, end, rows.X, pairs)
            _gather(a, w, m, V, W, pairs, slot, spring)
            if meet(a, c, w, m):
                _note_deep(b, c, w, m, pairs, slot, scratch.deep)
            turn_and_stretch(a, c, m, past, ahead, now - 1.0)
            push(c, m, p)
            part(a, c, m, ahead, now)
            _scatter(a, m, flat_F, pairs, slot, spring)
            w, next_w = next_w, w
            slot, next_slot = next_slot, slot
            m = next_m

    return sweep
