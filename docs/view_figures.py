"""Measures the figures that the page of a run is told with: ``python docs/view_figures.py``.

Made-up runs are served and opened in Chromium, which draws in software here: how long it takes
until the first frame is seen, how large the exported file is, and what a frame of many grains
costs. Needs Chromium, as the tests of the page do.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from granum.output import FrameWriter
from granum.view import Record, export_page, make_server

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "tests" / "view"))
SIZE = (1280, 800)
MANY = 100_000  # grains
STEPS = 5


def main() -> None:
    """Print them all."""
    home = Path(tempfile.mkdtemp())
    usual = restless(home / "usual", frames=200, count=3000)
    print(f"first frame of 3000 grains, 200 frames: {first_frame(usual):.2f} s")
    made = export_page(Record(usual), home / "usual.html")
    print(f"exported: {made['frames']} frames, {made['bytes'] / 1e6:.1f} MB")
    print(f"first frame of that file: {opened(home, (home / 'usual.html').as_uri()):.2f} s")
    serve_many(restless(home / "large", frames=STEPS + 1, count=MANY))


def restless(folder: Path, frames: int, count: int) -> Path:
    """Return the folder of a run in which everything changes from frame to frame."""
    import view_folders

    rng = np.random.default_rng(1)
    view_folders.make_run(folder, frames=1, count=count)
    (folder / "frames.vtkhdf").unlink()
    writer = FrameWriter(folder)
    for k in range(frames):
        frame = view_folders.block_of_grains(k, frames, count)
        fields = {**frame.fields, "velocity": rng.normal(size=(count, 3)),
                  "spin": rng.normal(size=(count, 3))}
        jitter = rng.normal(scale=1e-3, size=(count, 3))
        writer.write(k, frame.time, frame.points + jitter, fields)
    writer.consolidate()
    return folder


def opened(home: Path, address: str) -> float:
    """Return the seconds from asking for a page until its first frame is on the screen."""
    browser = _browser(home)
    start = time.perf_counter()
    browser.open(address)
    browser.until("document.body?.dataset.frame")
    _settle(browser)
    took = time.perf_counter() - start
    browser.close()
    return took


def first_frame(folder: Path) -> float:
    """Return the same for a run that was not looked at before."""
    server = make_server(Record(folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    took = opened(folder.parent, server.address)
    server.shutdown()
    return took


def serve_many(folder: Path) -> None:
    """Print what a frame of many grains costs: bytes, time to make and to hand them over."""
    record = Record(folder)
    record.describe()
    start = time.perf_counter()
    blocks = [len(record.frame_block(k)) + len(record.values_block(k, 0)) for k in range(STEPS)]
    made = (time.perf_counter() - start) / STEPS
    print(f"a frame of {MANY} grains: {blocks[0] / 1e6:.2f} MB, made within {1e3 * made:.0f} ms")
    server = make_server(record)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = _browser(folder.parent)
    browser.open(server.address)
    browser.until("document.body?.dataset.ready")
    start = time.perf_counter()
    for frame in range(1, STEPS + 1):
        browser.key("ArrowRight")
        browser.until(f"document.body.dataset.frame === '{frame}'")
    took = (time.perf_counter() - start) / STEPS
    print(f"fetched and handed to the graphics card within {1e3 * took:.0f} ms")
    browser.close()
    server.shutdown()


def _browser(home: Path):
    from view_browser import Browser

    return Browser(Path(tempfile.mkdtemp(dir=home)), SIZE)


def _settle(browser) -> None:
    browser.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


if __name__ == "__main__":
    main()
