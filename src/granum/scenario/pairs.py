"""A law by materials: ``[law.materials.NAME]`` and ``[[law.pairs]]``.

Such a table holds some of the law's own keys. It is read as the law's table with those keys in
place of the law's, so units, unknown keys and senseless values are met in the same words.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from granum.laws import Pairs
from granum.scenario.problems import Collector
from granum.scenario.schema import build
from granum.scenario.tables import PAIRS
from granum.scenario.wording import Path, did_you_mean, known_names


def law_by_pairs(collector: Collector, law: Any, data: Mapping[str, Any]) -> Any:
    """Return a law that was understood with what its tables say of materials and of pairs."""
    raw, known = data["law"], data.get("materials")
    known = known if isinstance(known, dict) else {}
    own = {f.name: raw[f.name] for f in dataclasses.fields(law) if f.name in raw}
    changes: dict[tuple[str, ...], dict[str, Any]] = {}
    for name, table in raw.get("materials", {}).items():
        here: Path = ("law", "materials", name)
        read = collector.attempt(here, build, type(law), {**own, **table})
        if read is not None and _are_known(collector, [(here, name)], known):
            changes[(name,)] = _given(read, table)
    for k, table in enumerate(raw.get("pairs", ())):
        here = ("law", "pairs", k)
        read = collector.attempt(here, build, PAIRS[raw["type"]], {**own, **table})
        if read is None:
            continue
        places = [((*here, "between", i), name) for i, name in enumerate(read.between)]
        names = tuple(sorted(read.between))
        if names in changes:
            collector.add((*here, "between"), f"{names[0]} and {names[1]} have a table already")
        elif _are_known(collector, places, known):
            changes[names] = _given(read, table)
    return collector.attempt(("law",), Pairs, law, changes) if changes else law


def _given(read: Any, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that a table gives, as they were understood."""
    return {key: getattr(read, key) for key in table if key != "between"}


def _are_known(collector: Collector, places: Iterable[tuple[Path, str]],
               known: Mapping[str, Any]) -> bool:
    """Note every name that is not one of the scenario's materials."""
    missing = [(path, name) for path, name in places if name not in known]
    for path, name in missing:
        collector.add(path, f"material '{name}' is unknown{did_you_mean(name, known)}"
                      f"{known_names(known)}")
    return not missing
