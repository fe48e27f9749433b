"""The power cell of one grain: against its definition, and Delaunay's edges of equal grains.

And all edges of the triangulation, against the cells.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from granum.errors import OutputError
from granum.output.vtkhdf import Frame
from granum.view.cell import cell_of
from granum.view.triangulated import MOST, edges_of

LOW, HIGH, OPEN = np.zeros(3), np.ones(3), np.zeros(3)


def frame_of(points, radii):
    return Frame(0.0, points, {"radius": np.asarray(radii)})


def inside(cell, centre, points):
    """Tell which points are on the centre's side of every face."""
    held = np.ones(len(points), dtype=bool)
    for face in cell.faces:
        normal = np.cross(face[1] - face[0], face[2] - face[0])
        normal *= np.sign((face.mean(axis=0) - centre) @ normal)
        held &= (points - face[0]) @ normal <= 1e-12
    return held


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 120))
def test_a_cell_is_where_no_other_grain_has_less_power(seed, count):
    rng = np.random.default_rng(seed)
    points = rng.uniform(0.05, 0.95, (count, 3))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + 2 * np.eye(count)
    radii = rng.uniform(0.2, 0.49) * apart.min(axis=1) * rng.uniform(0.5, 1.0, count)
    cell = cell_of(frame_of(points, radii), 0, LOW, HIGH, OPEN)
    probes = rng.random((2000, 3))
    power = ((probes[:, None] - points[None]) ** 2).sum(axis=2) - radii**2
    own = power.argmin(axis=1) == 0
    assert np.array_equal(inside(cell, points[0], probes), own)
    # five standard deviations of a count of so many probes
    share = own.mean()
    assert cell.volume == pytest.approx(share, abs=5 * np.sqrt(cell.volume / 2000) + 1e-9)


def test_edges_of_equal_grains_are_those_of_delaunay():
    rng = np.random.default_rng(3)
    points = rng.random((400, 3))
    start, edges = Delaunay(points).vertex_neighbor_vertices
    middling = np.flatnonzero(np.abs(points - 0.5).max(axis=1) < 0.2)  # cells far from the box
    for row in middling[:10]:
        cell = cell_of(frame_of(points, np.full(400, 0.01)), row, LOW, HIGH, OPEN)
        assert set(cell.neighbours) == set(edges[start[row]:start[row + 1]])
        assert np.array_equal(cell.ends, points[cell.neighbours])


def test_cells_fill_the_box():
    rng = np.random.default_rng(5)
    frame = frame_of(rng.random((60, 3)), np.full(60, 0.02))
    assert sum(cell_of(frame, k, LOW, HIGH, OPEN).volume for k in range(60)) == pytest.approx(1.0)


def test_across_a_periodic_boundary():
    frame = frame_of(np.array([[0.1, 0.5, 0.5], [0.9, 0.5, 0.5]]), [0.1, 0.1])
    cell = cell_of(frame, 0, LOW, HIGH, np.array([1.0, 0.0, 0.0]))
    ends = sorted(cell.ends[:, 0].tolist())
    assert ends == pytest.approx([-0.1, 0.9])  # its neighbour on both sides
    assert set(cell.neighbours.tolist()) == {1}


def test_in_the_plane():
    points = np.array([[0.5, 0.5, 0], [0.9, 0.5, 0], [0.1, 0.5, 0], [0.5, 0.9, 0], [0.5, 0.1, 0]])
    cell = cell_of(frame_of(points, np.full(5, 0.1)), 0, LOW, HIGH, OPEN, dimension=2)
    assert cell.volume == pytest.approx(0.16)
    assert sorted(cell.neighbours.tolist()) == [1, 2, 3, 4]
    assert all(face.shape == (2, 3) for face in cell.faces)


def test_a_grain_swallowed_by_others_has_no_cell():
    points = np.array([[0.5, 0.5, 0.5], [0.52, 0.5, 0.5], [0.48, 0.5, 0.5]])
    with pytest.raises(OutputError, match="has no power cell"):
        cell_of(frame_of(points, [0.01, 0.3, 0.3]), 0, LOW, HIGH, OPEN)


@pytest.mark.parametrize("dimension", [2, 3])
def test_edges_of_the_triangulation_join_cells_that_meet(dimension):
    rng = np.random.default_rng(7)
    points = rng.random((150, 3))
    points[:, 0] += 1e3  # far from the origin, as a scene may be
    points[:, dimension:] = 0.0
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) + 2 * np.eye(150)
    radii = 0.6 * apart.min(axis=1) * rng.uniform(0.5, 1.0, 150)
    points[3] = np.nan  # lost
    frame = frame_of(points, radii)
    edges = edges_of(frame, dimension)
    assert (edges[:, 0] < edges[:, 1]).all()
    far = np.full(3, 1e3)
    middling = np.flatnonzero(np.abs(points[:, :dimension] - [1000.5, 0.5, 0.5][:dimension])
                              .max(axis=1) < 0.25)
    assert len(middling) > 10
    for row in middling:
        joined = {int(end) for edge in edges if row in edge for end in edge} - {row}
        cell = cell_of(frame, row, points[row] - far, points[row] + far, OPEN, dimension)
        assert joined == set(cell.neighbours.tolist())


def test_a_triangulation_of_too_many_is_refused():
    with pytest.raises(OutputError, match="at most"):
        edges_of(frame_of(np.zeros((MOST + 1, 3)), np.ones(MOST + 1)))
