"""Showing how far a run is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from granum.run import Progress

LINES = 10.0  # seconds between two plain lines


def say(console: Console, text: str) -> None:
    """Print one line as it is: no colours of its own, no line breaks of its own."""
    console.print(text, highlight=False, soft_wrap=True, emoji=False)


def duration_text(seconds: float) -> str:
    """Return a duration as a person would say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days" if seconds < float("inf") else "unknown"


class Reporter:
    """Receives the progress of a run."""

    def __init__(self, console: Console, bar: Bar | None) -> None:
        self._console = console
        self._bar = bar
        self._task = bar.add_task("", total=1.0, facts="") if bar is not None else None
        self._last = time.perf_counter()
        self._mean = 0.0

    def __call__(self, p: Progress) -> None:
        """Show where the run is."""
        self._mean = p.rate if self._mean == 0.0 else 0.9 * self._mean + 0.1 * p.rate
        whole = "" if p.end is None else f" of {p.end:.4g} s"
        bound = "at most " if "until" in p.stage else ""
        left = "" if math.isinf(p.steps) else (
            f"{bound}{duration_text((p.steps - p.step) / self._mean)} left")
        facts = "  ".join(fact for fact in (
            f"t = {p.time:.4g}{whole or ' s'}", escape(p.stage), f"{self._mean:.3g} steps/s", left,
            f"{p.grains} grains", f"{p.contacts} contacts", f"kinetic {p.kinetic:.2e} J") if fact)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=p.share, facts=facts)
        elif time.perf_counter() - self._last > LINES or p.share >= 1.0:
            self._last = time.perf_counter()
            say(self._console, f"{100 * p.share:3.0f} %  {facts}")


@contextmanager
def reporting(console: Console, quiet: bool) -> Iterator[Reporter]:
    """Give a reporter that fits where the output goes."""
    if quiet or not console.is_terminal:
        yield Reporter(console if not quiet else Console(quiet=True), None)
        return
    columns = (BarColumn(24), TextColumn("{task.percentage:3.0f} %"),
               TextColumn("{task.fields[facts]}"))
    with Bar(*columns, console=console, transient=True) as bar:
        yield Reporter(console, bar)
