"""Draws the pictures of the page of a run.

    granum run hourglass --out runs/hourglass
    granum run force-arches --set output.contacts=true --out runs/arches
    granum run segregation --quick --out runs/segregation
    python docs/view_pictures.py runs/hourglass runs/arches runs/segregation

Needs Chromium, as the tests of the page do.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from granum.output import write_png
from granum.view import Record, make_server

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "tests" / "view"))
SIZE = (1200, 760)


def main(hourglass: Path, arches: Path, shapes: Path) -> None:
    """Write a picture of each: grains and series, forces in the dark, shapes cut open."""
    with _page(hourglass) as browser:
        _go(browser, 0.2)
        _save(browser, "view.png")
    with _page(arches) as browser:
        _go(browser, 1.0)
        for key in "dn14":
            browser.key(key)
        browser.until("!document.getElementById('rod-legend').hidden")
        _save(browser, "view-contacts.png")
    with _page(shapes) as browser:
        _go(browser, 1.0)
        _colour(browser, "species")
        browser.key("x")
        browser.key("x")
        browser.ask("document.getElementById('cut').open = true")
        browser.choose("cut-place", "0.5")
        _save(browser, "view-shapes.png")


@contextmanager
def _page(run: Path) -> Iterator:
    """Serve a run, and open it in a browser of its own."""
    from view_browser import Browser

    server = make_server(Record(run))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Browser(Path(tempfile.mkdtemp()))
    browser.resize(*SIZE, scale=2.0)
    browser.open(server.address)
    browser.until("document.body?.dataset.ready")
    try:
        yield browser
    finally:
        browser.close()
        server.shutdown()


def _go(browser, share: float) -> None:
    last = int(browser.ask("document.getElementById('time').max"))
    frame = round(share * last)
    browser.choose("time", str(frame))
    browser.until(f"document.body.dataset.frame === '{frame}'")


def _colour(browser, label: str) -> None:
    names = browser.ask("[...document.getElementById('quantity').options].map(o => o.text)")
    browser.choose("quantity", str(names.index(label)))


def _save(browser, name: str) -> None:
    time.sleep(1.5)  # until everything is drawn
    fine = browser.picture()
    height, width, _ = fine.shape
    smooth = fine.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3))
    write_png(HERE / "images" / name, np.rint(smooth).astype(np.uint8))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
