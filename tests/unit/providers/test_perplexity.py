"""Perplexity on the wire and back."""

import json
from typing import Any

import pytest

from seekread.calling.perform import read_reply
from seekread.options import Query
from seekread.provider import RateLimited, Reply, SecretStr, Unauthorized, traits
from seekread.providers.perplexity import Perplexity
from seekread.testing import simulators
from seekread.testing.provider_contract import ProviderCase, search, wire

pytestmark = pytest.mark.anyio


def body(query: Query) -> dict[str, Any]:
    sent = Perplexity(SecretStr("k")).search(query).request.json or {}
    return {name: value for name, value in sent.items() if value is not None}


@pytest.mark.proves("S3-41")
async def test_the_search_api_is_asked_with_explicit_limits() -> None:
    """S3-3."""
    with simulators.start("perplexity") as simulator:
        [request] = await wire(ProviderCase(Perplexity(**simulator.settings()), simulator), limit=8)
    assert (request.method, request.path) == ("POST", "/search")
    assert request.json | {"query": ""} == {
        "query": "",
        "max_results": 8,
        "max_tokens": 10000,
        "max_tokens_per_page": 1024,
    }
    assert request.headers["authorization"] == f"Bearer {simulator.key}"


@pytest.mark.proves("S3-41", "X-8")
def test_domain_language_and_recency_filters() -> None:
    sent = body(Query(text="x", freshness="month", language="de-AT", country="at", allowed_domains=("a.org",)))
    assert sent["search_recency_filter"] == "month"
    assert sent["search_language_filter"] == ["de"]
    assert sent["country"] == "AT"
    assert sent["search_domain_filter"] == ["a.org"]


def test_dates_go_out_in_us_order() -> None:
    sent = body(Query(text="x", date_from="2026-01-02", date_to="2026-03-04"))
    assert (sent["search_after_date_filter"], sent["search_before_date_filter"]) == ("01/02/2026", "03/04/2026")


def test_domains_are_allowed_or_denied_never_both() -> None:
    assert body(Query(text="x", blocked_domains=("b.org",)))["search_domain_filter"] == ["-b.org"]
    both = body(Query(text="x", allowed_domains=("a.org",), blocked_domains=("b.org",)))
    assert both["search_domain_filter"] == ["a.org"]


def test_it_takes_twenty_domains() -> None:
    assert (traits(Perplexity).max_allowed, traits(Perplexity).max_blocked) == (20, 20)


@pytest.mark.parametrize(("allowed", "blocked", "unmet"), [(3, 0, set()), (0, 20, set()), (1, 1, {"blocked_domains"})])
def test_of_two_lists_of_domains_one_is_unmet(allowed: int, blocked: int, unmet: set[str]) -> None:
    lists = {
        "allowed_domains": tuple(f"a{n}.org" for n in range(allowed)),
        "blocked_domains": tuple(f"b{n}.org" for n in range(blocked)),
    }
    call = Perplexity(SecretStr("k")).search(Query(text="x", **lists))  # type: ignore[arg-type]
    assert call.parse(Reply(200, {}, b'{"results": []}')).unmet == unmet


async def test_a_later_change_of_a_page_is_told_and_is_no_publication() -> None:
    """`last_updated` was dropped (M11)."""
    with simulators.start("perplexity") as simulator:
        found = await search(ProviderCase(Perplexity(**simulator.settings()), simulator), "tea", limit=1)
    assert (found.results[0].published_date, found.results[0].flags) == ("2026-10-30", ("last updated 2026-11-01",))


async def test_the_long_extract_is_handed_over_whole() -> None:
    with simulators.start("perplexity") as simulator:
        found = await search(ProviderCase(Perplexity(**simulator.settings()), simulator), "tea", limit=2)
    assert [len(result.snippet) > 500 for result in found.results] == [True, True]
    assert found.results[0].published_date == "2026-10-30"


def test_an_html_page_with_status_401_is_a_rejected_key() -> None:
    call = Perplexity(SecretStr("k")).search(Query(text="x"))
    with pytest.raises(Unauthorized):
        read_reply(call, Reply(401, {"content-type": "text/html"}, b"<html>401</html>"))


def test_a_wait_in_milliseconds_is_understood() -> None:
    call = Perplexity(SecretStr("k")).search(Query(text="x"))
    with pytest.raises(RateLimited) as caught:
        read_reply(call, Reply(429, {"retry-after-ms": "1500"}, json.dumps({}).encode()))
    assert caught.value.retry_after == 1.5
    with pytest.raises(RateLimited):
        read_reply(call, Reply(429, {"retry-after-ms": "9" * 400}, b""))
