"""``granum check``: what a scenario means, without running it."""

from __future__ import annotations

import dataclasses
import json
import math
import typing
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape

from granum.cli.compiling import PLACE, compiling
from granum.cli.progress import duration_text, say
from granum.cli.run import AsJson, Changes
from granum.cli.source import find_scenario
from granum.dynamics.bonding import time_steps
from granum.laws import Pairs, UserLaw, With
from granum.laws.composite import tag_of
from granum.measures import UserMeasure
from granum.quantity import Kind
from granum.scenario.build import Scenario, understand
from granum.stages.course import steps_in
from granum.world import World

BYTES_A_GRAIN = 900
BYTES_FOR_A_START = 250e6
TYPICAL_SPEED = 5e6  # grain-steps a second on one core


def check(
    scenario: Annotated[str, typer.Argument(help="A scenario file, or a study by name.")],
    quick: Annotated[bool, typer.Option("--quick", help="The small size of a study.")] = False,
    changes: Changes = None,
    as_json: AsJson = False,
) -> None:
    """Say what a scenario means, or everything that is wrong with it; run nothing."""
    console = Console(quiet=as_json, emoji=False)
    document, _ = find_scenario(scenario, quick, changes or [])
    with compiling(console, PLACE):
        understood = understand(document)
        understood.refuse_bad_world()
    facts = describe(understood)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    for name, value in facts.items():
        for k, line in enumerate(value if isinstance(value, list) else [value]):
            heading = "" if k else name.replace("_", " ")
            say(console, f"{heading:<10} {escape(str(line))}".rstrip())


def describe(understood: Scenario) -> dict[str, Any]:
    """Return what was understood, as a person wants to read it."""
    world, law, plan = understood.world, understood.law, understood.plan
    step, allowed = understood.time_step, time_steps(law, world)
    longest = _longest(understood)
    steps = steps_in(longest, step) if longest < math.inf else None
    balls = len(world.balls().number)
    for stream in world.streams:
        balls += stream.pour.count * (1 if stream.pour.clump is None else len(stream.pour.clump))
    memory = BYTES_FOR_A_START + BYTES_A_GRAIN * balls
    return {
        "title": understood.table.title,
        "world": f"{world.dimension}D, gravity {tuple(float(g) for g in world.gravity)} m/s2"
                 + (f", periodic {world.periodic} m" if any(world.periodic) else "")
                 + (f", gravity turns {len(world.turns)} times" if world.turns else ""),
        "walls": _walls(world) or "none",
        "grains": _grains(understood),
        "law": _law_by_pairs(law, world) if isinstance(law, Pairs) else repr(law),
        "time_step": f"{step:.4g} s ({allowed.recommended:.4g} s recommended, stable up to "
                     f"{allowed.longest:.4g} s)",
        **({"stages": _stages(understood)} if understood.stages or understood.stop else {}),
        "measures": _measures(understood) or "none beside the series",
        "steps": steps if not understood.stages else (
            "there is no telling" if steps is None else f"at most {steps}"),
        "memory": f"about {memory / 1e6:.0f} MB",
        "run_time": "there is no telling" if steps is None else (
            f"about {duration_text(steps * balls / TYPICAL_SPEED)} on one core "
            f"(at {TYPICAL_SPEED / 1e6:g} million grain-steps a second)"),
        "output": f"series every {plan.series:.4g} s, frames every {plan.frames:.4g} s, "
                  f"checkpoints every {plan.checkpoints:.4g} s"
                  + (", with the budget of energy" if understood.table.output.budget else ""),
    }


def _longest(understood: Scenario) -> float:
    """Return how long the run can take [s]; infinite if there is no telling."""
    duration, stages = understood.plan.duration, understood.stages
    return min(math.inf if duration is None else duration,
               sum(stage.longest for stage in stages) if stages else math.inf)


def _stages(understood: Scenario) -> list[str]:
    """Return each stage in a line: name, end, changes; and what ends the run."""
    lines = [f"{k}. {stage.describe()}" for k, stage in enumerate(understood.stages, start=1)]
    if understood.stop is not None:
        lines.append(f"the run stops when it is met: {understood.stop.describe()}")
    return lines


def _walls(world: World) -> list[str]:
    """Return each wall in a line: name, kind, how it moves."""
    moving = {wall: f"; {body.describe()}" for body in world.bodies for wall in body.walls}
    name = {wall: f"{given}: " for wall, given in world.names.items()}
    return [name.get(wall, "") + wall.describe() + moving.get(wall, "") for wall in world.walls]


def _grains(understood: Scenario) -> list[str]:
    world = understood.world
    lines = [f"{len(world)} at the start, {world.grains.mass.sum():.4g} kg"]
    for shape in (-1, *range(len(world.shapes))):
        lines += _sizes(world, shape)
    if world.clusters:
        lines.append(f"glued into {world.clusters} clusters by {len(world.bonds)} bonds")
        lines += [repr(glue) for glue in world.glues]
    lines += [f"{s.pour.count} poured in, {s.pour.rate:g} a second from {s.pour.start:g} s on"
              + ("" if s.pour.clump is None else f", clumps of {len(s.pour.clump)} spheres")
              for s in world.streams]
    return lines


def _measures(understood: Scenario) -> list[str]:
    """Return each measure in a line: name, kind, where, its columns with units, and their file."""
    plan, lines = understood.plan, []
    for measure in (*plan.flows, *plan.measures):
        kind = measure.place if isinstance(measure, UserMeasure) else measure.type_name
        region = getattr(measure, "region", None)
        units = measure.units(understood.world).items()
        columns = ", ".join(name + (f" [{unit}]" if unit else "") for name, unit in units)
        every = measure.interval or plan.series
        file = f"measures/{measure.title}.csv" if measure.has_table else "series.csv"
        lines.append(f"{measure.title}: {kind}"
                     + (f" in {region.describe()}" if region is not None else "")
                     + f", every {every:.4g} s in {file}: {columns}")
    return lines


def _sizes(world: World, shape: int) -> list[str]:
    """Return how many grains of a shape there are, and how large; -1 for spheres."""
    radius, count = np.unique(world.grains.radius[world.grains.shape == shape], return_counts=True)
    kind = f", clumps of {len(world.shapes[shape])} spheres" if shape >= 0 else ""
    if len(radius) > 4:
        return [f"radius {radius[0]:.4g} to {radius[-1]:.4g} m{kind}"]
    return [f"{n} of radius {r:.4g} m{kind}" for r, n in zip(radius, count, strict=True)]


def _law_by_pairs(law: Pairs, world: World) -> list[str]:
    """Return the parameters of all pairs of materials that can meet, as lines of a table."""
    met = _meeting(world)
    columns = [_columns(law.between(*pair)) for pair in met]
    titles = [title for title in columns[0] if any(one[title] is not None for one in columns)]
    rows = [("", *titles)]
    for pair, one in zip(met, columns, strict=True):
        values = [one[title] for title in titles]
        rows.append((" on ".join(pair), *("-" if v is None else f"{v:.6g}" for v in values)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
             for row in rows]
    base = law.law.law if isinstance(law.law, With) else law.law
    kind = base.name if isinstance(base, UserLaw) else type(base).__name__
    of_grains = [repr(addon) for addon in getattr(law.law, "addons", ())
                 if hasattr(addon, "medium")]
    return [f"{kind}, by the materials that meet", *map(str.rstrip, lines), *of_grains]


def _columns(law: Any, before: str = "") -> dict[str, float | None]:
    """Return the parameters of a law, with its add-ons, by name and unit."""
    if isinstance(law, With):
        every = _columns(law.law)
        for addon in law.addons:
            if hasattr(addon, "medium"):  # the same for all
                continue
            every.update(_columns(addon, f"{tag_of(addon)}."))
        return every
    if isinstance(law, UserLaw):
        units = dict(law.definition.units)
        return {name + (f" [{units[name]}]" if name in units else ""): value
                for name, value in law.values}
    hints = typing.get_type_hints(type(law), include_extras=True)
    return {before + field.name + _unit(hints[field.name]): getattr(law, field.name)
            for field in dataclasses.fields(law)}


def _unit(hint: Any) -> str:
    """Return the unit of a parameter, as in ``" [s]"``, or nothing."""
    kinds = [kind for kind in getattr(hint, "__metadata__", ()) if isinstance(kind, Kind)]
    return f" [{kinds[0].unit}]" if kinds and kinds[0].unit else ""


def _meeting(world: World) -> list[tuple[str, str]]:
    """Return the pairs of materials that grains, those to be poured in and walls can make."""
    of_grains = {*world.grains.material.tolist(), *(s.material for s in world.streams)}
    met = {tuple(sorted((world.materials[a].name, world.materials[b].name)))
           for a in of_grains for b in {*of_grains, *world.made_of.values()}}
    return sorted((a, b) for a, b in met)
