"""Flow through a plane, or through an opening in it: what has passed so far.

Each grain's way since the look before is taken as straight. Where it goes through the opening along
the normal, the grain and its mass count; where it comes back, they count less:

    N = Σ (forwards - backwards),    M = Σ m_i (forwards - backwards)

So through a whole plane nothing is missed at any interval, for a grain has passed if it was before
the plane and is now beyond. Through an opening the interval should be short enough for the ways to
be nearly straight. Grains that are poured in are followed from where they enter, and grains that
leave the world up to where they left. In a periodic world a grain may go less than half the cell
between two looks. The flow rate is the difference quotient of N or M in time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from granum import checks
from granum.checks import FloatArray, IntArray, direction, settle, vector
from granum.errors import InputError
from granum.measures.measure import Look, Measure, Memory, Values
from granum.measures.stress import nearest
from granum.quantity import Direction, Length, Point
from granum.walls.frame import make_frame
from granum.world import Grains, World

PAUSE = 0.25  # without a grain through a plane for so long [s], the flow has ended
LEFT = 0.02  # share of the mass before the plane, above which a flow that has ended is jammed


@dataclass(frozen=True)
class Flow(Measure):
    """A plane, a round opening or a slot through which grains flow.

    Args:
        name: what to call it; the columns are ``NAME_grains`` and ``NAME_mass``.
        point: a point of the plane, the middle of the opening [m].
        normal: the direction of the flow.
        radius: of a round opening [m]; in 2D half the width of a gap.
        slot: the two sides of a rectangular opening [m], the first along ``along``.
        along: direction of the slot's first side, across ``normal``; unless given, along the
            coordinate axis that is the furthest from ``normal``.
        materials: whether what passes is also counted for each material by itself, in columns
            ``NAME_MATERIAL_grains`` and ``NAME_MATERIAL_mass``.
        sizes: radii that part classes of sizes [m], ascending, each of which is also counted by
            itself, the smallest first: ``NAME_size_0_grains``, ``NAME_size_0_mass`` and so on.
    """

    type_name: ClassVar[str] = "flow"
    name: str = "flow"
    point: Point = (0.0, 0.0, 0.0)
    normal: Direction = (0.0, 0.0, -1.0)
    radius: Length | None = None
    slot: tuple[Length, Length] | None = None
    along: Direction | None = None
    materials: bool = False
    sizes: tuple[Length, ...] = ()

    def __post_init__(self) -> None:
        """Refuse values without a meaning."""
        super().__post_init__()
        vector("the point of a flow", self.point)
        normal = direction("the normal of a flow", self.normal)
        if self.radius is not None:
            checks.positive("radius", self.radius)
        for side in self.slot or ():
            checks.positive("slot", side)
        if self.radius is not None and self.slot is not None:
            message = "slot and radius exclude each other: an opening is round or a slot"
            raise InputError(message)
        if self.along is not None and np.linalg.norm(
                np.cross(direction("along", self.along), normal)) < 1e-9:
            message = "along must not be parallel to the normal: it is a side of the slot"
            raise InputError(message)
        for size in self.sizes:
            checks.positive("sizes", size)
        if list(self.sizes) != sorted(set(self.sizes)):
            message = f"sizes must ascend, got {', '.join(f'{size:g}' for size in self.sizes)} m"
            raise InputError(message)
        settle(self, point=tuple(self.point), normal=tuple(self.normal), sizes=tuple(self.sizes),
               slot=None if self.slot is None else tuple(self.slot),
               along=None if self.along is None else tuple(self.along))

    def quantities(self, world: World) -> tuple[str, ...]:
        """Return the columns."""
        of = [f"{title}_{what}" for title in self._classes(world)
              for what in ("grains", "mass [kg]")]
        return "grains", "mass [kg]", *of

    def refuse(self, world: World) -> None:
        """Refuse a plane that is not the same in all periodic cells."""
        normal, cell = direction("normal", self.normal), world.periods()
        along = np.flatnonzero((cell > 0.0) & (np.abs(normal) > 1e-12))
        if len(along) > 1 or (len(along) and abs(normal[along[0]]) < 1.0 - 1e-12):
            message = ("normal of a flow in a periodic world must be along a periodic direction, "
                       f"or across all of them, got {tuple(self.normal)}")
            raise InputError(message)

    def _classes(self, world: World) -> list[str]:
        """Return the classes that are counted by themselves."""
        names = [_word(m.name) for m in world.materials] if self.materials else []
        return names + ([f"size_{k}" for k in range(len(self.sizes) + 1)] if self.sizes else [])

    def recall(self, look: Look, memory: Memory) -> tuple[Values, Memory]:
        """Count what has passed since the look before."""
        kinds = 1 + len(self._classes(look.world))
        if not memory:
            memory = {"grains": np.zeros(kinds, dtype=np.int64), "mass": np.zeros(kinds)}
        else:
            memory = self._passed(memory, look.grains, look.world)
        memory |= {"id": look.grains.id.copy(), "place": look.grains.position.copy()}
        counted = zip(memory["grains"].tolist(), memory["mass"].tolist(), strict=True)
        return [number for pair in counted for number in pair], memory

    def entered(self, memory: Memory, grains: Grains) -> Memory:
        """Follow grains from where they come in."""
        return memory | {"id": np.concatenate([memory["id"], grains.id]),
                         "place": np.concatenate([memory["place"], grains.position])}

    def leaving(self, memory: Memory, grains: Grains, world: World) -> Memory:
        """Count the last way of grains that leave; they are forgotten at the next look."""
        memory = self._passed(memory, grains, world)
        place = memory["place"].copy()
        known = np.isin(memory["id"], grains.id)
        place[known] = grains.position[np.isin(grains.id, memory["id"])]
        return memory | {"place": place}

    def _passed(self, memory: Memory, grains: Grains, world: World) -> Memory:
        """Return the memory with the ways of these grains counted."""
        known = np.isin(grains.id, memory["id"])
        before = memory["place"][np.searchsorted(memory["id"], grains.id[known])]
        count = self._crossings(before, nearest(world, grains.position[known] - before), world)
        kind, mass = self._kinds(grains, world)[:, known], grains.mass[known]
        return memory | {
            "grains": memory["grains"] + (kind * count).sum(axis=1),
            "mass": memory["mass"] + (kind * (mass * count)).sum(axis=1),
        }

    def _crossings(self, before: FloatArray, way: FloatArray, world: World) -> IntArray:
        """Return how often each straight way passes forwards, less how often back, (n,)."""
        first, second, normal = make_frame(self.normal, self.along)
        start = before - np.array(self.point)
        height, rise = start @ normal, way @ normal
        period = float(np.abs(normal) @ world.periods())
        if period > 0.0:
            count = np.ceil((height + rise) / period) - np.ceil(height / period)
            plane = period * (np.ceil(height / period) - (count < 0.0))
        else:
            count = (height + rise > 0.0).astype(np.float64) - (height > 0.0)
            plane = np.zeros(len(height))
        count = count.astype(np.int64)
        if self.radius is None and self.slot is None:
            return count
        passes = count != 0
        share = np.divide(plane - height, rise, out=np.zeros(len(height)), where=passes)
        place = nearest(world, start + share[:, None] * way)
        u, v = np.abs(place @ first), np.abs(place @ second)
        if self.slot is not None:
            inside = (u <= 0.5 * self.slot[0]) & (v <= 0.5 * self.slot[1])
        else:
            assert self.radius is not None
            across = place - np.outer(place @ normal, normal)
            inside = np.linalg.norm(across, axis=1) <= self.radius
        return np.where(inside, count, 0)

    def _kinds(self, grains: Grains, world: World) -> IntArray:
        """Tell (kinds, n) which grains belong to which class; the first has all."""
        rows = [np.ones(len(grains), dtype=np.int64)]
        if self.materials:
            rows += [(grains.material == k).astype(np.int64) for k in range(len(world.materials))]
        if self.sizes:
            size = np.searchsorted(self.sizes, grains.radius)
            rows += [(size == k).astype(np.int64) for k in range(len(self.sizes) + 1)]
        return np.stack(rows)


def _word(name: str) -> str:
    """Return a name that can be part of a column."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def is_jammed(still: float, left: float, pause: float = PAUSE, enough: float = LEFT) -> bool:
    """Tell whether a flow has jammed: nothing has passed for a while, and there is more to come.

    Args:
        still: time since the last grain passed [s].
        left: share of the mass before the plane.
        pause: time after which the flow has ended [s].
        enough: share that must be left.
    """
    return still > pause and left > enough
