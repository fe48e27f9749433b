"""A report as Markdown, with its pictures beside it in the run folder."""

from __future__ import annotations

from granum.report.facts import Report
from granum.report.sheet import Rows, about_rows, also_rows, figure_rows


def to_markdown(report: Report) -> str:
    """Return the report as Markdown text."""
    parts = [f"# {_plain(report.title)}", _table([("", ""), *about_rows(report)]),
             f"To repeat it:\n\n```console\n$ {report.command}\n```"]
    if report.figures:
        heading = "Published and measured" if report.origin else "Measured"
        parts += [f"## {heading}", _table(figure_rows(report))]
    if report.caution:
        parts.append(f"*{_plain(report.caution)}*")
    if report.also:
        parts.append(_table(also_rows(report)))
    parts += [f"![{picture.stem}]({picture.name})" for picture in report.pictures]
    return "\n\n".join(parts) + "\n"


def _table(rows: Rows) -> str:
    lines = ["| " + " | ".join(map(_plain, row)) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Return text that Markdown takes as it is."""
    for mark in ("\\", "|", "*", "_", "`", "<", "[", "]"):
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())
