"""A straight motion, and when a polynomial in its time first becomes positive.

Certificates that a facet is legal are polynomials in time (`granum.geometry.motion2`,
`granum.geometry.motion3`), tuples of their coefficients, lowest first.

Roots are isolated in the Bernstein basis, whose coefficients enclose the polynomial: where none is
positive there is no root, where they change sign once there is one. All this is rounded: what comes
of it is checked exactly in the end. Values below the rounding errors of the coefficients count as
zero, so that ties and points that stay in one plane are no events.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.compile import inner_kernel, kernel

NEVER = 2.0  # a time after the end of the motion
DEPTH = 24  # halvings of the time that is left until a sign change is found, or not
SHORTEST = 2.0**-DEPTH
BISECTIONS = 45
LOW, LENGTH = 6, 7  # places of an interval's beginning and length, behind its coefficients
SCRATCH = (DEPTH + 3, 8)  # shape of the scratch of ``first_rise``, for degrees up to 5


class Motion(NamedTuple):
    """A straight motion of n vertices, from time 0 to time 1."""

    x: NDArray[np.float64]  # (n,d) positions at the start
    v: NDArray[np.float64]  # (n,d) displacements
    w: NDArray[np.float64]  # (n,) weights at the start
    u: NDArray[np.float64]  # (n,) what is added to them


@inner_kernel
def minor(a, b, c, d):
    """Return a d - b c of four linear functions, each a tuple (value, slope)."""
    return (a[0] * d[0] - b[0] * c[0],
            a[0] * d[1] + a[1] * d[0] - (b[0] * c[1] + b[1] * c[0]),
            a[1] * d[1] - b[1] * c[1])


@inner_kernel
def _bernstein(a, start, local, b):
    """Write the polynomial of the time that is left, s in [0, 1]: its powers, its Bernstein form.

    The Bernstein coefficients of degree n are sums over C(i, k) a_k / C(n, k).
    """
    n = len(a) - 1
    for k in range(n + 1):
        local[k] = a[k]
    for i in range(n):
        for j in range(n - 1, i - 1, -1):
            local[j] += start * local[j + 1]
    scale, choices = 1.0, 1.0
    for k in range(n + 1):
        local[k] *= scale
        b[k] = local[k] / choices
        scale *= 1.0 - start
        choices *= (n - k) / (k + 1.0)
    for j in range(n - 1, -1, -1):
        for i in range(j, n):
            b[i + 1] += b[i]


@inner_kernel
def _bisect(local, n, low, high):
    """Return where a polynomial that is not positive at ``low`` and positive at ``high`` rises."""
    for _ in range(BISECTIONS):
        s = 0.5 * (low + high)
        value = local[n]
        for k in range(n - 1, -1, -1):
            value = value * s + local[k]
        if value > 0.0:
            high = s
        else:
            low = s
    return high


@inner_kernel
def _halve(b, n, row):
    """Cut the interval in a row in two (de Casteljau): its first half goes to the row above."""
    b[row, LENGTH] *= 0.5
    b[row + 1, LENGTH] = b[row, LENGTH]
    b[row + 1, LOW] = b[row, LOW]
    b[row, LOW] += b[row, LENGTH]
    for k in range(n + 1):
        b[row + 1, k] = b[row, 0]
        for i in range(n - k):
            b[row, i] = 0.5 * (b[row, i] + b[row, i + 1])


@inner_kernel
def _signs(b, n, row, noise):
    """Return how often the coefficients rise above the noise and how often they fall back."""
    rises, falls = 0, 0
    for k in range(n):
        rises += int(b[row, k] <= noise < b[row, k + 1])
        falls += int(b[row, k + 1] <= noise < b[row, k])
    return rises, falls


@kernel
def first_rise(a, noise, start, b):
    """Return when a polynomial first becomes positive after ``start``, or NEVER.

    What is zero at the start, but for rounding, is looked at just after: what falls is well, what
    rises is due at once.

    Args:
        a: its coefficients, at most six.
        noise: a bound of their rounding errors.
        start: the time now, in [0, 1].
        b: SCRATCH: a stack of intervals, the earliest on top.
    """
    if start >= 1.0:
        return NEVER
    n = len(a) - 1
    local = b[DEPTH + 2]
    _bernstein(a, start, local, b[0])
    for k in range(n + 1):
        if abs(b[0, k]) > noise:
            if b[0, k] > 0.0:
                return start
            break
    b[0, LOW], b[0, LENGTH] = 0.0, 1.0
    row = 0
    while row >= 0:
        rises, falls = _signs(b, n, row, noise)
        if rises == 1 and falls == 0:
            low = b[row, LOW]
            return start + (1.0 - start) * _bisect(local, n, low, low + b[row, LENGTH])
        if rises > 0 and b[row, LENGTH] > SHORTEST:
            _halve(b, n, row)
            row += 1
        else:
            row -= 1
    return NEVER
