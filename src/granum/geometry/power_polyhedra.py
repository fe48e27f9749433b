"""Power cells in space: boxes from which the half space of every neighbour is cut off.

A cell is a polyhedron with three edges at every vertex, and it stays one: a vertex on the cutting
plane counts as inside, so a plane cuts edges only, and each cut edge ends in a new vertex with
three edges. Four or more planes through one point (lattices) make several vertices in one place.

The half-edges of vertex v are ``3 v + k``, k = 0, 1, 2, anticlockwise as seen from outside:

    twin[h]  the same edge from its other end
    face[h]  label of the face to the left
    next of h in its face: with twin[h] = 3 u + k, that is 3 u + (k + 2) % 3

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

from granum.compile import kernel, parallel_kernel

NO_ROOM = -1


def _box_edges():
    """Return twins and faces (24,) of a box's half-edges; bit a of a corner is its side on axis a.

    Corners with an even number of upper sides see the axes in the order x, z, y. The face to the
    left of an edge along axis a, from the corner with sides s (-1 or 1), is that across axis b
    with s_a s_b s_c ε_bac > 0.
    """
    twin, face = np.empty(24, dtype=np.int64), np.empty(24, dtype=np.int64)
    order = {0: (0, 2, 1), 1: (0, 1, 2)}
    for v in range(8):
        sides = [2 * (v >> axis & 1) - 1 for axis in range(3)]
        parity = v.bit_count() % 2
        for k, a in enumerate(order[parity]):
            twin[3 * v + k] = 3 * (v ^ 1 << a) + order[1 - parity].index(a)
            cyclic = (a + 2) % 3  # then ε_bac = +1
            b = cyclic if np.prod(sides) > 0 else (a + 1) % 3
            face[3 * v + k] = -1 - 2 * b - (sides[b] > 0)
    return twin, face


BOX_TWIN, BOX_FACE = _box_edges()


@kernel
def fill_box(X, twin, face, low, high):
    """Make the cell a box (8 vertices); faces are -1, -2 (low, high x), -3, -4 (y), -5, -6 (z)."""
    for v in range(8):
        for a in range(3):
            X[v, a] = high[a] if v >> a & 1 else low[a]
    for h in range(24):
        twin[h] = BOX_TWIN[h]
        face[h] = BOX_FACE[h]


@kernel
def _move_vertex(X, twin, face, source, target):
    """Let a vertex live in another place."""
    for k in range(3):
        X[target, k] = X[source, k]
        t = twin[3 * source + k]
        twin[3 * target + k] = t
        twin[t] = 3 * target + k
        face[3 * target + k] = face[3 * source + k]


@kernel
def _fill_holes(X, f, twin, face, count, top):
    """Move the last vertices into the places of those cut off; returns how many there are."""
    for v in range(count):
        if f[v] > 0.0:
            top -= 1
            while top > v and f[top] > 0.0:
                top -= 1
            if top <= v:
                return v
            _move_vertex(X, twin, face, top, v)
            f[v] = 0.0
        if top <= v + 1:
            return top
    return top


@kernel
def _add_cuts(X, f, twin, new, count):
    """Put a new vertex on every edge that is cut; ``twin`` of its slot 0 remembers the edge."""
    top = count
    for v in range(count):
        if f[v] > 0.0:
            continue
        for h in range(3 * v, 3 * v + 3):
            u = twin[h] // 3
            if f[u] > 0.0:
                if top == f.size:
                    return NO_ROOM
                share = f[v] / (f[v] - f[u])
                for a in range(3):
                    X[top, a] = X[v, a] + share * (X[u, a] - X[v, a])
                f[top] = 0.0
                twin[3 * top] = h
                new[h] = top
                top += 1
    return top


@kernel
def _join_cuts(f, twin, face, new, count, top, label):
    """Join the new vertices around the new face.

    From new vertex v, the next one in the face to the left of its edge is where the way around
    that face, through what is cut off, comes back inside.
    """
    for v in range(count, top):
        h = twin[3 * v]
        t = twin[h]
        face[3 * v] = face[t]
        back = t
        while True:
            u = back // 3
            back = twin[3 * u + (back - 3 * u + 2) % 3]
            if f[back // 3] <= 0.0:
                break
        other = new[back]
        twin[3 * v + 2] = 3 * other + 1
        twin[3 * other + 1] = 3 * v + 2
        face[3 * v + 2] = face[h]
        face[3 * other + 1] = label
    for v in range(count, top):
        twin[twin[3 * v]] = 3 * v


@kernel
def cut(X, f, twin, face, new, count, nx, ny, nz, c, label):
    """Cut off where n·x > c; returns how many vertices are left, or NO_ROOM."""
    outside = 0
    for v in range(count):
        f[v] = nx * X[v, 0] + ny * X[v, 1] + nz * X[v, 2] - c
        if f[v] > 0.0:
            outside += 1
    if outside == 0:
        return count
    if outside == count:
        return 0
    top = _add_cuts(X, f, twin, new, count)
    if top == NO_ROOM:
        return NO_ROOM
    _join_cuts(f, twin, face, new, count, top, label)
    return _fill_holes(X, f, twin, face, count, top)


@kernel
def make_cell(points, weights, start, neighbour, offset, i, low, high, X, f, twin, face, new):
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
        count = cut(X, f, twin, face, new, count, nx, ny, nz, c, e - start[i])
        if count <= 0:
            break
    return count


@kernel
def _measure_face(X, twin, first, seen, total):
    """Return the area of the face of a half-edge; add its share of the volume and moments.

    Tetrahedra from vertex 0 of the cell over the triangles of the face: ``total`` (4,) grows by
    their volumes and by volume times centroid, both relative to vertex 0.
    """
    ox, oy, oz = X[0, 0], X[0, 1], X[0, 2]
    v = first // 3
    px, py, pz = X[v, 0] - ox, X[v, 1] - oy, X[v, 2] - oz
    ax = ay = az = 0.0  # the vertex before, from p
    sx = sy = sz = 0.0  # twice the area, as a vector
    h = first
    while True:
        seen[h] = 1
        t = twin[h]
        u = t // 3
        h = 3 * u + (t - 3 * u + 2) % 3
        if h == first:
            break
        bx, by, bz = X[u, 0] - ox - px, X[u, 1] - oy - py, X[u, 2] - oz - pz
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


@kernel
def _measure_cell(X, twin, face, seen, count, i, first_area, area, side, centroid, total):
    """Measure a cell with vertices; returns its volume and its largest distance from p, squared."""
    far = 0.0
    for v in range(count):
        far = max(far, X[v, 0] ** 2 + X[v, 1] ** 2 + X[v, 2] ** 2)
    for h in range(3 * count):
        seen[h] = 0
    for k in range(4):
        total[k] = 0.0
    for h in range(3 * count):
        if seen[h] == 0:
            size = _measure_face(X, twin, h, seen, total)
            if face[h] >= 0:
                area[first_area + face[h]] += size
            else:
                side[i, -1 - face[h]] += size
    if total[0] <= 0.0:
        return 0.0, far
    for a in range(3):
        centroid[i, a] += X[0, a] + total[1 + a] / total[0]
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
    corners, Xs, fs, twins, faces, news, totals = scratch
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
                              X, f, twin, face, new)
            if count == NO_ROOM:
                has_room[k] = False
            elif count > 0:
                volume[i], reach[i] = _measure_cell(
                    X, twin, face, new, count, i, start[i], area, side, centroid, total)
    return has_room


def make_scratch3(blocks: int, room: int):
    """Return scratch for cells of at most ``room`` vertices."""
    return (
        np.empty((blocks, 2, 3)), np.empty((blocks, room, 3)), np.empty((blocks, room)),
        np.empty((blocks, 3 * room), dtype=np.int64), np.empty((blocks, 3 * room), dtype=np.int64),
        np.empty((blocks, 3 * room), dtype=np.int64), np.empty((blocks, 4)),
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
    for h in range(3 * count):
        seen[h] = 0
    for first in range(3 * count):
        if seen[first] == 0:
            loop[loops] = used
            label[loops] = face[first]
            loops += 1
            h = first
            while seen[h] == 0:
                seen[h] = 1
                corner[used] = h // 3
                used += 1
                u = twin[h] // 3
                h = 3 * u + (twin[h] - 3 * u + 2) % 3
    loop[loops] = used
    return loops
