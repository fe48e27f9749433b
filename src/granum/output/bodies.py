"""What a picture is made of: balls, and the tubes and plates between those that a shape joins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from granum.checks import FloatArray, IntArray
from granum.output import raster, raster_swept


class Bodies(NamedTuple):
    """Balls, tubes and plates, in the coordinates of a picture or of the world.

    All that is drawn has a number: balls first, then tubes, then plates.
    """

    sphere: FloatArray  # (n,4) centre and radius
    tube: FloatArray  # (m,7) both ends and the radius
    plate: FloatArray  # (k,10) three corners and the radius
    solid: IntArray  # (k,) number of the closed surface it is a part of, or -1

    def moved(self, turn: FloatArray, shift: FloatArray) -> Bodies:
        """Return all of it as seen elsewhere: x becomes turn x + shift, radii grow as lengths."""
        scale = float(np.linalg.norm(turn[0]))
        sphere, tube, plate = (
            np.column_stack([(_corners(rows) @ turn.T + shift).reshape(rows[:, :-1].shape),
                             rows[:, -1] * scale]) for rows in self[:3])
        return Bodies(sphere, tube, plate, self.solid)

    def within(self, width: float, height: float) -> tuple[Bodies, NDArray[np.bool_]]:
        """Return what may be seen in a picture of this size, and which numbers that are."""
        shown = []
        for rows in self[:3]:
            corners, r = _corners(rows)[..., :2], rows[:, -1:]
            low, high = corners.min(axis=1) - r, corners.max(axis=1) + r
            shown.append(((low <= (width, height)) & (high >= 0.0)).all(axis=1))
        sphere, tube, plate = (rows[some] for rows, some in zip(self[:3], shown, strict=True))
        kept = Bodies(sphere, tube, plate, self.solid[shown[2]])
        return kept, np.concatenate(shown)

    def typical(self) -> float:
        """Return the size of a middling grain, as a radius."""
        tube = self.tube
        half = 0.5 * np.linalg.norm(tube[:, 3:6] - tube[:, :3], axis=1) + tube[:, 6]
        sizes = half if len(tube) else self.sphere[:, 3]
        return float(np.median(sizes)) if len(sizes) else 1.0

    def buffers(self, shape: tuple[int, int], cut: FloatArray
                ) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return, for each (sub)pixel, the z of the surface seen, and the number of what is seen.

        Args:
            shape: rows and columns.
            cut: see `raster`, (4,).
        """
        depth = np.full(shape, -np.inf, dtype=np.float32)
        owner = np.full(shape, raster.BACKGROUND, dtype=np.int32)
        raster.splat(self.sphere, cut, depth, owner)
        first = len(self.sphere)
        if len(self.tube):
            raster_swept.tubes(self.tube, first, cut, depth, owner)
        first += len(self.tube)
        if len(self.plate):
            raster_swept.plates(self.plate, first, cut, depth, owner)
            if np.isfinite(cut[3]) and cut[2] > 0.0:
                raster_swept.cut_plates(self.plate, first, cut, depth, owner)
                raster_swept.cut_solids(self.plate, self.solid, first, cut, depth, owner,
                                        np.zeros(shape, dtype=np.uint8))
        return depth, owner


def _corners(rows: FloatArray) -> FloatArray:
    """Return centres, ends or corners without radii, (n, 1 to 3, 3)."""
    return rows[:, :-1].reshape(len(rows), rows.shape[1] // 3, 3)


def bodies_of(points: FloatArray, radii: FloatArray, edges: IntArray, faces: IntArray
              ) -> tuple[Bodies, IntArray]:
    """Return balls and what joins them, and for each number of it the ball that lends its colour.

    Args:
        points: centres of balls, (n,3).
        radii: (n,).
        edges: pairs of balls, (m,2).
        faces: triples of balls, (k,3).
    """
    solid = closed_surfaces(len(points), faces)
    order = np.argsort(solid, kind="stable")  # those of one surface in a row
    faces = faces[order]
    made = Bodies(np.column_stack([points, radii]),
                  np.column_stack([points[edges].reshape(-1, 6), radii[edges[:, 0]]]),
                  np.column_stack([points[faces].reshape(-1, 9), radii[faces[:, 0]]]), solid[order])
    return made, np.concatenate([np.arange(len(points)), edges[:, 0], faces[:, 0]])


def closed_surfaces(rows: int, faces: IntArray) -> IntArray:
    """Return of which closed surface each face is a part, (k,): a number for each, -1 for none.

    Faces that share a corner belong together. They close if each side belongs to an even number of
    them: nothing can get in or out then without crossing one.

    Args:
        rows: how many balls there are.
        faces: triples of balls, (k,3).
    """
    if not len(faces):
        return np.zeros(0, dtype=np.int64)
    sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    joined = coo_array((np.ones(len(sides)), (sides[:, 0], sides[:, 1])), shape=(rows, rows))
    _, label = connected_components(joined, directed=False)
    _, which, uses = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    is_open = np.zeros(len(label), dtype=np.bool_)
    is_open[label[sides[uses[which] % 2 == 1, 0]]] = True
    own = label[faces[:, 0]].astype(np.int64)
    return np.where(is_open[own], -1, own)
