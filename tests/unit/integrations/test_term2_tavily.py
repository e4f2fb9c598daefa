"""term2's Tavily provider, with the six tests the document names."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import httpx2
import pytest

from seekread.errors import InvalidQuery
from seekread.integrations.sending import sender_for
from seekread.integrations.term2 import CoreProvider, TavilyWebSearchProvider, Term2Services
from seekread.testing.clock import FakeClock

pytestmark = pytest.mark.anyio

Wire = Callable[..., Any]
KEY = "tvly-0123456789abcdefghij"
REPLY = {
    "query": "tea, corrected",
    "answer": "Tea is a drink.",
    "results": [
        {
            "title": "T1",
            "url": "https://u.example/1",
            "content": "C1",
            "score": 0.9,
            "published_date": "Sat, 31 Oct 2026",
        },
        {"title": "T2", "url": "https://u.example/2", "content": "C2"},
    ],
}


class Journal:
    """A logging service that remembers."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, Any]] = []

    def debug(self, message: str, meta: Mapping[str, Any] | None = None) -> None:
        self.lines.append(("debug", message, meta))

    def error(self, message: str, meta: Mapping[str, Any] | None = None) -> None:
        self.lines.append(("error", message, meta))


class Settings:
    def __init__(self, **values: Any) -> None:
        self.values = {name.replace("__", "."): value for name, value in values.items()}
        self.asked: list[str] = []

    def get(self, key: str) -> Any:
        self.asked.append(key)
        return self.values.get(key)


def services(transport: Any = None, key: str | None = KEY, **more: Any) -> Term2Services:
    return Term2Services(Settings(webSearch__tavily__apiKey=key), Journal(), sender_for(transport), **more)


def journal(given: Term2Services) -> list[tuple[str, str, Any]]:
    assert isinstance(given.logging_service, Journal)
    return given.logging_service.lines


@pytest.mark.proves("S2-29")
@pytest.mark.parametrize(("key", "expected"), [(KEY, True), ("", False), (None, False)])
async def test_is_configured_with_and_without_a_key(key: str | None, expected: bool) -> None:
    """S2-14: true with a key, false without; read with the documented key."""
    given = services(key=key)
    assert TavilyWebSearchProvider().is_configured(given) is expected
    assert isinstance(given.settings_service, Settings)
    assert "webSearch.tavily.apiKey" in given.settings_service.asked


@pytest.mark.proves("S2-10", "S2-29", "X-6")
async def test_search_throws_without_a_key(wire: Wire) -> None:
    """At the call, not before."""
    sent = wire(REPLY)
    with pytest.raises(Exception, match="Tavily API key") as caught:
        await TavilyWebSearchProvider().search("tea", services(sent, key=None))
    assert str(caught.value) == (
        "Tavily API key is not configured. "
        "Set TAVILY_API_KEY environment variable or configure webSearch.tavily.apiKey."
    )
    assert sent.requests == []


@pytest.mark.proves("S2-9", "S2-29", "X-14")
async def test_search_makes_the_correct_request(wire: Wire) -> None:
    """In body mode the document's body and nothing else."""
    sent = wire(REPLY)
    await TavilyWebSearchProvider(auth="body").search("tea", services(sent))
    (request,) = sent.requests
    assert (request.method, str(request.url)) == ("POST", "https://api.tavily.com/search")
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.content) == {"api_key": KEY, "query": "tea"}
    assert "authorization" not in request.headers


@pytest.mark.proves("X-14", "X-15")
async def test_the_key_is_a_bearer_by_default(wire: Wire) -> None:
    """Then the body is the query alone."""
    sent = wire(REPLY)
    await TavilyWebSearchProvider().search("tea", services(sent))
    assert json.loads(sent.requests[0].content) == {"query": "tea"}
    assert sent.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.proves("X-14")
async def test_the_way_the_key_travels_is_a_setting(wire: Wire) -> None:
    sent = wire(REPLY)
    settings = Settings(webSearch__tavily__apiKey=KEY, webSearch__tavily__auth="body")
    await TavilyWebSearchProvider().search("tea", Term2Services(settings, Journal(), sender_for(sent)))
    assert json.loads(sent.requests[0].content) == {"api_key": KEY, "query": "tea"}


@pytest.mark.proves("S2-13", "S2-29")
async def test_search_transforms_the_response(wire: Wire) -> None:
    """The reply's query, results in order, `published_date` as given, the answer."""
    response = await TavilyWebSearchProvider().search("tee", services(wire(REPLY)))
    assert response.model_dump(by_alias=True) == {
        "query": "tea, corrected",
        "results": [
            {
                "title": "T1",
                "url": "https://u.example/1",
                "content": "C1",
                "score": 0.9,
                "publishedDate": "Sat, 31 Oct 2026",
            },
            {"title": "T2", "url": "https://u.example/2", "content": "C2", "score": None, "publishedDate": None},
        ],
        "answerBox": "Tea is a drink.",
    }


async def test_nothing_is_hidden_in_a_response(wire: Wire) -> None:
    """Tag characters and variation selectors would speak to the model behind the person's back."""
    hidden = "\U000e0069\U000e0100\u200b"
    row = {"title": f"T{hidden}1", "url": f"https://u.example/{hidden}1", "content": f"C{hidden}1"}
    reply = {"query": "tea", "results": [row], "answer": f"Te{hidden}a."}
    response = await TavilyWebSearchProvider().search("tea", services(wire(reply)))
    assert not set(hidden) & set(response.model_dump_json())
    assert (response.results[0].content, response.answer_box) == ("C1", "Tea.")


@pytest.mark.proves("S2-13")
async def test_missing_results_are_none(wire: Wire) -> None:
    response = await TavilyWebSearchProvider().search("tea", services(wire({"query": "tea"})))
    assert response.results == []
    assert response.answer_box is None


@pytest.mark.proves("S2-12")
async def test_what_is_logged(wire: Wire) -> None:
    """S2-38: two lines with their facts, and the key in none of them."""
    given = services(wire(REPLY))
    await TavilyWebSearchProvider().search("tea", given)
    assert journal(given) == [
        ("debug", "Executing Tavily web search", {"query": "tea"}),
        ("debug", "Tavily search completed", {"resultCount": 2, "hasAnswer": True}),
    ]
    assert KEY not in repr(journal(given))


@pytest.mark.proves("S2-11", "S2-29", "S2-33")
@pytest.mark.parametrize("status", [400, 401, 429, 432, 500])
async def test_search_handles_api_errors(wire: Wire, status: int) -> None:
    """Status and body in the log and in the message, the key in neither."""
    given = services(wire((status, f"refused for {KEY}")))
    with pytest.raises(Exception, match="Tavily API error") as caught:
        await TavilyWebSearchProvider().search("tea", given)
    assert str(caught.value) == f"Tavily API error ({status}): refused for ***"
    assert journal(given)[-1] == ("error", "Tavily API error", {"status": status, "error": "refused for ***"})


@pytest.mark.proves("S2-38")
@pytest.mark.parametrize("key", ["tvly-0123456789abcdefghij", "three plain words", "ключ", "0000000000"])
async def test_no_key_of_any_shape_is_logged(wire: Wire, key: str) -> None:
    """A service repeats whatever it was sent, and not every key looks like one."""
    for reply in (REPLY, (500, f"no good: {key}"), (200, f"{{{key}"), httpx2.ConnectError(f"refused {key}")):
        given = services(wire(reply), key=key)
        with suppress(Exception):
            await TavilyWebSearchProvider().search("tea", given)
        assert journal(given)[0] == ("debug", "Executing Tavily web search", {"query": "tea"})
        assert key not in repr(journal(given))


async def test_a_query_that_is_too_long_is_not_cut_in_silence(wire: Wire) -> None:
    """The contract's text has no place for a note."""
    sent = wire(REPLY)
    with pytest.raises(InvalidQuery, match=r"takes at most 400; shorten it"):
        await TavilyWebSearchProvider().search("tea " * 200, services(sent))
    assert sent.requests == []


@pytest.mark.parametrize(
    ("problem", "words"),
    [(httpx2.ReadTimeout(""), "no reply within 30 s"), (httpx2.ConnectError("x"), "could not connect")],
)
async def test_a_network_failure_is_informative(wire: Wire, problem: Exception, words: str) -> None:
    """S2-35."""
    with pytest.raises(Exception, match=words) as caught:
        await TavilyWebSearchProvider().search("tea", services(wire(problem)))
    assert str(caught.value).startswith("Tavily search failed: ")


@pytest.mark.proves("S2-33", "X-12")
async def test_another_attempt_is_made_where_the_host_wants_it(wire: Wire) -> None:
    """None by default; with attempts, after pauses that grow or are asked for."""
    clock = FakeClock()
    sent = wire((429, "slow", {"retry-after": "7"}), (500, "x"), REPLY)
    given = services(sent, attempts=3, clock=clock)
    assert len((await TavilyWebSearchProvider().search("tea", given)).results) == 2
    assert clock.slept == [7.0, 2.0]
    once = wire((500, "x"))
    with pytest.raises(Exception, match="500"):
        await TavilyWebSearchProvider().search("tea", services(once))
    assert len(once.requests) == 1
    hopeless = wire((401, "x"))
    with pytest.raises(Exception, match="401"):
        await TavilyWebSearchProvider().search("tea", services(hopeless, attempts=3, clock=clock))
    assert len(hopeless.requests) == 1


async def test_snippets_of_one_page_are_joined_as_the_host_joins_them(wire: Wire) -> None:
    row = {"title": "T", "url": "https://e.example", "highlights": ["one", "two"]}
    given = Term2Services(Settings(webSearch__exa__apiKey="k"), Journal(), sender_for(wire({"results": [row]})))
    (result,) = (await CoreProvider("exa").search("tea", given)).results
    assert result.content == "one\n...\ntwo"


@pytest.mark.proves("S2-1")
async def test_another_engine_behind_the_same_contract(wire: Wire) -> None:
    """Brave with its own key, its own texts."""
    reply = {
        "web": {
            "results": [
                {"title": "B", "url": "https://b.example", "description": "D &amp; <b>d</b>", "age": "1 day ago"}
            ]
        }
    }
    settings = Settings(webSearch__brave__apiKey="brave-key")
    given = Term2Services(settings, Journal(), sender_for(wire(reply)))
    response = await CoreProvider("brave").search("tea", given)
    assert (response.query, response.results[0].content) == ("tea", "D & d")
    row = {"title": "<b>X</b>", "href": "https://x.example", "body": ""}
    text = CoreProvider("duckduckgo", text=lambda *_, **__: [row])
    assert (await text.search("tea", given)).results[0].title == "X"
    with pytest.raises(Exception, match=r"^Brave Search is not configured\. Configure webSearch\.brave\.apiKey or "):
        await CoreProvider("brave").search("tea", services(wire(reply)))
