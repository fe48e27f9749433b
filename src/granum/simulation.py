"""A simulation: a world, a law and an engine; the object that users hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from granum import checks
from granum.checks import FloatArray
from granum.compile import most_threads, use_threads
from granum.contact.history import Memory
from granum.contact.table import Contacts
from granum.dynamics import SoftEngine
from granum.dynamics.arrangement import Touching
from granum.dynamics.bonding import BondTable, time_steps
from granum.dynamics.books import Books
from granum.dynamics.piercing import refuse_pierced
from granum.dynamics.skeletons import refuse_overlap
from granum.dynamics.soft import Integrator
from granum.errors import CheckpointError, InputError, StageError
from granum.laws import Law
from granum.measures import (
    Budget,
    Energy,
    Found,
    Holding,
    Look,
    Measure,
    Notebook,
    WallForce,
    bond_row,
    budget,
    energy,
    local_density,
    sample,
    wall_forces,
    wall_row,
)
from granum.neighbours import METHODS, Method, chosen
from granum.neighbours.own_covers import refuse_unsuited
from granum.output.container import read_container, write_container
from granum.output.courses import course_arrays, notebook_at, plain_course, restored_course
from granum.output.describe import from_plain, to_plain
from granum.output.worlds import plain_world, restored_world, world_arrays
from granum.stages import Condition, Course, Moment, Stage, rehearse
from granum.stages.change import alter, sketch
from granum.stages.course import shortened, steps_in
from granum.world import (
    World,
    gravity_at,
    refuse_bad_world,
    refuse_unresolved,
    refuse_walls_in_grains,
)
from granum.world.checking import ROUNDING
from granum.world.place.space import wrap

POURING = 50  # steps between two looks at what is to be poured in
CHUNK = 1_000_000  # steps at a time, where the end is not known
INTEGRATORS = ("verlet", "constant-acceleration", "gear")
TOUCHING = ("all", "single")


class Simulation:
    """Soft-contact dynamics of a world.

    Args:
        world: what is simulated; its arrays are the state, before and after.
        law: what happens where grains touch, grains and walls alike.
        time_step: [s]; a fiftieth of the contact time unless given, or less where grains with
            edges touch at more than ten points from the start.
        integrator: ``"verlet"`` (second order), ``"constant-acceleration"`` (Ferrez 3.20), or
            ``"gear"`` (a predictor-corrector, fourth order where motion is smooth).
        neighbours: how grains find each other: ``"cells"`` (a grid of several levels),
            ``"triangulation"`` (the edges of a weighted Delaunay triangulation that follows the
            grains), or ``"auto"``, the faster one for the sizes. Results do not depend on it.
        contacts: ``"all"`` contacts of swept shapes, each counted once, or a ``"single"`` one for
            two convex shapes, where they are closest; walls are touched at all points.
        threads: processor threads; all of them unless given. Results do not depend on it.
        initial_overlap: share of the smaller radius by which grains may overlap at the start;
            a packing that was settled before needs some.
        budget: whether the work of all forces is counted, for `budget()`. It costs some time and
            changes no result.
        stages: parts of the simulation, one after the other: when each ends, and what changes when
            the next one begins.
        stop: a condition that ends the simulation, in whatever stage.
        measures: flows and other measures that conditions speak of.
    """

    time_step: float
    course: Course | None  # where in its stages it is, if it has any
    start: tuple[int, float]  # step and time [s] of its start
    origin: dict[str, Any]  # of a branch: where it came from

    def __init__(
        self,
        world: World,
        law: Law,
        *,
        time_step: float | None = None,
        integrator: Integrator = "verlet",
        neighbours: Method = "auto",
        contacts: Touching = "all",
        threads: int | None = None,
        initial_overlap: float = ROUNDING,
        budget: bool = False,
        stages: Sequence[Stage] = (),
        stop: Condition | None = None,
        measures: Sequence[Measure] = (),
    ) -> None:
        self._set_up(world, law, time_step, integrator, neighbours, threads, touching=contacts)
        if stages or stop is not None:
            self.course = rehearse(stages, stop, measures, world, law, self.time_step, budget)
            if stages:
                self.law = alter(world, law, stages[0], 0.0)
                self.time_step = stages[0].time_step or self.time_step
            self.course.begin(0, 0.0)
        refuse_bad_world(world, overlap=initial_overlap)
        refuse_pierced(world, world.grains.id, 0.0)
        if chosen(neighbours) == "triangulation":
            refuse_unsuited(world)
        self._engine = SoftEngine(world, self.law, self.time_step, integrator, neighbours,
                                  budget=budget, touching=contacts)
        if self._engine.jointed:
            refuse_overlap(world, self._engine.contacts(), initial_overlap)
        self._watch()

    def _set_up(self, world: World, law: Law, time_step: float | None, integrator: Integrator,
                neighbours: Method, threads: int | None, *, touching: Touching,
                restored_at: float | None = None) -> None:
        _refuse_unknown("integrator", integrator, INTEGRATORS)
        _refuse_unknown("neighbours", neighbours, METHODS)
        _refuse_unknown("contacts", touching, TOUCHING)
        # Bonds are judged as they are at the start: those of a later moment have deformed.
        is_new = restored_at is None
        steps = time_steps(law, world) if is_new else law.time_steps(*world.sizes())
        if time_step is None and not np.isfinite(steps.recommended):
            message = ("this law does not tell how long a contact lasts: give the simulation a "
                       "time_step, a fiftieth of the shortest contact or less")
            raise InputError(message)
        step = steps.recommended if time_step is None else time_step
        checks.positive("time_step", step)
        if step > steps.longest * (1.0 + 1e-9):
            things = "this law, this glue" if len(world.bonds) else "this law"
            message = (f"time_step = {step:g} s is too long for {things} and these grains: at most "
                       f"{steps.longest:g} s is stable, and {steps.recommended:g} s is recommended")
            raise InputError(message)
        refuse_unresolved(world, step, restored_at or 0.0)
        self.world = world
        self.law = law
        self.time_step = step
        self.integrator = integrator
        self.neighbours = neighbours
        self.touching = touching
        self.threads = _threads(threads)
        self.course, self.start, self.origin = None, (0, 0.0), {}
        self._notebook, self.holding = Notebook(), Holding()
        world.watchers.add(self._notebook)

    # ---- going on --------------------------------------------------------------------------

    def run(self, duration: float | None = None) -> None:
        """Advance by ``duration`` seconds of simulated time, rounded to whole steps.

        Without a duration, advance to the end of the last stage, or until ``stop`` is met.
        """
        if duration is None:
            if self.course is None:
                message = "run needs a duration [s], for this simulation has no stages to end it"
                raise InputError(message)
            while not self.is_finished:
                self.step_in_stage(CHUNK)
            return
        end = self.time + checks.number("duration", duration, at_least=0.0)
        self.step_in_stage(steps_in(duration, self.time_step))
        while self.course is not None and not self.is_finished and self.steps_to(end) > 0:
            self.step_in_stage(self.steps_to(end))

    def step(self, steps: int = 1) -> None:
        """Advance by ``steps`` time steps; by fewer if the last stage ends before."""
        if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 0:
            message = f"steps must be a whole number, 0 or more, got {steps!r}"
            raise InputError(message)
        end = self.steps + int(steps)
        while self.steps < end:
            self.step_in_stage(end - self.steps)
            if self.is_finished:
                break

    def step_in_stage(self, steps: int) -> int:
        """Advance by up to ``steps`` steps, but not beyond the present stage; return how many."""
        first = self.steps
        stage = None if self.course is None else self.course.number
        if self.course is not None and self.course.failed:
            raise StageError(self.course.failed)
        if steps > 0 and self.is_finished:
            message = (f"this simulation has come to its end at t = {self.time:g} s: branch it to "
                       "go on, gr.branch(sim, stages=[...])")
            raise InputError(message)
        while self.steps < first + steps:
            ahead = first + steps - self.steps
            if self.world.streams:
                if self.steps % POURING == 0:
                    self.world.pour(self.time, self.steps)
                ahead = min(ahead, POURING - self.steps % POURING)
            if self.course is not None:
                to_look = self.course.steps_ahead(self.steps, self.time_step)
                ahead = min(ahead, to_look)
            use_threads(min(self.threads, self._engine.blocks))
            self._engine.advance(ahead)
            if self.course is not None and ahead == to_look:
                self._look(self.course)
                if self.course.number != stage:
                    break
        return self.steps - first

    def steps_to(self, time: float) -> int:
        """Return the number of steps from now to ``time`` [s], with the present time step."""
        return steps_in(time, self.time_step) - self._engine.clock

    # ---- stages ----------------------------------------------------------------------------

    @property
    def is_finished(self) -> bool:
        """Whether the last stage has ended, or what ends the simulation has come to pass."""
        return self.course is not None and bool(self.course.ended)

    def _look(self, course: Course) -> None:
        """See whether the present stage ends here, and begin the next one."""
        why = course.look(self._moment(course), self.steps, self.time_step)
        if course.failed:
            raise StageError(course.failed)
        if not why:
            return
        if course.number + 1 < len(course.stages):
            self._refuse_change(course, course.stages[course.number + 1])
        course.end(self.steps, self.time, why)
        if not course.ended:
            self._begin_stage(course)

    def _watch(self) -> None:
        """Let what conditions measure begin here; whatever a run measures is another notebook."""
        if self.course is not None:
            self.world.watchers.add(self.course.notebook)
            self._moment(self.course)

    def _moment(self, course: Course) -> Moment:
        look = Look(self)
        measured: Found = {}
        for measure in course.measures:
            measured |= course.notebook.measure(measure, look)
        return Moment(self.time, self.world, self.gravity, course.measures, course.columns,
                      measured, self.sample)

    def _refuse_change(self, course: Course, stage: Stage) -> None:
        """Refuse a stage whose walls would cut into grains; nothing has changed then."""
        scene = sketch(self.world)
        try:
            alter(scene, self.law, stage, self.time)
            new = [wall for wall in scene.walls if wall not in self.world.walls]
            refuse_walls_in_grains(scene, new, self.time)
        except InputError as error:
            course.failed = f"stage '{stage.name}' cannot begin at t = {self.time:g} s: {error}"
            raise StageError(course.failed) from error

    def _begin_stage(self, course: Course) -> None:
        """Change what the stage that begins now changes."""
        stage = course.stage
        if stage is not None and not stage.is_quiet:
            self._engine.storage()  # first, for it follows what the user changed
            self._change(alter(self.world, self.law, stage, self.time), stage.time_step)
        course.begin(self.steps, self.time)

    def _change(self, law: Law, time_step: float | None) -> None:
        step, clock = self.time_step, self._engine.clock
        if time_step is not None and time_step != step:
            step, clock = shortened(time_step, self.time)
        self._engine.change(law, step, clock)
        self.law, self.time_step = law, step

    def begin_course(self, course: Course | None, first: Stage) -> None:
        """Change what ``first`` changes, and go through a course of stages from now on."""
        self.start, self.course = (self.steps, self.time), course
        if not first.is_quiet:
            self._change(alter(self.world, self.law, first, self.time), first.time_step)
        if course is not None:
            if course.stage is not None:
                self._refuse_change(course, course.stage)
            self._begin_stage(course)
        self._watch()

    # ---- looking, which changes nothing ----------------------------------------------------

    @property
    def steps(self) -> int:
        """Steps done so far."""
        return self._engine.step

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._engine.time

    @property
    def counts(self) -> dict[str, int]:
        """How often candidates were found anew, grains sorted, the triangulation cared for."""
        return dict(self._engine.counts)

    @property
    def memory_size(self) -> int:
        """Bytes that the grains and the engine take."""
        return self._engine.memory_size

    @property
    def gravity(self) -> FloatArray:
        """Gravity at the present time, (3,) [m/s2]."""
        return np.array(gravity_at(*self.world.gravity, self.world.turn_rows(), self.time))

    def contacts(self) -> Contacts:
        """Return a table of all contacts: i, j (-1: a wall), point, normal, overlap, force.

        Points lie inside the periodic cell.
        """
        return self._in_cell(self._engine.contacts())

    def _in_cell(self, contacts: Contacts) -> Contacts:
        return replace(contacts, point=wrap(contacts.point, self.world.periodic))

    def bonds(self) -> BondTable:
        """Return a table of all bonds of glued grains: i, j, rest, distance, pull, energy, glue."""
        return self._engine.bonds()

    def energy(self) -> Energy:
        """Return kinetic, rotational, gravitational and elastic energy [J]."""
        return energy(self.world.grains, self.gravity, self.contacts(), self._bond_energy())

    def _bond_energy(self) -> float:
        return float(self.bonds().energy.sum()) if len(self.world.bonds) else 0.0

    @property
    def keeps_budget(self) -> bool:
        """Whether the work of all forces is counted."""
        return self._engine.books is not None

    def budget(self) -> Budget:
        """Return where the energy has gone since the start [J]: see `Budget`."""
        return self._budget(self.contacts())

    def _budget(self, contacts: Contacts) -> Budget:
        books = self._engine.books
        if books is None:
            message = ("this simulation keeps no budget of its energy: make it with "
                       "Simulation(..., budget=True), or in a scenario with budget = true in "
                       "[output]")
            raise InputError(message)
        normal, tangential, couple = (float(e) for e in contacts.energy.sum(axis=0))
        glue = self._bond_energy()
        return budget(energy(self.world.grains, self.gravity, contacts, glue),
                      (normal, tangential, couple, glue), books)

    def local_density(self) -> FloatArray:
        """Return how much of its power cell each grain fills, (n,); nan without a cell."""
        use_threads(self.threads)
        return local_density(self.world, self.time)

    def wall_forces(self) -> dict[str, WallForce]:
        """Return force and torque of the grains on each wall, and how it moves, by its name.

        Walls without a name are called after their kind, as in ``"plane 2"``.
        """
        return wall_forces(self.world, self._engine.contacts(), self.time)

    def measure(self, measure: Measure, look: Look | None = None) -> Found:
        """Return what a measure finds now, by column: numbers, or arrays for a profile.

        What it remembers (a flow, an average) is kept for its next look, by its title. ``look`` is
        shared by measures of the same moment, so that contacts are worked out once.

        A region without grains is a warning of the logger ``granum``, once for each title.
        """
        if look is None:
            measure.refuse(self.world)
            look = Look(self)
        self.holding.note(measure, look)
        return self._notebook.measure(measure, look)

    def sample(self, measures: Sequence[Measure] = ()) -> Found:
        """Return one row of the series: time, contacts, energies and so on, and ``measures``."""
        contacts = self._engine.contacts()  # no column of the series minds the periodic cell
        gravity = self.gravity
        energies = energy(self.world.grains, gravity, contacts, self._bond_energy())
        kept = self._budget(contacts) if self.keeps_budget else None
        row: Found = {
            **sample(self.time, self.steps, self.world.grains, gravity, contacts, energies, kept),
            # walls that are gone, or move later on
            **({} if self.course is None else dict.fromkeys(self.course.walls, 0.0)),
            **wall_row(self.world, contacts, self.time),
            **bond_row(self.world),
        }
        if measures:
            look = Look(self, row, self._in_cell(contacts))
            for measure in measures:
                row |= self.measure(measure, look)
        return row

    def fingerprint(self) -> str:
        """Return the SHA-256 of the state: two runs are the same run if it is the same.

        Positions, velocities, orientations, spins, contact history and bonds, in the order of ids;
        then the state of walls that move, and where in its stages it is.
        """
        digest = hashlib.sha256()
        grains = self.world.grains
        parts: list[NDArray] = [grains.id, grains.position, grains.velocity, grains.orientation,
                                grains.spin]
        for memory in self._engine.memory():
            parts.extend(memory)
        if self.world.clusters:
            parts.extend(self.world.bonds.arrays().values())
        parts += [body.state for body in self.world.bodies]
        for part in parts:
            digest.update(np.ascontiguousarray(part + part.dtype.type(0)).tobytes())
        if self.course is not None:
            digest.update(json.dumps(self.course.place).encode())
        return digest.hexdigest()

    # ---- keeping and going on later --------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write everything that is needed to go on bitwise as if never stopped."""
        write_container(Path(path), *self.state(), "checkpoint")

    def state(self) -> tuple[dict[str, NDArray], dict[str, Any]]:
        """Return the whole state as named arrays and plain data."""
        world = self.world
        storage = self._engine.storage()  # first, for it follows what the user changed
        arrays = world_arrays(world)
        for place, memory in zip(("pairs", "walls"), self._engine.memory(), strict=True):
            arrays.update({f"{place}/{name}": value for name, value in memory._asdict().items()})
        arrays["storage"] = storage
        arrays.update({f"measures/{name}": array
                       for name, array in self._notebook.arrays().items()})
        if self.course is not None:
            arrays.update(course_arrays(self.course))
        derivatives = self._engine.derivatives()
        if derivatives is not None:
            arrays["derivatives"] = derivatives
        if self._engine.books:
            arrays.update({f"budget/{name}": value.copy()
                           for name, value in self._engine.books._asdict().items()})
        meta = {
            "step": self.steps,
            "ahead": self._engine.ahead,
            "start": list(self.start),
            "origin": self.origin,
            "course": None if self.course is None else plain_course(self.course),
            "time_step": self.time_step,
            "integrator": self.integrator,
            "neighbours": self.neighbours,
            "contacts": self.touching,
            "law": to_plain(self.law),
            "measures": {title: to_plain(page.measure)
                         for title, page in self._notebook.pages.items()},
            "holding": dict(self.holding.known),
            "world": plain_world(world),
        }
        return arrays, meta

    @classmethod
    def load(cls, path: str | Path, threads: int | None = None) -> Simulation:
        """Return the simulation that ``save`` wrote."""
        arrays, meta = read_container(Path(path), "checkpoint")
        try:
            return cls.from_state(arrays, meta, threads)
        except (KeyError, TypeError) as error:
            message = f"{path} is a checkpoint, but not one this granum can read: {error!r}"
            raise CheckpointError(message) from error

    @classmethod
    def from_state(cls, arrays: dict[str, NDArray], meta: dict[str, Any],
                   threads: int | None = None, *, budget: bool = False) -> Simulation:
        """Return the simulation that ``state`` described; a budget may be kept from now on."""
        world = restored_world(arrays, meta["world"])
        sim = cls.__new__(cls)
        ahead, touching = meta.get("ahead", 0), meta.get("contacts", "all")
        sim._set_up(world, from_plain(meta["law"]), meta["time_step"], meta["integrator"],
                    meta["neighbours"], threads, touching=touching,
                    restored_at=(meta["step"] + ahead) * meta["time_step"])
        sim.start, sim.origin = tuple(meta.get("start", (0, 0.0))), meta.get("origin", {})
        if meta.get("course") is not None:
            sim.course = restored_course(meta["course"], arrays)
            world.watchers.add(sim.course.notebook)
        use_threads(sim.threads)
        pairs, walls = (
            Memory(*(arrays[f"{place}/{name}"] for name in Memory._fields))
            for place in ("pairs", "walls")
        )
        sim._engine = SoftEngine(world, sim.law, sim.time_step, sim.integrator, sim.neighbours,
                                 step=meta["step"], ahead=ahead, order=arrays["storage"],
                                 memory=(pairs, walls), books=_books(arrays), budget=budget,
                                 touching=touching, derivatives=arrays.get("derivatives"))
        measures = {title: from_plain(data) for title, data in meta.get("measures", {}).items()}
        sim._notebook.pages.update(notebook_at("measures/", measures, arrays).pages)
        sim.holding = Holding(meta.get("holding"))
        return sim


def _books(arrays: dict[str, NDArray]) -> Books | None:
    """Return the books of the budget, where one was kept."""
    if "budget/work" not in arrays:
        return None
    return Books(*(arrays[f"budget/{name}"].copy() for name in Books._fields))


def _refuse_unknown(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        message = f"{name} = {value!r} is not known; choose {' or '.join(map(repr, known))}"
        raise InputError(message)


def _threads(threads: int | None) -> int:
    most = most_threads()
    if threads is None:
        return most
    if not 1 <= threads <= most:
        message = f"threads = {threads} is not possible here: between 1 and {most}"
        raise InputError(message)
    return int(threads)
