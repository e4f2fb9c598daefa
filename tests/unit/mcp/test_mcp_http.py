"""Who may come in over HTTP: `seekread mcp` on an address is the service with only the agents' routes."""

import runpy
from collections.abc import Callable, Iterator
from contextlib import ExitStack
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
from seekread.mcp.server import HttpRoutes
from seekread.server.agents import AgentsRecipe
from seekread.server.app import ServiceOptions
from seekread.server.run import bind
from seekread.server.tokens import Tokens
from tests.unit.server.conftest import Running, serving

pytestmark = pytest.mark.anyio
TOKEN = "a-token-that-is-long-enough"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"accept": "application/json, text/event-stream"}
Serve = Callable[..., Running]


@pytest.fixture(scope="module")
def serve() -> Iterator[Serve]:
    """Start what `seekread mcp` would on an address."""
    with ExitStack() as stack:

        def begin(**recipe: Any) -> Running:
            made = AgentsRecipe(settings={"store": "memory:"}, **recipe)
            return stack.enter_context(serving(made(), made.tokens()))

        yield begin


@pytest.fixture(scope="module")
def behind_a_token(serve: Serve) -> Running:
    return serve(token=TOKEN)


@pytest.fixture(scope="module")
def known_by_name(serve: Serve) -> Running:
    return serve(options=ServiceOptions(allowed_hosts=("search.example",)))


def never() -> Seekread:
    raise AssertionError("listing needs no engine")


async def ask(app: Any, running: HttpRoutes, headers: dict[str, str], host: str = "127.0.0.1:8765") -> Any:
    transport = httpx2.ASGITransport(app)
    async with running.running(), httpx2.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
        return await client.post("/mcp", json=LIST, headers={**HEADERS, **headers})


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN}", 200),
        (f"Bearer {TOKEN}x", 401),
        (f"Basic {TOKEN}", 401),
        ("Bearer", 401),
        ("", 401),
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/sse", "/messages/?session_id=00"])
def test_only_the_bearer_of_the_token_comes_in(behind_a_token: Running, header: str, status: int, path: str) -> None:
    reply = behind_a_token.post(path, LIST, headers={**HEADERS, "authorization": header})
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
        ("127.0.0.1:8765", "https://inspector.example", 200),
        ("127.0.0.1:8765", "http://localhost:3000", 403),
        ("127.0.0.1:8765", "http://127.0.0.1:3000", 403),
        ("attacker.example", None, 421),
        ("127.0.0.1.attacker.example:8765", None, 421),
        ("127.0.0.1:8765", "https://attacker.example", 403),
        ("127.0.0.1:8765", "null", 403),
    ],
)
def test_a_page_in_a_browser_cannot_reach_the_server(serve: Serve, host: str, origin: str | None, status: int) -> None:
    options = ServiceOptions(allowed_hosts=("search.example",), allowed_origins=("https://inspector.example",))
    running = serve(options=options)
    reply = running.post("/mcp", LIST, headers={**HEADERS, "host": host, **({"origin": origin} if origin else {})})
    assert reply.status_code == status


def test_beyond_loopback_another_machine_s_page_cannot_reach_it_either(serve: Serve) -> None:
    running = serve(options=ServiceOptions(host="0.0.0.0"), token=TOKEN)
    known = {**HEADERS, "authorization": f"Bearer {TOKEN}", "host": "192.0.2.7:8765"}
    assert running.post("/mcp", LIST, headers=known).status_code == 200
    assert running.post("/mcp", LIST, headers={**known, "origin": "http://192.0.2.8"}).status_code == 403


def test_the_event_stream_checks_hosts_too(known_by_name: Running) -> None:
    assert known_by_name.get("/sse", headers={"host": "attacker.example"}).status_code == 421


def test_only_the_asked_transports_are_there(serve: Serve) -> None:
    assert serve(transports=("sse",)).post("/mcp", LIST, headers=HEADERS).status_code == 404


def test_nothing_else_of_the_service_is_there(known_by_name: Running) -> None:
    for path in ("/", "/v1/usage", "/metrics", "/openapi.json", "/compat/searxng", "/login", "/healthz"):
        assert known_by_name.get(path).status_code == 404, path


def test_tokens_of_the_service_open_another_door(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    other = Tokens(tmp_path / "seekread" / "tokens.json").create("laptop")
    refused = serve(token=TOKEN).post("/mcp", LIST, headers={**HEADERS, "authorization": f"Bearer {other}"})
    assert refused.status_code == 401
    assert "seekread token create" not in refused.text


async def test_its_routes_live_inside_another_application() -> None:
    inner = HttpRoutes(never, tool_prefix="web_")
    outer = Starlette(routes=[Route("/healthz", lambda _request: PlainTextResponse("ok")), *inner.routes])
    reply = await ask(outer, inner, {}, host="search.example")
    assert reply.status_code == 200
    assert "web_open_page" in reply.text


async def test_a_tool_sees_the_context_of_its_own_request() -> None:
    """An application around it gives every token a session of its own that way."""
    visitor: ContextVar[str] = ContextVar("visitor")

    def current() -> Seekread:
        raise InvalidQuery(f"this is {visitor.get()}")

    inner = HttpRoutes(current)
    application = Starlette(routes=inner.routes)

    async def outer(scope: Any, receive: Any, send: Any) -> None:
        visitor.set(dict(scope["headers"])[b"visitor"].decode())
        await application(scope, receive, send)

    call = {**LIST, "method": "tools/call", "params": {"name": "web_search", "arguments": {"query": "tea"}}}
    transport = httpx2.ASGITransport(outer)
    async with inner.running(), httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for name in ("Ada", "Grace"):
            reply = await client.post("/mcp", json=call, headers={**HEADERS, "visitor": name})
            assert f"this is {name}" in reply.text


async def test_the_example_of_the_guide_serves_whoever_has_its_token() -> None:
    example = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "mcp" / "in_your_application.py"))
    headers = {"authorization": "Bearer a long random text of yours"}
    async with example["agents"].running():
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
        AgentsRecipe(ServiceOptions(host=host)).check()
    AgentsRecipe(ServiceOptions(host=host), token=TOKEN).check()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_needs_no_token(host: str) -> None:
    AgentsRecipe(ServiceOptions(host=host)).check()


def test_a_short_token_is_refused() -> None:
    with pytest.raises(Misconfigured, match="at least 16"):
        AgentsRecipe(token="secret").check()


def test_a_wrong_setting_is_said_before_anybody_comes() -> None:
    with pytest.raises(Misconfigured, match="setting limit"):
        AgentsRecipe(settings={"limit": "many"}).check()


def test_a_token_is_not_shown() -> None:
    assert TOKEN not in repr(AgentsRecipe(token=TOKEN))


def test_a_port_that_is_taken_is_said_so() -> None:
    with bind("127.0.0.1", 0) as taken, pytest.raises(Misconfigured, match="cannot listen on"):
        bind("127.0.0.1", taken.getsockname()[1])
