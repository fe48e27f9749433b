"""Each stage of the predicates against the next: doubles, pairs of them, integers, expansions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.compile import kernel
from granum.geometry.doubled import (
    CONFLICT,
    LANES,
    ORIENT,
    conflict_value,
    doubled_conflict3d,
    doubled_lanes,
    doubled_orient3d,
    orient_value,
)
from granum.geometry.estimates import (
    CONFLICT_2D,
    CONFLICT_3D,
    ORIENT_3D,
    U,
    estimate_conflict2d,
    estimate_conflict3d,
    estimate_orient3d,
    estimate_sides,
    quick_conflict3d,
    sign,
)
from granum.geometry.exact import exact_conflict2d, exact_conflict3d, exact_orient3d
from granum.geometry.expansion import two_difference, two_product, two_sum
from granum.geometry.integers import (
    UNFIT,
    integer_conflict2d,
    integer_conflict3d,
    integer_orient3d,
)
from granum.geometry.planes import MARGIN, ROWS, find_margins, gather, pack_rows
from granum.geometry.short import short_conflict2d, short_conflict3d, short_orient3d
from granum.geometry.ties import tie2d, tie3d


@kernel
def disagreements3d(p, w, rows):
    """Return how many estimates exact integers contradict, and how many they confirm."""
    wrong = right = 0
    for k in range(len(rows)):
        a, b, c, d, e = rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3], rows[k, 4]
        A, B = (p[a, 0], p[a, 1], p[a, 2], w[a]), (p[b, 0], p[b, 1], p[b, 2], w[b])
        C, D = (p[c, 0], p[c, 1], p[c, 2], w[c]), (p[d, 0], p[d, 1], p[d, 2], w[d])
        E = (p[e, 0], p[e, 1], p[e, 2], w[e])
        exact, volume = integer_conflict3d(A, B, C, D, E), integer_orient3d(A, B, C, D)
        t, m = estimate_conflict3d(A, B, C, D, E)
        wrong += abs(t) > CONFLICT_3D * m and sign(t) != exact
        right += abs(t) > CONFLICT_3D * m and sign(t) == exact
        t, m = estimate_orient3d(A, B, C, D)
        wrong += abs(t) > ORIENT_3D * m and sign(t) != volume
        t, m = quick_conflict3d(A, B, C, D, E)
        wrong += t * t > m and sign(t) != exact
        found = doubled_conflict3d(A, B, C, D, E)
        wrong += found not in (UNFIT, exact)
        found = doubled_orient3d(A, B, C, D)
        wrong += found not in (UNFIT, volume)
        side = estimate_sides(A, B, C, E, D)
        wrong += abs(side[3]) > ORIENT_3D * side[4] and sign(side[3]) != -volume
    return wrong, right


@kernel
def wrong_margins(p, w, rows):
    """Return how many cells look right to the check but are not, and how many are."""
    wrong = right = 0
    packed, s = np.empty((len(w) + 1, 4)), np.zeros(ROWS * LANES)
    pack_rows(p, w, packed)
    for first in range(0, len(rows) - LANES + 1, LANES):
        for lane in range(LANES):
            for slot in range(8):
                gather(packed, s, slot, lane, rows[first + lane, slot] if slot < 5 else -1)
        find_margins(s)
        for lane in range(LANES):
            k = first + lane
            a, b, c, d, e = rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3], rows[k, 4]
            A, B = (p[a, 0], p[a, 1], p[a, 2], w[a]), (p[b, 0], p[b, 1], p[b, 2], w[b])
            C, D = (p[c, 0], p[c, 1], p[c, 2], w[c]), (p[d, 0], p[d, 1], p[d, 2], w[d])
            E = (p[e, 0], p[e, 1], p[e, 2], w[e])
            if s[MARGIN + lane] > 0.0:
                legal = integer_conflict3d(A, B, C, D, E) < 0 and integer_orient3d(A, B, C, D) < 0
                wrong += not legal
                right += legal
    return wrong, right


@kernel
def values(A, B, C, D, E):
    """Return determinants in pairs of doubles, their bounds, and whether they count."""
    return conflict_value(A, B, C, D, E), orient_value(A, B, C, D)


@kernel
def disagreements2d(p, w, rows):
    """Count the same in the plane."""
    wrong = right = 0
    for k in range(len(rows)):
        a, b, c, e = rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3]
        A, B = (p[a, 0], p[a, 1], 0.0, w[a]), (p[b, 0], p[b, 1], 0.0, w[b])
        C, E = (p[c, 0], p[c, 1], 0.0, w[c]), (p[e, 0], p[e, 1], 0.0, w[e])
        exact = integer_conflict2d(A, B, C, E)
        t, m = estimate_conflict2d(A, B, C, E)
        wrong += abs(t) > CONFLICT_2D * m and sign(t) != exact
        right += abs(t) > CONFLICT_2D * m and sign(t) == exact
    return wrong, right


def near_ties(dimension, noise):
    """Return a lattice moved by noise, its weights, and 250 000 tests among near neighbours."""
    rng = np.random.default_rng(11)
    p = np.array(list(product(range(3), repeat=dimension))) * 0.1 + 0.7
    p = np.tile(p, (20, 1)) + noise * rng.normal(size=(20 * len(p), dimension))
    w = rng.choice([0.0, 0.01], len(p)) + noise * rng.random(len(p))
    one = np.argsort(rng.random((12_500, 3**dimension)), axis=1)[:, : dimension + 2]
    return p, w, np.vstack([one + k * 3**dimension for k in range(20)])


@pytest.mark.parametrize("noise", [0.03, 1e-8, 1e-13, 1e-15])
def test_exact_integers_never_contradict_an_estimate(noise):
    """Two million tests, many so near to a tie that the bounds are only just kept."""
    for dimension, count in ((3, disagreements3d), (2, disagreements2d)):
        wrong, right = count(*near_ties(dimension, noise))
        assert wrong == 0
        assert right > (200_000 if noise > 1e-12 else 1000)


@pytest.mark.parametrize("noise", [0.03, 1e-8, 1e-13, 1e-15])
def test_cells_that_look_right_are(noise):
    wrong, right = wrong_margins(*near_ties(3, noise))
    assert wrong == 0
    assert right > (20_000 if noise > 1e-12 else 1000)


@pytest.mark.parametrize("noise", [0.03, 1e-15])
def test_expansions_agree_with_integers(noise):
    for dimension, integer, exact in (
        (3, integer_conflict3d, exact_conflict3d), (2, integer_conflict2d, exact_conflict2d)
    ):
        p, w, rows = near_ties(dimension, noise)
        p = np.hstack([p, np.zeros((len(p), 3 - dimension)), w[:, None]])
        for row in rows[::500]:
            vertices = [tuple(v) for v in p[row].tolist()]
            assert integer(*vertices) == exact(*vertices) != UNFIT
            if dimension == 3:
                assert integer_orient3d(*vertices[:4]) == exact_orient3d(*vertices[:4])


def determinant(rows):
    """Return that of a small matrix of fractions."""
    if len(rows) == 1:
        return rows[0][0]
    return sum((-1) ** k * row[-1] * determinant([r[:-1] for m, r in enumerate(rows) if m != k])
               for k, row in enumerate(rows)) * (-1) ** (len(rows) - 1)


@pytest.mark.parametrize("noise", [0.1, 1e-9, 1e-15])
def test_pairs_of_doubles_err_less_than_their_bounds(noise):
    """Rounded crystals and random points against fractions; near ties are decided all the same."""
    rng = np.random.default_rng(41)
    decided, worst = 0, 0.0
    for _ in range(400):
        points = 1.05e-3 * rng.integers(20, 24, (5, 3)) * (1.0 + noise * rng.uniform(-1, 1, (5, 3)))
        weights = rng.choice([1e-6, 1.1e-6], (5, 1)) if noise > 1e-12 else np.full((5, 1), 1e-6)
        rows = [tuple(row) for row in np.hstack([points, weights]).tolist()]
        vertices = [[Fraction(x) for x in row] for row in rows]
        *others, last = vertices
        lifted = [[*(x - e for x, e in zip(v[:3], last[:3], strict=True)),
                   sum((x - e) ** 2 for x, e in zip(v[:3], last[:3], strict=True)) - v[3] + last[3]]
                  for v in others]
        flat = [[x - e for x, e in zip(v[:3], others[3][:3], strict=True)] for v in others[:3]]
        exact = -determinant(lifted), determinant(flat)
        for (t, bound, lost), right in zip(values(*rows), exact, strict=True):
            assert lost == 0.0
            rounding = Fraction(U) * abs(Fraction(t))  # of the sum of high and low
            assert abs(Fraction(t) - right) <= Fraction(bound) + rounding
            worst = max(worst, float(abs(Fraction(t) - right)) / bound)
        decided += doubled_conflict3d(*rows) != UNFIT
    assert decided > 250
    assert worst > 1e-9  # they do err
    assert ORIENT < CONFLICT < 1e-27


def test_pairs_of_doubles_leave_ties_and_long_differences_to_others():
    cube = [(x, y, z, 0.0) for x in (0.3, 0.7) for y in (0.3, 0.7) for z in (0.3, 0.7)]
    assert doubled_conflict3d(cube[0], cube[1], cube[2], cube[4], cube[7]) == UNFIT
    assert doubled_orient3d(*cube[:4]) == UNFIT
    rows = [(1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 0.0)]
    assert doubled_conflict3d(*rows, (0.1, 0.1, 0.2, 0.0)) == UNFIT  # 1 - 0.1 is no double
    assert doubled_conflict3d(*rows, (0.5, 0.25, 0.25, 0.0)) == exact_conflict3d(
        *rows, (0.5, 0.25, 0.25, 0.0))


def test_many_conflicts_at_once_are_those_one_by_one():
    p, w, rows = near_ties(3, 1e-15)
    s = np.zeros(21 * LANES)
    decided = 0
    for first in range(0, 20 * LANES, LANES):
        some = np.hstack([p, w[:, None]])[rows[first * 9 : first * 9 + LANES]]
        s[: 20 * LANES] = some.transpose(1, 2, 0).ravel()
        doubled_lanes(s)
        for k in range(LANES):
            found = doubled_conflict3d(*[tuple(v) for v in some[k].tolist()])
            assert np.sign(s[20 * LANES + k]) == (0 if found == UNFIT else found)
            decided += found != UNFIT
    assert decided > 100


def test_integers_at_their_largest():
    """Differences and weights whose digits fill their columns."""
    rng = np.random.default_rng(17)
    fitted = 0
    for _ in range(500):
        high = rng.choice([2**27, 2**28 - 1, 1 - 2**28, -(2**27) - 1], (4, 3)) * 2.0**30
        p = np.vstack([high + rng.choice([2**29, 64 - 2**29, 0], (4, 3)), np.zeros((1, 3))])
        w = rng.integers(-(2**52), 2**52, (5, 1)) * 2.0 ** rng.choice([0, 30, 65], (5, 1))
        rows = [tuple(row) for row in np.hstack([p, w]).tolist()]
        exact = exact_conflict3d(*rows)
        assert integer_conflict3d(*rows) in (UNFIT, exact)
        fitted += integer_conflict3d(*rows) == exact
    assert fitted > 400


OCTAHEDRON = [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 2), (1, 2, 1), (2, 1, 1)]  # of a crystal


def sign_in_fractions(rows):
    """Return the sign of the conflict of five vertices."""
    *others, last = [[Fraction(x) for x in row] for row in rows]
    lifted = []
    for v in others:
        x = [a - b for a, b in zip(v[:3], last[:3], strict=True)]
        lifted.append([*x, sum(a * a for a in x) - v[3] + last[3]])
    return sign(float(np.sign(-determinant(lifted))))


@given(st.floats(1e-4, 10.0), st.integers(0, 40), st.permutations(range(6)), st.integers(0, 4),
       st.integers(0, 4), st.integers(-2, 2))
def test_integers_tell_ties_from_their_last_bits(spacing, far, order, which, column, steps):
    """An octahedron of a crystal with rounded coordinates, one of them a few last bits off."""
    points = (np.array(OCTAHEDRON)[order][:5] + far) * spacing
    rows = np.column_stack((points, np.full(5, spacing * spacing)))
    for _ in range(abs(steps)):
        rows[which, column % 4] = np.nextafter(rows[which, column % 4], steps * np.inf)
    rows = [tuple(row) for row in rows.tolist()]
    exact = sign_in_fractions(rows)
    assert exact_conflict3d(*rows) == exact
    assert integer_conflict3d(*rows) in (UNFIT, exact)
    if far > 2 and column < 3:
        assert integer_conflict3d(*rows) == exact


def lattice_rows(rng, bits, spacing):
    """Return five vertices of a lattice with differences below 2^bits spacings, one of them large.

    Half of them have other vertices in their coordinate planes, and ties.
    """
    low = -(2 ** (bits - 1))
    p = rng.integers(low, -low, (5, 3)) if rng.random() < 0.5 else rng.choice([low, 0, -low - 1],
                                                                              (5, 3))
    p[0, rng.integers(3)], p[1, rng.integers(3)] = low, -low - 1
    p = (p + rng.integers(-1000, 1000, 3)) * spacing
    return [(*row, 0.25) for row in p.tolist()]


@pytest.mark.parametrize("spacing", [1.0, 2.0**-30, 3.0, 2.0**40])
def test_doubles_are_exact_on_lattices(spacing):
    """Coordinates of few bits: the stage for them decides, right and with the same ties."""
    rng = np.random.default_rng(23)
    tied = 0
    for _ in range(300):
        A, B, C, D, E = rows = lattice_rows(rng, 6, spacing)
        order = rng.permutation(5).tolist()
        exact = exact_conflict3d(*rows)
        tied += exact == 0
        assert short_conflict3d(*rows, *order) == (exact or tie3d(*rows, *order))
        assert short_orient3d(A, B, C, D) == exact_orient3d(A, B, C, D)
        exact = exact_conflict2d(A, B, C, E)
        assert short_conflict2d(A, B, C, E, *order[:4]) == (
            exact or tie2d(A, B, C, E, *order[:4]))
    assert tied > 20


def test_lattices_at_their_largest():
    """Differences of nine bits fit and are right; whatever has more is right or left to others."""
    rng = np.random.default_rng(29)
    unfit = dict.fromkeys((8, 9, 10, 11, 16), 0)
    for bits in unfit:
        for _ in range(200):
            rows = lattice_rows(rng, bits, 1.0)
            found, exact = short_conflict3d(*rows, 0, 1, 2, 3, 4), exact_conflict3d(*rows)
            unfit[bits] += found == UNFIT
            assert found in (UNFIT, exact or tie3d(*rows, 0, 1, 2, 3, 4))
            assert short_orient3d(*rows[:4]) == exact_orient3d(*rows[:4])
    assert unfit[8] == unfit[9] == 0
    assert unfit[11] > 100


def test_what_is_no_lattice_is_left_to_integers():
    rows = [(0.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0)]
    assert short_conflict3d(*rows, (1.0, 1.0, 1.0, 0.0), 0, 1, 2, 3, 4) != UNFIT
    assert short_conflict3d(*rows, (1.0, 1.0, 1.0, 0.5), 0, 1, 2, 3, 4) == UNFIT
    assert short_conflict3d(*rows, (1.0, 1.0, 1.0 + 2.0**-52, 0.0), 0, 1, 2, 3, 4) == UNFIT
    assert short_orient3d(*rows[:3], (1.0, 1.0, 0.1, 0.0)) == UNFIT


@kernel
def products(a, b):
    """Call from another kernel, into which they are written."""
    return two_product(a, b), two_sum(a, b), two_difference(a, b)


@given(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100))
def test_transformations_are_free_of_error_in_any_kernel(a, b):
    a, b = np.round(a, 30), np.round(b, 30)  # nothing so small that a product loses bits
    exact = Fraction(a) * Fraction(b), Fraction(a) + Fraction(b), Fraction(a) - Fraction(b)
    for (x, y), right, rounded in zip(products(a, b), exact, (a * b, a + b, a - b), strict=True):
        assert x == rounded
        assert Fraction(x) + Fraction(y) == right
