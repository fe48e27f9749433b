"""What a dynamic triangulation does is the same in the plane and in space."""

import numpy as np
import pytest
from dynamic import assert_slots_kept, assert_whole, fresh, living, triangulation
from oracle import Exact, as_sets

from granum.geometry.triangulation2 import Triangulation2
from granum.geometry.triangulation3 import Triangulation3

in_both = pytest.mark.parametrize("dimension", [2, 3])


@in_both
@pytest.mark.parametrize(("spread", "step"), [(0.0, 1e-4), (0.0, 1e-3), (0.05, 1e-3), (0.0, 0.1)])
def test_motion_equals_a_fresh_build(dimension, spread, step):
    rng = np.random.default_rng(9)
    t = triangulation(rng.random((200, dimension)), spread * rng.random(200))
    for _ in range(25):
        t.move(t.points + step * rng.normal(size=t.points.shape))
        assert as_sets(t.cells) == fresh(t)
        assert_whole(t)
    if step < 0.01:
        assert t.statistics.flips > 0
        assert t.statistics.builds < 5


def swept(points, weights):
    return Triangulation2(points, weights, "sweep")


@pytest.mark.parametrize(("make", "dimension"), [(Triangulation2, 2), (swept, 2),
                                                 (Triangulation3, 3)])
def test_edges_keep_their_slots(make, dimension):
    rng = np.random.default_rng(8)
    t = make(rng.random((150, dimension)), np.zeros(150))
    changes = [
        lambda: t.move(t.points + 2e-3 * rng.normal(size=t.points.shape)),
        lambda: t.insert(rng.random((2, dimension)), np.zeros(2)),
        lambda: t.move(t.points + 6e-3 * rng.normal(size=t.points.shape)),
        lambda: t.remove(rng.choice(np.flatnonzero(t.is_present), 2, replace=False)),
        lambda: t.move(rng.random(t.points.shape)),  # so far that it is built anew
    ]
    for k in range(40):
        before = living(t)
        changes[k % 5]()
        after = living(t)
        assert len(set(before) & set(after)) > 10
        assert_slots_kept(before, after)
        assert len(t.slots) < 2 * len(t.edges)
        for v in np.flatnonzero(t.is_present)[:2]:
            mine = {slot for pair, slot in after.items() if v in pair}
            assert set(t.slots_of(v).tolist()) == mine
    assert t.statistics.builds > 5
    assert t.statistics.flips > 200


@in_both
def test_locate(dimension):
    rng = np.random.default_rng(10)
    points = rng.random((100, dimension))
    t = triangulation(points, np.zeros(100))
    exact = Exact(np.vstack((points, np.zeros((1, dimension)))), np.zeros(101))
    for x in rng.random((20, dimension)) * 0.6 + 0.2:
        cell = t.locate(x)
        exact.p[100] = list(Exact([x], [0.0]).p[0])
        assert all(share >= 0 for share in exact.barycentric(tuple(cell.tolist()), 100))
    assert -1 in t.locate(9.0 * np.eye(dimension)[0])


@in_both
def test_check_finds_what_is_wrong(dimension):
    rng = np.random.default_rng(13)
    t = triangulation(rng.random((60, dimension)), 0.1 * rng.random(60))
    assert t.is_valid()
    points, weights = t.points.copy(), t.weights.copy()
    t.points[np.flatnonzero(~t.is_hidden)[3]] += 0.3
    assert not t.is_valid()
    t.points[:] = points
    hidden = np.flatnonzero(t.is_hidden)[0]
    t.weights[hidden] = 1.0
    assert not t.is_valid()
    t.weights[:] = weights
    assert t.is_valid()
