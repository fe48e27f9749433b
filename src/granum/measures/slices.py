"""Volumes of balls cut by boxes and cylinders: exact areas, integrated in one direction.

A slice of a ball is a disc, and what a rectangle cuts out of a disc is a closed form: of the
quadrant X < x, Y < y, whose corner lies in the disc of radius ρ,

    πρ²/4 + g(x) + g(y) + xy,    g(x) = (x √(ρ² - x²) + ρ² asin(x / ρ)) / 2

In a cylinder of radius R whose axis passes at the distance d, a round shell of radius ρ about the
ball's own axis has the angle 2 φ, with

    tan² φ/2 = (s - d)(s - ρ) / (s (s - R)),    2 s = d + ρ + R

and the height of the ball there, 2 √(r² - ρ²), less what the ends of the cylinder cut off. Between
the places where the border meets an edge the integrand is analytic, and at these places it goes
like a square root, which x = a + (b - a) t² (3 - 2 t) takes away; so Gauss-Legendre quadrature
converges fast. Where two rules still differ by more than rounding the interval is halved.

For a ball and an endless cylinder there is a closed form with elliptic integrals (Lamarche and
Leroy, Comput. Phys. Commun. 59 (1990) 359, used by Ferrez 2001, 4.6). It loses five digits where
the cylinder is thirty times as wide as the ball; shells lose none.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from granum.checks import FloatArray, IntArray

FINE = 1e-14  # difference of the two rules, in cubed radii, that is rounding
DEEPEST = 40  # halvings of an interval
ROUGH_RULE, FINE_RULE = (np.polynomial.legendre.leggauss(n) for n in (14, 20))

Integrand = Callable[[IntArray, FloatArray], FloatArray]


def balls_below(r: FloatArray, height: FloatArray) -> FloatArray:
    """Return the volume of balls below a height above their centres [m3]; Ferrez 2001 (4.4)."""
    h = np.clip(height + r, 0.0, 2.0 * r)
    return np.asarray(np.pi / 3.0 * h * h * (3.0 * r - h))


def balls_in_boxes(r: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the volume of balls in boxes whose corners (n,3) are seen from their centres [m3]."""
    first, last = (np.clip(corner[:, 2], -r, r) for corner in (low, high))
    corners = [np.hypot(x[:, 0], y[:, 1]) for x in (low, high) for y in (low, high)]
    met = np.abs(np.column_stack([low[:, :2], high[:, :2], *corners]))
    z = np.sqrt(np.maximum((r[:, None] - met) * (r[:, None] + met), 0.0))
    heights = _between(first, last, np.concatenate([-z, z], axis=1))

    def area(body: IntArray, z: FloatArray) -> FloatArray:
        rho = np.sqrt(np.maximum(r[body] ** 2 - z * z, 0.0))
        return discs_in_rectangles(rho, low[body, :2], high[body, :2])

    return _integrals(area, heights, r**3)


def balls_in_cylinders(r: FloatArray, d: FloatArray, R: FloatArray, low: FloatArray,
                       high: FloatArray) -> FloatArray:
    """Return the volume of balls in cylinders [m3].

    Args:
        r: (n,) radii of the balls [m].
        d: (n,) distances of their centres from the axis [m].
        R: (n,) radii of the cylinders [m].
        low: (n,) lower ends of the cylinders, seen from the balls' centres [m]; may be -inf.
        high: (n,) upper ends.
    """
    first, last = (np.clip(end, -r, r) for end in (low, high))
    at_ends = np.sqrt((r - first) * (r + first)), np.sqrt((r - last) * (r + last))
    radii = _between(np.zeros(len(r)), r, np.column_stack([np.abs(R - d), R + d, *at_ends]))

    def shell(body: IntArray, rho: FloatArray) -> FloatArray:
        half = np.sqrt(np.maximum(r[body] ** 2 - rho * rho, 0.0))
        height = np.minimum(last[body], half) - np.maximum(first[body], -half)
        return 2.0 * rho * shell_angle(rho, R[body], d[body]) * np.maximum(height, 0.0)

    return _integrals(shell, radii, r**3)


def discs_in_rectangles(rho: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the area of discs about the origin in rectangles [m2]; corners (..., 2) [m]."""
    (x0, y0), (x1, y1) = (np.moveaxis(corner, -1, 0) for corner in (low, high))
    return np.asarray(_in_quadrant(rho, x1, y1) - _in_quadrant(rho, x0, y1)
                      - _in_quadrant(rho, x1, y0) + _in_quadrant(rho, x0, y0))


def discs_in_circles(rho: FloatArray, R: FloatArray, d: FloatArray) -> FloatArray:
    """Return the area that discs of radii rho and R, at distance d, have in common [m2]."""
    alpha, beta = shell_angle(rho, R, d), shell_angle(R, rho, d)
    lens = (rho**2 * (alpha - np.sin(alpha) * np.cos(alpha))
            + R**2 * (beta - np.sin(beta) * np.cos(beta)))
    return np.where(d <= np.abs(R - rho), np.pi * np.minimum(rho, R) ** 2, lens)


def shell_angle(rho: FloatArray, R: FloatArray, d: FloatArray) -> FloatArray:
    """Return the half angle of circles of radius rho within discs of radius R at distance d."""
    s = 0.5 * (d + rho + R)
    apart, around, within = s - d, s - rho, s - R  # half of how far the circles are from tangency
    is_crossing = (apart > 0.0) & (around > 0.0) & (within > 0.0)
    angle = 2.0 * np.arctan2(np.sqrt(np.where(is_crossing, apart * around, 0.0)),
                             np.sqrt(np.where(is_crossing, s * within, 1.0)))
    is_inside = (within <= 0.0) & (apart > 0.0)
    return np.where(is_crossing, angle, np.where(is_inside, np.pi, 0.0))


def _in_quadrant(rho: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the area of discs about the origin where X < x and Y < y [m2]."""
    u, v = np.clip(x, -rho, rho), np.clip(y, -rho, rho)
    g, h = _half_segment(rho, u), _half_segment(rho, v)
    half = 0.5 * np.pi * rho**2
    corner_inside = 0.5 * half + g + h + u * v
    corner_outside = np.where(u < 0.0, np.where(v < 0.0, 0.0, half + 2.0 * g),
                              np.where(v < 0.0, half + 2.0 * h, 2.0 * (g + h)))
    return np.where(u * u + v * v <= rho * rho, corner_inside, corner_outside)


def _half_segment(rho: FloatArray, x: FloatArray) -> FloatArray:
    """Return the area of a disc where 0 < X < x and Y > 0, signed as x [m2]."""
    root = np.sqrt(np.maximum(rho * rho - x * x, 0.0))
    return np.asarray(0.5 * (x * root + rho * rho * np.arctan2(x, root)))


def _between(first: FloatArray, last: FloatArray, places: FloatArray) -> FloatArray:
    """Return ``first``, ``places`` (n,m) as far as they are between, and ``last``, in order."""
    inner = np.clip(places, first[:, None], last[:, None])
    return np.sort(np.column_stack([first, inner, last]), axis=1)


def _integrals(integrand: Integrand, places: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the integrals for all bodies, (n,).

    Args:
        integrand: function of the numbers of bodies (k,1) and of places (k,m).
        places: (n,m) ascending, between which it is analytic.
        scale: (n,) size of each body, of which the error is a share.
    """
    total = np.zeros(len(places))
    body = np.repeat(np.arange(len(places)), places.shape[1] - 1)
    a, b = places[:, :-1].ravel(), places[:, 1:].ravel()
    for halvings in range(DEEPEST + 1):
        there = b > a
        body, a, b = body[there], a[there], b[there]
        if not len(body):
            break
        rough, fine = (_by_rule(integrand, body, a, b, *rule) for rule in (ROUGH_RULE, FINE_RULE))
        is_fine = (np.abs(fine - rough) <= FINE * scale[body]) | (halvings == DEEPEST)
        total += np.bincount(body[is_fine], fine[is_fine], len(total))
        body, a, b = body[~is_fine], a[~is_fine], b[~is_fine]
        middle = 0.5 * (a + b)
        body = np.concatenate([body, body])
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
    return total


def _by_rule(integrand: Integrand, body: IntArray, a: FloatArray, b: FloatArray, nodes: FloatArray,
             weights: FloatArray) -> FloatArray:
    """Return the integrals over intervals from a to b by one rule, (k,)."""
    t = 0.5 * (1.0 + nodes)
    x = a[:, None] + (b - a)[:, None] * (t * t * (3.0 - 2.0 * t))
    found = (integrand(body[:, None], x) * (3.0 * t * (1.0 - t) * weights)).sum(axis=1)
    return np.asarray(found * (b - a))
