"""A service on a real socket, over a simulated engine and a page of our own."""

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

from seekread.compose import compose
from seekread.config.sources import load
from seekread.ports import Telemetry
from seekread.server.app import Service, ServiceOptions, create_app
from seekread.server.dialects import DIALECTS
from seekread.server.dialects.dialect import Dialect
from seekread.server.heads import PunctualProtocol
from seekread.server.tokens import Tokens
from seekread.testing import simulators
from seekread.testing.server import Answer, LoopbackServer, Received
from seekread.testing.simulators import Simulator

PARAGRAPH = "Green tea is made from leaves that were not oxidised. " * 12
PAGE = f"""<!doctype html><html lang="en"><head><title>All about tea</title></head><body><main>
<h1>All about tea</h1><p>{PARAGRAPH}</p><h2>Brewing</h2><p>Steep it for three minutes at eighty degrees.</p>
<p>Read <a href="/more">more about leaves</a>.</p></main></body></html>"""


@dataclass
class Running:
    """A service that runs, and a client of it."""

    service: Service
    client: httpx2.Client
    tokens: Tokens

    @property
    def url(self) -> str:
        return str(self.client.base_url).rstrip("/")

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.client.get(path, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> httpx2.Response:
        return self.client.post(path, json=body, **options)


Start = Callable[..., Running]


def page(received: Received) -> Answer:
    return Answer("gone", 404) if received.path == "/gone" else Answer(PAGE)


@pytest.fixture
def site() -> Iterator[LoopbackServer]:
    with LoopbackServer(page) as running:
        yield running


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


@pytest.fixture
def start(brave: Simulator, site: LoopbackServer, tmp_path: Path) -> Iterator[Start]:
    """Start a service; settings are arguments, `simulated` are further engines."""
    with ExitStack() as stack:

        def begin(
            options: ServiceOptions | None = None,
            *,
            dialects: Sequence[Dialect] = DIALECTS,
            simulated: Sequence[Simulator] = (),
            http: type[PunctualProtocol] = PunctualProtocol,
            record: Path | None = None,
            telemetry: Telemetry | None = None,
            **settings: Any,
        ) -> Running:
            usual = {
                "providers": ["brave"],
                "attempts": 1,
                "store": str(tmp_path / "state.sqlite"),
                "allow_private": [site.url.removeprefix("http://")],
            }
            engines = {engine.name: engine.settings() for engine in (brave, *simulated)}
            configuration = load({**usual, **settings}, providers=engines, environ={})
            tokens = Tokens(tmp_path / "tokens.json")
            service = create_app(
                compose(configuration, record=record, telemetry=telemetry), tokens, options, dialects=dialects
            )
            return stack.enter_context(serving(service, tokens, http))

        yield begin


@contextmanager
def serving(
    service: Service,
    tokens: Tokens,
    http: type[PunctualProtocol] = PunctualProtocol,
    *,
    listening: socket.socket | None = None,
) -> Iterator[Running]:
    """Run a service in a thread, on a socket that was opened before if its address had to be known."""
    listening = listening or socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(service, http=http, lifespan="on", ws="none", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        with httpx2.Client(base_url=url, timeout=30, trust_env=False) as client:
            yield Running(service, client, tokens)
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()


@pytest.fixture
def running(start: Start) -> Running:
    return start()
