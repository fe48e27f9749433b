"""Plain twins of the broad phase: all pairs in NumPy, and what rows of candidates must be like."""

from itertools import product

import numpy as np

from granum.neighbours import Cells
from granum.neighbours.candidates import block_bounds

OPEN = (0.0, 0.0, 0.0)
CELL = (1.0, 0.7, 0.45)


def near_squared(X, period):
    """Return i, j (i < j) and the squared distance of every pair, the nearest of all images."""
    assert len(X) <= 3000, "too many for all pairs"
    i, j = np.triu_indices(len(X), 1)
    square = np.zeros(len(i))
    for axis in range(3):
        apart = X[j, axis] - X[i, axis]
        if period[axis] > 0.0:
            images = [np.abs(apart + k * period[axis]) for k in (-1, 0, 1)]
            apart = np.minimum(images[1], np.minimum(images[0], images[2]))
        square += apart * apart
    return i, j, square


def owned(X, i, j):
    """Return the pairs as a set (owner, partner): the smaller grain, then the lower index."""
    first = (X[i, 3] < X[j, 3]) | ((X[i, 3] == X[j, 3]) & (i < j))
    return set(zip(np.where(first, i, j).tolist(), np.where(first, j, i).tolist(), strict=True))


def listed(found):
    """Return the candidates as a list (owner, partner), slot after slot of each row."""
    return [(i, int(found.partner[k])) for i in range(len(found.begin))
            for k in range(int(found.begin[i]), int(found.end[i]))]


def margins(X, skin):
    """Return a margin for each grain: half the skin, or what is given for each."""
    return np.array(np.broadcast_to(0.5 * np.asarray(skin, dtype=float), len(X)))


def check_pairs(found, X, period, margin, rounding=1e-12):
    """The rows hold every pair with a gap below both margins, once, with its owner, in order.

    Pairs whose distance equals the reach to within ``rounding`` may or may not be there.
    """
    i, j, square = near_squared(X, period)
    reach = X[i, 3] + X[j, 3] + margin[i] + margin[j]
    must = square < (reach * (1.0 - rounding)) ** 2
    may = square < (reach * (1.0 + rounding)) ** 2
    pairs = listed(found)
    assert len(pairs) == len(set(pairs)), "a pair is listed twice"
    assert pairs == sorted(pairs), "a row is not sorted by partner"
    assert owned(X, i[must], j[must]) <= set(pairs), "a near pair is missing"
    assert set(pairs) <= owned(X, i[may], j[may]), "a far pair, or one with the wrong owner"


def check_rows(found, n):
    """Blocks cover all grains; a block's rows follow each other without a gap, none shared."""
    block, begin, end = (array.astype(int) for array in (found.block, found.begin, found.end))
    assert np.array_equal(block, block_bounds(n))
    assert (begin <= end).all()
    last = 0
    for b in range(len(block) - 1):
        rows = slice(block[b], block[b + 1])
        assert begin[rows][0] == found.first[b] >= last
        assert np.array_equal(begin[rows][1:], end[rows][:-1])
        last = end[rows][-1]
        assert last == found.last[b]
    assert last <= len(found.partner)
    for i in range(n):
        assert (found.owner[begin[i]:end[i]] == i).all()


def check_targets(found, n, rng):
    """Forces summed through targets and halo rows are the direct sums; no two blocks share a row.

    Forces are whole numbers, so sums are exact and any difference is a lost or misplaced force.
    """
    rows = n + len(found.halo_row)
    block_of = np.searchsorted(found.block.astype(int), np.arange(n), side="right") - 1
    force = np.zeros((rows, 3))
    direct = np.zeros((n, 3))
    writer = {i: int(block_of[i]) for i in range(n)}
    for i in range(n):
        for k in range(int(found.begin[i]), int(found.end[i])):
            j, row = int(found.partner[k]), int(found.target[k])
            f = rng.integers(-1000, 1000, 3)
            force[i] += f
            force[row] -= f
            direct[i] += f
            direct[j] -= f
            assert row == j if block_of[j] == block_of[i] else n <= row < rows
            assert writer.setdefault(row, int(block_of[i])) == block_of[i], "two blocks, one row"
    used = []
    for i in range(n):
        halo = found.halo_row[int(found.halo_begin[i]):int(found.halo_begin[i + 1])].astype(int)
        from_blocks = [writer[row] for row in halo.tolist()]
        assert from_blocks == sorted(set(from_blocks)), "halo rows are not in the order of blocks"
        used += halo.tolist()
        for row in halo:
            force[i] += force[row]
    assert sorted(used) == list(range(n, rows)), "a halo row is merged twice or never"
    assert np.array_equal(force[:n], direct)


def find(X, skin, period, finder=None):
    """Return the candidates with a gap below the skin (see `margins`)."""
    finder = finder or Cells(np.array(period, dtype=float))
    return finder.find(X, margins(X, skin), np.arange(len(X)))


def check(X, period=OPEN, skin=0.1, rounding=1e-12, capacity=12.0, finder=None):
    """Find candidates and compare everything about them with plain twins; return them.

    Pairs with a gap below the skin are near; with one number for each grain, below the mean of two.
    """
    margin = margins(X, skin)
    period = np.array(period, dtype=float)
    given = X.copy()
    if finder is None:
        finder = Cells(period)
        finder.capacity = capacity
    found = find(X, skin, period, finder)
    assert np.array_equal(X, given), "the grains were changed"
    check_pairs(found, X, period, margin, rounding)
    check_rows(found, len(X))
    check_targets(found, len(X), np.random.default_rng(len(X)))
    again = find(X, skin, period, finder)
    assert listed(again) == listed(found)
    return found


def packed(points, radii):
    """Return rows x, y, z, radius."""
    points = np.asarray(points, dtype=float).reshape(-1, 3)
    return np.column_stack([points, np.broadcast_to(radii, len(points))]).astype(float)


def periods(lengths):
    """Return every way of being periodic in some of the directions, none of them included."""
    return [tuple(length if on else 0.0 for length, on in zip(lengths, chosen, strict=True))
            for chosen in product([False, True], repeat=3)]


def cloud(seed, n, ratio=1.0, crowding=0.6, flat=False, clusters=0):
    """Draw n grains in the cell, sizes from 1 to ``ratio``, evenly or about a few centres."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(0.0, 1.0, (n, 3)) * CELL
    if clusters:
        centres = rng.uniform(0.0, 1.0, (clusters, 3)) * CELL
        points = centres[rng.integers(clusters, size=n)] + rng.normal(0.0, 0.02, (n, 3))
        points = np.mod(points, CELL)
    radii = np.geomspace(1.0, ratio, n)[rng.permutation(n)]
    if flat:
        points[:, 2] = 0.0
        radii *= crowding * np.sqrt(np.prod(CELL[:2]) / np.pi / (radii**2).sum())
    else:
        radii *= crowding * np.cbrt(0.75 * np.prod(CELL) / np.pi / (radii**3).sum())
    return packed(points, radii)
