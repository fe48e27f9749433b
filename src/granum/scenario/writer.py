"""Writing tables as TOML, so that reading them back gives the same values to the last bit."""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterator, Mapping
from typing import Any

from granum.errors import InputError
from granum.scenario.wording import Path, found, path_text

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SHORT_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def to_toml(data: Mapping[str, Any]) -> str:
    """Return ``data`` as TOML text.

    Tables become ``[headers]``, lists of tables ``[[headers]]``; the rest is written in place.

    Args:
        data: nested mappings, lists or tuples, numbers, texts and booleans.

    Raises:
        InputError: a value that TOML cannot hold, with its path; ``None`` is one.
    """
    return "\n".join(_table(data, ())).lstrip("\n") + "\n" if data else ""


def _table(table: Mapping[str, Any], path: Path) -> Iterator[str]:
    """Yield the lines of a table without its header: plain values first, then what has headers."""
    pairs = _pairs(table, path)
    for key, value in pairs:
        if not _has_header(value):
            yield f"{_key(key, path)} = {_value(value, (*path, key))}"
    for key, value in pairs:
        here = (*path, key)
        if isinstance(value, Mapping):
            if not value or not all(map(_has_header, value.values())):
                yield from ["", f"[{_header(here)}]"]
            yield from _table(value, here)
        elif _is_list_of_tables(value):
            for index, entry in enumerate(value):
                yield from ["", f"[[{_header(here)}]]"]
                yield from _table(entry, (*here, index))


def _pairs(table: Mapping[Any, Any], path: Path) -> list[tuple[str, Any]]:
    for key in table:
        if not isinstance(key, str):
            where = f"{path_text(path)}: " if path else ""
            message = f"{where}the key {key!r} is not text"
            raise InputError(message)
    return list(table.items())


def _has_header(value: Any) -> bool:
    return isinstance(value, Mapping) or _is_list_of_tables(value)


def _is_list_of_tables(value: Any) -> bool:
    return (isinstance(value, (list, tuple)) and bool(value)
            and all(isinstance(entry, Mapping) for entry in value))


def _header(path: Path) -> str:
    return ".".join(_key(part, path) for part in path if isinstance(part, str))


def _key(key: str, path: Path) -> str:
    return key if _BARE_KEY.fullmatch(key) else _text(key, path)


def _value(value: Any, path: Path) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value, path)
    if isinstance(value, numbers.Integral):
        return _whole(int(value), path)
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        entries = (_value(entry, (*path, index)) for index, entry in enumerate(value))
        return "[" + ", ".join(entries) + "]"
    if isinstance(value, Mapping):
        pairs = (f"{_key(key, path)} = {_value(entry, (*path, key))}"
                 for key, entry in _pairs(value, path))
        return "{" + ", ".join(pairs) + "}"
    message = f"{path_text(path)}: {found(value)} cannot be written as TOML"
    raise InputError(message)


def _whole(value: int, path: Path) -> str:
    try:
        return str(value)
    except ValueError as error:  # Python refuses to write more than 4300 digits
        message = f"{path_text(path)}: {found(value)} is too long to be written"
        raise InputError(message) from error


def _text(text: str, path: Path) -> str:
    result = []
    for letter in text:
        code = ord(letter)
        if 0xD800 <= code <= 0xDFFF:
            message = f"{path_text(path)}: {found(text)} is not valid Unicode text"
            raise InputError(message)
        plain = code >= 0x20 and code != 0x7F
        result.append(_SHORT_ESCAPES.get(letter, letter if plain else f"\\u{code:04X}"))
    return '"' + "".join(result) + '"'
