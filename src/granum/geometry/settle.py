"""Conflicts that doubles cannot decide: the later stages of `granum.geometry.predicates`, in turn.

Vertices are tuples (x, y, z, w), with their indices for ties. Each function returns the sign and
the stage that found it.
"""

from __future__ import annotations

from granum.compile import inner_kernel
from granum.geometry.doubled import doubled_conflict3d
from granum.geometry.exact import exact_conflict2d, exact_conflict3d
from granum.geometry.integers import UNFIT, integer_conflict2d, integer_conflict3d
from granum.geometry.short import short_conflict2d, short_conflict3d
from granum.geometry.ties import tie2d, tie3d

Vertex = tuple[float, float, float, float]
Settled = tuple[int, int]

FILTER, INTEGERS, EXPANSIONS, TIE, SHORT, DOUBLED = 1, 2, 3, 4, 5, 6
"""The stages; the first is over before anything is settled here."""


@inner_kernel
def settle2d(A: Vertex, B: Vertex, C: Vertex, E: Vertex,
             a: int, b: int, c: int, e: int) -> Settled:
    """Settle the sign of h_a [BC] - h_b [AC] + h_c [AB]."""
    found = short_conflict2d(A, B, C, E, a, b, c, e)
    if found != UNFIT:
        return found, SHORT
    found, stage = integer_conflict2d(A, B, C, E), INTEGERS
    if found == UNFIT:
        found, stage = exact_conflict2d(A, B, C, E), EXPANSIONS
    if found == 0:
        found, stage = tie2d(A, B, C, E, a, b, c, e), TIE
    return found, stage


@inner_kernel
def settle_left3d(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex,
                  a: int, b: int, c: int, d: int, e: int) -> Settled:
    """Settle the sign of h_a [BCD] - h_b [ACD] + h_c [ABD] - h_d [ABC] that pairs left open."""
    found, stage = integer_conflict3d(A, B, C, D, E), INTEGERS
    if found == UNFIT:
        found, stage = exact_conflict3d(A, B, C, D, E), EXPANSIONS
    if found == 0:
        found, stage = tie3d(A, B, C, D, E, a, b, c, d, e), TIE
    return found, stage


@inner_kernel
def settle3d(A: Vertex, B: Vertex, C: Vertex, D: Vertex, E: Vertex,
             a: int, b: int, c: int, d: int, e: int) -> Settled:
    """Settle the same sign from the beginning."""
    found = short_conflict3d(A, B, C, D, E, a, b, c, d, e)
    if found != UNFIT:
        return found, SHORT
    found = doubled_conflict3d(A, B, C, D, E)
    if found != UNFIT:
        return found, DOUBLED
    return settle_left3d(A, B, C, D, E, a, b, c, d, e)
