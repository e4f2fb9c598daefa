"""Services without a key: by consent alone, after those with a key, named in every answer, and for nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest

from seekread import AllFailed, Misconfigured, Seekread
from seekread.provider import traits
from seekread.providers.registry import Registry, provider_class
from seekread.state.installation import installation_name
from seekread.testing import simulators
from seekread.testing.simulators import KEYLESS, Simulator

pytestmark = pytest.mark.anyio

SERVICES = Registry().keyless_names()
HOSTS = {name: about.host for name in SERVICES if (about := traits(provider_class(name)).keyless)}
OPEN_HOSTS = {"html.duckduckgo.com", "en.wikipedia.org"}


def asked(environ: dict[str, str], **settings: Any) -> list[str]:
    web = Seekread(environ={"HOME": "/nowhere", **environ}, settings=settings)
    return [provider.name for provider in web._parts.chain(())]


@asynccontextmanager
async def without_key(name: str, **settings: Any) -> AsyncIterator[tuple[Seekread, Simulator]]:
    """A session that agreed to one service, which runs on loopback."""
    with simulators.start(f"{name}{KEYLESS}") as service:
        given = {"store": "memory:", "keyless": [name], **settings}
        async with Seekread(name, settings=given, environ={"HOME": "/nowhere", **service.environment()}) as web:
            yield web, service


def test_nobody_is_asked_without_a_key_unless_somebody_agreed() -> None:
    assert asked({}) == ["duckduckgo", "wikipedia"]
    assert asked({}, keyless=["exa", "tavily"]) == ["tavily", "exa", "duckduckgo", "wikipedia"]
    assert asked({"SEEKREAD_KEYLESS": "keenable"}) == ["keenable", "duckduckgo", "wikipedia"]


def test_whoever_has_a_key_is_asked_before_everybody_without_one() -> None:
    keys = {"KAGI_API_KEY": "k", "EXA_API_KEY": "e"}
    assert asked(keys, keyless=["tavily", "exa"]) == ["exa", "kagi", "tavily", "duckduckgo", "wikipedia"]


def test_agreeing_to_a_service_that_wants_a_key_is_a_mistake_that_names_the_others() -> None:
    with pytest.raises(Misconfigured, match="keyless names 'brave'; choose from exa, firecrawl, keenable, parallel"):
        asked({}, keyless=["brave"])
    with pytest.raises(Misconfigured, match="keyless names 'exaa'"):
        asked({}, keyless=["exaa"])


@pytest.mark.parametrize("name", SERVICES)
async def test_a_service_named_in_a_call_is_not_thereby_agreed_to(name: str) -> None:
    """What is missing is said, with both ways to go on."""
    with simulators.start(f"{name}{KEYLESS}") as service:
        environ = {"HOME": "/nowhere", **service.environment()}
        async with Seekread(name, settings={"store": "memory:"}, environ=environ) as web:
            with pytest.raises(
                AllFailed, match=f"_API_KEY.*to {HOSTS[name]} without a key, name {name} in keyless"
            ) as failure:
                await web.search("tea")
        assert failure.value.outcome == "not_configured"
        assert not service.received


@pytest.mark.parametrize("name", SERVICES)
async def test_every_answer_without_a_key_says_where_the_query_went(name: str) -> None:
    async with without_key(name) as (web, service):
        response = await web.search("tea", limit=3)
    assert len(response.results) == 3
    assert len(service.received) == 1
    assert any(f"without a key: the query went to {HOSTS[name]}" in note for note in response.notes)


@pytest.mark.parametrize("name", SERVICES)
async def test_a_key_is_used_where_there_is_one(name: str) -> None:
    with simulators.start(name) as service:
        settings = {"store": "memory:", "keyless": [name]}
        async with Seekread(name, settings=settings, environ={"HOME": "/x", **service.environment()}) as web:
            response = await web.search("tea")
    assert response.results
    assert not any("without a key" in note for note in response.notes)


@pytest.mark.parametrize("name", SERVICES)
async def test_nobody_is_charged_without_a_key_whatever_a_reply_says(name: str) -> None:
    async with without_key(name, daily_dollars=0, cache=False) as (web, _):
        for _ in range(3):
            assert (await web.search("tea", limit=10)).results
        booked = [usage for usage in await web._parts.ledger.usage() if usage.provider == name]
    assert [(usage.dollars, usage.calls) for usage in booked] == [(0.0, 3)]


async def test_an_empty_answer_of_a_tool_is_judged_by_a_known_one() -> None:
    async with without_key("exa") as (web, service):
        response = await web.search("qqnothingqq")
    assert response.outcome == "empty"
    assert len(service.received) == 2


async def test_parallel_counts_an_installation_under_one_random_name(tmp_path: Path) -> None:
    with simulators.start(f"parallel{KEYLESS}") as service:
        for _ in range(2):
            environ = {"HOME": str(tmp_path), **service.environment()}
            async with Seekread(settings={"keyless": ["parallel"], "cache": False}, environ=environ) as web:
                await web.search("tea", provider="parallel")
    first, second = (received.json["params"]["arguments"]["session_id"] for received in service.received)
    assert first == second
    assert len(first) == 32


def test_where_no_name_can_be_kept_there_is_one_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert installation_name(tmp_path / "file") != installation_name(tmp_path / "file")
    assert installation_name(tmp_path / "folder") == installation_name(tmp_path / "folder")


class Watched:
    """A proxy that writes down whom anybody wants to reach, and lets nobody through."""

    def __init__(self) -> None:
        self.hosts: set[str] = set()

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = (await reader.readline()).decode("latin-1").split()
        self.hosts.add(first[1].rpartition(":")[0] if len(first) > 1 else "?")
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()


@asynccontextmanager
async def watching() -> AsyncIterator[tuple[Watched, dict[str, str]]]:
    """The proxy, and the environment in which everything goes through it."""
    watched = Watched()
    server = await asyncio.start_server(watched.meet, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield watched, {"HOME": "/nowhere", "HTTPS_PROXY": url, "HTTP_PROXY": url, "DDGS_PROXY": url}


AGREEMENTS = list(chain.from_iterable(combinations(SERVICES, number) for number in (0, 1, 2, len(SERVICES))))


@pytest.mark.parametrize("agreed", AGREEMENTS, ids="+".join)
async def test_no_connection_is_opened_to_a_service_nobody_agreed_to(agreed: tuple[str, ...]) -> None:
    """The addresses are the real ones here: whoever is asked is seen on the wire."""
    async with watching() as (watched, environ):
        settings = {"store": "memory:", "keyless": list(agreed), "route": "fuse"}
        async with Seekread(settings=settings, environ=environ) as web:
            with pytest.raises(AllFailed):
                await web.search("tea")
    assert watched.hosts == OPEN_HOSTS | {HOSTS[name] for name in agreed}
