"""Jina's search on the wire."""

from typing import Any, ClassVar

import pytest

from seekread.server.app import ServiceOptions
from seekread.server.dialects.jina_search import DIALECT
from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator
from tests.unit.server.dialects.search_dialect import SearchDialect

SEARCH = "/compat/jina-search/"
PRIVATE = "http://10.0.0.1/"
LIST_ONLY = {"x-respond-with": "no-content", "accept": "application/json"}


class TestJinaSearch(SearchDialect):
    dialect = DIALECT
    path = SEARCH
    body: ClassVar[dict[str, Any]] = {"q": "tea", "num": 3, "respondWith": "no-content"}
    words = "q"

    headers: ClassVar[dict[str, str]] = {"accept": "application/json"}
    # Whatever stands behind its address are words to search for, but nobody posts there.
    nowhere = 405

    def rows(self, reply: Any) -> list[Any]:
        return list(reply["data"])

    def error(self, reply: Any) -> str:
        return str(reply["message"])


def test_words_stand_in_the_address_behind_it_in_a_form_or_in_json(running: Any, brave: Simulator) -> None:
    def titles(reply: Any) -> list[str]:
        return [row["title"] for row in reply.json()["data"]]

    asked = titles(running.get(SEARCH, params={"q": "green tea", "num": 2}, headers=LIST_ONLY))
    assert len(asked) == 2
    assert titles(running.get(f"{SEARCH}green%20tea?num=2", headers=LIST_ONLY)) == asked
    assert titles(running.client.post(SEARCH, data={"q": "green tea", "count": "2"}, headers=LIST_ONLY)) == asked
    assert titles(running.post(SEARCH, {"q": "green tea", "count": 2}, headers=LIST_ONLY)) == asked
    assert {received.params["q"] for received in brave.received} == {"green tea"}


def test_text_has_a_head_for_each_result_and_nothing_found_is_no_failure(running: Any) -> None:
    text = running.get(SEARCH, params={"q": "tea", "num": 2}, headers={"x-respond-with": "no-content"}).text
    assert text.startswith("[1] Title: tea")
    assert "\n[2] URL Source: http" in text
    nothing = running.get(SEARCH, params={"q": NOTHING}, headers=LIST_ONLY)
    assert (nothing.status_code, nothing.json()["data"]) == (200, [])


@pytest.mark.process
def test_results_are_read_as_they_are_wanted(running: Any, brave: Simulator, site: LoopbackServer) -> None:
    def found_here(body: Any) -> Any:
        body["web"]["results"] = [{**body["web"]["results"][0], "url": site.url}]
        return body

    brave.fail(Fault(change=found_here))
    accept = {"accept": "application/json"}
    [read] = running.get(SEARCH, params={"q": "tea"}, headers=accept).json()["data"]
    assert "## Brewing" in read["content"]
    [html] = running.get(SEARCH, params={"q": "tea"}, headers={**accept, "x-respond-with": "html"}).json()["data"]
    assert "<h2>Brewing</h2>" in html["content"]


def test_a_page_that_cannot_be_read_is_no_empty_page(running: Any, brave: Simulator) -> None:
    brave.fail(Fault(change=lambda body: {"web": {"results": [{**body["web"]["results"][0], "url": PRIVATE}]}}))
    [row] = running.get(SEARCH, params={"q": "tea"}, headers={"accept": "application/json"}).json()["data"]
    assert (row["content"], "private" in row["warning"]) == ("", True)
    assert "[1] Warning: " in running.get(SEARCH, params={"q": "tea"}).text


def test_sites_reach_the_engine_and_what_is_not_offered_is_refused(running: Any, brave: Simulator) -> None:
    sites = {**LIST_ONLY, "x-site": "example.org, example.com"}
    assert running.get(SEARCH, params={"q": "tea"}, headers=sites).status_code == 200
    assert "example.org" in str(brave.received[0].params)
    for params, told in [({"type": "images"}, "type images is not offered here"), ({"intitle": "x"}, "intitle is not")]:
        refused = running.get(SEARCH, params={"q": "tea", **params}, headers=LIST_ONLY)
        assert (refused.status_code, told in refused.json()["message"]) == (400, True)


def test_a_key_is_taken_with_and_without_the_word_before_it(start: Any) -> None:
    running = start(ServiceOptions(require_token=True))
    token = running.tokens.create("app")
    for written in (token, f"Bearer {token}"):
        headers = {**LIST_ONLY, "authorization": written}
        assert running.get(SEARCH, params={"q": "tea"}, headers=headers).status_code == 200
    refused = running.get(SEARCH, params={"q": "tea"}, headers={**LIST_ONLY, "authorization": "skr_wrong"})
    assert (refused.status_code, refused.json()["name"]) == (401, "AuthenticationRequiredError")
