"""Laws and measures that stand in a user's own file: ``"mylaws.py:capillary"``."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from typing import TypeVar

from granum.checks import nearest
from granum.errors import CheckpointError, InputError
from granum.laws.user import LawFunction, UserLaw
from granum.measures import UserMeasure

T = TypeVar("T")


def names_a_file(text: str) -> bool:
    """Tell whether the name of a law or a measure is that of a function in a file."""
    return ".py:" in text


def find_law(text: str, folder: Path | None = None) -> LawFunction:
    """Return the law that ``text`` names, its file sought in ``folder`` unless the path is full."""
    return _find(text, folder, LawFunction, "law")


def find_measure(text: str, folder: Path | None = None) -> UserMeasure:
    """Return the measure that ``text`` names, its file sought in ``folder`` likewise."""
    return _find(text, folder, UserMeasure, "measure")


def _find(text: str, folder: Path | None, cls: type[T], kind: str) -> T:
    """Return the law or the measure that ``text`` names."""
    file, _, name = text.rpartition(":")
    path = (folder or Path()) / file
    if not path.is_file():
        message = f"the {kind} '{text}' cannot be found: there is no file {path}"
        raise InputError(message)
    module = _module(path.resolve())
    there = {key: value for key, value in vars(module).items() if isinstance(value, cls)}
    if name not in there:
        message = (f"{path} has no {kind} '{name}'{nearest(name, there)}; mark the function with "
                   f"@gr.{kind} (found: {', '.join(there) or 'none'})")
        raise InputError(message)
    return there[name]


def _module(path: Path) -> object:
    """Return the file as a module, read once as long as it is not edited."""
    text = path.read_bytes()
    name = f"granum_law_{hashlib.sha256(str(path).encode() + text).hexdigest()[:16]}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except InputError as error:  # what @gr.law or @gr.measure refuses
            del sys.modules[name]
            message = f"{path}: {error}"
            raise InputError(message) from error
        except Exception as error:  # whatever else a user's file raises is the user's to see
            del sys.modules[name]
            message = f"{path} cannot be read as Python: {error!r}"
            raise InputError(message) from error
    return sys.modules[name]


def recall_law(name: str, written: str, values: dict[str, float]) -> UserLaw:
    """Return the law that a checkpoint was made with, unless its file has been edited since."""
    law = find_law(name)(**values)
    if law.written != written:
        message = (f"the law {name} has been edited since this was saved, so the run cannot go on "
                   "as if never stopped; bring the old file back, or start a new run")
        raise CheckpointError(message)
    return law
