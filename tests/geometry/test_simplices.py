"""Closest points against exact fractions, for ordinary and for degenerate simplices."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.geometry.simplices import (
    FIRST,
    SECOND,
    SEGMENT,
    TRIANGLE,
    of_lines,
    of_segments,
    on_line,
    on_segment,
    on_triangle,
)

ROUNDING = 2.0**-52
LARGEST = 4.0  # roundings of the largest coordinate by which a distance may be wrong


def less(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def exact(points):
    return [[Fraction(x) for x in point] for point in points]


def to_segment(p, a, b):
    """Return the exact square of the distance."""
    u, r = less(b, a), less(p, a)
    t = dot(r, u) / dot(u, u) if any(u) else Fraction(0)
    t = min(max(t, Fraction(0)), Fraction(1))
    away = [x - t * y for x, y in zip(r, u, strict=True)]
    return dot(away, away)


def to_triangle(p, a, b, c):
    u, v, r = less(b, a), less(c, a), less(p, a)
    uu, uv, vv, ru, rv = dot(u, u), dot(u, v), dot(v, v), dot(r, u), dot(r, v)
    whole = uu * vv - uv * uv
    if whole:
        y, z = (vv * ru - uv * rv) / whole, (uu * rv - uv * ru) / whole
        if y >= 0 and z >= 0 and y + z <= 1:
            away = [x - y * k - z * m for x, k, m in zip(r, u, v, strict=True)]
            return dot(away, away)
    return min(to_segment(p, a, b), to_segment(p, b, c), to_segment(p, a, c))


def between_segments(a, b, c, d):
    u, v, r = less(b, a), less(d, c), less(a, c)
    uu, uv, vv, ur, vr = dot(u, u), dot(u, v), dot(v, v), dot(u, r), dot(v, r)
    whole = uu * vv - uv * uv
    if whole:
        s, t = (uv * vr - vv * ur) / whole, (uu * vr - uv * ur) / whole
        if 0 <= s <= 1 and 0 <= t <= 1:
            away = [x + s * k - t * m for x, k, m in zip(r, u, v, strict=True)]
            return dot(away, away)
    return min(to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b))


def four_points(seed):
    """Return a triangle that may be a needle or less, and a point on it, near it or far away."""
    rng = np.random.default_rng(seed)
    small, height = 10.0 ** rng.uniform(-18.0, 0.3), 10.0 ** rng.uniform(-18.0, 1.0)
    a, b = rng.normal(size=(2, 3))
    c = (a, b, a + rng.uniform(-0.3, 1.3) * (b - a))[rng.integers(3)] + small * rng.normal(size=3)
    weights = rng.dirichlet((1, 1, 1)) if rng.random() < 0.7 else rng.normal(size=3)
    weights[rng.integers(3)] *= rng.integers(2)
    p = weights @ np.array((a, b, c)) + (height * rng.integers(2)) * rng.normal(size=3)
    d = p + rng.uniform(-2.0, 2.0) * (b - a) + small * rng.normal(size=3)
    return [tuple(map(float, x)) for x in (p, a, b, c, d)]


def assert_close(d2, square, points):
    size = float(np.abs(points).max())
    assert math.sqrt(d2) == pytest.approx(math.sqrt(square), rel=0, abs=LARGEST * ROUNDING * size)


def assert_weights(point, weights, corners, d2, size):
    """The weights are of a convex mix, whose distance is the one told."""
    assert min(weights) >= 0.0
    assert sum(weights) == pytest.approx(1.0, rel=0, abs=4 * ROUNDING)
    away = np.linalg.norm(np.asarray(point) - np.asarray(weights) @ np.asarray(corners))
    assert away == pytest.approx(math.sqrt(d2), rel=0, abs=2 * LARGEST * ROUNDING * size)


def test_distances_of_simplices_are_right_to_rounding():
    for seed in range(400):
        p, a, b, c, d = four_points(seed)
        size = float(np.abs((p, a, b, c, d)).max())
        t, d2, part = on_segment(p, a, b)
        assert_close(d2, to_segment(*exact((p, a, b))), (p, a, b))
        assert_weights(p, (1.0 - t, t), (a, b), d2, size)
        assert part == {0.0: FIRST, 1.0: SECOND}.get(t, SEGMENT)
        x, y, z, d2, part = on_triangle(p, a, b, c)
        assert_close(d2, to_triangle(*exact((p, a, b, c))), (p, a, b, c))
        assert_weights(p, (x, y, z), (a, b, c), d2, size)
        assert part == (x > 0.0) + 2 * (y > 0.0) + 4 * (z > 0.0)
        s, t, d2, *_ = of_segments(a, b, p, d)
        assert_close(d2, between_segments(*exact((a, b, p, d))), (a, b, p, d))
        on_other = tuple((1.0 - t) * np.array(p) + t * np.array(d))
        assert_weights(on_other, (1.0 - s, s), (a, b), d2, size)


def test_exchange_of_segments_changes_no_bit():
    for seed in range(1000):
        _, a, b, c, d = four_points(seed)
        s, t, d2, one, two = of_segments(a, b, c, d)
        assert of_segments(c, d, a, b) == (t, s, d2, two, one)
        s, t, d2, sine2 = of_lines(a, b, c, d)
        assert of_lines(c, d, a, b) == (t, s, d2, sine2)


lattice = st.tuples(*[st.integers(-2, 2).map(float)] * 3)


@given(lattice, lattice, lattice, lattice)
def test_small_integers_of_any_degeneracy(p, a, b, c):
    """Points on a lattice coincide, are in line and in plane: no NaN, no division by zero."""
    assert on_segment(p, a, b)[1] == pytest.approx(float(to_segment(*exact((p, a, b)))), abs=1e-14)
    assert on_triangle(p, a, b, c)[3] == pytest.approx(float(to_triangle(*exact((p, a, b, c)))),
                                                       abs=1e-14)
    assert of_segments(p, a, b, c)[2] == pytest.approx(
        float(between_segments(*exact((p, a, b, c)))), abs=1e-14)


def test_parallel_segments_meet_in_the_middle_of_what_they_share():
    s, t, d2, one, two = of_segments((0, 0, 0), (4, 0, 0), (1, 0, 1), (9, 0, 1))
    assert (s * 4, 1 + t * 8, d2) == (2.5, 2.5, 1.0)
    assert one == two == SEGMENT


def test_lines_that_are_parallel_or_points_say_so():
    assert of_lines((0, 0, 0), (1, 0, 0), (0, 1, 0), (3, 1, 0))[3] == 0.0
    assert of_lines((0, 0, 0), (1, 0, 0), (5, 1, 0), (5, 1, 0))[3] == 0.0
    assert on_line((1.0, 2.0, 3.0), (1.0, 2.0, 0.0), (1.0, 2.0, 0.0)) == (0.0, 9.0)


def test_line_goes_on_beyond_its_points():
    assert on_line((5.0, 2.0, 0.0), (0.0, 0.0, 0.0), (2.0, 0.0, 0.0)) == (2.5, 4.0)
    s, t, d2, sine2 = of_lines((0, 0, 0), (1, 0, 0), (7, -3, 2), (7, -2, 2))
    assert (s, t, d2, sine2) == (7.0, 3.0, 4.0, 1.0)


@pytest.mark.parametrize(("p", "part"), [
    ((-1.0, -1.0, 2.0), 1), ((3.0, -1.0, 2.0), 2), ((-1.0, 3.0, 2.0), 4), ((0.5, -1.0, 2.0), 3),
    ((1.0, 1.0, 2.0), 6), ((-1.0, 0.5, 2.0), 5), ((0.25, 0.25, 2.0), TRIANGLE),
])
def test_parts_of_a_triangle(p, part):
    assert on_triangle(p, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))[4] == part
