"""What covers must fulfil so that a triangulation of their spheres misses no pair of grains.

See `covers` for the conditions by their numbers, and for where they come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray
from granum.errors import InputError


class Spheres(NamedTuple):
    """Spheres that cover a kind of grains: what the conditions are about."""

    name: str  # how messages call the kind
    radii: FloatArray  # (k,) [m]
    depths: FloatArray  # (k,) of their centres in the grain [m]


def refuse_overlapping(points: FloatArray, radii: FloatArray, whose: str) -> None:
    """Refuse spheres of one grain, one of which takes the other's centre: condition (1)."""
    square = ((points[:, None] - points) ** 2).sum(axis=2)
    differ = np.abs(radii[:, None] ** 2 - radii**2)
    np.fill_diagonal(square, np.inf)
    bad = np.argwhere(square <= differ)
    if len(bad):
        i, j = (int(k) for k in bad[0])
        message = (f"spheres {i} and {j} in the cover {whose} are too near each other for their "
                   f"radii, {radii[i]:.4g} m and {radii[j]:.4g} m: their centres must be more than "
                   f"√|R_i² - R_j²| = {np.sqrt(differ[i, j]):.4g} m apart, and are "
                   f"{np.sqrt(square[i, j]):.4g} m. Make the radii more alike, or leave one out")
        raise InputError(message)


def largest_overlap(kinds: Sequence[Spheres]) -> float:
    """Return ξ, by how much grains may overlap with no pair missed: condition (3) [m].

    Negative if grains must even keep a distance. Grains of one kind meet each other, too.
    """
    return _tightest(kinds)[0]


def largest_skin(kinds: Sequence[Spheres], overlap: float) -> float:
    """Return how much may be added to all radii while grains overlap by so much: (3) [m]."""
    room = largest_overlap(kinds) - overlap
    if room <= 0.0:
        return room
    low, high = 0.0, room
    for _ in range(60):
        middle = 0.5 * (low + high)
        thicker = [kind._replace(radii=kind.radii + middle) for kind in kinds]
        low, high = (middle, high) if largest_overlap(thicker) > overlap else (low, middle)
    return low


def refuse_incongruous(kinds: Sequence[Spheres], overlap: float) -> None:
    """Refuse covers with which grains that overlap by so much could be missed: condition (3)."""
    allowed, (p, i), (q, j) = _tightest(kinds)
    if allowed <= overlap:
        first, second = kinds[p], kinds[q]
        message = (f"sphere {i} in the cover of {first.name} (radius {first.radii[i]:.4g} m, its "
                   f"centre {first.depths[i]:.4g} m deep) and sphere {j} in that of {second.name} "
                   f"({second.radii[j]:.4g} m, {second.depths[j]:.4g} m) are too large beside each "
                   f"other: grains that overlap by {overlap:.3g} m could be missed; none are "
                   f"{_room(allowed)}. Cover with more and smaller spheres, or put their centres "
                   "deeper")
        raise InputError(message)


def _room(allowed: float) -> str:
    if allowed > 0.0:
        return f"up to {allowed:.3g} m"
    return f"if grains stay {-allowed:.3g} m apart"


def _tightest(kinds: Sequence[Spheres]) -> tuple[float, tuple[int, int], tuple[int, int]]:
    """Return the least overlap that (3) allows any pair, and kind and sphere of the two."""
    found = (np.inf, (0, 0), (0, 0))
    for p, first in enumerate(kinds):
        for q, second in enumerate(kinds[p:], start=p):
            allowed = (first.depths[:, None] + second.depths
                       - np.hypot(first.radii[:, None], second.radii))
            i, j = np.unravel_index(int(allowed.argmin()), allowed.shape)
            if allowed[i, j] < found[0]:
                found = float(allowed[i, j]), (p, int(i)), (q, int(j))
    return found
