"""Where in a TOML text a value stands.

The standard parser gives values without their lines. This one reads the same text for nothing but
the lines of its keys and list entries; it skips over values and leaves judging them to the parser.
Text that is not TOML is read as far as it makes sense.
"""

from __future__ import annotations

import contextlib
import re
import tomllib
from dataclasses import dataclass, field

from granum.scenario.wording import Path

_DEEPEST = 100  # nested brackets; a scenario has four
_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_TEXT = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'  # the last quotes of a text may touch the closing ones
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:[^"\\\n]|\\[^\n])*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_OTHER_VALUE = re.compile(r"[^,\]}#\n]+")


def locate(text: str, path: Path) -> int | None:
    """Return the line (from 1) of the deepest part of ``path`` that stands in ``text``."""
    lines = line_index(text)
    found = (lines[path[:size]] for size in range(len(path), 0, -1) if path[:size] in lines)
    return next(found, None)


def line_index(text: str) -> dict[Path, int]:
    """Return the line (from 1) of every table, key and list entry, in the order of the text.

    A table opened by a header stands in the line of the header, one that only dotted keys imply in
    the line of the first of them.
    """
    scanner = _Scanner(text.replace("\r\n", "\n"))
    with contextlib.suppress(_NotTomlError):
        scanner.document()
    return scanner.lines


class _NotTomlError(Exception):
    """The text stops being TOML here."""


@dataclass
class _Scanner:
    """A place in a text, and what has been seen before it."""

    text: str
    at: int = 0
    line: int = 1
    lines: dict[Path, int] = field(default_factory=dict)
    entries: dict[Path, int] = field(default_factory=dict)  # of each array of tables, so far

    def document(self) -> None:
        table: Path = ()
        self.blank()
        while self.at < len(self.text):
            if self.next_is("[["):
                table = self.header("[[", "]]")
            elif self.next_is("["):
                table = self.header("[", "]")
            else:
                self.pair(table, depth=0)
            self.blank()

    def next_is(self, mark: str) -> bool:
        return self.text.startswith(mark, self.at)

    def move(self, end: int) -> str:
        """Go on to ``end``; return what was passed."""
        passed = self.text[self.at:end]
        self.line += passed.count("\n")
        self.at = end
        return passed

    def take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise _NotTomlError
        return self.move(match.end())

    def blank(self) -> None:
        self.take(_BLANK)

    def expect(self, mark: str) -> None:
        self.blank()
        if not self.next_is(mark):
            raise _NotTomlError
        self.move(self.at + len(mark))

    def key(self) -> list[str]:
        """Read a key such as ``a."b c".d``."""
        parts: list[str] = []
        while not parts or self.next_is("."):
            if parts:
                self.expect(".")
            self.blank()
            if self.next_is('"') or self.next_is("'"):
                parts.append(_decoded(self.take(_TEXT)))
            else:
                parts.append(self.take(_BARE_KEY))
            self.blank()
        return parts

    def header(self, opening: str, closing: str) -> Path:
        """Read ``[a.b]`` or ``[[a.b]]``; return the path of the table that it opens."""
        line = self.line
        self.expect(opening)
        *parents, last = self.key()
        self.expect(closing)
        path: Path = ()
        for part in parents:
            path = (*path, part)
            self.lines.setdefault(path, line)
            if path in self.entries:
                path = (*path, self.entries[path] - 1)
        path = (*path, last)
        if opening == "[[":
            self.lines.setdefault(path, line)
            self.entries[path] = self.entries.get(path, 0) + 1
            path = (*path, self.entries[path] - 1)
        self.lines[path] = line
        return path

    def pair(self, table: Path, depth: int) -> None:
        """Read ``key = value`` inside ``table``."""
        line, path = self.line, table
        for part in self.key():
            path = (*path, part)
            self.lines.setdefault(path, line)
        self.expect("=")
        self.value(path, depth)

    def value(self, path: Path, depth: int) -> None:
        if depth > _DEEPEST:
            raise _NotTomlError
        self.blank()
        if self.next_is("["):
            self.list(path, depth + 1)
        elif self.next_is("{"):
            self.inline_table(path, depth + 1)
        elif self.next_is('"') or self.next_is("'"):
            self.take(_TEXT)
        else:
            self.take(_OTHER_VALUE)

    def list(self, path: Path, depth: int) -> None:
        self.expect("[")
        self.blank()
        index = 0
        while not self.next_is("]"):
            self.lines[(*path, index)] = self.line
            self.value((*path, index), depth)
            index += 1
            self.end_of_item("]")
        self.expect("]")

    def inline_table(self, path: Path, depth: int) -> None:
        self.expect("{")
        self.blank()
        while not self.next_is("}"):
            self.pair(path, depth)
            self.end_of_item("}")
        self.expect("}")

    def end_of_item(self, closing: str) -> None:
        self.blank()
        if not self.next_is(closing):
            self.expect(",")
            self.blank()


def _decoded(key: str) -> str:
    try:
        return str(tomllib.loads(f"key = {key}")["key"])
    except tomllib.TOMLDecodeError as error:
        raise _NotTomlError from error
