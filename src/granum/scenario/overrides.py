"""Changes from the command line: ``--set law.friction=0.3``."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from granum.errors import InputError
from granum.scenario.problems import Document, Problem, ScenarioError
from granum.scenario.wording import Path, did_you_mean, found, known_names, path_text, quoted

_PART = re.compile(
    r"""\s*(?:"(?P<basic>(?:[^"\\]|\\.)*)"|'(?P<literal>[^']*)'|(?P<bare>[^\s."'\[\]=]+))"""
    r"""(?P<indices>(?:\s*\[\s*[0-9]+\s*\])*)\s*"""
)
_LONGEST_INDEX = 9
_EXAMPLE = "write it as law.friction=0.3"


def apply_overrides(data: dict[str, Any], changes: Iterable[str]) -> dict[str, Any]:
    """Return a copy of ``data`` with every ``path=value`` of ``changes`` applied in turn.

    A path is written ``walls.0.radius`` or ``walls[0].radius``; a table on the way that does not
    exist is made, so that the schema can say what it should have been called. A value is read as
    TOML, and as text where that fails: ``run.duration=2 s`` needs no quotes inside the shell's.

    Raises:
        ScenarioError: with every change that cannot be made.
    """
    return _apply(data, changes)[0]


def override(document: Document, changes: Iterable[str]) -> Document:
    """Return ``document`` with ``changes`` applied; problems with them will say ``--set``."""
    data, paths = _apply(document.data, changes)
    return replace(document, data=data, overridden=(*document.overridden, *paths))


def _apply(data: dict[str, Any], changes: Iterable[str]) -> tuple[dict[str, Any], list[Path]]:
    result = copy.deepcopy(data)
    paths: list[Path] = []
    problems: list[Problem] = []
    for change in changes:
        try:
            parts, value = _split(change)
            paths.append(_assign(result, parts, value))
        except ScenarioError as error:
            problems += error.problems
        except InputError as error:
            problems.append(Problem((), str(error)))
    if problems:
        raise ScenarioError(problems, name="--set")
    return result, paths


def _split(change: str) -> tuple[list[str], Any]:
    """Return the parts of the path, and the value, of ``path=value``."""
    if not change.isascii() and change != change.encode(errors="replace").decode():
        message = f"{quoted(change)} is not UTF-8 text"
        raise InputError(message)
    parts: list[str] = []
    at = 0
    while not parts or change[at:at + 1] == ".":
        match = _PART.match(change, at + bool(parts))
        if match is None:
            message = f"{quoted(change)} has no path before its value; {_EXAMPLE}"
            raise InputError(message)
        parts += [_key(match, change), *re.findall("[0-9]+", match["indices"])]
        at = match.end()
    if change[at:at + 1] != "=" or not change[at + 1:].strip():
        message = f"{quoted(change)} has no value; {_EXAMPLE}"
        raise InputError(message)
    return parts, _value(change[at + 1:].strip())


def _key(match: re.Match[str], change: str) -> str:
    if match["basic"] is None:
        return match["bare"] if match["literal"] is None else match["literal"]
    try:
        return str(tomllib.loads(f'key = "{match["basic"]}"')["key"])
    except tomllib.TOMLDecodeError as error:
        message = f"{quoted(change)} has a key that is not valid TOML"
        raise InputError(message) from error


def _value(text: str) -> Any:
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return table["value"] if len(table) == 1 else text


def _assign(data: dict[str, Any], parts: list[str], value: Any) -> Path:
    """Put ``value`` into ``data``; return where, with list indices as numbers."""
    place: Any = data
    path: Path = ()
    for depth, part in enumerate(parts):
        key = _step(place, part, path, must_exist=_is_index(parts[depth + 1:depth + 2]))
        path = (*path, key)
        if depth == len(parts) - 1:
            place[key] = value
        elif isinstance(place, dict):
            place = place.setdefault(key, {})
        else:
            place = place[key]
    return path


def _is_index(parts: list[str]) -> bool:
    return bool(parts) and parts[0].isascii() and parts[0].isdigit()


def _step(place: Any, part: str, path: Path, *, must_exist: bool) -> str | int:
    """Return the key or index that ``part`` means in ``place``, which stands at ``path``."""
    where = path_text(path)
    if isinstance(place, dict):
        if must_exist and part not in place:
            hint = did_you_mean(part, place) + known_names(place)
            raise _impossible((*path, part), f"there is no such list{hint}")
        return part
    if not isinstance(place, list):
        raise _impossible(path, f"is {found(place)}, and has nothing called {quoted(part)} in it")
    if not _is_index([part]):
        raise _impossible(path, f"is a list; say which of its entries, as in {where}[0]")
    index = int(part) if len(part) <= _LONGEST_INDEX else len(place)
    if index >= len(place):
        last = f", from 0 to {len(place) - 1}" if place else ""
        raise _impossible(path, f"has no entry {part[:20]}; it is {found(place)}{last}")
    return index


def _impossible(path: Path, message: str) -> ScenarioError:
    return ScenarioError([Problem(path, message)])
