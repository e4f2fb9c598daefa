"""
Nothing found is an answer, failure is an error: who can say that the web has nothing, on every route.

Engines are played over real HTTP; whatever is asked here, an engine that answers has nothing.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import pytest

from seekread import AllFailed, Seekread
from seekread.models import SearchResponse, SearchResult
from seekread.options import Query, Wish
from seekread.provider import Job, traits
from seekread.providers.registry import provider_class
from seekread.testing import simulators
from seekread.testing.clock import FakeClock
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio

ROUTES = ("first", "auto", "hedge", "fuse")
FAULTS = {
    "rate_limited": Fault(429),
    "unreachable": Fault(500),
    "auth_failed": Fault(401),
    "bad_reply": Fault(body="<html>captcha</html>"),
}
NAMES = tuple(sorted(simulators.names()))
WEB = tuple(name for name in NAMES if traits(provider_class(name)).scope == "web")
CORPORA = tuple(name for name in NAMES if name not in WEB)
NEXT = dict(zip(WEB, (*WEB[1:], WEB[0]), strict=True))
PAIRS = {
    *NEXT.items(),
    *((name, CORPORA[place % len(CORPORA)]) for place, name in enumerate(WEB)),
    *(("brave", name) for name in NAMES if name != "brave"),
}
"""Who fails beside whom that has nothing: everybody beside one of each kind, and one beside everybody."""


class Engines(dict[str, Simulator]):
    """Engines by name, each played from when it is first named."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    def __missing__(self, name: str) -> Simulator:
        self[name] = self._stack.enter_context(simulators.start(name))
        return self[name]


@pytest.fixture
def engines() -> Iterator[dict[str, Simulator]]:
    with ExitStack() as stack:
        yield Engines(stack)


async def asked(engines: dict[str, Simulator], names: tuple[str, ...], route: str, **options: Any) -> SearchResponse:
    """What becomes of a question that nobody has an answer to."""
    settings = {"cache": False, "store": "memory:", "route": route, "attempts": 1}
    providers = {name: engines[name].settings() for name in names}
    async with Seekread(list(names), settings=settings, providers=providers, clock=FakeClock()) as web:
        try:
            return await web.search(NOTHING, **options)
        except AllFailed as failed:
            return failed.response


@pytest.mark.parametrize(("route", "outcome"), [*product(ROUTES, FAULTS)])
@pytest.mark.parametrize("order", [("brave", "wikipedia"), ("wikipedia", "brave")], ids="-".join)
async def test_a_corpus_cannot_say_that_the_web_has_nothing(
    engines: dict[str, Simulator], order: tuple[str, ...], route: str, outcome: str
) -> None:
    engines["brave"].fail(FAULTS[outcome])
    response = await asked(engines, order, route)
    assert response.outcome == outcome
    assert {attempt.provider: attempt.outcome for attempt in response.attempts} == {
        "brave": outcome,
        "wikipedia": "empty",
    }


@pytest.mark.parametrize(("route", "outcome"), [*product(ROUTES, FAULTS)])
async def test_an_engine_of_the_web_can_and_who_could_not_be_asked_is_named(
    engines: dict[str, Simulator], route: str, outcome: str
) -> None:
    engines["brave"].fail(FAULTS[outcome])
    response = await asked(engines, ("brave", "tavily"), route)
    assert (response.outcome, response.provider) == ("empty", "tavily")
    assert f"brave could not answer ({outcome})" in response.notes


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("failing", "empty"), sorted(PAIRS))
async def test_whoever_fails_beside_whoever_has_nothing(
    engines: dict[str, Simulator], failing: str, empty: str, route: str
) -> None:
    engines[failing].fail(Fault(500))
    response = await asked(engines, (failing, empty), route)
    if empty in CORPORA:
        assert (response.outcome, response.provider) == ("unreachable", None)
    else:
        assert (response.outcome, response.provider) == ("empty", empty)
        assert f"{failing} could not answer (unreachable)" in response.notes


@pytest.mark.parametrize("route", ["first", "auto", "hedge"])
async def test_a_believable_emptiness_ends_the_chain_and_says_who_was_not_asked(
    engines: dict[str, Simulator], route: str
) -> None:
    response = await asked(engines, ("brave", "tavily", "wikipedia"), route)
    assert (response.outcome, response.provider) == ("empty", "brave")
    assert "not asked: tavily, wikipedia" in response.notes
    assert not engines["tavily"].received


@pytest.mark.parametrize("route", ROUTES)
async def test_a_corpus_that_was_asked_for_may_say_that_it_has_nothing(
    engines: dict[str, Simulator], route: str
) -> None:
    response = await asked(engines, ("wikipedia",), route)
    assert response.outcome == "empty"


@pytest.mark.parametrize("route", ["first", "auto", "hedge"])
async def test_after_a_corpus_that_has_nothing_the_web_is_asked(engines: dict[str, Simulator], route: str) -> None:
    response = await asked(engines, ("wikipedia", "brave"), route)
    assert (response.outcome, response.provider) == ("empty", "brave")


@dataclass(frozen=True)
class Careless:
    """An engine that takes domain lists for hints, as many do."""

    name: ClassVar[str] = "careless"
    honours: ClassVar[frozenset[Wish]] = frozenset({"allowed_domains"})

    def search(self, _query: Query) -> Job[list[SearchResult]]:
        async def run() -> list[SearchResult]:
            return [SearchResult(title="t", url=f"https://{host}.example/") for host in ("a", "b", "c")]

        return Job(run)


@pytest.mark.parametrize("route", ROUTES)
async def test_results_that_no_filter_of_ours_let_through_are_not_nothing_found(route: str) -> None:
    settings = {"cache": False, "store": "memory:", "route": route, "blocked_domains": ["c.example"]}
    async with Seekread(settings=settings) as web:
        web.register(Careless())
        none = await web.search("tea", allowed_domains=["elsewhere.example"])
        some = await web.search("tea", allowed_domains=["a.example", "c.example"])
    assert (none.outcome, none.notes) == ("empty", ("found 3, none passed: allowed_domains (3)",))
    assert [result.url for result in some.results] == ["https://a.example/"]
    assert some.notes == ("2 results did not pass: allowed_domains (1), blocked_domains (1)",)
