"""One provider asked properly: its mistakes are its own, its pages follow each other, its filters are told truly."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import anyio
import pytest

from seekread import AllFailed, Misconfigured, Seekread
from seekread.errors import Unreadable
from seekread.models import RouteName
from seekread.provider import Call, Found, Job, Query, Reply, Request, SearchResult, Wish, traits
from seekread.searching.clean import silenced
from seekread.testing import simulators
from seekread.testing.server import Answer, LoopbackServer
from tests.support.speech import said

pytestmark = pytest.mark.anyio


def result(number: int, host: str = "a.org", **more: Any) -> SearchResult:
    return SearchResult(title=f"t{number}", url=f"https://{host}/{number}", **more)


class Good:
    name = "good"

    def search(self, _query: Query) -> Job[list[SearchResult]]:
        async def run() -> list[SearchResult]:
            return [result(1)]

        return Job(run)


class Odd:
    """A provider whose `search` is whatever a test makes it."""

    name = "odd"

    def __init__(self, search: Callable[[Query], Any]) -> None:
        self.search = search


def giving(reply: Any) -> Callable[[Query], Job[Any]]:
    async def run() -> Any:
        return reply

    return lambda _query: Job(run)


def raising(error: Exception) -> Callable[[Query], Any]:
    def search(_query: Query) -> Any:
        raise error

    return search


async def coroutine(_query: Query) -> list[SearchResult]:
    return []


def tripping(_query: Query) -> Job[Any]:
    def results() -> Iterator[SearchResult]:
        yield result(1)
        raise RuntimeError("half way")

    async def run() -> Any:
        return results()

    return Job(run)


MISTAKES: dict[str, Callable[[Query], Any]] = {
    "search raises": raising(KeyError("boom")),
    "search raises a timeout": raising(TimeoutError("mine")),
    "search gives nothing": lambda _query: None,
    "search gives a list": lambda _query: [result(1)],
    "search gives a coroutine": coroutine,
    "no results": giving(None),
    "results are a number": giving(3),
    "results are text": giving("results"),
    "results are dicts": giving([{"title": "t", "url": "https://a.org"}]),
    "one result is none": giving([result(1), None]),
    "nothing in Found": giving(Found(None)),  # type: ignore[arg-type]
    "odd notes": giving(Found([result(1)], notes=None)),  # type: ignore[arg-type]
    "an iterator that trips": tripping,
    "an address that is none": giving([SearchResult(title="t", url="").model_copy(update={"url": None})]),
    "a title that is none": giving([result(1).model_copy(update={"extra_snippets": 3})]),
}


@pytest.mark.parametrize("route", ["first", "hedge", "fuse"])
@pytest.mark.parametrize("mistake", MISTAKES)
async def test_a_mistake_of_a_provider_is_a_failure_of_that_provider_only(mistake: str, route: RouteName) -> None:
    async with Seekread(settings={"cache": False, "route": route, "store": "memory:"}) as web:
        web.register(Odd(MISTAKES[mistake]))
        web.register(Good())
        with anyio.fail_after(20):
            response = await web.search("tea")
    assert [found.url for found in response.results] == ["https://a.org/1"]
    assert response.provider == "good"
    assert ("odd", "bad_reply") in [(attempt.provider, attempt.outcome) for attempt in response.attempts]


async def test_whatever_reading_a_reply_raises_is_a_bad_reply() -> None:
    def parse(_reply: Reply) -> Any:
        raise ArithmeticError("sum of nothing")

    with LoopbackServer(lambda _received: Answer("OK")) as server:
        async with Seekread(settings={"cache": False, "store": "memory:"}) as web:
            web.register(Odd(lambda _query: Call(Request("GET", server.url), parse)))
            with pytest.raises(AllFailed, match="ArithmeticError") as caught:
                await web.search("tea")
    assert caught.value.outcome == "bad_reply"


async def test_a_generator_of_results_is_as_good_as_a_list_and_is_not_followed_for_ever() -> None:
    def endless() -> Any:
        number = 0
        while True:
            yield result(number := number + 1)

    async with Seekread(settings={"cache": False, "store": "memory:"}) as web:
        web.register(Odd(giving(endless())))
        assert len((await web.search("tea", limit=3)).results) == 3


async def test_an_answer_that_is_no_text_is_left_out() -> None:
    async with Seekread(settings={"cache": False, "store": "memory:"}) as web:
        web.register(Odd(giving(Found([result(1)], answer={"text": 1}, query=5))))  # type: ignore[arg-type]
        response = await web.search("tea")
    assert (response.answer, response.query_sent) == (None, "tea")


SPEAKING = "# A page\n\n![a](https://evil.example/p) `<b>` <script>alert(1)</script>\r\n\n[a](javascript:alert(1))"


@pytest.mark.process
@pytest.mark.parametrize("route", ["first", "hedge", "fuse"])
async def test_the_whole_text_that_an_engine_brings_along_passes_the_gate(route: RouteName) -> None:
    """It is foreign Markdown, shown as it is by whoever gets it: on every route, and once more out of the cache."""
    async with Seekread(settings={"route": route, "store": "memory:"}) as web:
        web.register(Odd(giving([result(1, content=SPEAKING), result(2, content="Tea,\n\nand *more* of it.")])))
        found = [(await web.search("tea")).results for _ in range(2)]
    contents = {page.url: page.content or "" for results in found for page in results}
    assert contents["https://a.org/2"] == "Tea,\n\nand *more* of it."
    assert contents["https://a.org/1"].startswith("# A page\n\n[image: a] `<b>` \\<script>")
    assert not any(said(content) for content in contents.values())


async def test_a_text_that_cannot_pass_the_gate_in_time_is_code() -> None:
    async def never(_text: str) -> str:
        await anyio.sleep_forever()
        raise AssertionError

    async def broken(_text: str) -> str:
        raise Unreadable("too_large", "it is too large")

    for silencer in (never, broken):
        passed = await silenced(result(1, content=SPEAKING), lambda made=silencer: made, seconds=0.01)  # type: ignore[misc]
        assert (passed.content or "").startswith("```\n# A page")
        assert not said(passed.content or "")


@pytest.mark.parametrize(
    ("declared", "wrong"),
    [({"max_results": "10"}, "max_results"), ({"page_size": 0}, "page_size"), ({"honours": {"freshnes"}}, "freshnes")],
)
def test_a_wrong_declaration_is_named(declared: dict[str, Any], wrong: str) -> None:
    provider = Odd(giving([result(1)]))
    vars(provider).update(declared)
    with pytest.raises(Misconfigured, match=f"odd declares.*{wrong}"):
        traits(provider)


async def test_results_of_which_none_has_an_address_are_a_broken_reply_and_not_nothing_found() -> None:
    async with Seekread(settings={"cache": False, "store": "memory:"}) as web:
        web.register(Odd(giving([SearchResult(title="x", url=""), SearchResult(title="y", url="javascript:alert(1)")])))
        with pytest.raises(AllFailed, match="no result carries an address") as caught:
            await web.search("tea")
    assert caught.value.outcome == "bad_reply"


async def test_results_without_a_usable_address_are_counted_in_a_note() -> None:
    found = [result(1), SearchResult(title="x", url=""), SearchResult(title="y", url="https://a.org/" + "a" * 20_000)]
    async with Seekread(settings={"cache": False, "store": "memory:"}) as web:
        web.register(Odd(giving(found)))
        response = await web.search("tea")
    assert [one.title for one in response.results] == ["t1"]
    assert "2 results without a usable address were left out" in response.notes


class Sized:
    """Sixty results, of every third host only one is wanted; pages as the class declares them."""

    name: ClassVar[str] = "sized"
    honours: ClassVar[frozenset[Wish]] = frozenset({"page"})
    hosts: ClassVar[Sequence[str]] = ("a.org", "b.org", "c.org")

    def __init__(self, **declared: Any) -> None:
        self.asked: list[tuple[int, int]] = []
        vars(self).update({"max_results": 20, **declared})

    def search(self, query: Query) -> Job[list[SearchResult]]:
        size = getattr(self, "page_size", None) or query.limit
        self.asked.append((query.page, query.limit))
        first = (query.page - 1) * size
        rows = [result(number, self.hosts[number % 3]) for number in range(first, min(first + size, 60))]

        async def run() -> list[SearchResult]:
            return rows[: query.limit]

        return Job(run)


async def numbers(provider: Sized, page: int, **wishes: Any) -> list[int]:
    async with Seekread(settings={"cache": False, "store": "memory:"}) as web:
        web.register(provider)
        response = await web.search("tea", page=page, **wishes)
    return [int(found.title[1:]) for found in response.results]


PAGED = [{"max_results": 50, "page_size": 10}, {"max_results": 50, "page_size": 7}, {"max_results": 20}]


@pytest.mark.parametrize("limit", [3, 5, 8, 10, 13])
@pytest.mark.parametrize("declared", PAGED, ids=str)
async def test_pages_follow_each_other_whatever_size_the_providers_pages_have(
    declared: dict[str, Any], limit: int
) -> None:
    shown = [number for page in (1, 2, 3, 4) for number in await numbers(Sized(**declared), page, limit=limit)]
    assert shown == list(range(4 * limit))


@pytest.mark.proves("X-24")
@pytest.mark.parametrize("limit", [3, 5, 8])
@pytest.mark.parametrize("declared", [*PAGED, {"max_results": 50}, {"max_results": 10}], ids=str)
async def test_pages_of_what_is_filtered_here_neither_skip_nor_repeat(declared: dict[str, Any], limit: int) -> None:
    """One result in three is wanted, so page 1 needs more than it shows."""
    wanted = {"allowed_domains": ["b.org"], "limit": limit}
    shown = [number for page in (1, 2, 3) for number in await numbers(Sized(**declared), page, **wanted)]
    assert shown == list(range(1, 60, 3))[: len(shown)]
    assert len(shown) > limit


async def test_the_first_page_of_what_is_filtered_here_costs_one_request() -> None:
    provider = Sized()
    await numbers(provider, 1, allowed_domains=["b.org"], limit=5)
    assert provider.asked == [(1, 15)]


async def test_a_page_that_lies_too_deep_is_said_to() -> None:
    async with Seekread(settings={"cache": False, "store": "memory:"}) as web:
        web.register(Sized(page_size=10, max_results=50))
        response = await web.search("tea", page=40, allowed_domains=["b.org"])
    assert any("page 40 lies deeper" in note for note in response.notes)


async def test_pages_of_a_real_service_follow_each_other() -> None:
    with simulators.start("searxng") as searxng:
        settings = {"cache": False, "store": "memory:"}
        async with Seekread("searxng", settings=settings, providers={"searxng": searxng.settings()}) as web:
            pages = [await web.search("tea", limit=4, page=page) for page in (1, 2, 3)]
    parts = [int(found.title.rpartition(" ")[2]) for page in pages for found in page.results]
    assert parts == list(range(1, 13))


async def test_brave_says_that_it_has_no_page_eleven_without_being_asked() -> None:
    with simulators.start("brave") as brave:
        settings = {"cache": False, "store": "memory:"}
        async with Seekread("brave", settings=settings, providers={"brave": brave.settings()}) as web:
            assert (await web.search("tea", page=10)).outcome in {"ok", "empty"}
            brave.received.clear()
            with pytest.raises(AllFailed, match="brave has no page 11") as caught:
                await web.search("tea", page=11)
    assert caught.value.outcome == "not_found"
    assert not brave.received


async def test_a_wish_that_was_not_passed_on_is_not_called_native() -> None:
    unmet: frozenset[Wish] = frozenset({"country", "blocked_domains", "freshness"})
    provider = Odd(
        giving(Found([result(1), result(2, "bad.org"), result(3, published_date="2020-01-01")], unmet=unmet))
    )
    vars(provider)["honours"] = frozenset({"country", "blocked_domains", "freshness", "language"})
    async with Seekread(settings={"cache": False, "store": "memory:"}) as web:
        web.register(provider)
        response = await web.search("tea", country="KE", language="de", blocked_domains=["bad.org"], freshness="week")
    assert response.filters == {
        "blocked_domains": "post-filtered",
        "country": "not enforced",
        "freshness": "post-filtered",
        "language": "native",
    }
    assert [found.title for found in response.results] == ["t1"]


@pytest.mark.parametrize(
    ("name", "asked", "filters"),
    [
        ("brave", {"country": "KE", "language": "sw"}, {"country": "not enforced", "language": "not enforced"}),
        ("tavily", {"country": "ZZ"}, {"country": "not enforced"}),
        ("tavily", {"country": "DE", "search_type": "news"}, {"country": "not enforced", "news": "native"}),
        ("tavily", {"safe_search": "off"}, {"safe_search": "native"}),
        ("exa", {"safe_search": "off"}, {"safe_search": "native"}),
        (
            "exa",
            {"allowed_domains": ["a.org"], "blocked_domains": ["b.org"]},
            {"allowed_domains": "native", "blocked_domains": "post-filtered"},
        ),
        (
            "firecrawl",
            {"allowed_domains": ["a.org"], "blocked_domains": ["b.org"]},
            {"allowed_domains": "native", "blocked_domains": "native"},
        ),
        ("perplexity", {"blocked_domains": [f"s{n}.org" for n in range(21)]}, {"blocked_domains": "post-filtered"}),
        ("wikipedia", {"language": "de"}, {"language": "not enforced"}),
    ],
)
async def test_the_response_tells_which_wishes_a_service_took(name: str, asked: Any, filters: Any) -> None:
    with simulators.start(name) as simulator:
        settings = {"cache": False, "store": "memory:"}
        async with Seekread(name, settings=settings, providers={name: simulator.settings()}) as web:
            response = await web.search("tea", **asked)
    assert response.filters == filters
