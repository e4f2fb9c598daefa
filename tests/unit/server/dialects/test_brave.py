"""Brave's dialect on the wire."""

from typing import Any, ClassVar

import pytest

from seekread.server.app import ServiceOptions
from seekread.server.dialects.brave import DIALECT
from seekread.testing.hits import NOTHING
from seekread.testing.simulators import Simulator
from tests.unit.server.dialects.search_dialect import SearchDialect

WEB = "/compat/brave/res/v1/web/search"
NEWS = "/compat/brave/res/v1/news/search"


class TestBrave(SearchDialect):
    dialect = DIALECT
    path = WEB
    body: ClassVar[dict[str, Any]] = {"q": "tea", "count": 3}
    words = "q"
    invalid = 422
    unauthorized = 422

    def rows(self, reply: Any) -> list[Any]:
        return list(reply.get("web", {"results": []})["results"])

    def error(self, reply: Any) -> str:
        return str(reply["error"]["detail"])


def test_the_address_alone_is_the_web_search_and_options_reach_the_engine(running: Any, brave: Simulator) -> None:
    params = {"q": "tea", "count": 2, "offset": 1, "country": "DE", "search_lang": "jp", "freshness": "pw"}
    found = running.get("/compat/brave", params=params)
    assert len(found.json()["web"]["results"]) == 2
    sent = brave.received[0].params
    assert (sent["country"], sent["search_lang"], sent["freshness"], sent["offset"]) == ("DE", "jp", "pw", "1")
    assert running.get(WEB, params={"q": "tea", "freshness": "2026-10-01to2026-10-31"}).status_code == 200
    assert brave.received[-1].params["freshness"] == "2026-10-01to2026-10-31"


def test_a_reply_without_hits_has_no_section_for_them(running: Any) -> None:
    reply = running.get(WEB, params={"q": NOTHING})
    assert (reply.status_code, "web" in reply.json()) == (200, False)
    assert running.get(NEWS, params={"q": NOTHING}).json()["results"] == []


def test_news_stand_in_a_list_of_their_own(running: Any) -> None:
    rows = running.get(NEWS, params={"q": "tea", "count": 2}).json()["results"]
    assert [row["type"] for row in rows] == ["news_result"] * 2


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"result_filter": "web,videos"}, "result_filter videos is not offered here; send query or web"),
        ({"goggles": "$discard"}, "goggles is not offered here; write operators such as site: into q"),
        ({"summary": "true"}, "summary is not offered here"),
        ({"freshness": "lately"}, "freshness is pd, pw, pm, py"),
        ({"offset": "10"}, "offset"),
    ],
)
def test_what_is_not_offered_is_refused_by_its_name(running: Any, params: dict[str, str], told: str) -> None:
    refused = running.get(WEB, params={"q": "tea", **params})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "VALIDATION")
    assert told in refused.json()["error"]["detail"]


def test_other_endpoints_say_that_they_are_not_there_and_what_to_use(running: Any) -> None:
    refused = running.get("/compat/brave/res/v1/images/search", params={"q": "tea"})
    assert refused.status_code == 404
    assert "not offered here; search the web or the news" in refused.json()["error"]["detail"]


def test_a_wrong_key_is_told_as_the_service_tells_it(start: Any) -> None:
    running = start(ServiceOptions(require_token=True))
    refused = running.get(WEB, params={"q": "tea"}, headers={"X-Subscription-Token": "skr_wrong"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "SUBSCRIPTION_TOKEN_INVALID")
    token = running.tokens.create("app")
    assert running.get(WEB, params={"q": "tea"}, headers={"x-subscription-token": token}).status_code == 200
