"""A law by materials: ``[law.materials.NAME]`` and ``[[law.pairs]]``.

Such a table holds some of the law's own keys. It is read as the law's table with those keys in
place of the law's, so units, unknown keys and senseless values are met in the same words.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from granum.laws import Pairs, UserLaw
from granum.laws.user import LawFunction
from granum.quantity import Kind
from granum.scenario import units
from granum.scenario.problems import Collector, Problem, ScenarioError
from granum.scenario.schema import build
from granum.scenario.tables import PAIRS
from granum.scenario.wording import Path, did_you_mean, known_names


def law_by_pairs(collector: Collector, law: Any, data: Mapping[str, Any]) -> Any:
    """Return a law that was understood with what its tables say of materials and of pairs."""
    raw, known = data["law"], data.get("materials")
    known = known if isinstance(known, dict) else {}
    read = _read_own if isinstance(law, UserLaw) else _read
    changes: dict[tuple[str, ...], dict[str, Any]] = {}
    for name, table in raw.get("materials", {}).items():
        here: Path = ("law", "materials", name)
        given = collector.attempt(here, read, law, raw, table)
        if given is not None and _are_known(collector, [(here, name)], known):
            changes[(name,)] = given
    for k, table in enumerate(raw.get("pairs", ())):
        here = ("law", "pairs", k)
        given = collector.attempt(here, read, law, raw, table, between=True)
        if given is None:
            continue
        names = given.pop("between")
        places = [((*here, "between", i), name) for i, name in enumerate(names)]
        names = tuple(sorted(names))
        if names in changes:
            collector.add((*here, "between"), f"{names[0]} and {names[1]} have a table already")
        elif _are_known(collector, places, known):
            changes[names] = given
    return collector.attempt(("law",), Pairs, law, changes) if changes else law


def _read(law: Any, raw: Mapping[str, Any], table: Mapping[str, Any], *, between: bool = False
          ) -> dict[str, Any]:
    """Return the parameters that a table gives, as they were understood."""
    own = {f.name: raw[f.name] for f in dataclasses.fields(law) if f.name in raw}
    read: Any = build(PAIRS[raw["type"]] if between else type(law), {**own, **table})
    return {key: getattr(read, key) for key in table}


def _read_own(law: UserLaw, _raw: Mapping[str, Any], table: Mapping[str, Any], *,
              between: bool = False) -> dict[str, Any]:
    """Return the same for a law of the user's own."""
    given = own_parameters(law.definition, {k: v for k, v in table.items() if k != "between"})
    law.changed(given)
    if between:
        named = {key: value for key, value in table.items() if key == "between"}
        given["between"] = build(_Between, named).between
    return given


@dataclasses.dataclass(frozen=True)
class _Between:
    """Which two materials a table is about."""

    between: tuple[str, str]


@dataclasses.dataclass(frozen=True)
class ByMaterials:
    """What a law's table says of materials and of pairs."""

    materials: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    pairs: tuple[dict[str, Any], ...] = ()


def own_parameters(definition: LawFunction, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a user's law; those with a unit may be text, ``"2 kN/m"``."""
    kinds = {key: Kind(key, unit) for key, unit in definition.units}
    problems, given = [], {}
    for key, value in table.items():
        try:
            given[key] = units.parse(value, kinds[key]) if key in kinds else value
        except ValueError as error:
            problems.append(Problem((key,), str(error)))
    if problems:
        raise ScenarioError(problems)
    return given


def _are_known(collector: Collector, places: Iterable[tuple[Path, str]],
               known: Mapping[str, Any]) -> bool:
    """Note every name that is not one of the scenario's materials."""
    missing = [(path, name) for path, name in places if name not in known]
    for path, name in missing:
        collector.add(path, f"material '{name}' is unknown{did_you_mean(name, known)}"
                      f"{known_names(known)}")
    return not missing
