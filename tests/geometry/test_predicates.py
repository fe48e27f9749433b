"""The predicates against their definitions in fractions."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from predicates_families import FAMILIES, STORED, ask, cases, in_doubt, lattice, stage
from predicates_twin import conflict, exactly, last_bits, orient

from granum.errors import InputError
from granum.geometry.limits import refuse_unsafe
from granum.geometry.predicates import conflict2d, conflict3d, orient2d, orient3d, stages3d

HARD = json.loads(STORED.read_text())
coordinate = st.integers(-6, 6) | st.sampled_from([0.1, 0.2, 0.30000000000000004, 1e-20, 5e40])


def points_of(number, dimension):
    return st.lists(st.tuples(*[coordinate] * dimension), min_size=number, max_size=number).map(
        lambda rows: np.array(rows, dtype=np.float64))


# --- stored and made cases ---------------------------------------------------------------------


@pytest.mark.parametrize("predicate", sorted({case["predicate"] for case in HARD}))
def test_stored_hard_cases(predicate):
    chosen = [case for case in HARD if case["predicate"] == predicate]
    for case in chosen:
        p, w, order = np.array(case["points"]), np.array(case["weights"]), case["order"]
        refuse_unsafe(p, w)
        assert in_doubt(predicate, p, w, order), case
        assert ask(predicate, p, w, order) == case["sign"], case
        assert stage(predicate, p, w, order) == case["stage"], case
    assert {case["sign"] for case in chosen} >= {-1, 1}


def test_stored_cases_reach_every_stage():
    for predicate in ("conflict2d", "conflict3d"):
        stages = {2, 3, 4, 5} | ({6} if predicate == "conflict3d" else set())
        assert {c["stage"] for c in HARD if c["predicate"] == predicate} == stages


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_families_against_fractions(family):
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(60):
        for predicate, p, w, order, right in cases(family, rng):
            assert ask(predicate, p, w, order) == right, (predicate, p, w, order)
            seen += 1
    assert seen > 100


def test_random_points_against_fractions():
    rng = np.random.default_rng(2)
    for _ in range(150):
        for predicate, p, w, order, right in cases(
            lambda rng: (rng.normal(size=(6, 3)), rng.random(6) * 0.1), rng
        ):
            assert ask(predicate, p, w, order) == right, (predicate, p, w, order)


def test_last_bit_neighbours_of_a_line():
    """Kettner et al. (2008): a grid of last bits about a diagonal."""
    for i, j in product(range(24), repeat=2):
        p = np.array([[0.5 + i * 2.0**-53, 0.5 + j * 2.0**-53], [12.0, 12.0], [24.0, 24.0]])
        assert orient2d(p, 0, 1, 2) == orient(p, (0, 1, 2))


def test_last_bit_neighbours_of_a_sphere():
    """Each coordinate of five corners of a box a last bit up or down, or where it was."""
    rng = np.random.default_rng(3)
    w = np.zeros(6)
    met = set()
    for _ in range(300):
        p, _ = lattice(rng)
        row, axis = rng.integers(5), rng.integers(3)
        p[row, axis] = last_bits(rng, p[row, axis])
        turned = orient(p, range(4))
        if turned:
            assert conflict3d(p, w, 0, 1, 2, 3, 4) == turned * conflict(p, w, range(4), 4)
            met.add(int(stages3d(p, w, np.array([[0, 1, 2, 3]]), np.array([4]))[0]))
    assert met >= {2, 4}


# --- the rules that triangulations rely on -----------------------------------------------------


@given(points_of(4, 3))
@settings(max_examples=60)
def test_orientation_changes_with_the_order(p):
    right = orient(p, range(4))
    for order in permutations(range(4)):
        odd = sum(a > b for a, b in combinations(order, 2)) % 2
        assert orient3d(p, *order) == (-right if odd else right)
    flat = np.ascontiguousarray(p[:, :2])
    assert orient2d(flat, 0, 1, 2) == orient2d(flat, 1, 2, 0) == -orient2d(flat, 1, 0, 2)


@given(points_of(5, 3), st.lists(st.sampled_from([0.0, 0.5, 1.0, 0.1]), min_size=5, max_size=5))
@settings(max_examples=60)
def test_conflict_does_not_depend_on_the_order(p, weights):
    w = np.array(weights)
    turned = orient(p, range(4))
    assume(turned)
    right = conflict(p, w, range(4), 4)
    for order in permutations(range(4)):
        assert conflict3d(p, w, *order, 4) == orient3d(p, *order) * right


@given(points_of(5, 3), st.integers(-100, 100))
@settings(max_examples=60)
def test_scale_and_place_do_not_matter(p, power):
    p, w = np.round(np.clip(p, -9, 9) * 8), np.arange(5) % 3 * 4.0
    assume(orient(p, range(4)))
    first = conflict3d(p, w, 0, 1, 2, 3, 4)
    assert conflict3d(p * 2.0**power, w * 4.0**power, 0, 1, 2, 3, 4) == first
    assert conflict3d(p + np.array([1024.0, -77.0, 2.0**40]), w, 0, 1, 2, 3, 4) == first


@given(points_of(4, 3))
@settings(max_examples=60)
def test_only_the_order_of_indices_matters(p):
    """Ties are broken by which index is lower, not by the indices themselves."""
    w = np.zeros(4)
    spread = np.zeros((40, 3))
    spread[[3, 17, 18, 39]] = p
    flat, flat_spread = np.ascontiguousarray(p[:, :2]), np.ascontiguousarray(spread[:, :2])
    assert conflict2d(flat, w, 2, 0, 1, 3) == conflict2d(flat_spread, np.zeros(40), 18, 3, 17, 39)


def hull_volume(p):
    """Return d! times the volume of a box of points, whose corners are among them."""
    return factorial(p.shape[1]) * np.prod([Fraction(x) for x in np.ptp(p, axis=0)])


@pytest.mark.parametrize(("shape", "twice"), [((3, 3, 2), 0), ((2, 2, 2), 2), ((4, 4), 2)])
def test_ties_agree_with_each_other(shape, twice):
    """On a lattice, where all is tie, the simplices without conflict fill its box exactly."""
    rng = np.random.default_rng(5)
    p = np.array(list(product(*map(range, shape))), dtype=np.float64) * 0.5
    p = rng.permutation(np.vstack([p, p[:twice]]))
    n, d, w = len(p), p.shape[1], np.zeros(len(p))
    turns, conflicts = (orient2d, conflict2d) if d == 2 else (orient3d, conflict3d)
    filled, cells = Fraction(0), 0
    for simplex in combinations(range(n), d + 1):
        turned = turns(p, *simplex)
        if turned and not any(
            turned * conflicts(p, w, *simplex, e) > 0 for e in range(n) if e not in simplex
        ):
            edges = np.array([p[v] - p[simplex[0]] for v in simplex[1:]])
            filled += Fraction(round(abs(np.linalg.det(edges)) * 2**d), 2**d)
            cells += 1
    assert filled == hull_volume(p)
    assert cells >= np.prod([k - 1 for k in shape])


def test_the_heavier_of_two_in_one_place_wins():
    p = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=np.float64)
    for v in range(1, 4):
        p[4] = p[v]
        assert conflict3d(p, np.zeros(5), 0, 1, 2, 3, 4) == -1
        assert conflict3d(p, np.array([0, 0, 0, 0, 1e-9]), 0, 1, 2, 3, 4) == 1
        assert conflict3d(p[::-1].copy(), np.zeros(5), 4, 3, 2, 1, 0) == 1


def test_filter_decides_in_a_random_gas():
    rng = np.random.default_rng(13)
    p, w = rng.random((50_000, 3)), np.zeros(50_000)
    rows = rng.permutation(50_000).reshape(-1, 5)
    assert np.bincount(stages3d(p, w, rows[:, :4].copy(), rows[:, 4].copy()))[1] >= 9_999


def test_plain_python_says_the_same():
    """All stored cases again, with nothing compiled."""
    script = """
import json, sys
import numpy as np
from predicates_families import ask, stage
from granum.geometry import predicates
assert not hasattr(predicates.conflict3d, "py_func")
cases = json.loads(sys.stdin.read())
for case in cases:
    p, w, order = np.array(case["points"]), np.array(case["weights"]), case["order"]
    said = ask(case["predicate"], p, w, order), stage(case["predicate"], p, w, order)
    assert said == (case["sign"], case["stage"]), case
print(len(cases), "cases")
"""
    here = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", script], input=STORED.read_text(), text=True, capture_output=True,
        check=False, env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": here})
    assert done.stdout == f"{len(json.loads(STORED.read_text()))} cases\n", done.stderr


# --- limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "wanted"), [
    (np.nan, "finite"), (np.inf, "finite"), (1e-49, "between 1e-48 and 1e\\+48"),
    (-2e48, "between 1e-48 and 1e\\+48"), (5e-324, "set what is that small to 0"),
])
def test_unsafe_coordinates_are_refused(value, wanted):
    p = np.ones((4, 3))
    p[2, 1] = value
    with pytest.raises(InputError, match=f"coordinate 1 of point 2 is .*{wanted}"):
        refuse_unsafe(p, np.zeros(4))


@pytest.mark.parametrize("value", [1e-97, 1e97, np.nan])
def test_unsafe_weights_are_refused(value):
    with pytest.raises(InputError, match="weight of point 3 is"):
        refuse_unsafe(np.ones((4, 2)), np.array([0.0, 1e-96, -1e96, value]))


def test_safe_values_pass():
    refuse_unsafe(np.array([[0.0, -1e-48], [1e48, 1.0]]), np.array([0.0, 1e96]))
    assert exactly(np.array([0.5])) == [Fraction(1, 2)]
