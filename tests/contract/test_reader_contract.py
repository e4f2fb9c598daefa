"""The contract every reader keeps: services against their simulators, our own readers against a site on loopback."""

from collections.abc import AsyncIterator, Iterator
from importlib.metadata import entry_points
from typing import Any

import pytest

from seekread.provider import ReadProvider
from seekread.providers.exa import Exa
from seekread.providers.firecrawl import Firecrawl
from seekread.providers.jina import Jina
from seekread.providers.mcp_server import McpServer
from seekread.providers.serper import Serper
from seekread.providers.tavily import Tavily
from seekread.readers.browser.reader import Browser
from seekread.readers.builtin.fetch import Fetcher
from seekread.readers.builtin.reader import Builtin, WholePage
from seekread.readers.builtin.workers import WorkerLimits, Workers
from seekread.testing import reader_contract, simulators
from seekread.testing.reader_contract import ReaderCase, on_site, site
from seekread.testing.server import LoopbackServer
from tests.support.need_chromium import need_chromium

pytestmark = pytest.mark.anyio

SERVICES: dict[str, Any] = {
    "exa": Exa,
    "firecrawl": Firecrawl,
    "jina": Jina,
    "mcp": McpServer,
    "serper": Serper,
    "tavily": Tavily,
}
OURS = {"builtin": Builtin, "whole": WholePage}
LOCAL = (*OURS, "browser")
ELSEWHERE = ("crawl4ai", "wayback")
"""Tested by themselves: one needs an environment of its own, the other a server that is neither site nor service."""
READERS = [*(pytest.param(name, marks=pytest.mark.process) for name in LOCAL), *SERVICES]
CHECKS = [
    # The reader that takes over is the built-in one.
    pytest.param(name, marks=pytest.mark.process) if name == "the next reader takes over" else name
    for name in reader_contract.CHECKS
]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def workers() -> AsyncIterator[Workers]:
    async with Workers(WorkerLimits(size=1, seconds=60)) as running:
        yield running


@pytest.fixture(scope="module")
async def browsers(workers: Workers) -> AsyncIterator[dict[str, Browser]]:
    """Where the one browser that all cases share is kept."""
    kept: dict[str, Browser] = {}
    yield kept
    for browser in kept.values():
        await browser.close()


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[LoopbackServer]:
    name = request.getfixturevalue("name")
    with simulators.start(name) if name in SERVICES else site() as running:
        yield running


@pytest.fixture
async def case(
    name: str, server: LoopbackServer, workers: Workers, browsers: dict[str, Browser]
) -> AsyncIterator[ReaderCase]:
    if name in SERVICES:
        simulator: Any = server
        yield ReaderCase(SERVICES[name](**simulator.settings()), server, key=simulator.key)
    elif name in OURS:

        def builtin(guard: Any) -> ReadProvider:
            return OURS[name](Fetcher(guard), workers)

        made = on_site(builtin, server, impatience=0.5)
        yield made
        await made.reader.fetcher.close()  # type: ignore[attr-defined]
    else:
        need_chromium()

        def browser(guard: Any) -> ReadProvider:
            new = Browser(guard, workers, wait_seconds=60)
            object.__setattr__(new, "browsers", browsers.setdefault("one", new).browsers)
            return new

        yield on_site(browser, server, impatience=3)


def test_every_registered_reader_is_under_contract() -> None:
    registered = {entry.name for entry in entry_points(group="seekread.readers") if entry.value.startswith("seekread.")}
    assert registered <= {*SERVICES, *LOCAL, *ELSEWHERE}


@pytest.mark.proves("S3-5", "S3-28", "S3-30", "S3-32", "S3-33")
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("check", CHECKS)
async def test_a_reader_keeps_the_contract(case: ReaderCase, check: str) -> None:
    """S3-39"""
    await reader_contract.CHECKS[check](case)


@pytest.mark.proves("S3-28")
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("outage", reader_contract.OUTAGES)
async def test_an_outage_becomes_the_right_error_and_never_a_page(case: ReaderCase, outage: str) -> None:
    """S3-39"""
    await reader_contract.check_outage(case, outage)
