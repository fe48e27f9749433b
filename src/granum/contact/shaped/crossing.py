"""Edges that cross: one contact far from their ends, which the ends take over smoothly.

Two edges ab and cd cross if the closest points of their lines lie inside both. With h the distance
of the lines and D_i that of each of the four ends from the line of the other edge, their energy is

    X = φ(h) Π_i (1 - ρ_i),   ρ_i = φ(D_i) / φ(h)

Far from the ends that is one contact. Where one end is within reach, X = φ(h) - φ(D_i): what the
crossing loses, the end's own contact gains (Φ in `meeting`), so that an edge that slides over a rim
feels no bump as its end passes. X vanishes with its slope where an end is at the crossing and, with
a high power of the angle, where the edges become parallel. It depends on five distances only; its
force is that of five contacts, each along its own closest points:

    lines          K φ'(h),      K   = Π_i (1 - ρ_i) + Σ_i ρ_i Π_(j≠i) (1 - ρ_j)
    end and line   K_i φ'(D_i),  K_i = -Π_(j≠i) (1 - ρ_j)

with 0 <= K <= 1 and -1 <= K_i <= 0. The law as a whole acts where the lines are closest; of the
ends only its spring does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from granum.contact.features import crossing_shares
from granum.contact.model import Model, Touch
from granum.contact.shaped.meeting import HERE, centre_shift, place_of
from granum.geometry.simplices import cross, dot, less, of_lines, on_line

CLEARLY = 1e-3  # of an edge, by which a place is outside of it whatever rounding did


@register_jitable
def between(a, b, t):
    """Return the point (1 - t) a + t b."""
    return a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])


@register_jitable
def are_apart(a, b, c, d):
    """Tell whether the lines of two edges are closest clearly outside one of them.

    With u = b - a, v = d - c, r = a - c and n = u × v that is at s = (v × r)·n / n² on the first
    and at t = (u × r)·n / n² on the second.
    """
    u, v, r = less(b, a), less(d, c), less(a, c)
    n = cross(u, v)
    nn = dot(n, n)
    s, t, spare = dot(cross(v, r), n), dot(cross(u, r), n), CLEARLY * nn
    return s < -spare or s > nn + spare or t < -spare or t > nn + spare


@register_jitable
def crossing(a, b, c, d, reach):
    """Return whether the edges ab and cd cross within reach, and where.

    The closest points of the lines are (1 - s) a + s b and (1 - t) c + t d.
    """
    if are_apart(a, b, c, d):
        return False, 0.0, 0.0
    s, t, h2, sine2 = of_lines(a, b, c, d)
    return (sine2 > 0.0 and h2 < reach * reach and 0.0 < s < 1.0 and 0.0 < t < 1.0), s, t


@register_jitable
def ends_of_crossing(a, b, c, d):
    """Return for each end where on the other line it is closest, and the square of its distance."""
    return on_line(a, c, d), on_line(b, c, d), on_line(c, a, b), on_line(d, a, b)


@register_jitable
def corners_of(k, row, X, lever, body, L, half):
    """Return the four vertices of the edges of slot k."""
    a, b, c, d = (np.int64(row[k, 0]), np.int64(row[k, 1]), np.int64(row[k, 2]),
                  np.int64(row[k, 3]))
    shift = centre_shift(X, body[a], body[d], L, half)
    return (place_of(lever, a, HERE), place_of(lever, b, HERE), place_of(lever, c, shift),
            place_of(lever, d, shift))


@register_jitable
def at_rest(overlap, masses):
    """Return a contact that neither approaches nor slips.

    ``masses`` are the effective masses of approach and of slip, and the effective radius.
    """
    return Touch(overlap, 0.0, masses[0], masses[1], masses[2], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
                 0.0)


def make_weigh(model: Model) -> Callable[..., Any]:
    """Return the function that shares a crossing out between the two lines and their ends."""
    potential = model.potential

    @register_jitable
    def free_of(d2, reach, whole, p, state, masses):
        """Return 1 - ρ for an end at the square of its distance; ``whole`` is φ(h)."""
        overlap = reach - np.sqrt(d2)
        if overlap <= 0.0:
            return 1.0
        return 1.0 - min(1.0, potential(p, at_rest(overlap, masses), state)[0] / whole)

    @register_jitable
    def weigh(overlap, reach, p, state, masses, at):
        """Return Π, K and the four K_i; ``at`` is what `ends_of_crossing` returns."""
        whole = potential(p, at_rest(overlap, masses), state)[0]
        if not whole > 0.0:  # it pulls, and ends do not count
            return 1.0, 1.0, (0.0, 0.0, 0.0, 0.0)
        return crossing_shares(free_of(at[0][1], reach, whole, p, state, masses),
                               free_of(at[1][1], reach, whole, p, state, masses),
                               free_of(at[2][1], reach, whole, p, state, masses),
                               free_of(at[3][1], reach, whole, p, state, masses))

    return weigh


@register_jitable
def push_end(f, end, foot, v, e, t, F, target, k):
    """Push vertex v of slot k from its foot on the line of vertices e and e + 1, and these back."""
    n = less(foot, end)
    f /= np.sqrt(dot(n, n))
    for x in range(3):
        F[target[k, v], x] -= f * n[x]
        F[target[k, e], x] += (1.0 - t) * f * n[x]
        F[target[k, e + 1], x] += t * f * n[x]


def make_push_ends(model: Model) -> Callable[..., Any]:
    """Return the function that adds the forces of the ends and returns the weight of the rest."""
    weigh, force = make_weigh(model), model.force

    @register_jitable
    def push_ends(k, overlap, reach, p, state, masses, F, row, target, X, lever, body, L, half):
        x = corners_of(k, row, X, lever, body, L, half)
        at = ends_of_crossing(x[0], x[1], x[2], x[3])
        _, weight, shares = weigh(overlap, reach, p, state, masses, at)
        for v in range(4):
            overlap = reach - np.sqrt(at[v][1])
            if overlap <= 0.0 or shares[v] == 0.0:
                continue
            f = shares[v] * force(p, at_rest(overlap, masses), state)[0]
            e = 2 if v < 2 else 0
            push_end(f, x[v], between(x[e], x[e + 1], at[v][0]), v, e, at[v][0], F, target, k)
        return weight

    return push_ends
