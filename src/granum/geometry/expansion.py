"""Exact sums and products of doubles.

An *error-free transformation* returns a rounded result and its exact rounding error. An *expansion*
is a number written as a sum of doubles that is not evaluated: its pieces, smallest first, none zero
and no two with bits in the same place, so that the last one has the sign of all. Expansions live in
a scratch array s, each given by where it begins and how many pieces it has; a function writes a new
one at ``out`` and returns how many pieces that has, at most what its docstring says. Nothing here
may be contracted or reordered by the compiler: ``kernel`` sees to that.

Knuth, The Art of Computer Programming, vol. 2, sect. 4.2.2.
Shewchuk, Discrete Comput. Geom. 18 (1997) 305, whose theorems are named below. All functions keep
expansions *strongly nonoverlapping* (his sect. 2.4): where pieces touch, they are single bits and
touch in pairs only, so that of any three bits in a row at most two are pieces of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numba.extending import intrinsic, overload

from granum.checks import FloatArray
from granum.compile import inner_kernel, kernel, uncounted


def fma(a: float, b: float, c: float) -> float:
    """Return a b + c, rounded once; for kernels one instruction, or a call of the C library."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))


@intrinsic
def _fma(_context: Any, a: Any, b: Any, c: Any) -> tuple[Any, Callable[..., Any]]:
    return c(a, b, c), lambda _, builder, __, values: builder.fma(*values)


@overload(fma, strict=False)
def _fma_in_kernels(a: Any, b: Any, c: Any) -> Callable[..., Any]:
    def call(a, b, c):
        return _fma(a, b, c)

    return call


@uncounted
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return x = fl(a + b) and y with x + y = a + b (theorem 7)."""
    x = a + b
    v = x - a
    return x, (a - (x - v)) + (b - v)


@inner_kernel
def fast_two_sum(a: float, b: float) -> tuple[float, float]:
    """Return the same as `two_sum` for abs(a) >= abs(b), or a = 0 (theorem 6)."""
    x = a + b
    return x, b - (x - a)


@uncounted
def two_difference(a: float, b: float) -> tuple[float, float]:
    """Return x = fl(a - b) and y with x + y = a - b (theorem 7)."""
    x = a - b
    v = a - x
    return x, (a - (x + v)) + (v - b)


@uncounted
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return x = fl(a b) and y with x + y = a b."""
    x = a * b
    return x, fma(a, b, -x)


@kernel
def difference(s: FloatArray, a: float, b: float, out: int) -> int:
    """Write the difference of two doubles: 2 pieces."""
    x, y = two_difference(a, b)
    s[out] = y
    n = int(y != 0.0)
    s[out + n] = x
    return n + int(x != 0.0)


@kernel
def add(s: FloatArray, a: int, na: int, b: int, nb: int, sign: float, out: int) -> int:
    """Write a + b or, with sign -1, a - b: na + nb pieces, but room for one (theorem 13)."""
    i = j = n = 0
    q = 0.0
    while i < na or j < nb:
        if j >= nb or (i < na and abs(s[a + i]) < abs(s[b + j])):
            q, r = two_sum(q, s[a + i])
            i += 1
        else:
            q, r = two_sum(q, sign * s[b + j])
            j += 1
        if r != 0.0:
            s[out + n] = r
            n += 1
    s[out + n] = q
    return n + int(q != 0.0)


@kernel
def scale(s: FloatArray, a: int, na: int, b: float, out: int) -> int:
    """Write a times the double b: 2 na pieces, but room for one (theorem 19)."""
    n = 0
    q = 0.0
    for i in range(na):
        t, u = two_product(s[a + i], b)
        v, r = two_sum(q, u)
        if r != 0.0:
            s[out + n] = r
            n += 1
        q, r = fast_two_sum(t, v)
        if r != 0.0:
            s[out + n] = r
            n += 1
    s[out + n] = q
    return n + int(q != 0.0)


@inner_kernel
def compress(s: FloatArray, a: int, na: int) -> int:
    """Rewrite a in its place with as few pieces as it needs (theorem 23); na > 0."""
    low = a + na - 1
    q = s[low]
    for i in range(a + na - 2, a - 1, -1):
        x, r = fast_two_sum(q, s[i])
        q = x
        if r != 0.0:
            s[low] = x
            low -= 1
            q = r
    n = 0
    for i in range(low + 1, a + na):
        q, r = fast_two_sum(s[i], q)
        if r != 0.0:
            s[a + n] = r
            n += 1
    s[a + n] = q
    return n + 1


@inner_kernel
def sign_of(s: FloatArray, a: int, na: int) -> int:
    """Return the sign of a."""
    if na == 0:
        return 0
    return 1 if s[a + na - 1] > 0.0 else -1
