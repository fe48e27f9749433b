"""What a stage does to a world and to its law when it begins."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from granum.checks import nearest
from granum.errors import InputError
from granum.laws import Pairs, UserLaw, With
from granum.stages.stage import STOP, Stage
from granum.walls import Wall
from granum.walls.moving import Path, Rotation
from granum.walls.moving.table import SHIFT
from granum.world import Body, World
from granum.world.body import motions_of, poses_at, refuse_impossible


def sketch(world: World) -> World:
    """Return a world with the same grains, whose walls, motions and streams can be changed."""
    other = copy.copy(world)
    other.walls, other.streams = list(world.walls), list(world.streams)
    other.names, other.made_of = dict(world.names), dict(world.made_of)
    other.bodies = [Body(body.name, list(body.walls), body.moving, body.state.copy())
                    for body in world.bodies]
    return other


def alter(world: World, law: Any, stage: Stage, time: float) -> Any:
    """Change a world as a stage that begins at ``time`` [s] says; return the law from then on."""
    if stage.gravity is not None:
        if world.dimension == 2 and stage.gravity[2]:
            message = "gravity has a z component, but this world is 2D"
            raise InputError(message)
        world.gravity = np.array(stage.gravity)
    for name in stage.open:
        _set_holes(world, name, time)
    for name in stage.close:
        _set_holes(world, name, None)
    for name in stage.remove:
        _take_out(world, name)
    for name, moving in stage.motions:
        _move(world, name, moving, time)
    if stage.pour:
        _pour(world, stage.pour == "on", time)
    if stage.law is None:
        return law
    refuse_other_kind(law, stage.law)
    return stage.law


# ---- walls -----------------------------------------------------------------------------------


def _walls_named(world: World, name: str) -> list[Wall]:
    found = [wall for wall in world.walls if world.names.get(wall) == name]
    if not found:
        names = list(dict.fromkeys(world.names.values()))
        message = (f"there is no wall named '{name}'{nearest(name, names)} "
                   f"(known: {', '.join(names) or 'none, for no wall has a name'})")
        raise InputError(message)
    return found


def _set_holes(world: World, name: str, opens: float | None) -> None:
    """Let the holes of all plates of a name open at a time [s], or close them."""
    plates = [wall for wall in _walls_named(world, name) if getattr(wall, "hole", 0.0) > 0.0]
    if not plates:
        message = (f"the wall '{name}' has no hole that could open or close: only a plate has one; "
                   "a shutter is a wall that is taken out (remove)")
        raise InputError(message)
    for old in plates:
        new: Any = replace(old, opens=opens)  # type: ignore[type-var]
        world.walls = [new if wall == old else wall for wall in world.walls]
        world.names = {new if wall == old else wall: said for wall, said in world.names.items()}
        world.made_of = {new if wall == old else wall: m for wall, m in world.made_of.items()}
        for body in world.bodies:
            body.walls = [new if wall == old else wall for wall in body.walls]


def _take_out(world: World, name: str) -> None:
    for gone in _walls_named(world, name):
        world.walls = [wall for wall in world.walls if wall != gone]
        world.names.pop(gone)
        world.made_of.pop(gone, None)
    world.bodies = [body for body in world.bodies if body.name != name]


def _move(world: World, name: str, moving: Any, time: float) -> None:
    """Let the walls of a name move from now on, from where they are."""
    walls = _walls_named(world, name)
    body = next((body for body in world.bodies if body.name == name), None)
    if moving == STOP:
        _hold(world, name, body, time)
        return
    new = motions_of(later(moving, time))
    if body is None:
        body = Body(name, walls, new)
        refuse_impossible(body, world.dimension, any(world.periodic))
        world.bodies = [*world.bodies, body]
        return
    refuse_impossible(Body(name, walls, new), world.dimension, any(world.periodic))
    if isinstance(new, tuple):
        if body.is_driven:
            message = (f"the wall '{name}' is driven by forces and cannot get a prescribed motion "
                       "later on: give it another drive, or let it stop")
            raise InputError(message)
        body.moving = (*_stopped(body.moving, time), *new)
        return
    if not body.is_driven:
        if any(isinstance(motion, Rotation) for motion in body.motions):
            message = (f"the wall '{name}' has turned and cannot be driven by forces later on: "
                       "such walls keep their direction")
            raise InputError(message)
        body.state[:3] = poses_at([body], time)[0, SHIFT:SHIFT + 3]
    body.moving = new


def _hold(world: World, name: str, body: Body | None, time: float) -> None:
    if body is None:
        message = f"the wall '{name}' does not move, so it cannot stop"
        raise InputError(message)
    if time == 0.0:  # it has never moved
        world.bodies = [other for other in world.bodies if other is not body]
    elif isinstance(body.moving, tuple):
        body.moving = _stopped(body.moving, time)
    else:
        body.moving = replace(body.moving, starts=0.0, stops=time)


def _stopped(motions: Any, time: float) -> tuple[Any, ...]:
    """Return prescribed motions that end at a time [s], without those that have not begun."""
    found = []
    for motion in motions:
        starts = motion.times[0] if isinstance(motion, Path) else motion.starts
        if starts < time:
            is_over = motion.stops is not None and motion.stops <= time
            found.append(motion if is_over else replace(motion, stops=time))
    return tuple(found)


def later(moving: Any, time: float) -> Any:
    """Return motions whose times were counted from ``time`` [s], counted from 0."""
    if isinstance(moving, tuple):
        return tuple(later(motion, time) for motion in moving)
    times: dict[str, Any] = {"stops": None if moving.stops is None else moving.stops + time}
    if isinstance(moving, Path):
        times["times"] = tuple(t + time for t in moving.times)
    else:
        times["starts"] = moving.starts + time
    if hasattr(moving, "steps"):
        times["steps"] = tuple((t + time, what) for t, what in moving.steps)
    return replace(moving, **times)


# ---- grains and law --------------------------------------------------------------------------


def _pour(world: World, on: bool, time: float) -> None:
    """Let streams go on from now, or shut them; what was missed in between does not come."""
    if not world.streams:
        message = "there is nothing to pour in: no grains of type pour"
        raise InputError(message)
    for k, stream in enumerate(world.streams):
        if on and stream.shut is not None:
            begin = stream.pour.start + (time - stream.shut)
            world.streams[k] = replace(stream, shut=None, pour=replace(stream.pour, start=begin))
        elif not on and stream.shut is None:
            world.streams[k] = replace(stream, shut=time)


def refuse_other_kind(law: Any, other: Any) -> None:
    """Refuse a law under which contacts would remember other things."""
    before, after = _kind(law), _kind(other)
    if before != after:
        message = (f"the law cannot become another one on the way: it is {before}, and this is "
                   f"{after}; its parameters may change, and damping and drag come and go")
        raise InputError(message)


def _kind(law: Any) -> str:
    """Return which law it is, with the add-ons that act at contacts."""
    if isinstance(law, Pairs):
        law = law.law
    addons = law.addons if isinstance(law, With) else ()
    base = law.law if isinstance(law, With) else law
    name = f"{base.name} ({base.written})" if isinstance(base, UserLaw) else type(base).__name__
    return " with ".join([name, *(type(addon).__name__ for addon in addons
                                  if hasattr(addon, "signs"))])
