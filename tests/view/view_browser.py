"""A real browser without a window, driven over its DevTools protocol with nothing but a pipe.

Chromium reads commands from file descriptor 3 and answers on 4, one JSON text each, ended by a
zero byte (its option ``--remote-debugging-pipe``). Graphics are computed in software, so that it
works on machines without a graphics card.
"""

from __future__ import annotations

import base64
import io
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
         "google-chrome-stable", "chrome")
MISSING = ("the tests of the page need Chromium: install it (on Debian: apt-get install "
           "chromium-headless-shell), or name it in GRANUM_BROWSER")
OPTIONS = ("--headless", "--no-sandbox", "--remote-debugging-pipe", "--use-gl=angle",
           "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
           "--disable-extensions", "--disable-background-networking", "--no-first-run",
           "--disable-component-update", "--disable-default-apps", "--mute-audio",
           "--disable-dev-shm-usage", "--force-color-profile=srgb")
LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
for end, number in zip(ends, (3, 4)):
    os.dup2(end, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
PATIENCE = 60.0  # seconds until something that must happen counts as lost


def find_browser() -> str:
    """Return the browser to test with; without one there is no test, which is an error."""
    found = os.environ.get("GRANUM_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found, MISSING
    return found


class Browser:
    """One page in a browser of its own; what it complains about is collected in ``complaints``."""

    def __init__(self, home: Path, size: tuple[int, int] = (1000, 700)) -> None:
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()
        command = [find_browser(), *OPTIONS, f"--user-data-dir={home}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(commands), str(answers), *command],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._rest = b""
        self._number = 0
        self._session: str | None = None
        self.complaints: list[str] = []
        self.asked: list[str] = []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(entry["targetId"] for entry in targets if entry["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(*size)

    def close(self) -> None:
        self._session = None
        self._send("Browser.close")
        self._process.wait(PATIENCE)
        os.close(self._write)
        os.close(self._read)

    # ---- the protocol ------------------------------------------------------------------------

    def _send(self, method: str, **arguments: Any) -> int:
        self._number += 1
        message = {"id": self._number, "method": method, "params": arguments}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data):]
        return self._number

    def call(self, method: str, **arguments: Any) -> dict[str, Any]:
        number = self._send(method, **arguments)
        while True:
            message = self._receive(PATIENCE)
            assert message is not None, f"the browser does not answer to {method}"
            if message.get("id") == number:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]

    def _receive(self, patience: float) -> dict[str, Any] | None:
        until = time.monotonic() + patience
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return None
            part = os.read(self._read, 1 << 20)
            assert part, "the browser has ended"
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(text)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        method, given = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(given["exceptionDetails"])[:500])
        elif method == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.complaints.append(f"{given['entry']['text']} {given['entry'].get('url', '')}")
        elif method == "Runtime.consoleAPICalled" and given["type"] == "error":
            self.complaints.append(json.dumps(given["args"])[:500])
        elif method == "Network.requestWillBeSent":
            self.asked.append(given["request"]["url"])

    # ---- what a person does --------------------------------------------------------------------

    def resize(self, width: int, height: int, scale: float = 1.0) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)

    def open(self, address: str) -> None:
        self.complaints.clear()
        self.asked.clear()
        self.call("Page.navigate", url=address)

    def offline(self, is_offline: bool) -> None:
        """Cut the network, or open it again."""
        self.call("Network.emulateNetworkConditions", offline=is_offline, latency=0,
                  downloadThroughput=-1, uploadThroughput=-1)

    def ask(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                          awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, expression: str) -> Any:
        """Wait until an expression is true, and return it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.ask(expression)
            if found:
                return found
            self._receive(0.02)
        message = f"it never came true: {expression}; {self.complaints}"
        raise AssertionError(message)

    def choose(self, element: str, value: str) -> None:
        """Choose a value of a select, a slider or a box."""
        self.ask(f"""(() => {{ const it = document.getElementById({element!r});
            it.value = {value!r};
            for (const kind of ["input", "change"]) it.dispatchEvent(new Event(kind)); }})()""")

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def picture(self, path: Path | None = None) -> np.ndarray:
        """Return what is seen, (height, width, 3), red green blue from 0 to 255."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path is not None:
            path.write_bytes(data)
        return np.rint(255 * matplotlib.image.imread(io.BytesIO(data))[:, :, :3]).astype(int)
