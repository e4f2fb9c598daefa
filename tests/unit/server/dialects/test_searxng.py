"""SearXNG's dialect on the wire."""

import base64
from typing import Any

import pytest

from seekread.server.app import ServiceOptions
from seekread.testing import simulators
from seekread.testing.server import Fault
from seekread.testing.simulators import Simulator

SEARCH = "/compat/searxng/search"


def test_results_have_places_and_scores_and_a_form_is_as_good_as_an_address(running: Any) -> None:
    found = running.get(SEARCH, params={"q": "tea", "format": "json", "pageno": 2}).json()
    assert found["results"][0]["engines"] == ["brave"]
    assert (found["results"][0]["positions"], found["unresponsive_engines"]) == ([1], [])
    scores = [row["score"] for row in found["results"]]
    assert scores == sorted(set(scores), reverse=True)
    posted = running.client.post(SEARCH, data={"q": "tea", "format": "json", "pageno": "2"}).json()
    assert posted["results"] == found["results"]


def test_engines_that_could_not_answer_are_named_beside_what_others_found(start: Any, brave: Simulator) -> None:
    with simulators.start("serper") as serper:
        running = start(simulated=[serper], providers=["brave", "serper"])
        brave.fail(Fault(500))
        found = running.get(SEARCH, params={"q": "tea", "format": "json"}).json()
    assert found["results"][0]["engines"] == ["serper"]
    assert found["unresponsive_engines"] == [["brave", "unreachable"]]


def test_when_nobody_can_answer_that_is_a_failure(running: Any, brave: Simulator) -> None:
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
        ({"q": "tea", "categories": "images"}, 400),
        ({"q": "tea", "categories": "general,science"}, 400),
        ({"q": "tea", "category_files": "on"}, 400),
        ({"q": "tea", "categories": "general, web"}, 200),
        ({"q": "tea", "language": "all", "safesearch": "1", "time_range": "week", "categories": "news"}, 200),
    ],
)
def test_parameters_are_checked(running: Any, params: dict[str, str], status: int) -> None:
    assert running.get("/compat/searxng", params=params).status_code == status


def test_basic_auth_is_for_its_clients_only(start: Any) -> None:
    running = start(ServiceOptions(host="0.0.0.0", allowed_hosts=("127.0.0.1",)))
    pair = base64.b64encode(f"anybody:{running.tokens.create('webui')}".encode()).decode()
    basic = {"authorization": f"Basic {pair}"}
    found = running.get("/compat/searxng", params={"q": "tea", "format": "json"}, headers=basic)
    assert (found.status_code, len(found.json()["results"])) == (200, 10)
    for path in ("/v1/usage", "/compat/searxngx", "/compat/tavily/search"):
        refused = running.get(path, headers=basic)
        assert (refused.status_code, "Basic" in refused.headers["www-authenticate"]) == (401, False)
    for broken in ("Basic !!!", "Basic", "Basic " + base64.b64encode(b"\xff\xfe").decode()):
        refused = running.get("/compat/searxng", params={"q": "tea"}, headers={"authorization": broken})
        assert (refused.status_code, "Basic" in refused.headers["www-authenticate"]) == (401, True)


def test_categories_say_what_is_searched_and_others_are_refused_by_name(running: Any, brave: Simulator) -> None:
    for params in ({"categories": "news"}, {"category_news": "on"}):
        found = running.get(SEARCH, params={"q": "tea", **params}).json()["results"]
        assert {row["category"] for row in found} == {"news"}
        assert brave.received[-1].path.endswith("/news/search")
    refused = running.get(SEARCH, params={"q": "tea", "categories": "images,news"})
    assert refused.json()["error"].startswith("categories images is not offered here; send general or news or web")
