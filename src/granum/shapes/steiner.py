"""Volume, centre and moments of a convex body swept by a ball: exact, in closed form.

What the ball adds to a convex body K lies over its faces, edges and vertices, each of which has its
own directions of normals (J. Steiner, 1840):

    V = V(K) + A r + r²/2 Σ_e L θ + 4/3 π r³        in the plane: A + P r + π r²

with θ the angle by which the normal turns at an edge. First moments m and second moments
S = ∫ x xᵀ dV are sums over the same parts:

    K          tetrahedra from the origin over each face, d = a·(b × c)/6, s = a + b + c:
               m = d s/4,  S = d/20 (ssᵀ + aaᵀ + bbᵀ + ccᵀ)
    face       area A, centroid g, normal n: m = A (r g + r² n/2),
               S = r ∫ yyᵀ dA + r²/2 A (gnᵀ + ngᵀ) + r³/3 A nnᵀ
    edge       length L, direction e, middle c, bisector b of the normals, d = e × b,
               v = θ r² L/2, k = 2/3 L r³ sin(θ/2): m = v c + k b,
               S = v ccᵀ + v L²/12 eeᵀ + k (cbᵀ + bcᵀ)
                   + L r⁴/8 [θ (bbᵀ + ddᵀ) + sin θ (bbᵀ - ddᵀ)]
    vertex     x, solid angle Ω = 2π - Σ angles of its faces, c = 1/2 Σ_e θ e towards x:
               m = Ω r³/3 x + r⁴/4 c,  S = Ω r³/3 xxᵀ + r⁴/4 (xcᵀ + cxᵀ)
    once       S = 4π/15 r⁵ 1

A flat polygon is a body with two sides and θ = π at its border; a segment has θ = 2π.

Lengths are taken relative to the size of the body, about the middle of its points.
"""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray
from granum.shapes.skeleton import Skeleton
from granum.shapes.union import Solid, solid_of

Sums = tuple[float, FloatArray, FloatArray]  # volume, m (3,), S (3,3)


def swept_hull(skeleton: Skeleton, radius: float) -> Solid:
    """Return the solid that a convex skeleton and a ball of ``radius`` [m] make."""
    middle, scale = frame_of(skeleton.points, radius)
    x, r = (skeleton.points - middle) / scale, radius / scale
    if len(x) == 1:
        return Solid(4.0 / 3.0 * np.pi * radius**3, skeleton.points[0].copy(),
                     4.0 * np.pi / 15.0 * radius**5 * np.eye(3))
    faces = skeleton.faces
    if not skeleton.closed.all():
        faces = np.concatenate([faces, faces[:, ::-1]])
    start, end, normal, theta = _edges(x, faces, skeleton)
    total = (0.0, np.zeros(3), 4.0 * np.pi / 15.0 * r**5 * np.eye(3))
    for part in (_inside(x, faces), _over_faces(x, faces, r),
                 _over_edges(x[start], x[end], normal, theta, r),
                 _over_vertices(x, faces, start, end, theta, r)):
        total = (total[0] + part[0], total[1] + part[1], total[2] + part[2])
    return solid_of(moments(*total), middle, scale, 3)


def swept_polygon(corners: FloatArray, radius: float) -> Solid:
    """Return the solid of unit thickness of a convex polygon (n,2), counter-clockwise, swept.

    A polygon of two corners is a segment, of one a disc.
    """
    points = np.column_stack((corners, np.zeros(len(corners))))
    if len(points) == 1:
        return Solid(np.pi * radius**2, points[0],
                     np.pi / 4.0 * radius**4 * np.diag([1.0, 1.0, 0.0]))
    middle, scale = frame_of(points, radius)
    a, r = (points - middle) / scale, radius / scale
    b = np.roll(a, -1, axis=0)
    length = np.linalg.norm(b - a, axis=1)
    e = (b - a) / length[:, None]
    n = np.column_stack((e[:, 1], -e[:, 0], np.zeros(len(e))))
    total = (np.pi * r**2, np.zeros(3), np.pi / 4.0 * r**4 * np.diag([1.0, 1.0, 0.0]))
    for part in (_inside_polygon(a, b), _over_sides(a, b, e, n, length, r), _over_corners(a, n, r)):
        total = (total[0] + part[0], total[1] + part[1], total[2] + part[2])
    return solid_of(moments(*total), middle, scale, 2)


def frame_of(points: FloatArray, radius: float) -> tuple[FloatArray, float]:
    """Return the middle of the points, and the size of the body [m]."""
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return middle, float(np.linalg.norm(points - middle, axis=1).max()) + radius


def moments(volume: float, m: FloatArray, S: FloatArray) -> FloatArray:
    """Return the moments 1, x, y, z, xx, yy, zz, xy, yz, zx, (10,)."""
    return np.array([volume, *m, *np.diag(S), S[0, 1], S[1, 2], S[2, 0]])


def _outer(weight: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return Σ weight abᵀ."""
    return np.einsum("k,ki,kj->ij", weight, a, b)


def _both(weight: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return Σ weight (abᵀ + baᵀ)."""
    product = _outer(weight, a, b)
    return product + product.T


# ---- in space -----------------------------------------------------------------------------------


def _edges(x: FloatArray, faces: np.ndarray, skeleton: Skeleton
           ) -> tuple[np.ndarray, np.ndarray, FloatArray, FloatArray]:
    """Return ends, a normal, and the angle θ by which it turns to the next face, of each edge."""
    if not len(faces):
        start, end = skeleton.edges.T
        e = x[end[0]] - x[start[0]]
        normal = np.cross(e, np.eye(3)[int(np.abs(e).argmin())])
        return start, end, normal[None] / np.linalg.norm(normal), np.array([2.0 * np.pi])
    n = _normals(x, faces)[0]
    if not skeleton.closed.all():  # two sides: over the border of one the other lies
        start, end, owner = _border(skeleton)
        return start, end, n[owner], np.full(len(start), np.pi)
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    owner = np.repeat(np.arange(len(faces)), 3)
    place = {pair: k for k, pair in enumerate(zip(start.tolist(), end.tolist(), strict=True))}
    once = np.flatnonzero(start < end)
    other = owner[[place[int(end[k]), int(start[k])] for k in once]]
    e = x[end[once]] - x[start[once]]
    out = np.cross(e / np.linalg.norm(e, axis=1)[:, None], n[owner[once]])
    theta = np.arctan2((n[other] * out).sum(axis=1), (n[other] * n[owner[once]]).sum(axis=1))
    return start[once], end[once], n[owner[once]], theta


def _border(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sides of a plate's triangles that only one has, and which one."""
    start, end = skeleton.faces.ravel(), np.roll(skeleton.faces, -1, axis=1).ravel()
    sides = set(zip(start.tolist(), end.tolist(), strict=True))
    back = zip(end.tolist(), start.tolist(), strict=True)
    single = np.array([side not in sides for side in back])
    return start[single], end[single], np.flatnonzero(single) // 3


def _normals(x: FloatArray, faces: np.ndarray) -> tuple[FloatArray, FloatArray]:
    """Return unit normals (m,3) and areas (m,)."""
    a, b, c = (x[faces[:, k]] for k in range(3))
    cross = np.cross(b - a, c - a)
    twice = np.linalg.norm(cross, axis=1)
    return cross / twice[:, None], 0.5 * twice


def _squares(a: FloatArray, b: FloatArray, c: FloatArray, weight: FloatArray) -> FloatArray:
    """Return Σ weight (ssᵀ + aaᵀ + bbᵀ + ccᵀ) with s = a + b + c."""
    s = a + b + c
    return sum((_outer(weight, v, v) for v in (a, b, c)), _outer(weight, s, s))


def _inside(x: FloatArray, faces: np.ndarray) -> Sums:
    a, b, c = (x[faces[:, k]] for k in range(3))
    d = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    return float(d.sum()), d @ (a + b + c) / 4.0, _squares(a, b, c, d / 20.0)


def _over_faces(x: FloatArray, faces: np.ndarray, r: float) -> Sums:
    if not len(faces):
        return 0.0, np.zeros(3), np.zeros((3, 3))
    n, area = _normals(x, faces)
    a, b, c = (x[faces[:, k]] for k in range(3))
    g = (a + b + c) / 3.0
    S = _squares(a, b, c, r / 12.0 * area) + _both(0.5 * r**2 * area, g, n)
    return (float(area.sum()) * r, area @ (r * g + 0.5 * r**2 * n),
            S + _outer(r**3 / 3.0 * area, n, n))


def _over_edges(a: FloatArray, b: FloatArray, n: FloatArray, theta: FloatArray, r: float) -> Sums:
    length = np.linalg.norm(b - a, axis=1)
    e, c = (b - a) / length[:, None], 0.5 * (a + b)
    half = 0.5 * theta[:, None]
    bisector = np.cos(half) * n + np.sin(half) * np.cross(e, n)
    d = np.cross(e, bisector)
    v, k = 0.5 * theta * r**2 * length, 2.0 / 3.0 * length * r**3 * np.sin(0.5 * theta)
    S = (_outer(v, c, c) + _outer(v * length**2 / 12.0, e, e) + _both(k, c, bisector)
         + _outer(length * r**4 / 8.0 * (theta + np.sin(theta)), bisector, bisector)
         + _outer(length * r**4 / 8.0 * (theta - np.sin(theta)), d, d))
    return float(v.sum()), v @ c + k @ bisector, S


def _over_vertices(x: FloatArray, faces: np.ndarray, start: np.ndarray, end: np.ndarray,
                   theta: FloatArray, r: float) -> Sums:
    solid = np.full(len(x), 2.0 * np.pi)
    for k in range(3 if len(faces) else 0):
        u, v = (x[faces[:, (k + step) % 3]] - x[faces[:, k]] for step in (1, 2))
        angle = np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), (u * v).sum(axis=1))
        np.subtract.at(solid, faces[:, k], angle)
    e = x[end] - x[start]
    pull = 0.5 * theta[:, None] * e / np.linalg.norm(e, axis=1)[:, None]
    c = np.zeros_like(x)
    np.add.at(c, end, pull)
    np.subtract.at(c, start, pull)
    weight = solid * r**3 / 3.0
    return (float(weight.sum()), weight @ x + r**4 / 4.0 * c.sum(axis=0),
            _outer(weight, x, x) + _both(np.full(len(x), r**4 / 4.0), x, c))


# ---- in the plane -------------------------------------------------------------------------------


def _inside_polygon(a: FloatArray, b: FloatArray) -> Sums:
    d = 0.5 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    s = a + b
    S = _outer(d / 12.0, s, s) + _outer(d / 12.0, a, a) + _outer(d / 12.0, b, b)
    return float(d.sum()), d @ s / 3.0, S


def _over_sides(a: FloatArray, b: FloatArray, e: FloatArray, n: FloatArray, length: FloatArray,
                r: float) -> Sums:
    g = 0.5 * (a + b)
    S = (_outer(r * length, g, g) + _outer(r * length**3 / 12.0, e, e)
         + _both(0.5 * r**2 * length, g, n) + _outer(r**3 / 3.0 * length, n, n))
    return float(length.sum()) * r, length @ (r * g + 0.5 * r**2 * n), S


def _over_corners(x: FloatArray, n: FloatArray, r: float) -> Sums:
    """Return the sums over the sectors at the corners; their areas, π r² in all, are counted."""
    before = np.roll(n, 1, axis=0)
    theta = np.arctan2(before[:, 0] * n[:, 1] - before[:, 1] * n[:, 0], (before * n).sum(axis=1))
    theta = np.where(theta < -0.5 * np.pi, theta + 2.0 * np.pi, theta)  # -π: the end of a segment
    half = 0.5 * theta[:, None]
    along = np.column_stack((-before[:, 1], before[:, 0], np.zeros(len(n))))
    bisector = np.cos(half) * before + np.sin(half) * along
    sector, pull = 0.5 * theta * r**2, 2.0 / 3.0 * r**3 * np.sin(0.5 * theta)
    return (0.0, sector @ x + pull @ bisector,
            _outer(sector, x, x) + _both(pull, x, bisector))
