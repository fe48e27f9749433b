"""From a scenario to a simulation and its plan."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from granum.dynamics.bonding import time_steps
from granum.dynamics.derivatives import refuse_gear_with_budget
from granum.dynamics.piercing import refuse_pierced
from granum.laws import ADDONS, LAWS, Law, Pairs, UserLaw, With, medium_of
from granum.measures import MEASURES, Measure, UserMeasure
from granum.neighbours import chosen
from granum.neighbours.own_covers import refuse_unsuited
from granum.output.law_files import find_law, find_measure, names_a_file
from granum.output.mesh_files import copies, copy_name
from granum.run import Plan
from granum.scenario.pairs import ByMaterials, law_by_pairs, own_parameters
from granum.scenario.path_files import with_path_files
from granum.scenario.problems import Collector, Document
from granum.scenario.schema import build, build_choice
from granum.scenario.shape_makers import with_made_shapes
from granum.scenario.staging import make_stages
from granum.scenario.tables import (
    GRAINS,
    LAW_TABLES,
    PLACINGS,
    WALL_TABLES,
    WALLS,
    OwnMeasureTable,
    TopTable,
)
from granum.scenario.wording import Path, did_you_mean, known_names
from granum.simulation import Simulation
from granum.stages import Condition, Stage
from granum.walls import Mesh
from granum.world import Material, World, refuse_bad_world, refuse_unresolved


@dataclass(frozen=True, eq=False)
class Scenario:
    """A scenario as understood: everything a run needs, not yet started.

    Attributes:
        document: the text it came from.
        table: the tables with one form.
        law: what happens where grains touch.
        world: walls, materials and grains at the start.
        plan: what is written, and when.
        stages: parts of the run, one after the other.
        stop: what ends the run, in whatever stage.
    """

    document: Document
    table: TopTable
    law: Law
    world: World
    plan: Plan
    stages: tuple[Stage, ...] = ()
    stop: Condition | None = None

    def as_understood(self) -> dict[str, Any]:
        """Return the scenario with what was left out filled in, ready to be written."""
        data = dict(self.document.data)
        plan = self.plan
        data["seed"] = self.table.seed
        own = self.law
        while hasattr(own, "law"):  # of materials, with add-ons
            own = own.law
        if isinstance(own, UserLaw):  # wherever the folder goes, the law is found
            data["law"] = {**data["law"], "type": own.name}
        if "measures" in data:
            data["measures"] = [
                {**entry, "type": measure.place} if isinstance(measure, UserMeasure) else entry
                for entry, measure in zip(data["measures"], plan.measures, strict=True)]
        if self.mesh_copies():
            data["walls"] = [_as_copied(entry, wall)
                             for entry, wall in zip(data["walls"], self.world.walls, strict=True)]
        data["run"] = {**data.get("run", {}), "time_step": self.time_step}
        data["output"] = {**data.get("output", {}), "series": plan.series, "frames": plan.frames,
                          "checkpoints": plan.checkpoints}
        return data

    def mesh_copies(self) -> dict[str, bytes]:
        """Return the files of meshes, by what the scenario as understood calls them."""
        return copies([wall for wall in self.world.walls if isinstance(wall, Mesh) and wall.file])

    @property
    def time_step(self) -> float:
        """The time step [s]: given, or what the law recommends."""
        return self.table.run.time_step or time_steps(self.law, self.world).recommended

    def refuse_bad_world(self) -> None:
        """Refuse a world that cannot be simulated, by the name of its file."""
        collector = Collector(self.document)
        collector.attempt((), refuse_bad_world, self.world)
        collector.attempt((), refuse_pierced, self.world, self.world.grains.id, 0.0)
        if chosen(self.table.run.neighbours) == "triangulation":
            collector.attempt((), refuse_unsuited, self.world)
        collector.finish()

    def simulation(self, threads: int | None = None) -> Simulation:
        """Return the simulation, ready to go."""
        self.refuse_bad_world()
        run = self.table.run
        return Simulation(self.world, self.law, time_step=run.time_step,
                          integrator=run.integrator, neighbours=run.neighbours,
                          contacts=run.contacts, threads=threads,
                          budget=self.table.output.budget, stages=self.stages, stop=self.stop,
                          measures=self.plan.in_series)


def understand(document: Document) -> Scenario:
    """Return the scenario of a document, or say everything that is wrong with it."""
    apart = Collector(document)
    apart = Collector(with_path_files(apart), apart.problems)
    document = with_made_shapes(apart)
    collector = Collector(document, apart.problems)
    table = collector.attempt((), build, TopTable, document.data)
    law = make_law(collector, document.data)
    walls = _each(collector, with_mesh_files(document), "walls", WALL_TABLES)
    placings = _each(collector, document.data, "grains", GRAINS)
    measures = _measures(collector, document.data)
    _check_end(collector, table)
    collector.finish()
    assert table is not None
    materials = {name: Material(name, m.density) for name, m in table.materials.items()}
    world = make_world(table)
    for k, wall in enumerate(walls):
        material = _named(collector, ("walls", k, "material"), wall.material, materials)
        collector.attempt(("walls", k), world.add, _plain(wall, WALLS), material=material,
                          name=wall.name, moving=wall.motion)
    for k, placing in enumerate(placings):
        material = _material(collector, k, placing.material, materials)
        if material is not None:
            collector.attempt(("grains", k), world.add, _plain(placing, PLACINGS),
                              material=material)
    for name in law.names() if isinstance(law, Pairs) else ():
        world.add(materials[name])
    if world.sizes()[0].size or not collector.problems:  # grains that failed to be placed say why
        _check_step(collector, table, law, world)
    collector.attempt(("law",), medium_of, law, world.dimension)
    collector.attempt(("run", "integrator"), refuse_gear_with_budget, table.run.integrator,
                      table.output.budget)
    plan = make_plan(table, measures)
    for k, flow in enumerate(plan.flows):
        collector.attempt(("output", "flows", k), flow.refuse, world)
    for k, measure in enumerate(measures):
        collector.attempt(("measures", k), measure.refuse, world)
    collector.attempt(("measures",), plan.refuse, world, table.output.budget)
    collector.finish()
    step = table.run.time_step or time_steps(law, world).recommended
    stages, stop = make_stages(collector, table, make_law, world, law, step, plan.in_series)
    return Scenario(document, table, law, world, plan, stages, stop)


def _check_step(collector: Collector, table: TopTable, law: Law, world: World) -> None:
    step, steps = table.run.time_step, collector.attempt(("law",), time_steps, law, world)
    if steps is None:
        return
    things = "this law, this glue" if len(world.bonds) else "this law"
    if step is not None and step > steps.longest:
        collector.add(("run", "time_step"), f"{step:g} s is too long for {things} and these "
                      f"grains: at most {steps.longest:g} s is stable, and "
                      f"{steps.recommended:g} s is recommended")
    step = step or steps.recommended
    if step < float("inf"):
        collector.attempt(("run",), refuse_unresolved, world, step)


def make_world(table: TopTable) -> World:
    """Return the world of a scenario, still empty."""
    w = table.world
    domain = None if w.domain is None else (w.domain.low, w.domain.high)
    return World(w.gravity, dimension=w.dimension,
                 periodic=(w.periodic.x, w.periodic.y, w.periodic.z),
                 turns=w.turns, seed=table.seed, domain=domain, leaving=w.leaving)


def make_plan(table: TopTable, measures: Sequence[Measure]) -> Plan:
    """Return what is written and when: by default 200 samples, 50 frames and 10 checkpoints."""
    longest, output = _longest(table), table.output
    return Plan(
        duration=table.run.duration,
        series=output.series or longest / 200,
        frames=output.frames or longest / 50,
        checkpoints=output.checkpoints or longest / 10,
        flows=output.flows,
        fields=output.fields,
        measures=tuple(measures),
        contacts=output.contacts,
    )


def _longest(table: TopTable) -> float:
    """Return how long the run can take [s]; infinite if there is no telling."""
    of_stages = sum(stage.longest for stage in table.stages) if table.stages else math.inf
    return min(of_stages, math.inf if table.run.duration is None else table.run.duration)


def _check_end(collector: Collector, table: TopTable | None) -> None:
    """Refuse a run that has no end, or of which nothing tells how often to write it down."""
    if table is None:
        return
    output = table.output
    if table.run.duration is None and not table.stages:
        collector.add(("run", "duration"), 'missing; a time is wanted (for example "2 s"), or '
                      "[[stages]] that come to an end")
    elif _longest(table) == math.inf and None in (output.series, output.frames,
                                                  output.checkpoints):
        collector.add(("output",), "nothing tells how long this run can take, so it must say how "
                      "often to write: give series, frames and checkpoints, or a run.duration, or "
                      "each stage an at_most")


def plan_of(document: Document) -> Plan:
    """Return the plan of a document, without building its world (for a run that goes on)."""
    collector = Collector(document)
    table = collector.attempt((), build, TopTable, document.data)
    measures = _measures(collector, document.data)
    _check_end(collector, table)
    collector.finish()
    assert table is not None
    return make_plan(table, measures)


def make_law(collector: Collector, data: Mapping[str, Any]) -> Any:
    """Return the law of a document's data, or None if something is wrong with it."""
    if "law" not in data:
        collector.add(("law",), "missing; say what happens where grains touch, for example\n"
                      '    [law]\n    type = "linear_viscoelastic"\n    restitution = 0.5\n'
                      '    contact_time = "1 ms"\n    friction = 0.3')
        return None
    if not isinstance(data["law"], dict):
        return None
    table = dict(data["law"])
    addons = _addons(collector, table.pop("add", []))
    law = _base_law(collector, table, data)
    if law is None or not addons:
        return law
    if isinstance(law, Pairs):
        return collector.attempt(("law",), Pairs, With(law.law, *addons), law.changes)
    return collector.attempt(("law",), With, law, *addons)


def _base_law(collector: Collector, table: dict[str, Any], data: Mapping[str, Any]) -> Any:
    """Return the law without add-ons: one of granum's, or of the user's own file."""
    kind = table.get("type")
    if isinstance(kind, str) and names_a_file(kind):
        folder = FilePath(collector.document.name).parent
        law = collector.attempt(("law",), _own_law, table, folder)
        return law_by_pairs(collector, law, data) if law is not None else None
    law = collector.attempt(("law",), build_choice, LAW_TABLES, table)
    return law_by_pairs(collector, _plain(law, LAWS), data) if law is not None else None


def _own_law(table: Mapping[str, Any], folder: FilePath) -> UserLaw:
    """Return a law of the user's own file, sought beside the scenario."""
    definition = find_law(table["type"], folder)
    by_materials = {key: table[key] for key in ("materials", "pairs") if key in table}
    build(ByMaterials, by_materials)
    parameters = {key: value for key, value in table.items()
                  if key != "type" and key not in by_materials}
    return definition(**own_parameters(definition, parameters))


def _addons(collector: Collector, entries: Any) -> list[Any]:
    """Return the add-ons that ``[[law.add]]`` asks for."""
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        collector.add(("law", "add"), "must be a list of tables, each written [[law.add]]")
        return []
    found = [collector.attempt(("law", "add", k), build_choice, ADDONS, entry)
             for k, entry in enumerate(entries)]
    return [addon for addon in found if addon is not None]


def with_mesh_files(document: Document) -> Mapping[str, Any]:
    """Return the tables with the files of meshes sought beside the scenario."""
    folder = FilePath(document.name).parent
    entries = document.data.get("walls", [])
    if not isinstance(entries, list):
        return document.data
    return {**document.data, "walls": [
        {**entry, "file": str(folder / entry["file"])}
        if isinstance(entry, dict) and entry.get("type") == "mesh"
        and isinstance(entry.get("file"), str) and entry["file"] else entry for entry in entries]}


def _as_copied(entry: Mapping[str, Any], wall: Any) -> Mapping[str, Any]:
    """Return the table of a wall as it stands in a run folder: meshes are copied there."""
    if not (isinstance(wall, Mesh) and wall.file):
        return entry
    return {**entry, "file": copy_name(wall), "sha256": wall.sha256}


def _each(collector: Collector, data: Mapping[str, Any], key: str, choices: Mapping[str, type]
          ) -> list[Any]:
    entries = data.get(key, [])
    if not isinstance(entries, list):
        return []
    return [
        collector.attempt((key, k), build_choice, choices, entry)
        for k, entry in enumerate(entries) if isinstance(entry, dict)
    ]


def _measures(collector: Collector, data: Mapping[str, Any]) -> list[Any]:
    """Return the measures: granum's, or of the user's own files."""
    entries = data.get("measures", [])
    if not isinstance(entries, list):
        return []
    folder = FilePath(collector.document.name).parent
    return [collector.attempt(("measures", k), _measure, entry, folder)
            for k, entry in enumerate(entries) if isinstance(entry, dict)]


def _measure(entry: Mapping[str, Any], folder: FilePath) -> Measure:
    kind = entry.get("type")
    if not isinstance(kind, str) or not names_a_file(kind):
        return build_choice(MEASURES, entry)
    own = build(OwnMeasureTable, {key: value for key, value in entry.items() if key != "type"})
    measure = find_measure(kind, folder)
    return dataclasses.replace(measure, name=own.name or measure.name,
                               interval=own.interval or measure.interval)


def _material(collector: Collector, k: int, name: str, materials: Mapping[str, Material]
              ) -> Material | None:
    if not name and len(materials) == 1:
        return next(iter(materials.values()))
    if not materials:
        collector.add(("materials",), "missing; say what the grains are made of, for example\n"
                      '    [materials.glass]\n    density = "2.5 g/cm3"')
    elif not name:
        collector.add(("grains", k, "material"), "missing; there are several materials"
                      + known_names(materials))
    return _named(collector, ("grains", k, "material"), name, materials) if materials else None


def _named(collector: Collector, path: Path, name: str, materials: Mapping[str, Material]
           ) -> Material | None:
    """Return the material of this name; None without a name, or if there is no such material."""
    if name and name not in materials:
        collector.add(path, f"material '{name}' is unknown{did_you_mean(name, materials)}"
                      f"{known_names(materials)}")
    return materials.get(name) if name else None


def _plain(table: Any, classes: Mapping[str, type]) -> Any:
    """Return the thing itself, without the keys that only its table has."""
    cls: Any = next(c for c in classes.values() if isinstance(table, c))
    return cls(**{f.name: getattr(table, f.name) for f in dataclasses.fields(cls)})
