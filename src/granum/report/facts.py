"""Gathering what a run says: what was simulated, what was found, and what was published."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from granum.errors import InputError
from granum.measures.columns import unit_of
from granum.run import SCENARIO, SUMMARY, refuse_no_run
from granum.scenario.reader import read_toml
from granum.studies import STUDIES, Origin, Published, Study, origin_of
from granum.studies.study import SPEED

HARMLESS = ("seed", "output")  # changes of these keys leave a run comparable with the published one
SAMPLED = ("contacts", "wall_contacts", "coordination", "height", "fastest", "deepest", "kinetic",
           "elastic")  # what is told of the last sample of a run that is no study


@dataclass(frozen=True)
class Figure:
    """One line of the table: a figure as published and as measured, both in ``unit``.

    Args:
        name: what it is.
        measured: None if the run has no such figure.
        unit: of both, and of the difference.
        published: a number, yes or no, or words; None where nothing was published.
        difference: measured less published; None where one of them is no number.
        agrees: whether they are the same within the spread; None if that cannot be told.
        spread: how far apart they may be; None if nobody knows.
        source: where the published one stands.
    """

    name: str
    measured: float | bool | None
    unit: str = ""
    published: float | bool | str | None = None
    difference: float | None = None
    agrees: bool | None = None
    spread: float | None = None
    source: str = ""


@dataclass(frozen=True)
class Report:
    """What a run says.

    Args:
        folder: of the run.
        title: of its scenario.
        command: that runs the same again.
        summary: the run's ``summary.json``.
        figures: published beside measured; for a run that is no study, measured alone.
        also: what else was found, by name.
        pictures: files in the folder.
        origin: the study, its variant and size; None for a run that is no study.
        source: where the study was published.
        shows: what the study must show.
    """

    folder: Path
    title: str
    command: str
    summary: Mapping[str, Any]
    figures: tuple[Figure, ...]
    also: Mapping[str, Any]
    pictures: tuple[Path, ...]
    origin: Origin | None = None
    source: str = ""
    shows: str = ""

    @property
    def grain_steps(self) -> int:
        """Grains times steps."""
        return grain_steps_of(self.summary)

    @property
    def caution(self) -> str:
        """Why published and measured figures are not of the same experiment; empty if they are."""
        if self.origin is None:
            return ""
        if self.summary["state"] != "finished":
            return "The run has not come to its end, so nothing was measured."
        if self.origin.quick:
            return ("This is the quick size, with fewer or other grains and less time: it shows "
                    "what to expect, not the published figures.")
        changes = changes_of_substance(self.origin)
        if changes:
            return f"The run is not the published one: {', '.join(changes)} was changed."
        return ""

    def data(self) -> dict[str, Any]:
        """Return all of it as plain values for JSON."""
        origin, summary = self.origin, self.summary
        return {
            "title": self.title,
            "study": origin.study if origin else None,
            "variant": origin.variant if origin else None,
            "size": ("quick" if origin.quick else "published") if origin else None,
            "changes": list(origin.changes) if origin else [],
            "source": self.source,
            "command": self.command,
            **{key: summary[key] for key in ("state", "granum", "seed", "grains", "steps", "time",
                                             "time_step", "seconds", "threads")},
            "grain_steps": self.grain_steps,
            "figures": [{key: plain(value) for key, value in vars(figure).items()}
                        for figure in self.figures],
            "also": {name: plain(value) for name, value in self.also.items()},
            "pictures": [picture.name for picture in self.pictures],
            "caution": self.caution,
        }


def gather(folder: Path) -> Report:
    """Return what the run in a folder says.

    Raises:
        InputError: it is no run folder, the run has not ended in any way, or a file is damaged.
    """
    refuse_no_run(folder)
    document = read_toml(folder / SCENARIO)
    summary = read_summary(folder)
    origin = origin_of(document.text)
    study = STUDIES.get(origin.study) if origin else None
    if study is None:
        origin = None
    found = summary.get("found", {})
    figures = (_figures(study, origin, {**found, SPEED: speed_of(summary)}) if study and origin
               else _sampled(summary))
    used = {p.key for p in study.published.get(origin.variant, ())} if study and origin else set()
    return Report(
        folder=folder,
        title=str(document.data.get("title") or folder.name),
        command=origin.command() if origin else shlex.join(
            ["granum", "run", str(folder / SCENARIO), "--out", f"{folder}-again"]),
        summary=summary,
        figures=figures,
        also={name: value for name, value in found.items()
              if name not in used and not isinstance(value, str)},
        pictures=_pictures(folder, found),
        origin=origin,
        source=study.source if study else "",
        shows=study.shows if study else "",
    )


def grain_steps_of(summary: Mapping[str, Any]) -> int:
    """Return the grains at the end times the steps."""
    return int(summary["grains"]) * int(summary["steps"])


def speed_of(summary: Mapping[str, Any]) -> float | None:
    """Return grains times steps for each second of computing, compiling included [1/s]."""
    seconds = float(summary["seconds"])
    return grain_steps_of(summary) / seconds if seconds > 0.0 else None


def read_summary(folder: Path) -> dict[str, Any]:
    """Return the summary of a run; refuse a run without one, and a damaged one."""
    path = folder / SUMMARY
    if not path.exists():
        message = (f"{folder} has no {SUMMARY}: the run is still going on, or was killed. Wait for "
                   f"it, or go on with it: granum resume {folder}")
        raise InputError(message)
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"{path} cannot be read ({error}); write it again: granum resume {folder}"
        raise InputError(message) from error
    needed = ("state", "granum", "seed", "grains", "steps", "time", "time_step", "seconds",
              "threads")
    missing = [key for key in needed if not isinstance(summary, dict) or key not in summary]
    if missing:
        message = (f"{path} does not say {', '.join(missing)}: it is no summary of a run; write it "
                   f"again: granum resume {folder}")
        raise InputError(message)
    return dict(summary)


def changes_of_substance(origin: Origin) -> list[str]:
    """Return the changes from ``--set`` that make a run another experiment."""
    keys = {change: change.partition("=")[0].strip().partition(".")[0]
            for change in origin.changes}
    return [change for change, key in keys.items() if key not in HARMLESS]


def plain(value: Any) -> Any:
    """Return a value that JSON can hold: what is not finite becomes None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _figures(study: Study, origin: Origin, found: Mapping[str, Any]) -> tuple[Figure, ...]:
    """Return the published figures of a variant beside those of the run."""
    is_whole = not origin.quick and not changes_of_substance(origin)
    return tuple(_compared(published, found, is_whole)
                 for published in study.published.get(origin.variant, ()))


def _compared(published: Published, found: Mapping[str, Any], is_whole: bool) -> Figure:
    return Figure(
        published.name, published.measured(found), published.unit, published.value,
        published.difference(found), published.agrees(found) if is_whole else None,
        published.spread, published.source)


def _sampled(summary: Mapping[str, Any]) -> tuple[Figure, ...]:
    """Return what the last sample of a run says."""
    sample = summary.get("last_sample", {})
    return tuple(Figure(name.replace("_", " "), float(sample[name]), unit_of(name))
                 for name in SAMPLED if name in sample)


def _pictures(folder: Path, found: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the pictures that the run names and that are in its folder, wherever that is now."""
    names = [Path(value).name for value in found.values()
             if isinstance(value, str) and value.endswith(".png")]
    return tuple(folder / name for name in dict.fromkeys(names) if (folder / name).is_file())
