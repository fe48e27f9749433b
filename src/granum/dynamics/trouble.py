"""Numerical trouble, told to a person: which grain, when, why, and what to change."""

from __future__ import annotations

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.dynamics.crowding import FEW
from granum.dynamics.moving_walls import MovingWalls
from granum.errors import NumericalError
from granum.walls.moving import way_between

ADVICE = (
    "Likely a time step too long for the contact time, a contact time too long (grains too soft) "
    "for the load or the speed, or grains placed into each other. Try a shorter contact_time with "
    "a time_step of at most a fiftieth of it."
)


def advice(points: int) -> str:
    """Return what is likely and what to change, where grains touch at up to so many points.

    Many points ask for shorter steps (see `crowding`).
    """
    if points <= FEW:
        return ADVICE
    return (f"A grain touches at {points} points at once, which are as stiff and as much damped as "
            f"all of them together. Try a time_step of at most 1/{50 * points // FEW} of the "
            "contact time, or else a shorter contact_time with such a time_step.")


def too_deep(
    grain: int, other: int, wall: str | None, depth: float, radius: float, time: float,
    points: int = 1,
) -> NumericalError:
    """Return the error for a grain more than half its radius deep in another or in a wall.

    ``points`` are those at which a grain touches at most.
    """
    partner = f"wall {wall!r}" if wall is not None else f"grain {other}"
    message = (
        f"grain {grain} is {depth:.3g} m deep in {partner} at t = {time:.6g} s, more than half "
        f"of its radius of {radius:.3g} m. {advice(points)}"
    )
    return NumericalError(message, grain=grain, time=time)


def too_fast(ids: IntArray, X: FloatArray, V: FloatArray, dt: float, time: float,
             points: int = 1) -> NumericalError:
    """Return the error for a grain that is not finite or goes too far in one step.

    ``points`` are those at which a grain touches at most.
    """
    sound = np.isfinite(X).all(axis=1) & np.isfinite(V).all(axis=1)
    if not sound.all():
        return not_finite(int(ids[np.argmin(sound)]), time)
    speed = np.linalg.norm(V[:, :3], axis=1)
    k = int(np.argmax(speed))
    message = (
        f"grain {ids[k]} moves at {speed[k]:.4g} m/s at t = {time:.6g} s: {speed[k] * dt:.3g} m in "
        f"one step, more than half the smallest radius ({X[:, 3].min():.3g} m), so contacts could "
        f"be jumped over. {advice(points)}"
    )
    return NumericalError(message, grain=int(ids[k]), time=time)


def too_long(grain: int, other: int, rest: float, distance: float, time: float) -> NumericalError:
    """Return the error for a bond that is longer or shorter by more than half a radius."""
    how = "longer" if distance > rest else "shorter"
    message = (
        f"the bond between grains {grain} and {other} is {abs(distance - rest):.3g} m {how} at "
        f"t = {time:.6g} s than at rest, where it is {rest:.3g} m: more than half the smaller "
        "radius, which is too much for glue. Likely the glue is too soft for the load or the "
        "speed, or the time step too long for it: raise its stiffness, or give it a strength or a "
        "stretch at which it breaks."
    )
    return NumericalError(message, grain=grain, time=time)


def wall_too_fast(bodies: MovingWalls, names: tuple[str, ...], smallest: float, time: float
                  ) -> NumericalError:
    """Return the error for a wall that goes too far in one step."""
    ways = [way_between(bodies.kind, bodies.data, w, b, bodies.pose, bodies.before, bodies.region)
            if b >= 0 else 0.0 for w, b in enumerate(bodies.body)]
    w = int(np.argmax(np.where(np.isfinite(ways), ways, np.inf)))
    message = (
        f"wall {names[w]!r} moves by up to {ways[w]:.3g} m in one step at t = {time:.6g} s, more "
        f"than half the smallest radius ({smallest:.3g} m), so contacts could be jumped over. Move "
        "it more slowly or take a shorter time_step; a wall that is driven by a force may be too "
        "light for the grains that it touches: give it more mass or damping."
    )
    return NumericalError(message, grain=-1, time=time)


def not_finite(grain: int, time: float) -> NumericalError:
    """Return the error for a grain whose state is no number."""
    message = (
        f"the position, velocity, spin or orientation of grain {grain} is not a finite number at "
        f"t = {time:.6g} s. {ADVICE}"
    )
    return NumericalError(message, grain=grain, time=time)


def lost(grain: int, position: FloatArray, time: float) -> NumericalError:
    """Return the error for a grain that has left the domain."""
    place = ", ".join(f"{x:.4g}" for x in position)
    message = (
        f"grain {grain} is lost: at t = {time:.6g} s it is at ({place}) m, outside the domain "
        "around the walls. Close the gap it left through, give the world a larger domain, or let "
        "grains that leave be removed (leaving = \"remove\")."
    )
    return NumericalError(message, grain=grain, time=time)
