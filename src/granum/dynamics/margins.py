"""Margins: how far each grain may go before the candidates are found anew.

Most grains of a packing hardly move; a few fly. One margin for all would have to be wide enough for
the fastest, and every slow pair within it would be tested in vain at every step. So each grain gets
the way that it will go in the time to the next update, as its velocity and acceleration have it,
and all get a common least margin for what cannot be foreseen. Results do not depend on margins.

The time to the next update is where its cost, shared by the steps until then, equals that of the
candidates that longer margins bring: with u the mean way of a step in radii, T steps add T u radii
of margin, so the cost U / T + c T u of a step is least at T = sqrt(U / (c u)). Grains that start
from rest have no u, but a mean acceleration a in radii for a step²: the cost U / T + c T² a / 2 is
least at T = cbrt(U / (c a)). The shorter of the two times counts.

Margins are what the literature calls a skin or Verlet distance, for the grid and the triangulation
alike. They adapt in two ways: by what is foreseen (`make_margins`), and by what happened, for lists
that ended too soon or lasted too long widen or narrow the least margin (`adapted`). Neither goes
beyond what the search can promise: at most ``thickest`` smallest radii (`neighbours.Finder`), which
is the skin s of the triangulation, for which theorem 4 of Pournin holds.
"""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray
from granum.compile import kernel

UPDATE = 16.0  # cost of an update over that of tests, a step, for a margin of one radius (measured)
SHORTEST, LONGEST = 10.0, 1000.0  # steps that margins are made for
SPARE = 1.25  # of the way foreseen
THINNEST = 0.01  # least margin, in smallest radii
BALANCE = 22.0  # steps between two updates times the least margin in radii: see `adapted`


@kernel
def make_margins(
    V: FloatArray, A: FloatArray, dt: float, smallest: float, least: float, most: float,
    margin: FloatArray, share: FloatArray,
) -> float:
    """Write each grain's margin [m] and the inverse of its square [1/m2].

    Returns the number of steps that they are made for.

    Args:
        V: (n,4) velocities.
        A: (n,4) accelerations.
        dt: time step [s].
        smallest: smallest radius [m].
        least: least margin [m].
        most: longest margin [m].
        margin: (n,) written.
        share: (n,) written.
    """
    n = V.shape[0]
    ways = bends = 0.0
    for i in range(n):
        margin[i] = np.sqrt(V[i, 0] ** 2 + V[i, 1] ** 2 + V[i, 2] ** 2) * dt
        share[i] = np.sqrt(A[i, 0] ** 2 + A[i, 1] ** 2 + A[i, 2] ** 2) * dt * dt
        ways += margin[i]
        bends += share[i]
    u, a = max(ways / (n * smallest), 1e-30), max(bends / (n * smallest), 1e-30)
    steps = min(np.sqrt(UPDATE / u), np.cbrt(UPDATE / a))
    steps = min(max(steps, SHORTEST), LONGEST)
    for i in range(n):
        way = SPARE * steps * (margin[i] + 0.5 * steps * share[i])
        margin[i] = min(max(way, least), most)
        share[i] = 1.0 / (margin[i] * margin[i])
    return steps


def adapted(least: float, lasted: int, smallest: float, thickest: float) -> float:
    """Return the least margin [m] for the next list, after one that lasted so many steps.

    It is best where updates cost what the tests of pairs that do not touch do. A list lasts longer
    in proportion to its margin, so the factor to that balance is a root; half of it or double is
    as far as one list's word is taken. ``thickest`` is the longest margin in smallest radii.
    """
    thickness = least / smallest
    factor = np.sqrt(BALANCE / (max(lasted, 1) * thickness))
    thickness *= float(min(max(factor, 0.5), 2.0))
    return min(max(thickness, THINNEST), thickest) * smallest
