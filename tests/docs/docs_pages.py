"""The pages as the tests read them: their blocks of code, commands, links and headings."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
API = runpy.run_path(str(DOCS / "api_reference.py"))
GALLERY = runpy.run_path(str(DOCS / "gallery.py"))
REFERENCE = runpy.run_path(str(DOCS / "scenario_reference.py"))
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Return all pages, those at the top of the repository too."""
    inside = [path for path in DOCS.rglob("*.md") if "_build" not in path.parts]
    return sorted([*inside, *ROOT.glob("*.md")])


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path, *languages: str) -> list[str]:
    """Return the blocks of code in the given languages."""
    return [code for language, code in FENCE.findall(text_of(page)) if language in languages]


def prose(page: Path) -> str:
    """Return a page without its blocks of code."""
    return FENCE.sub("", text_of(page))


def commands(page: Path, program: str) -> list[list[str]]:
    """Return the arguments of every call of ``program``: in blocks for a shell, and in sentences.

    Sentences also name commands without what these need, or with WORDS that stand for something.
    """
    lines = [line.removeprefix("$ ") for code in blocks(page, "console", "bash", "sh", "shell")
             for line in code.splitlines()]
    lines += [line for line in re.findall(rf"`({program} [^`\s]+ [^`]+)`", prose(page))
              if not re.search(r"\b[A-Z]{3,}\b|--\S+$", line)]
    words = [shlex.split(line, comments=True) for line in lines if line.startswith(f"{program} ")]
    return [found[1:] for found in words]


def anchors(page: Path) -> set[str]:
    """Return the names by which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
            for heading in headings}


def links(page: Path) -> list[str]:
    """Return the targets of all links and pictures that stay inside the repository."""
    found = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def section(page: Path, heading: str) -> str:
    """Return the text below a heading of the second level, up to the next one."""
    parts = re.split(r"^## (.+)\n", text_of(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[heading]


def first_column(text: str) -> list[str]:
    """Return what stands in backticks in the first column of the tables of ``text``."""
    cells = re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
