"""Rows of four numbers, each read and written at once: the compiler makes one instruction of it.

It can do so only if a row is read whole before anything is written, because two arrays might share
memory; hence these functions instead of loops.
"""

from __future__ import annotations

from numba.extending import register_jitable


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
