"""What all tests of dynamic triangulations ask, in the plane and in space."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from oracle import as_sets, edges_of

from granum.geometry.triangulation2 import Triangulation2
from granum.geometry.triangulation3 import Triangulation3


def triangulation(points, weights):
    """Return the dynamic triangulation of points in the plane or in space."""
    return (Triangulation2 if points.shape[1] == 2 else Triangulation3)(points, weights)


def fresh(t):
    """Return the cells of a new triangulation of what is present, in the same numbers."""
    present = np.flatnonzero(t.is_present)
    return as_sets(present[triangulation(t.points[present], t.weights[present]).cells])


def living(t):
    """Return the slots of all edges."""
    return {tuple(pair): slot for slot, pair in enumerate(t.slots.tolist()) if pair[0] >= 0}


def assert_slots_kept(before, after):
    """Check that the edges that are still there, if any, are in their slots."""
    assert all(after[pair] == slot for pair, slot in before.items() if pair in after)


def assert_whole(t):
    """Check all that must hold of any triangulation, whatever has happened to it."""
    assert t.is_valid()
    cells = as_sets(t.cells)
    assert len(cells) == len(t.cells)
    assert as_sets(t.edges) == edges_of(cells)
    assert len(t.edges) == len(as_sets(t.edges))
    assert (t.edges[:, 0] < t.edges[:, 1]).all()
    corners = t.cells.shape[1]
    faces = [{face for cell in cells for face in combinations(cell, k + 1)}
             for k in range(corners)]
    assert sum((-1) ** k * len(faces[k]) for k in range(corners)) == 1  # Euler, a disc or a ball
    visible = {v for (v,) in faces[0]}
    assert visible == set(np.flatnonzero(t.is_present & ~t.is_hidden).tolist())
