"""Adaptive integration of many functions at once, deterministic and with an estimate of its error.

A panel is integrated by two rules of Gauss and Legendre. Where they differ, it is halved. The
substitution y = a + (b - a) t² (3 - 2t) takes away the square roots with which a section of a round
body begins and ends. All panels that are left are looked at together, so that NumPy has long
arrays to work on, and sums are in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray

DEEPEST = 30  # halvings of a panel
FINE, ROUGH = (np.polynomial.legendre.leggauss(n) for n in (9, 6))
NODES = 0.5 * (1.0 + np.concatenate([FINE[0], ROUGH[0]]))
FINE_WEIGHT, ROUGH_WEIGHT = 0.5 * FINE[1], 0.5 * ROUGH[1]

Function = Callable[[IntArray, FloatArray], FloatArray]
"""Values (k,m) of the functions with numbers (k,) at places (k,)."""


class Panels(NamedTuple):
    """Pieces of the lines along which functions are integrated."""

    owner: IntArray  # (p,) number of the function
    low: FloatArray  # (p,) where the piece begins
    high: FloatArray  # (p,) and ends


def integrate(function: Function, panels: Panels, owners: int, columns: int, close: float
              ) -> tuple[FloatArray, FloatArray]:
    """Return the integrals (owners, columns), and by how much both rules differ in each (owners,).

    Panels are halved until both rules agree within ``close``. The finer rule counts, so the true
    error is far less than the difference.
    """
    total, differ = np.zeros((owners, columns)), np.zeros(owners)
    first, last = np.zeros(len(panels.owner)), np.ones(len(panels.owner))
    for depth in range(DEEPEST + 1):
        if not len(first):
            break
        fine, difference = _both_rules(function, panels, first, last, columns)
        done = (difference <= close) | (depth == DEEPEST)
        np.add.at(total, panels.owner[done], fine[done])
        np.add.at(differ, panels.owner[done], difference[done])
        left, middle = ~done, 0.5 * (first + last)
        panels = Panels(np.repeat(panels.owner[left], 2), np.repeat(panels.low[left], 2),
                        np.repeat(panels.high[left], 2))
        first, last = (_woven(first[left], middle[left]), _woven(middle[left], last[left]))
    return total, differ


def panels_between(line: IntArray, end: FloatArray, apart: float) -> Panels:
    """Return the pieces between the ends on each line; ends closer than ``apart`` may be one.

    The first and the last end of a line always count.
    """
    order = np.lexsort((end, line))
    line, end = line[order], end[order]
    is_first = np.concatenate([[True], line[1:] != line[:-1]])
    is_last = np.concatenate([line[1:] != line[:-1], [True]])
    cell = np.floor(end / apart)
    kept = is_first | is_last | np.concatenate([[True], cell[1:] != cell[:-1]])
    line, end = line[kept], end[kept]
    there = np.flatnonzero((line[1:] == line[:-1]) & (end[1:] > end[:-1]))
    return Panels(line[there], end[there], end[there + 1])


def cut(panels: Panels, widest: float) -> Panels:
    """Return panels cut into equal pieces none of which is wider than ``widest``."""
    count = np.ceil((panels.high - panels.low) / widest).astype(np.int64)
    which = np.repeat(np.arange(len(count)), count)
    step = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    width = ((panels.high - panels.low) / count)[which]
    low = panels.low[which] + step * width
    return Panels(panels.owner[which], low, low + width)


def _both_rules(function: Function, panels: Panels, first: FloatArray, last: FloatArray,
                columns: int) -> tuple[FloatArray, FloatArray]:
    """Return the integrals over parts of the panels by the finer rule, and how far it differs."""
    width = last - first
    t = first[:, None] + width[:, None] * NODES
    length = (panels.high - panels.low)[:, None]
    place = panels.low[:, None] + length * t * t * (3.0 - 2.0 * t)
    slope = length * 6.0 * t * (1.0 - t) * width[:, None]
    owner = np.repeat(panels.owner, len(NODES))
    values = function(owner, place.ravel()).reshape(*t.shape, columns) * slope[..., None]
    count = len(FINE_WEIGHT)
    fine = np.einsum("pnm,n->pm", values[:, :count], FINE_WEIGHT)
    rough = np.einsum("pnm,n->pm", values[:, count:], ROUGH_WEIGHT)
    return fine, np.abs(fine - rough).max(axis=1)


def _woven(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a0, b0, a1, b1, ..."""
    return np.column_stack((a, b)).ravel()
