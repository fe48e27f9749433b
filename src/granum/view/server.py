"""The server of the page: for this machine only, and only for what stands in ``ROUTES``.

No path of a file is ever made from an address: the page's own files are known by name beforehand,
the run's numbers are asked for by whole numbers. The name under which a browser asks must be that
of this machine, so that a page from elsewhere cannot make a browser fetch the run for it by a name
of its own that leads here.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from granum.errors import GranumError, InputError
from granum.view.bundle import page_files
from granum.view.record import Record

ADDRESS = "127.0.0.1"
BINARY, JSON = "application/octet-stream", "application/json"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src blob:; "
          "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
HEADERS = {
    "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
IDLE = 60.0  # seconds after which a connection is given up

ROUTES: dict[str, Callable[..., Any]] = {
    r"/api/run": Record.describe,
    r"/api/walls": Record.walls_described,
    r"/api/series": Record.series_block,
    r"/api/frame/(\d{1,9})": Record.frame_block,
    r"/api/values/(\d{1,9})/(\d{1,4})": Record.values_block,
    r"/api/limits/(\d{1,4})": Record.limits,
    r"/api/network/(\d{1,9})": Record.network_block,
    r"/api/triangulation/(\d{1,9})": Record.triangulation_block,
    r"/api/cell/(\d{1,9})/(\d{1,9})": Record.cell,
    r"/api/grain/(\d{1,9})/(\d{1,9})": Record.grain,
}


class Server(ThreadingHTTPServer):
    """Serves one run; ``server_port`` tells the port."""

    daemon_threads = True

    def __init__(self, record: Record, port: int) -> None:
        """Take a port of this machine; 0 for any that is free."""
        super().__init__((ADDRESS, port), Handler)
        self.record = record
        self.files = page_files()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that left before its answer came, as when a tab is closed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{ADDRESS}:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    protocol_version = "HTTP/1.1"
    timeout = IDLE
    server_version, sys_version = "granum", ""

    def do_GET(self) -> None:
        """Answer with a file of the page, or numbers of the run."""
        if self.headers.get("Host") not in self._names():
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "this server answers to its own name only")
            return
        name = "index.html" if self.path == "/" else self.path.removeprefix("/")
        if name in self.server.files:
            kind = TYPES["." + name.rpartition(".")[2]]
            self._send(HTTPStatus.OK, kind, self.server.files[name])
            return
        for pattern, answer in ROUTES.items():
            match = re.fullmatch(pattern, self.path)
            if match:
                self._answer(answer, [int(number) for number in match.groups()])
                return
        self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")

    def _answer(self, answer: Callable[..., Any], numbers: list[int]) -> None:
        try:
            found = answer(self.server.record, *numbers)
        except GranumError as error:
            self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
            return
        if isinstance(found, bytes):
            self._send(HTTPStatus.OK, BINARY, found)
        else:
            self._send(HTTPStatus.OK, JSON, json.dumps(found, allow_nan=False).encode())

    def _names(self) -> set[str]:
        port = self.server.server_port
        return {f"{host}:{port}" for host in (ADDRESS, "localhost")}

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self._send(status, JSON, json.dumps({"error": reason}).encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind,
                            "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal belongs to the user."""


def make_server(record: Record, port: int = 0) -> Server:
    """Return a server of a run, on a port of this machine; 0 takes any that is free.

    Raises:
        InputError: the port is taken, or not for this user.
    """
    try:
        return Server(record, port)
    except OSError as error:
        message = (f"port {port} cannot be used: {error.strerror or error}; leave --port out to "
                   "take any that is free")
        raise InputError(message) from error
