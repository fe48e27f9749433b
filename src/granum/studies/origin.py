"""Which study a run is of: written ahead of its scenario, so that a run folder can tell."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

STUDY, VARIANT, SIZE, SET = "study", "variant", "size", "set"
QUICK, WHOLE = "quick", "published"


@dataclass(frozen=True)
class Origin:
    """The study of a run.

    Args:
        study: its name.
        variant: of the study; empty if the run is so old that it does not say.
        quick: whether it is the small size.
        changes: what ``--set`` changed beside the variant, as ``key=value``.
    """

    study: str
    variant: str = ""
    quick: bool = False
    changes: tuple[str, ...] = ()

    def header(self) -> str:
        """Return the lines that stand ahead of the scenario."""
        lines = [(STUDY, self.study), (VARIANT, self.variant),
                 (SIZE, QUICK if self.quick else WHOLE),
                 *((SET, json.dumps(change)) for change in self.changes)]
        return "".join(f"# {key}: {value}\n" for key, value in lines)

    def command(self) -> str:
        """Return the command that runs the same again."""
        words = ["granum", "run", self.study, *(["--quick"] if self.quick else [])]
        changes = [f"variant={self.variant}"] if self.variant else []
        for change in [*changes, *self.changes]:
            words += ["--set", change]
        return shlex.join(words)


def origin_of(text: str) -> Origin | None:
    """Return the origin that stands ahead of a scenario's ``text``; None if there is none."""
    said: dict[str, str] = {}
    changes: list[str] = []
    for line in text.splitlines():
        if not line.startswith("# "):
            break
        key, _, value = line[2:].partition(": ")
        if key == SET:
            changes.append(_text(value))
        else:
            said[key] = value.strip()
    if STUDY not in said:
        return None
    return Origin(said[STUDY], said.get(VARIANT, ""), said.get(SIZE) == QUICK, tuple(changes))


def read_origin(scenario: Path) -> Origin | None:
    """Return the origin of the run whose scenario file this is; None without such a file."""
    return origin_of(scenario.read_text(encoding="utf-8")) if scenario.exists() else None


def _text(value: str) -> str:
    """Return the change that a line holds as JSON; the line itself if somebody edited it."""
    try:
        found = json.loads(value)
    except ValueError:
        return value
    return found if isinstance(found, str) else value
