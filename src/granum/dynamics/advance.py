"""The step, compiled: it reads like the method section of a paper.

``make_advance`` builds the loop over steps with a contact law compiled into its sweeps. The loop
returns to Python only when the candidates must be renewed, when something is wrong, or when its
steps are done. Blocks of grains run on all threads; each writes its own rows only, so the result
is the same for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np

from granum.compile import kernel, parallel_kernel
from granum.contact.bonds import any_broken, pull_bonds
from granum.contact.model import Model
from granum.contact.shaped.hand_over import hand_over, hand_over_at_rim
from granum.contact.shaped.rim_sweep import make_rim_sweep
from granum.contact.shaped.rod_sweep import make_rod_sweep
from granum.contact.shaped.single import meet_slot
from granum.contact.shaped.sweep import make_shaped_sweep
from granum.contact.shaped.touching import meet_features
from granum.contact.sweep import make_sweep
from granum.contact.walls import make_wall_sweep
from granum.dynamics.gear import correct_bodies, correct_rows, predict_bodies, predict_rows
from granum.dynamics.integrate import begin_all, finish_all, finish_and_begin_all
from granum.dynamics.medium import resist_all, resist_bodies, resist_swept
from granum.dynamics.moving_walls import (
    are_candidates_good,
    begin_walls,
    finish_walls,
    longest_way,
    place_walls,
)
from granum.dynamics.rigid import begin_bodies, finish_bodies, rate_balls
from granum.dynamics.spinning import bound_on_way
from granum.dynamics.swept import move_swept
from granum.dynamics.swept_work import make_count_swept
from granum.dynamics.work import close_step, count_all
from granum.world.gravity import gravity_at

DONE, STALE, TOO_FAST, TOO_DEEP, WALL_TOO_FAST, BROKEN = 0, 1, 2, 3, 4, 5
PLACE = 3  # columns of a reference that are a position; an orientation and a span may follow
REFRESH = 0.8  # of its margin that a grain may use before the candidates are renewed


@kernel
def farthest(first, last, X, Q, reference, share, L):
    """Return the largest square of a grain's way from its reference position, in margins.

    Of grains that have a reference orientation, too, no vertex has gone farther: see `swept`.
    """
    most, turns = 0.0, reference.shape[1] > PLACE
    for i in range(first, last):
        d2 = 0.0
        for a in range(3):
            d = X[i, a] - reference[i, a]
            if L[a] > 0.0:
                d -= L[a] * np.rint(d / L[a])
            d2 += d * d
        if turns:
            turn2 = 0.0
            for a in range(4):
                turn2 += (Q[i, a] - reference[i, PLACE + a]) ** 2
            d2 = bound_on_way(d2, turn2, reference[i, PLACE + 4]) ** 2
        most = max(most, d2 * share[i])
    return most


@parallel_kernel
def farthest_all(block, X, Q, reference, share, L, ways):
    """Write into ``ways[1]`` how far grains have gone, block by block."""
    for b in numba.prange(block.size - 1):
        ways[1, b] = farthest(block[b], block[b + 1], X, Q, reference, share, L)


@kernel
def largest(values):
    """Return the largest of a few numbers."""
    most = values[0]
    for value in values:
        most = max(most, value)
    return most


@kernel
def any_deep(deep):
    """Tell whether any block has found a grain too deep in its partner."""
    found = False
    for b in range(deep.shape[0]):
        found = found or deep[b, 0] >= 0
    return found


@kernel
def look(block, X, Q, reference, share, cell, ways, moving, bonds, fastest, time, moved):
    """Place the walls of a new moment; tell whether forces can be evaluated, and the way moved.

    X and Q are places and orientations. ``share`` is 1 / margin², where no pair that is not a
    candidate can touch before a grain has gone farther than its margin from ``reference``;
    ``moved`` is a bound on that way in margins.
    ``fastest`` is the square of the longest way in one step. After a step in which a bond broke,
    its two grains must become candidates.
    """
    if not largest(ways[0]) <= fastest:
        return TOO_FAST, moved
    if moving.pose.shape[0] > 0:
        place_walls(moving, time)
        if not longest_way(moving) ** 2 <= fastest:
            return WALL_TOO_FAST, moved
        if not are_candidates_good(moving):
            return STALE, moved
    if any_broken(bonds.breaks):
        return BROKEN, moved
    moved += np.sqrt(largest(ways[1]))
    if moved > 1.0:
        farthest_all(block, X, Q, reference, share, cell.period, ways)
        moved = np.sqrt(largest(ways[1]))
        if moved > REFRESH:
            return STALE, moved
    return DONE, moved


@cache
def make_advance(model: Model, periodic: bool, rigid: bool = False,
                 jointed: bool = False, rimmed: bool = False, meeting: str = "all",
                 gear: bool = False) -> Callable[..., Any]:
    """Return ``advance`` with the law compiled in.

    ``rigid`` if grains own several rows each, ``jointed`` if edges and faces join these,
    ``rimmed`` if there are walls that have edges, too. ``meeting`` tells whether two shapes have
    all contacts or, if convex, a single one, or whether there are only rods, which have all, found
    faster. ``gear`` if motion is Gear's and not Verlet's.

    What does not depend on the law is compiled once for all laws, in functions of its own. The
    law's source is a variable of the compiled function, so an edited law is compiled anew. A
    ``model.counted`` counts all work.
    """
    single = meeting == "single"
    if not jointed:
        sweep = make_sweep(model, periodic)
    elif meeting == "rods":
        sweep = make_rod_sweep(model, hand_over)
    else:
        sweep = make_shaped_sweep(model, hand_over, single)
    sweep_walls, sweep_rims = make_wall_sweep(model), make_rim_sweep(model, hand_over_at_rim)
    law_source, counted = model.sources, model.counted
    count_swept = make_count_swept(meet_slot if single else meet_features, rimmed)
    # a step ends and the next begins in one pass
    fused = (jointed or not rigid) and not (counted or gear)

    @parallel_kernel
    def advance(steps, begun, step, now, moved, fastest, rows, F, reference, share,
                pairs, history, walls, wall_history, law, dt, past, correction, gravity, turns,
                cell, scratch, ways, moving, span, medium, late, work, bonds, bodies, rims,
                rim_history, higher):
        """Advance up to ``steps`` steps; return steps done, status, sweeps and way moved.

        ``begun`` tells that the grains have been moved already in the first step (the candidates
        were renewed in between). ``past`` is the half step of slip before the law is evaluated
        (none at the start). ``moving`` are the walls that move, and ``span`` is the time step, or 0
        if nothing moves. ``medium`` is what acts on each grain, ``late`` how long forces act after
        their step (see `work`). ``bonds`` are those of glued grains. ``bodies`` own the rows if
        these are balls of rigid bodies, else it is None. ``rims`` are the slots at edges of walls,
        or None. ``higher`` are the derivatives that `gear` needs, else None. The rest is told in
        `look`.
        """
        law_source  # noqa: B018  (part of the cache key)
        block = pairs.block
        ahead = 0.5 * dt
        walls_move = moving.pose.shape[0] > 0
        are_ahead = begun
        if begun:
            ways[:] = 0.0
        for s in range(steps):
            if walls_move and not (begun and s == 0):
                begin_walls(moving, dt)
            if not are_ahead:  # what is known when this is compiled is asked by itself
                if gear:
                    if rigid:
                        predict_bodies(bodies, rows, higher, dt, cell, share, ways)
                    else:
                        predict_rows(block, rows, higher, dt, cell, share, ways)
                elif jointed:
                    move_swept(bodies, rows, F, pairs.halo_begin, pairs.halo_row, (0.0, 0.0, 0.0),
                               correction, dt, cell, share, ways, False, True)
                elif rigid:
                    begin_bodies(bodies, rows, dt, cell, share, ways)
                else:
                    begin_all(block, rows, dt, cell, share, ways)
            time = (step + s + 1) * dt
            if jointed:
                pairs.far[0] += largest(ways[2])
                status, moved = look(bodies.block, bodies.X, bodies.Q, reference, share, cell, ways,
                                     moving, bonds, fastest, time, moved)
            else:
                status, moved = look(block, rows.X, rows.Q, reference, share, cell, ways, moving,
                                     bonds, fastest, time, moved)
            if status != DONE:
                return s, status, now, moved
            now += 1
            for b in numba.prange(block.size - 1):
                sweep(b, rows, F, pairs, history, now, law, past, ahead, cell.period, scratch)
                sweep_walls(b, rows, F, walls, wall_history, now, law, past, ahead, time, scratch)
                if rimmed:
                    sweep_rims(b, rows, F, rims, rim_history, now, law, past, ahead, time, scratch)
            if bonds.bond.size > 0:
                pull_bonds(block, rows, F, bonds, cell.period, scratch.deep)
            if medium.size > 0:
                if jointed:
                    resist_swept(bodies, F, medium)
                elif rigid:
                    resist_bodies(bodies, F, medium)
                else:
                    resist_all(block, rows, F, medium)
            g = gravity_at(gravity[0], gravity[1], gravity[2], turns, time)
            is_deep = any_deep(scratch.deep)
            are_ahead = fused and s + 1 < steps and not is_deep
            now_corrected = 0.0 if gear else correction
            if jointed:
                move_swept(bodies, rows, F, pairs.halo_begin, pairs.halo_row, g, now_corrected, dt,
                           cell, share, ways, True, are_ahead)
            elif rigid:
                finish_bodies(bodies, rows, F, pairs.halo_begin, pairs.halo_row, g, now_corrected)
            elif are_ahead:
                finish_and_begin_all(block, rows, F, pairs.halo_begin, pairs.halo_row, g,
                                     correction, dt, cell, share, ways)
            else:
                finish_all(block, rows, F, pairs.halo_begin, pairs.halo_row, g, now_corrected)
            if gear:
                if rigid:
                    correct_bodies(bodies, rows, higher, dt, cell, span > 0.0)
                else:
                    correct_rows(block, rows, higher, dt, cell, span > 0.0)
            if walls_move:
                finish_walls(moving, scratch.push, time, span, g, correction)
            if counted:
                if rigid:
                    rate_balls(bodies, rows)
                if jointed:
                    for b in numba.prange(block.size - 1):
                        count_swept(b, bodies, rows, pairs, history.spring, walls,
                                    wall_history.spring, rims, rim_history, now, scratch, law.gap,
                                    cell.period, time, g, medium, correction, late, work.blocks[b])
                    close_step(work)
                else:
                    owners, owned, drag = ((bodies, bodies.block, bodies.drag) if rigid
                                           else (rows, block, None))
                    count_all(block, rows, owned, owners, drag, pairs, history.spring, walls,
                              wall_history.spring, now, scratch.kept, scratch.kept_walls,
                              cell.period, time, g, medium, bonds, correction, late, work)
            if is_deep:
                return s + 1, TOO_DEEP, now, moved
        return steps, DONE, now, moved

    return advance
