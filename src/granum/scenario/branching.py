"""A scenario that goes on from a run: what must be the same, and what may be another.

Grains, walls and materials are in the state, so a scenario that says something else of them is
refused. Law, gravity, time step, stages, run and output are those of the scenario.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from granum.branches import branch
from granum.errors import InputError
from granum.output.container import read_container
from granum.output.describe import all_plain
from granum.run import SCENARIO
from granum.scenario.build import Scenario, with_mesh_files
from granum.scenario.problems import Collector
from granum.scenario.reader import read_toml
from granum.scenario.schema import build, build_choice
from granum.scenario.tables import GRAINS, WALL_TABLES, TopTable
from granum.simulation import Simulation
from granum.walls import Mesh


def branched(scenario: Scenario, folder: Path, checkpoint: Path, threads: int | None
             ) -> Simulation:
    """Return the simulation of a scenario that begins with the state of a checkpoint.

    Args:
        scenario: what shall go on.
        folder: of the run that the checkpoint is from.
        checkpoint: its file.
        threads: processor threads.
    """
    refuse_misfit(scenario, folder)
    arrays, meta = read_container(checkpoint, "checkpoint")
    run, world = scenario.table.run, scenario.world
    meta |= {"integrator": run.integrator, "neighbours": run.neighbours}
    meta["world"] |= {
        "turns": all_plain(world.turns), "leaving": world.leaving,
        "domain": None if world.domain is None else [list(c) for c in world.domain]}
    budget = scenario.table.output.budget
    if not budget:
        arrays = {name: values for name, values in arrays.items() if not name.startswith("budget/")}
    state = Simulation.from_state(arrays, meta, threads, budget=budget)
    collector = Collector(scenario.document)
    gravity = tuple(world.gravity.tolist())
    new = collector.attempt(
        (), branch, state,
        law=None if scenario.law == state.law else scenario.law,
        gravity=None if gravity == tuple(state.world.gravity.tolist()) else gravity,
        time_step=None if scenario.time_step == state.time_step else scenario.time_step,
        stages=scenario.stages, stop=scenario.stop, measures=scenario.plan.in_series)
    collector.finish()
    assert new is not None
    new.origin.update(run=str(folder), checkpoint=checkpoint.name)
    return new


def refuse_misfit(scenario: Scenario, folder: Path) -> None:
    """Refuse a scenario whose grains, walls or materials are not those of a run."""
    source = read_toml(folder / SCENARIO)
    ours, theirs = with_mesh_files(scenario.document), with_mesh_files(source)
    table = build(TopTable, source.data)
    collector = Collector(scenario.document)
    for path, here, there in (
            (("seed",), scenario.table.seed, table.seed),
            (("world", "dimension"), scenario.table.world.dimension, table.world.dimension),
            (("world", "periodic"), scenario.table.world.periodic, table.world.periodic),
            (("run", "contacts"), scenario.table.run.contacts, table.run.contacts)):
        if here != there:
            collector.add(path, f"is {here}, but the run in {folder} has {there}: to go on from "
                          "it, they must be the same")
    for name in {**scenario.table.materials, **table.materials}:
        both = [materials.get(name) for materials in (scenario.table.materials, table.materials)]
        if both[0] != both[1]:
            said = ["none" if one is None else f"{one.density:g} kg/m3" for one in both]
            collector.add(("materials", name), f"the material '{name}' has the density {said[0]} "
                          f"here, and {said[1]} in the run in {folder}: the grains are those of "
                          "the run, so their materials must be the same")
    for key, choices, advice in (
            ("walls", WALL_TABLES, "a stage can move, open, close or remove walls"),
            ("grains", GRAINS, "the grains are those of the run")):
        _compare(collector, key, choices, (ours, theirs), f"{folder}: {advice}")
    collector.finish()


def _compare(collector: Collector, key: str, choices: Mapping[str, type],
             data: tuple[Mapping[str, Any], Mapping[str, Any]], where: str) -> None:
    here: list[Any] = [build_choice(choices, entry) for entry in data[0].get(key, [])]
    there: list[Any] = [build_choice(choices, entry) for entry in data[1].get(key, [])]
    if len(here) != len(there):
        collector.add((key,), f"there are {len(here)} here, and {len(there)} in the run in {where}")
    for k, (ours, theirs) in enumerate(zip(here, there, strict=False)):
        if not _are_same(ours, theirs):
            collector.add((key, k), f"is not that of the run in {where}")


def _are_same(ours: Any, theirs: Any) -> bool:
    """Tell whether two entries mean the same; meshes may have other files with the same surface."""
    if not (isinstance(ours, Mesh) and isinstance(theirs, Mesh)):
        return bool(ours == theirs)
    told = [[getattr(mesh, field.name) for field in fields(mesh) if field.name != "file"]
            for mesh in (ours, theirs)]
    return told[0] == told[1] and all(
        np.array_equal(getattr(ours.raw, name), getattr(theirs.raw, name))
        for name in ("vertices", "faces"))


def split_source(text: str) -> tuple[Path, str | None]:
    """Return run folder and what is said of the moment, of ``FOLDER@WHEN``."""
    folder, sign, when = text.rpartition("@")
    if not sign or Path(text).exists():
        return Path(text), None
    if not when.strip():
        message = f"{text!r} names no moment after '@': give a time, or the name of a checkpoint"
        raise InputError(message)
    return Path(folder), when.strip()
