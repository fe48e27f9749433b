"""The stages of a scenario: conditions in words, laws with some other parameters.

``until = "kinetic energy < 1e-6 J"`` is a comparison of a column of the series, with a unit of its
kind; ``"at rest"``, ``"jammed"``, ``"empty"`` and ``"steady"`` are conditions with the values they
have unless a table gives others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from granum.errors import InputError
from granum.measures import Measure, wall_columns
from granum.measures.columns import unit_of
from granum.quantity import Kind
from granum.scenario import units
from granum.scenario.problems import Collector
from granum.scenario.tables import StageTable, TopTable
from granum.scenario.wording import did_you_mean, quoted
from granum.stages import AtRest, Compare, Condition, Empty, Jammed, Stage, Steady, rehearse
from granum.stages.columns import column_of
from granum.stages.course import known_columns
from granum.world import World

IN_WORDS: dict[str, type] = {"at rest": AtRest, "jammed": Jammed, "empty": Empty, "steady": Steady}
_COMPARISON = re.compile(r"([^<>=]+)(<=|>=|<|>)([^<>=]+)")
MakeLaw = Callable[[Collector, Mapping[str, Any]], Any]


def make_stages(collector: Collector, table: TopTable, make_law: MakeLaw, world: World, law: Any,
                time_step: float, measures: Sequence[Measure]
                ) -> tuple[tuple[Stage, ...], Condition | None]:
    """Return the stages of a scenario and what ends its run; refuse all that cannot work.

    Args:
        collector: of the document.
        table: what was read.
        make_law: makes a law of a document's data.
        world: as it is at the start.
        law: at the start.
        time_step: at the start [s].
        measures: what the series has beside its own columns.
    """
    if not table.stages and table.run.stop is None:
        return (), None
    walls = wall_columns(world, {name for stage in table.stages for name in stage.motions})
    every = known_columns(world, measures, walls, table.output.budget)
    of_measures = {name: unit for measure in measures
                   for name, unit in measure.units(world).items()}
    stop = collector.attempt(("run", "stop"), condition_of, table.run.stop, every, of_measures)
    stages = []
    data: Mapping[str, Any] = collector.document.data
    for k, entry in enumerate(table.stages):
        until = collector.attempt(("stages", k, "until"), condition_of, entry.until, every,
                                  of_measures)
        new_law = None
        if entry.law:
            data = {**data, "law": merged(data["law"], entry.law)}
            new_law = _law_of(collector, k, make_law, data)
        if entry.until is None or until is not None:
            stages.append(collector.attempt(("stages", k), _stage, entry, until, new_law))
    collector.finish()
    _rehearse(collector, [stage for stage in stages if stage], stop, measures, world, law,
              time_step, table.output.budget)
    collector.finish()
    return tuple(stage for stage in stages if stage), stop


def condition_of(given: Any, columns: Sequence[str], of_measures: Mapping[str, str]
                 ) -> Condition | None:
    """Return the condition that a text means; what is none already stays as it is.

    Args:
        given: text, condition or nothing.
        columns: that can be compared.
        of_measures: units of those of measures.
    """
    if not isinstance(given, str):
        return given
    words = " ".join(given.split())
    if words in IN_WORDS:
        return IN_WORDS[words]()
    match = _COMPARISON.fullmatch(words)
    if match is None:
        names = ", ".join(quoted(name) for name in IN_WORDS)
        message = (f"{quoted(given)} is not a condition{did_you_mean(words, IN_WORDS)} (known: "
                   f'{names}, or a comparison such as "kinetic energy < 1e-6 J")')
        raise InputError(message)
    column = column_of(match[1], columns)
    unit = of_measures[column] if column in of_measures else unit_of(column)
    value = units.parse(match[3].strip(), Kind(units.kind_name(unit) or "value", unit))
    return Compare(column, match[2], value)  # type: ignore[arg-type]


def merged(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with some keys changed, tables in it alike; lists are replaced."""
    result = dict(table)
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merged(result[key], value) if both else value
    return result


def _law_of(collector: Collector, k: int, make_law: MakeLaw, data: Mapping[str, Any]) -> Any:
    """Return the law of stage k; what is wrong with it is told where the stage says it."""
    apart = Collector(collector.document)
    law = make_law(apart, data)
    for problem in apart.problems:
        collector.add(("stages", k, *problem.path), problem.message)
    return law


def _stage(entry: StageTable, until: Condition | None, law: Any) -> Stage:
    return Stage(entry.name, entry.for_, until, entry.at_most, entry.otherwise, entry.gravity,
                 entry.motions, entry.open, entry.close, entry.remove, law, entry.pour,
                 entry.time_step, entry.output)


def _rehearse(collector: Collector, stages: Sequence[Stage], stop: Condition | None,
              measures: Sequence[Measure], world: World, law: Any, time_step: float, budget: bool
              ) -> None:
    """Note what cannot work, at the stage whose name the refusal begins with."""
    try:
        rehearse(stages, stop, measures, world, law, time_step, budget)
    except InputError as error:
        named = [k for k, stage in enumerate(stages) if f"'{stage.name}'" in str(error)[:200]]
        collector.add(("stages", named[-1]) if named else ("run", "stop"), str(error))
