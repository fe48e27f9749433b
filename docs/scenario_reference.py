"""The reference of the scenario's tables, made from the dataclasses that read them.

    python docs/scenario_reference.py

puts it into the page ``scenario.md``; a test refuses a page that says anything else than the
program does. What a dataclass does not explain in its docstring is explained here, in
``EXPLAINED``; a key without an explanation is refused, too.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from granum.clusters import CLUSTERS, GLUES
from granum.laws import ADDONS, LAWS
from granum.measures import MEASURES, REGIONS, Measure
from granum.scenario import tables, units
from granum.scenario.schema import form_of, key_of
from granum.scenario.shape_tables import MAKERS, SHAPES
from granum.shapes import AnySwept, Clump
from granum.sizes import SIZES
from granum.stages import CONDITIONS, Intervals
from granum.walls.moving import MOTIONS
from granum.world import Turn

PAGE = Path(__file__).with_name("scenario.md")
BEGIN = "<!-- made by docs/scenario_reference.py: begin -->"
END = "<!-- made by docs/scenario_reference.py: end -->"

EXPLAINED: dict[type, dict[str, str]] = {
    tables.TopTable: {
        "title": "One line for people; it stands in the output of a run.",
        "seed": "Of all random placing; the same seed gives the same bits.",
    },
    tables.WorldTable: {
        "dimension": "3, or 2 for discs in the plane z = 0.",
        "gravity": "The pull [m/s2]; 9.81 downwards (along -z, in 2D along -y) unless given.",
        "periodic": "The periodic cell, see below.",
        "turns": "When and how gravity turns, see below.",
        "domain": "Corners beyond which a grain is lost, see below; around the walls, with half "
                  "the container's longest side to spare, unless given.",
        "leaving": "What happens to a grain that leaves the domain: `\"stop\"` the run with an "
                   "error, or `\"remove\"` the grain.",
    },
    tables.PeriodicTable: {
        axis: f"Length of the cell [0, L) along {axis} [m]; not periodic unless given."
        for axis in "xyz"
    },
    tables.DomainTable: {
        "low": "Corner of the smallest coordinates [m].",
        "high": "Corner of the largest coordinates [m].",
    },
    tables.MaterialTable: {
        "density": "Mass of solid volume [kg/m3]; in a 2D world grains are discs of unit "
                   "thickness.",
    },
    tables.RunTable: {
        "duration": "Simulated time of the whole run [s]; with [stages](#stages) the longest time, "
                    "and not needed if they end by themselves. Of a branch, it counts from where "
                    "it began.",
        "stop": "A [condition](#conditions) that ends the run, in whatever stage.",
        "time_step": "[s]; what the [law](laws.md) recommends unless given. One that is too long "
                     "for the law is refused.",
        "integrator": "`\"verlet\"` (second order), `\"constant-acceleration\"` (the step of "
                      "Ferrez 2001, first order in the velocities), or `\"gear\"` (a predictor-"
                      "corrector, fourth order where motion is smooth). See "
                      "[Concepts](concepts.md#how-a-step-goes).",
        "neighbours": "How grains that may touch are found; results do not depend on it. See "
                      "[Neighbours](triangulation.md).",
        "contacts": "`\"all\"` contacts of swept shapes, each counted once, or a `\"single\"` one "
                    "for two convex shapes. See [Contacts](shapes-contact.md#the-single-contact).",
    },
    tables.StageTable: {
        "name": "What it is called in logs and messages; each has another one.",
        "for": "How long it lasts [s]; beside `until`, how long at least.",
        "until": "The [condition](#conditions) that ends it.",
        "at_most": "The guard: how long it may take until the condition is met [s].",
        "otherwise": "What happens at the guard: `\"stop\"` the run as failed, or `\"go on\"` with "
                     "the next stage.",
        "gravity": "The pull from now on [m/s2].",
        "motions": "How walls move from now on, by their names: a [motion](#wallsmotion), several, "
                   "or `\"stop\"`. Times of motions count from the beginning of the stage, and a "
                   "wall goes on from where it is.",
        "open": "Names of plates whose holes open.",
        "close": "Names of plates whose holes close.",
        "remove": "Names of walls that are taken out.",
        "law": "Keys of `[law]` that change, tables in it alike; lists such as `add` are replaced.",
        "pour": "Whether grains are poured in from now on.",
        "time_step": "From now on [s]; shortened a little, so that the stage begins at a whole "
                     "number of steps. One that is too long for the law is refused.",
        "output": "How often it is written down, [see below](#stagesoutput).",
    },
    tables.OutputTable: {
        "series": "Simulated time between two rows of `series.csv` [s]; a 200th of the longest "
                  "time that the run can take unless given.",
        "frames": "Simulated time between two frames [s]; a 50th of it unless given.",
        "checkpoints": "Simulated time between two checkpoints [s]; a 10th of it unless given.",
        "flows": "Planes through which the flow is measured, see below.",
        "fields": "What [frames](run-folder.md#frames) hold of each grain beside its state, as in "
                  "`fields = [\"local_density\"]`.",
        "contacts": "Whether [frames](run-folder.md#contacts) hold all contacts, with their "
                    "forces.",
        "budget": "Whether the [energy budget](energy.md) is kept and written to the series.",
    },
}
LIST_OF_FIELDS = r"\n(?:Args|Attributes):\n"
LAW = """One table. `type` says which law it is, as in `type = "linear_viscoelastic"`.
The formulas are on the page [Contact laws](laws.md)."""
LAW_OF_A_MATERIAL = """Any of the law's own keys, for contacts of the material `NAME` with itself.
With other materials the two are mixed. What is not given here is as in `[law]`. There may be one
such table for each material."""
LAW_OF_A_PAIR = """Any of the law's own keys, for contacts between two materials, in place of the
mixture. There may be one such table for each pair."""
BETWEEN_ROW = ("| `between` | a list of 2 texts | **required** | Names of the two materials, in "
               "any order; twice the same name for contacts of a material with itself, which then "
               "do not count when it is mixed with others. |")
ADDED = """Any number of tables, for what acts beside the law, whatever law it is. `type` says
which add-on it is, as in `type = "rolling_resistance"`."""
WALLS = """Any number of tables. `type` says which wall it is, as in `type = "box"`.
Contacts with a wall follow the same law as contacts between grains."""
FLOWS = """Any number of tables, each a measure of the type [`flow`](#measure-flow), with its
keys."""
MEASURED = """Any number of tables, for what is [measured](measures.md) beside the columns that
every series has. `type` says which measure it is, as in `type = "density"`, or names one of your
own, as in `type = "mymeasures.py:height"` (then `name` and `interval` may be given)."""
REGION = """Where something is measured, as in `region = { type = "container", top = "2 cm" }`.
`type` says which region it is."""
MOTION = """How a wall moves; see [Walls that move](motions.md). One table `[walls.motion]` or
`motion = { type = "sine", ... }` in the table of the wall, or several `[[walls.motion]]`, which add
up. `type` says which motion it is."""
GRAINS = """Any number of tables, placed one after the other. `type` says how, as in
`type = "lattice"`. Grains are placed where they overlap neither each other nor a wall; what does
not fit is refused before anything runs."""
SIZES_OF_GRAINS = """A placing's `radius` is one for all, or a table that says how sizes are
distributed: `radius = { type = "log_normal", median = "1 mm", ... }`. `type` says which
distribution it is. See [Sizes](filling.md#sizes)."""
SHAPE = """What the grains of a placing are, if neither spheres nor clumps: a skeleton swept by a
ball; see [Shapes of grains](shapes.md#swept-shapes). `type` says which shape it is. From
`mesh` on shapes are made: the run folder holds the polyhedron or the polygon that comes of them."""
CLUSTER = """What a placing of type `clusters` places; see [Clusters](clusters.md). `type` says
which cluster it is, as in `type = "glued_rod"`."""
GLUE = """The force between the spheres of a cluster; see [The glue](clusters.md#the-glue). `type`
says which glue it is, as in `type = "power_glue"`."""
CONDITION = """A text, or a table whose `type` says which condition it is. The texts are
`"at rest"`, `"jammed"`, `"empty"` and `"steady"`, which are the tables of these types with nothing
else given, and comparisons of a [column of the series](run-folder.md#seriescsv) with a value, such
as `"kinetic energy < 1e-6 J"` or `"hole_mass >= 2 g"`."""
MATERIAL = "Name of the material; may be left out if there is only one."
MATERIAL_ROW = f"| `material` | text in quotes | – | {MATERIAL} |"
WALL_MATERIAL_ROW = ("| `material` | text in quotes | – | Name of the material; a wall without one "
                     "counts, for each grain, as one of the grain's own material. |")
WALL_ROWS = [
    WALL_MATERIAL_ROW,
    "| `name` | text in quotes | – | What the wall is called in the series and in messages. Walls "
    "of one name are one body and move together. |",
    "| `motion` | a table, or a list of tables | – | How it moves, [see below](#wallsmotion); it "
    "rests if left out. |",
]
PATH_ROWS = [
    "| `file` | text in quotes | – | In place of `times` and `places`: a CSV file with a header "
    "line and the columns `time`, `x`, `y` and `z` in SI units, beside the scenario. |",
]


def reference() -> str:
    """Return the whole reference as Markdown."""
    return "\n".join([*_plain_tables(), *_choices(), *_run_tables(), *_units()])


def renewed(page: str) -> str:
    """Return the text of the page with the reference as it is now."""
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    return f"{before}{BEGIN}\n\n{reference()}\n\n{END}{after}"


def meanings(cls: type) -> dict[str, str]:
    """Return what each key of a table means: by the class's docstring, else by this module."""
    said = _documented(Measure) if issubclass(cls, Measure) else {}
    said.update(_documented(cls))
    said.update(EXPLAINED.get(cls, {}))
    return said


def keys(cls: type) -> list[str]:
    """Return the keys of a table."""
    return [key_of(field.name) for field in dataclasses.fields(cls)]


def _plain_tables() -> Iterator[str]:
    yield from _section("The top of the file", tables.TopTable, keep=("title", "seed"))
    yield from _section("`[world]`", tables.WorldTable)
    yield from _section("`[world.periodic]`", tables.PeriodicTable, level=3)
    yield from _section("`[[world.turns]]`", Turn, level=3)
    yield from _section("`[world.domain]`", tables.DomainTable, level=3)
    yield from _section("`[materials.NAME]`", tables.MaterialTable)
    yield from ["There may be several; `NAME` is yours to choose.", ""]


def _choices() -> Iterator[str]:
    yield from ["## `[law]`", "", LAW, ""]
    for name, cls in LAWS.items():
        yield from _section(f"Law `{name}`", cls, level=3)
    yield from ["### `[law.materials.NAME]`", "", LAW_OF_A_MATERIAL, "",
                "### `[[law.pairs]]`", "", LAW_OF_A_PAIR, "",
                "| key | value | default | meaning |", "|---|---|---|---|", BETWEEN_ROW, ""]
    yield from ["## `[[law.add]]`", "", ADDED, ""]
    for name, cls in ADDONS.items():
        yield from _section(f"Add-on `{name}`", cls, level=3)
    yield from ["## `[[walls]]`", "", WALLS, ""]
    for name, cls in tables.WALLS.items():
        yield from _section(f"Wall `{name}`", cls, level=3, more=WALL_ROWS)
    yield from ["## `[[walls.motion]]`", "", MOTION, ""]
    for name, cls in MOTIONS.items():
        yield from _section(f"Motion `{name}`", cls, level=3,
                            more=PATH_ROWS if name == "path" else None)
    yield from ["## `[[grains]]`", "", GRAINS, ""]
    for name, cls in tables.PLACINGS.items():
        yield from _section(f"Placing `{name}`", cls, level=3, more=[MATERIAL_ROW])
    yield from _section("`[grains.clump]`", Clump, level=3)
    yield from ["### `[grains.shape]`", "", SHAPE, ""]
    for name, cls in {**SHAPES, **MAKERS}.items():
        yield from _section(f"Shape `{name}`", cls, level=3)
    yield from ["## `[grains.radius]`", "", SIZES_OF_GRAINS, ""]
    for name, cls in SIZES.items():
        yield from _section(f"Sizes `{name}`", cls, level=3)
    yield from ["## `[grains.cluster]`", "", CLUSTER, ""]
    for name, cls in CLUSTERS.items():
        yield from _section(f"Cluster `{name}`", cls, level=3)
    yield from ["## `[grains.cluster.glue]`", "", GLUE, ""]
    for name, cls in GLUES.items():
        yield from _section(f"Glue `{name}`", cls, level=3)


def _run_tables() -> Iterator[str]:
    yield from _section("`[run]`", tables.RunTable)
    yield from _section("`[[stages]]`", tables.StageTable)
    yield from _section("`[stages.output]`", Intervals, level=3)
    yield from ["### Conditions", "", CONDITION, ""]
    for name, cls in CONDITIONS.items():
        yield from _section(f"Condition `{name}`", cls, level=3)
    yield from _section("`[output]`", tables.OutputTable)
    yield from ["### `[[output.flows]]`", "", FLOWS, ""]
    yield from ["## `[[measures]]`", "", MEASURED, ""]
    for name, cls in MEASURES.items():
        yield from _section(f"Measure `{name}`", cls, level=3)
    yield from ["## `[measures.region]`", "", REGION, ""]
    for name, cls in REGIONS.items():
        yield from _section(f"Region `{name}`", cls, level=3)


def _units() -> Iterator[str]:
    yield from ["## Units", "", "A bare number is in the SI unit, which stands first.", "",
                "| kind | units | example |", "|---|---|---|"]
    for family in units._FAMILIES:
        names = ", ".join(f"`{unit}`" for unit in family.sizes)
        yield f'| {family.name} | {names} | `"{family.example}"` |'


def _section(title: str, cls: type, *, level: int = 2, keep: tuple[str, ...] = (),
             more: list[str] | None = None) -> Iterator[str]:
    """Yield heading, introduction and table of one table of the scenario."""
    yield from ["#" * level + " " + title, "", *([] if keep else _introduction(cls)),
                "| key | value | default | meaning |", "|---|---|---|---|"]
    hints = typing.get_type_hints(cls, include_extras=True)
    said = meanings(cls)
    for field in dataclasses.fields(cls):
        if not keep or field.name in keep:
            key = key_of(field.name)
            yield _row(key, _value(hints[field.name]), _default(field), said[key])
    yield from [*(more or []), ""]


def _row(key: str, value: str, default: str, meaning: str) -> str:
    cells = (f"`{key}`", value, default, _sentence(meaning))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _sentence(text: str) -> str:
    text = text.rstrip(".") + "."
    return text if text.startswith("`") else text[:1].upper() + text[1:]


def _value(hint: Any) -> str:
    if hint == AnySwept | None:
        hint = typing.Union[tuple({**SHAPES, **MAKERS}.values())]  # noqa: UP007 - not known before
    return re.sub(r"'([^']*)'", r'`"\1"`', form_of(hint).want.noun)


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default_factory is not dataclasses.MISSING:
        return "–"
    if field.default is dataclasses.MISSING:
        return "**required**"
    if field.default is None or field.default in ((), ""):
        return "–"
    if dataclasses.is_dataclass(field.default):
        return f'`{{ type = "{field.default.type_name}" }}`'
    return '`"180 deg"`' if field.default == math.pi else f"`{json.dumps(field.default)}`"


def _introduction(cls: type) -> list[str]:
    """Return the lines of a docstring up to its list of fields, without the table's own name."""
    text = re.split(LIST_OF_FIELDS, inspect.getdoc(cls) or "")[0].strip()
    text = re.sub(r"^``\[.*?\]``[:.] ?", "", text)
    return [text[:1].upper() + text[1:], ""] if text else []


def _documented(cls: type) -> dict[str, str]:
    """Return the fields that a Google docstring describes, in one line each."""
    parts = re.split(LIST_OF_FIELDS, inspect.getdoc(cls) or "")
    if len(parts) < 2:
        return {}
    found = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", parts[1], re.MULTILINE)
    return {name: re.sub(r"\s+", " ", text.replace("None", "left out")) for name, text in found}


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
