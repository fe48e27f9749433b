"""Bodies of walls in the loop over steps: where they are, what drives them, how far they have come.

Bodies that are driven move as grains do (see `integrate`): with constant acceleration through the
step, then the velocity is corrected for the acceleration found anew. So momentum goes between
grains and walls without loss.

The work of all bodies on the grains is the integral of the power

    P = -(F · v + T · w)

by the trapezium rule, with force F and torque T of the grains on the body, its velocity v at its
centre and its spin w.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import kernel
from granum.walls import WallTable
from granum.walls.moving import POSE, STATE, set_poses, way_between
from granum.walls.moving.driven import (
    DRAG,
    DRIVEN,
    FALLS,
    FREE,
    HELD,
    LIMIT,
    MASS,
    STEPS,
    TOWARDS,
)
from granum.walls.moving.table import POWER, SPIN, VELOCITY, WORK
from granum.world import World, gravity_at

SPARE = 1.25  # of the way that a wall is foreseen to go


class MovingWalls(NamedTuple):
    """All bodies of walls, as the loop over steps sees them."""

    first: IntArray  # (b + 1,) a body's first motion
    motion: FloatArray  # (m, MOTION) prescribed motions
    knots: FloatArray  # (k, 7) of paths
    drive: FloatArray  # (b, DRIVE) what drives it
    force: FloatArray  # (s, 4) from when on which force acts
    state: FloatArray  # (b, STATE)
    pose: FloatArray  # (b, POSE) where it is
    before: FloatArray  # (b, POSE) where it was a step ago
    reference: FloatArray  # (b, POSE) where it was when the candidates were found
    kind: IntArray  # (w,) kinds of the pieces of all walls
    data: FloatArray  # (w, ROW) their rows
    body: IntArray  # (w,) their bodies, -1 where still
    leader: IntArray  # (w,) the piece that speaks for each: of a mesh the first, else itself
    judged: IntArray  # (j,) leaders that move
    allowance: FloatArray  # (w,) how far each may have come since the candidates were found [m]
    region: FloatArray  # (4,) centre and radius of a ball that holds all grains until then [m]


def make_moving_walls(world: World, table: WallTable) -> MovingWalls:
    """Return the bodies of a world, with their state of the moment."""
    count, pieces = len(world.bodies), len(table.kind)
    motions = world.motion_table()
    state = np.array([body.state for body in world.bodies]).reshape(count, STATE)
    pose, before, reference = np.zeros((3, count, POSE))
    body, leader = world.wall_bodies(table), table.leader
    judged = np.flatnonzero((leader == np.arange(pieces)) & (body >= 0))
    return MovingWalls(*motions, state, pose, before, reference, table.kind, table.data, body,
                       leader, judged, np.zeros(pieces), np.zeros(4))


@kernel
def place_walls(bodies, time):
    """Put all bodies where they are at a time [s], and remember where they were."""
    for b in range(bodies.pose.shape[0]):
        for k in range(bodies.pose.shape[1]):
            bodies.before[b, k] = bodies.pose[b, k]
    set_poses(bodies.first, bodies.motion, bodies.knots, bodies.drive, bodies.state, time,
              bodies.pose)


@kernel
def longest_way(bodies):
    """Return how far [m] any piece has come in the last step; infinite if that is no number."""
    most = 0.0
    for w in bodies.judged:
        way = way_between(bodies.kind, bodies.data, w, bodies.body[w], bodies.pose, bodies.before,
                          bodies.region)
        if not way <= most:
            most = way if way < math.inf else math.inf
    return most


@kernel
def are_candidates_good(bodies):
    """Tell whether no piece has come farther than its allowance since candidates were found."""
    good = True
    for w in bodies.judged:
        way = way_between(bodies.kind, bodies.data, w, bodies.body[w], bodies.pose,
                          bodies.reference, bodies.region)
        good = good and way <= bodies.allowance[w]
    return good


@kernel
def begin_walls(bodies, dt):
    """Move the bodies that are driven by one step; those that are held have no velocity."""
    h = 0.5 * dt
    for b in range(bodies.state.shape[0]):
        if bodies.drive[b, DRIVEN] != 0.0:
            for a in range(3):
                v, rate = bodies.state[b, 3 + a], bodies.state[b, 6 + a]
                bodies.state[b, a] += dt * (v + h * rate)
                bodies.state[b, 3 + a] = v + dt * rate


@kernel
def _force_at(bodies, b, time):
    """Return the row of the force that drives body b at a time."""
    row = int(bodies.drive[b, STEPS])
    while row + 1 < int(bodies.drive[b, STEPS + 1]) and bodies.force[row + 1, 0] <= time:
        row += 1
    return row


@kernel
def _drive(bodies, b, push, time, span, g, correction):
    """Accelerate a body by what drives it and what pushes it, and correct its velocity.

    One that was held until now begins at rest.
    """
    state, drive = bodies.state[b], bodies.drive[b]
    if time - span < drive[HELD]:
        correction = 0.0
    if not drive[HELD] <= time < drive[HELD + 1]:
        for a in range(3, 9):
            state[a] = 0.0
        return
    row = _force_at(bodies, b, time)
    along = 0.0
    for a in range(3):
        along += drive[TOWARDS + a] * (bodies.force[row, 1 + a] + push[a] - drive[DRAG]
                                       * state[3 + a] + drive[FALLS] * drive[MASS] * g[a])
    speed2 = faster = 0.0
    for a in range(3):
        total = along * drive[TOWARDS + a]
        if drive[FREE] != 0.0:
            total = (bodies.force[row, 1 + a] + push[a] - drive[DRAG] * state[3 + a]
                     + drive[FALLS] * drive[MASS] * g[a])
        rate = total / drive[MASS]
        state[3 + a] += correction * (rate - state[6 + a])
        state[6 + a] = rate
        speed2 += state[3 + a] * state[3 + a]
        faster += state[3 + a] * rate
    if speed2 > drive[LIMIT] * drive[LIMIT]:
        for a in range(3):
            state[3 + a] *= drive[LIMIT] / math.sqrt(speed2)
            state[6 + a] *= 0.0 if faster > 0.0 else 1.0


@kernel
def finish_walls(bodies, push, time, span, g, correction):
    """Sum what the grains do to each body, in fixed order, drive it and count the work.

    Args:
        bodies: all bodies.
        push: (blocks, b, 8) force and torque on them, by blocks of grains; cleared.
        time: [s].
        span: time since the last power was known [s]; 0 if nothing has moved.
        g: gravity [m/s2].
        correction: half a time step, or 0 for constant acceleration.
    """
    for b in range(bodies.state.shape[0]):
        total = push[0, b]
        for k in range(1, push.shape[0]):
            for a in range(6):
                total[a] += push[k, b, a]
        state = bodies.state[b]
        if bodies.drive[b, DRIVEN] != 0.0:
            _drive(bodies, b, total, time, span, g, correction)
            for a in range(3):
                bodies.pose[b, VELOCITY + a] = state[3 + a]
        power = 0.0
        for a in range(3):
            power -= total[a] * bodies.pose[b, VELOCITY + a]
            power -= total[3 + a] * bodies.pose[b, SPIN + a]
        state[WORK] += 0.5 * span * (state[POWER] + power)
        state[POWER] = power
        for k in range(push.shape[0]):
            for a in range(6):
                push[k, b, a] = 0.0


@kernel
def advance_alone(bodies, push, steps, step, dt, gravity, turns, correction):
    """Move all bodies by so many steps where there is no grain."""
    for s in range(steps):
        time = (step + s + 1) * dt
        g = gravity_at(gravity[0], gravity[1], gravity[2], turns, time)
        begin_walls(bodies, dt)
        place_walls(bodies, time)
        finish_walls(bodies, push, time, dt, g, correction)


def allow(bodies: MovingWalls, X: FloatArray, steps: float, least: float, most: float) -> None:
    """Note where the bodies are, and how far each piece may come until candidates are renewed.

    That is the way it will go in so many steps at its present speed, within bounds [m]. No grain
    goes farther than ``most`` in that time, so the ball around all of them is wider by that.
    """
    low, high = X[:, :3].min(axis=0), X[:, :3].max(axis=0)
    bodies.region[:3] = 0.5 * (low + high)
    bodies.region[3] = 0.5 * float(np.linalg.norm(high - low)) + most
    bodies.reference[:] = bodies.pose
    for w in bodies.judged:
        way = way_between(bodies.kind, bodies.data, w, bodies.body[w], bodies.pose, bodies.before,
                          bodies.region)
        bodies.allowance[w] = min(max(SPARE * steps * way, least), most)
    bodies.allowance[:] = bodies.allowance[bodies.leader]
