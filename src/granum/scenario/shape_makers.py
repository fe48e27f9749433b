"""Shapes that a scenario has made: boxes, Platonic solids, rounded and random ones, from files.

``shape = { type = "box", lengths = [...], radius = ... }`` becomes a spheropolyhedron with its
vertices before anything else is read. So the scenario as understood, which a run folder holds,
needs neither the maker nor a file any more.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from granum.checks import wild
from granum.errors import InputError
from granum.scenario.problems import Collector, Document, Problem, ScenarioError
from granum.scenario.schema import build_choice
from granum.scenario.shape_tables import MAKERS, SHAPES, Maker, MeshShape
from granum.shapes import SpheroPolygon, SpheroPolyhedron

_OF_A_SHAPE = re.compile(r"^(?:SpheroPolyhedron |SpheroPolygon |(?:box|cow) (?=length))")
_VERBS = ("must ", "is ", "has ", "cannot ", "needs ")


def with_made_shapes(collector: Collector) -> Document:
    """Return the document with all shapes by their vertices; what cannot be made is left out."""
    document = collector.document
    entries = document.data.get("grains")
    if not isinstance(entries, list):
        return document
    grains = [_placing(collector, k, entry) if isinstance(entry, Mapping) else entry
              for k, entry in enumerate(entries)]
    return dataclasses.replace(document, data={**document.data, "grains": grains})


def _placing(collector: Collector, k: int, placing: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table of a placing with its shape made."""
    if "shape" not in placing:
        return placing
    folder = FilePath(collector.document.name).parent
    shape = collector.attempt(("grains", k, "shape"), made, placing["shape"], folder)
    rest = {key: value for key, value in placing.items() if key != "shape"}
    return rest if shape is None else {**rest, "shape": shape}


def made(table: Any, folder: FilePath) -> Mapping[str, Any]:
    """Return the table of a shape by its vertices; files are sought in a folder.

    Raises:
        ScenarioError: no shape has this name, or it cannot be made; with the key to blame.
    """
    if isinstance(table, Mapping):
        kind, file = table.get("type"), table.get("file")
        if isinstance(kind, str) and kind in SHAPES:
            return table
        if kind == MeshShape.type_name and isinstance(file, str):
            if not file:
                message = 'the name of a file is wanted, as in file = "stone.stl", got ""'
                raise ScenarioError([Problem(("file",), message)])
            table = {**table, "file": str(folder / file)}
    choices: dict[str, type[Any]] = {**SHAPES, **MAKERS}
    maker: Maker = build_choice(choices, table)
    try:
        return _explicit(maker.make())
    except InputError as error:
        problem = _blamed(maker, str(error))
    raise ScenarioError([problem])


def _explicit(shape: SpheroPolyhedron | SpheroPolygon) -> dict[str, Any]:
    """Return the table of a shape with all its numbers."""
    if isinstance(shape, SpheroPolygon):
        return {"type": "sphero_polygon", "radius": shape.radius, "points": _rows(shape.points)}
    table = {"type": "sphero_polyhedron", "radius": shape.radius, "vertices": _rows(shape.vertices)}
    return table if shape.faces is None else {**table, "faces": [list(f) for f in shape.faces]}


def _rows(points: tuple[tuple[float, ...], ...]) -> list[list[float]]:
    """Return points as lists; a coordinate that ought to be 0 and is not quite becomes 0."""
    return [[0.0 if wild(x) == "small" else x for x in point] for point in points]


def _blamed(maker: Maker, message: str) -> Problem:
    """Return what is wrong with a shape, at the key that its message begins with."""
    message = _OF_A_SHAPE.sub("", message)
    for field in dataclasses.fields(maker):  # type: ignore[arg-type]
        match = re.match(rf"{field.name.removesuffix('s')}s?(?=[ :\[])", message)
        if match:
            rest = message[match.end():].lstrip()
            return Problem((field.name,), rest if rest.startswith(_VERBS) else message)
    return Problem((maker.told_at,) if maker.told_at else (), message)
