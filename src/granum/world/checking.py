"""Is this world fit to be simulated? Everything wrong is said before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from granum.checks import IntArray
from granum.errors import InputError
from granum.walls import Wall, clearance, make_table
from granum.walls.moving import into_rest
from granum.world.balls import Balls
from granum.world.place import overlapping_pairs
from granum.world.world import World

STEPS_A_PERIOD = 20  # of a wall that shakes or turns, at least
CUT = 0.1  # share of its radius by which a wall that is put in may cut into a grain
FARTHEST = 0.5  # way of a wall in one step, in smallest radii, at most
ROUNDING = 1e-6  # overlap at the start, as a share of the smaller radius, that is rounding


def refuse_bad_world(world: World, time: float = 0.0, overlap: float = ROUNDING) -> None:
    """Refuse a world without grains, with overlaps, or with grains outside their container.

    Args:
        world: what is to be simulated.
        time: simulated time [s].
        overlap: share of the smaller radius by which grains may overlap at the start; a packing
            that was settled before needs some.
    """
    if len(world) == 0 and not world.streams:
        message = "there are no grains in this world: add some before running it"
        raise InputError(message)
    _refuse_small_cell(world)
    _refuse_outside(world, time)
    _refuse_wall_overlap(world, time, overlap)
    _refuse_overlap(world, overlap)


def refuse_walls_in_grains(world: World, walls: Sequence[Wall], time: float) -> None:
    """Refuse walls that are put where grains are, while a simulation goes on."""
    grains, balls = world.grains, world.balls()
    position, radius = world.ball_positions(balls), balls.arm[:, 3]
    table = [(wall, pose) for wall, pose in world.walls_at(time) if wall in walls]
    for wall, pose in table if len(grains) else []:
        there = position if pose is None else into_rest(pose, position)
        gap = clearance(make_table([wall]), there, radius, time)
        bad = np.flatnonzero((gap < -CUT * radius) | ~wall.contains(there))
        if bad.size:
            k = balls.grain[bad[np.argmin(gap[bad])]]
            bad = np.unique(balls.grain[bad])
            message = (f"the new wall ({wall.describe()}) cuts into grain {grains.id[k]} at "
                       f"{_place(grains.position[k])}, or has it behind itself; {bad.size} of "
                       f"{len(grains)} grains are in its way: put it elsewhere, or remove them")
            raise InputError(message)


def refuse_unresolved(world: World, time_step: float, time: float = 0.0) -> None:
    """Refuse a time step [s] that is too long for the motions of walls from ``time`` [s] on."""
    smallest = float(world.sizes()[0].min(initial=np.inf))
    for body in world.bodies:
        motions = [motion for motion in body.motions
                   if motion.stops is None or motion.stops > time]
        for motion in motions:
            longest = motion.shortest / STEPS_A_PERIOD
            if time_step > longest * (1.0 + 1e-9):
                message = (f"time_step = {time_step:g} s is too long for a wall that "
                           f"{motion.describe()}: at most {longest:.4g} s follows it")
                raise InputError(message)
        fastest = sum(motion.fastest for motion in motions)
        if fastest * time_step > FARTHEST * smallest:
            message = (f"a wall that {body.describe()} moves at up to {fastest:.4g} m/s, which is "
                       f"{fastest * time_step:.3g} m in one step of {time_step:g} s, more than "
                       f"half the smallest radius ({smallest:.3g} m): move it more slowly, or take "
                       f"a time_step of at most {FARTHEST * smallest / fastest:.3g} s")
            raise InputError(message)


def _refuse_small_cell(world: World) -> None:
    """Refuse a cell in which a grain could touch two images of another one, or its own."""
    radii = list(np.partition(world.grains.radius, -2)[-2:]) if len(world) > 1 else (
        list(world.grains.radius))
    for stream in world.streams:
        radii += [stream.pour.sizes.largest] * min(stream.pour.count, 2)
    largest = sorted(radii)[-2:]
    least = 2.2 * sum(largest)
    for axis, length in zip("xyz", world.periodic, strict=True):
        if length is not None and length < least:
            message = (
                f"the periodic cell is {length:g} m long in {axis}, but with grains of radius "
                f"{largest[-1]:g} m it must be at least {least:g} m, or a grain would meet two "
                "images of another one: enlarge it"
            )
            raise InputError(message)


def _refuse_outside(world: World, time: float) -> None:
    grains, balls = world.grains, world.balls()
    position = world.ball_positions(balls)
    for wall in world.walls:
        outside = np.unique(balls.grain[world.outside(wall, position, time)])
        if outside.size:
            k = outside[0]
            message = (
                f"grain {grains.id[k]} at {_place(grains.position[k])} is outside its container "
                f"({wall.describe()}); {outside.size} of {len(grains)} grains are: "
                "move the grains or the wall"
            )
            raise InputError(message)


def _refuse_wall_overlap(world: World, time: float, overlap: float) -> None:
    grains = world.grains
    if not world.walls or not len(grains):
        return
    balls = world.balls()
    radius = balls.arm[:, 3]
    gap = world.clearance(world.ball_positions(balls), radius, time)
    deep = np.flatnonzero(gap < -overlap * radius)
    if deep.size:
        ball = deep[np.argmin(gap[deep])]
        k = balls.grain[ball]
        message = (
            f"grain {grains.id[k]} at {_place(grains.position[k])} cuts {-gap[ball]:.3g} m into a "
            f"wall{_vertex(world, balls, ball, ', with')}; {len(set(balls.grain[deep]))} of "
            f"{len(grains)} grains overlap a wall: move them, or place them with Lattice or "
            "Random, which mind the walls"
        )
        raise InputError(message)


def _refuse_overlap(world: World, overlap: float) -> None:
    grains = world.grains
    balls = world.balls()
    radius = balls.arm[:, 3]
    i, j, depth = overlapping_pairs(world.ball_positions(balls), radius, world.periodic)
    first, second = balls.grain[i], balls.grain[j]
    joined = ((first == second) & (i != j)) | _glued(world, grains.id[first], grains.id[second])
    deep = np.flatnonzero(~joined & (depth > overlap * np.minimum(radius[i], radius[j])))
    if deep.size:
        k = deep[np.argmax(depth[deep])]
        a, b = balls.grain[i[k]], balls.grain[j[k]]
        parts = (_vertex(world, balls, i[k], ", the first with")
                 + _vertex(world, balls, j[k], ", the second with"))
        message = (
            f"grains {grains.id[a]} and {grains.id[b]} overlap by {depth[k]:.3g} m at the "
            f"start (at {_place(grains.position[a])}{parts}); {deep.size} pairs do: place them "
            "further apart, or let Lattice or Random place them"
        )
        raise InputError(message)


def _vertex(world: World, balls: Balls, ball: int, before: str) -> str:
    """Return which ball of its shape a ball is, in words; nothing for a sphere."""
    grains, k = world.grains, balls.grain[ball]
    if grains.shape[k] < 0:
        return ""
    part = "vertex" if world.shapes[grains.shape[k]].edges else "ball"
    return f"{before} {part} {balls.number[ball] - grains.ball[k]} of shape {grains.shape[k]}"


def _glued(world: World, i: IntArray, j: IntArray) -> NDArray[np.bool_]:
    """Tell which pairs of ids, i < j, are glued: their bond sees to them."""
    bonds, most = world.bonds, max(world.next_id, 1)
    return np.isin(i * most + j, bonds.i * most + bonds.j)


def _place(point: np.ndarray) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in point) + ") m"
