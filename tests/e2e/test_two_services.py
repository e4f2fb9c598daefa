"""Two processes of the service on one Redis: what one has fetched the other does not, and both keep one pace."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from seekread.server.tokens import Tokens
from seekread.testing import simulators
from seekread.testing.server import Answer, LoopbackServer, Received
from seekread.testing.simulators import Simulator
from tests.support.redis_server import RedisServer, why_not
from tests.support.service_process import LONG, ServiceUrl, service_on
from tests.support.small_site import SmallSite
from tests.support.trap_site import TrapSite

pytestmark = [pytest.mark.process, pytest.mark.skipif(bool(why_not()), reason=why_not())]

PAGES = 12
PATIENCE = 240


def page(received: Received) -> Answer:
    """A page that takes a moment, so that both services are asked for it before either has it."""
    threading.Event().wait(0.2)
    text = f"<p>All there is to say about leaf number {received.path} is said here, and it takes a sentence or two.</p>"
    head = "<html lang=en><head><title>Leaf</title></head>"
    return Answer(f"{head}<body><main><h1>Leaf</h1>{text * 5}</main></body></html>")


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis") as running:
        yield running


@pytest.fixture
def site() -> Iterator[LoopbackServer]:
    with LoopbackServer(page) as running:
        yield running


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


@contextmanager
def two_services(
    folder: Path, redis: RedisServer, engine: Simulator, site: str, *options: str, **env: str
) -> Iterator[tuple[ServiceUrl, ServiceUrl]]:
    """Two processes that share a store and their tokens, and nothing else."""
    surroundings = {
        **engine.environment(),
        "SEEKREAD_STORE": redis.url,
        "WEB_SEARCH_PROVIDER": engine.name,
        # Whoever waits for another one waits for half of its time.
        **LONG,
        "SEEKREAD_ALLOW_PRIVATE": site.removeprefix("http://"),
        **env,
    }
    with ExitStack() as stack:
        first, second = (stack.enter_context(service_on(folder, *options, env=surroundings)) for _ in range(2))
        yield first, second


Calls = list[tuple[str, dict[str, Any]]]


def both_asked(services: tuple[ServiceUrl, ...], tokens: list[str], calls: Calls) -> None:
    """Every call of every token to both services, all at the same time."""

    def ask(url: str, token: str, path: str, body: dict[str, Any]) -> None:
        headers = {"authorization": f"Bearer {token}"}
        answered = httpx2.post(f"{url}{path}", json=body, headers=headers, timeout=PATIENCE, trust_env=False)
        assert answered.status_code == 200, answered.text

    whole = [(each.url, token, path, body) for path, body in calls for each in services for token in tokens]
    with ThreadPoolExecutor(len(whole)) as pool:
        for asked in [pool.submit(ask, *one) for one in whole]:
            asked.result(PATIENCE)


def calls_for(site: LoopbackServer) -> Calls:
    pages: Calls = [("/v1/open", {"url": f"{site.url}/leaf/{number}"}) for number in range(PAGES)]
    return pages + [("/v1/search", {"query": f"leaf {number}"}) for number in range(PAGES)]


def fetched(site: LoopbackServer) -> Counter[str]:
    return Counter(received.path for received in site.received if received.path.startswith("/leaf/"))


def asked(brave: Simulator) -> Counter[str]:
    return Counter(received.params.get("q", "") for received in brave.received)


def test_nothing_is_fetched_twice_for_one_token(
    tmp_path: Path, redis: RedisServer, brave: Simulator, site: LoopbackServer
) -> None:
    tokens = Tokens(tmp_path / "seekread" / "tokens.json")
    ada, grace = tokens.create("ada"), tokens.create("grace")
    with two_services(tmp_path, redis, brave, site.url, "--require-token") as services:
        both_asked(services, [ada], calls_for(site))
        assert set(fetched(site).values()) == {1}
        assert len(fetched(site)) == len(asked(brave)) == PAGES
        assert set(asked(brave).values()) == {1}
        both_asked(services, [grace], calls_for(site))
    assert set(fetched(site).values()) == set(asked(brave).values()) == {2}


def test_nothing_is_fetched_twice_for_anybody_where_the_operator_shares_the_cache(
    tmp_path: Path, redis: RedisServer, brave: Simulator, site: LoopbackServer
) -> None:
    tokens = Tokens(tmp_path / "seekread" / "tokens.json")
    people = [tokens.create(name) for name in ("ada", "grace")]
    with two_services(tmp_path, redis, brave, site.url, "--require-token", "--share-cache") as services:
        both_asked(services, people, calls_for(site))
    assert set(fetched(site).values()) == set(asked(brave).values()) == {1}
    assert len(fetched(site)) == len(asked(brave)) == PAGES


def test_both_keep_one_pace(tmp_path: Path, redis: RedisServer, site: LoopbackServer) -> None:
    """What one has sent keeps the other from sending before its time: here for an hour, which nobody waits for."""
    pace = {"SEEKREAD_ARXIV_DELAY_SECONDS": "3600"}
    with (
        simulators.start("arxiv") as arxiv,
        two_services(tmp_path, redis, arxiv, site.url, **pace) as (first, second),
    ):
        asked = [
            httpx2.post(f"{each.url}/v1/search", json={"query": query}, timeout=PATIENCE, trust_env=False)
            for each, query in ((first, "leaf"), (second, "tea"), (first, "root"))
        ]
        assert [answered.status_code for answered in asked] == [200, 429, 429]
        assert len(arxiv.received) == 1


def test_a_crawl_whose_process_was_killed_is_gone_on_with_by_the_other(
    tmp_path: Path, redis: RedisServer, brave: Simulator
) -> None:
    traps = TrapSite(30)
    with SmallSite(traps.answer) as harbour:
        env = {"SEEKREAD_BULK_DELAY": "0.1", "SEEKREAD_ALLOW_PRIVATE": harbour.endpoint}
        with two_services(tmp_path, redis, brave, harbour.url, **env) as (first, second):
            wanted = {"url": harbour.url}
            begun = httpx2.post(f"{first.url}/v1/crawl", json=wanted, timeout=PATIENCE, trust_env=False).json()
            state = progress(second, begun["id"], pages=5)
            assert state["state"] == "running"
            first.process.kill()
            first.process.wait(PATIENCE)
            whole = progress(second, begun["id"], "done")
    addresses = [record["url"] for record in whole["results"]]
    assert len(addresses) == len(set(addresses)) == whole["pages"]
    assert whole["pages"] > state["pages"]
    assert whole["failed"] == 0 or all(record["outcome"] for record in whole["results"])


def progress(service: ServiceUrl, job: str, *states: str, pages: int = 0) -> dict[str, Any]:
    """How a crawl is, as one of the services tells it, once it is in a state or has so many pages."""
    last = time.monotonic() + PATIENCE
    while time.monotonic() < last:
        url = f"{service.url}/v1/crawl/{job}"
        told = httpx2.get(url, params={"limit": 100}, timeout=PATIENCE, trust_env=False)
        found: dict[str, Any] = told.json()
        if found["pages"] >= pages and (not states or found["state"] in states):
            return found
    raise AssertionError(found)
