"""Integers of several 64-bit words, lowest first: a tuple whose last word carries the sign.

The compiler knows integers of any width; here kernels are given their products and sums. A word is
a number from 0 to 2^64 - 1, the last one from -2^63 to 2^63 - 1. So the product of two words fits
into two, and is one instruction of the processor or two; these products, each at its place, add up
to the whole. (Integers of so many bits could be multiplied at once; but the compiler would not know
that most of them are short.) Nothing is rounded, nor does anything branch.

In tuples all words are written as signed numbers, the lower ones modulo 2^64.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product as pairs
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from granum.compile import kernel

BITS = 64

Words = tuple[int, ...]
Build = tuple[Any, Callable[..., Any]]


def value_of(a: Words) -> int:
    """Return the integer that words make up."""
    return sum(int(word) % 2**BITS << BITS * k for k, word in enumerate(a[:-1])) + (
        int(a[-1]) << BITS * (len(a) - 1))


def words_of(x: int, number: int) -> Words:
    """Return the words of an integer, so many."""
    half = 2 ** (BITS - 1)
    return tuple(((x >> BITS * k) + half) % 2**BITS - half for k in range(number))


def product(a: Words, b: Words) -> Words:
    """Return a b, with as many words as both have together."""
    return words_of(value_of(a) * value_of(b), len(a) + len(b))


def plus(a: Words, b: Words) -> Words:
    """Return a + b, which must have as many words as each of them."""
    return words_of(value_of(a) + value_of(b), len(a))


def minus(a: Words, b: Words) -> Words:
    """Return a - b, which must have as many words as each of them."""
    return words_of(value_of(a) - value_of(b), len(a))


@kernel
def sign_of_words(a: Words) -> int:
    """Return -1, 0 or 1."""
    some = a[0]
    for word in a[1:]:
        some |= word
    return -1 if a[-1] < 0 else int(some != 0)


# What the compiler makes of them.


def _extended(builder: Any, x: Any, bits: int, is_signed: bool) -> Any:
    """Return an integer with more bits: copies of its sign, or zeros."""
    return (builder.sext if is_signed else builder.zext)(x, ir.IntType(bits))


def _shifted(builder: Any, x: Any, words: int) -> Any:
    return builder.shl(x, ir.Constant(x.type, BITS * words))


def _whole(builder: Any, words: Any, number: int) -> Any:
    """Return one integer, made of its words."""
    total = ir.Constant(ir.IntType(BITS * number), 0)
    for k in range(number):
        word = _extended(builder, builder.extract_value(words, k), BITS * number, False)
        total = builder.or_(total, _shifted(builder, word, k))
    return total


def _cut(context: Any, builder: Any, x: Any, number: int) -> Any:
    """Return the lowest words of one integer."""
    words = [builder.trunc(builder.lshr(x, ir.Constant(x.type, BITS * k)), ir.IntType(BITS))
             for k in range(number)]
    return context.make_tuple(builder, types.UniTuple(types.int64, number), words)


@intrinsic
def _product(_context: Any, a: Any, b: Any) -> Build:
    number, last_a, last_b = len(a) + len(b), len(a) - 1, len(b) - 1

    def build(context, builder, _signature, values):
        bits = BITS * (number + 1)  # more than any part has, as it must be to be extended
        total = ir.Constant(ir.IntType(bits), 0)
        for i, j in pairs(range(last_a + 1), range(last_b + 1)):
            x = _extended(builder, builder.extract_value(values[0], i), 2 * BITS, i == last_a)
            y = _extended(builder, builder.extract_value(values[1], j), 2 * BITS, j == last_b)
            part = _extended(builder, builder.mul(x, y), bits, i == last_a or j == last_b)
            total = builder.add(total, _shifted(builder, part, i + j))
        return _cut(context, builder, total, number)

    return types.UniTuple(types.int64, number)(a, b), build


@intrinsic
def _plus(_context: Any, a: Any, b: Any) -> Build:
    def build(context, builder, _signature, values):
        x, y = (_whole(builder, words, len(a)) for words in values)
        return _cut(context, builder, builder.add(x, y), len(a))

    return a(a, b), build


@intrinsic
def _minus(_context: Any, a: Any, b: Any) -> Build:
    def build(context, builder, _signature, values):
        x, y = (_whole(builder, words, len(a)) for words in values)
        return _cut(context, builder, builder.sub(x, y), len(a))

    return a(a, b), build


def _in_kernels(name: Callable[..., Words], made: Any) -> None:
    """Let kernels call an intrinsic by the name of what it is in Python."""
    def choose(_a: Any, _b: Any) -> Callable[..., Any]:
        def call(_a, _b):
            return made(_a, _b)

        return call

    overload(name, strict=False)(choose)


for _name, _made in ((product, _product), (plus, _plus), (minus, _minus)):
    _in_kernels(_name, _made)
