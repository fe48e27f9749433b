"""Voronoi cells in boxes: whose place is whose, told by distances to all points."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from granum.shapes.tessellation import centred, voronoi_cells

WAYS = [(True, True, True), (False, False, False), (True, False, True), (False, True), (True, True)]


def box(wraps, count, seed=2):
    rng = np.random.default_rng(seed)
    lengths = np.array([1.0, 0.4, 2.5])[:len(wraps)]
    return rng, lengths, lengths * rng.random((count, len(wraps)))


def nearest(places, points, lengths, wraps):
    """Return which point is nearest to each place, and how much nearer than the next one is."""
    apart = places[:, None] - points
    apart -= np.where(wraps, lengths * np.round(apart / lengths), 0.0)
    far = np.linalg.norm(apart, axis=2)
    first, second = np.sort(far, axis=1)[:, :2].T
    return far.argmin(axis=1), second - first


@pytest.mark.parametrize("count", [2, 5, 45])
@pytest.mark.parametrize("wraps", WAYS)
def test_a_cell_holds_what_is_nearest_to_its_point(wraps, count):
    rng, lengths, points = box(wraps, count)
    places = lengths * rng.random((400, len(wraps)))
    owner, ahead = nearest(places, points, lengths, wraps)
    cells = voronoi_cells(points, lengths, wraps)
    for k, cell in enumerate(cells):
        planes = ConvexHull(cell).equations
        shifts = np.array(np.meshgrid(*[(-1, 0, 1) if way else (0,) for way in wraps]))
        images = (places[:, None] + lengths * shifts.reshape(len(wraps), -1).T)
        depth = (images @ planes[:, :-1].T + planes[:, -1]).max(axis=2).min(axis=1)
        clear = ahead > 1e-9
        assert ((depth < 0.0) == (owner == k))[clear].all()
    assert sum(ConvexHull(cell).volume for cell in cells) == pytest.approx(lengths.prod(), rel=1e-9)


@pytest.mark.parametrize("wraps", WAYS)
def test_cells_end_at_the_sides_of_the_box(wraps):
    _, lengths, points = box(wraps, 30)
    corners = np.concatenate(voronoi_cells(points, lengths, wraps))
    for axis, way in enumerate(wraps):
        low, high = corners[:, axis].min(), corners[:, axis].max()
        if way:
            assert low < -1e-3 * lengths[axis]
            assert high > lengths[axis] * (1.0 + 1e-3)
        else:
            assert (low, high) == pytest.approx((0.0, lengths[axis]), abs=1e-12)


@pytest.mark.parametrize("wraps", WAYS)
def test_centred_points_are_the_centres_of_their_cells(wraps):
    """Against the mean of places that are nearest to each point."""
    rng, lengths, points = box(wraps, 6)
    places = lengths * rng.random((60_000, len(wraps)))
    owner, _ = nearest(places, points, lengths, wraps)
    found = centred(points, lengths, wraps)
    for k in range(6):
        mine = places[owner == k] - points[k]
        mine -= np.where(wraps, lengths * np.round(mine / lengths), 0.0)
        away = found[k] - points[k]
        away -= np.where(wraps, lengths * np.round(away / lengths), 0.0)
        error = mine.std(axis=0) / np.sqrt(len(mine))
        assert (np.abs(away - mine.mean(axis=0)) < 4.5 * error).all()
    assert (found >= 0.0).all()
    assert (found <= lengths).all()
