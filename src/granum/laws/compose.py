"""Functions of a law and its add-ons made into one, as kernels take it.

A composed function is a closure over the functions of its parts. It carries them in ``parts``, so
that an edit of any of them is seen by the cache of compiled code, and the same parts give the same
function, so that nothing is compiled twice. Composed functions are left to the compiler to inline:
asked to inline functions within functions, Numba takes twice as long with every level.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from numba.extending import register_jitable

from granum.contact.model import Touch


class Part(NamedTuple):
    """A function of one part, and where its coefficients and its state stand among all."""

    function: Callable[..., Any] | None
    p_first: int
    p_last: int
    s_first: int
    s_last: int


@cache
def force(base: Part, addons: tuple[Part, ...], alone: bool, tells: bool) -> Callable[..., Any]:
    """Return the force of a law and its add-ons.

    Args:
        base: the law.
        addons: the add-ons, with None for those without a force.
        alone: whether the law is kept from seeing gaps.
        tells: whether the law's own normal force follows the state that is returned, where the
            couple that is called next finds it.
    """
    inner = _begin_force(base, alone)
    for part in addons:
        inner = _add_force(inner, part)
    every = inner

    @register_jitable
    def both(p, touch, state):
        own, f_n, pull, spring, after = every(p, touch, state)
        return f_n, pull, spring, (*after, own)

    @register_jitable
    def plain(p, touch, state):
        _, f_n, pull, spring, after = every(p, touch, state)
        return f_n, pull, spring, after

    return _made_of(both if tells else plain, base, addons)


@cache
def couple(base: Part, addons: tuple[Part, ...]) -> Callable[..., Any]:
    """Return the couple of a law and its add-ons; it follows a force that ``tells``."""
    inner = _begin_couple(base)
    for part in addons:
        inner = _add_couple(inner, part)
    every, last = inner, (addons or (base,))[-1].s_last

    @register_jitable
    def resist(p, touch, turning, _f_n, state):
        return every(p, touch, turning, state[last], state)

    return _made_of(resist, base, addons)


@cache
def potential(base: Part, addons: tuple[Part, ...], alone: bool) -> Callable[..., Any]:
    """Return the energies of a law and its add-ons."""
    inner = _begin_potential(base, alone)
    for part in addons:
        inner = _add_potential(inner, part)
    return _made_of(inner, base, addons)


def _made_of(function: Callable[..., Any], base: Part, addons: tuple[Part, ...]
             ) -> Callable[..., Any]:
    parts = tuple(part.function for part in (base, *addons) if part.function is not None)
    function.parts = parts  # type: ignore[attr-defined]
    return function


# ---- forces: the law's own, the sum, tangential force, spring, state -------------------------


def _begin_force(part: Part, alone: bool) -> Callable[..., Any]:
    law, _, p_last, _, s_last = part
    assert law is not None
    only_touching = _make_only_touching(s_last)

    @register_jitable
    def always(p, touch, state):
        f_n, pull, spring, after = law(p[:p_last], touch, state[:s_last])
        return f_n, f_n, pull, spring, after

    @register_jitable
    def in_touch(p, touch, state):
        f_n, pull, spring, after = law(p[:p_last], without_gap(touch), state[:s_last])
        on = touch.overlap > 0.0
        f_n = f_n if on else 0.0
        pull = pull[0] if on else 0.0, pull[1] if on else 0.0, pull[2] if on else 0.0
        spring = spring[0] if on else 0.0, spring[1] if on else 0.0, spring[2] if on else 0.0
        return f_n, f_n, pull, spring, only_touching(after, on)

    return in_touch if alone else always


@register_jitable(inline="always")
def without_gap(touch):
    """Return a contact as it would be if the grains just touched where there is a gap."""
    overlap = touch.overlap if touch.overlap > 0.0 else 0.0
    return Touch(overlap, touch.rate, touch.mass, touch.slip_mass, touch.radius, touch.sx, touch.sy,
                 touch.sz, touch.ux, touch.uy, touch.uz, touch.lasting, touch.step)


def _make_only_touching(count: int) -> Callable[..., Any]:
    """Return the function that takes ``count`` numbers of state as they are, or as zeros.

    The choice stands before the tuple: Numba makes none with a branch amid it.
    """
    if count == 0:

        @register_jitable
        def nothing(_state, _on):
            return ()

        return nothing
    before, last = _make_only_touching(count - 1), count - 1

    @register_jitable
    def only_touching(state, on):
        mine = state[last] if on else 0.0
        return (*before(state, on), mine)

    return only_touching


def _add_force(before: Callable[..., Any], part: Part) -> Callable[..., Any]:
    addon, p_first, p_last, s_first, s_last = part
    if addon is None:

        @register_jitable
        def pass_on(p, touch, state):
            own, f_n, pull, spring, after = before(p, touch, state)
            return own, f_n, pull, spring, (*after, *state[s_first:s_last])

        return pass_on

    @register_jitable
    def add(p, touch, state):
        own, f_n, pull, spring, after = before(p, touch, state)
        more, kept = addon(p[p_first:p_last], touch, state[s_first:s_last])
        return own, f_n + more, pull, spring, (*after, *kept)

    return add


# ---- couples: the couple on i, state ---------------------------------------------------------


def _begin_couple(part: Part) -> Callable[..., Any]:
    law, _, p_last, _, s_last = part
    if law is None:

        @register_jitable
        def none(_p, _touch, _turning, _f_n, state):
            return (0.0, 0.0, 0.0), state[:s_last]

        return none

    @register_jitable
    def own(p, touch, turning, f_n, state):
        return law(p[:p_last], touch, turning, f_n, state[:s_last])

    return own


def _add_couple(before: Callable[..., Any], part: Part) -> Callable[..., Any]:
    addon, p_first, p_last, s_first, s_last = part
    if addon is None:

        @register_jitable
        def pass_on(p, touch, turning, f_n, state):
            moment, after = before(p, touch, turning, f_n, state)
            return moment, (*after, *state[s_first:s_last])

        return pass_on

    @register_jitable
    def add(p, touch, turning, f_n, state):
        m, after = before(p, touch, turning, f_n, state)
        k, kept = addon(p[p_first:p_last], touch, turning, f_n, state[s_first:s_last])
        return (m[0] + k[0], m[1] + k[1], m[2] + k[2]), (*after, *kept)

    return add


# ---- energies --------------------------------------------------------------------------------


def _begin_potential(part: Part, alone: bool) -> Callable[..., Any]:
    law, _, p_last, _, s_last = part
    assert law is not None

    @register_jitable
    def always(p, touch, state):
        return law(p[:p_last], touch, state[:s_last])

    @register_jitable
    def in_touch(p, touch, state):
        e_n, e_t = law(p[:p_last], without_gap(touch), state[:s_last])
        on = touch.overlap > 0.0
        return e_n if on else 0.0, e_t if on else 0.0

    return in_touch if alone else always


def _add_potential(before: Callable[..., Any], part: Part) -> Callable[..., Any]:
    addon, p_first, p_last, s_first, s_last = part
    assert addon is not None

    @register_jitable
    def add(p, touch, state):
        e_n, e_t = before(p, touch, state)
        more_n, more_t = addon(p[p_first:p_last], touch, state[s_first:s_last])
        return e_n + more_n, e_t + more_t

    return add
