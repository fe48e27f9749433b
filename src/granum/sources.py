"""Which sources a compiled function depends on, and a fingerprint of them.

A kernel is made of its own file and of all that this file imports at its top, and of what those
files import in turn. (A package of which only modules are imported has no say in them.)
The fingerprint changes when any of these files does, and stays when another is edited.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent
IMPORT = re.compile(r"^(?:from granum([\w.]*) import (\([^)]*\)|[^\n]*)|import granum([\w.]*))",
                    re.MULTILINE)


@cache
def _read(path: Path) -> bytes:
    return path.read_bytes()


def _file_of(place: Path) -> Path | None:
    """Return the file of a module or package, or None if there is none of that name."""
    files = place.with_suffix(".py"), place / "__init__.py"
    return next((file for file in files if file.is_file()), None)


@cache
def _imported(path: Path, package: Path) -> tuple[Path, ...]:
    """Return the files of ``package`` that a file of it imports at its top."""
    return _named(_read(path).decode(), package)


def _named(text: str, package: Path) -> tuple[Path, ...]:
    """Return the files of ``package`` that a text imports."""
    found: list[Path | None] = []
    for module, names, plain in IMPORT.findall(text):
        place = package.joinpath(*(module or plain).split(".")[1:])
        within = [_file_of(place / name) for name in re.findall(r"\w+", names)]
        found += within if within and all(within) else [_file_of(place), *within]
    return tuple(file for file in found if file)


@cache
def sources_behind(path: Path, package: Path = PACKAGE) -> tuple[Path, ...]:
    """Return a file and every file of ``package`` that it depends on, in the order of names."""
    found = {path}
    waiting = [path]
    while waiting:
        new = set(_imported(waiting.pop(), package)) - found
        found |= new
        waiting += new
    return tuple(sorted(found))


@cache
def fingerprint(path: Path, package: Path = PACKAGE) -> str:
    """Return a hash of the names and contents of all sources behind a file of ``package``."""
    digest = hashlib.sha256()
    for source in sources_behind(path, package):
        name = str(source.relative_to(package))
        digest.update(name.encode() + b"\0" + hashlib.sha256(_read(source)).digest())
    return digest.hexdigest()


def fingerprint_now(path: Path) -> str:
    """Return the same for any file as it is now: a user's may be edited while Python runs."""
    if path.is_relative_to(PACKAGE):
        return fingerprint(path)
    text = path.read_bytes()
    behind = sorted({fingerprint(file) for file in _named(text.decode(), PACKAGE)})
    return hashlib.sha256(b"\0".join([text, *(part.encode() for part in behind)])).hexdigest()


def source_of(function: Callable[..., Any]) -> str:
    """Return a fingerprint of a function and of all sources behind the file it stands in.

    It makes an edit visible to the cache, also of a constant or a function beside it. A function
    made of others names them in its attribute ``parts``.
    """
    module = inspect.getmodule(function)
    path = getattr(module, "__file__", None)
    source = fingerprint_now(Path(path)) if path else inspect.getsource(function)
    parts = [source_of(part) for part in getattr(function, "parts", ())]
    text = "\n".join([function.__qualname__, source, *parts])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
