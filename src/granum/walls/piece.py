"""Primitive pieces of walls and the rows of numbers that describe them to the kernels.

Four kinds make most walls, three more make meshes. A piece is a row of `ROW` float64; lengths in m,
times in s, columns that a kind does not name are zero:

======================  ==========================================================================
PLANE (infinite)
0-2, 3-5                a point; unit normal, towards the grains
6                       1: met from both sides; 0: signed distance along the normal
QUAD (convex, planar)
0-11                    four vertices, counter-clockwise seen from the tip of the normal
12-14                   unit normal, towards the grains
15                      1: face contacts from behind do not count
16-19                   for each edge (edge k runs from vertex k to k + 1): 1 if it counts
20-31                   for each edge its guard, see below
REVOLUTION (a straight segment of the half plane (rho, z) turned about an axis)
0-2, 3-5, 6-8, 9-11     origin; orthonormal frame: two vectors across the axis, the axis (z)
12-13, 14-15            (rho, z) of the origin of the arc length s; unit direction of growing s
16, 18                  the segment is low <= s <= high; both infinite for an endless cylinder
17, 19                  before the time in 19 ("opens"), the low end is at the s in 17
20, 21                  1 if the end circle at low (high) counts
22-23, 24-25            guards of the two end circles, in (rho, z)
26                      1: face contacts from the right of the segment do not count
SPHERE (shell)
0-2, 3                  centre; radius
4                       1: grains live inside; -1: outside
TRIANGLE (the face of a triangle, without its edges)
0-8, 9-11               three corners; unit normal, towards the grains
12                      1: contacts from behind do not count
13-15                   for each edge (edge k runs from corner k to k + 1) the corner it is told by
16-24                   for each edge the unit direction in the face, inwards across it
EDGE (of triangles)
0-2, 3-5, 6-8           the two ends; unit direction from the first to the second
9-11                    unit normal, the mean of those of its faces
12, 13 on               number of faces; for each the unit direction in it, away from the edge
CORNER (of triangles)
0-2, 3-5                the point; unit normal, the mean of those of its faces
6                       1: contacts from behind do not count
7, 8 on                 number of edges; for each the unit direction along it, away from the corner
======================  ==========================================================================

The grains of a segment live to its left, so a centre that lies exactly on any piece is pushed
back to the side where grains belong.

Edges that two pieces share. If the closest point of a piece is on an edge (end circle) that does
not count, the piece is not touched: its neighbour answers. The piece that does own the edge still
must not answer where the neighbour's face is met, close to the edge: its *guard* is the unit
direction, in the neighbour's face and away from the edge, and it does not answer for centres on
that side of the edge. So a centre near a shared edge meets face, edge or face, exactly one of the
three, and distance and normal are continuous from one to the next. A zero guard guards nothing.
A vertex of a quadrilateral counts if both its edges do.

How triangles share edges and corners is told in `granum.walls.features`; the row of an edge or a
corner where very many faces meet is longer than `ROW`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from granum import checks
from granum.checks import FloatArray
from granum.errors import InputError
from granum.walls.frame import make_frame

PLANE, QUAD, REVOLUTION, SPHERE, TRIANGLE, EDGE, CORNER = 0, 1, 2, 3, 4, 5, 6
ROW = 32

FLATNESS = 1e-9
"""How far, relative to its size, a vertex of a quadrilateral may lie off the plane."""

PLANE_TWO_SIDED = 6
QUAD_NORMAL, QUAD_ONE_SIDED, QUAD_COUNT, QUAD_GUARD = 12, 15, 16, 20
REV_START, REV_ALONG, REV_LOW, REV_SHUT, REV_HIGH, REV_OPENS = 12, 14, 16, 17, 18, 19
REV_COUNT, REV_GUARD, REV_ONE_SIDED = 20, 22, 26
SPHERE_RADIUS, SPHERE_SIDE = 3, 4
TRI_NORMAL, TRI_ONE_SIDED, TRI_ANCHOR, TRI_INWARDS = 9, 12, 13, 16
EDGE_END, EDGE_ALONG, EDGE_NORMAL, EDGE_COUNT, EDGE_FACES = 3, 6, 9, 12, 13
CORNER_NORMAL, CORNER_ONE_SIDED, CORNER_COUNT, CORNER_EDGES = 3, 6, 7, 8

Pair = tuple[float, float]
NO_GUARD: Pair = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Piece:
    """One primitive: its kind, its row (`ROW`,) or longer, and a name within its wall, if any."""

    kind: int
    data: FloatArray
    name: str = ""


def plane_piece(point: Any, normal: Any, *, two_sided: bool = False, name: str = "") -> Piece:
    """Return an infinite plane through ``point`` [m]; grains live where ``normal`` points to."""
    row = np.zeros(ROW)
    row[0:3] = checks.vector("point", point)
    row[3:6] = checks.direction("normal", normal)
    row[PLANE_TWO_SIDED] = two_sided
    return Piece(PLANE, row, name)


def quad_piece(vertices: Any, *, one_sided: bool = False,
               count: Sequence[bool] = (True, True, True, True),
               guards: Any = None, name: str = "") -> Piece:
    """Return a convex planar quadrilateral.

    Args:
        vertices: corners [m], (4, 3), counter-clockwise seen from the side where grains live.
        one_sided: whether face contacts from behind are ignored (edges count from all round).
        count: which edges count; edge k runs from vertex k to vertex k + 1.
        guards: directions of the neighbours' faces at the edges, (4, 3); see the module.
        name: name of the piece within its wall.
    """
    corners = checks.array("vertices", vertices, (4, 3))
    normal = _quad_normal(corners)
    row = np.zeros(ROW)
    row[0:12] = corners.ravel()
    row[QUAD_NORMAL:QUAD_NORMAL + 3] = normal
    row[QUAD_ONE_SIDED] = one_sided
    row[QUAD_COUNT:QUAD_COUNT + 4] = count
    if guards is not None:
        row[QUAD_GUARD:QUAD_GUARD + 12] = checks.array("guards", guards, (4, 3)).ravel()
    return Piece(QUAD, row, name)


def _quad_normal(corners: FloatArray) -> FloatArray:
    """Return the unit normal; refuse corners that are not a flat convex quadrilateral."""
    edge = np.roll(corners, -1, axis=0) - corners
    normal = np.cross(corners[2] - corners[0], corners[3] - corners[1])
    size = float(np.abs(corners[2:] - corners[:2]).max())
    turns = np.cross(edge, np.roll(edge, -1, axis=0)) @ normal
    if not (turns > 0.0).all():
        message = (f"vertices must be the corners of a convex quadrilateral in turn, "
                   f"got {corners.tolist()}")
        raise InputError(message)
    unit = checks.direction("normal of the quadrilateral", normal)
    if np.abs((corners - corners[0]) @ unit).max() > FLATNESS * size:
        message = f"vertices must lie in one plane, got {corners.tolist()}"
        raise InputError(message)
    return unit


def revolution_piece(base: Any, axis: Any, start: Pair, end: Pair, *, infinite: bool = False,
                     one_sided: bool = False, count: tuple[bool, bool] = (True, True),
                     guards: tuple[Pair, Pair] = (NO_GUARD, NO_GUARD),
                     hole: float = 0.0, opens: float = -math.inf, name: str = "") -> Piece:
    """Return the surface that a segment makes when it turns about an axis.

    Args:
        base: where z = 0 on the axis [m], (3,).
        axis: direction of growing z.
        start: (rho, z) of one end of the segment [m]; going to ``end``, grains live to the left
            (rho to the right, z upwards).
        end: (rho, z) of the other end [m].
        infinite: whether the segment goes on for ever both ways.
        one_sided: whether face contacts from the right are ignored.
        count: whether the end circles at ``start`` and ``end`` count.
        guards: unit directions (rho, z) of the neighbours' faces at the ends; see the module.
        hole: length at the start of the segment that is missing once open [m].
        opens: time at which that length goes missing [s].
        name: name of the piece within its wall.
    """
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    checks.positive("length of the segment", length)
    checks.number("hole", hole, at_least=0.0, below=length)
    row = np.zeros(ROW)
    row[0:3] = checks.vector("base", base)
    row[3:12] = np.concatenate(make_frame(axis))
    row[REV_START:REV_START + 2] = start
    row[REV_ALONG:REV_ALONG + 2] = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    low, shut, high = (-math.inf, -math.inf, math.inf) if infinite else (hole, 0.0, length)
    if hole == 0.0:
        opens = -math.inf
    row[REV_LOW], row[REV_SHUT], row[REV_HIGH], row[REV_OPENS] = low, shut, high, opens
    row[REV_COUNT:REV_COUNT + 2] = count
    row[REV_GUARD:REV_GUARD + 4] = np.ravel(guards)
    row[REV_ONE_SIDED] = one_sided
    return Piece(REVOLUTION, row, name)


def sphere_piece(centre: Any, radius: float, *, inside: bool = True, name: str = "") -> Piece:
    """Return a spherical shell of ``radius`` [m]; grains live inside, or else outside."""
    row = np.zeros(ROW)
    row[0:3] = checks.vector("centre", centre)
    row[SPHERE_RADIUS] = checks.positive("radius", radius)
    row[SPHERE_SIDE] = 1.0 if inside else -1.0
    return Piece(SPHERE, row, name)
