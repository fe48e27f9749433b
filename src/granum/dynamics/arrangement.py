"""How the grains of a world are laid out for kernels, whichever engine moves them.

Rows in storage order, walls as a table, candidates that cannot miss a contact, and what each of
them remembers: all of it is scratch, made anew from the world's arrays, the order of storage and
the memory of contacts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.contact.bonds import without_glued
from granum.contact.history import (
    Memory,
    carry_walls,
    empty_memory,
    lay_walls,
    new_history,
    read_walls,
)
from granum.contact.model import Model
from granum.contact.shaped.meeting import SPAN
from granum.contact.shaped.memory import carry_slots, read_slots
from granum.contact.shaped.rim_table import list_rims
from granum.contact.shaped.rims import Rims, RimSlots, lay_rims
from granum.contact.shaped.rods import is_rod
from granum.contact.shaped.slots import Slots
from granum.contact.sweep import History, Numbers
from granum.contact.table import Contacts, list_contacts, no_contacts
from granum.contact.walls import WallCandidates, find_wall_candidates
from granum.dynamics.bodies import Bodies, Members, load_bodies, near_of, pack_bodies, state_of
from granum.dynamics.bonding import Bonding
from granum.dynamics.integrate import make_cell
from granum.dynamics.margins import adapted, make_margins
from granum.dynamics.medium import resist_newcomers
from granum.dynamics.moving_walls import MovingWalls, allow, make_moving_walls, place_walls
from granum.dynamics.pairing import Pairing, PairsOfBalls, PairsOfFeatures
from granum.dynamics.renumber import joined, new_numbers, parted, renumbered
from granum.dynamics.rigid import place_all
from granum.dynamics.rows import Rows, load, make_rows, places_apart, spatial_order, store
from granum.errors import InputError
from granum.neighbours import (
    Candidates,
    Cells,
    Finder,
    Method,
    block_bounds,
    chosen,
    make_finder,
)
from granum.walls import Wall, WallTable
from granum.walls.ridges import Ridges, make_ridges
from granum.world import Body, World, gravity_at
from granum.world.balls import ball_counts
from granum.world.place.space import wrap

if TYPE_CHECKING:
    from granum.neighbours.covered import Covered

Touching = Literal["all", "single"]
Meeting = Literal["all", "single", "rods"]
FIRST_MARGIN = 0.05  # least margin of the first list, in smallest radii
THICKEST = 1.0  # longest margin of swept shapes, likewise: their lists take long, and then sleep
STRAYED = 1.0  # places by which grains are out of order in the mean when they are sorted anew


class Arrangement:
    """What an engine works on: rows of balls, walls, candidates and their memory.

    A row is a ball: a sphere, or, in a world with clumps, one of those of a body. An engine says
    how its law is compiled (``_model``, ``_numbers``, ``_medium``) and makes room for the forces
    of new candidates (``_make_scratch``).

    Args:
        world: what is simulated.
        time_step: [s].
        neighbours: how candidates are found; no result depends on it.
        step: number of steps done before.
        ahead: steps by which the clock is ahead of that number, after the time step was changed.
        touching: whether two convex shapes have ``"all"`` contacts of their features, or a
            ``"single"`` one.
    """

    _model: Model
    _numbers: Numbers
    _medium: FloatArray
    _moving: MovingWalls
    _table: WallTable
    _rows: Rows
    _order: IntArray
    _members: Members
    _pairing: Pairing
    _pairs: Candidates | Slots
    _history: History
    _walls: WallCandidates
    _wall_history: History
    _rims: RimSlots | None
    _rim_history: History | None

    def __init__(self, world: World, time_step: float, neighbours: Method, step: int,
                 ahead: int = 0, touching: Touching = "all") -> None:
        self.world = world
        self.touching = touching
        self.time_step = time_step
        self.step, self.ahead = step, ahead
        self.neighbours = neighbours
        self.least_margin = 0.0
        self._counts = {"list_updates": 0, "sortings": 0}
        self._bonding = Bonding(world)
        self._walls_known: list[Wall] | None = None
        self._new_pieces: IntArray | None = None
        self._rims, self._rim_history = None, None
        self._motions_known: list[tuple[object, ...]] = []
        self._moving_known: list[Body] = []
        self._take_walls()
        self._period = world.periods()
        self._cell = make_cell(self._period)
        self._ids = self._known = np.zeros(0, dtype=np.int64)
        self._solids: Bodies | None = None
        self._now, self._moved, self._lasted = 0, 0.0, 0
        self._finders: dict[tuple[str, bool], Finder | Covered] = {}

    def _make_scratch(self) -> None:
        """Make room for the forces of the candidates that there are."""
        raise NotImplementedError

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.clock * self.time_step

    @property
    def clock(self) -> int:
        """Number of time steps since time 0, all of the present length."""
        return self.step + self.ahead

    @property
    def _gravity(self) -> tuple[float, float, float]:
        return gravity_at(*self.world.gravity, self._turns, self.time)

    @property
    def _grain_rows(self) -> Rows:
        """The grains themselves, not the balls that bodies are made of."""
        return self._rows if self._solids is None else state_of(self._solids)

    def _store(self) -> None:
        """Give the state back to the world."""
        if len(self._ids):
            store(self._grain_rows, self.world.grains, self._order)
        for body, state in zip(self._moving_known, self._moving.state, strict=True):
            body.state[:] = state

    def _load(self) -> None:
        """Take the state from the world."""
        if self._solids is None:
            load(self._rows, self.world.grains, self._order)
        else:
            load_bodies(self._solids, self._rows, self._members, self.world.grains, self._order,
                        self.world.dimension, known=self.jointed)
            place_all(self._solids, self._rows, self._cell)

    def _take_walls(self) -> bool:
        """Take walls, bodies and turns of gravity; tell whether walls are others, or elsewhere."""
        self._turns = self.world.turn_rows()
        walls, bodies = list(self.world.walls), self.world.bodies
        motions: list[tuple[object, ...]] = [
            (body, body.moving, *body.walls) for body in bodies]
        if (walls == self._walls_known and motions == self._motions_known
                and all(np.array_equal(body.state, state)
                        for body, state in zip(bodies, self._moving.state, strict=True))):
            return False
        table = self.world.wall_table()
        if self._walls_known is not None:
            self._new_pieces = new_numbers(self._walls_known, self._table, walls, table,
                                           self._rims is not None)
        self._walls_known, self._motions_known, self._moving_known = walls, motions, list(bodies)
        self._table = table
        self._wall_material = self.world.wall_materials(self._table)
        self._moving = make_moving_walls(self.world, self._table)
        for _ in range(2):  # they were there before, too
            place_walls(self._moving, self.time)
        self._limits = self.world.limits(self.time)
        return True

    def _wrap(self) -> None:
        """Bring grains that were put outside the periodic cell into it."""
        position = self.world.grains.position
        outside = (self._period > 0.0) & ((position < 0.0) | (position > self._period))
        if outside.any():
            position[...] = np.where(outside, wrap(position, self.world.periodic), position)

    def _measure_sizes(self) -> None:
        self._smallest = float(self.world.balls().arm[:, 3].min())
        self._fastest = (0.5 * self._smallest) ** 2
        self.least_margin = self.least_margin or FIRST_MARGIN * self._smallest

    def _list_contacts(self) -> Contacts:
        if not len(self._ids):
            return no_contacts()
        pairs = self._pairing.contacts(self._model, self._numbers, self._pairs, self._history,
                                       self._now)
        rims = None
        if self._rims is not None and self._rim_history is not None:
            rims = list_rims(self._model, self._numbers, self._rows, self._rims, self._rim_history,
                             self._now)
        found = list_contacts(
            self._model, self._numbers, self._members.ball, self._rows, pairs, self._walls,
            self._wall_history, self._now, self.time, rims,
        )
        if self._solids is None:
            return found
        i, j = (self._members.grain[self._place[ball]] for ball in (found.i, found.j))
        return replace(found, i=i, j=np.where(found.j >= 0, j, -1))

    @property
    def counts(self) -> dict[str, int]:
        """How often candidates were found anew, grains sorted, the triangulation cared for."""
        every = dict(self._counts)
        for finder in self._finders.values():
            every.update(finder.counts)
        return every

    @property
    def blocks(self) -> int:
        """Number of blocks of grains: more threads than that have nothing to do."""
        return len(block_bounds(len(self.world) if self.jointed else self._row_count())) - 1

    @property
    def jointed(self) -> bool:
        """Whether there are shapes whose balls are joined by edges or faces."""
        return any(shape.sides for shape in self.world.shapes)

    @property
    def _ridges(self) -> Ridges:
        """Edges and corners of the walls."""
        return make_ridges(tuple(self.world.walls), self.world.wall_table())

    @property
    def rimmed(self) -> bool:
        """Whether edges and faces of grains can lie on edges of walls."""
        return self.jointed and self._ridges.is_there

    @property
    def meeting(self) -> Meeting:
        """How contacts of shapes are found: those of rods faster than all others."""
        if self.touching == "all" and all(map(is_rod, self.world.shapes)):
            return "rods"
        return self.touching

    def _row_count(self) -> int:
        shapes = self.world.shapes
        return int(ball_counts(self.world.grains, shapes).sum()) if shapes else len(self.world)

    def _memory(self) -> tuple[Memory, Memory]:
        if not len(self._ids):
            return self._no_memory()
        ball = self._members.ball
        walls = read_walls(self._walls, self._wall_history, self._now, ball, self._model)
        if self._rims is not None and self._rim_history is not None:
            walls = joined(walls, read_slots(self._rims, self._rim_history, self._now,
                                             self._model))
        if self._new_pieces is not None:
            walls = renumbered(walls, self._new_pieces)
        return self._pairing.read(self._pairs, self._history, self._now, self._model), walls

    def _no_memory(self) -> tuple[Memory, Memory]:
        return empty_memory(self._model), empty_memory(self._model)

    def _take(self, stored: IntArray | None, memory: tuple[Memory, Memory]) -> int:
        """Take over the world's grains: those in it now, in the given or a fresh order.

        Returns how many remembered contacts do not fit the grains.
        """
        grains = self.world.grains
        new = ~np.isin(grains.id, self._known)
        if self.step and stored is None:
            grains.acceleration[new] = self._gravity
            if len(self._medium):
                resist_newcomers(grains, new, self._medium)
        self._known = grains.id
        if not len(grains):
            self._ids = grains.id
            return 0
        self._rows = make_rows(self._row_count())
        self._measure_sizes()
        if stored is None:
            self._order = spatial_order(grains.position, grains.radius)
        else:
            self._order = np.searchsorted(grains.id, stored)
        return self._settle_order(memory)

    def _sort(self) -> None:
        """Sort the grains in space, so that neighbours are close in memory.

        In a heap at rest a few change places all the time; they are let be.
        """
        order = spatial_order(self.world.grains.position, self.world.grains.radius)
        if places_apart(order, self._order) < STRAYED:
            return
        memory = self._memory()
        self._order = order
        self.least_margin = min(self.least_margin, self._adapted_margin())
        self._counts["sortings"] += 1
        self._settle_order(memory)

    def _settle_order(self, memory: tuple[Memory, Memory]) -> int:
        grains, shapes = self.world.grains, self.world.shapes
        self._ids = grains.id[self._order]
        if shapes:
            self._solids, self._members = pack_bodies(grains, shapes, self._order, self.jointed)
        else:
            self._members = Members(self._ids, self._ids, self._order)
        if self._solids is not None and self.jointed:
            self._pairing = PairsOfFeatures(self.world, self._rows, self._members, self._solids,
                                            self._order, self.touching == "single")
        else:
            self._pairing = PairsOfBalls(self.world, self._rows, self._members, self._solids)
        ball, grain = self._members.ball, self._members.grain
        self._place = np.full(self.world.next_ball, -1, dtype=np.int64)
        self._place[ball] = np.arange(len(ball))
        self._first_row = np.full(self.world.next_id, -1, dtype=np.int64)
        self._first_row[grain[::-1]] = np.arange(len(grain))[::-1]
        self._load()
        self._bonding.lay(self._first_row, len(ball))
        return self._renew(memory)

    def _renew(self, memory: tuple[Memory, Memory] | None = None) -> int:
        """Find the candidates anew and give them their memory; return how much of it is lost.

        Without ``memory`` they get what the candidates so far remember; the order of storage must
        be theirs then.
        """
        X = self._rows.X
        before = None if memory else (self._pairs, self._history, self._walls, self._wall_history)
        rims = self._rims, self._rim_history
        self._find_candidates()
        self._history = new_history(self._pairs.places, self._model)
        self._wall_history = new_history(len(self._walls.grain), self._model)
        self._rim_history = None
        lost = 0
        if before:
            self._pairing.carry(*before[:2], self._now, self._pairs, self._history)
            carry_walls(*before[2:], self._now, self._walls, self._wall_history)
        elif memory:
            walls, _ = parted(memory[1], len(self._table.kind))
            lost = self._pairing.lay(memory[0], self._pairs, self._history, self._model)
            lost += lay_walls(walls, self._walls, self._wall_history, self._place)
        lost += self._renew_rims(memory, *rims)
        self._reference, self._new_pieces = X[:, :3].copy(), None
        if self._solids is not None and self.jointed:
            self._reference = np.column_stack((self._solids.X[:, :3], self._solids.Q,
                                               self._solids.axes[:, SPAN]))
        self._make_scratch()
        self._now, self._moved, self._lasted = 0, 0.0, 0
        self._counts["list_updates"] += 1
        return lost

    def _renew_rims(self, memory: tuple[Memory, Memory] | None, rims: RimSlots | None,
                    history: History | None) -> int:
        """Give the slots at rims of walls their memory; return how much of it is lost."""
        if self._rims is None or not isinstance(self._pairing, PairsOfFeatures):
            return 0
        self._rim_history = new_history(len(self._rims.kind), self._model)
        if memory:
            _, at_rims = parted(memory[1], len(self._table.kind))
            return lay_rims(at_rims, self._rims, self._rim_history, self._pairing.owner)
        if rims is not None and history is not None:
            carry_slots(rims, history, self._now, self._rims, self._rim_history)
        return 0

    def _find_candidates(self) -> None:
        """Find the pairs and walls that can touch before a grain has used up its margin."""
        X, gap, most = self._rows.X, self._numbers.gap, self._most_margin()
        self.least_margin = min(self.least_margin, most)
        if self._solids is not None:
            self._rows.A[:] = self._solids.A[self._members.body]
        margin, self._share = np.empty((2, len(X)))
        steps = make_margins(self._rows.V, self._rows.A, self.time_step, self._smallest,
                             self.least_margin, most, margin, self._share)
        if self._solids is not None and self.jointed:
            first = self._solids.begin[:-1].astype(np.int64)
            widest = np.maximum.reduceat(margin, first)
            margin, self._share = widest[self._members.body], 1.0 / widest**2
        allow(self._moving, X, steps, self.least_margin, most)
        self._pairs = self._pairing.find(self._finder, margin, gap)
        if len(self.world.bonds) and isinstance(self._pairs, Candidates):
            self._pairs = without_glued(self._pairs, self._bonding.rows)
        self._walls = find_wall_candidates(
            X, self._pairs.block, self._table, self._wall_material, margin + gap,
            self._moving.body, self._moving.pose, self._moving.allowance)
        self._rims = None
        if self.rimmed and isinstance(self._pairing, PairsOfFeatures) and isinstance(
                self._pairs, Slots):
            rims = Rims(self._ridges, len(self._table.kind), self._wall_material,
                        self._moving.body, self._moving.pose, self._moving.allowance)
            self._rims = self._pairing.find_rims(rims, self._pairs, margin, gap)
        if self._solids is not None and self.jointed:
            self._solids = self._with_near(self._solids)
            self._solids.drift[:] = self._solids.V[:, :3].mean(axis=0)

    def _with_near(self, bodies: Bodies) -> Bodies:
        """Return the bodies with a list of those balls that are candidates for walls."""
        at_rims = [] if self._rims is None else [self._rims.row.reshape(-1)]
        begin, near = near_of(np.concatenate([self._walls.grain, *at_rims]), bodies.begin)
        return bodies._replace(near_begin=begin, near=near)

    def _most_margin(self) -> float:
        """Return the widest margin with which the search is complete [m]."""
        gap = self._numbers.gap
        most = self._finder.thickest * self._smallest - (0.5 * gap if self._finder.proven else 0.0)
        if most <= 0.0:
            message = (f"this law acts across gaps of up to {gap:g} m, too far for the "
                       f"triangulation of grains as small as {self._smallest:g} m: use "
                       'neighbours = "cells"')
            raise InputError(message)
        return most

    @property
    def _finder(self) -> Finder | Covered:
        """The search that serves the present grains."""
        method, world = chosen(self.neighbours), self.world
        kind = (method, self.jointed)
        if kind == ("triangulation", True) and kind not in self._finders:
            from granum.neighbours.covered import Covered

            self._finders[kind] = Covered(world.shapes, self._period, world.dimension)
        elif kind == ("cells", True) and kind not in self._finders:
            self._finders[kind] = Cells(self._period, THICKEST)
        elif kind not in self._finders:
            self._finders[kind] = make_finder(method, self._period, world.dimension)
        return self._finders[kind]

    def _adapted_margin(self) -> float:
        return adapted(self.least_margin, self._lasted, self._smallest, self._finder.thickest)
