"""The broad phase against all pairs: nothing is missed, nothing is listed twice or in vain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neighbours_twin import CELL, OPEN, check, cloud, find, listed, margins, packed, periods

from granum.neighbours import Cells
from granum.neighbours.candidates import block_bounds
from granum.neighbours.grid import make_grid


@pytest.mark.parametrize("period", periods(CELL))
@pytest.mark.parametrize("ratio", [1.0, 10.0, 35.0])
@pytest.mark.parametrize("clusters", [0, 3])
def test_random_and_clustered_grains(ratio, period, clusters):
    X = cloud(7, 180, ratio, clusters=clusters)
    found = check(X, period, skin=0.3 * X[:, 3].min())
    assert len(listed(found)) > 50


@pytest.mark.parametrize("period", [OPEN, (1.0, 0.0, 0.0), (0.0, 0.7, 0.0), (1.0, 0.7, 0.0)])
@pytest.mark.parametrize("ratio", [1.0, 10.0, 35.0])
def test_grains_in_a_plane(ratio, period):
    X = cloud(11, 300, ratio, crowding=0.8, flat=True)
    found = check(X, period, skin=0.3 * X[:, 3].min())
    assert len(listed(found)) > 50


@pytest.mark.parametrize("ratio", [1.0, 10.0])
@pytest.mark.parametrize("period", [OPEN, CELL])
def test_several_blocks(ratio, period):
    X = cloud(3, 1300, ratio)
    X = X[np.lexsort(np.floor(X[:, :3].T / 0.1))]  # near in space, near in memory
    found = check(X, period, skin=0.2 * X[:, 3].min())
    assert len(found.block) > 2
    assert len(found.halo_row) > 20


@pytest.mark.parametrize("order", ["sorted", "shuffled"])
def test_blocks_of_grains_in_any_order(order):
    X = cloud(5, 2500, 3.0)
    X = X[np.argsort(X[:, 2])] if order == "sorted" else X
    found = check(X, CELL, skin=0.1 * X[:, 3].min())
    assert len(found.block) > 4


# ---- lattices: coordinates are whole numbers, so that gaps equal to the skin are exact --------

def lattice(counts, spacing=4.0):
    """Return a simple cubic lattice at multiples of ``spacing``."""
    return np.stack(np.meshgrid(*[np.arange(c) * spacing for c in counts], indexing="ij"),
                    axis=-1).reshape(-1, 3)


@pytest.mark.parametrize("period", periods((24.0, 24.0, 20.0)))
@pytest.mark.parametrize(("radius", "skin"), [
    (1.5, 1.0),  # the gap of neighbours is the skin: not below it
    (1.5, 1.0 + 2.0**-40),
    (2.0, 2.0**-40),  # grains that touch
    (2.0, 4.0),  # second neighbours along the axes at a gap equal to the skin
    (1.0, 0.5),
])
def test_lattice_is_exact(radius, skin, period):
    found = check(packed(lattice((6, 6, 5)), radius), period, skin, rounding=0.0)
    assert bool(listed(found)) == (2.0 * radius + skin > 4.0)


def test_lattice_with_gap_equal_to_the_skin_has_no_candidates():
    X = packed(lattice((5, 5, 5)), 1.5)
    assert listed(check(X, OPEN, 1.0, rounding=0.0)) == []
    assert len(listed(check(X, OPEN, 1.0 + 2.0**-40, rounding=0.0))) == 3 * 4 * 5 * 5


@pytest.mark.parametrize("period", periods((24.0, 24.0, 20.0)))
def test_lattice_of_two_sizes_is_exact(period):
    points = lattice((6, 6, 5))
    large = points.sum(axis=1) % 8.0 == 0.0
    found = check(packed(points, np.where(large, 3.0, 0.25)), period, 0.75, rounding=0.0)
    assert len(listed(found)) > 0


def test_flat_lattice_is_exact():
    X = packed(lattice((12, 12, 1)), 1.75)
    assert listed(check(X, OPEN, 0.5, rounding=0.0)) == []  # gaps of a half, not below it
    assert len(listed(check(X, (48.0, 0.0, 0.0), 0.75, rounding=0.0))) == 12 * 12 + 11 * 12


@pytest.mark.parametrize("period", periods((8.0, 8.0, 8.0)))
@pytest.mark.parametrize("seed", range(4))
def test_grains_on_faces_edges_and_corners_of_the_cell(period, seed):
    """Coordinates at both ends of the cell, the end itself included, to which -1e-20 rounds."""
    rng = np.random.default_rng(seed)
    ends = np.array([0.0, np.nextafter(8.0, 0.0), 8.0, 2.0, 4.0, 6.0])
    points = rng.choice(ends, (40, 3))
    found = check(packed(points, rng.choice([0.25, 0.5, 1.0], 40)), period, 0.5)
    assert len(listed(found)) > 0


@pytest.mark.parametrize("cells", [1.01, 1.5, 2.0, 2.5, 2.99, 3.0, 3.5])
@pytest.mark.parametrize("directions", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)])
def test_periodic_cells_of_few_grid_cells(cells, directions):
    rng = np.random.default_rng(int(100 * cells))
    radius, skin = 0.25, 0.0625
    length = cells * (2.0 * radius + skin)
    extent = np.where(directions, length, 2.0)
    X = packed(rng.uniform(0.0, 1.0, (60, 3)) * extent, radius)
    assert len(listed(check(X, tuple(np.where(directions, length, 0.0)), skin))) > 10


@pytest.mark.parametrize("cells", [1.2, 2.2])
def test_short_periodic_cell_with_a_mix(cells):
    rng = np.random.default_rng(2)
    radii = np.where(np.arange(80) < 6, 1.0, 0.05)
    length = cells * 2.01
    X = packed(rng.uniform(0.0, length, (80, 3)), radii)
    assert len(listed(check(X, (length,) * 3, 0.01))) > 20


@pytest.mark.parametrize("way", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_lone_grain_far_away(way, axis):
    X = cloud(9, 150)
    X[40, axis] = way
    found = check(X, OPEN, 0.2 * X[0, 3], rounding=1e-7)
    assert len(listed(found)) > 20
    assert 40 not in np.array(listed(found))
    grid = make_grid(X, margins(X, 0.2 * X[0, 3]), np.zeros(3))
    assert grid.start.size < 9 * len(X) + 1001 + 1, "an empty vast region costs memory"


def test_coordinates_far_from_the_origin():
    X = cloud(13, 200)
    X[:, :3] -= 1000.0
    assert len(listed(check(X, OPEN, 0.2 * X[0, 3], rounding=1e-9))) > 20


@pytest.mark.parametrize("period", [OPEN, (3.0, 3.0, 3.0)])
def test_one_grain_and_two(period):
    one = packed([[0.5, 0.5, 0.5]], 0.5)
    assert listed(check(one, period, 0.1)) == []
    for apart, pairs in [(0.9, 1), (1.05, 1), (1.2, 0)]:
        two = packed([[0.5, 0.5, 0.5], [0.5 + apart, 0.5, 0.5]], 0.5)
        assert len(listed(check(two, period, 0.1))) == pairs
    round_the_end = packed([[0.1, 0.0, 0.0], [2.5, 0.0, 0.0]], 0.5)
    assert len(listed(check(round_the_end, period, 0.1))) == (1 if period[0] else 0)


def test_the_smaller_grain_owns_the_pair_then_the_lower_index():
    X = packed([[0, 0, 0], [3, 0, 0], [0, 3, 0], [3, 3, 0]], [2.0, 1.0, 2.0, 1.0])
    assert listed(check(X, OPEN, 3.0)) == [(0, 2), (1, 0), (1, 2), (1, 3), (3, 0), (3, 2)]


def test_grains_at_one_place():
    for radii, period in ((1.0, OPEN), (np.linspace(0.1, 2.0, 30), (5.0, 0.0, 5.0))):
        assert len(listed(check(packed(np.zeros((30, 3)), radii), period, 0.1))) == 30 * 29 // 2


@pytest.mark.parametrize("ulps", [-2, -1, 0, 1, 2])
def test_sizes_on_the_brink_of_a_level(ulps):
    """Radii near doublings of the smallest: on whichever level, pairs are found once."""
    rng = np.random.default_rng(4)
    brink = 0.03 * np.array([1.0, 2.0, 2.0 * (1.0 - 1e-9), 2.0 * (1.0 - 7e-10), 4.0, 8.0])
    radii = rng.choice(brink, 300)
    radii += ulps * np.spacing(radii) * rng.integers(0, 2, 300)
    found = check(packed(rng.uniform(0.0, 1.0, (300, 3)), radii), (1.0, 1.0, 1.0), 0.005)
    assert len(listed(found)) > 300


def test_ratios_beyond_all_levels():
    rng = np.random.default_rng(6)
    radii = np.concatenate([np.full(60, 1e-6), np.full(60, 0.1), np.full(5, 0.3)])
    points = rng.uniform(0.0, 1.0, (125, 3))
    points[:60] = points[60:120] + np.array([0.1, 0.0, 0.0])
    found = check(packed(points, radii), OPEN, 2e-7, rounding=1e-9)
    assert len(listed(found)) > 60


# ---- what rows depend on ----------------------------------------------------------------------

@pytest.mark.parametrize("capacity", [0.01, 1.0, 3.7, 100.0])
def test_capacity_is_no_part_of_the_result(capacity):
    X = cloud(21, 800, 4.0, crowding=1.0)
    wanted = listed(check(X, CELL, 0.02))
    finder = Cells(np.array(CELL))
    finder.capacity = capacity
    found = find(X, 0.02, CELL, finder)
    enough = finder.capacity
    assert listed(found) == wanted
    for b in range(len(found.block) - 1):
        grains = slice(int(found.block[b]), int(found.block[b + 1]))
        needed = int((found.end[grains] - found.begin[grains]).sum())
        assert enough * (grains.stop - grains.start) >= needed


def test_block_bounds_depend_on_the_number_of_grains_only():
    for n in [1, 2, 7, 599, 600, 1199, 2000, 4000, 5000, 19_199, 32_000, 96_000, 400_000, 10**6]:
        bounds = block_bounds(n)
        blocks = len(bounds) - 1
        sizes = np.diff(bounds)
        assert (bounds[0], bounds[-1]) == (0, n)
        assert blocks & (blocks - 1) == 0
        assert blocks <= 64
        assert sizes.max() - sizes.min() <= 1
        assert blocks == 1 or sizes.min() >= 100
    for n in (700, 1500):
        bounds = [find(X, skin, period).block
                  for X in (cloud(1, n), cloud(2, n, 20.0))
                  for period in (OPEN, CELL) for skin in (0.0, 0.01)]
        assert all(np.array_equal(block, block_bounds(n)) for block in bounds)


def test_a_thinner_list_is_part_of_a_thicker_one_in_the_same_order():
    X = cloud(31, 400, 5.0)
    thick = listed(find(X, 0.05, CELL))
    thin = listed(find(X, 0.001, CELL))
    kept = set(thin)
    assert thin == [pair for pair in thick if pair in kept]
    assert len(thin) < len(thick)


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 120), crowding=st.floats(0.05, 1.6),
       ratio=st.sampled_from([1.0, 1.5, 10.0, 35.0, 1000.0]), flat=st.booleans(),
       period=st.sampled_from(periods(CELL)), skin=st.floats(0.0, 0.2),
       clusters=st.sampled_from([0, 0, 1, 4]), capacity=st.sampled_from([0.1, 12.0]),
       uneven=st.booleans())
def test_any_cloud(seed, n, crowding, ratio, flat, period, skin, clusters, capacity, uneven):
    X = cloud(seed, n, ratio, crowding, flat, clusters)
    if uneven:
        skin = skin * np.random.default_rng(seed).random(n) ** 4
    found = check(X, period, skin, capacity=capacity)
    assert len(listed(found)) <= n * (n - 1) // 2


whole = st.integers(0, 15)


@settings(deadline=None, max_examples=60)
@given(grains=st.lists(st.tuples(whole, whole, whole, st.sampled_from([1, 2, 3, 8])), min_size=1,
                       max_size=30),
       skin=st.sampled_from([0.5, 1.0, 2.0]), period=st.sampled_from(periods((16.0,) * 3)))
def test_any_grains_on_whole_numbers_exactly(grains, skin, period):
    table = np.array(grains, dtype=float)
    found = check(packed(table[:, :3], 0.5 * table[:, 3]), period, skin, rounding=0.0)
    assert len(set(listed(found))) == len(listed(found))


# ---- which pairs may need another image of the partner ----------------------------------------

@pytest.mark.parametrize("period", [OPEN, (1.0, 0.0, 0.0), (1.0, 0.7, 0.0), CELL])
@pytest.mark.parametrize("ratio", [1.0, 10.0])
def test_a_pair_that_is_not_marked_needs_no_other_image(ratio, period):
    """Whichever way grains move before the next update, an unmarked pair stays within the cell."""
    X = cloud(13, 400, ratio)
    L = np.array(period)
    skin = 0.3 * X[:, 3].min()
    found = find(X, skin, L)
    slots = np.concatenate([np.arange(int(a), int(b))
                            for a, b in zip(found.first, found.last, strict=True)])
    i, j = found.owner[slots], found.partner[slots]
    marked = found.wraps[slots] == 1
    assert marked.any() == L.any()
    assert not marked.all()
    wide = np.where(L > 0.0, L, np.inf)
    across = (np.abs(X[j, :3] - X[i, :3]) > 0.5 * wide).any(axis=1)
    assert marked[across].all()
    rng = np.random.default_rng(17)
    for _ in range(50):
        way = rng.normal(size=(len(X), 3))
        way *= 0.5 * skin / np.linalg.norm(way, axis=1)[:, None]
        moved = X[:, :3] + way
        moved = np.where(L > 0.0, np.mod(moved, np.where(L > 0.0, L, 1.0)), moved)
        apart = np.abs(moved[j] - moved[i])
        assert (apart[~marked] <= 0.5 * wide).all()
