"""What holds the grains: the walls of a world, how they move, and the periodic cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.errors import InputError
from granum.walls import Wall, WallTable, clearance, default_names, make_table
from granum.walls.moving import MotionTable, into_rest, moved
from granum.walls.moving.table import SHIFT
from granum.world.body import (
    Body,
    motion_table,
    motions_of,
    moved_bounds,
    poses_at,
    refuse_impossible,
)
from granum.world.place.barriers import Barriers
from granum.world.place.space import Periodic


class Enclosure:
    """Walls in a cell that may be periodic.

    Attributes:
        dimension: 2 or 3.
        periodic: length of the cell in each direction [m]; None: not periodic.
        domain: corners beyond which a grain is lost [m], or None.
        walls: all of them.
        names: of walls that have one.
        made_of: materials of walls, by number.
        bodies: walls that move.
    """

    def __init__(self, dimension: int, periodic: Periodic,
                 domain: tuple[FloatArray, FloatArray] | None) -> None:
        self.dimension = dimension
        self.periodic = periodic
        self.domain = domain
        self.walls: list[Wall] = []
        self.names: dict[Wall, str] = {}
        self.made_of: dict[Wall, int] = {}
        self.bodies: list[Body] = []

    def periods(self) -> FloatArray:
        """Return the period in each direction, 0 where there is none, (3,) [m]."""
        return np.array([length or 0.0 for length in self.periodic])

    def wall_table(self) -> WallTable:
        """Return all walls as the arrays that kernels see."""
        return make_table(self.walls, self.wall_titles())

    def wall_titles(self) -> list[str]:
        """Return what each wall is called: its name, or else its kind."""
        given = set(self.names.values())
        return [self.names.get(wall, f"unnamed {kind}" if kind in given else kind)
                for wall, kind in zip(self.walls, default_names(self.walls), strict=True)]

    def wall_materials(self, table: WallTable) -> IntArray:
        """Return the number of each wall piece's material, (w,); -1 where it has none."""
        numbers = np.array([self.made_of.get(wall, -1) for wall in self.walls], dtype=np.int64)
        return numbers[table.owner] if len(numbers) else numbers

    def wall_bodies(self, table: WallTable) -> IntArray:
        """Return the number of each wall piece's body, (w,); -1 where it is still."""
        number = {wall: b for b, body in enumerate(self.bodies) for wall in body.walls}
        numbers = np.array([number.get(wall, -1) for wall in self.walls], dtype=np.int64)
        return numbers[table.owner] if len(numbers) else numbers

    def motion_table(self) -> MotionTable:
        """Return how all bodies of walls move, as the arrays that kernels see."""
        return motion_table(self.bodies)

    def poses(self, time: float) -> FloatArray:
        """Return where all bodies of walls are at ``time`` [s], (b, POSE)."""
        return poses_at(self.bodies, time)

    def outlines(self, time: float, places: Mapping[str, FloatArray]) -> list[FloatArray]:
        """Return polylines [m] that draw all walls where they are at ``time`` [s].

        Bodies that are driven are where ``places`` says, by their names: displacements [m].
        """
        lines = []
        name = {wall: body.name for body in self.bodies for wall in body.walls if body.is_driven}
        for wall, pose in self.walls_at(time):
            if pose is not None and name.get(wall) in places:
                pose[SHIFT:SHIFT + 3] = places[name[wall]]
            lines += [line if pose is None else moved(pose, line) for line in wall.outline()]
        return lines

    def walls_at(self, time: float) -> list[tuple[Wall, FloatArray | None]]:
        """Return all walls with their poses at ``time`` [s]; None for those that are still."""
        pose = self.poses(time)
        number = {wall: b for b, body in enumerate(self.bodies) for wall in body.walls}
        return [(wall, pose[number[wall]] if wall in number else None) for wall in self.walls]

    def outside(self, wall: Wall, points: FloatArray, time: float) -> NDArray[np.bool_]:
        """Tell for each of ``points`` [m] whether it is on the wrong side of a wall, (n,)."""
        pose = dict(self.walls_at(time))[wall]
        return ~wall.contains(points if pose is None else into_rest(pose, points))

    def clearance(self, points: FloatArray, radii: FloatArray, time: float) -> FloatArray:
        """Return how far spheres are from touching any wall at ``time`` [s], (n,) [m]."""
        gap = np.full(len(points), np.inf)
        for table, pose, _ in self._barriers(time):
            there = points if pose is None else into_rest(pose, points)
            gap = np.minimum(gap, clearance(table, there, radii, time))
        return gap

    def fitting(self, time: float) -> Callable[[FloatArray, FloatArray], NDArray[np.bool_]]:
        """Return the function that tells which spheres (centres, radii) no wall cuts, (n,)."""
        barriers = self._barriers(time)

        def fits(points: FloatArray, radii: FloatArray) -> NDArray[np.bool_]:
            inside = np.ones(len(points), dtype=np.bool_)
            for table, pose, walls in barriers:
                there = points if pose is None else into_rest(pose, points)
                inside &= clearance(table, there, radii, time) >= 0.0
                for wall in walls:
                    inside &= wall.contains(there)
            return inside

        return fits

    def barriers(self, time: float) -> Barriers:
        """Return all walls where they are at ``time`` [s], as the arrays that kernels see."""
        table = self.wall_table()
        return Barriers(table.kind, table.data, self.wall_bodies(table), self.poses(time), time)

    def limits(self, time: float = 0.0) -> tuple[FloatArray, FloatArray]:
        """Return the corners beyond which a grain is lost, (3,) each [m]; infinite if open."""
        if self.domain is not None:
            return self.domain[0], self.domain[1]
        low, high = self.container(time)
        sides = (high - low)[np.isfinite(high - low)]
        margin = 0.5 * sides.max() if sides.size else 0.0  # the same whatever grains there are
        return low - margin, high + margin

    def container(self, time: float = 0.0) -> tuple[FloatArray, FloatArray]:
        """Return the box around all walls and periods, infinite where there is neither.

        A wall with an end on one side only is a half space: it holds every grain on its side, so
        that two of them that face each other close a direction. Elsewhere it is open.
        """
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        floor, lid = high, low
        for wall, pose in self.walls_at(time):
            ends = np.array(wall.bounds() if pose is None else moved_bounds(wall.bounds(), pose))
            has_both = np.isfinite(ends).all(axis=0)
            low = np.minimum(low, np.where(has_both, ends[0], -np.inf))
            high = np.maximum(high, np.where(has_both, ends[1], np.inf))
            floor = np.maximum(floor, np.where(has_both, -np.inf, ends[0]))
            lid = np.minimum(lid, np.where(has_both, np.inf, ends[1]))
        low, high = np.where(low > high, -np.inf, low), np.where(low > high, np.inf, high)
        low, high = np.maximum(low, floor), np.minimum(high, lid)
        cell = self.periods()
        low, high = np.where(cell > 0, 0.0, low), np.where(cell > 0, cell, high)
        if self.dimension == 2:
            low[2], high[2] = 0.0, 0.0
        return low, high

    def _barriers(self, time: float
                  ) -> list[tuple[WallTable, FloatArray | None, Sequence[Wall]]]:
        """Return the walls that are still, and each body, as table, pose and walls."""
        moving = {wall for body in self.bodies for wall in body.walls}
        still = [wall for wall in self.walls if wall not in moving]
        found: list[tuple[WallTable, FloatArray | None, Sequence[Wall]]] = [
            (make_table(still), None, still)]
        for body, pose in zip(self.bodies, self.poses(time), strict=True):
            there = [wall for wall in body.walls if wall in self.walls]
            found.append((make_table(there), pose, there))
        return found

    def _move_wall(self, wall: Wall, name: str, moving: Any) -> None:
        """Let a wall belong to the body of its name, or make it a body if it moves."""
        body = next((body for body in self.bodies if name and body.name == name), None)
        if moving is not None:
            motions = motions_of(moving)
            if body is None:
                body = Body(name, [w for w in self.walls if name and self.names.get(w) == name],
                            motions)
            elif motions != body.moving:
                message = (f"the walls named {name!r} are one body, but one {body.describe()}, and "
                           f"another {Body(name, [], motions).describe()}: say it once")
                raise InputError(message)
        if body is not None:
            refuse_impossible(replace(body, walls=[*body.walls, wall]), self.dimension,
                              any(self.periodic))
            body.walls.append(wall)
            if body not in self.bodies:
                self.bodies.append(body)
        if name:
            self.names[wall] = name
