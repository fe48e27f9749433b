"""What is wrong with a scenario: collected over the whole file, then told all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec, TypeVar

from granum.errors import InputError
from granum.scenario.lines import line_index
from granum.scenario.wording import Path, count, path_text

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Problem:
    """One thing to put right.

    Args:
        path: where, such as ``("walls", 0, "radius")``; empty for the file as a whole.
        message: what was found and what is allowed; more than one line if that helps.
        line: in the file, from 1, if known.
        from_command_line: the value came from ``--set``, not from the file.
    """

    path: Path
    message: str
    line: int | None = None
    from_command_line: bool = False

    def __str__(self) -> str:
        """Return ``line 14, walls[0].radius: message``."""
        place = [f"line {self.line}"] if self.line is not None else []
        if self.path:
            prefix = "--set " if self.from_command_line else ""
            place.append(prefix + path_text(self.path))
        head = ", ".join(place) + ": " if place else ""
        return head + self.message.replace("\n", "\n  ")


@dataclass(frozen=True)
class Document:
    """A scenario as read.

    Args:
        data: the tables, after any ``--set``.
        text: of the file.
        name: of the file, for messages.
        overridden: the paths that ``--set`` changed, whose lines would mislead.
    """

    data: dict[str, Any]
    text: str
    name: str
    overridden: tuple[Path, ...] = ()
    _lines: dict[Path, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the lines once; every problem asks for one."""
        object.__setattr__(self, "_lines", line_index(self.text))

    def located(self, problem: Problem) -> Problem:
        """Return ``problem`` with the line of the deepest part of its path that can be found."""
        if problem.line is not None:
            return problem
        for size in range(len(problem.path), 0, -1):
            path = problem.path[:size]
            if any(changed == path[: len(changed)] for changed in self.overridden):
                return replace(problem, from_command_line=True)
            if path in self._lines:
                return replace(problem, line=self._lines[path])
            if any(changed[:size] == path for changed in self.overridden):
                return replace(problem, from_command_line=True)
        return problem


class ScenarioError(InputError):
    """A scenario with problems; its text lists them in the order of the file.

    Args:
        problems: at least one.
        document: the file they are in; without it, no lines are given.
        name: what to call the file when there is no document.
    """

    def __init__(self, problems: Iterable[Problem], document: Document | None = None, *,
                 name: str = "scenario") -> None:
        """Word the message."""
        if document is not None:
            problems = [document.located(problem) for problem in problems]
        self.problems = sorted(problems, key=lambda problem: problem.line or float("inf"))
        self.name = document.name if document is not None else name
        heading = f"{self.name}: {count(len(self.problems), 'problem')}"
        super().__init__("\n".join([heading, *(f"  {problem}" for problem in self.problems)]))


@dataclass
class Collector:
    """Gathers the problems of one document while its parts are built.

    Each part is tried in turn; a part that fails is ``None``, and ``finish`` must be called before
    any of them is used::

        collector = Collector(document)
        law = collector.attempt(("law",), build_choice, LAWS, document.data["law"])
        collector.finish()
    """

    document: Document
    problems: list[Problem] = field(default_factory=list)

    def add(self, path: Path, message: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(path, message))

    def attempt(self, path: Path, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs
                ) -> T | None:
        """Return ``make(*args, **kwargs)``; if it refuses, note why, below ``path``."""
        try:
            return make(*args, **kwargs)
        except ScenarioError as error:
            self.problems += [
                replace(problem, path=(*path, *problem.path)) for problem in error.problems
            ]
        except InputError as error:
            self.add(path, str(error))
        return None

    def finish(self) -> None:
        """Raise a ``ScenarioError`` with everything noted, if anything was."""
        if self.problems:
            raise ScenarioError(self.problems, self.document)
