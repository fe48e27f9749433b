"""The reference of the library, made from the names that ``granum`` exports.

    python docs/api_reference.py

renews ``docs/api.md``, a list of all public names by subject; Sphinx fills in what their docstrings
say. A test sees to it that the list is up to date.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType

import granum

PAGE = Path(__file__).parent / "api.md"
HEAD = """# Library

Everything that `import granum as gr` gives, by subject. All numbers are in SI units. How it fits
together is told in [Concepts](concepts.md), and the [first steps](getting-started.md) show it at
work; `examples/first-steps.ipynb` is the same as a notebook.
"""
SUBJECTS = {
    "world": "World and placing",
    "simulation": "Simulation",
    "shapes": "Shapes of grains",
    "walls": "Walls",
    "walls.moving": "Motions of walls",
    "laws": "Contact laws",
    "clusters": "Clusters",
    "sizes": "Sizes",
    "measures": "Measures",
    "stages": "Stages",
    "branches": "Branches",
    "display": "In notebooks",
    "errors": "Errors",
}
"""Modules, and what their names are about, in the order of the page; the longest fitting counts."""


def reference() -> str:
    """Return the page."""
    groups: dict[str, list[str]] = {module: [] for module in SUBJECTS}
    for name in granum.__all__:
        thing = getattr(granum, name)
        if inspect.ismodule(thing):
            inside = getattr(thing, "__all__", None) or _own(thing)
            groups[_subject(thing.__name__)] += [f"{name}.{part}" for part in inside]
        elif name != "__version__":
            groups[_subject(thing.__module__)].append(name)
    return HEAD + "".join(_group(SUBJECTS[module], names) for module, names in groups.items()
                          if names)


def _own(module: ModuleType) -> list[str]:
    """Return the public functions and classes that a module makes itself."""
    return [name for name, thing in vars(module).items()
            if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__]


def _subject(module: str) -> str:
    fitting = [known for known in SUBJECTS
               if f"{module}.".startswith(f"granum.{known}.")]
    if not fitting:
        message = f"{module} exports a public name and is about none of the subjects: add it"
        raise KeyError(message)
    return max(fitting, key=len)


def _group(title: str, names: list[str]) -> str:
    blocks = "".join(_entry(name) for name in sorted(names, key=str.lower))
    return f"\n## {title}\n\n```{{eval-rst}}\n{blocks.rstrip()}\n```\n"


def _entry(name: str) -> str:
    thing = granum
    for part in name.split("."):
        thing = getattr(thing, part)
    if inspect.isclass(thing):
        return f".. autoclass:: granum.{name}\n   :members:\n\n"
    if callable(thing):
        return f".. autofunction:: granum.{name}\n\n"
    return f".. autodata:: granum.{name}\n\n"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
