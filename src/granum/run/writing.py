"""A simulation that writes itself down while it runs."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from granum.compile import threading_layer
from granum.errors import InputError, NumericalError, StageError
from granum.measures import (
    Found,
    Look,
    Measure,
    bond_row,
    empty_to_the_end,
)
from granum.output import frame_contacts
from granum.output.frames import FrameWriter
from granum.output.series import SeriesWriter
from granum.run.folder import (
    SERIES,
    SUMMARY,
    TABLES,
    checkpoint_path,
    checkpoints,
    environment,
    last_row,
    log,
    seconds_before,
    warnings_in,
    write_json,
)
from granum.run.plan import Plan
from granum.simulation import Simulation
from granum.stages.telling import news, share_done, stage_text

KEPT = 2  # checkpoints
KEEP = 1.0  # seconds of computing between two states kept in memory in case of trouble
RESPONSE = 0.2  # seconds of computing between two looks at Ctrl-C and the progress bar


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    step: int
    steps: float  # at the end; infinite if there is no telling
    time: float
    end: float | None  # of the run at the latest [s], as far as that is given
    rate: float  # steps a second
    kinetic: float
    contacts: int
    grains: int
    share: float = 0.0  # of the whole that is done, as far as that can be told
    stage: str = ""  # which one, and how it ends

    @property
    def seconds_left(self) -> float:
        """Estimated computing time to the end [s]."""
        return (self.steps - self.step) / self.rate if self.rate > 0 else float("inf")


@dataclass
class Run:
    """A simulation that writes itself down while it runs.

    Args:
        sim: the simulation, fresh or from a checkpoint.
        plan: what is written, and when.
        folder: the run folder.
        report: called now and then with the progress.
        version: of granum, for the log.
    """

    sim: Simulation
    plan: Plan
    folder: Path
    report: Callable[[Progress], None] = lambda progress: None
    version: str = ""
    _interrupted: bool = field(default=False, init=False)
    _last: Found = field(default_factory=dict, init=False)
    _tables: dict[str, SeriesWriter] = field(default_factory=dict, init=False)
    _seconds: float = field(default=0.0, init=False)

    def go(self) -> dict[str, Any]:
        """Run to the end, or until interrupted; return the summary."""
        world, course = self.sim.world, self.sim.course
        walls = None if course is None else course.walls
        self.plan.refuse(world, self.sim.keeps_budget, walls)
        for measure in (*self.plan.flows, *self.plan.measures):
            measure.refuse(world)
        columns = self.plan.columns(world, self.sim.keeps_budget, walls)
        self._seconds = seconds_before(self.folder)
        fresh = self.sim.steps == self.sim.start[0]
        with (SeriesWriter(self.folder / SERIES, columns) as series,
              ExitStack() as open_tables, _on_interrupt(self._interrupt),
              warnings_in(self.folder, lambda: self.sim.time)):
            frames = FrameWriter(self.folder)
            self._tables = {m.title: open_tables.enter_context(self._table(m))
                            for m in self.plan.in_tables}
            # A run killed soon after its start goes on from step 0: then all is written anew.
            kept = -1.0 if fresh else self.sim.time + 0.5 * self.sim.time_step
            for table in (series, *self._tables.values()):
                table.truncate(kept)
            frames.truncate(kept)
            log(self.folder, f"granum {self.version} {'starts' if fresh else 'goes on'} at "
                f"t = {self.sim.time:.6g} s, step {self.sim.steps}, on {self.sim.threads} threads; "
                f"{environment()}")
            if fresh:
                self._log_start()
            try:
                self._loop(series, frames, fresh)
            except (NumericalError, InputError, StageError) as error:
                log(self.folder, f"stopped: {error}; {self._counts()}")
                if isinstance(error, StageError):  # the state is sound
                    self._checkpoint()
                self._summarise("trouble", str(error))
                raise
            self._checkpoint()
            done = self._is_done
            if done:
                frames.consolidate()
        state = "finished" if done else "interrupted"
        log(self.folder, f"{state} at t = {self.sim.time:.6g} s, step {self.sim.steps}; "
            f"threading layer {threading_layer()}; {self._counts()}")
        for words in self._warnings(state):
            log(self.folder, f"warning: {words}")
        return self._summarise(state)

    @property
    def _steps(self) -> float:
        """The step at which the run ends, if not before; infinite if its stages end it."""
        if self.plan.duration is None:
            return math.inf
        return self.sim.steps + self.sim.steps_to(self.sim.start[1] + self.plan.duration)

    @property
    def _is_done(self) -> bool:
        return self.sim.is_finished or self.sim.steps >= self._steps

    def _loop(self, series: SeriesWriter, frames: FrameWriter, fresh: bool) -> None:
        if fresh:
            self._sample(series)
            self._look(self.plan.in_tables)
            self._frame(frames)
            self._checkpoint()
        else:
            self._last = last_row(self.folder / SERIES) or self.sim.sample()
        chunk, good, kept = 100, self.sim.state(), time.perf_counter()
        while not self._is_done and not self._interrupted:
            began = time.perf_counter()
            ahead = int(min(chunk, self._steps - self.sim.steps, *(
                n - self._since % n for n in (*self._every.values(), *(n for _, n in self._own)))))
            stages = len(self._record)
            try:
                done = self.sim.step_in_stage(ahead)
            except NumericalError:
                self._checkpoint(Simulation.from_state(*good))
                raise
            took = time.perf_counter() - began
            self._seconds += took
            rate = done / max(took, 1e-9)
            chunk = max(1, round(rate * RESPONSE))
            try:
                is_checkpoint = self._write(series, frames)
            except InputError:  # of a user's measure
                self._checkpoint(Simulation.from_state(*good))
                raise
            if len(self._record) != stages or self.sim.is_finished:
                self._log_stages(stages)
            if is_checkpoint or time.perf_counter() - kept > KEEP:
                good, kept = self.sim.state(), time.perf_counter()
            self._tell(rate)

    def _write(self, series: SeriesWriter, frames: FrameWriter) -> bool:
        """Write what is due at this step; tell whether a checkpoint was."""
        is_due = {name: self._since % n == 0 for name, n in self._every.items()}
        if is_due["series"] or self.sim.is_finished:
            self._sample(series)
        self._look([m for m, n in self._own if self._since % n == 0])
        if is_due["frames"] or self.sim.is_finished:
            self._frame(frames)
        if is_due["checkpoints"]:
            self._checkpoint()
        return is_due["checkpoints"]

    @property
    def _every(self) -> dict[str, int]:
        """Steps between two rows, frames and checkpoints, in the present stage."""
        course = self.sim.course
        stage = None if course is None else course.stage
        own = stage.output.given() if stage is not None and stage.output else {}
        return {name: max(1, round(own.get(name, getattr(self.plan, name)) / self.sim.time_step))
                for name in ("series", "frames", "checkpoints")}

    @property
    def _own(self) -> list[tuple[Measure, int]]:
        """Measures that have tables of their own, and the steps between two looks of each."""
        return [(m, max(1, round((m.interval or self.plan.series) / self.sim.time_step)))
                for m in self.plan.in_tables]

    @property
    def _since(self) -> int:
        """Steps since the present stage began, or the run."""
        course = self.sim.course
        return self.sim.steps - (self.sim.start if course is None else course.began)[0]

    def _sample(self, series: SeriesWriter) -> None:
        self._last = self.sim.sample(self.plan.in_series)
        series.write(self._last)

    def _table(self, measure: Measure) -> SeriesWriter:
        """Return the table of a measure, begun or gone on with."""
        folder = self.folder / TABLES
        folder.mkdir(exist_ok=True)
        return SeriesWriter(folder / f"{measure.title}.csv",
                            ["time", "step", *measure.columns(self.sim.world)])

    def _look(self, measures: Sequence[Measure]) -> None:
        """Write what measures find into their own tables."""
        look = Look(self.sim)
        for measure in measures:
            found, table = self.sim.measure(measure, look), self._tables[measure.title]
            if measure.is_profile and measure.is_due(found):
                table.write_rows(look.time, look.step, found)
            elif not measure.is_profile:
                table.write({"time": look.time, "step": look.step, **found})

    def _frame(self, frames: FrameWriter) -> None:
        world, grains = self.sim.world, self.sim.world.grains
        balls = world.balls()  # a clump is drawn ball by ball, each with the id of its grain
        joints = world.joints()
        fields = {"id": grains.id, "radius": grains.radius, "velocity": grains.velocity,
                  "spin": grains.spin, "orientation": grains.orientation,
                  "material": grains.material}
        if self.sim.world.clusters:
            fields["cluster"] = grains.cluster
        if world.has_edges:
            fields["shape"] = grains.shape
        fields.update({name: getattr(self.sim, name)() for name in self.plan.fields})
        if world.shapes:
            fields = {name: value[balls.grain] for name, value in fields.items()}
            fields.update(radius=balls.arm[:, 3], velocity=world.ball_velocities(balls))
        found = self.sim.contacts() if self.plan.contacts else None
        contacts = None if found is None else {name: getattr(found, name)
                                               for name in frame_contacts.COLUMNS}
        frames.write(frames.next_index, self.sim.time, world.drawn_balls(balls), fields,
                     contacts, joints.edges, joints.faces)

    def _checkpoint(self, sim: Simulation | None = None) -> None:
        sim = sim or self.sim
        path = checkpoint_path(self.folder, sim.steps)
        path.parent.mkdir(exist_ok=True)
        sim.save(path)
        begun = {checkpoint_path(self.folder, row["began_step"]) for row in self._record}
        for old in checkpoints(self.folder)[:-KEPT]:
            if old not in begun:
                old.unlink()

    def _tell(self, rate: float) -> None:
        sim, course = self.sim, self.sim.course
        first, last = sim.start[0], self._steps
        share, stage = (sim.steps - first) / max(last - first, 1), ""
        if course is not None:
            share, stage = max(share, share_done(course, sim.time)), stage_text(course, sim.time)
            last = min(last, sim.steps + course.longest(sim.time) / sim.time_step)
        end = None if self.plan.duration is None else sim.start[1] + self.plan.duration
        self.report(Progress(
            sim.steps, last, sim.time, end, rate, float(self._last["kinetic"]),
            int(self._last["contacts"]), len(sim.world), share, stage))

    # ---- stages ----------------------------------------------------------------------------

    @property
    def _record(self) -> list[dict[str, Any]]:
        return [] if self.sim.course is None else self.sim.course.record

    def _log_start(self) -> None:
        if self.sim.origin:
            source = self.sim.origin
            log(self.folder, f"branched from {source['run'] or 'another simulation'} "
                f"{source['checkpoint']}, step {source['step']}, state {source['state_sha256']}")
        self._log_stages(0)

    def _log_stages(self, before: int) -> None:
        """Say in the log which stages have ended and begun since ``before`` had."""
        for line in [] if self.sim.course is None else news(self.sim.course, before):
            log(self.folder, line)

    def _counts(self) -> str:
        """What was done to find the neighbours since the start or the last resume, in one line."""
        return ", ".join(f"{name} {number}" for name, number in self.sim.counts.items())

    def _warnings(self, state: str) -> list[str]:
        """Which measures never found a grain, in words, once the run has come to its end."""
        if state != "finished":
            return []
        return [empty_to_the_end(m, self.sim.world) for m in (*self.plan.flows, *self.plan.measures)
                if self.sim.holding.never(m)]

    def _interrupt(self) -> None:
        self._interrupted = True

    def _summarise(self, state: str, trouble: str = "") -> dict[str, Any]:
        grains, steps = len(self.sim.world), self.sim.steps
        summary = {
            "state": state,
            "granum": self.version,
            "time": self.sim.time,
            "steps": steps,
            "time_step": self.sim.time_step,
            "grains": grains,
            "seed": self.sim.world.seed,
            "threads": self.sim.threads,
            "seconds": self._seconds,
            "grain_steps_per_second": grains * steps / self._seconds if self._seconds else 0.0,
            **self.sim.counts,
            **bond_row(self.sim.world),
            "state_sha256": self.sim.fingerprint(),
            "last_sample": {name: value if math.isfinite(value) else None  # JSON has no nan
                            for name, value in self._last.items()},
        }
        if self.sim.course is not None:
            summary["stages"] = [dict(row) for row in self._record]
            summary["ended"] = self.sim.course.ended or ("the duration of the run was up" if
                                                         state == "finished" else "")
        if self.sim.origin:
            summary["from"] = self.sim.origin
        if trouble:
            summary["trouble"] = trouble
        if warnings := self._warnings(state):
            summary["warnings"] = warnings
        write_json(self.folder / SUMMARY, summary)
        return summary


@contextmanager
def _on_interrupt(act: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C and a polite kill finish the step under way instead of breaking it."""
    def handle(number: int, frame: FrameType | None) -> None:
        act()

    caught = (signal.SIGINT, signal.SIGTERM)
    try:
        before = [signal.signal(number, handle) for number in caught]
    except ValueError:  # not the main thread: the caller's handling stays
        yield
        return
    try:
        yield
    finally:
        for number, handler in zip(caught, before, strict=True):
            signal.signal(number, handler)
