"""Who wins a tie: conflicts whose determinant is exactly zero, decided by perturbed weights.

Vertex i has an extra weight eps_i, with 1 >> eps_0 >> eps_1 >> ... > 0: so small that it matters
in a tie only, and the lowest index that matters decides (Edelsbrunner & Mücke, ACM Trans. Graph. 9
(1990) 66; Devillers & Teillaud, Comput. Geom. 44 (2011) 160, perturb weights alone as here).

The conflict determinant is linear in the weights. That of e has the orientation of the simplex for
a coefficient; that of a vertex a of the simplex, minus the orientation of the simplex with e in
the place of a. The first coefficient that is not zero is the sign.
"""

from __future__ import annotations

import numpy as np

from granum.compile import inner_kernel, kernel
from granum.geometry.estimates import sign
from granum.geometry.orientation import turn, volume

Vertex = tuple[float, float, float, float]


@inner_kernel
def _next(last: int, a: int, b: int, c: int, d: int, e: int) -> int:
    """Return the lowest of five indices above the last one, or the highest of all if none is."""
    found = max(a, b, c, d, e)
    for index in (a, b, c, d, e):
        if last < index < found:
            found = index
    return found


@inner_kernel
def tie1d(A: Vertex, B: Vertex, E: Vertex, a: int, b: int, e: int) -> int:
    """Return the sign of the perturbed determinant of `conflict1d` where it is 0."""
    last = np.int64(-1)
    for _ in range(3):
        last = _next(last, a, b, e, e, e)
        if last == e:
            found = sign(B[0] - A[0])
        elif last == a:
            found = -sign(B[0] - E[0])
        else:
            found = -sign(E[0] - A[0])
        if found != 0:
            return found
    return 0


@kernel
def tie2d(A: Vertex, B: Vertex, C: Vertex, E: Vertex, a: int, b: int, c: int, e: int) -> int:
    """Return the sign of the perturbed determinant of `conflict2d` where it is 0."""
    last = np.int64(-1)
    for _ in range(4):
        last = _next(last, a, b, c, e, e)
        if last == e:
            found = turn(A, B, C)
        elif last == a:
            found = -turn(E, B, C)
        elif last == b:
            found = -turn(A, E, C)
        else:
            found = -turn(A, B, E)
        if found != 0:
            return found
    return 0


@kernel
def tie3d(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex,
          a: int, b: int, c: int, d: int, e: int) -> int:
    """Return the sign of the perturbed determinant of `conflict3d` where it is 0."""
    last = np.int64(-1)
    for _ in range(5):
        last = _next(last, a, b, c, d, e)
        if last == e:
            found = volume(A, B, C, D)
        elif last == a:
            found = -volume(E, B, C, D)
        elif last == b:
            found = -volume(A, E, C, D)
        elif last == c:
            found = -volume(A, B, E, D)
        else:
            found = -volume(A, B, C, E)
        if found != 0:
            return found
    return 0
