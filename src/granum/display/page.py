"""The page of a run inside a notebook: the same as ``granum view --export`` writes."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from granum import checks
from granum.run import Run
from granum.view import Record, exported


@dataclass(frozen=True)
class Page:
    """The page of a run; a notebook shows it in a frame of its own.

    Attributes:
        html: the whole page, which needs no server and no network.
        height: of the frame [pixel].
    """

    html: str
    height: int = 560

    def _repr_html_(self) -> str:
        """Return a frame with the page in it; its scripts can reach nothing but the page."""
        return (f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" '
                f'style="width:100%;height:{self.height}px;border:1px solid #d5dae0"></iframe>')


def show(run: str | Path | Run, *, size: float = 5.0, height: int = 560,
         contacts: bool = False) -> Page:
    """Show a run in a notebook: turn it, colour it, play it.

    Args:
        run: the run folder, or a `Run` that has been there.
        size: the most that the page may take in the notebook [MB]; frames are thinned to fit.
        height: of the page [pixel].
        contacts: whether contacts are in it, as rods; they take room.

    Raises:
        InputError: this is no run folder.
        OutputError: there is nothing to show, or not even one frame fits.
    """
    checks.whole("height", height, at_least=100)
    folder = run.folder if isinstance(run, Run) else Path(run)
    content, _ = exported(Record(folder), size, contacts)
    return Page(content.decode(), height)
