"""Shapes that several tests look at."""

from __future__ import annotations

import numpy as np

import granum as gr

ELL = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
"""An L, in the plane."""


def prism(outline, height):
    """Vertices and faces of a prism over an outline that goes counter-clockwise."""
    n = len(outline)
    vertices = [(x, y, z) for z in (0, height) for x, y in outline]
    sides = [(k, (k + 1) % n, (k + 1) % n + n, k + n) for k in range(n)]
    return vertices, [tuple(range(n))[::-1], tuple(range(n, 2 * n)), *sides]


def ell(radius, height=1.0):
    """A solid L."""
    return gr.SpheroPolyhedron(*prism(ELL, height), radius)


def cross(radius, half=1.0):
    """Three rods through the origin, along the axes."""
    tips = [tuple(sign * half * row) for row in np.eye(3) for sign in (1, -1)]
    return gr.SpheroPolyhedron(tips, (), radius, edges=[(0, 1), (2, 3), (4, 5)])


def rounded_box(sides, r):
    """Volume and ∫ x² dV, ∫ y² dV, ∫ z² dV of a box swept by a ball, about its middle.

    A slice beyond the flat face, at t from it, is a rectangle swept by ρ = √(r² - t²).
    """
    a, b, c = (0.5 * s for s in sides)
    volume = 8 * a * b * c + 8 * r * (a * b + b * c + c * a) + 2 * np.pi * r**2 * (a + b + c) + (
        4 / 3 * np.pi * r**3)
    seconds = []
    for x, y, z in ((a, b, c), (b, c, a), (c, a, b)):
        flat, rim = 4 * y * z, 4 * (y + z)
        middle = 2 * x**3 / 3 * (flat + rim * r + np.pi * r**2)
        ends = flat * (((x + r) ** 3 - x**3) / 3)
        ends += rim * (x**2 * np.pi * r**2 / 4 + 2 * x * r**3 / 3 + np.pi * r**4 / 16)
        ends += np.pi * (x**2 * 2 * r**3 / 3 + 2 * x * r**4 / 4 + 2 * r**5 / 15)
        seconds.append(middle + 2 * ends)
    return volume, np.array(seconds)
