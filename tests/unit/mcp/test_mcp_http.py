"""Who may come in over HTTP, without a process or a socket in between."""

import runpy
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from seekread.client import Seekread
from seekread.errors import InvalidQuery, Misconfigured
from seekread.mcp.bearer import Bearer
from seekread.mcp.run import ListenAddress, bound
from seekread.mcp.server import HttpApp, http_app

pytestmark = pytest.mark.anyio
TOKEN = "a-token-that-is-long-enough"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"accept": "application/json, text/event-stream"}


def never() -> Seekread:
    raise AssertionError("listing needs no engine")


async def ask(
    app: Any, running: HttpApp, headers: dict[str, str], path: str = "/mcp", host: str = "127.0.0.1:8765"
) -> Any:
    transport = httpx2.ASGITransport(app)
    async with running.running(), httpx2.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
        return await client.post(path, json=LIST, headers={**HEADERS, **headers})


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN}", 200),
        (f"Bearer {TOKEN}x", 401),
        (f"Basic {TOKEN}", 401),
        ("Bearer ", 401),
        ("", 401),
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/sse", "/messages/?session_id=00"])
async def test_only_the_bearer_of_the_token_comes_in(header: str, status: int, path: str) -> None:
    app = http_app(never, token=TOKEN)
    reply = await ask(app, app, {"authorization": header}, path)
    assert (reply.status_code == 401) == (status == 401)
    if status == 401:
        assert reply.headers["www-authenticate"].startswith("Bearer")
        assert TOKEN not in reply.text
    elif path == "/mcp":
        assert "page_lookup" in reply.text


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:8765", None, 200),
        ("localhost", None, 200),
        ("[::1]:9000", None, 200),
        ("search.example:443", "https://search.example", 200),
        ("127.0.0.1:8765", "http://localhost:3000", 200),
        ("attacker.example", None, 421),
        ("127.0.0.1.attacker.example:8765", None, 421),
        ("127.0.0.1:8765", "https://attacker.example", 403),
        ("127.0.0.1:8765", "null", 403),
    ],
)
async def test_a_page_in_a_browser_cannot_reach_the_server(host: str, origin: str | None, status: int) -> None:
    app = http_app(never, hosts=["search.example"])
    reply = await ask(app, app, {"host": host, **({"origin": origin} if origin else {})})
    assert reply.status_code == status


async def test_the_event_stream_checks_hosts_too() -> None:
    app = http_app(never)
    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://attacker.example") as client:
        assert (await client.get("/sse")).status_code == 421


async def test_only_the_asked_transports_are_there() -> None:
    app = http_app(never, transports=["sse"])
    assert (await ask(app, app, {})).status_code == 404


async def test_it_lives_inside_another_application_that_checks_hosts_itself() -> None:
    inner = http_app(never, tool_prefix="web_", hosts=None)
    outer = Starlette(routes=[Route("/healthz", lambda _request: PlainTextResponse("ok")), *inner.routes])
    reply = await ask(outer, inner, {}, host="search.example")
    assert reply.status_code == 200
    assert "web_open_page" in reply.text


async def test_a_tool_sees_the_context_of_its_own_request() -> None:
    """An application around it gives every token a session of its own that way."""
    visitor: ContextVar[str] = ContextVar("visitor")

    def current() -> Seekread:
        raise InvalidQuery(f"this is {visitor.get()}")

    inner = http_app(current)

    async def outer(scope: Any, receive: Any, send: Any) -> None:
        visitor.set(dict(scope["headers"])[b"visitor"].decode())
        await inner(scope, receive, send)

    call = {**LIST, "method": "tools/call", "params": {"name": "web_search", "arguments": {"query": "tea"}}}
    transport = httpx2.ASGITransport(outer)
    async with inner.running(), httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for name in ("Ada", "Grace"):
            reply = await client.post("/mcp", json=call, headers={**HEADERS, "visitor": name})
            assert f"this is {name}" in reply.text


async def test_the_example_of_the_guide_serves_whoever_has_its_token() -> None:
    example = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "mcp" / "in_your_application.py"))
    headers = {"authorization": "Bearer a long random text of yours"}
    async with example["lifespan"](example["application"]):
        transport = httpx2.ASGITransport(example["application"])
        async with httpx2.AsyncClient(transport=transport, base_url="http://search.example.org") as client:
            known = await client.post("/mcp", json=LIST, headers={**HEADERS, **headers})
            stranger = await client.post("/mcp", json=LIST, headers=HEADERS)
            health = await client.get("/healthz")
    assert "page_lookup" in known.text
    assert (stranger.status_code, health.status_code) == (401, 200)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "search.example", ""])
def test_nobody_listens_beyond_loopback_without_a_token(host: str) -> None:
    with pytest.raises(Misconfigured, match="SEEKREAD_MCP_TOKEN"):
        ListenAddress(host).checked()
    assert ListenAddress(host, token=TOKEN).checked()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_needs_no_token(host: str) -> None:
    assert ListenAddress(host).checked()


def test_a_short_token_is_refused() -> None:
    with pytest.raises(Misconfigured, match="at least 16"):
        ListenAddress(token="secret").checked()


def test_a_token_is_not_shown() -> None:
    assert TOKEN not in repr(ListenAddress(token=TOKEN))
    assert TOKEN not in repr(Bearer(None, TOKEN))


def test_a_port_that_is_taken_is_said_so() -> None:
    with (
        bound(ListenAddress(port=0)) as taken,
        pytest.raises(Misconfigured, match="cannot listen on"),
    ):
        bound(ListenAddress(port=taken.getsockname()[1]))
