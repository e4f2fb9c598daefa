"""Any JSON API: described in the settings, and a description that makes no sense is told with its line."""

import json
from pathlib import Path
from typing import Any

import pytest

from seekread import Misconfigured, Seekread
from seekread.calling.perform import read_reply
from seekread.config.provider_tables import line_of
from seekread.config.sources import load
from seekread.options import Query
from seekread.provider import BadReply, Found, Reply, SecretStr, given, traits
from seekread.providers.json_api import JsonApi
from seekread.testing.server import Answer, LoopbackServer, Received

ADDRESS = "https://api.acme.example/search"


def answered(api: JsonApi, data: Any, **wishes: Any) -> Found:
    return read_reply(api.search(Query(text="tea", **wishes)), Reply(200, {}, json.dumps(data).encode()))


def test_what_it_passes_on_it_honours_and_what_was_not_asked_for_is_left_out() -> None:
    parameters = {
        "q": "{query}",
        "when": "{freshness}",
        "in": "lang_{language}",
        "filter": {"sites": "{allowed_domains}"},
    }
    api = JsonApi(ADDRESS, parameters=parameters, words={"freshness": {"day": "pd"}}, method="POST")
    assert traits(api).honours == {"freshness", "language", "allowed_domains"}
    wishes: dict[str, Any] = {"freshness": "day", "language": "de", "allowed_domains": ("a.org",)}
    sent = given(api.search(Query(text="tea", **wishes)).request.json or {})
    assert sent == {"q": "tea", "when": "pd", "in": "lang_de", "filter": {"sites": ["a.org"]}}
    assert given(api.search(Query(text="tea")).request.json or {}) == {"q": "tea"}


def test_a_value_without_a_word_is_admitted() -> None:
    api = JsonApi(ADDRESS, parameters={"q": "{query}", "when": "{freshness}"}, words={"freshness": {"day": "pd"}})
    assert answered(api, {"results": []}, freshness="week").unmet == {"freshness"}
    assert answered(api, {"results": []}, freshness="day").unmet == frozenset()


def test_a_key_may_stand_anywhere_and_shows_nowhere() -> None:
    api = JsonApi(ADDRESS, SecretStr("hush-hush-hush"), parameters={"q": "{query}", "token": "t-{key}"}, headers={})
    request = api.search(Query(text="tea")).request
    assert given(request.params)["token"] == "t-hush-hush-hush"
    assert "hush" not in repr(api) + repr(request)
    assert JsonApi(ADDRESS).search(Query(text="tea")).request.headers == {}


def test_fields_stand_where_the_settings_say() -> None:
    fields = {"title": "head.name", "url": "links.0", "snippet": "texts", "score": "rank", "published_date": "on"}
    api = JsonApi(ADDRESS, results="data.items", fields=fields, answer="summary.text", cost="paid.usd", price=0.5)
    row = {"head": {"name": "T"}, "links": ["https://a.org"], "texts": ["one", "two"], "rank": 2, "on": "2026-10-03"}
    found = answered(api, {"data": {"items": [row]}, "summary": {"text": "so it is"}, "paid": {"usd": 0.002}})
    [result] = found.results
    assert (result.title, result.url, result.snippet, result.score) == ("T", "https://a.org", "one two", 2)
    assert (result.published_date, found.answer, found.cost and found.cost.dollars) == ("2026-10-03", "so it is", 0.002)
    assert api.search(Query(text="tea")).cost.dollars == 0.5


def test_a_list_that_is_missing_is_nothing_found_only_where_the_settings_say_so() -> None:
    assert answered(JsonApi(ADDRESS, missing_is_empty=True), {"took": 3}).results == []
    with pytest.raises(BadReply):
        answered(JsonApi(ADDRESS), {"took": 3})


DESCRIPTION = """
[search]
providers = "json_api"

[providers.json_api]
base_url = "https://api.acme.example/search"
parameters = { q = "{query}" }

[providers.json_api.fields]
title = "name"
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ('"{query}"', '"{query} {limits}"', 7, "providers.json_api.parameters.q knows no {limits}; known are query,"),
        ("title", "heading", 10, "providers.json_api.fields.heading is no field of a result; known are title, url,"),
        ('"{query}"', '"tea"', 7, "providers.json_api.parameters do not send the {query}"),
    ],
    ids=["a place nobody knows", "a field nobody knows", "no query"],
)
def test_a_bad_description_is_an_error_that_names_the_line(
    tmp_path: Path, old: str, new: str, line: int, told: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(DESCRIPTION.replace(old, new))
    with pytest.raises(Misconfigured) as caught:
        load(file=file, environ={"HOME": str(tmp_path)})
    assert str(caught.value).startswith(f"{file}, line {line}: {told}")


def test_a_line_is_found_for_dotted_names_and_for_the_table_where_there_is_none() -> None:
    text = '[providers]\nacme.words."a-b" = 1\n# acme.words = 2\n[[other]]\nwords = 3\n'
    assert line_of(text, ("providers", "acme", "words", "a-b")) == 2
    assert line_of(text, ("providers", "brave", "mode")) == 1


def test_a_bad_description_in_code_is_told_as_well() -> None:
    with pytest.raises(Misconfigured, match=r"json_api: headers.X knows no \{token\}"):
        JsonApi(ADDRESS, headers={"X": "{token}"})


@pytest.mark.anyio
async def test_a_described_api_answers_like_any_other(tmp_path: Path) -> None:
    def answer(received: Received) -> Answer:
        return Answer({"hits": [{"t": received.params["q"], "u": "https://a.org/1", "s": "words"}]})

    with LoopbackServer(answer) as server:
        file = tmp_path / "config.toml"
        table = f'[providers.json_api]\nbase_url = "{server.url}/find"\nresults = "hits"\nprice = 0.01\n'
        file.write_text(table + 'fields = { title = "t", url = "u", snippet = "s" }\n[state]\nstore = "memory:"\n')
        async with Seekread(config=file, environ={"HOME": str(tmp_path)}) as web:
            response = await web.search("tea")
            booked = sum(usage.dollars for usage in await web._parts.ledger.usage())
    assert (response.provider, response.results[0].title, booked) == ("json_api", "tea", 0.01)
