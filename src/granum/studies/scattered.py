"""Rods scattered in an upright cylinder: places and directions by chance, none touching another.

Random sequential addition (Feder, J. Theor. Biol. 87 (1980) 237), from the floor up: a rod is drawn
about a height that rises from rod to rod, and drawn again until it is clear of the wall and of all
rods before it. So it has only those a little below and above it to mind. All directions are equally
likely, but for what the wall and the rods before leave.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from granum.checks import FloatArray
from granum.shapes.turning import random_turns, turned

TRIES = 64  # rods drawn at once
CLEAR = 1e-3  # gap that is left between any two, in their radius
CREEP = 0.02  # by which the height rises when no rod of a draw fits, in lengths of a rod
DIGITS = 8  # of places [m] and orientations: short enough to be read, and finer than the gaps


@cache
def scattered(count: int, length: float, radius: float, width: float, share: float, seed: int = 1
              ) -> tuple[FloatArray, FloatArray]:
    """Return places (n,3) [m] and orientations (n,4) of rods that lie along x before they turn.

    Args:
        count: of the rods.
        length: of their shafts, ends excluded [m].
        radius: of the rods [m].
        width: diameter of the cylinder about z, whose floor is at z = 0 [m].
        share: of the volume up to the highest rod that they shall fill; up to about a quarter.
        seed: of chance.
    """
    rng = np.random.default_rng(seed)
    volume = math.pi * radius**2 * (length + 4.0 / 3.0 * radius)
    rise = volume / (share * math.pi * (0.5 * width) ** 2)  # of the height, from rod to rod
    whole = length + 2.0 * radius
    places, turns = np.zeros((count, 3)), np.zeros((count, 4))
    shafts = np.zeros((count, 3))
    height = 0.5 * whole
    for k in range(count):
        height += rise
        while True:
            at, turn = _drawn(rng, height, whole, width)
            shaft = 0.5 * length * turned(turn, np.array([1.0, 0.0, 0.0]))
            fits = _inside(at, shaft, radius, width)
            near = np.flatnonzero(np.abs(places[:k, 2] - height) < 2.0 * whole)
            gaps = shaft_distances(at[fits], shaft[fits], places[near], shafts[near])
            free = np.flatnonzero(fits)[(gaps > (2.0 + CLEAR) * radius).all(axis=1)]
            if free.size:
                break
            height += CREEP * whole
        places[k], turns[k], shafts[k] = at[free[0]], turn[free[0]], shaft[free[0]]
    return places, turns


def _drawn(rng: np.random.Generator, height: float, whole: float, width: float
           ) -> tuple[FloatArray, FloatArray]:
    """Return places and orientations of some rods, about a height [m]."""
    low, high = (-0.5 * width, -0.5 * width, height - 0.5 * whole), (
        0.5 * width, 0.5 * width, height + 0.5 * whole)
    return (rng.uniform(low, high, (TRIES, 3)).round(DIGITS),
            random_turns(rng, TRIES, 3).round(DIGITS))


def _inside(at: FloatArray, shaft: FloatArray, radius: float, width: float) -> np.ndarray:
    """Tell which rods are clear of floor and wall, (m,)."""
    ends = np.stack([at - shaft, at + shaft])
    reach = np.hypot(ends[..., 0], ends[..., 1]).max(axis=0) + (1.0 + CLEAR) * radius
    return np.asarray((reach < 0.5 * width) & (ends[..., 2].min(axis=0) > (1.0 + CLEAR) * radius))


def shaft_distances(p: FloatArray, u: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
    """Return the distances of segments p ± u from segments q ± v, (m,n) [m].

    The least |p + s u - q - t v| over s and t from -1 to 1: s where the lines are closest, t that
    goes with it, and s again where t had to be cut (C. Ericson, Real-Time Collision Detection,
    5.1.9).

    Args:
        p: (m,3) middles [m].
        u: (m,3) halves, from the middle to an end [m].
        q: (n,3).
        v: (n,3).
    """
    w = p[:, None] - q
    A, C, B = (u * u).sum(axis=1)[:, None], (v * v).sum(axis=1), u @ v.T
    D, E = (w * u[:, None]).sum(axis=2), (w * v).sum(axis=2)
    across = A * C - B * B
    is_across = across > 1e-12 * A * C
    s = np.where(is_across, (B * E - C * D) / np.where(is_across, across, 1.0), 0.0)
    t = np.clip((B * np.clip(s, -1.0, 1.0) + E) / C, -1.0, 1.0)
    s = np.clip((B * t - D) / A, -1.0, 1.0)
    return np.asarray(np.linalg.norm(
        w + s[..., None] * u[:, None] - t[..., None] * v, axis=2))
