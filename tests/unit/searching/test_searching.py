"""One search end to end, over real HTTP against simulators of the vendors' APIs."""

import logging
from collections.abc import Iterator
from typing import Any

import anyio
import pytest

import seekread
from seekread import AllFailed, Refused, Seekread
from seekread.testing import simulators
from seekread.testing.clock import FakeClock
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator

pytestmark = pytest.mark.anyio


@pytest.fixture
def brave() -> Iterator[Simulator]:
    with simulators.start("brave") as running:
        yield running


@pytest.fixture
def tavily() -> Iterator[Simulator]:
    with simulators.start("tavily") as running:
        yield running


def web(*running: Simulator, **settings: Any) -> Seekread:
    return Seekread(
        [one.name for one in running],
        settings={"cache": False, **settings},
        providers={one.name: one.settings() for one in running},
        clock=FakeClock(),
    )


@pytest.mark.proves("S3-25")
async def test_a_search_returns_numbered_results_sources_and_its_attempt(brave: Simulator) -> None:
    async with web(brave) as client:
        response = await client.search("tea & cake", limit=3)
    assert [r.citation_id for r in response.results] == [1, 2, 3]
    assert [s.url for s in response.sources] == [r.url for r in response.results]
    assert (response.outcome, response.provider, response.attempts[0].outcome) == ("ok", "brave", "ok")
    assert response.results[0].source == "example.org"


async def test_nothing_found_is_an_answer(brave: Simulator, tavily: Simulator) -> None:
    """X-3"""
    async with web(brave, tavily) as client:
        response = await client.search(NOTHING)
    assert (response.outcome, response.results) == ("empty", ())
    assert not tavily.received


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (Fault(429), "rate_limited"),
        (Fault(500), "unreachable"),
        (Fault(401), "auth_failed"),
        (Fault(body="<html>captcha</html>"), "bad_reply"),
        (Fault(how="reset"), "unreachable"),
        (Fault(how="truncate"), "unreachable"),
    ],
)
async def test_a_failing_provider_is_followed_by_the_next_and_said_so(
    brave: Simulator, tavily: Simulator, fault: Fault, outcome: str
) -> None:
    brave.fail(fault)
    async with web(brave, tavily) as client:
        response = await client.search("tea")
    assert response.provider == "tavily"
    assert response.attempts[0].outcome == outcome
    assert f"brave could not answer ({outcome})" in response.notes
    assert (len(brave.received), len(tavily.received)) == (1, 1)


@pytest.mark.proves("X-4")
async def test_when_nobody_can_answer_the_error_names_every_attempt(brave: Simulator, tavily: Simulator) -> None:
    brave.fail(Fault(401))
    tavily.fail(Fault(503))
    async with web(brave, tavily) as client:
        with pytest.raises(AllFailed) as caught:
            await client.search("tea")
    assert {a.provider for a in caught.value.response.attempts} == {"brave", "tavily"}
    assert caught.value.outcome == "auth_failed"
    assert "brave: auth_failed" in str(caught.value)


async def test_a_passing_fault_is_retried_once_before_the_next_is_asked(brave: Simulator) -> None:
    brave.fail(Fault(503), times=1)
    async with web(brave) as client:
        response = await client.search("tea")
    assert [a.outcome for a in response.attempts] == ["unreachable", "ok"]


async def test_a_rejected_key_is_not_tried_again(brave: Simulator) -> None:
    brave.fail(Fault(401))
    async with web(brave) as client:
        with pytest.raises(AllFailed):
            await client.search("tea")
    assert len(brave.received) == 1


async def test_a_search_is_over_at_its_deadline_although_a_provider_hangs(brave: Simulator) -> None:
    brave.fail(Fault(how="hang"))
    async with Seekread(
        "brave", settings={"search_seconds": 0.2, "cache": False}, providers={"brave": brave.settings()}
    ) as client:
        with anyio.fail_after(10), pytest.raises(AllFailed) as caught:
            await client.search("tea")
    assert caught.value.outcome == "timeout"


async def test_fuse_merges_and_names_who_found_what(brave: Simulator, tavily: Simulator) -> None:
    async with web(brave, tavily, route="fuse") as client:
        response = await client.search("tea", limit=3)
    assert response.results[0].providers == ("brave", "tavily")
    assert response.provider == "brave+tavily"


async def test_the_operators_domain_lists_apply_to_every_result(brave: Simulator) -> None:
    """S3-24"""
    async with web(brave, blocked_domains=["example.com"]) as client:
        response = await client.search("tea", limit=8)
    assert response.results
    assert not [r for r in response.results if r.source.endswith("example.com")]
    assert "example.com" in brave.received[0].params["goggles"]


async def test_the_operators_allow_list_is_asked_for_not_cut_out_of_a_few_results(brave: Simulator) -> None:
    """S3-24"""
    async with web(brave, allowed_domains=["docs.example.net"]) as client:
        response = await client.search("tea", limit=2)
        assert [r.source for r in response.results] == ["docs.example.net"] * 2
        with pytest.raises(Refused, match="allowed_domains"):
            await client.search("tea", allowed_domains=["elsewhere.org"])


async def test_a_query_that_carries_a_key_out_is_refused(brave: Simulator) -> None:
    async with web(brave) as client:
        with pytest.raises(Refused, match="configured secret"):
            await client.search(f"what is {brave.key}")
        with pytest.raises(Refused, match="looks like a key"):
            await client.search("use tvly-abcdefghijklmnop1234 please")
    assert not brave.received


@pytest.mark.proves("X-20")
async def test_a_query_too_long_for_one_provider_goes_to_another(brave: Simulator) -> None:
    with simulators.start("searxng") as searxng:
        async with web(brave, searxng) as client:
            response = await client.search("word " * 90)
    assert response.provider == "searxng"
    assert any("takes at most 400" in note for note in response.notes)


@pytest.mark.proves("X-20")
async def test_a_query_too_long_for_everybody_is_cut_at_a_word_with_a_note(brave: Simulator) -> None:
    async with web(brave) as client:
        response = await client.search("wonderful " * 39, company="The Very Long Company Name")
    assert any("the end of the query was left out" in note for note in response.notes)
    [request] = brave.received
    assert set(request.params["q"].split()) <= {"wonderful", "The", "Very", "Long", "Company", "Name"}
    assert len(request.params["q"]) <= 400


async def test_sixty_words_to_brave_are_fifty_and_a_note(brave: Simulator) -> None:
    """Brave takes 50 words, and a longer query was a refused call told as an unreadable answer (M5)."""
    async with web(brave) as client:
        response = await client.search(" ".join(f"w{number}" for number in range(60)))
    assert brave.received[0].params["q"].split()[-1] == "w49"
    assert "the query has 60 words, brave takes at most 50; the end of the query was left out" in response.notes


@pytest.mark.proves("X-2")
async def test_news_of_brave_come_up_to_fifty_at_a_time(brave: Simulator) -> None:
    """Fifty natively, twenty of anything else (M9)."""
    async with web(brave) as client:
        news = await client.search("tea", search_type="news", limit=50)
        pages = await client.search("tea", limit=50)
    assert (len(news.results), len(pages.results)) == (50, 20)
    assert [request.params["count"] for request in brave.received] == ["50", "20"]


async def test_more_domains_than_a_service_takes_are_sent_in_part_and_kept_as_a_whole() -> None:
    """Four hundred domains were a refused call, which is a paid one (M5)."""
    blocked = [*(f"site{number}.example.org" for number in range(400)), "example.com"]
    with simulators.start("tavily") as tavily:
        async with web(tavily) as client:
            response = await client.search("tea", blocked_domains=blocked)
    assert len(tavily.received[0].json["exclude_domains"]) == 150
    assert response.filters == {"blocked_domains": "post-filtered"}
    assert "tavily was given 150 of 401 blocked domains" in response.notes
    assert "example.com" not in {result.source for result in response.results}


async def test_every_attempt_is_one_structured_log_event(brave: Simulator, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "seekread"):
        async with web(brave) as client:
            await client.search("tea")
    [event] = [record for record in caplog.records if record.name == "seekread.attempts"]
    assert event.seekread["outcome"] == "ok"  # type: ignore[attr-defined]
    assert brave.key not in caplog.text


@pytest.mark.proves("X-13")
async def test_the_blocking_search_works_inside_a_running_loop(
    brave: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in brave.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SEEKREAD_CACHE", "false")
    assert seekread.search("tea", provider="brave", limit=2).outcome == "ok"


@pytest.mark.proves("X-2")
async def test_pages_are_turned_where_a_provider_gives_its_results_in_pages() -> None:
    with simulators.start("searxng") as searxng:
        async with web(searxng) as client:
            response = await client.search("tea", limit=25)
    assert len(response.results) == 25
    assert len(searxng.received) > 1


class Plain:
    """The contract's own shape, as a host would write it."""

    name = "plain"

    async def search(self, query: str, *, limit: int = 5) -> list[dict[str, str]]:
        return [{"title": query, "url": f"https://{h}/", "snippet": "s"} for h in ("a.org", "b.org", "c.org")][:limit]


@pytest.mark.proves("S3-4", "X-24")
async def test_a_plain_class_is_a_provider_and_its_missing_filters_are_made_up_for() -> None:
    async with Seekread(settings={"cache": False}) as client:
        client.register(Plain())
        response = await client.search("tea", allowed_domains=["b.org"], limit=1)
    assert [r.url for r in response.results] == ["https://b.org/"]
    assert response.filters == {"allowed_domains": "post-filtered"}


@pytest.mark.parametrize("order", [("brave", "plain"), ("plain", "brave")])
async def test_fuse_brings_no_more_than_asked_for(brave: Simulator, order: tuple[str, str]) -> None:
    async with web(brave, route="fuse") as client:
        client.register(Plain())
        response = await client.search("tea", limit=3, provider=order)
    assert response.provider == "+".join(order)
    assert {provider for result in response.results for provider in result.providers} == {"brave", "plain"}
    assert [result.citation_id for result in response.results] == [1, 2, 3]
    assert len(response.sources) == 3


@pytest.mark.parametrize("order", [("brave", "plain"), ("plain", "brave")])
async def test_fused_answers_claim_no_more_than_the_weakest_of_them_did(
    brave: Simulator, order: tuple[str, str]
) -> None:
    """One provider knows the filters itself, for the other they are applied here or not at all."""
    async with web(brave, route="fuse") as client:
        client.register(Plain())
        alone = await client.search("tea", allowed_domains=["b.org"], country="DE", provider="brave")
        fused = await client.search("tea", allowed_domains=["b.org"], country="DE", provider=order)
    assert alone.filters == {"allowed_domains": "native", "country": "native"}
    assert fused.filters == {"allowed_domains": "post-filtered", "country": "not enforced"}


class Broken:
    name = "broken"

    async def search(self, query: str, *, limit: int = 5) -> list[Any]:
        raise RuntimeError(f"library bug with {query} and {limit}")


async def test_a_bug_in_foreign_code_is_a_failure_of_that_provider_only(brave: Simulator) -> None:
    async with Seekread(
        ["broken", "brave"], settings={"cache": False}, providers={"brave": brave.settings()}
    ) as client:
        client.register(Broken())
        response = await client.search("tea")
    assert response.attempts[0].outcome == "bad_reply"
    assert response.provider == "brave"


@pytest.mark.proves("X-6")
async def test_a_provider_that_is_not_set_up_is_passed_over_and_named(brave: Simulator) -> None:
    async with Seekread(
        ["tavily", "brave"], settings={"cache": False}, providers={"brave": brave.settings()}
    ) as client:
        response = await client.search("tea")
    assert [(a.provider, a.outcome) for a in response.attempts] == [("tavily", "not_configured"), ("brave", "ok")]
    assert "TAVILY_API_KEY" in response.attempts[0].message


@pytest.mark.proves("X-6")
async def test_nobody_set_up_is_a_failure_that_says_what_is_missing() -> None:
    async with Seekread("tavily", settings={"cache": False}) as client:
        with pytest.raises(AllFailed, match="TAVILY_API_KEY") as caught:
            await client.search("tea")
    assert caught.value.outcome == "not_configured"


class Liar:
    """A provider whose results lead nowhere, or somewhere they should not."""

    name = "liar"

    def __init__(self, *urls: str) -> None:
        self.urls = urls

    async def search(self, query: str, *, limit: int = 5) -> list[dict[str, str]]:
        return [{"title": query, "url": url} for url in self.urls]


async def test_results_that_lead_nowhere_are_left_out() -> None:
    async with Seekread(settings={"cache": False}) as client:
        client.register(Liar("", "javascript://%0aalert(1)", "data:text/html,x", "relative/path", "https://good.org/"))
        response = await client.search("tea")
    assert [result.url for result in response.results] == ["https://good.org/"]


async def test_only_results_that_lead_nowhere_are_a_bad_reply_not_no_results() -> None:
    async with Seekread(settings={"cache": False}) as client:
        client.register(Liar("", "javascript:alert(1)"))
        with pytest.raises(AllFailed) as caught:
            await client.search("tea")
    assert caught.value.outcome == "bad_reply"


@pytest.mark.parametrize("cap", [{"session_calls": 1}, {"session_dollars": 0.006}, {"daily_calls": 1}])
async def test_a_cap_stops_the_call_that_would_pass_it(brave: Simulator, cap: dict[str, Any]) -> None:
    async with web(brave, store="memory:", **cap) as client:
        await client.search("tea")
        with pytest.raises(AllFailed) as caught:
            await client.search("cake")
    assert caught.value.outcome == "quota_exhausted"
    assert len(brave.received) == 1
