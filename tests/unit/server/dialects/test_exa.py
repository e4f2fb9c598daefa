"""Exa's dialect on the wire."""

from typing import Any, ClassVar

import pytest

from seekread.server.app import ServiceOptions
from seekread.server.dialects.exa import DIALECT
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator
from tests.unit.server.dialects.search_dialect import SearchDialect

SEARCH = "/compat/exa/search"
CONTENTS = "/compat/exa/contents"


class TestExa(SearchDialect):
    dialect = DIALECT
    path = SEARCH
    body: ClassVar[dict[str, Any]] = {"query": "tea", "numResults": 3}

    def rows(self, reply: Any) -> list[Any]:
        return list(reply["results"])

    def error(self, reply: Any) -> str:
        return str(reply["error"])


def test_options_reach_the_engine_and_no_text_comes_unasked(running: Any, brave: Simulator) -> None:
    options = {"userLocation": "DE", "startPublishedDate": "2026-10-01T00:00:00.000Z", "moderation": True}
    found = running.post(SEARCH, {"query": "tea", "numResults": 2, **options}).json()["results"]
    assert not any("text" in result or "highlights" in result for result in found)
    assert found[0]["id"] == found[0]["url"]
    sent = brave.received[0].params
    assert (sent["country"], sent["safesearch"]) == ("DE", "strict")
    assert sent["freshness"].startswith("2026-10-01to")
    marked = running.post(SEARCH, {"query": "tea", "contents": {"highlights": True}}).json()["results"]
    assert marked[0]["highlights"]


@pytest.mark.process
def test_a_page_that_cannot_be_read_has_what_the_engine_says_and_a_status(
    running: Any, brave: Simulator, site: LoopbackServer
) -> None:
    def found_here(body: Any) -> Any:
        rows = body["web"]["results"]
        body["web"]["results"] = [{**rows[0], "url": site.url}, {**rows[1], "url": f"{site.url}/gone"}]
        return body

    brave.fail(Fault(change=found_here))
    reply = running.post(SEARCH, {"query": "tea", "numResults": 2, "contents": {"text": True}}).json()
    first, second = reply["results"]
    assert "Steep it" in first["text"]
    assert "What page 2 says" in second["text"]
    assert [status["status"] for status in reply["statuses"]] == ["success", "error"]
    assert reply["statuses"][1]["error"]["tag"] == "CRAWL_NOT_FOUND"


@pytest.mark.process
def test_contents_are_text_html_or_passages(running: Any, site: LoopbackServer) -> None:
    urls = [site.url, f"{site.url}/gone"]
    read = running.post(CONTENTS, {"urls": urls, "text": {"maxCharacters": 40}}).json()
    assert [len(result["text"]) for result in read["results"]] == [40]
    assert [status["status"] for status in read["statuses"]] == ["success", "error"]
    html = running.post(CONTENTS, {"ids": urls[:1], "text": {"includeHtmlTags": True}}).json()["results"][0]["text"]
    assert "<h2>Brewing</h2>" in html
    asked = {"urls": urls[:1], "highlights": {"query": "how long to steep"}}
    [result] = running.post(CONTENTS, asked).json()["results"]
    assert "three minutes" in result["highlights"][0]
    assert "text" not in result


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        (SEARCH, {"query": "tea", "category": "company"}, "category company is not offered here; send news"),
        (SEARCH, {"query": "tea", "contents": {"summary": True}}, "summary is not offered here; ask for text"),
        (SEARCH, {"query": "tea", "includeText": ["a b"]}, "includeText is not offered here"),
        (SEARCH, {"query": "tea", "outputSchema": {"type": "object"}}, "outputSchema is not offered here"),
        (CONTENTS, {"urls": ["https://a.example/"], "subpages": 2}, "subpages is not offered here"),
        (CONTENTS, {"urls": ["https://a.example/"], "highlights": True}, "highlights need a query here"),
        (CONTENTS, {"urls": []}, "between 1 and"),
    ],
)
def test_what_is_not_offered_is_refused_by_its_name(running: Any, path: str, body: Any, told: str) -> None:
    refused = running.post(path, body)
    assert (refused.status_code, refused.json()["tag"]) == (400, "INVALID_REQUEST_BODY")
    assert told in refused.json()["error"]


def test_other_endpoints_say_that_they_are_not_there_and_what_to_use(running: Any) -> None:
    refused = running.post("/compat/exa/findSimilar", {"url": "https://a.example/"})
    assert (refused.status_code, refused.json()["tag"]) == (404, "NOT_OFFERED")
    assert "findSimilar is not offered here; search for" in refused.json()["error"]


def test_its_clients_put_their_key_into_a_header(start: Any) -> None:
    running = start(ServiceOptions(require_token=True))
    known = {"x-api-key": running.tokens.create("app")}
    assert running.post(SEARCH, {"query": "tea"}, headers=known).status_code == 200
    assert running.post(SEARCH, {"query": "tea"}, headers={"x-api-key": "skr_wrong"}).status_code == 401
