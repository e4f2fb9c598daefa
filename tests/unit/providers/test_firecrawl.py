"""Firecrawl on the wire and back."""

import json
from typing import Any

import pytest

from seekread.calling.perform import perform, read_reply
from seekread.clock import SystemClock
from seekread.http.client import ServiceClient
from seekread.options import Query
from seekread.provider import (
    Blocked,
    Page,
    QuotaExhausted,
    ReadProvider,
    Reply,
    SecretStr,
    Unreadable,
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


def test_of_two_lists_of_domains_one_is_unmet() -> None:
    both = Firecrawl(KEY).search(Query(text="x", allowed_domains=("a.org",), blocked_domains=("b.org",)))
    one = Firecrawl(KEY).search(Query(text="x", blocked_domains=("b.org",)))
    nothing = reply({"success": True, "data": {"web": []}})
    assert both.parse(nothing).unmet == {"blocked_domains"}
    assert one.parse(nothing).unmet == frozenset()
