"""From a scenario to a world: what is built, what is refused where, and nothing else, ever."""

from __future__ import annotations

import copy
import datetime
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import granum as gr
from granum.errors import InputError
from granum.scenario.build import Scenario, plan_of, understand
from granum.scenario.overrides import override
from granum.scenario.problems import Document, ScenarioError
from granum.scenario.reader import parse_toml
from granum.scenario.writer import to_toml
from granum.world import refuse_bad_world

PLAIN: dict[str, Any] = {
    "title": "Beads",
    "seed": 5,
    "world": {
        "dimension": 3, "gravity": [0, 0, -9.81], "periodic": {"x": 0.05}, "leaving": "remove",
        "domain": {"low": [-1, -1, -1], "high": [1, 1, 1]},
        "turns": [{"start": 0.1, "duration": "20 ms", "angle": "90 deg", "axis": [0, 1, 0]}],
    },
    "materials": {"glass": {"density": "2.5 g/cm3"}, "steel": {"density": 7800}},
    "law": {"type": "linear_viscoelastic", "restitution": 0.5, "contact_time": "1 ms",
            "friction": 0.3, "tangential_restitution": 0.4},
    "walls": [
        {"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]},
        {"type": "plate", "centre": [0.02, 0, 0.08], "normal": [0, 0, 1], "radius": "5 mm",
         "hole": "2 mm", "opens": 0.05},
        {"type": "sphere", "centre": [0.02, 0, 0.02], "radius": 0.5, "side": "inside"},
    ],
    "grains": [
        {"type": "explicit", "material": "steel", "points": [[0.01, 0, 0.01], [0.02, 0, 0.01]],
         "radius": ["1 mm", 0.002], "velocity": [0, 0, "-10 cm/s"]},
        {"type": "random", "material": "glass", "radius": "1.5 mm", "spread": 0.1, "count": 4,
         "low": [0, -0.01, 0.03], "high": [0.05, 0.01, 0.04]},
        {"type": "lattice", "material": "glass", "radius": 0.002, "count": 6, "probability": 0.5,
         "low": [0, -0.01, 0.045], "high": [0.05, 0.01, 0.06]},
        {"type": "pour", "material": "steel", "radius": 0.001, "count": 3, "rate": 100,
         "low": [0, -0.01, 0.065], "high": [0.05, 0.01, 0.075], "velocity": [0, 0, -0.1]},
    ],
    "run": {"duration": 0.2, "time_step": "20 us", "integrator": "verlet"},
    "output": {"series": "1 ms", "frames": 0.01, "checkpoints": 0.1,
               "flows": [{"name": "floor", "point": [0, 0, 0.01], "normal": [0, 0, -1]}]},
}


def document(data: Any, text: str = "") -> Document:
    return Document(data, text, "beads.toml")


def paths_of(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything in a tree of tables and lists."""
    pairs = data.items() if isinstance(data, dict) else (
        enumerate(data) if isinstance(data, list) else ())
    return [found for key, value in pairs
            for found in [(*path, key), *paths_of(value, (*path, key))]]


PATHS = paths_of(PLAIN)
WILD_NUMBERS = st.sampled_from([
    0, -1, 1, 2, 3, -0.0, 0.5, 1e-3, -1e-3, 7.0, 1e9, -1e9, 2**31, 2**63, -2**63, 10**25, 1e300,
    -1e300, 1e-300, 5e-324, float("inf"), float("-inf"), float("nan"),
])
WILD_TEXTS = st.sampled_from([
    "", " ", "4 mm", "-4 mm", "4", "mm", "1e400 m", "nan", "inf s", "0 s", "4 kg", "4 parsec",
    "[red]", "\N{GREEK SMALL LETTER MU}", "glass", "explicit", "hourglass", "stop", "\x00",
]) | st.text(max_size=8)
OTHERS = st.sampled_from([True, False, None, datetime.date(2020, 1, 1), datetime.time(1, 2)])
LEAVES = WILD_NUMBERS | WILD_TEXTS | OTHERS
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["type", "radius", "count", "x", "low", ""]), inner,
                      max_size=3),
    max_leaves=6,
)
# A wild number of grains would be built faithfully, and take its time.
COUNTS = st.sampled_from([0, -1, 1, 2, 9, 2.5, "3", True, None])


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, tuple[Any, ...], Any]:
    """Draw what to do, where, and with which value."""
    what = draw(st.sampled_from(["drop", "replace", "replace", "replace", "add", "repeat"]))
    path = draw(st.sampled_from(PATHS))
    return what, path, draw(COUNTS if path[-1] in ("count", "attempts") else VALUES)


def changed(data: dict[str, Any], what: str, path: tuple[Any, ...], value: Any) -> None:
    """Make one change, if what was changed before has left something to change."""
    place: Any = data
    for key in path[:-1]:
        if not isinstance(place, dict | list):
            return
        try:
            place = place[key]
        except (KeyError, IndexError, TypeError):
            return
    key = path[-1]
    if not isinstance(place, dict | list) or isinstance(place, list) != isinstance(key, int):
        return
    if isinstance(place, list) and key >= len(place):
        return
    if what == "drop":
        place.pop(key) if isinstance(place, list) else place.pop(key, None)
    elif what == "replace":
        place[key] = value
    elif what == "add" and isinstance(place, dict):
        place[f"{key}s"] = value
    elif what == "repeat" and isinstance(place, list):
        place.append(copy.deepcopy(place[key]))


def outcome(data: dict[str, Any]) -> Scenario | None:
    """Return the scenario, or None if it was refused as a person can understand."""
    try:
        scenario = understand(document(data))
        refuse_bad_world(scenario.world)
    except InputError as error:
        assert str(error)
        return None
    return scenario


@settings(max_examples=150, deadline=None, derandomize=True,
          suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.lists(changes(), min_size=1, max_size=3))
def test_any_scenario_is_understood_or_refused(mutations):
    data = copy.deepcopy(PLAIN)
    for mutation in mutations:
        changed(data, *mutation)
    scenario = outcome(data)
    if scenario is not None:
        assert isinstance(scenario, Scenario)
        assert np.isfinite(scenario.world.position).all()
        assert (scenario.world.mass > 0.0).all()
