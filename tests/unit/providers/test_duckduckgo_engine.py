"""What we use of the inside of `ddgs`, pinned; and what DuckDuckGo's refusals are told as."""

import hashlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from ddgs.base import BaseSearchEngine
from ddgs.ddgs import DDGS
from ddgs.engines.duckduckgo import Duckduckgo
from ddgs.engines.duckduckgo_news import DuckduckgoNews
from ddgs.http_client import HttpClient, Response

from seekread.provider import Blocked, ProviderError, RateLimited, SuspiciousEmpty, Unreachable
from seekread.providers.duckduckgo import DuckDuckGo
from seekread.testing import simulators
from seekread.testing.provider_contract import ProviderCase, search
from seekread.testing.server import Fault
from seekread.testing.simulators.duckduckgo import CHALLENGE

PINNED: dict[str, tuple[Callable[..., Any] | type, str]] = {
    "whose proxy is taken": (DDGS.__init__, "826be81ba5c9fb70 2a4e1c8f2a7f9561"),
    "how an engine is made": (BaseSearchEngine.__init__, "f56364a4b81adb5e"),
    "how an engine asks": (BaseSearchEngine.request, "c6cc388659a512ec"),
    "how an engine searches": (BaseSearchEngine.search, "72bdd8b92df16ecb"),
    "how a client sends": (HttpClient.request, "4a1a410bf79aaf67"),
    "what a reply carries": (Response.__init__, "c79edb95b5b6bde3"),
    "the engine for pages": (Duckduckgo, "d61b4b0682d83efd 3d169f7517073326"),
    "the engine for news": (DuckduckgoNews, "ba4d8c2e0f97b451"),
}
"""Digests: of the newest version, and of older ones that were read as well."""


@pytest.mark.parametrize("what", PINNED)
def test_the_inside_of_the_library_is_the_one_we_know(what: str) -> None:
    """When this fails the library has changed: read `duckduckgo_engine.py` against it, then add the new digest."""
    thing, known = PINNED[what]
    assert hashlib.sha256(inspect.getsource(thing).encode()).hexdigest()[:16] in known.split()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("fault", "meant"),
    [
        (Fault(202, CHALLENGE), Blocked),
        (Fault(202, ""), Blocked),
        (Fault(403, "Forbidden"), Blocked),
        (Fault(200, CHALLENGE), Blocked),
        (Fault(200, "<div class='anomaly-modal__title'>Unfortunately, bots use DuckDuckGo too.</div>"), Blocked),
        (Fault(429, "slow down"), RateLimited),
        (Fault(500, "oops"), Unreachable),
        (Fault(503, "busy"), Unreachable),
        (Fault(200, "<html><body>No results.</body></html>"), SuspiciousEmpty),
    ],
)
@pytest.mark.parametrize("kind", ["general", "news"])
async def test_a_refusal_is_told_as_what_it_is(fault: Fault, meant: type[ProviderError], kind: str) -> None:
    """All of these were "No results found." before (E1)."""
    with simulators.start("duckduckgo") as simulator:
        simulator.fail(fault)
        with pytest.raises(ProviderError) as caught:
            await search(ProviderCase(DuckDuckGo(**simulator.settings()), simulator), search_type=kind)
    # A news search asks for a token first, and a page without one is a block.
    assert type(caught.value) is (Blocked if kind == "news" and meant is SuspiciousEmpty else meant)


@pytest.mark.anyio
async def test_the_librarys_own_variable_still_names_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts make the provider without settings, and the library always looked there."""
    with simulators.start("duckduckgo") as simulator:
        monkeypatch.setenv("DDGS_PROXY", simulator.url)
        found = await search(ProviderCase(DuckDuckGo(ca_file=simulator.settings()["ca_file"]), simulator), "tea")
    assert len(found.results) == 5


@pytest.mark.anyio
async def test_results_about_the_challenge_are_results() -> None:
    with simulators.start("duckduckgo") as simulator:
        found = await search(
            ProviderCase(DuckDuckGo(**simulator.settings()), simulator), "challenge-form anomaly-modal"
        )
    assert len(found.results) == 5


@pytest.mark.anyio
async def test_results_stay_in_duckduckgos_order() -> None:
    """The library would put the second page of an encyclopedia above the first of anybody else."""
    with simulators.start("duckduckgo") as simulator:
        found = await search(
            ProviderCase(DuckDuckGo(**simulator.settings()), simulator), "tea site:b.org OR site:wikipedia.org"
        )
    assert [result.url.split("/")[2] for result in found.results[:2]] == ["b.org", "wikipedia.org"]
