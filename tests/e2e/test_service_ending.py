"""How the service ends: what was accepted is answered, and nothing of it stays behind."""

import json
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client

from tests.support.service_process import PATIENCE, Held, ServiceProcess, kept_port, service
from tests.support.workers import alive, all_children

pytestmark = pytest.mark.process

CALLS = 4
QUERY = "/v1/search?query=tea+{number}"
ACCEPT = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}


def client(url: str) -> httpx2.Client:
    return httpx2.Client(base_url=url, timeout=PATIENCE, trust_env=False)


def search(running: ServiceProcess, number: int) -> bool:
    """Whether a search is answered."""
    with client(running.url) as http:
        reply = http.get(QUERY.format(number=number))
        return reply.status_code == 200 and len(reply.json()["results"]) == 5


def tool_call(running: ServiceProcess, number: int) -> bool:
    """Whether a tool of the protocol is answered, in its form with one request for everything."""
    params = {"name": "web_search", "arguments": {"query": f"tea {number}"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    with client(running.url) as http:
        reply = http.post("/mcp", json=body, headers=ACCEPT)
    told = [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: {")]
    return any("result" in message and not message["result"]["isError"] for message in told)


def sdk_call(running: ServiceProcess, number: int) -> bool:
    """The same with the official client and whatever form it prefers."""
    return anyio.run(call_with, lambda: Client(f"{running.url}/mcp"), number)


def sse_call(running: ServiceProcess, number: int) -> bool:
    """The same over the older transport, whose answers come on a stream that is open all the time."""
    return anyio.run(call_with, lambda: Client(sse_client(f"{running.url}/sse")), number)


async def call_with(connect: Callable[[], Client], number: int) -> bool:
    async with connect() as agent:
        # Otherwise the client asks for the schema after the call, when nobody is there any more.
        await agent.list_tools()
        return not (await agent.call_tool("web_search", {"query": f"tea {number}"})).is_error


@contextmanager
def serving(folder: Path, server: str) -> Iterator[ServiceProcess]:
    """`serve`, `serve 2` with two workers, or `mcp` with a transport."""
    command, _, option = server.partition(" ")
    workers = ("--workers", option) if command == "serve" and option else ()
    with service(folder, *workers, agents=option if command == "mcp" else "") as running:
        yield running


@pytest.mark.parametrize(
    ("server", "ask"),
    [
        ("serve", search),
        ("serve 2", search),
        ("serve", tool_call),
        ("serve 2", tool_call),
        ("serve", sdk_call),
        ("serve", sse_call),
        ("mcp http", tool_call),
        ("mcp http", sdk_call),
        ("mcp sse", sse_call),
    ],
)
def test_sigterm_loses_no_call_that_was_accepted(
    tmp_path: Path, server: str, ask: Callable[[ServiceProcess, int], bool]
) -> None:
    """Calls wait for a slow engine when the signal comes; each gets its answer, then the process ends well."""
    with serving(tmp_path, server) as running, ThreadPoolExecutor(CALLS) as pool:
        engine = Held(running.brave, CALLS)
        asked = [pool.submit(ask, running, number) for number in range(CALLS)]
        engine.wait()
        running.process.send_signal(signal.SIGTERM)
        running.closed()
        engine.release()
        assert [future.result(PATIENCE) for future in asked] == [True] * CALLS
        assert running.process.wait(PATIENCE) == 0
        with client(running.url) as late, pytest.raises(httpx2.ConnectError):
            late.get("/healthz")


@pytest.mark.parametrize("server", ["serve", "serve 2", "mcp http"])
def test_who_stands_in_the_queue_when_the_signal_comes_is_answered(tmp_path: Path, server: str) -> None:
    """The address is told before anybody can be answered; whoever has read it may come, or end the service."""
    with serving(tmp_path, server) as running:
        queue = [socket.create_connection(running.address, timeout=PATIENCE) for _ in range(6)]
        for number, each in enumerate(queue):
            each.sendall(f"GET {QUERY.format(number=number)} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        running.process.send_signal(signal.SIGTERM)
        replies = [each.makefile("rb").readline() for each in queue]
        for each in queue:
            each.close()
        assert running.process.wait(PATIENCE) == 0
        # `seekread mcp` has nothing there, and says so.
        assert set(replies) == {b"HTTP/1.1 404 Not Found\r\n" if server == "mcp http" else b"HTTP/1.1 200 OK\r\n"}


def test_an_agent_that_only_listens_keeps_nobody_waiting(tmp_path: Path) -> None:
    with service(tmp_path) as running, client(running.url) as http, http.stream("GET", "/sse") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "event: endpoint"
        running.process.send_signal(signal.SIGTERM)
        list(lines)
        assert running.process.wait(PATIENCE) == 0


@pytest.mark.parametrize(("server", "code"), [("serve", 0), ("serve 2", 0), ("mcp http", 130)])
def test_ctrl_c_answers_what_is_under_way_and_a_second_one_does_not_wait(
    tmp_path: Path, server: str, code: int
) -> None:
    with serving(tmp_path, server) as running, ThreadPoolExecutor(1) as pool:
        engine = Held(running.brave, 1)
        asked = pool.submit(tool_call, running, 1)
        engine.wait()
        running.process.send_signal(signal.SIGINT)
        running.closed()
        assert running.process.poll() is None
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(PATIENCE) == code
        engine.release()
        with pytest.raises(httpx2.TransportError):
            asked.result(PATIENCE)


@pytest.mark.anyio
@pytest.mark.parametrize("workers", [1, 2])
async def test_sigterm_during_load_breaks_no_connection(tmp_path: Path, workers: int) -> None:
    """Clients that keep their connection and send all the time get every answer, until nobody listens any more."""
    with service(tmp_path, "--workers", str(workers)) as running:
        lost: list[str] = []
        answered = anyio.Event()

        async def ask() -> None:
            async with httpx2.AsyncClient(base_url=running.url, timeout=PATIENCE, trust_env=False) as http:
                while True:
                    try:
                        reply = await http.get("/v1/search", params={"query": "tea"})
                    except httpx2.ConnectError:
                        return
                    except httpx2.TransportError as error:
                        lost.append(repr(error))
                        return
                    if reply.status_code != 200:
                        lost.append(reply.text)
                    answered.set()

        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(ask)
            await answered.wait()
            assert await anyio.to_thread.run_sync(running.terminate) == 0
        assert lost == []


def test_who_was_let_in_before_the_door_closed_may_still_ask(tmp_path: Path) -> None:
    with service(tmp_path, patient=True) as running:
        with client(running.url) as http:
            assert http.get("/healthz").status_code == 200
        with socket.create_connection(running.address) as inside:
            inside.sendall(b"GET /healthz HTTP/1.1\r\n")
            running.process.send_signal(signal.SIGTERM)
            running.closed()
            inside.sendall(b"Host: localhost\r\n\r\n")
            reply = inside.makefile("rb").read()
        assert reply.startswith(b"HTTP/1.1 200")
        assert b"connection: close" in reply
        assert running.process.wait(PATIENCE) == 0


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system does not list the children of a process")
def test_workers_end_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    """What they were asked is answered, and the address is free for whoever starts the service again."""
    with (
        kept_port() as port,
        service(tmp_path, "--workers", "2", "--port", str(port)) as running,
        ThreadPoolExecutor(CALLS) as pool,
    ):
        engine = Held(running.brave, CALLS)
        asked = [pool.submit(search, running, number) for number in range(CALLS)]
        engine.wait()
        workers = all_children(running.process.pid, 2)
        running.process.kill()
        running.closed()
        engine.release()
        assert [future.result(PATIENCE) for future in asked] == [True] * CALLS
        with service(tmp_path, "--port", str(port)) as again, client(again.url) as http:
            assert http.get("/healthz").status_code == 200
        for _ in range(PATIENCE * 100):
            if not any(map(alive, workers)):
                return
            time.sleep(0.01)
        raise AssertionError("the workers live on")
