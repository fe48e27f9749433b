"""Draws the pictures of the page of a run: ``python docs/view_pictures.py runs/hourglass``.

Needs Chromium, as the tests of the page do.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from granum.output import write_png
from granum.view import Record, make_server

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "tests" / "view"))
SIZE = (1200, 760)


def main(run: Path) -> None:
    """Write ``view.png`` and ``view-contacts.png`` from a run of the hourglass."""
    from view_browser import Browser

    server = make_server(Record(run))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Browser(Path(tempfile.mkdtemp()))
    browser.resize(*SIZE, scale=2.0)
    browser.open(server.address)
    browser.until("document.body?.dataset.ready")
    _go(browser, 0.2)
    _save(browser, "view.png")
    for key in "dnb":
        browser.key(key)
    browser.choose("grains", "0.3")
    browser.until("!document.getElementById('rod-legend').hidden")
    _save(browser, "view-contacts.png")
    browser.close()
    server.shutdown()


def _go(browser, share: float) -> None:
    last = int(browser.ask("document.getElementById('time').max"))
    frame = round(share * last)
    browser.choose("time", str(frame))
    browser.until(f"document.body.dataset.frame === '{frame}'")


def _save(browser, name: str) -> None:
    time.sleep(1.0)  # until everything is drawn
    fine = browser.picture()
    height, width, _ = fine.shape
    smooth = fine.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3))
    write_png(HERE / "images" / name, np.rint(smooth).astype(np.uint8))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
