"""Rows of four numbers in flat memory, each read and written at once.

The compiler makes one instruction of a row only if it is read whole before anything is written,
because two arrays might share memory; hence these functions instead of loops. It needs no
multiplication to find a row if the array is flat and the place q of its first number is unsigned.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

ONE, TWO, THREE, FOUR, EIGHT = (np.uintp(k) for k in (1, 2, 3, 4, 8))
WIDEST = np.uintp(8)  # numbers that a vector instruction takes at a time, at most


@register_jitable
def filled(lanes):
    """Return the number of lanes of a batch, and of those after them that fill the last vector.

    What is left over from a loop over whole vectors is done one by one, and takes as long as all
    the rest. So loops over a batch go on to the end of the last vector; nobody reads what they find
    there.
    """
    return (lanes + (WIDEST - ONE)) & ~(WIDEST - ONE)


@register_jitable
def flat(M):
    """Return the same memory as one row of numbers."""
    return M.reshape(M.size)


@register_jitable
def read_row(m, q):
    """Return the four numbers from place q on."""
    return m[q], m[q + ONE], m[q + TWO], m[q + THREE]


@register_jitable
def write_row(m, q, x, y, z, w):
    """Write four numbers from place q on."""
    m[q], m[q + ONE], m[q + TWO], m[q + THREE] = x, y, z, w


@register_jitable
def take_row(m, q):
    """Return the four numbers from place q on, and leave zeros."""
    row = read_row(m, q)
    write_row(m, q, 0.0, 0.0, 0.0, 0.0)
    return row


@register_jitable
def add_to_row(m, q, x, y, z, w):
    """Add four numbers from place q on."""
    a, b, c, d = read_row(m, q)
    write_row(m, q, a + x, b + y, c + z, d + w)
