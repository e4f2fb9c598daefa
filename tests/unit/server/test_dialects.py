"""The dialects on the wire: the shapes their clients read, and the shapes of their failures."""

from typing import Any

import pytest

from seekread.testing.hits import NOTHING
from seekread.testing.server import Fault, LoopbackServer
from seekread.testing.simulators import Simulator

SEARCHES = {
    "tavily": ("/compat/tavily/search", {"query": "tea", "max_results": 3}),
    "perplexity": ("/compat/perplexity/search", {"query": "tea", "max_results": 3}),
    "openwebui": ("/compat/openwebui/search", {"query": "tea", "count": 3}),
    "firecrawl": ("/v2/search", {"query": "tea", "limit": 3}),
}
ROWS = {
    "tavily": lambda body: body["results"],
    "perplexity": lambda body: body["results"],
    "openwebui": lambda body: body,
    "firecrawl": lambda body: body["data"]["web"],
}
ERRORS = {
    "tavily": lambda body: body["detail"]["error"],
    "perplexity": lambda body: body["error"]["message"],
    "openwebui": lambda body: body["detail"],
    "firecrawl": lambda body: body["error"],
}


@pytest.mark.parametrize("dialect", SEARCHES)
def test_a_search_has_its_dialect_s_shape_and_nothing_found_is_an_empty_list(running: Any, dialect: str) -> None:
    path, body = SEARCHES[dialect]
    rows = ROWS[dialect](running.post(path, body).json())
    assert len(rows) == 3
    assert {"title"} < rows[0].keys()
    nothing = running.post(path, {**body, "query": NOTHING})
    assert (nothing.status_code, ROWS[dialect](nothing.json())) == (200, [])


@pytest.mark.parametrize("dialect", SEARCHES)
def test_a_failure_has_its_dialect_s_shape_and_is_never_a_200(running: Any, brave: Simulator, dialect: str) -> None:
    path, body = SEARCHES[dialect]
    brave.fail(Fault(429), times=1)
    reply = running.post(path, body)
    assert reply.status_code == 429
    assert "brave" in ERRORS[dialect](reply.json())
    missing = running.post(path, {})
    assert missing.status_code == 400
    assert "query" in ERRORS[dialect](missing.json())


def test_searxng_names_engines_that_could_not_answer(start: Any, brave: Simulator) -> None:
    running = start(fallback=["index"])
    found = running.get("/compat/searxng/search", params={"q": "tea", "format": "json", "pageno": 2}).json()
    assert found["results"][0]["engines"] == ["brave"]
    assert (found["results"][0]["positions"], found["unresponsive_engines"]) == ([1], [])
    assert [row["score"] for row in found["results"]] == sorted((r["score"] for r in found["results"]), reverse=True)
    posted = running.client.post("/compat/searxng/search", data={"q": "tea", "format": "json", "pageno": "2"}).json()
    assert posted["results"] == found["results"]
    brave.fail(Fault(500))
    failed = running.get("/compat/searxng", params={"q": "cake", "format": "json"})
    assert failed.status_code == 502
    assert "brave" in failed.json()["error"]


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({"q": ""}, 400),
        ({}, 400),
        ({"q": "tea", "pageno": "x"}, 400),
        ({"q": "tea", "pageno": "0"}, 400),
        ({"q": "tea", "time_range": "decade"}, 400),
        ({"q": "tea", "format": "html"}, 403),
        ({"q": "tea", "language": "all", "safesearch": "1", "time_range": "week", "categories": "news"}, 200),
    ],
)
def test_searxng_s_parameters_are_checked(running: Any, params: dict[str, str], status: int) -> None:
    assert running.get("/compat/searxng", params=params).status_code == status


@pytest.mark.process
def test_tavily_s_options_reach_the_engine(running: Any, brave: Simulator, site: LoopbackServer) -> None:
    def found_here(body: Any) -> Any:
        body["web"]["results"] = [{**body["web"]["results"][0], "url": site.url}]
        return body

    brave.fail(Fault(change=found_here))
    options = {"max_results": 1, "country": "germany", "start_date": "2026-10-01", "include_raw_content": "markdown"}
    [result] = running.post("/compat/tavily/search", {"query": "tea", **options}).json()["results"]
    assert "Steep it" in result["raw_content"]
    sent = brave.received[0].params
    assert (sent["country"], sent["freshness"].startswith("2026-10-01to")) == ("DE", True)
    assert running.post("/compat/tavily/extract", {"urls": []}).status_code == 400
    assert running.post("/compat/tavily/search", {"query": "tea", "max_results": 0}).json()["results"] == []


@pytest.mark.process
def test_the_loader_leaves_out_what_cannot_be_read_and_fails_when_nothing_can(
    running: Any, site: LoopbackServer
) -> None:
    loaded = running.post("/compat/openwebui/loader", {"urls": [site.url, f"{site.url}/gone"]}).json()
    assert [(page["metadata"]["source"], page["metadata"]["title"]) for page in loaded] == [(site.url, "All about tea")]
    assert "Steep it" in loaded[0]["page_content"]
    failed = running.post("/compat/openwebui/loader", {"urls": [f"{site.url}/gone"]})
    assert (failed.status_code, "detail" in failed.json()) == (404, True)


@pytest.mark.process
def test_jina_s_reader_takes_the_address_from_the_path(running: Any, site: LoopbackServer) -> None:
    text = running.get(f"/compat/jina/{site.url}/page?a=b&c=d")
    assert text.text.startswith(f"Title: All about tea\n\nURL Source: {site.url}/page?a=b&c=d\n\nMarkdown Content:\n#")
    assert int(text.headers["x-usage-tokens"]) > 10
    assert (site.received[0].path, site.received[0].query) == ("/page", "a=b&c=d")
    one_slash = running.get(f"/compat/jina/{site.url.replace('//', '/')}", headers={"accept": "application/json"})
    assert one_slash.json()["data"]["title"] == "All about tea"
    assert running.post("/compat/jina/", {"url": site.url}).text.startswith("Title:")
    again = len(site.received)
    running.get(f"/compat/jina/{site.url}", headers={"x-no-cache": "true"})
    assert len(site.received) == again + 1


@pytest.mark.process
@pytest.mark.parametrize(
    ("url", "status", "name"),
    [
        ("http://169.254.169.254/", 403, "SecurityCompromiseError"),
        ("{site}/gone", 404, "AssertionFailureError"),
        ("", 400, "ParamValidationError"),
    ],
)
def test_jina_s_failures_are_json_even_for_text(
    running: Any, site: LoopbackServer, url: str, status: int, name: str
) -> None:
    reply = running.get(f"/compat/jina/{url.format(site=site.url)}")
    assert (reply.status_code, reply.json()["name"], reply.json()["data"]) == (status, name, None)


@pytest.mark.process
def test_firecrawl_s_scrape_says_what_it_offers(running: Any, site: LoopbackServer) -> None:
    both = running.post("/v2/scrape", {"url": site.url, "formats": ["markdown", {"type": "links"}]}).json()
    assert both["success"]
    assert both["data"]["links"] == [f"{site.url}/more"]
    assert both["data"]["metadata"]["sourceURL"] == site.url
    unknown = running.post("/v2/scrape", {"url": site.url, "formats": ["screenshot"]})
    assert (unknown.status_code, unknown.json()["success"]) == (400, False)
    assert "screenshot" in unknown.json()["error"]
    refused = running.post("/v2/scrape", {"url": "http://10.0.0.1/"})
    assert (refused.status_code, refused.json()["code"]) == (403, "REFUSED")


def test_firecrawl_s_clients_are_not_made_to_try_again_for_nothing(running: Any, brave: Simulator) -> None:
    """They repeat what failed with 502, whatever it was."""
    brave.fail(Fault(body="<html>"))
    assert running.post("/v2/search", {"query": "tea"}).status_code == 500


def test_perplexity_s_clients_are_told_whether_to_try_again(running: Any, brave: Simulator) -> None:
    path = "/compat/perplexity/search"
    brave.fail(Fault(body="<html>"), times=1)
    assert running.post(path, {"query": "tea"}).headers["x-should-retry"] == "false"
    brave.fail(Fault(500), times=1)
    assert running.post(path, {"query": "tea"}).headers["x-should-retry"] == "true"
    assert running.post(path, {"query": "tea", "search_after_date_filter": "2026-10-01"}).status_code == 400
    dated = {"query": "tea", "search_after_date_filter": "10/01/2026", "search_recency_filter": None}
    assert running.post(path, dated).status_code == 200


def test_an_unknown_address_of_a_dialect_speaks_it(running: Any) -> None:
    assert "error" in running.post("/compat/tavily/crawl", {}).json()["detail"]
    assert running.post("/v2/crawl", {}).json()["success"] is False
