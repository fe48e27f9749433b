"""Swept grains as wholes: one row for each in place of one for each vertex.

Frames tell where vertices are; the checkpoint tells where they are in their shape. The centre of
mass is where the shape, turned and scaled as the grain is, has all its vertices in their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.output.joined import joined_rows
from granum.output.vtkhdf import Frame
from granum.shapes import RigidShape
from granum.shapes.turning import turned

NEEDED = ("id", "shape", "orientation", "radius")


class Whole(NamedTuple):
    """Swept grains of a frame, in the order of their rows."""

    first: IntArray  # (g,) row of the first vertex
    shape: IntArray  # (g,) number of the shape
    scale: FloatArray  # (g,) lengths of the grain over those of the shape
    centre: FloatArray  # (g,3) of mass [m]
    turn: FloatArray  # (g,4) from the principal axes of the shape to the lab


def whole_grains(frame: Frame, shapes: Sequence[RigidShape]) -> Whole | None:
    """Return the swept grains of a frame; None if it has none, or their shapes are not known."""
    if not len(frame.edges) or any(name not in frame.fields for name in NEEDED):
        return None
    ids, shape, turn, radius = (frame.fields[name] for name in NEEDED)
    joined = joined_rows(frame)
    first = np.flatnonzero(joined & np.append(True, ids[1:] != ids[:-1]))
    number = np.asarray(shape)[first].astype(np.int64)
    if not ((number >= 0) & (number < len(shapes))).all():
        return None
    size = np.array([len(one) for one in shapes])[number]
    rows = np.repeat(first - np.cumsum(size) + size, size) + np.arange(size.sum())
    if not np.array_equal(rows, np.flatnonzero(joined)):
        return None
    scale, centre = np.zeros(len(first)), np.zeros((len(first), 3))
    for k in np.unique(number).tolist():
        mine = number == k
        rows = first[mine][:, None] + np.arange(len(shapes[k]))
        scale[mine] = radius[first[mine]] / shapes[k].radii[0]
        arms = turned(turn[first[mine]][:, None], np.array(shapes[k].points)[None])
        centre[mine] = (frame.points[rows] - scale[mine][:, None, None] * arms).mean(axis=1)
    return Whole(first, number, scale, centre, turn[first])


def whole_frame(frame: Frame, shapes: Sequence[RigidShape]) -> Frame:
    """Return a frame with one row for each swept grain, as the arrays of a world have it.

    Its place is that of the centre of mass, its velocity that of this point, and its radius that of
    the sphere about it that holds the grain.
    """
    found = whole_grains(frame, shapes)
    if found is None:
        return frame
    kept = ~joined_rows(frame)
    kept[found.first] = True
    points = frame.points.copy()
    points[found.first] = found.centre
    fields = dict(frame.fields)
    fields["radius"] = fields["radius"].copy()
    fields["radius"][found.first] = found.scale * np.array([s.radius for s in shapes])[found.shape]
    if "velocity" in fields and "spin" in fields:
        way = found.centre - frame.points[found.first]
        fields["velocity"] = fields["velocity"].copy()
        fields["velocity"][found.first] += np.cross(fields["spin"][found.first], way)
    return Frame(frame.time, points[kept], {name: values[kept] for name, values in fields.items()})
