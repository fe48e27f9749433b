"""A run folder and a server for the tests of the page."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from view_folders import make_run

from granum.view import Record, make_server


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)


@dataclass(frozen=True)
class Client:
    """Asks a server for exactly the path it is given."""

    address: str
    port: int

    def get(self, path: str, method: str = "GET", host: str | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host=True)
            connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            connection.endheaders()
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()


@contextmanager
def serving(folder: Path) -> Iterator[Client]:
    server = make_server(Record(folder))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield Client(server.address, server.server_port)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; not to be changed."""
    return make_run(tmp_path_factory.mktemp("runs") / "block")


@pytest.fixture(scope="session")
def client(run: Path) -> Iterator[Client]:
    with serving(run) as found:
        yield found


@pytest.fixture
def serve() -> Callable[[Path], Any]:
    return serving
