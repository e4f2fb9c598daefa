"""
Every format of every dialect: none tells what a page hides, and none brings markup along that does something.

Every trick passes every form a page is written in beside `test_safe_html.py`; here some of each kind pass everything
that a dialect hands out, over the wire.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest

from benchmarks.hidden import TOLD, WORDS
from seekread.testing.server import Answer, Fault, LoopbackServer, Received
from seekread.testing.simulators import Simulator
from tests.support.inert_html import done_by
from tests.support.speech import said
from tests.support.tricks import HIDING
from tests.unit.extraction.test_safe_html import LIVE

pytestmark = pytest.mark.process

SAMPLE = HIDING[::12]
JSON = {"accept": "application/json"}
Format = Callable[[Any, str], str]


def firecrawl(root: str, name: str, **options: Any) -> Format:
    """A format of Firecrawl's scrape."""
    return lambda running, url: running.post(f"{root}/scrape", {"url": url, "formats": [name], **options}).json()[
        "data"
    ][name]


def found_by_firecrawl(name: str) -> Format:
    """A format of the pages its search finds."""
    body = {"query": "tea", "limit": 1, "scrapeOptions": {"formats": [name]}}
    return lambda running, _: running.post("/v2/search", body).json()["data"]["web"][0][name]


def jina(form: str, **headers: str) -> Format:
    return lambda running, url: running.get(f"/compat/jina/{url}", headers={"x-return-format": form, **headers}).text


def jina_form(form: str) -> Format:
    """The same as a form that is posted."""
    return lambda running, url: running.client.post(
        "/compat/jina/", data={"url": url, "respondWith": form}, headers=JSON
    ).json()["data"]["content"]


def jina_found(form: str) -> Format:
    return lambda running, _: running.get(
        f"/compat/jina-search/{quote('tea')}", headers={"x-respond-with": form, **JSON}
    ).json()["data"][0]["content"]


def tavily(form: str) -> Format:
    return lambda running, url: running.post("/compat/tavily/extract", {"urls": url, "format": form}).json()["results"][
        0
    ]["raw_content"]


def found_by_tavily(form: str) -> Format:
    body = {"query": "tea", "max_results": 1, "include_raw_content": form}
    return lambda running, _: running.post("/compat/tavily/search", body).json()["results"][0]["raw_content"]


def exa(**text: Any) -> Format:
    return lambda running, url: running.post("/compat/exa/contents", {"urls": [url], "text": text}).json()["results"][
        0
    ]["text"]


def found_by_exa(**text: Any) -> Format:
    body = {"query": "tea", "numResults": 1, "contents": {"text": text}}
    return lambda running, _: running.post("/compat/exa/search", body).json()["results"][0]["text"]


def serper(name: str) -> Format:
    return lambda running, url: running.post("/compat/serper/scrape", {"url": url, "includeMarkdown": True}).json()[
        name
    ]


def openwebui(running: Any, url: str) -> str:
    return str(running.post("/compat/openwebui/loader", {"urls": [url]}).json()[0]["page_content"])


HTML: dict[str, Format] = {
    "firecrawl 2": firecrawl("/v2", "html"),
    "firecrawl 2, all of it": firecrawl("/v2", "html", onlyMainContent=False),
    "firecrawl 2, tags": firecrawl("/v2", "html", includeTags=["main", "body > *"], excludeTags=["aside"]),
    "firecrawl 1": firecrawl("/compat/firecrawl/v1", "html"),
    "firecrawl's search": found_by_firecrawl("html"),
    "jina": jina("html"),
    "jina, selected": jina("html", **{"x-target-selector": "main, body > *", "x-remove-selector": "aside"}),
    "jina, posted": jina_form("html"),
    "jina's search": jina_found("html"),
    "exa": exa(includeHtmlTags=True),
    "exa's search": found_by_exa(includeHtmlTags=True),
}
TEXT: dict[str, Format] = {
    "firecrawl 2": firecrawl("/v2", "markdown"),
    "firecrawl 2, all of it": firecrawl("/v2", "markdown", onlyMainContent=False),
    "firecrawl 2, tags": firecrawl("/v2", "markdown", includeTags=["main", "body > *"]),
    "firecrawl 1": firecrawl("/compat/firecrawl/v1", "markdown"),
    "firecrawl's search": found_by_firecrawl("markdown"),
    "jina": jina("content"),
    "jina, all of it": jina("markdown"),
    "jina, text": jina("text"),
    "jina, posted": jina_form("content"),
    "jina's search": jina_found("text"),
    "tavily": tavily("markdown"),
    "tavily, text": tavily("text"),
    "tavily's search": found_by_tavily("markdown"),
    "tavily's search, text": found_by_tavily("text"),
    "exa": exa(),
    "exa's search": found_by_exa(),
    "serper": serper("markdown"),
    "serper, text": serper("text"),
    "open webui": openwebui,
}


def page(received: Received) -> Answer:
    number = received.path.strip("/")
    return Answer(SAMPLE[int(number)].page(WORDS[0]) if number.isdecimal() else LIVE)


@pytest.fixture
def tricky() -> Iterator[LoopbackServer]:
    with LoopbackServer(page) as running:
        yield running


@pytest.fixture
def asking(start: Any, brave: Simulator, tricky: LoopbackServer) -> Callable[[Format, str], str]:
    """Asks for a page in a format; a search finds nothing but that page."""
    running = start(allow_private=[tricky.url.removeprefix("http://")])

    def ask(form: Format, path: str) -> str:
        def found_here(body: Any) -> Any:
            body["web"]["results"] = [{**body["web"]["results"][0], "url": f"{tricky.url}{path}"}]
            return body

        brave.fail(Fault(change=found_here), times=1)
        return form(running, f"{tricky.url}{path}")

    return ask


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", HTML)
def test_html_tells_nothing_hidden_and_does_nothing(asking: Any, name: str) -> None:
    live = asking(HTML[name], "/live")
    assert "<p" in live
    assert "bends towards the mill" in live
    assert not done_by(live)
    assert "evil" not in live
    if "search" not in name:
        for number, case in enumerate(SAMPLE):
            assert not TOLD.search(asking(HTML[name], f"/{number}")), case.name


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", TEXT)
def test_text_tells_nothing_hidden_and_does_not_speak(asking: Any, name: str) -> None:
    live = asking(TEXT[name], "/live")
    assert "bends towards the mill" in live
    assert not said(live)
    if "search" not in name:
        for number, case in enumerate(SAMPLE):
            assert not TOLD.search(asking(TEXT[name], f"/{number}")), case.name


def test_no_dialect_hands_out_a_fence(asking: Callable[[Format, str], str]) -> None:
    for name, form in TEXT.items():
        given = asking(form, "/live")
        assert "River" in given, name
        assert not re.search("untrusted web content|<<<", given), name


def test_html_as_it_came_is_the_operator_s_to_hand_out(start: Any, tricky: LoopbackServer) -> None:
    body = {"url": f"{tricky.url}/live", "formats": ["rawHtml", "markdown"]}
    allowed = [tricky.url.removeprefix("http://")]
    refused = start(allow_private=allowed).post("/v2/scrape", body)
    assert refused.status_code == 400
    assert "raw_html under [read]" in refused.json()["error"]
    data = start(allow_private=allowed, raw_html=True).post("/v2/scrape", body).json()["data"]
    assert data["rawHtml"] == LIVE
    assert "html" not in data


def test_a_page_read_for_its_html_and_one_read_for_its_text_are_kept_apart_from_what_was_selected(
    start: Any, tricky: LoopbackServer
) -> None:
    running = start(allow_private=[tricky.url.removeprefix("http://")])
    url = f"{tricky.url}/live"

    def scraped(**options: Any) -> Any:
        return running.post("/v2/scrape", {"url": url, **options}).json()["data"]

    usual = scraped()
    assert scraped(includeTags=["h1"])["markdown"] == "# River"
    assert scraped(includeTags=["h1"])["metadata"]["cacheState"] == "hit"
    html = scraped(formats=["markdown", "html"])
    assert (html["markdown"], html["metadata"]["cacheState"]) == (usual["markdown"], "miss")
    again = scraped(formats=["html"])
    assert (again["html"], again["metadata"]["cacheState"]) == (html["html"], "hit")
    assert scraped()["metadata"]["cacheState"] == "hit"
    assert scraped()["markdown"] == usual["markdown"]


def test_selectors_that_match_nothing_and_those_that_are_none_are_told_apart(
    start: Any, tricky: LoopbackServer
) -> None:
    running = start(allow_private=[tricky.url.removeprefix("http://")])
    url = f"{tricky.url}/live"
    nothing = running.post("/v2/scrape", {"url": url, "includeTags": ["#nowhere"]})
    assert (nothing.status_code, nothing.json()["data"]["markdown"]) == (200, "")
    wrong = running.post("/v2/scrape", {"url": url, "includeTags": ["p["]})
    assert (wrong.status_code, "'p[' is not a CSS selector" in wrong.json()["error"]) == (400, True)
    told = running.get(f"/compat/jina/{url}", headers={"x-target-selector": "!"})
    assert (told.status_code, "'!' is not a CSS selector" in told.json()["message"]) == (400, True)
