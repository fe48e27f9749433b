"""From vertices, polygons and segments to a skeleton, or to what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, cKDTree

from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.shapes.apart import is_inside, pierced, points_to_triangles, segments_to_segments
from granum.shapes.coarsen import coarsened
from granum.shapes.outline import place
from granum.shapes.skeleton import FLAT, Skeleton, hull, pairs, volume_of
from granum.shapes.triangulate import ears, normal_of

WHOLE = 1.0 - 1e-9  # share of its hull from which on a solid is convex
Loops = Sequence[Sequence[int]]


def assemble(name: str, x: FloatArray, loops: Loops, edges: Sequence[Sequence[int]], radius: float
             ) -> Skeleton:
    """Return the skeleton of vertices (n,3), faces given by their corners, and free edges."""
    size = float(np.linalg.norm(np.ptp(x, axis=0)))
    _refuse_repeated(name, x, FLAT * size)
    _refuse_numbers(name, "faces", loops, len(x), 3)
    _refuse_numbers(name, "edges", edges, len(x), 2)
    faces, owner = _triangles(name, x, loops, size)
    part, closed = _parts(name, x, loops, size)
    bounds = closed[part[owner]] if len(owner) else np.zeros(0, dtype=np.bool_)
    _refuse_crossing(name, x, faces[bounds])
    sides, seams = _sides(x, faces, size)
    known = {*map(tuple, sides.tolist()), *map(tuple, seams.tolist())}
    lone = set(range(len(x))) - {i for row in (*loops, *edges) for i in row}
    free = sorted({(min(e), max(e)) for e in edges} - known)
    free = _felt(x, [*free, *((k, k) for k in sorted(lone))], faces[bounds])
    free = _unbent(x, free, {*faces.ravel().tolist()}, FLAT * size)
    used = np.unique([*faces.ravel().tolist(), *(i for edge in free for i in edge)])
    number = np.full(len(x), -1)
    number[used] = np.arange(len(used))
    rods = [edge for edge in free if edge[0] != edge[1]]
    skeleton = Skeleton(x[used], number[pairs(sorted([*map(tuple, sides.tolist()), *rods]))],
                        number[seams], number[faces], bounds, False)
    _refuse_pieces(name, skeleton, radius, used)
    if _is_convex(skeleton, len(loops), len(closed), bool(free)):
        return hull(x[used])
    return skeleton if free or not bounds.all() else _plain(name, skeleton, size)


def _plain(name: str, skeleton: Skeleton, size: float) -> Skeleton:
    """Return a closed surface without vertices in the midst of flat parts and straight edges."""
    x, faces = coarsened(name, skeleton.points, skeleton.faces, len(skeleton.points))
    edges, seams = _sides(x, faces, size)
    return Skeleton(x, edges, seams, faces, np.ones(len(faces), dtype=np.bool_), False)


def _is_convex(skeleton: Skeleton, loops: int, parts: int, has_rods: bool) -> bool:
    """Tell whether a skeleton is the hull of its points: a solid, a plate, a rod or a point."""
    x, faces = skeleton.points, skeleton.faces
    if not loops:
        return len(x) < 3 and len(skeleton.edges) == len(x) - 1
    if has_rods or parts > 1:
        return False
    if skeleton.closed.all():
        return volume_of(x, faces) >= WHOLE * ConvexHull(x).volume
    whole = hull(x)
    return _area(x, faces) >= WHOLE * _area(whole.points, whole.faces)


def _area(x: FloatArray, faces: IntArray) -> float:
    a, b, c = (x[faces[:, k]] for k in range(3))
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def _refuse_repeated(name: str, x: FloatArray, tolerance: float) -> None:
    near = cKDTree(x).query_pairs(tolerance, output_type="ndarray")
    if len(near):
        i, j = min(map(tuple, near.tolist()))
        message = (f"{name} vertices {i} and {j} are both at {place(x[i])}: leave one of them out, "
                   "and let faces and edges speak of the other")
        raise InputError(message)


def _refuse_numbers(name: str, field: str, rows: Loops, count: int, least: int) -> None:
    for k, row in enumerate(rows):
        if len(row) < least or (least == 2 and len(row) != 2):
            message = f"{name} {field}[{k}] has {len(row)} vertices, but needs {least}" + (
                " or more" if least > 2 else "")
            raise InputError(message)
        wrong = [i for i in row if not 0 <= i < count]
        if wrong or len(set(row)) < len(row):
            message = f"{name} {field}[{k}] = {list(row)} names vertex " + (
                f"{wrong[0]}, but there are {count}, counted from 0" if wrong else
                f"{next(i for i in row if list(row).count(i) > 1)} twice")
            raise InputError(message)


def _triangles(name: str, x: FloatArray, loops: Loops, size: float) -> tuple[IntArray, IntArray]:
    """Return the triangles of all polygons (m,3), and the polygon of each (m,)."""
    faces: list[tuple[int, int, int]] = []
    owner: list[int] = []
    for k, row in enumerate(loops):
        loop = x[list(row)]
        n = normal_of(loop)
        area = float(np.linalg.norm(n))
        if area <= FLAT * size**2 * 1e-3:
            message = (f"{name} faces[{k}] has no area: its vertices {list(row)} lie on one line, "
                       f"from {place(loop[0])} on")
            raise InputError(message)
        height = np.abs((loop - loop.mean(axis=0)) @ n) / area
        if height.max() > 10.0 * FLAT * size:
            worst = list(row)[int(height.argmax())]
            message = (f"{name} faces[{k}] is not flat: vertex {worst} at {place(x[worst])} is "
                       f"{height.max():.3g} m out of its plane. Give triangles")
            raise InputError(message)
        cut = ears(loop)
        if cut is None:
            message = (f"{name} faces[{k}] crosses itself: its vertices {list(row)} must go around "
                       "it once")
            raise InputError(message)
        faces += [(row[a], row[b], row[c]) for a, b, c in cut]
        owner += [k] * len(cut)
    return np.array(faces, dtype=np.int64).reshape(-1, 3), np.array(owner, dtype=np.int64)


def _parts(name: str, x: FloatArray, loops: Loops, size: float
           ) -> tuple[IntArray, NDArray[np.bool_]]:
    """Return which part each polygon belongs to, and whether that is closed; refuse what is open.

    A polygon that shares no side with any other is a plate. Others must close a surface.
    """
    sides: dict[tuple[int, int], int] = {}
    for k, row in enumerate(loops):
        for a, b in zip(row, (*row[1:], row[0]), strict=True):
            if (a, b) in sides:
                message = (f"{name} faces[{sides[a, b]}] and faces[{k}] both run from vertex {a} "
                           f"at {place(x[a])} to {b}: one is seen from inside, or more than two "
                           "meet there. All must go counter-clockwise as seen from outside")
                raise InputError(message)
            sides[a, b] = k
    links = pairs([(k, sides[b, a]) for (a, b), k in sides.items() if (b, a) in sides])
    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])),
                      shape=(len(loops), len(loops)))
    count, part = connected_components(graph, directed=False) if loops else (0, np.zeros(0, int))
    closed = np.bincount(part, minlength=count) > 1
    for (a, b), k in sides.items():
        if (b, a) not in sides and closed[part[k]]:
            message = (f"{name} faces are open along the side from vertex {a} at {place(x[a])} to "
                       f"{b} at {place(x[b])}, which faces[{k}] alone has: close the surface, or "
                       "leave the faces out to have the convex hull")
            raise InputError(message)
    for p in np.flatnonzero(closed):
        _refuse_inverted(name, x, [row for row, q in zip(loops, part, strict=True) if q == p], size)
    return part.astype(np.int64), closed


def _refuse_inverted(name: str, x: FloatArray, loops: Loops, size: float) -> None:
    fans = np.array([(row[0], row[k], row[k + 1]) for row in loops for k in range(1, len(row) - 1)])
    volume = volume_of(x, fans)
    if volume > FLAT * size**3:
        return
    first = loops[0][0]
    if volume < -FLAT * size**3:
        message = (f"{name} faces are inside out, from that at vertex {first} at "
                   f"{place(x[first])} on: their vertices must go counter-clockwise as seen from "
                   "outside. Turn each of them around")
    else:
        message = (f"{name} faces hold no volume: the surface at vertex {first} at "
                   f"{place(x[first])} is flat")
    raise InputError(message)


def _sides(x: FloatArray, faces: IntArray, size: float) -> tuple[IntArray, IntArray]:
    """Return the sides of triangles that can be felt, and the seams, (k,2) each, lower first."""
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for k, (a, b, c) in enumerate(faces.tolist()):
        for i, j, apex in ((a, b, c), (b, c, a), (c, a, b)):
            found.setdefault((min(i, j), max(i, j)), []).append((k, apex))
    edges: list[tuple[int, int]] = []
    seams: list[tuple[int, int]] = []
    for side, meeting in sorted(found.items()):
        is_seam = len(meeting) == 2 and _in_one_plane(x, faces, meeting[0], meeting[1], size)
        (seams if is_seam else edges).append(side)
    return pairs(edges), pairs(seams)


def _in_one_plane(x: FloatArray, faces: IntArray, one: tuple[int, int], other: tuple[int, int],
                  size: float) -> bool:
    """Tell whether two triangles that share a side continue each other in one plane."""
    n, m = (np.cross(x[b] - x[a], x[c] - x[a]) for a, b, c in (faces[one[0]], faces[other[0]]))
    if n @ m <= 0.0:
        return False
    if n @ n < m @ m:
        n, one, other = m, other, one
    return bool(abs((x[other[1]] - x[one[1]]) @ n) <= FLAT * size * np.linalg.norm(n))


def _refuse_crossing(name: str, x: FloatArray, faces: IntArray) -> None:
    """Refuse a surface of which a side goes through a face."""
    sides = np.unique(np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1
                                       ).reshape(-1, 2), axis=1), axis=0)
    e, f = (k.ravel() for k in np.indices((len(sides), len(faces))))
    apart = ~(sides[e][:, :, None] == faces[f][:, None]).any(axis=(1, 2))
    e, f = e[apart], f[apart]
    through = pierced(x[sides[e, 0]], x[sides[e, 1]], x[faces[f]])
    if through.any():
        k = int(np.argmax(through))
        a, b = sides[e[k]]
        message = (f"{name} faces cross each other: the side from vertex {a} at {place(x[a])} to "
                   f"{b} at {place(x[b])} goes through the face with vertices "
                   f"{faces[f[k]].tolist()}")
        raise InputError(message)


def _felt(x: FloatArray, free: list[tuple[int, int]], closed: IntArray) -> list[tuple[int, int]]:
    """Return the free edges that do not lie wholly inside a solid (Pournin, figure 2.2).

    An edge from a vertex to itself is a free vertex.
    """
    if not free or not len(closed):
        return free
    ends, corner = np.array(free), x[closed]
    inside = np.all(is_inside(x[ends].reshape(-1, 3), corner).reshape(-1, 2), axis=1)
    e, f = (k.ravel() for k in np.indices((len(ends), len(closed))))
    through = pierced(x[ends[e, 0]], x[ends[e, 1]], corner[f]).reshape(len(ends), -1).any(axis=1)
    return [edge for edge, gone in zip(free, (inside & ~through).tolist(), strict=True) if not gone]


def _refuse_pieces(name: str, skeleton: Skeleton, radius: float, number: IntArray) -> None:
    """Refuse a skeleton whose parts are too far apart for the ball to join them.

    ``number``: which vertices its points were.
    """
    x, n = skeleton.points, len(skeleton.points)
    links = np.concatenate([skeleton.edges, skeleton.seams])
    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n, n))
    count, labels = connected_components(graph, directed=False)
    if count == 1:
        return
    part = labels.astype(np.int64)
    near = coo_array(_touching(skeleton, part, count, 2.0 * radius))
    _, group = connected_components(near, directed=False)
    away = np.flatnonzero(group[part] != group[part[0]])
    if away.size:
        k = int(away[0])
        message = (f"{name} vertices must hang together, but vertex {number[k]} at {place(x[k])} "
                   f"is in another piece than vertex {number[0]}, more than twice the radius "
                   f"({radius:g} m) away: join them by an edge, or leave it out")
        raise InputError(message)


def _touching(skeleton: Skeleton, part: IntArray, count: int, reach: float) -> np.ndarray:
    """Return which parts come within reach of each other, (count,count)."""
    x, faces = skeleton.points, skeleton.faces
    lone = np.setdiff1d(np.arange(len(x)), skeleton.edges)
    edges = np.concatenate([skeleton.edges, np.column_stack((lone, lone))])
    touch = np.eye(count)
    i, j = np.triu_indices(len(edges), 1)
    apart, _, _ = segments_to_segments(*(x[edges[k, m]] for k in (i, j) for m in (0, 1)))
    near = apart <= reach
    touch[part[edges[i[near], 0]], part[edges[j[near], 0]]] = 1.0
    e, f = (k.ravel() for k in np.indices((len(edges), len(faces))))
    near = pierced(x[edges[e, 0]], x[edges[e, 1]], x[faces[f]])
    for m in (0, 1):
        near |= points_to_triangles(x[edges[e, m]], x[faces[f]]) <= reach
    touch[part[edges[e[near], 0]], part[faces[f[near], 0]]] = 1.0
    return touch


def _unbent(x: FloatArray, free: list[tuple[int, int]], held: set[int], tolerance: float
            ) -> list[tuple[int, int]]:
    """Return free edges, those that continue each other in a straight line as one."""
    edges = list(free)
    for k in range(len(x)):
        mine = [edge for edge in edges if k in edge]
        if k in held or len(mine) != 2:
            continue
        a, b = (sum(edge) - k for edge in mine)
        way = x[b] - x[a]
        share = float((x[k] - x[a]) @ way / (way @ way))
        if 0.0 < share < 1.0 and np.linalg.norm(x[k] - x[a] - share * way) <= tolerance:
            edges = [edge for edge in edges if k not in edge] + [(min(a, b), max(a, b))]
    return edges
