"""The gallery: one page of all studies, with the runs of each that a folder holds.

The page stands beside the run folders and shows their pictures: it is small, and moves with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from granum.errors import GranumError, InputError
from granum.output.atomic import replace_bytes
from granum.report.facts import Report
from granum.report.page import STYLE
from granum.report.write import PAGE, write_report
from granum.run import SCENARIO, SUMMARY
from granum.studies import STUDIES, Study

GALLERY = "index.html"
CARDS = """
section { border-top: 1px solid #e6e9ed; margin-top: 2rem; }
figure { display: inline-block; width: 29rem; max-width: 100%; margin: 0 1rem 1rem 0;
         vertical-align: top; }
figcaption { color: #5b6672; } .failed { color: #a33; }
"""


def write_gallery(folder: Path) -> tuple[Path, list[Report], list[str]]:
    """Write the reports of all runs in a folder, and the page of all studies above them.

    Args:
        folder: in which run folders stand.

    Returns:
        The page, the reports in it, and why other runs are left out.

    Raises:
        InputError: there is no such folder.
    """
    if not folder.is_dir():
        message = f"{folder} is no folder: give the one in which run folders stand, such as runs"
        raise InputError(message)
    reports, problems = [], []
    for run in sorted(path.parent for path in folder.glob(f"*/{SCENARIO}")):
        if not (run / SUMMARY).exists():
            problems.append(f"{run.name} has not ended yet")
            continue
        try:
            reports.append(write_report(run))
        except GranumError as error:
            problems.append(f"{run.name}: {error}")
    page = folder / GALLERY
    replace_bytes(page, gallery_page(reports, problems).encode())
    return page, reports, problems


def gallery_page(reports: Sequence[Report], problems: Sequence[str]) -> str:
    """Return the page as HTML: studies in their order, each with its runs, then all other runs."""
    parts = ["<h1>granum: studies and runs</h1>"]
    for study in STUDIES.values():
        own = [report for report in reports if report.origin and report.origin.study == study.name]
        parts.append(_section(study, own))
    others = [report for report in reports if report.origin is None]
    if others:
        parts.append("<section><h2>Other runs</h2>" + "".join(map(_card, others)) + "</section>")
    parts += [f'<p class="failed">{escape(problem)}</p>' for problem in problems]
    body = "\n".join(parts)
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>granum: studies and runs</title>\n<style>{STYLE}{CARDS}</style>\n</head>\n"
            f"<body>\n{body}\n</body>\n</html>\n")


def _section(study: Study, reports: Sequence[Report]) -> str:
    shown = "".join(map(_card, reports)) or (
        f"<p>No run of it is here yet:</p><pre>granum run {escape(study.name)}</pre>")
    return (f"<section><h2>{escape(study.title)}</h2><p>It must show: {escape(study.shows)}. "
            f"<em>{escape(study.source)}.</em></p>{shown}</section>")


def _card(report: Report) -> str:
    """Return one run: its first picture, its title, and how it compares."""
    name = quote(report.folder.name)
    picture = "".join(f'<img alt="{escape(report.title)}" src="{name}/{quote(path.name)}">'
                      for path in report.pictures[:1])
    return (f'<figure><a href="{name}/{PAGE}">{picture}{escape(report.title)}</a>'
            f"<figcaption>{escape(verdict(report))}</figcaption></figure>")


def verdict(report: Report) -> str:
    """Return in a few words how a run ended, and whether it agrees with what was published."""
    said = [str(report.summary["state"]), f"{report.summary['grains']} grains"]
    judged = [figure.agrees for figure in report.figures if figure.agrees is not None]
    if judged and not report.caution:
        said.append(f"{sum(judged)} of {len(judged)} published figures agree")
    elif report.origin is not None and report.origin.quick:
        said.append("quick size")
    return ", ".join(said)
