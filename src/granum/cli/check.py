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

from granum.checks import FloatArray
from granum.cli.compiling import compiling, placing_kernels
from granum.cli.progress import duration_text, say
from granum.cli.run import AsJson, Changes
from granum.cli.run_time import seconds_a_step
from granum.cli.source import find_scenario
from granum.contact.shaped.convex import is_convex
from granum.dynamics.bonding import time_steps
from granum.laws import Pairs, UserLaw, With
from granum.laws.composite import tag_of
from granum.measures import UserMeasure
from granum.quantity import Kind
from granum.scenario.build import Scenario, understand
from granum.shapes import RigidShape
from granum.stages.course import steps_in
from granum.walls.ridges import FACETS, largest_error
from granum.world import Stream, World

BYTES_A_GRAIN = 900
BYTES_FOR_A_START = 250e6
MOST_SIZES = 8  # that are told one by one
MOST_SHAPES = 12  # the same


def check(
    scenario: Annotated[str, typer.Argument(help="A scenario file, or a study by name.")],
    quick: Annotated[bool, typer.Option("--quick", help="The small size of a study.")] = False,
    changes: Changes = None,
    as_json: AsJson = False,
) -> None:
    """Say what a scenario means, or everything that is wrong with it; run nothing."""
    console = Console(quiet=as_json, emoji=False)
    document, _ = find_scenario(scenario, quick, changes or [])
    with compiling(console, *placing_kernels(document)):
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
        body = stream.pour.body
        balls += stream.pour.count * (
            1 if body is None else len(body.settled(world.dimension).shape))
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
                     f"{allowed.longest:.4g} s)"
                     + (", fourth order, by Gear" if understood.table.run.integrator == "gear"
                        else ""),
        **({"stages": _stages(understood)} if understood.stages or understood.stop else {}),
        "measures": _measures(understood) or "none beside the series",
        **({"warnings": empty} if (empty := plan.empty(world)) else {}),
        "steps": steps if not understood.stages else (
            "there is no telling" if steps is None else f"at most {steps}"),
        "memory": f"about {memory / 1e6:.0f} MB",
        "run_time": _run_time(world, steps),
        "output": f"series every {plan.series:.4g} s, frames every {plan.frames:.4g} s, "
                  f"checkpoints every {plan.checkpoints:.4g} s"
                  + (", with all contacts in the frames" if plan.contacts else "")
                  + (", with the budget of energy" if understood.table.output.budget else ""),
    }


def _run_time(world: World, steps: int | None) -> str:
    seconds, grains = seconds_a_step(world)
    if steps is None or not grains:
        return "there is no telling"
    return (f"about {duration_text(steps * seconds)} on one core "
            f"(at {1e-6 * grains / seconds:.2g} million grain-steps a second)")


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
    if len(world.shapes) > MOST_SHAPES:
        lines += _sizes(world, -1) + _of_many_shapes(world)
    else:
        for shape in (-1, *range(len(world.shapes))):
            lines += _sizes(world, shape)
    if world.clusters:
        lines.append(f"glued into {world.clusters} clusters by {len(world.bonds)} bonds")
        lines += [repr(glue) for glue in world.glues]
    for stream in world.streams:
        lines += _stream(world, stream)
    return lines + _contacts(understood) + _at_round_walls(world)


def _all_shapes(world: World) -> list[RigidShape]:
    """Return the shapes of all grains, those that are to be poured in included."""
    bodies = [stream.pour.body for stream in world.streams if stream.pour.body is not None]
    return [*world.shapes, *(body.settled(world.dimension).shape for body in bodies)]


def _contacts(understood: Scenario) -> list[str]:
    """Return which grains have a single contact with each other, if that was asked for."""
    world = understood.world
    shapes = [shape for shape in _all_shapes(world) if shape.sides]
    if understood.table.run.contacts == "all" or not shapes:
        return []
    hollow = [shape.describe() for shape in shapes if not is_convex(shape, world.dimension)]
    return ["two of them have a single contact" + (
        f", but all contacts with {', '.join(hollow)}, which are not convex" if hollow else "")]


def _at_round_walls(world: World) -> list[str]:
    """Return how well grains with edges meet round walls, if there are both."""
    if not any(shape.sides for shape in _all_shapes(world)):
        return []
    error = largest_error(world.walls, world.wall_table())
    return [f"their edges meet rims and round walls as polygons of {FACETS} corners, off by up to "
            f"{error:.3g} m"] if error > 0.0 else []


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


def _stream(world: World, stream: Stream) -> list[str]:
    """Return how much is poured in, how fast, and how large the grains are."""
    pour = stream.pour
    radius = pour.radii(0, pour.count, world.dimension)
    mass = world.unit_mass(stream) * radius**world.dimension
    rate = f"{pour.rate:g}" if pour.mass_rate is None else f"{pour.mass_rate:g} kg"
    kind = "" if pour.body is None else f", {pour.body.settled(world.dimension).shape.describe()}"
    return [f"{pour.count} poured in, {rate} a second from {pour.start:g} s on{kind}",
            f"{mass.sum():.4g} kg in all, to be poured in",
            *_by_size(radius, mass, ", to be poured in")]


def _sizes(world: World, shape: int) -> list[str]:
    """Return how many grains of a shape there are, and how large; -1 for spheres."""
    mine = world.grains.shape == shape
    kind = f", {world.shapes[shape].describe()}" if shape >= 0 else ""
    return _by_size(world.grains.radius[mine], world.grains.mass[mine], kind)


def _of_many_shapes(world: World) -> list[str]:
    """Return the same of all that are no spheres, where their shapes are too many."""
    mine, corners = world.grains.shape >= 0, [len(shape) for shape in world.shapes]
    part = "vertices" if all(shape.edges for shape in world.shapes) else "vertices or spheres"
    kind = f", of {len(corners)} shapes with {min(corners)} to {max(corners)} {part}"
    return _by_size(world.grains.radius[mine], world.grains.mass[mine], kind)


def _by_size(radius: FloatArray, mass: FloatArray, kind: str) -> list[str]:
    """Return the sizes of grains, one by one or, if there are many, by their range."""
    sizes, which, count = np.unique(radius, return_inverse=True, return_counts=True)
    if len(sizes) > MOST_SIZES:
        share = np.cumsum(np.bincount(which, mass)) / mass.sum()
        low, middle, high = sizes[np.searchsorted(share, (0.1, 0.5, 0.9))]
        return [f"radius {sizes[0]:.4g} to {sizes[-1]:.4g} m{kind}; 10, 50 and 90 % of the mass is "
                f"of grains up to {low:.4g}, {middle:.4g} and {high:.4g} m"]
    share = np.bincount(which, mass) / mass.sum() if len(sizes) > 1 else np.zeros(len(sizes))
    return [f"{n} of radius {r:.4g} m" + (f", {100.0 * s:.3g} % of the mass" if s else "") + kind
            for r, n, s in zip(sizes, count, share, strict=True)]


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
