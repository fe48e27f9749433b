"""A rigid shape as the engine takes it: balls that keep their places, and what joins them.

A clump is balls alone. A skeleton swept by a ball has its vertices as balls of one radius, joined
by segments (``edges``) and triangles (``faces``), each of which is swept by the same ball.

The frame of the shape is that of its principal axes, with the centre of mass at the origin. A grain
of this shape may be of any size: its lengths are those of the shape times a scale, its volume and
moments of inertia follow. Nothing here is computed anew when a run goes on from a checkpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from granum.checks import FloatArray


@dataclass(frozen=True)
class RigidShape:
    """Balls held together, in the frame of their principal axes.

    Args:
        points: their centres, seen from the centre of mass [m].
        radii: [m].
        volume: of the whole [m3].
        gyration: principal moments of inertia for each unit of mass [m2].
        edges: pairs of balls that a swept segment joins.
        faces: triples of balls that a swept triangle joins, seen counter-clockwise from outside
            where they bound a solid; its sides are among the edges and seams.
        seams: pairs of balls along which two faces meet that lie in one plane, as the diagonal of a
            square does. Nothing can be felt there: a seam has no contacts with edges. Where
            distances to faces, edges and balls are counted with their signs (face 1, edge -1,
            ball 1), a seam counts as an edge does, or what lies over it would count twice.
        cover: spheres that cover it for the triangulation, where the user has chosen them: centre,
            radius, and how deep in the shape the centre is [m].
        skin: all that is within this of the shape is in one of them, as far as proven [m].
    """

    points: tuple[tuple[float, float, float], ...]
    radii: tuple[float, ...]
    volume: float
    gyration: tuple[float, float, float]
    edges: tuple[tuple[int, int], ...] = ()
    faces: tuple[tuple[int, int, int], ...] = ()
    seams: tuple[tuple[int, int], ...] = ()
    cover: tuple[tuple[float, float, float, float, float], ...] = ()
    skin: float = 0.0

    def __len__(self) -> int:
        """Return the number of balls."""
        return len(self.radii)

    def describe(self) -> str:
        """Return what grains of this shape are, in a few words."""
        if not self.edges:
            return f"clumps of {len(self)} spheres"
        if len(self.edges) == 1:
            return "spherocylinders"
        parts = f"{len(self)} vertices and {len(self.edges)} edges"
        return f"swept skeletons of {parts}" + (
            f" with {len(self.faces)} triangles" if self.faces else "")

    @cached_property
    def sides(self) -> tuple[tuple[int, int], ...]:
        """All segments, lower ball first: the edges, then the seams."""
        return tuple((min(pair), max(pair)) for pair in (*self.edges, *self.seams))

    @property
    def parts(self) -> int:
        """The number of all that may touch: balls, segments and triangles."""
        return len(self.radii) + len(self.sides) + len(self.faces)

    @cached_property
    def arms(self) -> FloatArray:
        """Centre and radius of each ball, (balls,4) [m]."""
        return np.column_stack((np.array(self.points), self.radii))

    @cached_property
    def radius(self) -> float:
        """Radius of the sphere about the centre of mass that holds all balls [m]."""
        arms = self.arms
        return float((np.linalg.norm(arms[:, :3], axis=1) + arms[:, 3]).max())

    @cached_property
    def lightness(self) -> float:
        """How many times lighter the shape may feel where it is hit than its mass.

        A push along n at a ball with its centre at c meets the mass m / (1 + m (c × n)·I⁻¹(c × n));
        this is the largest of these factors.
        """
        largest = 0.0
        for x, y, z in self.points:
            cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            felt = cross.T @ (cross / np.array(self.gyration)[:, None])
            largest = max(largest, float(np.linalg.eigvalsh(felt)[-1]))
        return 1.0 + largest
