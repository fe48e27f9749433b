"""The walls of a run, from its newest checkpoint, and where they are at each moment.

Of a checkpoint only the description of the world is used, and the triangles of meshes; the shapes
of grains stand there, too. It names classes of granum; those that are none of these are refused, so
that nothing else is ever made of it: a law could name a file to run. Nor is the file of a mesh ever
read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray
from granum.errors import CheckpointError, GranumError, OutputError
from granum.output.container import read_container
from granum.output.describe import KNOWN, from_plain
from granum.output.mesh_files import recall_walls
from granum.shapes import RigidShape
from granum.view.guard import CHECKPOINTS, UNREADABLE, check_size, inside
from granum.view.surfaces import Box, surfaces_of
from granum.walls.moving import MOTIONS
from granum.walls.moving.table import SHIFT, TURN
from granum.world.body import Body
from granum.world.enclosure import Enclosure

WALLS = {name for name, cls in KNOWN.items() if hasattr(cls, "pieces")}
MOTIONS_KNOWN = {cls.__name__ for cls in MOTIONS.values()}
MOST_WALLS = 10_000
MOST_SHAPES, MOST_PARTS = 100_000, 10_000  # shapes, and vertices, edges or faces of one
Series = Mapping[str, NDArray[Any]]


class Walls:
    """The walls of a run.

    Attributes:
        enclosure: walls and bodies as described.
        materials: names of the materials of grains.
        shapes: of grains that are more than a sphere, by their numbers.
        why_not: why there are none, for a person; empty if there are.
    """

    def __init__(self, folder: Path) -> None:
        """Read the newest checkpoint that can be read."""
        self.enclosure = Enclosure(3, (None, None, None), None)
        self.materials: tuple[str, ...] = ()
        self.shapes: tuple[RigidShape, ...] = ()
        self.why_not = "walls are not shown: the run folder has no checkpoint"
        for path in sorted((folder / CHECKPOINTS).glob("step_*.h5"), reverse=True):
            try:
                check_size(inside(folder, path))
                arrays, meta = read_container(path, "checkpoint")
                self._take(meta["world"], arrays)
            except (GranumError, *UNREADABLE) as error:
                self.why_not = (f"walls are not shown: {path.name} cannot be used "
                                f"({str(error)[:300]})")
            else:
                self.why_not = ""
                return

    def _take(self, world: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        bodies = world.get("bodies", [])
        if len(world["walls"]) > MOST_WALLS:
            message = f"there are {len(world['walls'])} of them, at most {MOST_WALLS} can be shown"
            raise OutputError(message)
        for wall in world["walls"]:
            _refuse_others(wall, WALLS)
        for body in bodies:
            moving = body["moving"]
            for motion in moving if isinstance(moving, list) else [moving]:
                _refuse_others(motion, MOTIONS_KNOWN)
        found = Enclosure(int(world["dimension"]), tuple(world["periodic"]), None)
        found.walls = recall_walls(world["walls"], arrays)
        found.bodies = [Body(str(body["name"]), [found.walls[k] for k in body["walls"]],
                             from_plain(body["moving"])) for body in bodies]
        found.poses(0.0)
        for wall in found.walls:
            wall.outline()  # now, so that a broken one is refused
        shapes = world.get("shapes", [])
        if len(shapes) > MOST_SHAPES:
            message = f"there are {len(shapes)} shapes, at most {MOST_SHAPES} can be shown"
            raise OutputError(message)
        self.shapes = tuple(_shape(shape) for shape in shapes)
        self.materials = tuple(str(material["name"]) for material in world["materials"])
        self.enclosure = found

    def bounds(self) -> Box:
        """Return the corners of the box around all walls, (3,) each [m].

        Walls without an end count as far as their outlines go, as those of a box that is open at
        the top, or not at all.
        """
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for wall in self.enclosure.walls:
            own = wall.bounds()
            drawn = np.concatenate([np.zeros((0, 3)), *wall.outline()])
            low = np.minimum(low, np.where(np.isfinite(own[0]), own[0],
                                           drawn.min(axis=0, initial=np.inf)))
            high = np.maximum(high, np.where(np.isfinite(own[1]), own[1],
                                             drawn.max(axis=0, initial=-np.inf)))
        return low, high

    def poses(self, time: float, series: Series) -> FloatArray:
        """Return turn and shift of each body at a time [s], (b, 12).

        Bodies that are driven are where the series says, by their names.
        """
        for body in self.enclosure.bodies:
            columns = [f"{body.name}_{axis}" for axis in "xyz"]
            if body.is_driven and all(name in series for name in columns) and len(series["time"]):
                body.state[:3] = [np.interp(time, series["time"], series[name]) for name in columns]
        pose = self.enclosure.poses(time)
        return np.concatenate([pose[:, TURN:TURN + 9], pose[:, SHIFT:SHIFT + 3]], axis=1)

    def described(self, scene: Box, origin: FloatArray) -> list[dict[str, Any]]:
        """Return all walls for the page: body, vertices and lines from ``origin`` [m], triangles.

        Coordinates stand in the frame in which a wall was described, less the origin; a pose of the
        page must therefore turn about it (see ``Record.frame_block``).
        """
        number = {wall: b for b, body in enumerate(self.enclosure.bodies) for wall in body.walls}
        told = []
        for wall in self.enclosure.walls:
            lines = [(line - origin).round(9).tolist() for line in wall.outline()]
            told.append({
                "body": number.get(wall, -1), "what": wall.describe(), "lines": lines,
                "surfaces": [{"vertices": (s.vertices - origin).ravel().tolist(),
                              "triangles": s.triangles.ravel().tolist(),
                              "until": s.until if np.isfinite(s.until) else None}
                             for s in surfaces_of(wall, scene)],
            })
        return told


def _shape(data: Any) -> RigidShape:
    """Return the shape of a grain, or refuse what is none."""
    _refuse_others(data, {RigidShape.__name__})
    found: RigidShape = from_plain(data)
    arms = found.arms
    rows = [np.array(given, dtype=np.int64).reshape(-1, width)
            for given, width in ((found.edges, 2), (found.faces, 3))]
    if not (1 <= len(arms) <= MOST_PARTS and np.isfinite(arms).all() and (arms[:, 3] > 0.0).all()
            and all(len(joined) <= MOST_PARTS and joined.min(initial=0) >= 0
                    and joined.max(initial=0) < len(arms) for joined in rows)):
        message = "it describes a shape that no grain can have"
        raise CheckpointError(message)
    return found


def _refuse_others(data: Any, allowed: set[str]) -> None:
    """Refuse what is no table of numbers and texts of an allowed type; nothing may hide inside."""
    if not isinstance(data, dict) or data.get("type") not in allowed:
        told = data.get("type") if isinstance(data, dict) else data
        message = f"it describes a wall or a motion as {str(told)[:80]!r}"
        raise CheckpointError(message)
    if any(_has_table(value) for value in data.values()):
        message = f"the description of its {data['type']} has others inside"
        raise CheckpointError(message)


def _has_table(data: Any) -> bool:
    return isinstance(data, dict) or (isinstance(data, list) and any(map(_has_table, data)))
