"""Where in its stages a simulation is.

A course is asked after certain numbers of steps only: every `LOOKS` steps since the stage began,
and at the steps at which its duration and its guard are up. So what happens depends on the state
alone, not on how a run is cut or what it writes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from granum.dynamics.bonding import time_steps
from granum.errors import InputError
from granum.measures import (
    BUDGET_COLUMNS,
    COLUMNS,
    Measure,
    MovingAverage,
    Notebook,
    UserMeasure,
    bond_columns,
    wall_columns,
)
from granum.stages.change import alter, sketch
from granum.stages.conditions import Condition, Moment, Notes
from granum.stages.stage import Stage, refuse_same_names
from granum.world import World, refuse_unresolved

LOOKS = 100
"""Steps between two looks at the conditions."""


def steps_in(duration: float, time_step: float) -> int:
    """Return the number of steps in ``duration``; a duration of 2.9999999 steps is 3."""
    return math.ceil(duration / time_step - 1e-6)


@dataclass
class Course:
    """The stages of a simulation, and where in them it is.

    Attributes:
        stages: one after the other; there may be none.
        stop: a condition that ends everything, in whatever stage.
        measures: flows and others that conditions look at.
        walls: columns of the series for walls, those that come or go later included.
        columns: all that can be compared.
        number: of the stage under way, from 0.
        began: step and time [s] at which it began.
        notes: what its condition keeps in mind.
        stop_notes: what ``stop`` keeps in mind.
        record: of every stage so far: name, when it began and ended (step and time [s]), and why.
        ended: why everything has ended; empty if it has not.
        failed: why it cannot go on; empty if it can.
        notebook: what the measures remember from look to look.
    """

    stages: tuple[Stage, ...] = ()
    stop: Condition | None = None
    measures: tuple[Measure, ...] = ()
    walls: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    number: int = 0
    began: tuple[int, float] = (0, 0.0)
    notes: Notes = ()
    stop_notes: Notes = ()
    record: list[dict[str, Any]] = field(default_factory=list)
    ended: str = ""
    failed: str = ""
    notebook: Notebook = field(default_factory=Notebook)

    @property
    def stage(self) -> Stage | None:
        """The stage under way, or the last one."""
        return self.stages[min(self.number, len(self.stages) - 1)] if self.stages else None

    @property
    def place(self) -> tuple[Any, ...]:
        """What tells two courses of the same stages apart."""
        return self.number, *self.began, *self.notes, *self.stop_notes, self.ended, self.failed

    def begin(self, step: int, time: float) -> None:
        """Note that the present stage begins."""
        self.began, self.notes = (step, time), ()
        if self.stage is not None:
            self.record.append({"name": self.stage.name, "began": time, "began_step": step,
                                "ended": None, "ended_step": None, "why": ""})

    def end(self, step: int, time: float, why: str) -> None:
        """Note that the present stage has ended, and everything with the last one."""
        if self.record:
            self.record[-1].update(ended=time, ended_step=step, why=why)
        self.number += 1
        if self.number >= len(self.stages):
            self.ended = why

    def longest(self, time: float) -> float:
        """Return how long all can take from ``time`` [s] on; infinite if there is no telling."""
        if self.ended:
            return 0.0
        if self.stage is None:
            return math.inf
        left = self.stage.longest - (time - self.began[1])
        return left + sum(stage.longest for stage in self.stages[self.number + 1:])

    # ---- looking ---------------------------------------------------------------------------

    def steps_ahead(self, step: int, time_step: float) -> int:
        """Return the number of steps until it is to be asked again."""
        since = step - self.began[0]
        stops = [*self._ends(time_step)]
        if self.stop is not None or (self.stage is not None and self.stage.until is not None):
            stops.append(since + LOOKS - since % LOOKS)
        return min((stop - since for stop in stops if stop > since), default=LOOKS)

    def look(self, moment: Moment, step: int, time_step: float) -> str:
        """Return why the present stage ends at this moment, or nothing; notes are taken.

        ``ended`` or ``failed`` are set if that is the end of everything.
        """
        if self.stop is not None:
            met, self.stop_notes = self.stop.look(moment, self.stop_notes)
            if met:
                self.number = max(len(self.stages) - 1, 0)
                return self.stop.describe()
        stage, since = self.stage, step - self.began[0]
        if stage is None:
            return ""
        least, guard = self._least(stage, time_step), self._guard(stage, time_step)
        if stage.until is None:
            return f"its {stage.duration:g} s are over" if since >= least else ""
        met, self.notes = stage.until.look(moment, self.notes)
        if met and since >= least:
            return stage.until.describe()
        if guard is None or since < guard:
            return ""
        said = f"its {stage.at_most:g} s were over before this was met: {stage.until.describe()}"
        if stage.otherwise == "stop":
            self.failed = (f"stage '{stage.name}' did not end at t = {moment.time:g} s: {said}; "
                           "give it more time (at_most), let it go on in any case (otherwise = "
                           "\"go on\"), or wait for something else")
        return said

    def _ends(self, time_step: float) -> list[int]:
        if self.stage is None:
            return []
        guard = self._guard(self.stage, time_step)
        return [self._least(self.stage, time_step), *([] if guard is None else [guard])]

    @staticmethod
    def _least(stage: Stage, time_step: float) -> int:
        return steps_in(stage.duration, time_step) if stage.duration else 0

    @staticmethod
    def _guard(stage: Stage, time_step: float) -> int | None:
        return None if stage.at_most is None else steps_in(stage.at_most, time_step)


def rehearse(stages: Sequence[Stage], stop: Condition | None, measures: Sequence[Measure],
             world: World, law: Any, time_step: float, budget: bool, time: float = 0.0) -> Course:
    """Return the course of some stages, after a look at all that cannot work.

    Args:
        stages: one after the other.
        stop: a condition that ends everything.
        measures: flows and others that conditions may speak of.
        world: at the start.
        law: at the start.
        time_step: at the start [s].
        budget: whether a budget of the energy is kept.
        time: of the start [s].
    """
    refuse_same_names(stages)
    walls = wall_columns(world, {name for stage in stages for name, _ in stage.motions})
    columns = known_columns(world, measures, walls, budget)
    scene, step, used = sketch(world), time_step, []
    for k, stage in enumerate(stages):
        try:
            law = alter(scene, law, stage, time + k)  # at which time does not matter
            step = stage.time_step or step
            refuse_unstable(law, scene, step, time + k)
            moment = Moment(time, scene, scene.gravity, measures, columns, {}, dict)
            if stage.until is not None:
                _check_condition(stage, moment)
                used += stage.until.uses(measures, world)
            if stop is not None:
                stop.check(moment)
        except InputError as error:
            message = f"stage '{stage.name}': {error}"
            raise InputError(message) from error
    if stop is not None:
        if not stages:
            stop.check(Moment(time, world, world.gravity, measures, columns, {}, dict))
        used += stop.uses(measures, world)
    return Course(tuple(stages), stop, tuple(m for m in measures if m in used), tuple(walls),
                  tuple(columns))


def known_columns(world: World, measures: Sequence[Measure], walls: Sequence[str], budget: bool
                  ) -> list[str]:
    """Return the columns that conditions can look at: those of the series, but some measures."""
    of_measures = [name for measure in measures if _is_usable(measure)
                   for name in measure.columns(world)]
    return [*COLUMNS, *of_measures, *walls, *bond_columns(world),
            *(BUDGET_COLUMNS if budget else ())]


def _is_usable(measure: Measure) -> bool:
    """Tell whether conditions can ask a measure.

    An average follows the samples of a series, and a user's function is not in checkpoints.
    """
    return not (measure.is_profile or isinstance(measure, MovingAverage | UserMeasure))


def refuse_unstable(law: Any, world: World, step: float, time: float) -> None:
    """Refuse a time step [s] that is too long for a law, or for motions of walls."""
    # Bonds are judged as they are at the start: those of a later moment have deformed.
    steps = time_steps(law, world) if time == 0.0 else law.time_steps(*world.sizes())
    longest = steps.longest
    if step > longest * (1.0 + 1e-9):
        message = (f"a time step of {step:g} s is too long for the law of this stage: at most "
                   f"{longest:g} s is stable; give the stage a time_step")
        raise InputError(message)
    refuse_unresolved(world, step, time)


def _check_condition(stage: Stage, moment: Moment) -> None:
    assert stage.until is not None
    stage.until.check(moment)
    shortest = stage.until.shortest(moment)
    if stage.at_most is not None and stage.at_most < shortest:
        message = (f"at_most = {stage.at_most:g} s is over before the condition can be met: "
                   f"'{stage.until.describe()}' takes at least {shortest:g} s")
        raise InputError(message)


def shortened(time_step: float, time: float) -> tuple[float, int]:
    """Return a time step [s] of which ``time`` [s] is a whole number, and that number.

    So the time is always the number of steps times the step, to the last bit.
    """
    count = math.ceil(time / time_step * (1.0 - 1e-12))
    return (time / count if count else time_step), count
