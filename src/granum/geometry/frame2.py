"""What a set of points in the plane spans; see `granum.geometry.frame3` for what is then added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from granum.compile import kernel
from granum.geometry.predicates import orient2d


@kernel
def _find_base(p, order, base):
    """Write up to three points that span a triangle into ``base``; returns how many there are."""
    found = 0
    for k in range(order.size):
        v = order[k]
        a, b = base[0], base[1]
        if found == 0:
            spans = True
        elif found == 1:
            spans = p[v, 0] != p[a, 0] or p[v, 1] != p[a, 1]
        else:
            spans = orient2d(p, a, b, v) != 0
        if spans:
            base[found] = v
            found += 1
            if found == 3:
                break
    return found


def find_base(points: NDArray[np.float64], order: NDArray[np.int64]) -> list[int]:
    """Return up to three of the points (n,2) in ``order`` that span as much as all of them do."""
    base = np.zeros(3, dtype=np.int64)
    found = _find_base(points, order, base)
    return [int(v) for v in base[:found]]
