"""Exa on the wire and back."""

import json
from typing import Any

import pytest

from seekread.options import Query, SafeSearch
from seekread.provider import (
    Reply,
    SecretStr,
)
from seekread.providers.exa import Exa
from seekread.testing import simulators
from seekread.testing.provider_contract import ProviderCase, search, wire

pytestmark = pytest.mark.anyio

KEY = SecretStr("k")


def reply(data: Any, status: int = 200) -> Reply:
    return Reply(status, {}, json.dumps(data).encode())


async def test_exa_is_asked_for_passages() -> None:
    with simulators.start("exa") as simulator:
        case = ProviderCase(Exa(**simulator.settings()), simulator)
        [request] = await wire(case, limit=8)
        found = await search(case, "tea", limit=1)
    assert request.json | {"query": ""} == {"query": "", "numResults": 8, "contents": {"highlights": True}}
    assert request.headers["x-api-key"] == simulator.key
    [result] = found.results
    assert result.snippet == 'What page 1 says about "tea".'
    assert result.extra_snippets == ('What page 1 says about "tea". Again.',)


def test_exa_takes_one_list_of_domains() -> None:
    query = Query(text="x", allowed_domains=("a.org",), blocked_domains=("b.org",))
    call = Exa(KEY).search(query)
    sent = call.request.json or {}
    assert (sent["includeDomains"], sent["excludeDomains"]) == (["a.org"], None)
    assert call.parse(reply({"results": []})).unmet == {"blocked_domains"}


def test_moderation_is_sent_whenever_it_was_asked_for() -> None:
    words: tuple[SafeSearch | None, ...] = ("off", "moderate", "strict", None)
    sent = [(Exa(KEY).search(Query(text="x", safe_search=word)).request.json or {})["moderation"] for word in words]
    assert sent == [False, True, True, None]


def test_exa_without_passages_or_title_is_still_a_result() -> None:
    rows = [{"title": None, "url": "https://e.org", "highlights": None}]
    [result] = Exa(KEY).search(Query(text="x")).parse(reply({"results": rows})).results
    assert (result.title, result.snippet, result.extra_snippets) == ("", "", ())
