"""The soft engine: grains that overlap a little and push each other apart, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.compile import aligned
from granum.contact.batch import DEEPEST
from granum.contact.bonds import energy_in_bonds
from granum.contact.history import Memory, in_order
from granum.contact.sweep import make_scratch
from granum.contact.table import Contacts
from granum.dynamics import trouble
from granum.dynamics.advance import (
    BROKEN,
    DONE,
    STALE,
    TOO_DEEP,
    TOO_FAST,
    WALL_TOO_FAST,
    make_advance,
)
from granum.dynamics.arrangement import Arrangement, Touching
from granum.dynamics.bonding import BondTable, list_bonds
from granum.dynamics.books import NOTHING, Books, Holdings, are_other, blank_books, holdings
from granum.dynamics.derivatives import Derivatives, refuse_gear_with_budget
from granum.dynamics.moving_walls import advance_alone, finish_walls
from granum.dynamics.piercing import refuse_pierced
from granum.dynamics.rigid import place_all
from granum.dynamics.skeletons import refuse_overlap, refuse_with_skeletons
from granum.dynamics.work import GRAVITY, MEDIUM, STREAM, count_grains, make_work
from granum.errors import CheckpointError, InputError
from granum.laws import Law, medium_of, model_of
from granum.neighbours import Method
from granum.shapes.turning import turned_back
from granum.walls.moving import closest_moved
from granum.world import World, refuse_walls_in_grains

Integrator = Literal["verlet", "constant-acceleration", "gear"]
LOOK = 100  # steps between two looks for lost grains
REORDER = 1000  # steps between two sortings of the grains in space


class SoftEngine(Arrangement):
    """Soft-contact dynamics of round grains and of bodies made of balls.

    The engine owns scratch only: packed rows in storage order, candidates and the slots of their
    history. A row is a ball: a sphere, or, in a world with clumps, one of those of a body. The
    state is the world's arrays, the order of storage and the memory of contacts.

    Args:
        world: what is simulated.
        law: the contact law.
        time_step: [s].
        integrator: ``"verlet"``, ``"constant-acceleration"`` (Ferrez 3.20 and 3.21), or ``"gear"``
            (fourth order, see `gear`).
        neighbours: how candidates are found; no result depends on it.
        step: number of steps done before (when a run goes on).
        ahead: steps by which the clock is ahead of that number (when a run goes on).
        order: ids of the grains in storage order (when a run goes on).
        memory: what contacts of grains and of walls remember (when a run goes on).
        books: those of the budget so far (when a run goes on that keeps one).
        budget: whether a budget of the energy is kept, from now on.
        touching: whether convex shapes have all contacts, or a single one.
        derivatives: (n,15) those of Gear's integrator, in the order of ids (when a run goes on).
    """

    def __init__(
        self,
        world: World,
        law: Law,
        time_step: float,
        integrator: Integrator = "verlet",
        neighbours: Method = "auto",
        *,
        step: int = 0,
        ahead: int = 0,
        order: IntArray | None = None,
        memory: tuple[Memory, Memory] | None = None,
        books: Books | None = None,
        budget: bool = False,
        touching: Touching = "all",
        derivatives: FloatArray | None = None,
    ) -> None:
        super().__init__(world, time_step, neighbours, step, ahead, touching)
        self.law = law
        self.integrator = integrator
        self._higher = None
        if integrator == "gear":
            known = world.grains.id if derivatives is not None else np.zeros(0, dtype=np.int64)
            self._higher = Derivatives(known, derivatives if derivatives is not None
                                       else np.zeros((0, 15)))
        self.books = blank_books() if budget and books is None else books
        self._take_law()
        self._refuse_together()
        forgotten = self._take(order, memory or self._no_memory())
        if forgotten:
            message = (f"{forgotten} remembered contacts are of grains that are not near each "
                       "other: the contact history does not fit the positions of the grains")
            raise CheckpointError(message)
        if order is None:
            self._evaluate_start()
        if self.books and books is None:
            self.books.begin(self._holdings())

    def _take_law(self) -> None:
        """Compile the law in, for the materials that there are."""
        self._law_names = [material.name for material in self.world.materials]
        self._model, self._numbers = model_of(self.law, self._law_names, self.time_step)
        self._has_clumps, self._is_jointed = bool(self.world.shapes), self.jointed
        self._medium = medium_of(self.law, self.world.dimension)
        self._compiled = self._model._replace(counted=self.books is not None)
        periodic = any(self.world.periodic) and not self._is_jointed  # features ask in any case
        self._is_rimmed, self._meeting = self.rimmed, self.meeting
        self._advance = make_advance(self._compiled, periodic, self._has_clumps, self._is_jointed,
                                     self._is_rimmed, self._meeting, self.integrator == "gear")

    def _make_scratch(self) -> None:
        """Make room for the forces of the candidates that there are."""
        bodies = len(self._ids) if self._is_jointed else 0  # whose forces have rows of their own
        self._forces = aligned(len(self._rows.X) + bodies + len(self._pairs.halo_row), 8)
        blocks = len(self._pairs.block) - 1
        self._scratch = make_scratch(
            blocks, self._compiled, len(self._moving.pose),
            (len(self._history.spring), len(self._wall_history.spring),
             0 if self._rim_history is None else len(self._rim_history.spring)))
        self._work = make_work(blocks, (self.books or blank_books()).work)
        self._ways = np.zeros((3, blocks))

    def _refuse_together(self) -> None:
        """Refuse what does not go together, rather than do something wrong."""
        if self.jointed:
            refuse_with_skeletons(self.world)
        refuse_gear_with_budget(self.integrator, self.books is not None)

    # ---- going on --------------------------------------------------------------------------

    def advance(self, steps: int) -> None:
        """Advance the world by ``steps`` steps."""
        end = self.step + steps
        self._refuse_senseless()
        self._follow_world()
        try:
            while self.step < end:
                self._tidy()
                ahead = min(end - self.step, LOOK - self.step % LOOK)
                if len(self._ids):
                    self._sprint(ahead)
                else:
                    self._move_bodies(ahead)
        finally:
            self._store()

    def _tidy(self) -> None:
        """See to lost grains and to the order of storage when it is time.

        That is at fixed numbers of steps, so a run does not depend on how it was cut.
        """
        if self.step % LOOK == 0 and len(self._ids):
            self._see_to_lost()
        if self.step % REORDER == 0 and len(self._ids):
            self._store()
            self._sort()

    def _follow_world(self) -> None:
        """Take what the user has changed in the world since: walls, grains put in, out or moved.

        A state that is not finite is left alone, so that it can be looked at and saved.
        """
        grains = self.world.grains
        if not np.isfinite(grains.position).all():
            return
        if (self._law_names != [material.name for material in self.world.materials]
                or self._has_clumps != bool(self.world.shapes)
                or self._is_jointed != self.jointed or self._is_rimmed != self.rimmed
                or self._meeting != self.meeting):
            self._take_law()
        self._refuse_together()
        new_walls = self._take_walls()
        self._wrap()
        with self._booked(new_walls):
            if not np.array_equal(self._known, grains.id):
                refuse_pierced(self.world, np.setdiff1d(grains.id, self._known), self.time)
                self._take(None, self._memory())
            elif len(grains):
                before = self._rows.X.copy()
                self._load()
                new_bonds = self._bonding.follow(self._first_row, len(self._rows.X))
                if new_walls or new_bonds or not np.array_equal(before, self._rows.X):
                    self._measure_sizes()
                    self._renew(self._memory())
                    self._evaluate(past=-0.5 * self.time_step)

    def change(self, law: Law, time_step: float, clock: int) -> None:
        """Take another law and time step, and gravity and walls that were changed in the world.

        Forces are found anew for this moment, with what contacts remember.

        Args:
            law: of the same kind as before.
            time_step: from now on [s].
            clock: the number of such steps since time 0.
        """
        half = 0.5 * self.time_step  # by which springs were stretched ahead
        with self._booked(True):
            self.time_step, self.ahead, self.law = time_step, clock - self.step, law
            self._take_law()
            self._refuse_together()
            self._take_walls()
            if len(self._ids):
                self._renew(self._memory())
                self._evaluate(past=-half)
            else:
                self._drive_bodies()

    def _refuse_senseless(self) -> None:
        """Refuse a state that is not finite, sizes without a meaning, walls put into grains."""
        grains = self.world.grains
        for array in (grains.position, grains.velocity, grains.spin, grains.orientation):
            if not np.isfinite(array).all():
                bad = int(np.argmin(np.isfinite(array).all(axis=1)))
                raise trouble.not_finite(int(grains.id[bad]), self.time)
        for name in ("radius", "mass"):
            values = getattr(grains, name)
            sound = np.isfinite(values) & (values > 0.0)
            if not sound.all():
                k = int(np.argmin(sound))
                message = (f"the {name} of grain {grains.id[k]} must be greater than 0, "
                           f"got {values[k]:g}")
                raise InputError(message)
        new = [wall for wall in self.world.walls if wall not in (self._walls_known or [])]
        if new:
            refuse_walls_in_grains(self.world, new, self.time)

    def _sprint(self, steps: int) -> None:
        """Advance by ``steps`` steps, renewing the candidates when grains have moved too far."""
        begun = False
        while steps > 0:
            done, status, self._now, self._moved = self._call(steps, begun)
            steps -= done
            self.step += done
            self._lasted += done
            begun = status in (STALE, BROKEN)
            if status == STALE:
                self.least_margin = self._adapted_margin()
            if not begun and status != DONE:
                self._stop(status)
            if self._bonding.settle(self._first_row, len(self._rows.X)) or begun:
                self._renew()

    def _call(
        self, steps: int, begun: bool, past: float | None = None
    ) -> tuple[int, int, int, float]:
        """Call the compiled loop; with ``past`` it evaluates the present, and nothing moves."""
        half = 0.5 * self.time_step
        correction = self._correction if past is None else 0.0
        done = self._advance(
            steps, begun, self.clock - (past is not None), self._now, self._moved, self._fastest,
            self._rows, self._forces, self._reference, self._share, self._pairs, self._history,
            self._walls, self._wall_history, self._numbers, self.time_step,
            half if past is None else past, correction, self.world.gravity, self._turns,
            self._cell, self._scratch, self._ways, self._moving,
            self.time_step if past is None else 0.0, self._medium, self._late, self._work,
            self._bonding.rows, self._solids, self._rims, self._rim_history,
            None if self._higher is None else self._higher.rows,
        )
        if self._solids is not None and self._is_jointed:
            place_all(self._solids, self._rows, self._cell)  # vertices that were left behind
        return done

    @property
    def _correction(self) -> float:
        """By how long a change of the acceleration corrects a velocity [s]."""
        return 0.0 if self.integrator == "constant-acceleration" else 0.5 * self.time_step

    @property
    def _late(self) -> float:
        """How long the forces of a step act after it [s]."""
        return self.time_step * (0.5 if self.integrator == "verlet" else 1.0)

    # ---- order, candidates, memory ---------------------------------------------------------

    def memory(self) -> tuple[Memory, Memory]:
        """Return what contacts of grains and of walls remember, in the order of ids."""
        self._follow_world()
        pairs, walls = self._memory()
        return in_order(pairs, self._model), in_order(walls, self._model, walls=True)

    def contacts(self) -> Contacts:
        """Return all contacts of the present moment; nothing is changed by looking."""
        self._follow_world()
        return self._list_contacts()

    def _list_contacts(self) -> Contacts:
        """Return all contacts that the engine knows.

        Gear's correction moves grains after their forces were found, and some may just have parted.
        """
        found = super()._list_contacts()
        if self._higher is None:
            return found
        return found.chosen((found.overlap > -self._numbers.gap) & (found.mass[:, 0] > 0.0))

    def bonds(self) -> BondTable:
        """Return all bonds of the present moment."""
        self._follow_world()
        return list_bonds(self.world)

    @property
    def memory_size(self) -> int:
        """Bytes that the grains and the engine's scratch take."""
        held = [*self.world.grains.arrays().values(), *self._rows, self._forces, self._reference,
                *self._pairs, *self._history, *self._walls, *self._wall_history, self._order,
                self._ids, self._place, self._share, *self._scratch, *self._bonding.rows,
                *(self._solids or ()), *(self._rims or ()), *(self._rim_history or ())]
        held += [] if self._higher is None else [self._higher.rows, self._higher.values]
        return sum(array.nbytes for array in held)

    def derivatives(self) -> FloatArray | None:
        """Return the derivatives of Gear's integrator, (n,15) in the order of ids, if it is one."""
        self._follow_world()
        return None if self._higher is None else self._higher.values[:, :15].copy()

    def _store(self) -> None:
        super()._store()
        if self._higher is not None and len(self._ids):
            self._higher.store(self._order)

    def _load(self) -> None:
        super()._load()
        if self._higher is not None:
            self._higher.load(self.world.grains, self._order)

    def storage(self) -> IntArray:
        """Return the ids of the grains in storage order."""
        self._follow_world()
        return self._ids.copy()

    # ---- start and trouble -----------------------------------------------------------------

    def _evaluate_start(self) -> None:
        """Get the accelerations at the start, where grains may touch already."""
        if not len(self._ids):
            self._drive_bodies()
            return
        status = self._evaluate(past=0.0)
        if status == TOO_DEEP and self.jointed:
            refuse_overlap(self.world, self._list_contacts(), DEEPEST)
        if status != DONE:
            self._stop(status)

    def _evaluate(self, past: float) -> int:
        """Get contacts and accelerations of the present moment; return what the sweep found."""
        done = self._work.totals[0].copy()
        _, status, self._now, _ = self._call(1, True, past)
        self._work.totals[0] = done
        if self._bonding.settle(self._first_row, len(self._rows.X)):
            self._renew()
        self._store()
        return status

    def _drive_bodies(self) -> None:
        """Get the accelerations of bodies at the start, where there is no grain."""
        finish_walls(self._moving, self._no_push(), self.time, 0.0, self._gravity, 0.0)
        self._store()

    def _move_bodies(self, steps: int) -> None:
        """Advance by ``steps`` steps where there is no grain."""
        advance_alone(self._moving, self._no_push(), steps, self.clock, self.time_step,
                      self.world.gravity, self._turns, self._correction)
        self.step += steps

    def _no_push(self) -> FloatArray:
        return np.zeros((1, len(self._moving.pose), 8))

    # ---- the books of the budget -----------------------------------------------------------

    @contextmanager
    def _booked(self, new_walls: bool) -> Iterator[None]:
        """Book what comes and goes while changes in the world are followed."""
        if self.books is None or not (
                new_walls or not np.array_equal(self._known, self.world.grains.id)
                or (len(self._ids)
                    and are_other(self._grain_rows, self.world.grains, self._order))):
            yield
            return
        before = self._holdings()
        yield
        self.books.exchange(before, self._holdings())
        blocks = np.zeros((2, 8))
        if len(self._ids):
            drag = None if self._solids is None else self._solids.drag
            count_grains(0, len(self._ids), blocks, self._grain_rows, drag, self._gravity,
                         self._medium, 0.0, self._late)
        for channel in (GRAVITY, MEDIUM, STREAM):
            self.books.work[1, channel] = blocks[1, channel]

    def _holdings(self) -> Holdings:
        """Return what the grains and contacts that the engine knows hold."""
        if not len(self._ids):
            return NOTHING
        glue = energy_in_bonds(self._rows.X, self._bonding.rows, self._period)
        rows = self._grain_rows
        inertia, spin = rows.X[:, 3:] / rows.W[:, 3:], rows.W[:, :3]
        if self._solids is not None:
            inertia, spin = self._solids.inertia[:, :3], turned_back(rows.Q, spin)
        return holdings(rows, inertia, spin, np.array(self._gravity),
                        self._list_contacts().energy, glue)

    def _see_to_lost(self) -> None:
        """Take grains out that have left the domain, or stop; stop at what is not finite."""
        X = (self._solids or self._rows).X
        if len(self._moving.pose):
            self._store()
            self._limits = self.world.limits(self.time)
        low, high = self._limits
        if (X[:, :3].min(axis=0) >= low).all() and (X[:, :3].max(axis=0) <= high).all():
            return
        inside = ((X[:, :3] >= low) & (X[:, :3] <= high)).all(axis=1)
        self._store()
        self._refuse_senseless()
        k = int(np.argmin(inside))
        if self.world.leaving == "stop":
            raise trouble.lost(int(self._ids[k]), X[k, :3], self.time)
        self.world.remove(self._ids[~inside])
        self._follow_world()

    def _stop(self, status: int) -> None:
        """Say what is wrong and stop."""
        X, ids = self._rows.X, self._members.grain
        if status == TOO_FAST:
            raise trouble.too_fast(ids, X, self._rows.V, self.time_step, self.time,
                                   self._most_points())
        if status == WALL_TOO_FAST:
            raise trouble.wall_too_fast(self._moving, self._table.names, self._smallest, self.time)
        i, j, bond = (int(x) for x in self._scratch.deep[self._scratch.deep[:, 0] >= 0][0, :3])
        if bond >= 0:
            self._store()
            bonds = list_bonds(self.world)
            raise trouble.too_long(int(bonds.i[bond]), int(bonds.j[bond]),
                                   float(bonds.rest[bond]), float(bonds.distance[bond]), self.time)
        if self.jointed:
            contacts = self._list_contacts()
            k = int(np.argmax(contacts.overlap / contacts.radius.min(axis=1)))
            wall = int(contacts.wall[k])
            raise trouble.too_deep(int(contacts.i[k]), int(contacts.j[k]),
                                   self._table.names[wall] if wall >= 0 else None,
                                   float(contacts.overlap[k]), float(contacts.radius[k].min()),
                                   self.time, self._most_points())
        if j >= 0:
            gap = X[j, :3] - X[i, :3]
            period = np.where(self._period > 0.0, self._period, np.inf)
            gap -= np.where(self._period > 0.0, self._period * np.rint(gap / period), 0.0)
            depth = X[i, 3] + X[j, 3] - float(np.linalg.norm(gap))
            raise trouble.too_deep(int(ids[i]), int(ids[j]), None, depth,
                                   float(X[i, 3]), self.time)
        piece = -2 - j
        distance = closest_moved(self._table.kind, self._table.data, piece, self.time,
                                 self._moving.body, self._moving.pose, *X[i, :3])[0]
        raise trouble.too_deep(int(ids[i]), -1, self._table.names[piece],
                               float(X[i, 3] - distance), float(X[i, 3]), self.time)

    def _most_points(self) -> int:
        """Return the number of points at which a grain with edges touches others at most."""
        if not self.jointed:
            return 1
        contacts = self._list_contacts()
        touched = np.concatenate((contacts.i, contacts.j[contacts.j >= 0]))
        return int(np.unique(touched, return_counts=True)[1].max(initial=1))
