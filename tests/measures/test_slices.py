"""Balls cut by cylinders, boxes and planes: closed forms, quadrature, and parts that add up."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import dblquad, quad
from scipy.special import elliprd, elliprf, elliprj

from granum.measures.slices import (
    balls_below,
    balls_in_boxes,
    balls_in_cylinders,
    discs_in_circles,
    discs_in_rectangles,
)

BALL = 4.0 / 3.0 * np.pi
ENDLESS = np.array([-np.inf]), np.array([np.inf])
sizes = st.floats(0.05, 3.0)
places = st.floats(-2.0, 2.0)


def in_cylinder(r, d, R, low=-np.inf, high=np.inf):
    return balls_in_cylinders(*(np.array([x], dtype=float) for x in (r, d, R, low, high)))[0]


def in_box(r, low, high):
    return balls_in_boxes(np.array([r]), np.array([low], float), np.array([high], float))[0]


def lamarche(r, d, R):
    """Return the closed form of Lamarche and Leroy (1990), with Carlson's elliptic integrals."""
    rim = (d + R) ** 2
    A, B, C, s = max(r * r, rim), min(r * r, rim), (d - R) ** 2, (d + R) * (d - R)
    k2, rest, n = (B - C) / (A - C), (A - B) / (A - C), -(B - C) / C
    K = elliprf(0.0, rest, 1.0)
    E = K - k2 / 3.0 * elliprd(0.0, rest, 1.0)
    P = K + n / 3.0 * elliprj(0.0, rest, 1.0, 1.0 - n)
    if r * r < rim:
        part = (P * B * B * s / C + K * (s * (A - 2 * B) + (A - B) * (3 * B - C - 2 * A) / 3)
                + E * (A - C) * (-s + (2 * A - 4 * B + 2 * C) / 3))
    else:
        part = (P * A * A * s / C - K * (A * s - (A - B) * (A - C) / 3)
                - E * (A - C) * (s + (4 * A - 2 * B - 2 * C) / 3))
    return (BALL * r**3 if d < R else 0.0) + 4.0 * part / (3.0 * np.sqrt(A - C))


@pytest.mark.parametrize(("r", "d", "R"), [
    (1.0, 0.5, 0.8), (1.0, 1.2, 0.5), (0.3, 0.6, 0.5), (1.0, 0.2, 0.3), (0.7, 1.9, 1.6),
    (1.0, 2.4, 1.5), (0.5, 0.1, 0.3), (0.9, 1.05, 1.0), (0.4, 1.35, 1.0)])
def test_a_ball_in_an_endless_cylinder(r, d, R):
    assert in_cylinder(r, d, R) == pytest.approx(lamarche(r, d, R), abs=1e-12 * r**3, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(sizes, sizes, sizes)
def test_by_quadrature_over_strips(r, d, R):
    """Ferrez 2001 (4.7), the inner integral in closed form: another direction than the shells'."""
    def strip(x):
        rest = max(r * r - x * x, 0.0)
        y = np.sqrt(min(max(R * R - (x - d) ** 2, 0.0), rest))
        return 2.0 * (y * np.sqrt(max(rest - y * y, 0.0)) + rest * np.arctan2(
            y, np.sqrt(max(rest - y * y, 0.0))))

    low, high = max(d - R, -r), min(d + R, r)
    wanted = 0.0
    if low < high:
        meet = (d * d + r * r - R * R) / (2.0 * d)
        ends = sorted({low, high, min(max(meet, low), high)})
        wanted = sum(quad(strip, a, b, epsabs=1e-13 * r**3, epsrel=1e-12, limit=200)[0]
                     for a, b in pairwise(ends))
    assert in_cylinder(r, d, R) == pytest.approx(wanted, abs=1e-10 * r**3)


@pytest.mark.parametrize("d", [0.0, 0.5, 1.5])
def test_wholly_inside_outside_or_bored_through(d):
    assert in_cylinder(1.0, d, 3.0) == pytest.approx(BALL, rel=1e-14)
    assert in_cylinder(1.0, d + 4.0, 3.0) == 0.0
    bored = BALL * (1.0 - 0.25**2) ** 1.5  # what a hole through the middle leaves
    assert in_cylinder(1.0, 0.0, 0.25) == pytest.approx(BALL - bored, rel=1e-13)


@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-12, 1e-8, 1e-4])
def test_near_tangency(gap):
    """The ball leaves the cylinder smoothly: a sliver of the order of the squared gap."""
    assert in_cylinder(1.0, 2.0 + gap, 3.0) == pytest.approx(BALL, abs=10.0 * gap**2 + 1e-13)
    assert in_cylinder(1.0, 4.0 - gap, 3.0) == pytest.approx(0.0, abs=10.0 * gap**2 + 1e-13)


@settings(max_examples=40, deadline=None)
@given(sizes, sizes, sizes, places, places)
def test_cut_in_two_by_a_plane_nothing_is_lost(r, d, R, a, b):
    low, high = sorted((a, b))
    parts = (in_cylinder(r, d, R, high=low), in_cylinder(r, d, R, low, high),
             in_cylinder(r, d, R, low=high))
    assert sum(parts) == pytest.approx(in_cylinder(r, d, R), abs=1e-12 * r**3)
    cap = balls_below(np.array([r]), np.array([low]))[0]
    assert in_cylinder(r, 0.0, 2.0 * r, high=low) == pytest.approx(cap, abs=1e-12 * r**3)


@settings(max_examples=40, deadline=None)
@given(sizes, places, places, places)
def test_eight_boxes_hold_the_ball(r, x, y, z):
    corner = (x, y, z)
    parts = [in_box(r, [-9.0 if s else c for s, c in zip(side, corner, strict=True)],
                    [c if s else 9.0 for s, c in zip(side, corner, strict=True)])
             for side in product((True, False), repeat=3)]
    assert sum(parts) == pytest.approx(BALL * r**3, abs=1e-12 * r**3)
    assert min(parts) >= -1e-13 * r**3


@pytest.mark.parametrize(("low", "high"), [
    ((0.1, -0.3, -0.2), (0.5, 0.7, 3.0)), ((-3.0, 0.2, 0.3), (0.4, 0.9, 0.5)),
    ((0.6, 0.5, 0.4), (2.0, 2.0, 2.0)), ((-0.2, -0.2, -0.2), (0.2, 0.2, 0.2))])
def test_a_box_by_quadrature(low, high):
    def height(y, x):
        half = np.sqrt(max(1.0 - x * x - y * y, 0.0))
        return max(min(high[2], half) - max(low[2], -half), 0.0)

    wanted, _ = dblquad(height, max(low[0], -1.0), min(high[0], 1.0), max(low[1], -1.0),
                        min(high[1], 1.0), epsabs=1e-7, epsrel=1e-7)
    assert in_box(1.0, low, high) == pytest.approx(wanted, abs=1e-5)


def test_an_octant():
    assert in_box(2.0, (0, 0, 0), (5, 5, 5)) == pytest.approx(BALL, rel=1e-14)


@settings(max_examples=40, deadline=None)
@given(sizes, sizes, sizes)
def test_two_discs(r, d, R):
    """The lens by quadrature over its chords."""
    def chord(x):
        return 2.0 * np.sqrt(max(min(r * r - x * x, R * R - (x - d) ** 2), 0.0))

    low, high = max(d - R, -r), min(d + R, r)
    ends = sorted({low, high, min(max((d * d + r * r - R * R) / (2 * d), low), high)})
    wanted = sum(quad(chord, a, b, epsabs=1e-12, epsrel=1e-10, limit=200)[0]
                 for a, b in pairwise(ends)) if low < high else 0.0
    found = discs_in_circles(*(np.array([x]) for x in (r, R, d)))[0]
    assert found == pytest.approx(wanted, abs=1e-9 * r * r)


@settings(max_examples=40, deadline=None)
@given(sizes, places, places)
def test_four_rectangles_hold_the_disc(r, x, y):
    parts = [discs_in_rectangles(
        np.array([r]), np.array([[-9.0 if a else x, -9.0 if b else y]]),
        np.array([[x if a else 9.0, y if b else 9.0]]))[0]
        for a, b in product((True, False), repeat=2)]
    assert sum(parts) == pytest.approx(np.pi * r * r, rel=1e-13)
    assert min(parts) >= -1e-14 * r * r
