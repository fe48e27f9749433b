"""Contacts as rods, and what they add up to for each grain.

If the frames hold contacts, rods are forces: one from the centre of each grain to the point where
it is touched, so that they reach walls, too, and end at a periodic boundary. Else contacts are
found where balls overlap (``touching``), and rods are overlaps, from centre to centre.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.output.vtkhdf import Frame
from granum.view.touching import touching

FAR = 1.5  # of its reach: a contact point further off its grain lies beyond a periodic boundary
STRONG = 0.98  # quantile of the thickest rod
Contacts = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Rods:
    """What is drawn of contacts.

    Attributes:
        ends: (c, 6) where each rod begins and ends [m].
        strength: (c,) how thick it is.
        at_wall: (c,) whether a wall presses, not another grain.
        what: what the strength is, for a person.
        unit: of the strength.
    """

    ends: FloatArray
    strength: FloatArray
    at_wall: NDArray[np.bool_]
    what: str
    unit: str

    @property
    def strong(self) -> float:
        """The strength of the thickest rod; those above it are not thicker."""
        return float(np.quantile(self.strength, STRONG)) if len(self.strength) else 0.0


def rods_of(frame: Frame, contacts: Contacts | None) -> Rods:
    """Return the rods of a frame."""
    if contacts is None:
        pairs = touching(frame)
        both = np.hstack((frame.points[pairs.i], frame.points[pairs.j]))
        return Rods(both, pairs.overlap, np.zeros(len(both), dtype=np.bool_), "overlap", "m")
    ids, centre, reach = _grains(frame)
    ends, strength, at_wall = [], [], []
    force = np.linalg.norm(contacts["force"], axis=1)
    for side in ("i", "j"):
        row, known = _rows(ids, contacts[side])
        begin, point = centre[row], contacts["point"][known]
        near = np.linalg.norm(point - begin, axis=1) <= FAR * reach[row]
        ends.append(np.hstack((begin, point))[near])
        strength.append(force[known][near])
        at_wall.append(contacts["j"][known][near] < 0)
    return Rods(np.concatenate(ends), np.concatenate(strength), np.concatenate(at_wall), "force",
                "N")


def loads_of(frame: Frame, contacts: Contacts) -> tuple[FloatArray, IntArray]:
    """Return for each ball the sum of all contact forces' sizes on its grain [N], and their number.

    Those with walls included, (n,) each.
    """
    ids, _, _ = _grains(frame)
    force, count = np.zeros(len(ids)), np.zeros(len(ids), dtype=np.int64)
    size = np.linalg.norm(contacts["force"], axis=1)
    for side in ("i", "j"):
        row, known = _rows(ids, contacts[side])
        force += np.bincount(row, size[known], len(ids))
        count += np.bincount(row, minlength=len(ids))
    mine = np.searchsorted(ids, _ids(frame))
    return force[mine], count[mine]


def _ids(frame: Frame) -> NDArray[Any]:
    return np.asarray(frame.fields.get("id", np.arange(len(frame.points))))


def _grains(frame: Frame) -> tuple[NDArray[Any], FloatArray, FloatArray]:
    """Return ids, centres (g, 3) and reaches (g,) [m] of all grains, whatever balls they have."""
    ids, owner, balls = np.unique(_ids(frame), return_inverse=True, return_counts=True)
    centre = np.column_stack([np.bincount(owner, frame.points[:, axis], len(ids)) / balls
                              for axis in range(3)])
    radius = np.asarray(frame.fields.get("radius", np.zeros(len(owner))), dtype=np.float64)
    reach = np.zeros(len(ids))
    np.maximum.at(reach, owner, np.linalg.norm(frame.points - centre[owner], axis=1) + radius)
    return ids, centre, reach


def _rows(ids: NDArray[Any], wanted: NDArray[Any]) -> tuple[IntArray, NDArray[np.bool_]]:
    """Return the rows of those ids that are there, and which these are; walls are not."""
    if len(ids) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(len(wanted), dtype=np.bool_)
    place = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    known = ids[place] == wanted
    return place[known], known
