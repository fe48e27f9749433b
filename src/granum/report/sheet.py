"""The tables of a report, as rows of text: the same for the screen, Markdown and HTML."""

from __future__ import annotations

from granum.report.facts import Report
from granum.report.wording import difference_text, time_text, value_text, verdict_text

Rows = list[tuple[str, ...]]


def about_rows(report: Report) -> Rows:
    """Return what was simulated, and how long it took."""
    summary, origin = report.summary, report.origin
    rows: Rows = []
    if origin is not None:
        rows += [("study", f"{origin.study} ({report.source})"), ("variant", origin.variant or "–"),
                 ("size", "quick" if origin.quick else "published")]
        rows += [("changed", change) for change in origin.changes]
        rows += [("must show", report.shows)]
    state = str(summary["state"])
    if "trouble" in summary:
        state += f": {summary['trouble']}"
    return [
        *rows,
        ("grains", str(summary["grains"])),
        ("simulated time", f"{summary['time']:.6g} s in {summary['steps']} steps of "
                           f"{summary['time_step']:.4g} s"),
        ("seed", str(summary["seed"])),
        ("state", state),
        ("run time", f"{time_text(summary['seconds'])} on {summary['threads']} thread"
                     f"{'' if summary['threads'] == 1 else 's'}"),
        ("grains × steps", f"{report.grain_steps:.4g}"),
        ("version", f"granum {summary['granum']}"),
    ]


def figure_rows(report: Report) -> Rows:
    """Return the figures, a line of headings first; without columns that would be empty."""
    if report.origin is None:
        return [("at the end", "measured"),
                *((figure.name, value_text(figure.measured, figure.unit))
                  for figure in report.figures)]
    return [("figure", "published", "measured", "difference", "", "source"),
            *((figure.name, value_text(figure.published, figure.unit),
               value_text(figure.measured, figure.unit), difference_text(figure),
               verdict_text(figure), figure.source) for figure in report.figures)]


def also_rows(report: Report) -> Rows:
    """Return what else was found, a line of headings first."""
    return [("also found", ""), *((name.replace("_", " "), value_text(value))
                                  for name, value in report.also.items())]
