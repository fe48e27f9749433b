"""What contacts of features do: the arithmetic of a batch, from where they are to forces on bodies.

Two closest points with the radii of their bodies are two balls that touch, so the arithmetic of
`granum.contact.batch` serves unchanged. Their velocities are those of the rigid bodies there, and
the forces go to the bodies with the torque that they have about the centres (see `levers`). What
counts more or less than once has its force multiplied by its weight (see `meeting`).

Legend as in `sweep`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from granum.compile import uncounted
from granum.contact.batch import (
    COUPLE,
    DEEPEST,
    F_N,
    FORCE,
    GOING,
    LANES,
    LARGE,
    M_N,
    M_T,
    OVERLAP,
    SMALL,
    SPRING,
    TORQUE,
    keep_ends,
    make_keep,
    make_push,
    turn_and_stretch,
)
from granum.contact.model import Model, make_reader
from granum.contact.shaped.crossing import corners_of, make_push_ends
from granum.contact.shaped.levers import (
    ENDS,
    FIRST,
    HERE,
    SECOND,
    make_meet_bodies,
    make_part_bodies,
)
from granum.contact.shaped.meeting import bodies_of, centre_shift
from granum.vector_rows import EIGHT, FOUR, THREE, TWO, add_to_row, read_row, write_row


@register_jitable
def note_deep(b, c, w, lanes, row, slot, deep):
    """Write down the last of the batch whose balls overlap by more than they may."""
    for m in range(lanes):
        if c[OVERLAP + m] > DEEPEST * min(w[SMALL + m], w[LARGE + m]):
            deep[b, 0], deep[b, 1] = row[slot[m], 0], row[slot[m], 3]


def make_gather(model: Model) -> Callable[..., Any]:
    """Return the function that brings what the features in lane m need into the batch."""
    width, count = np.uintp(model.width), len(model.signs)
    mixed, coefficients = model.mixed, np.uintp(model.coefficients)

    @uncounted
    def gather(k, m, i, j, a, share, state, kind, V, W, material, spring, materials):
        q = FOUR * m
        x, y, z, u = read_row(V, FOUR * np.uintp(i))
        xx, yy, zz, v = read_row(V, FOUR * np.uintp(j))
        write_row(a, GOING + q, xx - x, yy - y, zz - z, u + v)
        write_row(share, FIRST + q, *read_row(W, FOUR * np.uintp(i)))
        write_row(share, SECOND + q, *read_row(W, FOUR * np.uintp(j)))
        if mixed:
            kind[m] = coefficients * (material[i] * materials + material[j])
        write_row(a, SPRING + q, *read_row(spring, width * k))
        for s in range(count):
            state[np.uintp(s * LANES) + m] = spring[width * k + np.uintp(4 + s)]

    return gather


def _make_scatter(model: Model) -> Callable[..., Any]:
    """Return the function that pushes the bodies, and keeps the history."""
    width, count = np.uintp(model.width), len(model.signs)

    @uncounted
    def scatter(a, state, lanes, F, who, slot, spring):
        for m in range(lanes):
            k, q = slot[m], FOUR * m
            write_row(spring, width * k, *read_row(a, SPRING + q))
            for s in range(count):
                spring[width * k + np.uintp(4 + s)] = state[np.uintp(s * LANES) + m]
            i, j = EIGHT * who[k, TWO], EIGHT * who[k, THREE]
            x, y, z, _ = read_row(a, FORCE + q)
            add_to_row(F, i, x, y, z, 0.0)
            add_to_row(F, j, -x, -y, -z, 0.0)
            add_to_row(F, i + FOUR, *read_row(a, TORQUE + q))
            add_to_row(F, j + FOUR, *read_row(a, COUPLE + q))

    return scatter


def _make_weigh_crossings(model: Model) -> Callable[..., Any]:
    """Return the function that weighs crossings, and adds the forces of their ends."""
    counted, mixed, push_ends = model.counted, model.mixed, make_push_ends(model)
    coefficients_at = make_reader(model.coefficients, 1)
    state_at = make_reader(len(model.signs), LANES)

    @uncounted
    def weigh_crossings(lanes, slot, a, c, w, state, kind, p, share, pairs, L, half, kept):
        """Weigh crossings whose ends are within reach, and add what the forces of the ends make.

        All that a contact does stands in the rows of its lane, and is added to the bodies in the
        order of the slots, whichever batch it is in.
        """
        for m in range(lanes):
            k, q = slot[m], FOUR * m
            if c[ENDS + m] == 0.0:
                continue
            i, j = bodies_of(k, pairs.who)
            shift = centre_shift(pairs.X, i, j, L, half)
            numbers = coefficients_at(p, kind[m]) if mixed else p
            radius = w[SMALL + m] / (1.0 + w[SMALL + m] / w[LARGE + m])
            x, y, z, _ = read_row(share, HERE + q)
            dx, dy, dz, _ = read_row(w, q)
            left, moved, (force, torque, couple) = push_ends(
                (dx, dy, dz), (x, y, z),
                corners_of(k, i, j, shift, pairs.row, pairs.axes, pairs.arm), shift,
                c[OVERLAP + m], c[F_N + m], w[SMALL + m] + w[LARGE + m], numbers,
                state_at(state, m), (c[M_N + m], c[M_T + m], radius))
            weigh_row(a, FORCE + q, left, force)
            weigh_row(a, TORQUE + q, left, torque)
            weigh_row(a, COUPLE + q, left, couple)
            if counted:
                keep_ends(kept, k, left, moved)

    return weigh_crossings


@register_jitable
def weigh_row(a, q, left, more):
    """Leave a share of the row that begins at place q, and add three numbers."""
    x, y, z, _ = read_row(a, q)
    write_row(a, q, left * x + more[0], left * y + more[1], left * z + more[2], 0.0)


def make_act(model: Model) -> Callable[..., Any]:
    """Return the function that lets a batch of contacts act, with the law compiled in."""
    push, scatter = make_push(model), _make_scatter(model)
    weigh_crossings = _make_weigh_crossings(model)
    meet_bodies, part_bodies = make_meet_bodies(model), make_part_bodies(model)
    counted, keep = model.counted, make_keep(model)

    @uncounted
    def act(b, m, crossed, now, past, ahead, step, p, pairs, F, spring, a, c, w, share, slot, state,
            kind, L, half, scratch):
        """Find and add the forces of m contacts of block b; ``crossed`` of them are near ends."""
        if meet_bodies(a, c, w, share, m) > 0:
            note_deep(b, c, w, m, pairs.row, slot, scratch.deep)
        turn_and_stretch(a, c, m, past, ahead, now - 1.0)
        push(a, c, w, state, kind, m, p, now - 1.0, step, past, ahead)
        if counted:
            keep(c, m, slot, scratch.kept)
        part_bodies(a, c, share, m, ahead, now)
        if crossed > 0.0:
            weigh_crossings(m, slot, a, c, w, state, kind, p, share, pairs, L, half, scratch.kept)
        scatter(a, state, m, F, pairs.who, slot, spring)

    return act
