"""Integers of several words: what kernels make of them, against integers of Python."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.compile import kernel
from granum.geometry import words
from granum.geometry.words import sign_of_words, value_of, words_of


@kernel
def product(a, b):
    return words.product(a, b)


@kernel
def plus(a, b):
    return words.plus(a, b)


@kernel
def minus(a, b):
    return words.minus(a, b)


def integers(number):
    """Return integers of so many words: any, and those at which words begin and end."""
    half = 2 ** (64 * number - 1)
    edges = {s * 2**k + d for k in range(64 * number) for s in (1, -1) for d in (-1, 0, 1)}
    return st.one_of(st.integers(-half, half - 1),
                     st.sampled_from(sorted(x for x in edges if -half <= x < half)))


@pytest.mark.parametrize("number", [2, 3, 5])
@given(data=st.data())
def test_words_are_those_of_an_integer(number, data):
    x = data.draw(integers(number))
    a = words_of(x, number)
    assert len(a) == number
    assert all(-(2**63) <= word < 2**63 for word in a)
    assert value_of(a) == x
    assert sign_of_words(a) == sign_of_words.py_func(a) == (x > 0) - (x < 0)


@pytest.mark.parametrize("numbers", [(1, 1), (2, 1), (2, 2), (2, 3)])
@given(data=st.data())
def test_products_are_exact(numbers, data):
    x, y = (data.draw(integers(number)) for number in numbers)
    a, b = words_of(x, numbers[0]), words_of(y, numbers[1])
    assert product(a, b) == words.product(a, b) == words_of(x * y, sum(numbers))


@pytest.mark.parametrize("number", [2, 3, 4, 5])
@given(data=st.data())
def test_sums_are_exact(number, data):
    x, y = (data.draw(integers(number)) // 2 for _ in range(2))
    a, b = words_of(x, number), words_of(y, number)
    assert plus(a, b) == words.plus(a, b) == words_of(x + y, number)
    assert minus(a, b) == words.minus(a, b) == words_of(x - y, number)
