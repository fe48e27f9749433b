"""How messages say things: values as a user wrote them, near names, what is wanted.

Every text that comes from outside is made printable here, so that a stray control character in a
file cannot disturb a terminal or a log.
"""

from __future__ import annotations

import datetime
import numbers
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from granum.errors import InputError

Path = tuple[str | int, ...]
"""Where a value stands in a scenario: ``("walls", 0, "radius")``."""

_LONGEST = 60
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def printable(text: str) -> str:
    """Return ``text`` with every character that does not print written as an escape."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def quoted(text: str) -> str:
    """Return ``text`` in double quotes, shortened when long."""
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 3] + "..."
    return '"' + printable(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def found(value: Any) -> str:
    """Say what a file holds in place of what was wanted."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a whole number of more than 20 digits"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "an empty list" if not value else f"a list of {count(len(value), 'value')}"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, (datetime.date, datetime.time)):
        return f"the date or time {value.isoformat()}"
    return str(value) if isinstance(value, numbers.Real) else f"a {type(value).__name__}"


def count(size: int, noun: str) -> str:
    """Return ``"1 value"``, ``"2 values"``."""
    return f"{size} {noun if size == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of a regular noun."""
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch")) else "s")


def with_article(noun: str) -> str:
    """Return ``"a length"``, ``"an angle"``."""
    return ("an " if noun[:1] in tuple("aeio") else "a ") + noun


def either(words: Sequence[str]) -> str:
    """Return ``"a"``, ``"a or b"``, ``"a, b or c"``."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def key_text(key: str) -> str:
    """Return a key as it would be written in TOML."""
    return key if _BARE_KEY.fullmatch(key) else quoted(key)


def path_text(path: Path) -> str:
    """Return a path as ``walls[0].radius``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else ("." if text else "") + key_text(part)
    return text


def _distance(first: str, second: str) -> int:
    """Count the letters to add, drop, change or swap with a neighbour to get from one to other."""
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, start=1):
        older, before, row = before, row, [i]
        for j, b in enumerate(second, start=1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and b == first[i - 2]:
                best = min(best, older[j - 2] + 1)
            row.append(best)
    return row[-1]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``name`` was most likely meant to be, if any is near enough.

    Near is: one letter in three wrong (always one), or one name inside the other
    (``stiffness``, ``normal_stiffness``). Capitals do not count.
    """
    wanted = name.strip().casefold()[:_LONGEST]
    allowed = max(1, len(wanted) // 3)
    best: tuple[tuple[float, bool, bool], str] | None = None
    for candidate in known:
        other = candidate.casefold()
        far: float = _distance(wanted, other)
        if far > allowed or far >= max(len(wanted), len(other)):
            shorter, longer = sorted((wanted, other), key=len)
            if len(shorter) < 3 or shorter not in longer:
                continue
            far = allowed + 0.5
        rank = (far, wanted[:1] != other[:1], len(wanted) != len(other))
        if best is None or rank < best[0]:
            best = (rank, candidate)
    return best[1] if best else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'radius'?"``, or nothing when no known name is near."""
    near = nearest(name, known)
    return f"; did you mean '{printable(near)}'?" if near is not None else ""


def known_names(known: Iterable[str]) -> str:
    """Return ``" (known: base, axis)"``, the end of every message about an unknown name."""
    names = ", ".join(key_text(name) for name in known)
    return f" (known: {names})" if names else " (none is known here)"


@dataclass(frozen=True)
class Want:
    """What a place in a scenario asks for, in the words of a message.

    Args:
        noun: with its article, such as ``a length``.
        many: the plural for lists of it, such as ``lengths``; empty if it has none.
        examples: as written in TOML.
        names: the words that are allowed here, to suggest the nearest.
    """

    noun: str
    many: str = ""
    examples: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return ``a length is wanted (for example "4 mm" or 0.004)``."""
        comma = "," if ", each " in self.noun else ""
        example = f" (for example {either(self.examples)})" if self.examples else ""
        return f"{self.noun}{comma} is wanted{example}"


def refusal(value: Any, want: Want, is_what: str = "is given, but") -> InputError:
    """Return the error for a value of another sort than the one wanted."""
    hint = did_you_mean(value, want.names) if isinstance(value, str) else ""
    return InputError(f"{found(value)} {is_what} {want}{hint}")
