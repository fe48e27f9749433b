"""Volume, centre and moments of any swept skeleton, convex or not, to a given error.

Where parts of a body overlap, matter counts once. A straight line meets each part (ball, cylinder,
plate, or the solid that triangles close) in an interval with ends in closed form; what the line has
in common with the body is the union of these intervals, and integrals along it are exact. Across,
they are integrated by adaptive quadrature (see `quadrature`).

In the plane that is one integral, cut wherever two borders meet, between which it is analytic: so
it is exact but for rounding. In space there are two; slices are met by lines (see `lines`).

The body is turned by a fixed angle that nobody chooses, so that no line runs along a face.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from granum.checks import FloatArray
from granum.shapes.apart import segments_to_segments
from granum.shapes.lines import Body
from granum.shapes.plane import Flat, corners
from granum.shapes.quadrature import integrate, panels_between
from granum.shapes.skeleton import Skeleton, volume_of
from granum.shapes.steiner import frame_of
from granum.shapes.union import MOMENTS, Solid, solid_of

ERROR = {2: 1e-13, 3: 1e-7}  # of the whole, by which both rules may differ in a panel
ROUNDED = 1e-16  # a difference of the rules that no panel can do without
ROUNDING = 1e-13  # distance of places, in sizes of the body, that are the same
ASKEW = {2: Rotation.from_rotvec((0.0, 0.0, 0.7364)).as_matrix(),
         3: Rotation.from_rotvec((0.4127, 0.7351, -0.5813)).as_matrix()}


def swept_union(skeleton: Skeleton, radius: float, dimension: int) -> tuple[Solid, float]:
    """Return the solid that a skeleton and a ball make, and the relative error of its volume.

    In the plane ``skeleton`` is an outline: ``closed`` tells of its edges, not of faces.
    """
    middle, scale = frame_of(skeleton.points, radius)
    askew = ASKEW[dimension]
    x, r = (skeleton.points - middle) @ askew.T / scale, radius / scale
    least = _least_volume(skeleton._replace(points=x), r, dimension)
    close = max(ERROR[dimension] * least, ROUNDED)
    body = Flat(x, skeleton, r) if dimension == 2 else Body(x, skeleton, r, least)
    ends = corners(x, skeleton.edges, r) if dimension == 2 else _meetings(x, skeleton, r)
    apart = ROUNDING if dimension == 2 else 0.5 * r
    panels = panels_between(np.zeros(len(ends), dtype=np.int64), ends, apart)
    total, differ = integrate(body.across, panels, 1, MOMENTS, close)
    missed = float(differ[0]) + body.missed * float(np.ptp(ends))
    found = solid_of(total[0], np.zeros(3), scale, dimension)
    return Solid(found.volume, middle + askew.T @ found.centre, askew.T @ found.second @ askew
                 ), missed / float(total[0, 0])


def _meetings(x: FloatArray, skeleton: Skeleton, r: float) -> FloatArray:
    """Return where along x something begins or ends: balls, and places where edges meet.

    In between, no piece is so wide that something as wide as the ball could be overlooked.
    """
    a, b = x[skeleton.edges[:, 0]], x[skeleton.edges[:, 1]]
    i, j = np.triu_indices(len(a), 1)
    apart, s, _ = segments_to_segments(a[i], b[i], a[j], b[j])
    near = apart < 2.0 * r
    met = (a[i] + s[:, None] * (b[i] - a[i]))[near, 0]
    low, high = float(x[:, 0].min()) - r, float(x[:, 0].max()) + r
    inner = np.concatenate([x[:, 0] - r, x[:, 0] + r, met - 2.0 * r, met, met + 2.0 * r])
    least = np.linspace(low, high, 2 + int((high - low) / max(4.0 * r, 0.02)))
    return np.concatenate([np.clip(inner, low, high), least])


def _least_volume(skeleton: Skeleton, r: float, dimension: int) -> float:
    """Return the volume of what is inside, or of an edge or face, swept: there is at least that."""
    x = skeleton.points
    length = np.linalg.norm(x[skeleton.edges[:, 1]] - x[skeleton.edges[:, 0]], axis=1).max(
        initial=0.0)
    if dimension == 2:
        a, b = x[skeleton.edges[skeleton.closed, 0]], x[skeleton.edges[skeleton.closed, 1]]
        area = 0.5 * float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum())
        return float(max(2.0 * r * length, area) + np.pi * r * r)
    a, b, c = (x[skeleton.faces[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).max(initial=0.0)
    solid = volume_of(x, skeleton.faces[skeleton.closed])
    return float(max(np.pi * r * r * length, 2.0 * r * area, solid) + 4.0 / 3.0 * np.pi * r**3)
