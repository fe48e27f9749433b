"""From a grain's centre to the closest point of a wall piece.

Conventions: the normal n is a unit vector from the centre towards the wall; the overlap of a grain
of radius r is r - distance. The distance is not negative, except behind a one-sided infinite
plane, where it is signed. A piece that is not to be touched (an edge that does not count, the back
of a one-sided face) is at distance inf with a zero normal. A centre exactly on the surface is at
distance 0, with the normal pointing away from the side where grains live.

For finite input no result is NaN. Rows are laid out in `granum.walls.piece`.
"""

from __future__ import annotations

import math

from numba.extending import register_jitable

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.walls.piece import (
    CORNER_COUNT,
    CORNER_EDGES,
    CORNER_NORMAL,
    CORNER_ONE_SIDED,
    EDGE,
    EDGE_ALONG,
    EDGE_COUNT,
    EDGE_END,
    EDGE_FACES,
    EDGE_NORMAL,
    PLANE,
    PLANE_TWO_SIDED,
    QUAD,
    QUAD_COUNT,
    QUAD_GUARD,
    QUAD_NORMAL,
    QUAD_ONE_SIDED,
    REV_ALONG,
    REV_COUNT,
    REV_GUARD,
    REV_HIGH,
    REV_LOW,
    REV_ONE_SIDED,
    REV_OPENS,
    REV_SHUT,
    REV_START,
    REVOLUTION,
    SPHERE,
    SPHERE_RADIUS,
    SPHERE_SIDE,
    TRI_ANCHOR,
    TRI_INWARDS,
    TRI_NORMAL,
    TRI_ONE_SIDED,
    TRIANGLE,
)

Found = tuple[float, float, float, float]

TINY = 1e-200
"""Squared lengths [m2] below this are zero: their roots would carry no direction."""

ROUNDING = 1e-13
"""Components of a vector, relative to its size, that are zero but for rounding."""


@kernel
def _plane(data: FloatArray, w: int, x: float, y: float, z: float) -> Found:
    nx, ny, nz = data[w, 3], data[w, 4], data[w, 5]
    d = (x - data[w, 0]) * nx + (y - data[w, 1]) * ny + (z - data[w, 2]) * nz
    if data[w, PLANE_TWO_SIDED] != 0.0 and d < 0.0:
        return -d, nx, ny, nz
    return d, -nx, -ny, -nz


@kernel
def _edge_answers(data: FloatArray, w: int, k: int, cx: float, cy: float, cz: float) -> bool:
    """Tell whether edge k counts for a centre at (cx, cy, cz) from its closest point."""
    g = QUAD_GUARD + 3 * k
    beyond = cx * data[w, g] + cy * data[w, g + 1] + cz * data[w, g + 2]
    return data[w, QUAD_COUNT + k] != 0.0 and beyond <= 0.0


@kernel
def _quad(data: FloatArray, w: int, x: float, y: float, z: float, every: bool) -> Found:
    """The face if the foot of the centre is within all four edges, else the closest edge.

    The closest boundary point of a convex polygon lies on an edge that has the centre on its outer
    side, so only those are measured. m = n x e points inwards across the edge e.
    """
    nx, ny, nz = data[w, QUAD_NORMAL], data[w, QUAD_NORMAL + 1], data[w, QUAD_NORMAL + 2]
    best = math.inf
    edge = -1
    t_best = cx = cy = cz = 0.0
    for k in range(4):
        v, q = 3 * k, 3 * ((k + 1) % 4)
        ex = data[w, q] - data[w, v]
        ey = data[w, q + 1] - data[w, v + 1]
        ez = data[w, q + 2] - data[w, v + 2]
        rx, ry, rz = x - data[w, v], y - data[w, v + 1], z - data[w, v + 2]
        mx, my, mz = ny * ez - nz * ey, nz * ex - nx * ez, nx * ey - ny * ex
        if rx * mx + ry * my + rz * mz < 0.0:
            t = (rx * ex + ry * ey + rz * ez) / (ex * ex + ey * ey + ez * ez)
            t = min(max(t, 0.0), 1.0)
            ax, ay, az = rx - t * ex, ry - t * ey, rz - t * ez
            d2 = ax * ax + ay * ay + az * az
            if d2 < best:
                best, edge, t_best, cx, cy, cz = d2, k, t, ax, ay, az
    if edge < 0:
        d = (x - data[w, 0]) * nx + (y - data[w, 1]) * ny + (z - data[w, 2]) * nz
        if d >= 0.0:
            return d, -nx, -ny, -nz
        if data[w, QUAD_ONE_SIDED] != 0.0 and not every:
            return math.inf, 0.0, 0.0, 0.0
        return -d, nx, ny, nz
    answers = _edge_answers(data, w, edge, cx, cy, cz)
    if t_best == 0.0:
        answers = answers and _edge_answers(data, w, (edge + 3) % 4, cx, cy, cz)
    elif t_best == 1.0:
        answers = answers and _edge_answers(data, w, (edge + 1) % 4, cx, cy, cz)
    if not (answers or every):
        return math.inf, 0.0, 0.0, 0.0
    d = math.sqrt(best)
    if best < TINY:
        return d, -nx, -ny, -nz
    return d, -cx / d, -cy / d, -cz / d


@kernel
def _revolution(data: FloatArray, w: int, time: float, x: float, y: float, z: float,
                every: bool) -> Found:
    """The closest point lies in the half plane through the centre: a plane problem in (rho, z).

    s: arc length of the foot along the segment's line; t: offset of the centre to its right.
    """
    dx, dy, dz = x - data[w, 0], y - data[w, 1], z - data[w, 2]
    p = dx * data[w, 3] + dy * data[w, 4] + dz * data[w, 5]
    q = dx * data[w, 6] + dy * data[w, 7] + dz * data[w, 8]
    h = dx * data[w, 9] + dy * data[w, 10] + dz * data[w, 11]
    rho2 = p * p + q * q
    rho = math.sqrt(rho2)
    cos_phi, sin_phi = 1.0, 0.0  # on the axis every azimuth is as close as any other
    if rho2 >= TINY:
        cos_phi, sin_phi = p / rho, q / rho

    u_rho, u_z = data[w, REV_ALONG], data[w, REV_ALONG + 1]
    a, b = rho - data[w, REV_START], h - data[w, REV_START + 1]
    s = a * u_rho + b * u_z
    t = a * u_z - b * u_rho
    low = data[w, REV_SHUT] if time < data[w, REV_OPENS] else data[w, REV_LOW]
    high = data[w, REV_HIGH]

    n_rho, n_z = (-u_z, u_rho) if t > 0.0 else (u_z, -u_rho)
    distance = abs(t)
    if s < low or s > high:
        end = 0 if s < low else 1
        over = low - s if s < low else high - s
        # from the centre to the end circle
        c_rho, c_z = over * u_rho - t * u_z, over * u_z + t * u_rho
        g = REV_GUARD + 2 * end
        beyond = -c_rho * data[w, g] - c_z * data[w, g + 1]
        if not every and (data[w, REV_COUNT + end] == 0.0 or beyond > 0.0):
            return math.inf, 0.0, 0.0, 0.0
        d2 = over * over + t * t
        distance = math.sqrt(d2)
        if d2 >= TINY:
            n_rho, n_z = c_rho / distance, c_z / distance
    elif t > 0.0 and data[w, REV_ONE_SIDED] != 0.0 and not every:
        return math.inf, 0.0, 0.0, 0.0
    n_p, n_q = n_rho * cos_phi, n_rho * sin_phi
    return (distance,
            n_p * data[w, 3] + n_q * data[w, 6] + n_z * data[w, 9],
            n_p * data[w, 4] + n_q * data[w, 7] + n_z * data[w, 10],
            n_p * data[w, 5] + n_q * data[w, 8] + n_z * data[w, 11])


@kernel
def _sphere(data: FloatArray, w: int, x: float, y: float, z: float) -> Found:
    dx, dy, dz = x - data[w, 0], y - data[w, 1], z - data[w, 2]
    rho2 = dx * dx + dy * dy + dz * dz
    rho = math.sqrt(rho2)
    ux, uy, uz = 0.0, 0.0, -1.0  # at the centre every direction is as close as any other
    if rho2 >= TINY:
        ux, uy, uz = dx / rho, dy / rho, dz / rho
    d = data[w, SPHERE_RADIUS] - rho
    if d < 0.0 or (d == 0.0 and data[w, SPHERE_SIDE] < 0.0):
        return -d, -ux, -uy, -uz
    return d, ux, uy, uz


@kernel
def _is_beyond(rx: float, ry: float, rz: float, ux: float, uy: float, uz: float) -> bool:
    """Tell whether s = r·u is positive; where it is 0, for r moved by (ε, ε², ε³).

    So a centre exactly between features belongs to one of them, and all agree which. Exactly is to
    `ROUNDING` of its size, or else features that share more than two numbers might disagree.
    """
    s = rx * ux + ry * uy + rz * uz
    if abs(s) > ROUNDING * (abs(rx) + abs(ry) + abs(rz)):
        return s > 0.0
    if abs(ux) > ROUNDING:
        return ux > 0.0
    return uy > 0.0 if abs(uy) > ROUNDING else uz > 0.0


@kernel
def _triangle(data: FloatArray, w: int, x: float, y: float, z: float, every: bool) -> Found:
    """The face if the foot of the centre is within all three edges, else nothing.

    With ``every`` the closest point of the whole triangle.
    """
    nx, ny, nz = data[w, TRI_NORMAL], data[w, TRI_NORMAL + 1], data[w, TRI_NORMAL + 2]
    best = math.inf
    cx = cy = cz = 0.0
    is_within = True
    for k in range(3):
        m = TRI_INWARDS + 3 * k
        ux, uy, uz = data[w, m], data[w, m + 1], data[w, m + 2]
        v = 3 * int(data[w, TRI_ANCHOR + k])
        rx, ry, rz = x - data[w, v], y - data[w, v + 1], z - data[w, v + 2]
        if _is_beyond(rx, ry, rz, ux, uy, uz):
            continue
        is_within = False
        if every:
            a, b = 3 * k, 3 * ((k + 1) % 3)
            ex, ey, ez = data[w, b] - data[w, a], data[w, b + 1] - data[w, a + 1], (
                data[w, b + 2] - data[w, a + 2])
            rx, ry, rz = x - data[w, a], y - data[w, a + 1], z - data[w, a + 2]
            t = (rx * ex + ry * ey + rz * ez) / (ex * ex + ey * ey + ez * ez)
            t = min(max(t, 0.0), 1.0)
            ax, ay, az = rx - t * ex, ry - t * ey, rz - t * ez
            d2 = ax * ax + ay * ay + az * az
            if d2 < best:
                best, cx, cy, cz = d2, ax, ay, az
    if is_within:
        h = (x - data[w, 0]) * nx + (y - data[w, 1]) * ny + (z - data[w, 2]) * nz
        if h >= 0.0:
            return h, -nx, -ny, -nz
        if every or data[w, TRI_ONE_SIDED] == 0.0:
            return -h, nx, ny, nz
        return math.inf, 0.0, 0.0, 0.0
    if every:
        return _towards(cx, cy, cz, nx, ny, nz)
    return math.inf, 0.0, 0.0, 0.0


@kernel
def _towards(cx: float, cy: float, cz: float, nx: float, ny: float, nz: float) -> Found:
    """Return distance and direction to a point from a centre c away; against n if there is none."""
    d2 = cx * cx + cy * cy + cz * cz
    d = math.sqrt(d2)
    if d2 < TINY:
        return d, -nx, -ny, -nz
    return d, -cx / d, -cy / d, -cz / d


@kernel
def _edge(data: FloatArray, w: int, x: float, y: float, z: float, every: bool) -> Found:
    """The edge where the centre is between its ends and beyond none of its faces."""
    px, py, pz = x - data[w, 0], y - data[w, 1], z - data[w, 2]
    ex, ey, ez = data[w, EDGE_ALONG], data[w, EDGE_ALONG + 1], data[w, EDGE_ALONG + 2]
    nx, ny, nz = data[w, EDGE_NORMAL], data[w, EDGE_NORMAL + 1], data[w, EDGE_NORMAL + 2]
    s = px * ex + py * ey + pz * ez
    qx, qy, qz = (x - data[w, EDGE_END], y - data[w, EDGE_END + 1], z - data[w, EDGE_END + 2])
    if not _is_beyond(px, py, pz, ex, ey, ez):
        if every:
            return _towards(px, py, pz, nx, ny, nz)
        return math.inf, 0.0, 0.0, 0.0
    if not _is_beyond(qx, qy, qz, -ex, -ey, -ez):
        if every:
            return _towards(qx, qy, qz, nx, ny, nz)
        return math.inf, 0.0, 0.0, 0.0
    if not every:
        for k in range(int(data[w, EDGE_COUNT])):
            m = EDGE_FACES + 3 * k
            ux, uy, uz = data[w, m], data[w, m + 1], data[w, m + 2]
            if _is_beyond(px, py, pz, ux, uy, uz):
                return math.inf, 0.0, 0.0, 0.0
    return _towards(px - s * ex, py - s * ey, pz - s * ez, nx, ny, nz)


@kernel
def _corner(data: FloatArray, w: int, x: float, y: float, z: float, every: bool) -> Found:
    """The corner where the centre is beyond none of its edges."""
    cx, cy, cz = x - data[w, 0], y - data[w, 1], z - data[w, 2]
    nx, ny, nz = data[w, CORNER_NORMAL], data[w, CORNER_NORMAL + 1], data[w, CORNER_NORMAL + 2]
    if not every:
        for k in range(int(data[w, CORNER_COUNT])):
            m = CORNER_EDGES + 3 * k
            ux, uy, uz = data[w, m], data[w, m + 1], data[w, m + 2]
            if _is_beyond(cx, cy, cz, ux, uy, uz):
                return math.inf, 0.0, 0.0, 0.0
        if data[w, CORNER_ONE_SIDED] != 0.0 and cx * nx + cy * ny + cz * nz < 0.0:
            return math.inf, 0.0, 0.0, 0.0
    return _towards(cx, cy, cz, nx, ny, nz)


@kernel
def _measure_mesh(kind: IntArray, data: FloatArray, w: int, x: float, y: float, z: float,
                  every: bool) -> Found:
    if kind[w] == TRIANGLE:
        return _triangle(data, w, x, y, z, every)
    if kind[w] == EDGE:
        return _edge(data, w, x, y, z, every)
    return _corner(data, w, x, y, z, every)


@kernel
def _measure(kind: IntArray, data: FloatArray, w: int, time: float, x: float, y: float, z: float,
             every: bool) -> Found:
    if kind[w] == PLANE:
        return _plane(data, w, x, y, z)
    if kind[w] == REVOLUTION:
        return _revolution(data, w, time, x, y, z, every)
    if kind[w] == QUAD:
        return _quad(data, w, x, y, z, every)
    if kind[w] == SPHERE:
        return _sphere(data, w, x, y, z)
    return _measure_mesh(kind, data, w, x, y, z, every)


@register_jitable  # not a kernel of its own: it is compiled into the sweeps, which are closures,
def closest(  # and a closure over a compiled function would never be found in the cache again
    kind: IntArray, data: FloatArray, w: int, time: float, x: float, y: float, z: float
) -> Found:
    """Return ``(distance, nx, ny, nz)`` from a centre to piece ``w`` of a wall table.

    Args:
        kind: kinds of the pieces, (w,) int64.
        data: rows of the pieces, (w, ROW) float64.
        w: index of the piece.
        time: simulated time [s]; a plate's hole is open from its time on.
        x: centre of the grain [m], at the time of the call.
        y: the same.
        z: the same.
    """
    if kind[w] == PLANE:  # short, and most common: worth no call
        return _plane(data, w, x, y, z)
    return _measure(kind, data, w, time, x, y, z, False)


@kernel
def closest_of_whole(kind: IntArray, data: FloatArray, w: int,
                     x: float, y: float, z: float) -> Found:
    """Return what `closest` does, for the whole piece: holes shut, all edges and faces counted."""
    return _measure(kind, data, w, -math.inf, x, y, z, True)


@kernel
def nearest_possible(kind: IntArray, data: FloatArray, w: int,
                     x: float, y: float, z: float) -> float:
    """Return a lower bound of the distance [m] of piece ``w`` at any time, for candidate lists.

    This is the distance to the whole piece: holes shut, all edges and both faces counted. It
    changes by no more than the centre moves, so a grain further away than r + skin cannot touch
    the piece before it has moved by the skin, although `closest` itself jumps to inf.
    """
    return _measure(kind, data, w, -math.inf, x, y, z, True)[0]
