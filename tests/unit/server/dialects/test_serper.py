"""Serper's dialect on the wire."""

from typing import Any, ClassVar

import pytest

from seekread.server.app import ServiceOptions
from seekread.server.dialects.serper import DIALECT
from seekread.testing.server import LoopbackServer
from seekread.testing.simulators import Simulator
from tests.unit.server.dialects.search_dialect import SearchDialect

SEARCH = "/compat/serper/search"


class TestSerper(SearchDialect):
    dialect = DIALECT
    path = SEARCH
    body: ClassVar[dict[str, Any]] = {"q": "tea", "num": 3}
    words = "q"
    unauthorized = 403

    def rows(self, reply: Any) -> list[Any]:
        return list(reply["organic"])

    def error(self, reply: Any) -> str:
        return str(reply["message"])


def test_results_have_places_and_options_reach_the_engine(running: Any, brave: Simulator) -> None:
    body = {"q": "tea", "num": 2, "gl": "de", "hl": "de", "tbs": "qdr:m", "page": 2}
    found = running.post(SEARCH, body).json()
    assert [row["position"] for row in found["organic"]] == [1, 2]
    sent = brave.received[0].params
    assert (sent["country"], sent["search_lang"], sent["freshness"], sent["offset"]) == ("DE", "de", "pm", "1")
    ranged = {"q": "tea", "tbs": "cdr:1,cd_min:10/1/2026,cd_max:10/31/2026"}
    assert running.post(SEARCH, ranged).status_code == 200
    assert brave.received[-1].params["freshness"] == "2026-10-01to2026-10-31"


def test_news_are_called_so(running: Any) -> None:
    assert len(running.post("/compat/serper/news", {"q": "tea", "num": 2}).json()["news"]) == 2


@pytest.mark.process
def test_a_page_is_scraped_as_text_and_as_markdown_where_that_is_asked_for(running: Any, site: LoopbackServer) -> None:
    page = running.post("/compat/serper/scrape", {"url": site.url}).json()
    assert "Steep it for three minutes" in page["text"]
    assert "markdown" not in page
    assert "](http" not in page["text"]
    assert "## Brewing" in running.post("/compat/serper/scrape", {"url": site.url, "includeMarkdown": True}).text
    gone = running.post("/compat/serper/scrape", {"url": f"{site.url}/gone"})
    assert (gone.status_code, gone.json()["statusCode"]) == (404, 404)


def test_what_is_not_offered_is_refused_or_named(running: Any) -> None:
    refused = running.post(SEARCH, {"q": "tea", "tbs": "li:1"})
    assert (refused.status_code, "tbs 'li:1' is not offered here" in refused.json()["message"]) == (400, True)
    absent = running.post("/compat/serper/images", {"q": "tea"})
    assert (absent.status_code, "images is not offered here; send search or news" in absent.text) == (404, True)
    noted = running.post(SEARCH, {"q": "tea", "location": "Berlin", "autocorrect": True, "bad name\r\n": 1})
    assert noted.headers["x-seekread-left-out"] == "location"


def test_its_clients_put_their_key_into_a_header(start: Any) -> None:
    running = start(ServiceOptions(require_token=True))
    refused = running.post(SEARCH, {"q": "tea"}, headers={"X-API-KEY": "skr_wrong"})
    assert (refused.status_code, refused.json()["statusCode"]) == (403, 403)
    known = {"X-API-KEY": running.tokens.create("app")}
    assert running.post(SEARCH, {"q": "tea"}, headers=known).status_code == 200
