"""Measures whose region holds no grain: told in words, for nothing else would.

A density of 0 or a height that is nan may be right: grains fall, or are poured, into a region
later. But it may as well be that the region is not where it was meant to be. So it is said once,
and again at the end of a run if no grain was ever there.
"""

from __future__ import annotations

import logging

import numpy as np

from granum.measures.density import filled_volumes
from granum.measures.measure import Look, Measure
from granum.measures.region import ContainerRegion, Settled, centres_in
from granum.world import World
from granum.world.place.space import wrap

LOGGER = logging.getLogger("granum")


def holds_grains(measure: Measure, world: World, time: float) -> bool:
    """Tell whether there is a grain where it is measured; so it is for one without a region.

    A grain is there if its centre is, or, for measures that count parts of grains, any of it.

    Args:
        measure: with or without a region.
        world: with the grains.
        time: at which walls that move are where they are [s]; only a container minds.
    """
    region = getattr(measure, "region", None)
    if region is None:
        return True
    settled: Settled | None = region.settled(world, time)
    if settled is None:
        return False
    if not measure.counts_parts:
        return bool(centres_in(world, settled).any())
    return bool((filled_volumes(world, settled) > 0.0).any())


def empty_at_start(measure: Measure, world: World, time: float = 0.0) -> str:
    """Return that a measure finds no grain as yet, where grains are, and what follows; or nothing.

    A container in a world without grains is as it should be: nothing is said of it.
    """
    is_bare = not len(world) and isinstance(getattr(measure, "region", None), ContainerRegion)
    if is_bare or holds_grains(measure, world, time):
        return ""
    follows = ("It follows the grains that are there at its first look, so it will find none"
               if measure.type_name == "strain" else "It is empty until grains come there")
    return f"{_where(measure)} holds no grain; {_grains(world)}. {follows}"


def empty_to_the_end(measure: Measure, world: World) -> str:
    """Return that a measure has never found a grain, and where the grains are at the end."""
    return (f"{_where(measure)} held no grain at any look; at the end {_grains(world)}. What is "
            "written of it means nothing")


def _where(measure: Measure) -> str:
    name = f"{measure.name} ({measure.type_name})" if measure.name else measure.type_name
    region = getattr(measure, "region", None)
    return f"measure {name}: its region" + (f", {region.describe()}," if region else "")


def _grains(world: World) -> str:
    """Return the box around all grains in words."""
    if not len(world):
        return "there are no grains"
    balls = world.balls()
    points, radii = wrap(world.ball_positions(balls), world.periodic), balls.arm[:, 3:4]
    low, high = (points - radii).min(axis=0), (points + radii).max(axis=0)
    corners = ["(" + ", ".join(f"{x + 0.0:.4g}" for x in np.round(end, 12)[:world.dimension]) + ")"
               for end in (low, high)]
    return f"grains are between {corners[0]} m and {corners[1]} m"


class Holding:
    """Which measures have found grains in their regions so far, by title.

    Args:
        known: of a simulation that goes on: whether each has.
    """

    def __init__(self, known: dict[str, bool] | None = None) -> None:
        self.known = dict(known or {})

    def note(self, measure: Measure, look: Look) -> None:
        """Note whether there are grains now; the first time that there are none, warn.

        Of a measure without a region there is nothing to note: looking changes nothing.
        """
        before = self.known.get(measure.title)
        if before or getattr(measure, "region", None) is None:
            return
        is_held = holds_grains(measure, look.world, look.time)
        self.known[measure.title] = is_held
        if before is None and not is_held:
            words = empty_at_start(measure, look.world, look.time)
            if words:
                LOGGER.warning("%s", words)

    def never(self, measure: Measure) -> bool:
        """Tell whether a measure was looked at, and there was never a grain."""
        return self.known.get(measure.title) is False
