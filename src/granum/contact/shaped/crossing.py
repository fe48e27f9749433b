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

with 0 <= K <= 1 and -1 <= K_i <= 0. So each end moves a force -K_i φ'(D_i) of the law's spring away
from where the lines are closest, to where itself is. The law as a whole, with friction and dashpot,
acts where the lines are closest with the weight that is left,

    k = K + Σ_i K_i φ'(D_i) / φ'(h)

so that friction near an end, which has its own contact and its own friction, is bounded by μ times
the whole normal force. A dashpot that makes F of φ'(h) makes what ends move larger by F / φ'(h).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from granum.compile import uncounted
from granum.contact.features import crossing_shares
from granum.contact.model import Model, Touch
from granum.contact.shaped.meeting import lever_of
from granum.geometry.simplices import between, cross, dot, less, of_lines, on_line

CLEARLY = 1e-3  # of an edge or a reach, by which a place is outside of it whatever rounding did


@register_jitable
def are_apart(a, b, c, d, reach):
    """Tell whether the lines of two edges are clearly out of reach, or closest outside of one.

    With u = b - a, v = d - c, r = a - c and n = u × v they are closest at s = (v × r)·n / n² on
    the first and at t = (u × r)·n / n² on the second, with the distance r·n / |n|.
    """
    u, v, r = less(b, a), less(d, c), less(a, c)
    n = cross(u, v)
    nn, h = dot(n, n), dot(r, n)
    if h * h > (1.0 + CLEARLY) * nn * (reach * reach):
        return True
    s, t, spare = dot(cross(v, r), n), dot(cross(u, r), n), CLEARLY * nn
    return s < -spare or s > nn + spare or t < -spare or t > nn + spare


@register_jitable
def ends_of_crossing(a, b, c, d):
    """Return for each end where on the other line it is closest, and the square of its distance."""
    return on_line(a, c, d), on_line(b, c, d), on_line(c, a, b), on_line(d, a, b)


@uncounted
def corners_of(k, i, j, shift, row, axes, arm):
    """Return the four ends of the edges of slot k, seen from the centre of the first body i."""
    x, y = lever_of(axes, j, arm, row[k, 2]), lever_of(axes, j, arm, row[k, 3])
    return (lever_of(axes, i, arm, row[k, 0]), lever_of(axes, i, arm, row[k, 1]),
            (shift[0] + x[0], shift[1] + x[1], shift[2] + x[2]),
            (shift[0] + y[0], shift[1] + y[1], shift[2] + y[2]))


@register_jitable
def meet_edges(x, reach):
    """Return whether the edges with these four ends cross, where, and whether an end is near.

    That is (way from the first to the second, point on the first, weight, 1 if an end is near).
    With u, v the edges and φ the angle between them, the square of the distance of an end to the
    line of the other edge is h² + s² u² sin² φ, where s is how far it is from the crossing.
    """
    s, t, h2, sine2 = of_lines(x[0], x[1], x[2], x[3])
    room = reach * reach - h2
    if not (sine2 > 0.0 and room > 0.0 and 0.0 < s < 1.0 and 0.0 < t < 1.0):
        return x[0], x[0], 0.0, 0.0
    here, there = between(x[0], x[1], s), between(x[2], x[3], t)
    u, v = less(x[1], x[0]), less(x[3], x[2])
    s, t = min(s, 1.0 - s), min(t, 1.0 - t)
    nearest = min(s * s * dot(u, u), t * t * dot(v, v)) * sine2
    return less(there, here), here, 1.0, 1.0 if nearest < room else 0.0


@register_jitable
def at_rest(overlap, masses):
    """Return a contact that neither approaches nor slips.

    ``masses`` are the effective masses of approach and of slip, and the effective radius.
    """
    return Touch(overlap, 0.0, masses[0], masses[1], masses[2], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
                 0.0)


def make_weigh(model: Model) -> Callable[..., Any]:
    """Return the function that shares a crossing out between the two lines and their ends."""
    potential, force = model.potential, model.force

    @register_jitable
    def free_of(d2, reach, whole, p, state, masses):
        """Return 1 - ρ for an end at the square of its distance; ``whole`` is φ(h)."""
        overlap = reach - np.sqrt(d2)
        if overlap <= 0.0:
            return 1.0
        return 1.0 - min(1.0, potential(p, at_rest(overlap, masses), state)[0] / whole)

    @register_jitable
    def push_of(d2, share, reach, p, state, masses):
        """Return -K_i φ'(D_i) for an end at the square of its distance; K_i is its share."""
        overlap = reach - np.sqrt(d2)
        if overlap <= 0.0 or share == 0.0:
            return 0.0
        return -share * force(p, at_rest(overlap, masses), state)[0]

    @register_jitable
    def weigh(overlap, acting, reach, p, state, masses, at):
        """Return Π, k, and the forces that ends move.

        ``acting`` is the normal force F of the law, ``at`` what `ends_of_crossing` returns.
        """
        whole = potential(p, at_rest(overlap, masses), state)[0]
        push = force(p, at_rest(overlap, masses), state)[0]
        if not (whole > 0.0 and push > 0.0):  # it pulls, and ends do not count
            return 1.0, 1.0, (0.0, 0.0, 0.0, 0.0)
        stored, share, ends = crossing_shares(free_of(at[0][1], reach, whole, p, state, masses),
                                              free_of(at[1][1], reach, whole, p, state, masses),
                                              free_of(at[2][1], reach, whole, p, state, masses),
                                              free_of(at[3][1], reach, whole, p, state, masses))
        moved = (push_of(at[0][1], ends[0], reach, p, state, masses),
                 push_of(at[1][1], ends[1], reach, p, state, masses),
                 push_of(at[2][1], ends[2], reach, p, state, masses),
                 push_of(at[3][1], ends[3], reach, p, state, masses))
        left = share - (moved[0] + moved[1] + moved[2] + moved[3]) / push
        f = acting / push
        return stored, left, (f * moved[0], f * moved[1], f * moved[2], f * moved[3])

    return weigh


@register_jitable
def push_apart(sums, f, way, here, shift):
    """Add what pushing two bodies apart by f along ``way``, from ``here`` on the first, makes.

    ``sums`` are force on the first body, torque on the first, torque on the second. Points are seen
    from the centre of the first.
    """
    (fx, fy, fz), (tx, ty, tz), (ux, uy, uz) = sums
    f /= np.sqrt(dot(way, way))
    gx, gy, gz = f * way[0], f * way[1], f * way[2]
    x, y, z = here
    force = fx - gx, fy - gy, fz - gz
    torque = tx - (y * gz - z * gy), ty - (z * gx - x * gz), tz - (x * gy - y * gx)
    x, y, z = x + way[0] - shift[0], y + way[1] - shift[1], z + way[2] - shift[2]
    return force, torque, (ux + (y * gz - z * gy), uy + (z * gx - x * gz), uz + (x * gy - y * gx))


def make_push_ends(model: Model) -> Callable[..., Any]:
    """Return the function that moves forces to the ends, and returns the weight of the rest."""
    weigh = make_weigh(model)

    @register_jitable
    def push_ends(way, here, x, shift, overlap, acting, reach, p, state, masses):
        """Return the weight of two lines, the forces that ends have moved, and what these make.

        x are the four ends, the lines are closest from ``here`` on; what they make is told as in
        `push_apart`.
        """
        at = ends_of_crossing(x[0], x[1], x[2], x[3])
        _, left, moved = weigh(overlap, acting, reach, p, state, masses, at)
        none = 0.0, 0.0, 0.0
        sums = push_apart((none, none, none), moved[0] + moved[1] + moved[2] + moved[3], way, here,
                          shift)
        for v in range(4):
            if moved[v] == 0.0:
                continue
            if v < 2:
                foot = between(x[2], x[3], at[v][0])
                sums = push_apart(sums, -moved[v], less(foot, x[v]), x[v], shift)
            else:
                foot = between(x[0], x[1], at[v][0])
                sums = push_apart(sums, -moved[v], less(x[v], foot), foot, shift)
        return left, moved, sums

    return push_ends
