"""The dynamic regular triangulation in space against its definition and against itself."""

import numpy as np
import pytest
from dynamic import assert_whole, fresh
from oracle import Exact, as_sets, edges_of, lifted_hull
from scipy.spatial import Delaunay

from granum.errors import InputError
from granum.geometry.triangulation3 import Triangulation3


def grid(*sizes):
    return np.stack(np.meshgrid(*[np.arange(s) for s in sizes], indexing="ij"), -1).reshape(
        -1, len(sizes)
    ).astype(float)


def fcc(k):
    g = 2.0 * grid(k, k, k)
    return np.concatenate([g + shift for shift in ((0, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1))])


def spheres_on_sphere():
    corners = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * 1.0
    return np.concatenate((corners * 3, [[5, 1, 1], [1, 5, 1], [1, 1, 5], [-5, 1, 1], [1, -5, 1]]))


def two_rods(m):
    rod = np.arange(m) * 1.0
    return np.concatenate((
        np.column_stack((rod - m // 2, 0 * rod, 0 * rod)),
        np.column_stack((0 * rod, rod - m // 2, 0 * rod + 3)),
    ))


def layers(rng, n, levels):
    return np.column_stack((rng.random((n, 2)), rng.integers(0, levels, n)))


@pytest.mark.parametrize(("n", "spread"), [(5, 0.0), (40, 0.0), (300, 0.02), (300, 0.3)])
def test_cells_are_the_lifted_hull(n, spread):
    rng = np.random.default_rng(n)
    points, weights = rng.random((n, 3)), spread * rng.random(n)
    t = Triangulation3(points, weights)
    assert as_sets(t.cells) == lifted_hull(points, weights)
    assert_whole(t)
    assert t.dimension == 3
    assert t.is_hidden.any() == (spread > 0.0)


DEGENERATE = {
    "cube": (grid(2, 2, 2), 0.0),
    "grid": (grid(3, 3, 3), 0.0),
    "grid with weights": (grid(3, 3, 2), 1.0),
    "fcc": (fcc(2), 0.0),
    "on one sphere": (spheres_on_sphere(), 0.0),
    "two rods": (two_rods(7), 0.0),
    "layers": (layers(np.random.default_rng(3), 18, 3), 0.3),
    "same place": (np.repeat(grid(2, 2, 3), 2, axis=0), 0.0),
    "same place, weights": (np.repeat(grid(2, 2, 2), 3, axis=0), 0.5),
    "rod and a point": (np.concatenate((two_rods(5)[:5], [[0, 1, 0], [0, 0, 1], [0, 0, 2]])), 0.0),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_points_exactly(case):
    points, spread = DEGENERATE[case]
    rng = np.random.default_rng(11)
    points = points[rng.permutation(len(points))]
    weights = spread * rng.integers(0, 3, len(points)) / 2.0
    t = Triangulation3(points, weights)
    assert_whole(t)
    cells = as_sets(t.cells)
    exact = Exact(points, weights)
    assert all(exact.volume(*cell) > 0 for cell in t.cells.tolist())
    assert exact.is_regular(cells, range(len(points)))
    if len(points) <= 16:
        assert cells == exact.cells()


def test_large_lattice_is_whole():
    assert_whole(Triangulation3(fcc(6), np.zeros(4 * 6**3)))


def plane_edges(points2, weights):
    return edges_of(lifted_hull(points2, weights))


def test_points_in_a_plane():
    rng = np.random.default_rng(5)
    flat, weights = rng.random((200, 2)), 0.01 * rng.random(200)
    expected = plane_edges(flat, weights)
    x, y = flat.T
    for points in (np.column_stack((x, y, 0 * x + 7)), np.column_stack((y, 0 * x, x))):
        t = Triangulation3(points, weights)
        assert t.dimension == 2
        assert len(t.cells) == 0
        assert as_sets(t.edges) == expected
        assert t.is_valid()
    t.move(np.column_stack((x, y, x * x)))
    assert t.dimension == 3
    assert_whole(t)
    t.move(points)
    assert as_sets(t.edges) == expected


def test_fewer_dimensions():
    none = Triangulation3(np.empty((0, 3)), np.empty(0))
    assert none.dimension == -1
    assert len(none.edges) == 0
    assert none.is_valid()
    line = np.outer([3.0, 0.0, 1.0, 7.0, 2.0], [1.0, 2.0, -1.0])
    t = Triangulation3(line, np.zeros(5))
    assert t.dimension == 1
    assert as_sets(t.edges) == {(1, 2), (2, 4), (0, 4), (0, 3)}
    same = Triangulation3(np.ones((4, 3)), np.array([0.0, 1.0, 1.0, 0.5]))
    assert same.dimension == 0
    assert same.is_hidden.tolist() == [True, False, True, True]  # a tie goes to the lower index
    t.insert(np.array([[0.0, 0.0, 1.0]]), np.zeros(1))
    assert t.dimension == 2
    t.insert(np.array([[0.0, 1.0, 1.0]]), np.zeros(1))
    assert t.dimension == 3
    assert_whole(t)
    t.remove(np.array([5]))
    assert t.dimension == 2
    t.remove(np.array([6]))
    assert t.dimension == 1
    assert as_sets(t.edges) == {(1, 2), (2, 4), (0, 4), (0, 3)}
    t.remove(np.arange(5))
    assert t.dimension == -1


@pytest.mark.parametrize("kind", ["random", "weighted", "lattice"])
def test_insert_and_remove_equal_a_fresh_build(kind):
    rng = np.random.default_rng(7)
    spread = {"random": 0.0, "weighted": 0.1, "lattice": 0.0}[kind]

    def draw(k):
        points = rng.random((k, 3))
        if kind == "lattice":
            points = rng.integers(0, 4, (k, 3)) / 2.0
        return points, spread * rng.random(k)

    t = Triangulation3(*draw(60))
    for _ in range(60):
        if rng.random() < 0.5:
            t.insert(*draw(1))
        else:
            t.remove([rng.choice(np.flatnonzero(t.is_present))])
        assert as_sets(t.cells) == fresh(t)
        assert_whole(t)
    assert t.statistics.builds == 1


def test_remove_from_both_ends_until_nothing_is_left():
    points = fcc(2)
    t = Triangulation3(points, np.zeros(len(points)))
    for v in np.random.default_rng(2).permutation(len(points)):
        t.remove([v])
        assert t.is_valid()
        if t.dimension == 3:
            assert as_sets(t.cells) == fresh(t)
    assert t.dimension == -1


def test_lattice_melts_and_freezes():
    rng = np.random.default_rng(4)
    lattice = fcc(3)
    t = Triangulation3(lattice, np.zeros(len(lattice)))
    frozen = as_sets(t.cells)
    for step in (1e-9, 1e-3, 1e-2):
        t.move(lattice + step * rng.normal(size=lattice.shape))
        assert as_sets(t.cells) == fresh(t)
        assert_whole(t)
        t.move(lattice)
        assert as_sets(t.cells) == frozen
    for k in range(1, 6):  # shear, exact in doubles: facets change while points stay in planes
        t.move(lattice + np.outer(lattice[:, 2], [k / 4.0, 0.0, 0.0]))
        assert as_sets(t.cells) == fresh(t)
        assert_whole(t)


def test_weights_hide_and_uncover():
    rng = np.random.default_rng(6)
    points = rng.random((150, 3))
    t = Triangulation3(points, np.zeros(150))
    slots = dict(zip(map(tuple, t.slots.tolist()), range(10**6), strict=False))
    heavy = np.zeros(150)
    heavy[:5] = 0.2
    t.move(points, heavy)
    assert t.is_hidden.sum() > 5
    assert as_sets(t.cells) == lifted_hull(points, heavy)
    assert_whole(t)
    kept = [pair for pair in as_sets(t.edges) if pair in slots]
    assert kept
    assert all(tuple(t.slots[slots[pair]]) == pair for pair in kept)
    t.move(points, np.zeros(150))
    assert not t.is_hidden.any()
    assert as_sets(t.cells) == as_sets(Delaunay(points).simplices)
    t.move(points, heavy)
    t.remove(np.arange(5))
    assert not t.is_hidden.any()
    assert as_sets(t.cells) == fresh(t)


def test_order_of_points_does_not_matter_in_general_position():
    rng = np.random.default_rng(12)
    points, order = rng.random((500, 3)), rng.permutation(500)
    a, b = Triangulation3(points, np.zeros(500)), Triangulation3(points[order], np.zeros(500))
    assert as_sets(order[b.cells]) == as_sets(a.cells)


def test_flat_but_for_rounding():
    x = np.arange(36) % 6 / 3.0
    y = np.arange(36) // 6 / 3.0
    points = np.column_stack((x, y, 1.0 - x / 10.0 - y / 7.0))  # a plane, rounded
    t = Triangulation3(points, np.zeros(36))
    assert t.dimension == 3
    assert_whole(t)
    t.move(points[:, [2, 0, 1]])
    assert as_sets(t.cells) == fresh(t)
    assert_whole(t)


def test_refusals():
    t = Triangulation3(fcc(2), np.zeros(32))
    with pytest.raises(InputError, match="one for each vertex, got 3"):
        t.move(np.zeros((3, 3)))
    with pytest.raises(InputError, match="vertex 32 is not present"):
        t.remove([32])
    with pytest.raises(InputError, match="finite"):
        t.move(np.full((32, 3), np.nan))
