"""Power cells in the plane: rectangles from which the half plane of every neighbour is cut off.

A cell is a loop of corners, anticlockwise, with a label for the edge from each corner to the next.
Corners on the cutting line count as inside; for any pattern of signs the loop stays closed, so a
wrong sign of an f that is only rounding changes the area by as little (Sutherland and Hodgman,
Commun. ACM 17, 1974, 32-42). See ``power_polyhedra`` for f; the layout of arrays is the same.
"""

from __future__ import annotations

import numba
import numpy as np

from granum.compile import inner_kernel, kernel, parallel_kernel

NO_ROOM = -1


@inner_kernel
def fill_rectangle(X, face, low, high):
    """Make the cell a rectangle; edges are -1, -2 (low, high x), -3, -4 (low, high y)."""
    for v in range(4):
        X[v, 0] = high[0] if 1 <= v <= 2 else low[0]
        X[v, 1] = high[1] if v >= 2 else low[1]
    face[0], face[1], face[2], face[3] = -3, -2, -4, -1


@inner_kernel
def cut_polygon(X, f, face, Y, other, count, nx, ny, c, label):
    """Copy to Y what is left where n·x <= c; returns how many corners, or NO_ROOM."""
    for v in range(count):
        f[v] = nx * X[v, 0] + ny * X[v, 1] - c
    top = 0
    for v in range(count):
        u = v + 1 if v + 1 < count else 0
        if top + 2 > f.size:
            return NO_ROOM
        if f[v] <= 0.0:
            Y[top, 0], Y[top, 1], other[top] = X[v, 0], X[v, 1], face[v]
            top += 1
        if (f[v] <= 0.0) != (f[u] <= 0.0):
            share = f[v] / (f[v] - f[u])
            Y[top, 0] = X[v, 0] + share * (X[u, 0] - X[v, 0])
            Y[top, 1] = X[v, 1] + share * (X[u, 1] - X[v, 1])
            other[top] = label if f[v] <= 0.0 else face[v]
            top += 1
    return top


@kernel
def make_polygon(points, weights, start, neighbour, offset, i, low, high, X, f, face):
    """Make the cell of vertex i between low and high (2,).

    Args:
        points: (n,2).
        weights: (n,).
        start: (n+1,) where the neighbours of each vertex begin.
        neighbour: (k,) their indices.
        offset: (k,2) where the neighbour is, beside its own position; (0,2): nowhere else.
        i: the vertex.
        low: (2,) lower corner, relative to the vertex.
        high: (2,) upper corner.
        X: (2,room,2) output, corners relative to the vertex, in the one half or the other.
        f: (room,) scratch.
        face: (2,room) output, labels of edges: places among the neighbours.

    Returns:
        How many corners there are, or NO_ROOM; in which half of X and face.
    """
    half = 0
    fill_rectangle(X[half], face[half], low, high)
    count = 4
    for e in range(start[i], start[i + 1]):
        j = neighbour[e]
        nx = points[j, 0] - points[i, 0]
        ny = points[j, 1] - points[i, 1]
        if offset.size > 0:
            nx += offset[e, 0]
            ny += offset[e, 1]
        c = 0.5 * (nx * nx + ny * ny + (weights[i] - weights[j]))
        count = cut_polygon(X[half], f, face[half], X[1 - half], face[1 - half], count, nx, ny, c,
                            e - start[i])
        half = 1 - half
        if count <= 0:
            break
    return count, half


@inner_kernel
def _measure_polygon(X, face, count, i, lengths, side, centroid):
    """Measure a polygon; returns its area and its largest distance from its point, squared."""
    ox, oy = X[0, 0], X[0, 1]
    whole = mx = my = far = 0.0
    for v in range(count):
        u = v + 1 if v + 1 < count else 0
        ax, ay, bx, by = X[v, 0] - ox, X[v, 1] - oy, X[u, 0] - ox, X[u, 1] - oy
        part = 0.5 * (ax * by - ay * bx)
        whole += part
        mx += part * (ax + bx) / 3.0
        my += part * (ay + by) / 3.0
        far = max(far, X[v, 0] ** 2 + X[v, 1] ** 2)
        size = np.sqrt((bx - ax) ** 2 + (by - ay) ** 2)
        if face[v] >= 0:
            lengths[face[v]] += size
        else:
            side[i, -1 - face[v]] += size
    if whole <= 0.0:
        for k in range(lengths.size):
            lengths[k] = 0.0
        for k in range(4):
            side[i, k] = 0.0
        return 0.0, far
    centroid[i, 0] += ox + mx / whole
    centroid[i, 1] += oy + my / whole
    return whole, far


@parallel_kernel
def measure_cells2(points, weights, start, neighbour, offset, periods, box, todo, scratch, volume,
                   centroid, area, side, reach):
    """Measure the cells of the vertices ``todo``, as ``measure_cells3`` does in space."""
    corners, Xs, fs, faces = scratch
    has_room = np.ones(todo.size, dtype=np.bool_)
    blocks = fs.shape[0]
    for block in numba.prange(blocks):
        X, f, face = Xs[block], fs[block], faces[block]
        low, high = corners[block, 0], corners[block, 1]
        for k in range(block * todo.size // blocks, (block + 1) * todo.size // blocks):
            i = todo[k]
            for a in range(2):
                extent = 0.5 * periods[a]
                low[a] = -extent if extent > 0.0 else box[0, a] - points[i, a]
                high[a] = extent if extent > 0.0 else box[1, a] - points[i, a]
            count, half = make_polygon(points, weights, start, neighbour, offset, i, low, high,
                                       X, f, face)
            if count == NO_ROOM:
                has_room[k] = False
            elif count > 0:
                volume[i], reach[i] = _measure_polygon(
                    X[half], face[half], count, i, area[start[i] : start[i + 1]], side, centroid)
    return has_room


def make_scratch2(blocks: int, room: int):
    """Return scratch for cells of at most ``room`` corners."""
    return (np.empty((blocks, 2, 2)), np.empty((blocks, 2, room, 2)), np.empty((blocks, room)),
            np.empty((blocks, 2, room), dtype=np.int64))
