"""Jina on the wire and back."""

import json
from typing import Any

import pytest

from seekread.calling.perform import perform, read_reply
from seekread.clock import SystemClock
from seekread.http.client import ServiceClient
from seekread.options import Query
from seekread.provider import (
    NotConfigured,
    Page,
    ProviderError,
    ReadProvider,
    Reply,
    Unreadable,
)
from seekread.providers.jina import Jina, JinaSearch
from seekread.providers.registry import build
from seekread.testing import simulators
from seekread.testing.hits import NOTHING
from seekread.testing.provider_contract import ProviderCase, exchange

pytestmark = pytest.mark.anyio


def reply(data: Any, status: int = 200) -> Reply:
    return Reply(status, {}, json.dumps(data).encode())


async def page(provider: ReadProvider, url: str) -> Page:
    client = ServiceClient()
    try:
        return await perform(provider.read(url), client, SystemClock(), seconds=10)
    finally:
        await client.close()


@pytest.mark.proves("S3-20")
async def test_jina_reads_without_a_key() -> None:
    """S3-3."""
    with simulators.start("jina") as simulator:
        opened = await page(Jina(base_url=simulator.url), "https://example.org/a?b=c#/route")
    [request] = simulator.received
    assert (request.method, request.json) == ("POST", {"url": "https://example.org/a?b=c#/route"})
    assert request.headers["accept"] == "application/json"
    assert "authorization" not in request.headers
    assert opened.content.endswith("https://example.org/a?b=c#/route")


async def test_jina_reports_a_missing_page_in_a_warning() -> None:
    with simulators.start("jina") as simulator, pytest.raises(Unreadable) as caught:
        await page(Jina(base_url=simulator.url), f"https://example.org/{NOTHING}")
    assert (caught.value.outcome, caught.value.status) == ("not_found", 404)


@pytest.mark.proves("S3-28")
@pytest.mark.parametrize(
    ("http", "status", "outcome"),
    [(402, 40203, "quota_exhausted"), (451, 45102, "blocked"), (409, 40904, "too_large"), (422, 42206, "unreachable"),
     (429, 42903, "rate_limited"), (401, 40103, "auth_failed"), (503, 50301, "unreachable"), (422, 42203, "bad_reply")],
)  # fmt: skip
def test_jina_numbers_its_errors(http: int, status: int, outcome: str) -> None:
    """An outage or a refusal is an error a reader can report."""
    with pytest.raises(ProviderError) as caught:
        read_reply(Jina().read("https://e.org"), reply({"data": None, "code": http, "status": status}, http))
    assert caught.value.outcome == outcome


def test_jina_searches_only_with_a_key() -> None:
    with pytest.raises(NotConfigured, match="JINA_API_KEY"):
        Jina().search(Query(text="x"))


@pytest.mark.parametrize(
    ("asked", "sent"),
    [("de", "de"), ("de-AT", "de"), ("en-US", "en"), ("he", "iw"), ("nb", "no"), ("fil", "tl"), ("zh", "zh-cn"),
     ("zh-Hant", "zh-tw"), ("zh-TW", "zh-tw"), ("pt-BR", "pt-br"), ("fr-CA", "fr"), ("sr-ME", "sr-ME"), ("xx", None)],
)  # fmt: skip
async def test_languages_are_sent_as_the_service_spells_them(asked: str, sent: str | None) -> None:
    """Any other spelling makes Jina refuse the whole request (M6)."""
    with simulators.start("jina") as simulator:
        case = ProviderCase(JinaSearch(**simulator.settings()), simulator)
        found, [request] = await exchange(case, language=asked)
    assert request.params.get("hl") == sent
    assert found.unmet == (set() if sent else {"language"})
    assert bool(found.notes) is (sent is None)


def test_the_searching_jina_cannot_be_built_without_a_key() -> None:
    """So that it counts as ready only when it has one, while the reader is always ready."""
    with pytest.raises(NotConfigured, match="JINA_API_KEY"):
        build(JinaSearch, lambda _provider: {})
    assert build(Jina, lambda _provider: {}) == Jina()
