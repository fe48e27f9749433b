"""The sweep: from candidate pairs to forces, in one pass over a block of grains.

Normals point from i to j (from the grain to the wall), and the overlap is positive in contact. The
contact point divides the line between the centres in proportion to the radii: the arms are

    a_i = r_i d / (r_i + r_j),  a_j = r_j d / (r_i + r_j),  d the distance

so force and counter-force meet in one point and angular momentum is kept to rounding; against a
wall, a grain without end, the arm is the radius (Ferrez 3.16). Both torques are then a_i and a_j
times the same vector, and what is summed is torque for each metre of radius.

Pairs that touch are collected in batches of ``LANES``; the arithmetic then runs over flat rows of
one scratch array, which the compiler turns into vector instructions (only with unsigned indices:
signed ones may count from the end, which it cannot rule out). Forces are added in the order of the
pairs, so neither batches nor threads change a bit.

Legend: X (n,4) position and radius; V (n,8) velocity, 1/m, spin, r²/I; F (rows,8) force and torque
over radius; s tangential spring; u slip velocity; W sum of spin times radius.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from granum.compile import aligned

LANES = 64
ROWS = 22
DEEPEST = 0.5  # overlap, as a share of the smaller radius, that counts as trouble
ZERO = np.uintp(0)
ONE = np.uintp(1)
FULL = np.uintp(LANES)
# where the rows of a batch begin: what a pair brings in ...
(DX, DY, DZ, D2, REACH, VX, VY, VZ, WX, WY, WZ, IM, IA, SX, SY, SZ,
 # ... and what the law makes of it, besides the new spring s
 FX, FY, FZ, TX, TY, TZ) = (np.uintp(k * LANES) for k in range(ROWS))


class History(NamedTuple):
    """What contacts remember: one slot for each candidate."""

    spring: NDArray[np.float64]  # (slots, 3) tangential spring [m]
    touched: NDArray[np.int32]  # (slots,) number of the sweep that last found it touching


class Scratch(NamedTuple):
    """Room for one batch in each block, and what a sweep reports."""

    batch: NDArray[np.float64]  # (blocks, ROWS * LANES)
    slot: NDArray[np.uint64]  # (blocks, LANES) candidate slot of each lane
    deep: NDArray[np.int64]  # (blocks, 2) a grain too deep in its partner (or wall: -1 - w), or -1


def make_scratch(blocks: int) -> Scratch:
    """Return scratch for ``blocks`` blocks; rows are padded so that no two share a cache line."""
    return Scratch(
        aligned(blocks, ROWS * LANES + 8),
        np.zeros((blocks, LANES), dtype=np.uint64),
        np.full((blocks, 8), -1, dtype=np.int64),
    )


@register_jitable
def turn(sx, sy, sz, nx, ny, nz, twist=0.0):
    """Turn a spring with the contact plane, keeping its length.

    The part along the normal is what the plane has turned away since the last step; taking it off
    shortens the spring by the cosine of that angle, which the factor gives back. ``twist`` is the
    angle by which the two grains have turned together about the normal [rad].
    """
    along = sx * nx + sy * ny + sz * nz
    before = sx * sx + sy * sy + sz * sz
    sx, sy, sz = (
        sx - along * nx + twist * (ny * sz - nz * sy),
        sy - along * ny + twist * (nz * sx - nx * sz),
        sz - along * nz + twist * (nx * sy - ny * sx),
    )
    after = sx * sx + sy * sy + sz * sz
    longer = np.sqrt(before / after) if after > 0.0 else 1.0
    return sx * longer, sy * longer, sz * longer


@register_jitable
def half_period(length):
    """Return half a period, or infinity where there is none (length 0)."""
    return 0.5 * length if length > 0.0 else np.inf


@register_jitable
def nearest_image(d, length, half):
    """Return a difference of coordinates in the cell [0, length) to the nearest image."""
    if d > half:
        d -= length
    elif d < -half:
        d += length
    return d


def make_pair_force(force: Callable[..., Any]) -> Callable[..., Any]:
    """Return the arithmetic of one contact, with the law ``force`` compiled in."""

    @register_jitable(inline="always")  # or the loop over lanes is not vectorised
    def pair_force(p, past, ahead, delta, nx, ny, nz, vx, vy, vz, m_n, m_t, spin, sx, sy, sz):
        """Return force on i, torque for each metre of arm, and the new spring.

        v is the velocity of j relative to i at the contact point, m_n and m_t the effective masses
        of approach and of slip, spin that of both grains together about the normal. The spring is
        remembered half a step ahead: it is stretched by ``past`` [s] of slip before the law sees it
        and by ``ahead`` [s] after, so that slip, like approach, is met to second order.
        """
        along = vx * nx + vy * ny + vz * nz
        ux = vx - along * nx
        uy = vy - along * ny
        uz = vz - along * nz
        sx, sy, sz = turn(sx, sy, sz, nx, ny, nz, (past + ahead) * spin)
        sx += ux * past
        sy += uy * past
        sz += uz * past
        f, tx, ty, tz, sx, sy, sz = force(
            p, delta, -along, m_n, m_t, sx, sy, sz, ux, uy, uz
        )
        sx += ux * ahead
        sy += uy * ahead
        sz += uz * ahead
        return (
            tx - f * nx, ty - f * ny, tz - f * nz,
            ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx,
            sx, sy, sz,
        )

    return pair_force


def make_sweep(force: Callable[..., Any], periodic: bool) -> Callable[..., Any]:
    """Return the sweep over one block's pairs, with the law ``force`` compiled in."""
    pair_force = make_pair_force(force)

    @register_jitable
    def _gather(c, lanes, X, V, pairs, slot, history, last, b, deep):
        """Bring what the touching pairs need into the batch."""
        for m in range(lanes):
            k = slot[m]
            i = pairs.owner[k]
            j = pairs.partner[k]
            ri, rj = X[i, 3], X[j, 3]
            shallow = ri + rj - DEEPEST * ri  # the owner is the smaller one
            if c[D2 + m] < shallow * shallow:
                deep[b, 0] = i
                deep[b, 1] = j
            c[REACH + m] = ri + rj
            c[VX + m] = V[j, 0] - V[i, 0]
            c[VY + m] = V[j, 1] - V[i, 1]
            c[VZ + m] = V[j, 2] - V[i, 2]
            c[WX + m] = ri * V[i, 4] + rj * V[j, 4]
            c[WY + m] = ri * V[i, 5] + rj * V[j, 5]
            c[WZ + m] = ri * V[i, 6] + rj * V[j, 6]
            c[IM + m] = V[i, 3] + V[j, 3]
            c[IA + m] = V[i, 7] + V[j, 7]
            keep = 1.0 if history.touched[k] == last else 0.0
            c[SX + m] = keep * history.spring[k, 0]
            c[SY + m] = keep * history.spring[k, 1]
            c[SZ + m] = keep * history.spring[k, 2]

    @register_jitable
    def _evaluate(c, lanes, p, past, ahead):
        """Compute force, torque over radius, and spring of all lanes."""
        for m in range(lanes):
            distance = np.sqrt(c[D2 + m])
            reach = c[REACH + m]
            im = c[IM + m]
            ia = im + c[IA + m]
            # one division for four: 1/distance, 1/reach, 1/im and 1/ia
            lengths, masses = distance * reach, im * ia
            one = 1.0 / (lengths * masses)
            per_length, per_mass = one * masses, one * lengths
            per = per_length * reach
            arm = per_length * distance * distance
            nx = c[DX + m] * per
            ny = c[DY + m] * per
            nz = c[DZ + m] * per
            wx = arm * c[WX + m]
            wy = arm * c[WY + m]
            wz = arm * c[WZ + m]
            fx, fy, fz, tx, ty, tz, sx, sy, sz = pair_force(
                p, past, ahead, reach - distance, nx, ny, nz,
                c[VX + m] + ny * wz - nz * wy,
                c[VY + m] + nz * wx - nx * wz,
                c[VZ + m] + nx * wy - ny * wx,
                per_mass * ia, per_mass * im, per * (wx * nx + wy * ny + wz * nz),
                c[SX + m], c[SY + m], c[SZ + m],
            )
            c[SX + m] = sx
            c[SY + m] = sy
            c[SZ + m] = sz
            c[FX + m] = fx
            c[FY + m] = fy
            c[FZ + m] = fz
            c[TX + m] = arm * tx
            c[TY + m] = arm * ty
            c[TZ + m] = arm * tz

    @register_jitable
    def _scatter(c, lanes, F, pairs, slot, history, now):
        """Add forces and torques to both partners, pair after pair, and keep the springs."""
        for m in range(lanes):
            k = slot[m]
            i = pairs.owner[k]
            row = pairs.target[k]
            fx, fy, fz = c[FX + m], c[FY + m], c[FZ + m]
            tx, ty, tz = c[TX + m], c[TY + m], c[TZ + m]
            F[i, 0] += fx
            F[i, 1] += fy
            F[i, 2] += fz
            F[i, 4] += tx
            F[i, 5] += ty
            F[i, 6] += tz
            F[row, 0] -= fx
            F[row, 1] -= fy
            F[row, 2] -= fz
            F[row, 4] += tx
            F[row, 5] += ty
            F[row, 6] += tz
            history.spring[k, 0] = c[SX + m]
            history.spring[k, 1] = c[SY + m]
            history.spring[k, 2] = c[SZ + m]
            history.touched[k] = now

    @register_jitable
    def sweep(b, X, V, F, pairs, history, now, p, past, ahead, L, scratch):
        """Find the touching pairs of block b and add their forces.

        Every pair is written into the next lane, and the lane is kept if the pair touches: no
        branch for the processor to guess.
        """
        c = scratch.batch[b]
        slot = scratch.slot[b]
        hx, hy, hz = half_period(L[0]), half_period(L[1]), half_period(L[2])
        m = ZERO
        for k in range(pairs.first[b], pairs.last[b]):
            i = pairs.owner[k]
            j = pairs.partner[k]
            dx = X[j, 0] - X[i, 0]
            dy = X[j, 1] - X[i, 1]
            dz = X[j, 2] - X[i, 2]
            if periodic:
                dx = nearest_image(dx, L[0], hx)
                dy = nearest_image(dy, L[1], hy)
                dz = nearest_image(dz, L[2], hz)
            d2 = dx * dx + dy * dy + dz * dz
            reach = X[i, 3] + X[j, 3]
            c[DX + m] = dx
            c[DY + m] = dy
            c[DZ + m] = dz
            c[D2 + m] = d2
            slot[m] = k
            m += ONE if d2 < reach * reach else ZERO
            if m == FULL:
                _gather(c, FULL, X, V, pairs, slot, history, now - 1, b, scratch.deep)
                _evaluate(c, FULL, p, past, ahead)
                _scatter(c, FULL, F, pairs, slot, history, now)
                m = ZERO
        _gather(c, m, X, V, pairs, slot, history, now - 1, b, scratch.deep)
        _evaluate(c, m, p, past, ahead)
        _scatter(c, m, F, pairs, slot, history, now)

    return sweep
