"""Map and crawl in the words of Tavily and Firecrawl."""

import time
from pathlib import Path
from typing import Any

import pytest

from seekread.errors import InvalidQuery
from seekread.server.dialects.path_patterns import as_pattern
from tests.support.small_site import SmallSite
from tests.support.trap_site import TrapSite
from tests.unit.server.conftest import Running
from tests.unit.server.test_crawls import gone, service_for

COUNT = 12


@pytest.mark.parametrize(
    ("expression", "pattern"),
    [
        ("/docs/.*", "/docs/*"),
        ("^/docs/.*$", "/docs/*"),
        ("^/docs/$", "/docs/"),
        (r"/v1\.2/.+", "/v1.2/*"),
        ("blog/.*", "*blog/*"),
        ("/shop/[^/]+/offers", "/shop/*/offers*"),
    ],
)
def test_regular_expressions_of_paths_are_written_as_patterns(expression: str, pattern: str) -> None:
    assert as_pattern(expression) == pattern


@pytest.mark.parametrize("expression", ["(a+)+$", "/a|/b", "[a-z]", "a{2}", "\\d+"])
def test_one_that_says_more_is_refused_and_never_run(expression: str) -> None:
    with pytest.raises(InvalidQuery, match="not understood"):
        as_pattern(expression)


@pytest.mark.process
def test_tavily_s_map_and_crawl(tmp_path: Path) -> None:
    with SmallSite(TrapSite(COUNT).answer) as site, service_for(site, tmp_path) as running:
        mapped = running.post("/compat/tavily/map", {"url": site.url}).json()
        assert f"{site.url}/ships/0" in mapped["results"]
        asked = {"url": site.url, "max_depth": 2, "limit": 5, "select_paths": ["/ships/.*"]}
        found = running.post("/compat/tavily/crawl", asked, timeout=150).json()
    assert found["base_url"] == site.url
    assert 1 < len(found["results"]) <= 5
    assert all(page["raw_content"] for page in found["results"])


@pytest.mark.process
def test_a_site_that_cannot_be_read_is_a_failure_in_every_dialect(tmp_path: Path) -> None:
    with SmallSite(gone) as site, service_for(site, tmp_path) as running:
        for path in ("/compat/tavily/map", "/compat/tavily/crawl"):
            told = running.post(path, {"url": site.url}, timeout=150)
            assert (told.status_code >= 400, bool(told.json()["detail"]["error"])) == (True, True), path
        mapped = running.post("/v2/map", {"url": site.url})
        crawled = completed(running, running.post("/v2/crawl", {"url": site.url}).json()["id"], "failed")
    assert (mapped.status_code >= 400, mapped.json()["success"]) == (True, False)
    assert (crawled["success"], crawled["data"], bool(crawled["error"])) == (False, [], True)


@pytest.mark.process
def test_firecrawl_s_map_and_crawl(tmp_path: Path) -> None:
    with SmallSite(TrapSite(COUNT).answer) as site, service_for(site, tmp_path) as running:
        mapped = running.post("/v2/map", {"url": site.url, "search": "ships"}).json()
        assert mapped == {"success": True, "links": [{"url": f"{site.url}/ships/0"}]}
        begun = running.post("/v2/crawl", {"url": site.url, "excludePaths": ["/calendar.*"], "limit": 500}).json()
        done = completed(running, begun["id"])
        errors = running.get(f"/v2/crawl/{begun['id']}/errors").json()
        ended = running.client.delete(f"/v2/crawl/{begun['id']}").json()
        missing = running.get("/v2/crawl/abc")
    assert begun["url"].endswith(f"/v2/crawl/{begun['id']}")
    assert done["completed"] == done["total"] > COUNT
    sources = {page["metadata"]["sourceURL"].removeprefix(site.url) for page in done["data"]}
    assert {f"/ships/{number}" for number in range(COUNT)} <= sources
    assert errors["robotsBlocked"] == [f"{site.url}/private"]
    assert "BAD_REPLY" in {error["code"] for error in errors["errors"]}
    assert ended["status"] == "cancelled"
    assert (missing.status_code, missing.json()["success"]) == (404, False)


def completed(running: Running, job: str, status: str = "completed") -> dict[str, Any]:
    last = time.monotonic() + 120
    while time.monotonic() < last:
        found: dict[str, Any] = running.get(f"/v2/crawl/{job}").json()
        if found["status"] == status:
            return found
    raise AssertionError(found)
