"""Firecrawl on the wire and back."""

import json
from typing import Any

import pytest

from seekread.calling.perform import perform, read_reply
from seekread.clock import SystemClock
from seekread.http.client import ServiceClient
from seekread.options import Query, SafeSearch
from seekread.provider import (
    Blocked,
    Page,
    QuotaExhausted,
    ReadProvider,
    Reply,
    SecretStr,
    Unreadable,
    traits,
)
from seekread.providers.firecrawl import Firecrawl
from seekread.testing import simulators
from seekread.testing.hits import NOTHING

pytestmark = pytest.mark.anyio

KEY = SecretStr("k")


def reply(data: Any, status: int = 200) -> Reply:
    return Reply(status, {}, json.dumps(data).encode())


async def page(provider: ReadProvider, url: str) -> Page:
    client = ServiceClient()
    try:
        return await perform(provider.read(url), client, SystemClock(), seconds=10)
    finally:
        await client.close()


async def test_firecrawl_reads_a_page_and_tells_its_status() -> None:
    with simulators.start("firecrawl") as simulator:
        provider = Firecrawl(**simulator.settings())
        opened = await page(provider, "https://example.org/a")
        with pytest.raises(Unreadable) as caught:
            await page(provider, f"https://example.org/{NOTHING}")
    assert (opened.title, opened.status) == ("Page https://example.org/a", 200)
    assert caught.value.outcome == "not_found"


def test_firecrawl_of_version_one_sends_a_plain_list() -> None:
    data = {"success": True, "data": [{"url": "https://e.org", "title": "T"}]}
    [result] = Firecrawl(KEY).search(Query(text="x")).parse(reply(data)).results
    assert result.title == "T"


def test_firecrawl_tells_a_pace_from_a_used_up_day() -> None:
    call = Firecrawl(KEY).search(Query(text="x"))
    with pytest.raises(QuotaExhausted) as caught:
        read_reply(call, reply({"success": False, "retry_after_seconds": 84289}, 429))
    assert caught.value.retry_after == 84289


def test_firecrawl_does_not_read_every_site() -> None:
    with pytest.raises(Blocked):
        read_reply(Firecrawl(KEY).read("https://e.org"), reply({"success": False, "error": "not supported"}, 403))


def test_of_two_lists_of_domains_the_second_goes_into_the_words_where_it_fits() -> None:
    """The operators of its query language were not used (M10)."""
    nothing = reply({"success": True, "data": {"web": []}})
    for text, words, unmet in (("x", "x -site:b.org", set()), ("x" * 490, "x" * 490, {"blocked_domains"})):
        both = Firecrawl(KEY).search(Query(text=text, allowed_domains=("a.org",), blocked_domains=("b.org",)))
        body = both.request.json or {}
        assert (body["query"], body["includeDomains"], body["excludeDomains"]) == (words, ["a.org"], None)
        assert both.parse(nothing).unmet == unmet


@pytest.mark.parametrize(("asked", "sent"), [(None, None), ("off", False), ("moderate", True), ("strict", True)])
def test_safe_search_has_no_levels(asked: SafeSearch | None, sent: bool | None) -> None:
    """It was said to be not enforced (M10)."""
    assert (Firecrawl(KEY).search(Query(text="x", safe_search=asked)).request.json or {})["safe"] is sent


def test_it_takes_five_hundred_characters() -> None:
    """More is refused by its schema, and was sent (M5)."""
    assert traits(Firecrawl).max_query == 500
