"""Bodies of balls, packed: grains that are more than one row of the engine.

Contacts know balls only; in a world with clumps the engine's `rows` are balls, and the grains that
own them are kept here. A body's balls stand one after the other. After each move of the bodies
their balls are set from them (`rigid`), so they are scratch of the scratch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from granum.checks import FloatArray, IntArray
from granum.compile import aligned
from granum.contact.shaped.meeting import PER_SIZE, SIZE, SPAN
from granum.dynamics.rigid import ANY, ROUND, TOP
from granum.dynamics.rows import Rows, load, make_rows
from granum.laws.medium import drag_radii
from granum.neighbours import block_bounds
from granum.shapes import Disc, RigidShape, Sphere
from granum.world import Grains
from granum.world.balls import ball_counts, balls_of


class Bodies(NamedTuple):
    """Grains in storage order, with their balls; the first seven as in `Rows`."""

    X: FloatArray  # (n,4) position, radius
    V: FloatArray  # (n,4) velocity, 1/m
    W: FloatArray  # (n,4) spin, r/I of spheres; r²/I as contacts feel it where these know bodies
    A: FloatArray  # (n,4) acceleration, 0
    B: FloatArray  # (n,4) spin rate that torques make, I⁻¹ τ; 0
    Q: FloatArray  # (n,4) orientation
    material: NDArray[np.uint32]  # (n,) number of the material
    inertia: FloatArray  # (n,4) principal moments [kg m2]; kind of body, as in `rigid`
    begin: NDArray[np.uint64]  # (n + 1,) a body's first ball
    arm: FloatArray  # (m,4) a ball's place in the frame of its body, and radius [m]
    lever: FloatArray  # (m,4) the same place in the lab
    block: NDArray[np.int64]  # (blocks + 1,) a block's first body
    axes: FloatArray  # (n,12) first axis in the lab, scale of the shape; second axis, 1 / scale;
                      # third axis, way to the farthest ball
    near_begin: NDArray[np.uint64]  # (n + 1,) a body's first entry in near
    near: NDArray[np.uint64]  # (balls,) those that are moved with it in each step: see `swept`
    gone: FloatArray  # (n,) way that none of its balls has gone beyond so far, but for what all
                      # have in common [m]: see `swept`
    drift: FloatArray  # (3,) velocity that all have in common [m/s]
    drag: FloatArray  # (n,8) radii of spheres that a fluid drags alike: see `granum.laws.medium`; 0


class Members(NamedTuple):
    """Which balls stand in the engine's rows."""

    ball: IntArray  # (m,) number of the ball
    grain: IntArray  # (m,) id of its grain
    body: IntArray  # (m,) place of its body in storage


def pack_bodies(grains: Grains, shapes: Sequence[RigidShape], order: IntArray,
                whole: bool = False) -> tuple[Bodies, Members]:
    """Return bodies for the grains in this order, not loaded yet, and their balls.

    Blocks are of about as many balls each or, if they must be of ``whole`` bodies, of as many of
    these.
    """
    sorted_grains = grains.chosen(order)
    balls = balls_of(sorted_grains, shapes)
    rows = make_rows(len(order))
    inertia = aligned(len(order), 4)
    inertia[:, :3] = sorted_grains.inertia
    inertia[:, 3] = np.where(sorted_grains.shape < 0, ROUND, np.where(
        inertia[:, 1] == inertia[:, 2], TOP, ANY))
    begin = np.concatenate(([0], np.cumsum(ball_counts(sorted_grains, shapes))))
    arm, lever = aligned(len(balls.arm), 4), aligned(len(balls.arm), 4)
    arm[:] = balls.arm
    block = (block_bounds(len(order)) if whole
             else np.searchsorted(begin[:-1], block_bounds(len(arm))))
    axes = aligned(len(order), 12)
    sizes = np.array([*(shape.radius for shape in shapes), 1.0])[sorted_grains.shape]
    axes[:, SIZE] = np.where(sorted_grains.shape < 0, 1.0, sorted_grains.radius / sizes)
    axes[:, PER_SIZE] = 1.0 / axes[:, SIZE]
    axes[:, SPAN] = np.maximum.reduceat(np.linalg.norm(arm[:, :3], axis=1), begin[:-1])
    bodies = Bodies(*rows, inertia, begin.astype(np.uint64), arm, lever, block, axes,
                    begin.astype(np.uint64), np.arange(len(arm), dtype=np.uint64),
                    np.zeros(len(order)), np.zeros(3), aligned(len(order), 8))
    bodies.drag[:, :6] = drag_radii(sorted_grains.mass, sorted_grains.inertia)
    return bodies, Members(balls.number, sorted_grains.id[balls.grain], balls.grain)


def alike(bodies: Bodies, shape: IntArray, radius: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the arms of bodies, but once for all that have one shape and size.

    So a heap of bodies of a thousand vertices each has few numbers to keep at hand. And how much
    farther on each body's arms are among those of all bodies, (n,).

    Args:
        bodies: in storage order.
        shape: (n,) number of their shape, and another one for spheres.
        radius: (n,) of the spheres around them [m].
    """
    begin = bodies.begin.astype(np.int64)
    kinds = np.column_stack((shape.astype(np.float64), radius))
    _, first, which = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    counts = begin[first + 1] - begin[first]
    start = np.cumsum(counts) - counts
    rows = np.repeat(begin[first] - start, counts) + np.arange(counts.sum())
    arm = aligned(len(rows), 4)
    arm[:] = bodies.arm[rows]
    return arm, begin[:-1] - start[which.reshape(-1)]


def near_of(ball: IntArray, begin: NDArray[np.uint64]
            ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return ``near_begin`` and ``near`` for these balls; ``begin`` are the bodies' first."""
    near = np.unique(ball).astype(np.uint64)
    return np.searchsorted(near, begin).astype(np.uint64), near


def state_of(bodies: Bodies) -> Rows:
    """Return what of the bodies is state, as rows of the same memory."""
    return Rows(bodies.X, bodies.V, bodies.W, bodies.A, bodies.B, bodies.Q, bodies.material)


def load_bodies(bodies: Bodies, rows: Rows, members: Members, grains: Grains, order: IntArray,
                dimension: int, known: bool) -> None:
    """Copy the state of the grains into bodies, and what stays the same into their balls' rows.

    A contact of a clump feels the mass of the whole for approach, and for slip that of a sphere of
    this mass. So a push through the centre is met exactly; where it is not through the centre, the
    mass that gives way is less by up to `RigidShape.lightness`, and the contact is shorter.
    Contacts of features know bodies instead of balls, and find r²/I of that sphere with these.
    """
    load(state_of(bodies), grains, order)
    body = members.body
    radius, mass = bodies.arm[:, 3], grains.mass[order][body]
    shape = Disc if dimension == 2 else Sphere
    is_round = bodies.inertia[body, 3] == ROUND
    rows.X[:, 3] = radius
    rows.V[:, 3] = bodies.V[body, 3]
    rows.W[:, 3] = np.where(is_round, bodies.W[body, 3], radius / shape.inertia(radius, mass)[:, 0])
    rows.material[:] = bodies.material[body]
    if known:
        first = bodies.begin[:-1].astype(np.int64)
        bodies.W[:, 3] = radius[first] * rows.W[first, 3]
