"""Power cells in space: boxes from which the half space of every neighbour is cut off.

A cell is a polyhedron with three edges at every vertex, and it stays one: a vertex on the cutting
plane counts as inside, so a plane cuts edges only, and each cut edge ends in a new vertex with
three edges. Four or more planes through one point (lattices) make several vertices in one place.

The half-edges of vertex v are ``4 v + k``, k = 0, 1, 2, anticlockwise as seen from outside:

    twin[h]  the same edge from its other end
    face[h]  label of the face to the left
    next of h in its face: with twin[h] = 4 u + k, that is 4 u + (k + 2) % 3

What is cut off is known by the sign of f at the vertices alone, whatever the rounding: new vertices
are joined along the faces that were cut, each once to the left and once to the right, so the
surface stays closed for every pattern of signs. A wrong sign of an f that is only rounding
therefore changes the volume by as little as f; no epsilon is needed.

Legend: X vertices relative to the cell's own point p; f = n·x - c, n = q - p for the neighbour at
q, c = (|n|² + w_p - w_q) / 2, so f > 0 where the power to q is less than that to p (Aurenhammer,
SIAM J. Comput. 16, 1987, 78-96).
"""

from __future__ import annotations

import numba
import numpy as np

from granum.compile import inner_kernel, kernel, parallel_kernel

NO_ROOM = -1


def _box_edges():
    """Return twins and faces (32,) of a box's half-edges; bit a of a corner is its side on axis a.

    Corners with an even number of upper sides see the axes in the order x, z, y. The face to the
    left of an edge along axis a, from the corner with sides s (-1 or 1), is that across axis b
    with s_a s_b s_c ε_bac > 0.
    """
    twin, face = np.zeros(32, dtype=np.int32), np.zeros(32, dtype=np.int32)
    order = {0: (0, 2, 1), 1: (0, 1, 2)}
    for v in range(8):
        sides = [2 * (v >> axis & 1) - 1 for axis in range(3)]
        parity = v.bit_count() % 2
        for k, a in enumerate(order[parity]):
            twin[4 * v + k] = 4 * (v ^ 1 << a) + order[1 - parity].index(a)
            cyclic = (a + 2) % 3  # then ε_bac = +1
            b = cyclic if np.prod(sides) > 0 else (a + 1) % 3
            face[4 * v + k] = -1 - 2 * b - (sides[b] > 0)
    return twin, face


BOX_TWIN, BOX_FACE = _box_edges()


@inner_kernel
def _turn_left(t):
    """Return the half-edge after the one whose twin is t, in the face to its left."""
    return t + 2 if t & 3 == 0 else t - 1


@inner_kernel
def fill_box(X, twin, face, low, high):
    """Make the cell a box (8 vertices); faces are -1, -2 (low, high x), -3, -4 (y), -5, -6 (z)."""
    for v in range(8):
        for a in range(3):
            X[a, v] = high[a] if v >> a & 1 else low[a]
    for h in range(32):
        twin[h] = BOX_TWIN[h]
        face[h] = BOX_FACE[h]


@inner_kernel
def _fill_holes(X, twin, face, gone, holes, top):
    """Move the last vertices into the places of those that are gone; returns how many are left."""
    k = 0
    while k < holes:
        top -= 1
        if gone[holes - 1] == top:
            holes -= 1
            continue
        v = gone[k]
        for a in range(3):
            X[a, v] = X[a, top]
            t = twin[4 * top + a]
            twin[4 * v + a] = t
            twin[t] = 4 * v + a
            face[4 * v + a] = face[4 * top + a]
        k += 1
    return top


@inner_kernel
def _add_cuts(X, f, twin, new, gone, holes, count):
    """Put a new vertex on every edge that is cut; ``twin`` of its slot 0 remembers the edge."""
    top = count
    for k in range(holes):
        u = gone[k]
        for slot in range(3):
            h = twin[4 * u + slot]
            v = h >> 2
            if f[v] <= 0.0:
                if top == f.size:
                    return NO_ROOM
                share = f[v] / (f[v] - f[u])
                for a in range(3):
                    X[a, top] = X[a, v] + share * (X[a, u] - X[a, v])
                twin[4 * top] = h
                new[h] = top
                top += 1
    return top


@inner_kernel
def _join_cuts(f, twin, face, new, count, top, label):
    """Join the new vertices around the new face.

    From new vertex v, the next one in the face to the left of its edge is where the way around
    that face, through what is cut off, comes back inside.
    """
    for v in range(count, top):
        h = twin[4 * v]
        back = twin[h]
        face[4 * v] = face[back]
        while f[back >> 2] > 0.0:
            back = twin[_turn_left(back)]
        other = new[back]
        twin[4 * v + 2] = 4 * other + 1
        twin[4 * other + 1] = 4 * v + 2
        face[4 * v + 2] = face[h]
        face[4 * other + 1] = label
    for v in range(count, top):
        twin[twin[4 * v]] = 4 * v


@kernel
def cut(X, f, twin, face, new, gone, count, nx, ny, nz, c, label):
    """Cut off where n·x > c; returns how many vertices are left, or NO_ROOM."""
    for v in range(count):
        f[v] = nx * X[0, v] + ny * X[1, v] + nz * X[2, v] - c
    holes = 0
    for v in range(count):
        gone[holes] = v
        holes += f[v] > 0.0
    if holes == 0:
        return count
    if holes == count:
        return 0
    top = _add_cuts(X, f, twin, new, gone, holes, count)
    if top == NO_ROOM:
        return NO_ROOM
    _join_cuts(f, twin, face, new, count, top, label)
    return _fill_holes(X, twin, face, gone, holes, top)


@kernel
def make_cell(points, weights, start, neighbour, offset, i, low, high, X, f, twin, face, new,
              gone):
    """Make the cell of vertex i between low and high (3,); returns its vertices, or NO_ROOM.

    Faces are labelled by their place among the neighbours of i.
    """
    fill_box(X, twin, face, low, high)
    count = 8
    for e in range(start[i], start[i + 1]):
        j = neighbour[e]
        nx = points[j, 0] - points[i, 0]
        ny = points[j, 1] - points[i, 1]
        nz = points[j, 2] - points[i, 2]
        if offset.size > 0:
            nx += offset[e, 0]
            ny += offset[e, 1]
            nz += offset[e, 2]
        c = 0.5 * (nx * nx + ny * ny + nz * nz + (weights[i] - weights[j]))
        count = cut(X, f, twin, face, new, gone, count, nx, ny, nz, c, e - start[i])
        if count <= 0:
            break
    return count


@inner_kernel
def _measure_face(X, twin, first, seen, total):
    """Return the area of the face of a half-edge; add its share of the volume and moments.

    Tetrahedra from vertex 0 of the cell over the triangles of the face: ``total`` (4,) grows by
    their volumes and by volume times centroid, both relative to vertex 0.
    """
    ox, oy, oz = X[0, 0], X[1, 0], X[2, 0]
    v = first >> 2
    px, py, pz = X[0, v] - ox, X[1, v] - oy, X[2, v] - oz
    ax = ay = az = 0.0  # the vertex before, from p
    sx = sy = sz = 0.0  # twice the area, as a vector
    h = first
    while True:
        seen[h] = True
        u = twin[h] >> 2
        h = _turn_left(twin[h])
        if h == first:
            break
        bx, by, bz = X[0, u] - ox - px, X[1, u] - oy - py, X[2, u] - oz - pz
        cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        volume = (px * cx + py * cy + pz * cz) / 6.0
        total[0] += volume
        total[1] += volume * (3.0 * px + ax + bx) * 0.25
        total[2] += volume * (3.0 * py + ay + by) * 0.25
        total[3] += volume * (3.0 * pz + az + bz) * 0.25
        sx += cx
        sy += cy
        sz += cz
        ax, ay, az = bx, by, bz
    return 0.5 * np.sqrt(sx * sx + sy * sy + sz * sz)


@inner_kernel
def _measure_cell(X, twin, face, seen, count, i, areas, side, centroid, total):
    """Measure a cell with vertices; returns its volume and its largest distance from p, squared.

    A flat cell has neither volume nor faces: the box's side that it may lie in is another's.
    """
    far = 0.0
    for v in range(count):
        far = max(far, X[0, v] ** 2 + X[1, v] ** 2 + X[2, v] ** 2)
    for h in range(4 * count):
        seen[h] = h & 3 == 3
    for k in range(4):
        total[k] = 0.0
    for h in range(4 * count):
        if not seen[h]:
            size = _measure_face(X, twin, h, seen, total)
            if face[h] >= 0:
                areas[face[h]] += size
            else:
                side[i, -1 - face[h]] += size
    if total[0] <= 0.0:
        for k in range(areas.size):
            areas[k] = 0.0
        for k in range(6):
            side[i, k] = 0.0
        return 0.0, far
    for a in range(3):
        centroid[i, a] += X[a, 0] + total[1 + a] / total[0]
    return total[0], far


@parallel_kernel
def measure_cells3(points, weights, start, neighbour, offset, periods, box, todo, scratch, volume,
                   centroid, area, side, reach):
    """Measure the cells of the vertices ``todo``; returns for each (t,) whether there was room.

    Args:
        points: (n,3).
        weights: (n,).
        start: (n+1,) where the neighbours of each vertex begin.
        neighbour: (k,) their indices.
        offset: (k,3) where the neighbour is, beside its own position; (0,3): nowhere else.
        periods: (3,) period in each direction, 0 if there is none.
        box: (2,3) low and high corner.
        todo: (t,) vertices.
        scratch: of ``make_scratch3``, one for each block.
        volume: (n,) output; zero before.
        centroid: (n,3) output; the points before, and still so for cells without a volume.
        area: (k,) output, face by face; zero before.
        side: (n,6) output, areas of the faces at the box; zero before.
        reach: (n,) output, square of the cell's largest distance from its point; zero before.
    """
    corners, Xs, fs, twins, faces, news, gones, seens, totals = scratch
    has_room = np.ones(todo.size, dtype=np.bool_)
    blocks = fs.shape[0]
    for block in numba.prange(blocks):
        X, f, twin, face, new = Xs[block], fs[block], twins[block], faces[block], news[block]
        low, high, total = corners[block, 0], corners[block, 1], totals[block]
        for k in range(block * todo.size // blocks, (block + 1) * todo.size // blocks):
            i = todo[k]
            for a in range(3):
                half = 0.5 * periods[a]
                low[a] = -half if half > 0.0 else box[0, a] - points[i, a]
                high[a] = half if half > 0.0 else box[1, a] - points[i, a]
            count = make_cell(points, weights, start, neighbour, offset, i, low, high,
                              X, f, twin, face, new, gones[block])
            if count == NO_ROOM:
                has_room[k] = False
            elif count > 0:
                areas = area[start[i] : start[i + 1]]
                volume[i], reach[i] = _measure_cell(
                    X, twin, face, seens[block], count, i, areas, side, centroid, total)
    return has_room


def make_scratch3(blocks: int, room: int):
    """Return scratch for cells of at most ``room`` vertices."""
    return (
        np.empty((blocks, 2, 3)), np.empty((blocks, 3, room)), np.empty((blocks, room)),
        np.empty((blocks, 4 * room), dtype=np.int32), np.empty((blocks, 4 * room), dtype=np.int32),
        np.empty((blocks, 4 * room), dtype=np.int32), np.empty((blocks, room + 1), dtype=np.int32),
        np.empty((blocks, 4 * room), dtype=np.bool_),
        np.empty((blocks, 4)),
    )


@kernel
def list_loops(twin, face, seen, count, corner, loop, label):
    """List the corners of all faces, loop after loop; returns the number of loops.

    Args:
        twin: half-edges of a cell with ``count`` vertices.
        face: labels of their faces.
        seen: scratch.
        count: vertices.
        corner: (3 count,) output, vertices.
        loop: (3 count + 1,) output, where each loop begins in ``corner``.
        label: (3 count,) output, the face of each loop.
    """
    loops = used = 0
    for h in range(4 * count):
        seen[h] = h & 3 == 3
    for first in range(4 * count):
        if not seen[first]:
            loop[loops] = used
            label[loops] = face[first]
            loops += 1
            h = first
            while not seen[h]:
                seen[h] = True
                corner[used] = h >> 2
                used += 1
                h = _turn_left(twin[h])
    loop[loops] = used
    return loops
