"""Where a scenario comes from: a file, or a study by name, with changes from ``--set``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from granum.errors import InputError
from granum.scenario.overrides import override
from granum.scenario.problems import Document
from granum.scenario.reader import parse_toml, read_toml
from granum.scenario.wording import did_you_mean, known_names
from granum.scenario.writer import to_toml
from granum.studies import STUDIES, Origin, Study


def find_scenario(name: str, quick: bool, changes: list[str]) -> tuple[Document, Origin | None]:
    """Return the document of a scenario file or of a study, changed as ``--set`` says."""
    study = STUDIES.get(name)
    if study is None:
        if not name.endswith(".toml") and not Path(name).exists():
            message = (f"there is no study {name!r}{did_you_mean(name, STUDIES)} and no file of "
                       f"that name{known_names(STUDIES)}; 'granum studies' lists the studies, "
                       "'granum new FILE' writes a scenario to start from")
            raise InputError(message)
        if quick:
            message = "--quick is for studies; a scenario file runs as it is written"
            raise InputError(message)
        return override(read_toml(Path(name)), changes), None
    variant, changes = _variant(study, changes)
    document = parse_toml(to_toml(study.scenario(variant, quick)), f"study {name}")
    origin = Origin(name, variant, quick, tuple(changes))
    return override(replace(document, name=f"study {name}"), changes), origin


def _variant(study: Study, changes: list[str]) -> tuple[str, list[str]]:
    """Take ``variant=NAME`` out of the changes; the first variant unless one is chosen."""
    chosen = next(iter(study.variants))
    rest = []
    for change in changes:
        key, _, value = change.partition("=")
        if key.strip() == "variant":
            chosen = value.strip().strip("\"'")
        else:
            rest.append(change)
    if chosen not in study.variants:
        message = (f"the study {study.name} has no variant {chosen!r}"
                   f"{did_you_mean(chosen, study.variants)}{known_names(study.variants)}")
        raise InputError(message)
    return chosen, rest
