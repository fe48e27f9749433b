import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from place_twin import all_pairs

from granum.errors import InputError
from granum.world.place import overlapping_pairs
from granum.world.place.grid import Grid, grid_of

AXES = st.tuples(*[st.sampled_from([None, 1.0, 0.37])] * 3)


def cloud(seed, n, ratio, crowding, flat):
    """Draw n grains with sizes from 1 to ``ratio`` that overlap here and there."""
    rng = np.random.default_rng(seed)
    radii = np.geomspace(1.0, ratio, n)[rng.permutation(n)]
    points = rng.uniform(-1.0, 1.0, (n, 3))
    if flat:
        points[:, 2] = 0.0
        radii *= crowding / np.sqrt((radii**2).sum())
    else:
        radii *= crowding / np.cbrt((radii**3).sum())
    return points, radii


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 250), crowding=st.floats(0.05, 1.5),
       ratio=st.sampled_from([1.0, 1.3, 5.0, 35.0, 1000.0]), periodic=AXES, flat=st.booleans())
def test_pairs_are_those_of_all_pairs(seed, n, ratio, crowding, periodic, flat):
    points, radii = cloud(seed, n, ratio, crowding, flat)
    radii = np.minimum(radii, 0.18)  # no grain reaches round the shortest cell to itself
    i, j, depth = overlapping_pairs(points, radii, periodic)
    all_i, all_j, all_depth = all_pairs(points, radii, periodic)
    deep = all_depth > 1e-12
    sure = depth > 1e-12
    assert np.array_equal(i[sure], all_i[deep])
    assert np.array_equal(j[sure], all_j[deep])
    np.testing.assert_allclose(depth[sure], all_depth[deep], atol=1e-14)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 200), ratio=st.sampled_from([1.0, 8.0, 100.0]),
       periodic=AXES)
def test_free_places_are_those_of_all_pairs(seed, n, ratio, periodic):
    points, radii = cloud(seed, n, ratio, 0.5, flat=False)
    radii = np.minimum(radii, 0.18)
    old = n // 2
    grid = grid_of(points[:old], radii[:old], radii[old:], periodic)
    i, j, depth = all_pairs(points, radii, periodic)
    taken = np.unique(j[(depth > 0.0) & (i < old) & (j >= old)])
    expected = ~np.isin(np.arange(old, n), taken)
    assert np.array_equal(grid.free(points[old:], radii[old:]), expected)


def test_many_grains_with_few_large_ones():
    """Crowded cells, and a level with fewer grains than cells within reach."""
    rng = np.random.default_rng(4)
    points = rng.random((1500, 3))
    radii = np.full(1500, 0.03)
    radii[[0, 700, 1499]] = 0.3, 0.2, 0.25
    for periodic in [(None, None, None), (1.0, 1.0, None)]:
        i, j, depth = overlapping_pairs(points, radii, periodic)
        all_i, all_j, all_depth = all_pairs(points, radii, periodic)
        deep = all_depth > 0.0
        assert deep.sum() > 1000
        assert np.array_equal(i, all_i[deep])
        assert np.array_equal(j, all_j[deep])
        np.testing.assert_allclose(depth, all_depth[deep], atol=1e-14)


def test_touching_is_not_overlapping():
    """Rows of 0.2 m: 0.8 - 0.6000000000000001 is less than 0.2, by rounding alone."""
    points = np.zeros((500, 3))
    points[:, 0] = np.arange(500) * 0.2
    assert (np.diff(points[:, 0]) < 0.2).any()
    assert len(overlapping_pairs(points, np.full(500, 0.1))[0]) == 0
    assert len(overlapping_pairs(points, np.full(500, 0.1), (100.0, None, None))[0]) == 0


def test_an_overlap_of_a_billionth_is_seen():
    points = np.array([[0.0, 0.0, 0.0], [0.2 * (1.0 - 1e-9), 0.0, 0.0]])
    i, j, depth = overlapping_pairs(points, np.full(2, 0.1))
    assert (i.tolist(), j.tolist()) == ([0], [1])
    assert depth[0] == pytest.approx(2e-10, rel=1e-5)


def test_far_from_the_origin_and_across_the_cell():
    points = np.array([[1e6 + 0.05, -1e6, 0.0], [1e6 + 0.95, -1e6, 0.0]])
    assert len(overlapping_pairs(points, np.full(2, 0.06))[0]) == 0
    i, j, depth = overlapping_pairs(points, np.full(2, 0.06), (1.0, None, None))
    assert (i.tolist(), j.tolist()) == ([0], [1])
    assert depth[0] == pytest.approx(0.02, abs=1e-8)


def test_a_grain_larger_than_the_cell_overlaps_its_image():
    i, j, depth = overlapping_pairs(np.full((1, 3), 0.4), np.array([0.6]), (None, 1.0, None))
    assert (i.tolist(), j.tolist()) == ([0], [0])
    assert depth[0] == pytest.approx(0.2)


def test_no_grains():
    assert [len(part) for part in overlapping_pairs(np.zeros((0, 3)), np.zeros(0))] == [0, 0, 0]


@pytest.mark.parametrize(("points", "radii", "periodic", "message"), [
    (np.zeros((2, 2)), np.ones(2), (None,) * 3, r"points must have shape \(n, 3\)"),
    (np.zeros((2, 3)), np.ones(3), (None,) * 3, r"radii must have shape \(2\)"),
    (np.zeros((2, 3)), np.array([1.0, 0.0]), (None,) * 3, r"radii\[1\] is 0"),
    (np.zeros((2, 3)), np.ones(2), (None, -1.0, None), "periodic length in y must be greater"),
    (np.zeros((2, 3)), np.ones(2), (1.0, 1.0), "periodic must have three entries"),
])
def test_wrong_input_is_named(points, radii, periodic, message):
    with pytest.raises(InputError, match=message):
        overlapping_pairs(points, radii, periodic)


def test_grains_added_in_turn_take_the_first_free_place():
    grid = Grid(4, 0.1, 0.1, (None, None, None))
    grid.add(np.zeros((1, 3)), np.array([0.1]))
    places = np.array([[[0.1, 0, 0], [0.5, 0, 0]], [[0.6, 0, 0], [0.1, 0, 0]], [[2, 0, 0]] * 2])
    allowed = np.ones((3, 2), dtype=bool)
    radii = np.full(3, 0.1)
    assert grid.add_in_turn(places, allowed, radii, in_order=False).tolist() == [1, -1, 0]
    again = Grid(4, 0.1, 0.1, (None, None, None))
    again.add(np.zeros((1, 3)), np.array([0.1]))
    assert again.add_in_turn(places, allowed, radii, in_order=True).tolist() == [1, -1, -1]
    walls = Grid(4, 0.1, 0.1, (None, None, None))
    allowed[2, 0] = False
    assert walls.add_in_turn(places, allowed, radii, in_order=False).tolist() == [0, 0, 1]
