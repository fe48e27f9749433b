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
    COUPLE,
    DEEPEST,
    FORCE,
    FULL,
    GOING,
    KEPT,
    LANES,
    LARGE,
    OVERLAP,
    ROLLING,
    ROWS,
    SMALL,
    SPRING,
    TORQUE,
    TURNING,
    WAITING,
    ZERO,
    make_keep,
    make_push,
    meet,
    part,
    resist,
    turn_and_stretch,
)
from granum.contact.model import Model, make_unpack
from granum.prefetch import prefetch
from granum.vector_rows import EIGHT, FOUR, ONE, add_to_row, flat, read_row, write_row

CACHED = 20_000  # grains that a processor's own caches serve well without being asked


class History(NamedTuple):
    """What contacts remember: one slot for each candidate."""

    spring: NDArray[np.float64]  # (slots, width) spring [m]; last sweep that saw it touch; state


class Numbers(NamedTuple):
    """The numbers of a law, as the sweeps take them."""

    p: NDArray[np.float64]  # coefficients; of all pairs of materials where they differ
    materials: np.uint64  # how many materials there are
    gap: float  # how far apart grains may be and still feel each other [m]
    step: float  # time step [s]


class Scratch(NamedTuple):
    """Room for one batch in each block, and what a sweep reports."""

    table: NDArray[np.float64]  # (blocks, ROWS, 4)
    columns: NDArray[np.float64]  # (blocks, COLUMNS)
    waiting: NDArray[np.float64]  # (blocks, 2, WAITING) where touching pairs are, two batches
    slot: NDArray[np.uint64]  # (blocks, 5, LANES) candidate slot of each lane; room for more
    kind: NDArray[np.uint64]  # (blocks, LANES) where the coefficients of each lane begin
    state: NDArray[np.float64]  # (blocks, numbers LANES) what contacts remember beside the spring
    deep: NDArray[np.int64]  # (blocks, 2) a grain too deep in its partner (or wall: -1 - w), or -1
    push: NDArray[np.float64]  # (blocks, bodies, 8) force and torque on bodies of walls
    kept: NDArray[np.float64]  # (slots, KEPT) forces of pairs, where their work is counted
    kept_walls: NDArray[np.float64]  # (wall slots, KEPT) and of contacts with walls
    kept_rims: NDArray[np.float64]  # (rim slots, KEPT) and with rims of walls
    share: NDArray[np.float64]  # (blocks, LANES, 16) how features share in their contacts
    ends: NDArray[np.float64]  # (blocks, 4, 8) forces of the ends of an edge that crosses a ridge


def make_scratch(blocks: int, model: Model, bodies: int, slots: tuple[int, int, int]) -> Scratch:
    """Return scratch for ``blocks`` blocks of grains and ``bodies`` bodies of walls.

    ``slots`` tells how many candidates of pairs, of walls and of their rims there are.
    """
    kept = slots if model.counted else (0, 0, 0)
    pairs, walls, rims = (np.zeros((count, KEPT)) for count in kept)
    return Scratch(
        aligned(blocks * ROWS, 4).reshape(blocks, ROWS, 4),
        aligned(blocks, COLUMNS),
        aligned(2 * blocks, WAITING).reshape(blocks, 2, WAITING),
        np.zeros((blocks, 5, LANES), dtype=np.uint64),
        np.zeros((blocks, LANES), dtype=np.uint64),
        aligned(blocks, max(1, len(model.signs)) * LANES),
        np.full((blocks, 8), -1, dtype=np.int64),
        aligned(blocks * bodies, 8).reshape(blocks, bodies, 8),
        pairs, walls, rims,
        aligned(blocks * LANES, 16).reshape(blocks, LANES, 16),
        aligned(blocks * 4, 8).reshape(blocks, 4, 8),
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
def _note_deep(b, c, w, lanes, pairs, slot, deep):
    """Write down the first pair of the batch that is too deep."""
    for m in range(lanes):
        if c[OVERLAP + m] > DEEPEST * w[SMALL + m]:
            deep[b, 0] = pairs.owner[slot[m]]
            deep[b, 1] = pairs.partner[slot[m]]
            return


def make_gather(model: Model) -> Callable[..., Any]:
    """Return the function that brings what touching pairs need into the batch."""
    width = np.uintp(model.width)
    mixed, rolls, count = model.mixed, model.couple is not None, len(model.signs)
    coefficients = np.uintp(model.coefficients)

    @register_jitable
    def gather(a, w, state, kind, lanes, V, W, material, pairs, slot, spring, materials):
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
            if rolls:
                write_row(a, ROLLING + q, xj - xi, yj - yi, zj - zi, 0.0)
            if mixed:
                pair = material[pairs.owner[k]] * materials + material[pairs.partner[k]]
                kind[m] = coefficients * pair
            x, y, z, stamp = read_row(spring, width * k)
            write_row(a, SPRING + q, x, y, z, stamp)
            for s in range(count):
                state[np.uintp(s * LANES) + m] = spring[width * k + np.uintp(4 + s)]

    return gather


def make_scatter(model: Model) -> Callable[..., Any]:
    """Return the function that adds forces and torques to both partners, and keeps the history."""
    width = np.uintp(model.width)
    rolls, count = model.couple is not None, len(model.signs)
    on_partner = COUPLE if rolls else TORQUE

    @register_jitable
    def scatter(a, state, lanes, F, pairs, slot, spring):
        for m in range(lanes):
            k = slot[m]
            i = EIGHT * pairs.owner[k]
            j = EIGHT * pairs.target[k]
            q = FOUR * m
            x, y, z, stamp = read_row(a, SPRING + q)
            write_row(spring, width * k, x, y, z, stamp)
            for s in range(count):
                spring[width * k + np.uintp(4 + s)] = state[np.uintp(s * LANES) + m]
            fx, fy, fz, f0 = read_row(a, FORCE + q)
            tx, ty, tz, t0 = read_row(a, TORQUE + q)
            ux, uy, uz, u0 = read_row(a, on_partner + q)
            add_to_row(F, i, fx, fy, fz, f0)
            add_to_row(F, i + FOUR, tx, ty, tz, t0)
            add_to_row(F, j, -fx, -fy, -fz, -f0)
            add_to_row(F, j + FOUR, ux, uy, uz, u0)

    return scatter


def make_sweep(model: Model, periodic: bool) -> Callable[..., Any]:
    """Return the sweep over one block's pairs, with the law compiled in."""
    push, gather, scatter = make_push(model), make_gather(model), make_scatter(model)
    rolls, far, counted, keep = model.couple is not None, model.far, model.counted, make_keep(model)
    coefficients_of = make_unpack(model)

    @register_jitable
    def find(k, end, X, pairs, L, half, gap, w, slot):
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
            if far:
                reach += gap
            m += ONE if dx * dx + dy * dy + dz * dz < reach * reach else ZERO
            k += ONE
        return m, k

    @register_jitable
    def sweep(b, rows, F, pairs, history, now, law, past, ahead, L, scratch):
        """Find the touching pairs of block b and add their forces.

        While one batch is worked on, what the next one needs is on its way from memory.
        """
        X, V, W, material = flat(rows.X), flat(rows.V), flat(rows.W), rows.material
        spring, flat_F = flat(history.spring), flat(F)
        a = flat(scratch.table[b])
        c, state, kind = scratch.columns[b], scratch.state[b], scratch.kind[b]
        w, next_w = scratch.waiting[b, 0], scratch.waiting[b, 1]
        slot, next_slot = scratch.slot[b, 0], scratch.slot[b, 1]
        half = half_period(L[0]), half_period(L[1]), half_period(L[2])
        p = coefficients_of(law.p)
        foresee = rows.X.shape[0] > CACHED
        end = pairs.last[b]
        m, k = find(pairs.first[b], end, X, pairs, L, half, law.gap, w, slot)
        while m > ZERO:
            next_m, k = find(k, end, X, pairs, L, half, law.gap, next_w, next_slot)
            if foresee:
                _foresee(next_m, rows.V, rows.W, F, pairs, next_slot, history)
                _look_ahead(k, end, rows.X, pairs)
            gather(a, w, state, kind, m, V, W, material, pairs, slot, spring, law.materials)
            if meet(a, c, w, m):
                _note_deep(b, c, w, m, pairs, slot, scratch.deep)
            turn_and_stretch(a, c, m, past, ahead, now - 1.0)
            push(a, c, w, state, kind, m, p, now - 1.0, law.step, past, ahead)
            part(a, c, m, ahead, now, far)
            if rolls:
                resist(a, c, w, m)
            if counted:
                keep(c, m, slot, scratch.kept)
            scatter(a, state, m, flat_F, pairs, slot, spring)
            w, next_w = next_w, w
            slot, next_slot = next_slot, slot
            m = next_m

    return sweep
