"""Wikipedia on the wire and back."""

import json
from typing import Any

import pytest

from seekread.calling.perform import read_reply
from seekread.options import Query
from seekread.provider import BadReply, RateLimited, Reply
from seekread.providers.wikipedia import Wikipedia
from seekread.testing import simulators
from seekread.testing.provider_contract import ProviderCase, search, wire

pytestmark = pytest.mark.anyio


def url(query: Query, **fields: Any) -> str:
    return Wikipedia(**fields).search(query).request.url


def test_the_language_is_the_host() -> None:
    assert url(Query(text="x")) == "https://en.wikipedia.org/w/api.php"
    assert url(Query(text="x", language="de-AT")) == "https://de.wikipedia.org/w/api.php"
    assert url(Query(text="x"), language="fr") == "https://fr.wikipedia.org/w/api.php"


@pytest.mark.parametrize("language", ["evil.example/", "a@b", "..", "ü"])
def test_a_language_cannot_choose_another_host(language: str) -> None:
    assert url(Query(text="x", language=language)) == "https://en.wikipedia.org/w/api.php"


@pytest.mark.parametrize(
    ("language", "fields", "unmet"),
    [
        ("de", {}, frozenset()),
        (None, {"base_url": "https://wiki.example"}, frozenset()),
        ("..", {}, {"language"}),
        ("de", {"base_url": "https://wiki.example"}, {"language"}),
    ],
)
def test_a_language_that_is_no_host_is_unmet(language: str | None, fields: Any, unmet: Any) -> None:
    call = Wikipedia(**fields).search(Query(text="x", language=language))
    assert call.parse(Reply(200, {}, b'{"query": {"search": []}}')).unmet == unmet


async def test_the_client_says_who_it_is() -> None:
    with simulators.start("wikipedia") as simulator:
        [request] = await wire(
            ProviderCase(Wikipedia(simulator.url, contact="me@example.org"), simulator), limit=3, page=2
        )
    assert request.headers["user-agent"] == "seekread (me@example.org)"
    assert request.params["srlimit"] == "3"
    assert request.params["sroffset"] == "3"


async def test_an_article_has_an_address_and_a_last_edit_but_no_publication_date() -> None:
    with simulators.start("wikipedia") as simulator:
        found = await search(ProviderCase(Wikipedia(simulator.url), simulator), "Straße des 17. Juni", limit=1)
    [result] = found.results
    assert result.url == f"{simulator.url}/wiki/Stra%C3%9Fe_des_17._Juni_%26_more,_part_1"
    assert result.published_date is None
    assert result.flags == ("last edited 2026-10-30",)


def answered(data: Any, **headers: str) -> Any:
    return read_reply(Wikipedia().search(Query(text="x")), Reply(200, headers, json.dumps(data).encode()))


def test_an_error_with_status_200_is_an_error() -> None:
    with pytest.raises(BadReply, match="badvalue: what"):
        answered({"error": {"code": "badvalue", "info": "what"}})
    with pytest.raises(RateLimited):
        answered({"error": {"code": "ratelimited"}})


def test_a_suggestion_is_passed_on_when_nothing_was_found() -> None:
    found = answered({"query": {"searchinfo": {"totalhits": 0, "suggestion": "tea"}, "search": []}})
    assert found.notes == ("Wikipedia suggests 'tea'",)
