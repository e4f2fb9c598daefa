"""Firecrawl's dialect on the wire."""

from typing import Any, ClassVar

import pytest

from seekread.server.dialects.firecrawl import DIALECT
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator
from tests.unit.server.dialects.search_dialect import SearchDialect


class TestFirecrawl(SearchDialect):
    dialect = DIALECT
    path = "/v2/search"
    body: ClassVar[dict[str, Any]] = {"query": "tea", "limit": 3}

    def rows(self, reply: Any) -> list[Any]:
        return list(reply["data"]["web"])

    def error(self, reply: Any) -> str:
        assert reply["success"] is False
        return str(reply["error"])


@pytest.mark.process
def test_a_scrape_says_what_it_offers(running: Any, site: LoopbackServer) -> None:
    both = running.post("/v2/scrape", {"url": site.url, "formats": ["markdown", {"type": "links"}]}).json()
    assert both["success"]
    assert both["data"]["links"] == [f"{site.url}/more"]
    assert both["data"]["metadata"]["sourceURL"] == site.url
    unknown = running.post("/v2/scrape", {"url": site.url, "formats": ["screenshot"]})
    assert (unknown.status_code, unknown.json()["success"]) == (400, False)
    assert "screenshot" in unknown.json()["error"]
    refused = running.post("/v2/scrape", {"url": "http://10.0.0.1/"})
    assert (refused.status_code, refused.json()["code"]) == (403, "REFUSED")


def test_clients_are_not_made_to_try_again_for_nothing(running: Any, brave: Simulator) -> None:
    """They repeat what failed with 502, whatever it was."""
    brave.fail(Fault(body="<html>"))
    reply = running.post("/v2/search", {"query": "tea"})
    assert (reply.status_code, reply.json()["code"]) == (500, "BAD_REPLY")


def test_an_engine_that_does_not_answer_is_a_timeout_as_clients_know_it(start: Any, brave: Simulator) -> None:
    """They know 408 as a request that took too long, and 504 not at all."""
    brave.fail(Fault(how="hang"))
    reply = start(attempt_seconds=0.3).post("/v2/search", {"query": "tea"})
    assert (reply.status_code, reply.json()["code"]) == (408, "TIMEOUT")


def test_a_page_of_a_result_that_cannot_be_read_says_why(running: Any, brave: Simulator) -> None:
    private = "http://10.0.0.1/"
    brave.fail(Fault(change=lambda body: {"web": {"results": [{**body["web"]["results"][0], "url": private}]}}))
    asked = {"query": "tea", "scrapeOptions": {"formats": ["markdown"]}}
    [row] = running.post("/v2/search", asked).json()["data"]["web"]
    assert "markdown" not in row
    assert (row["metadata"]["sourceURL"], "private" in row["metadata"]["error"]) == (private, True)


@pytest.mark.parametrize("root", ["/v2", "/compat/firecrawl/v2", "/compat/firecrawl/v1"])
def test_what_is_not_offered_is_refused_by_its_name(running: Any, root: str) -> None:
    page = "https://a.example/"
    for body, told in [
        ({"url": page, "actions": [{"type": "click"}]}, "actions is not offered here; a page is read as it is opened"),
        ({"url": page, "formats": [{"type": "json"}]}, "formats json is not offered here; send html"),
        ({"url": page, "headers": {"cookie": "a=b"}}, "headers is not offered here; the operator sets page_headers"),
    ]:
        refused = running.post(f"{root}/scrape", body)
        assert (refused.status_code, told in refused.json()["error"]) == (400, True)
    for path in ("batch/scrape", "extract"):
        absent = running.post(f"{root}/{path}", {"url": page})
        assert (absent.status_code, absent.json()["code"]) == (404, "NOT_OFFERED")
        assert "is not offered here; scrape the pages you know" in absent.json()["error"]
    older = running.post("/compat/firecrawl/v1/crawl", {"url": page})
    assert (older.status_code, "crawl is not offered here; crawl with version 2" in older.json()["error"]) == (
        404,
        True,
    )
    filtered = running.post(f"{root}/search", {"query": "tea", "tbs": "li:1"})
    assert (filtered.status_code, "tbs 'li:1'" in filtered.json()["error"]) == (400, True)


def test_version_1_has_one_list_and_our_own_search_stays_where_it_is(running: Any) -> None:
    found = running.post("/compat/firecrawl/v1/search", {"query": "tea", "limit": 2, "lang": "en"})
    assert [row["position"] for row in found.json()["data"]] == [1, 2]
    assert "results" in running.post("/v1/search", {"query": "tea"}).json()
    noted = running.post("/v2/search", {"query": "tea", "location": "Berlin", "origin": "sdk"})
    assert noted.headers["x-seekread-left-out"] == "location"
