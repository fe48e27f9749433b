"""One contact in the engine's own arithmetic, run as plain Python: a batch with one lane.

Compiled loops go on to the end of the last vector, over lanes that nobody reads; plain ones stop.

Grain i is at the origin, its partner j (or a wall) above it: the normal is z.
"""

from __future__ import annotations

import math
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from granum.contact.batch import (
    COLUMNS,
    COUPLE,
    FORCE,
    GOING,
    LANES,
    LARGE,
    ROLLING,
    ROWS,
    SMALL,
    SPRING,
    TORQUE,
    TURNING,
    WAITING,
    make_push,
    meet,
    part,
    resist,
    turn_and_stretch,
)
from granum.contact.single import make_pair_force
from granum.contact.walls import _meet_wall
from granum.dynamics.rows import make_rows
from granum.laws import model_of

ZERO = np.zeros(3)
ONE_LANE = np.uintp(1)


class Answer(NamedTuple):
    """Force on i and torques on both, in N and N m."""

    force: np.ndarray
    torque_i: np.ndarray
    torque_j: np.ndarray


class OneContact:
    """Two spheres, the smaller one first, or a sphere and a wall (an endless radius)."""

    def __init__(self, law, radii, density=2500.0):
        self.model, self.numbers = model_of(law, ["stuff"], 1.0)
        self.p = tuple(self.numbers.p.tolist())
        self.push, self.look = make_push(self.model), make_pair_force(self.model)
        self.radii = radii
        self.mass = [4.0 / 3.0 * math.pi * r**3 * density if r < math.inf else math.inf
                     for r in radii]
        self.inertia = [0.4 * m * r**2 if r < math.inf else math.inf
                        for m, r in zip(self.mass, radii, strict=True)]
        self.a, self.c, self.w = np.zeros(4 * ROWS), np.zeros(COLUMNS), np.zeros(WAITING)
        self.state = np.zeros(max(1, len(self.model.signs)) * LANES)
        self.a[SPRING + np.uintp(3)] = -1.0
        self.now = 0.0

    @property
    def is_wall(self):
        return math.isinf(self.radii[1])

    @patch("granum.contact.batch.filled", lambda lanes: lanes)
    def ask(self, overlap, velocities=(ZERO, ZERO), spins=(ZERO, ZERO), step=1.0, past=0.0,
            ahead=0.0):
        """Let the law act once, ``past`` after it was asked last; return what acts."""
        a, c, w = self.a, self.c, self.w
        self.now += 1.0
        (v_i, v_j), (w_i, w_j) = velocities, spins
        if self.is_wall:
            rows = make_rows(1)
            rows.X[0, 3] = self.radii[0]
            rows.V[0] = *v_i, 1.0 / self.mass[0]
            rows.W[0] = *w_i, self.radii[0] / self.inertia[0]
            _meet_wall(0, np.uintp(0), self.radii[0] - overlap, 0.0, 0.0, 1.0, rows, a, c, w)
        else:
            r_i, r_j = self.radii
            w[:4] = 0.0, 0.0, r_i + r_j - overlap, r_i + r_j
            w[SMALL], w[LARGE] = r_i, r_j
            a[GOING : GOING + np.uintp(4)] = *(v_j - v_i), sum(1.0 / m for m in self.mass)
            turning = sum(r**2 / i for r, i in zip(self.radii, self.inertia, strict=True))
            a[TURNING : TURNING + np.uintp(4)] = *(r_j * w_j + r_i * w_i), turning
            a[ROLLING : ROLLING + np.uintp(4)] = *(w_j - w_i), 0.0
            meet(a, c, w, ONE_LANE)
        turn_and_stretch(a, c, ONE_LANE, past, ahead, self.now - 1.0)
        self.push(a, c, w, self.state, np.zeros(1, dtype=np.uint64), ONE_LANE, self.p,
                  self.now - 1.0, step, past, ahead)
        part(a, c, ONE_LANE, ahead, self.now, self.model.far)
        rolls = self.model.couple is not None
        if rolls:
            resist(a, c, w, ONE_LANE)
        force, on_i, on_j = (a[k : k + np.uintp(3)].copy()
                             for k in (FORCE, TORQUE, COUPLE if rolls else TORQUE))
        reach_j = 0.0 if self.is_wall else self.radii[1]
        return Answer(force, self.radii[0] * on_i, reach_j * on_j)

    def stored(self, overlap):
        """Return what normal force, tangential force and couple can give back [J]."""
        m_n = 1.0 / sum(1.0 / m for m in self.mass)
        turning = [0.0 if r == math.inf else r**2 / i
                   for r, i in zip(self.radii, self.inertia, strict=True)]
        m_t = 1.0 / (1.0 / m_n + sum(turning))
        radius = 1.0 / sum(1.0 / r for r in self.radii)
        spring = self.a[SPRING : SPRING + np.uintp(3)]
        state = tuple(self.state[:: LANES][: len(self.model.signs)].tolist())
        return self.look(self.p, 0.0, overlap, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, ZERO, m_n, m_t,
                         radius, spring, state)[3]


class Collision(NamedTuple):
    """What a head-on collision did."""

    restitution: float
    lasts: float  # how long the two overlapped [s]
    deepest: float  # [m]


def collide(law, radii, speed, step):
    """Let the two meet head on, from where they just touch; velocity Verlet, forces foreseen."""
    contact = OneContact(law, radii)
    m = 1.0 / sum(1.0 / mass for mass in contact.mass)

    def acceleration(overlap, rate, past):
        ways = (np.array([0.0, 0.0, rate]), ZERO)
        return contact.ask(overlap, ways, step=step, past=past, ahead=0.5 * step).force[2] / m

    overlap, rate, a = 0.0, speed, acceleration(0.0, speed, 0.0)
    deepest, lasts, time, steps = 0.0, 0.0, 0.0, 0
    while rate > 0.0 or overlap > -law.range:
        before = overlap
        overlap += step * (rate + 0.5 * step * a)
        time, steps = time + step, steps + 1
        assert steps < 50_000, "they do not part"
        if before > 0.0 >= overlap:
            lasts = time - step * overlap / (overlap - before)
        new = acceleration(overlap, rate + step * a, 0.5 * step) if overlap > -law.range else 0.0
        rate += 0.5 * step * (a + new)
        a, deepest = new, max(deepest, overlap)
    return Collision(-rate / speed, lasts, deepest)
