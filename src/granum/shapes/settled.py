"""A shape worked out: what it looks like from its centre of mass, along its principal axes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.shapes.rigid import RigidShape
from granum.shapes.union import Solid

DIAGONAL = 1e-12  # off-diagonal inertia, as a share of the whole, that is rounding
NONE = np.zeros((0, 2), dtype=np.int64)


class Settled(NamedTuple):
    """A shape, worked out."""

    shape: RigidShape  # in the frame of its principal axes
    centre: FloatArray  # (3,) its centre of mass in the frame in which it was given [m]
    axes: FloatArray  # (4,) unit quaternion from the principal axes to that frame


def settle_shape(solid: Solid, points: FloatArray, radii: FloatArray, dimension: int, *,
                 edges: IntArray = NONE, seams: IntArray = NONE, faces: IntArray = NONE) -> Settled:
    """Return balls (and what joins them) of a solid as seen from its centre and its axes."""
    gyration, frame = _principal(solid, dimension)
    seen = (points - solid.centre) @ frame
    joined = [tuple(map(tuple, rows.tolist())) for rows in (edges, faces, seams)]
    shape = RigidShape(tuple(map(tuple, seen.tolist())), tuple(radii.tolist()), solid.volume,
                       gyration, joined[0], joined[1], joined[2])
    return Settled(shape, solid.centre, _quaternion(frame))


def inertia_of(solid: Solid) -> FloatArray:
    """Return the tensor of inertia about the centre for density 1, (3,3) [m5]."""
    return np.asarray(np.trace(solid.second) * np.eye(3) - solid.second)


def _principal(solid: Solid, dimension: int) -> tuple[tuple[float, float, float], FloatArray]:
    """Return the principal moments for each unit of mass, and the axes as columns (3,3).

    Axes that are principal already stay as they are. In a 2D world bodies turn about z only: the
    moment about z stands for all, as for a single disc.
    """
    second = solid.second / solid.volume
    if dimension == 2:
        about_z = float(second[0, 0] + second[1, 1])
        return (about_z, about_z, about_z), np.eye(3)
    inertia = np.trace(second) * np.eye(3) - second
    frame = np.eye(3)
    if np.abs(inertia - np.diag(np.diag(inertia))).max() > DIAGONAL * np.trace(inertia):
        _, frame = np.linalg.eigh(inertia)
        strongest = np.abs(frame).argmax(axis=0)
        frame = frame * np.sign(frame[strongest, range(3)])  # whatever signs the solver chose
        frame[:, 2] = np.cross(frame[:, 0], frame[:, 1])
    x, y, z = np.einsum("ik,ij,jk->k", frame, inertia, frame).tolist()
    return (x, y, z), frame


def _quaternion(frame: FloatArray) -> FloatArray:
    """Return the unit quaternion (w, x, y, z) of a rotation matrix.

    The largest of the four is found first, so that nothing small is divided by.
    """
    diagonal = np.diag(frame)
    squares = np.array([1.0 + diagonal.sum(), *(1.0 - diagonal.sum() + 2.0 * diagonal)])
    differences = [frame[2, 1] - frame[1, 2], frame[0, 2] - frame[2, 0], frame[1, 0] - frame[0, 1]]
    sums = frame + frame.T
    products = np.array([
        [squares[0], *differences],
        [differences[0], squares[1], sums[0, 1], sums[0, 2]],
        [differences[1], sums[0, 1], squares[2], sums[1, 2]],
        [differences[2], sums[0, 2], sums[1, 2], squares[3]],
    ])
    q = products[int(squares.argmax())]
    return np.asarray(q / np.linalg.norm(q))
