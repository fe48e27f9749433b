"""Solids with hollows that the tests of rounding look at."""

from __future__ import annotations

import itertools

import numpy as np
from swept_samples import ELL, prism

PLUS = [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (0, 2), (0, 1),
        (1, 1)]


def blocks(cells):
    """Vertices and square faces of the solid that unit cubes make, many of them in one plane."""
    number, faces = {}, []
    for cell, axis, side in itertools.product(sorted(cells), range(3), (0, 1)):
        step = np.eye(3, dtype=int)
        if tuple(np.add(cell, (2 * side - 1) * step[axis]).tolist()) in cells:
            continue
        u, v = step[(axis + 1) % 3], step[(axis + 2) % 3]
        low = np.add(cell, side * step[axis])
        square = [number.setdefault(tuple(p.tolist()), len(number))
                  for p in (low, low + u, low + u + v, low + v)]
        faces.append(square if side else square[::-1])
    return np.array(list(number), dtype=float), faces


CUBES = set(itertools.product(range(3), repeat=3))
SOLIDS = {
    "L-block": prism(ELL, 1.0),
    "plus": prism(PLUS, 1.0),
    "notch through": blocks(CUBES - {(1, k, 2) for k in range(3)}),
    "corner cut out": blocks(CUBES - {(2, 2, 2)}),
    "pocket": blocks(CUBES - {(1, 1, 2)}),
    "hole through": blocks(CUBES - {(1, 1, k) for k in range(3)}),
}


PENTAGRAM = 2.0 * np.cos(0.4 * np.pi) / np.cos(0.2 * np.pi)


def star_pyramid(tip, inner=1.2):
    """A pyramid over a regular star of five points; ten planes meet at its tip.

    Of a pentagram two sides each are on one line, so that there are five planes.
    """
    angle = 2.0 * np.pi * np.arange(10) / 10
    reach = np.where(np.arange(10) % 2 == 0, 2.0, inner)
    base = np.column_stack((reach * np.cos(angle), reach * np.sin(angle), np.zeros(10)))
    sides = [(k, (k + 1) % 10, 10) for k in range(10)]
    return np.vstack((base, [tip])), [tuple(range(10))[::-1], *sides]
