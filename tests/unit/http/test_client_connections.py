"""The connections of the client for services: kept, found stale, cancelled, forked, and shared by event loops."""

import asyncio
import gc
import os
import socket
import struct
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import uvloop

from seekread.errors import Unreachable
from seekread.http.client import ServiceClient, prepared
from seekread.http.wire import MAX_IDLE, Wire
from seekread.provider import Request
from tests.support.raw_service import PATIENCE, Line, RawService, answering, reply

left_behind = pytest.mark.filterwarnings("ignore::ResourceWarning")
"""A connection left behind on a closed loop can only be collected, and complains."""
LOOPS = pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
Loops = Callable[[], asyncio.AbstractEventLoop]


async def get(client: ServiceClient, url: str, seconds: float = PATIENCE) -> bytes:
    return (await client.send(Request("GET", url), seconds=seconds)).body


def on(new_loop: Loops, client: ServiceClient, *urls: str) -> list[bytes]:
    """Ask one after another on a loop of its own, and close."""

    async def run() -> list[bytes]:
        try:
            return [await get(client, url) for url in urls]
        finally:
            await client.close()

    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(run())


@LOOPS
def test_a_connection_is_used_again(new_loop: Loops) -> None:
    with RawService(answering(reply(b"1"))) as service:
        assert on(new_loop, ServiceClient(proxies={}), *[service.url] * 5) == [b"1"] * 5
        assert service.connections == 1


@pytest.mark.parametrize(
    "answer",
    [
        reply(b"1", b"connection: close"),
        b"HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n1",
    ],
)
def test_a_connection_is_not_used_again_when_the_service_said_so(answer: bytes) -> None:
    with RawService(answering(answer)) as service:
        assert on(asyncio.new_event_loop, ServiceClient(proxies={}), service.url, service.url) == [b"1"] * 2
        assert service.connections == 2


@LOOPS
def test_a_connection_the_service_closed_meanwhile_is_not_used(new_loop: Loops) -> None:
    """The request goes out once, over a new connection."""
    closed = threading.Semaphore(0)

    def serve(line: Line) -> None:
        line.request()
        line.send(reply(b"1"))
        line.sock.shutdown(socket.SHUT_RDWR)
        line.sock.close()
        closed.release()

    async def run() -> None:
        client = ServiceClient(proxies={})
        for _ in range(20):
            assert await get(client, service.url) == b"1"
            # In this thread, so that the loop itself has not seen the end of the connection yet.
            closed.acquire()
        await client.close()

    with RawService(serve) as service, asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(run())
    assert len(service.requests) == 20


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("politely", [True, False])
def test_a_request_that_was_read_is_not_sent_twice(method: str, politely: bool) -> None:
    """Whoever read a request may have charged it; whether to ask again is for the ledger to know."""

    def serve(line: Line) -> None:
        line.request()
        line.send(reply(b"1"))
        line.request()
        if not politely:
            line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    async def run() -> None:
        client = ServiceClient(proxies={})
        asked = Request("POST", service.url, json={}) if method == "POST" else Request("GET", service.url)
        await client.send(asked, seconds=PATIENCE)
        with pytest.raises(Unreachable) as caught:
            await client.send(asked, seconds=PATIENCE)
        assert caught.value.sent is True
        await client.close()

    with RawService(serve) as service:
        asyncio.run(run())
    assert len(service.requests) == 2


@LOOPS
def test_cancelled_calls_leave_no_connection_and_harm_nobody(new_loop: Loops) -> None:
    arrived = threading.Semaphore(0)

    def serve(line: Line) -> None:
        while request := line.request():
            arrived.release()
            if b"/slow" not in request:
                line.send(reply(b"good"))

    async def run() -> None:
        client = ServiceClient(proxies={})
        beside = asyncio.create_task(get(client, service.url))
        calls = [asyncio.create_task(get(client, f"{service.url}/slow")) for _ in range(200)]
        for _ in range(201):
            await asyncio.to_thread(arrived.acquire)
        for call in calls:
            call.cancel()
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ended)
        assert await beside == b"good"
        assert await get(client, service.url) == b"good"
        await client.close()
        assert await asyncio.to_thread(service.drained)

    with RawService(serve) as service, asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(run())


def test_calls_cancelled_while_they_connect_leave_nothing_behind() -> None:
    with RawService(answering(reply(b"good"))) as service:

        async def run() -> None:
            client = ServiceClient(proxies={})
            for steps in range(200):
                call = asyncio.create_task(get(client, f"http://localhost:{service.port}"))
                for _ in range(steps % 20):
                    await asyncio.sleep(0)
                call.cancel()
                await asyncio.gather(call, return_exceptions=True)
            assert await get(client, service.url) == b"good"
            await client.close()
            assert await asyncio.to_thread(service.drained)

        asyncio.run(run())


@LOOPS
def test_as_many_calls_as_there_are_go_out_at_once(new_loop: Loops) -> None:
    """How many may run is for the rooms of the engine to say: the service answers only when all are there."""
    everybody = threading.Barrier(256, timeout=PATIENCE)

    async def run() -> list[bytes]:
        client = ServiceClient(proxies={})
        try:
            return await asyncio.gather(*(get(client, service.url) for _ in range(256)))
        finally:
            await client.close()

    with RawService(partial(together, everybody)) as service, asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(run()) == [b"1"] * 256


def together(everybody: threading.Barrier, line: Line) -> None:
    """Answer when everybody has asked."""
    while line.request():
        everybody.wait()
        line.send(reply(b"1"))


def test_no_more_connections_idle_than_calls_run_by_default() -> None:
    everybody = threading.Barrier(100, timeout=PATIENCE)
    ended = threading.Semaphore(0)

    def serve(line: Line) -> None:
        together(everybody, line)
        ended.release()

    async def run() -> None:
        client = ServiceClient(proxies={})
        await asyncio.gather(*(get(client, service.url) for _ in range(100)))
        for _ in range(100 - MAX_IDLE):
            assert await asyncio.to_thread(ended.acquire, timeout=PATIENCE)
        await client.close()

    with RawService(serve) as service:
        asyncio.run(run())


def test_one_client_serves_two_event_loops_at_the_same_time() -> None:
    """Two threads, 64 calls each, none answered before all 128 are there, and three rounds of it."""
    everybody = threading.Barrier(128, timeout=PATIENCE)
    client = ServiceClient(proxies={})
    both = threading.Barrier(2, timeout=PATIENCE)

    async def run() -> list[bytes]:
        rounds = [await asyncio.gather(*(get(client, service.url) for _ in range(64))) for _ in range(3)]
        await asyncio.to_thread(both.wait)
        await client.close()
        return [body for answers in rounds for body in answers]

    with RawService(partial(together, everybody)) as service, ThreadPoolExecutor(2) as threads:
        answers = [threads.submit(asyncio.run, run()) for _ in range(2)]
        assert [answer.result() for answer in answers] == [[b"1"] * 192] * 2


@left_behind
def test_an_event_loop_that_has_ended_is_forgotten() -> None:
    client = ServiceClient(proxies={})
    ended: list[weakref.ref[asyncio.AbstractEventLoop]] = []

    async def run() -> None:
        ended.append(weakref.ref(asyncio.get_running_loop()))
        assert await get(client, service.url) == b"1"

    with RawService(answering(reply(b"1"))) as service:
        for _ in range(5):
            asyncio.run(run())
        gc.collect()
        assert [loop() for loop in ended[:-1]] == [None] * 4
        asyncio.run(client.close())
        gc.collect()
        assert ended[-1]() is None
        assert service.drained()


def test_a_call_under_way_while_the_client_closes_is_answered_and_its_connection_closes() -> None:
    asked, closed = threading.Event(), threading.Event()

    def serve(line: Line) -> None:
        while line.request():
            asked.set()
            closed.wait(PATIENCE)
            line.send(reply(b"1"))

    async def run() -> None:
        client = ServiceClient(proxies={})
        call = asyncio.create_task(get(client, service.url))
        await asyncio.to_thread(asked.wait)
        await client.close()
        closed.set()
        assert await call == b"1"
        assert await asyncio.to_thread(service.drained)

    with RawService(serve) as service:
        asyncio.run(run())


def test_nothing_is_written_to_a_connection_that_has_ended() -> None:
    async def run() -> None:
        _, wire = await asyncio.get_running_loop().create_connection(Wire, "127.0.0.1", service.port)
        wire.eof_received()
        await asyncio.to_thread(service.drained)
        with pytest.raises(Unreachable) as caught:
            await wire.exchange(prepared(Request("GET", service.url), "test"), 1000)
        assert caught.value.sent is False

    with RawService(Line.request) as service:
        asyncio.run(run())


def test_closing_reaches_the_connections_of_a_loop_that_still_runs() -> None:
    client = ServiceClient(proxies={})
    with RawService(answering(reply(b"1"))) as service, asyncio.Runner() as here:
        here.run(get(client, service.url))
        with ThreadPoolExecutor(1) as threads:
            threads.submit(lambda: asyncio.run(client.close())).result()
        assert here.run(asyncio.to_thread(service.drained))


@pytest.mark.process
@left_behind
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_gets_connections_of_its_own() -> None:
    client = ServiceClient(proxies={})
    with RawService(answering(reply(b"1"))) as service:
        with asyncio.Runner() as here:
            assert here.run(get(client, service.url)) == b"1"
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    asyncio.events._set_running_loop(None)
                    code = 0 if asyncio.run(get(client, service.url)) == b"1" else 2
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert here.run(get(client, service.url)) == b"1"
            here.run(client.close())
        assert service.connections == 2


def test_an_ipv6_address_is_reached() -> None:
    with RawService(answering(reply(b"6")), host="::1") as service:
        assert on(asyncio.new_event_loop, ServiceClient(proxies={}), service.url) == [b"6"]
        assert f"\r\nhost: [::1]:{service.port}\r\n".encode() in service.requests[0].lower()


@LOOPS
def test_every_address_of_a_name_is_tried(new_loop: Loops, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one refuses, the second one answers."""
    known = socket.getaddrinfo

    def two(host: str, port: int, *rest: object, **options: object) -> list[object]:
        if host != "two.example":
            return known(host, port, *rest, **options)  # type: ignore[arg-type,return-value]
        address = (socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
        return [
            (socket.AF_INET6, *address, ("::1", port, 0, 0)),
            (socket.AF_INET, *address, ("127.0.0.1", port)),
        ]

    monkeypatch.setattr(socket, "getaddrinfo", two)
    with RawService(answering(reply(b"second"))) as service:
        url = f"http://two.example:{service.port}"
        assert on(asyncio.new_event_loop, ServiceClient(proxies={}), url) == [b"second"]
