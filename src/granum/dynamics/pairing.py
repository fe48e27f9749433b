"""What a candidate is a pair of: two balls, or two features of swept skeletons.

An arrangement asks for candidates, their memory and their contacts in the same words, whichever
they are. Pairs of balls serve spheres and clumps; as soon as one shape of the world has edges, all
grains are skeletons, a sphere being a single vertex.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from granum.checks import FloatArray, IntArray
from granum.contact.history import Memory, carry_pairs, lay_pairs, read_pairs
from granum.contact.model import Model
from granum.contact.shaped.adjacency import make_adjacency, make_graph
from granum.contact.shaped.convex import is_convex
from granum.contact.shaped.memory import carry_slots, lay_slots, read_slots
from granum.contact.shaped.rims import Rims, RimSlots, make_rim_slots
from granum.contact.shaped.single import meet_slot
from granum.contact.shaped.slots import Frame, Slots, make_slots
from granum.contact.shaped.table import list_features
from granum.contact.shaped.touching import meet_features
from granum.contact.sweep import History, Numbers
from granum.contact.table import list_pairs
from granum.dynamics.bodies import Bodies, Members, alike
from granum.dynamics.rows import Rows
from granum.neighbours import Candidates, Cells, Finder
from granum.world import Grains, World

if TYPE_CHECKING:  # the triangulation's many kernels take a quarter of a second to load
    from granum.neighbours.covered import Covered


class Pairing(Protocol):
    """How candidates are found, remembered and listed."""

    def find(self, finder: Any, margin: FloatArray, gap: float) -> Any:
        """Return all candidates with a gap below the sum of their margins (rows,) [m]."""

    def read(self, pairs: Any, history: History, now: int, model: Model) -> Memory:
        """Return what contacts of sweep ``now`` remember."""

    def carry(self, old: Any, old_history: History, now: int, new: Any, history: History) -> None:
        """Carry that over to new candidates of the same grains in the same order."""

    def lay(self, memory: Memory, pairs: Any, history: History, model: Model) -> int:
        """Lay memory into the history of candidates; return how much of it is lost."""

    def contacts(self, model: Model, law: Numbers, pairs: Any, history: History, now: int
                 ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the rows of both partners of all contacts, and the columns of the table."""


class PairsOfBalls:
    """Candidates of spheres and clumps: pairs of rows."""

    def __init__(self, world: World, rows: Rows, members: Members, bodies: Bodies | None) -> None:
        self.rows, self.members, self.period = rows, members, world.periods()
        self.body = members.body if bodies is not None else None
        self.place = np.full(world.next_ball, -1, dtype=np.int64)
        self.place[members.ball] = np.arange(len(members.ball))

    def find(self, finder: Finder, margin: FloatArray, gap: float) -> Candidates:
        """Return all pairs with a gap below the sum of their margins (rows,) [m]."""
        return finder.find(self.rows.X, margin + 0.5 * gap, self.members.ball, self.body)

    def read(self, pairs: Candidates, history: History, now: int, model: Model) -> Memory:
        """Return what contacts of sweep ``now`` remember, by the numbers of balls."""
        return read_pairs(pairs, history, now, self.members.ball, model)

    def carry(self, old: Candidates, old_history: History, now: int, new: Candidates,
              history: History) -> None:
        """Carry that over to new candidates."""
        carry_pairs(old, old_history, now, new, history)

    def lay(self, memory: Memory, pairs: Candidates, history: History, model: Model) -> int:
        """Lay memory into the history of candidates; return how much of it is lost."""
        return lay_pairs(memory, pairs, history, self.rows.X[:, 3], self.place, model)

    def contacts(self, model: Model, law: Numbers, pairs: Candidates, history: History, now: int
                 ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the rows of both partners of all contacts, and the columns of the table."""
        return list_pairs(model, law, self.rows, self.period, pairs, history, now)


class PairsOfFeatures:
    """Candidates of swept skeletons: pairs of their vertices, edges and faces.

    With ``single`` two convex bodies have one contact, a slot before those of their features.
    """

    def __init__(self, world: World, rows: Rows, members: Members, bodies: Bodies,
                 order: IntArray, single: bool) -> None:
        self.rows, self.members, self.period = rows, members, world.periods()
        self.dimension = world.dimension
        self.meet_slot = meet_slot if single else meet_features
        self.alone = np.array([*(single and is_convex(shape, world.dimension)
                                 for shape in world.shapes), single])
        grains: Grains = world.grains.chosen(order)
        self.ids, self.orientation, self.shape = grains.id, bodies.Q, grains.shape
        self.room = np.full(2, 4.0)  # pairs and slots to set aside for each body
        self.parts = make_adjacency(world.shapes)
        self.graph = make_graph(self.parts)
        shape = np.where(grains.shape >= 0, grains.shape, len(world.shapes))
        self.frame = Frame(bodies.X, bodies.V, bodies.W, bodies.material, bodies.axes, bodies.arm,
                           *alike(bodies, shape, grains.radius), bodies.lever,
                           bodies.begin.astype(np.int64), shape, grains.ball, members.body,
                           bodies.gone)
        counts = np.array([*(one.parts for one in world.shapes), 1])[shape]
        self.owner = np.full(world.next_ball, -1, dtype=np.int64)
        for part in range(int(counts.max(initial=0))):
            have = np.flatnonzero(counts > part)
            self.owner[grains.ball[have] + part] = have

    def find(self, finder: Cells | Covered, margin: FloatArray, gap: float) -> Slots:
        """Return all features with a gap below the sum of their margins (rows,) [m]."""
        widest = margin[self.frame.begin[:-1]] + 0.5 * gap  # all vertices of a body have the same
        X = self.frame.X
        pairs = (finder.find(X, widest, self.ids) if isinstance(finder, Cells) else
                 finder.find_bodies(X, widest, self.ids, self.orientation, self.shape))
        return make_slots(pairs, self.frame, self.parts, widest, gap, self.period, self.dimension,
                          self.alone, self.room)

    def find_rims(self, rims: Rims, pairs: Slots, margin: FloatArray, gap: float) -> RimSlots:
        """Return all features with a gap below their margins (rows,) [m] to a rim of a wall."""
        block = np.searchsorted(self.frame.begin, pairs.block.astype(np.int64))
        widest = margin[self.frame.begin[:-1]] + gap
        return make_rim_slots(block, self.frame, self.parts, self.graph, rims, widest)

    def read(self, pairs: Slots, history: History, now: int, model: Model) -> Memory:
        """Return what contacts of sweep ``now`` remember, by the numbers of features."""
        return read_slots(pairs, history, now, model)

    def carry(self, old: Slots, old_history: History, now: int, new: Slots, history: History
              ) -> None:
        """Carry that over to new candidates."""
        carry_slots(old, old_history, now, new, history)

    def lay(self, memory: Memory, pairs: Slots, history: History, model: Model) -> int:
        """Lay memory into the history of candidates; return how much of it is lost."""
        return lay_slots(memory, pairs, history, self.owner, model)

    def contacts(self, model: Model, law: Numbers, pairs: Slots, history: History, now: int
                 ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the first rows of both features of all contacts, and the columns of the table."""
        return list_features(model, law, self.period, pairs, history, now, self.meet_slot)
