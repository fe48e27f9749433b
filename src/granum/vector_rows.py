"""Rows of four numbers, each read and written at once: the compiler makes one instruction of it.

It can do so only if a row is read whole before anything is written, because two arrays might share
memory; hence these functions instead of loops.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

ONE, TWO, THREE = np.uintp(1), np.uintp(2), np.uintp(3)


@register_jitable(inline="always")
def read_row(M, i, begin=0):
    """Return four numbers of row i."""
    return M[i, begin], M[i, begin + 1], M[i, begin + 2], M[i, begin + 3]


@register_jitable(inline="always")
def write_row(M, i, begin, x, y, z, w):
    """Write four numbers into row i."""
    M[i, begin], M[i, begin + 1], M[i, begin + 2], M[i, begin + 3] = x, y, z, w


@register_jitable(inline="always")
def add_to_row(M, i, begin, x, y, z, w):
    """Add four numbers to row i."""
    a, b, c, d = read_row(M, i, begin)
    write_row(M, i, begin, a + x, b + y, c + z, d + w)


@register_jitable(inline="always")
def flat(M):
    return M.reshape(M.size)


@register_jitable(inline="always")
def read_four(m, q):
    """Return four numbers from place q on."""
    return m[q], m[q + ONE], m[q + TWO], m[q + THREE]


@register_jitable(inline="always")
def write_four(m, q, x, y, z, w):
    """Write four numbers."""
    m[q], m[q + ONE], m[q + TWO], m[q + THREE] = x, y, z, w


@register_jitable(inline="always")
def add_four(m, q, x, y, z, w):
    """Add four numbers."""
    a, b, c, d = read_four(m, q)
    write_four(m, q, a + x, b + y, c + z, d + w)
