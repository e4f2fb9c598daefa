"""
Run the service as a process: bind, say where, answer, and end without dropping what was accepted.

Whoever has read the address may send SIGTERM or come in at once, so signals are heard before it is told. On SIGTERM the
service says that it is not ready any more and asks clients to close the connections they keep. A moment later it takes
what stands in the queue, closes the door, and ends when the last request is answered. Several workers share the socket
and, through the store, everything else.
"""

import asyncio
import gc
import select
import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import uvicorn

from seekread.compose import Parts, compose
from seekread.config.sources import load
from seekread.errors import Misconfigured
from seekread.late import dataclass
from seekread.redact import log_to_stderr
from seekread.server.access import is_loopback
from seekread.server.app import Service, ServiceOptions, create_app
from seekread.server.ending import ProcessEnding
from seekread.server.heads import PunctualProtocol
from seekread.server.identity import check
from seekread.server.supervisor import supervise
from seekread.server.tokens import Tokens, given_tokens, token_file

PORT = 8787
COLLECTED = (5_000, 10, 10)
"""Objects made, and collections of the young, after which Python looks for cycles."""
BACKLOG = 2048
DRAIN_SECONDS = 30
"""Longer than a search may take by default."""
GRACE_SECONDS = 0.5
"""How long clients have to notice that the service is about to end."""
QUEUE_SECONDS = 1.0
IDLE_SECONDS = 1.0
LOOK_SECONDS = 0.005


@dataclass(frozen=True)
class Recipe:
    """How to make the service; every worker makes its own."""

    before_opening: ClassVar[str] = "make a token first with `seekread token create NAME`, or name a --token-file"
    """What to do where a token is needed and there is none."""

    options: ServiceOptions = field(default_factory=ServiceOptions)
    settings: Mapping[str, Any] = field(default_factory=dict)
    providers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    config: str | Path | None = None
    token_file: str | Path | None = None
    record: str | Path | None = None
    replay: str | Path | None = None

    def __call__(self) -> Service:
        """Make the service."""
        configuration = load(self.settings, providers=self.providers, file=self.config)
        parts = compose(
            configuration,
            record=Path(self.record) if self.record else None,
            replay=Path(self.replay) if self.replay else None,
        )
        return self.service(parts)

    def service(self, parts: Parts) -> Service:
        """The service over an engine."""
        return create_app(parts, self.tokens(), self.options)

    def tokens(self) -> Tokens:
        """The tokens that are valid."""
        folder = load(self.settings, file=self.config).state_folder
        return Tokens(token_file(folder), given_tokens(self.token_file))

    def check(self) -> None:
        """Refuse wrong settings, and to open the door to anybody."""
        auth = load(self.settings, providers=self.providers, file=self.config).settings.auth
        check(auth)
        if self.options.workers > 1 and (self.record or self.replay):
            raise Misconfigured("a recording needs one worker: leave --workers out")
        if self.options.needs_token and not self.tokens().all() and not auth.auth_issuer:
            reachable = not is_loopback(self.options.host)
            where = f"{self.options.host!r} can be reached by other machines: " if reachable else ""
            raise Misconfigured(where + self.before_opening)


class DrainingServer(uvicorn.Server):
    """A server that takes what stands in its queue before it closes the door."""

    def __init__(self, config: uvicorn.Config, service: Service, ending: ProcessEnding) -> None:
        self._ending = ending
        super().__init__(config)
        self._service = service

    @property
    def should_exit(self) -> bool:
        """Whether the process was told to end. A process that did as it was told ends with 0."""
        return self._ending.told

    @should_exit.setter
    def should_exit(self, told: bool) -> None:
        self._ending.told |= told

    @property
    def force_exit(self) -> bool:
        """Whether it was told a second time."""
        return self._ending.at_once

    @force_exit.setter
    def force_exit(self, told: bool) -> None:
        self._ending.at_once |= told

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Signals are heard already, since before the address was told."""
        return nullcontext()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell clients, accept who has knocked already, close the door, and let those inside ask once more."""
        self._service.draining = True
        if not self._ending.orphaned:
            await asyncio.sleep(GRACE_SECONDS)
        listening = sockets or []
        for each in listening:
            # Who comes now waits outside and is turned away, instead of being let into a queue that is given up.
            each.listen(0)
        await until(lambda: not knocking(listening), QUEUE_SECONDS)
        for server in self.servers:
            server.close()
        for each in listening:
            each.close()
        # Every answer closes its connection now, so what is left after a while is not used.
        await until(lambda: not self.server_state.connections, IDLE_SECONDS)
        async with self._service.letting_go():
            await super().shutdown(sockets)


async def until(condition: Callable[[], bool], seconds: float) -> None:
    """
    Wait for something that others bring about, but not for ever.

    What is counted is looks, not time: where a busy machine holds us up, it holds them up as well.
    """
    for _ in range(int(seconds / LOOK_SECONDS)):
        if condition():
            return
        await asyncio.sleep(LOOK_SECONDS)


def knocking(sockets: list[socket.socket]) -> bool:
    """Whether somebody stands in the queue."""
    return bool(select.select(sockets, (), (), 0)[0])


def serve(
    recipe: Recipe,
    *,
    port: int = PORT,
    drain_seconds: int = DRAIN_SECONDS,
    announce: Callable[[str], None] = lambda _address: None,
) -> ProcessEnding:
    """Serve until the process is told to end, and say how it was told."""
    recipe.check()
    listening = bind(recipe.options.host, port)
    shown = f"[{recipe.options.host}]" if ":" in recipe.options.host else recipe.options.host
    address = f"http://{shown}:{listening.getsockname()[1]}"
    with listening, ProcessEnding().heard() as ending:
        announce(address)
        if recipe.options.workers > 1:
            work = partial(answer, recipe, listening, drain_seconds)
            supervise(work, recipe.options.workers, ending, before_end=listening.close)
        else:
            answer(recipe, listening, drain_seconds, ending)
    return ending


def answer(recipe: Recipe, listening: socket.socket, drain_seconds: int, ending: ProcessEnding) -> None:
    """Answer requests in this process until it is told to end."""
    # A worker is a process of its own, to which nothing was said about logs.
    log_to_stderr()
    service = recipe()
    # Every request makes thousands of objects that die with it; looking for cycles less often saves work.
    gc.set_threshold(*COLLECTED)
    DrainingServer(config(service, drain_seconds), service, ending).run(sockets=[listening])


def config(service: Service, drain_seconds: int) -> uvicorn.Config:
    """How uvicorn is used: no log of its own, no trust in headers of proxies."""
    return uvicorn.Config(
        service,
        http=PunctualProtocol,
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=drain_seconds,
    )


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens, or a sentence that says why not."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        listening = socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        raise Misconfigured(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    listening.set_inheritable(True)
    return listening
