"""DuckDuckGo through the library, over real HTTPS to a simulator that plays its proxy."""

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import pytest
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

from seekread.calling.perform import run
from seekread.options import Query
from seekread.provider import (
    BadReply,
    Blocked,
    ProviderError,
    RateLimited,
    SecretStr,
    SuspiciousEmpty,
    TimedOut,
    Unreachable,
    traits,
)
from seekread.providers.duckduckgo import DuckDuckGo, region
from seekread.testing import simulators
from seekread.testing.provider_contract import ProviderCase, search, wire
from seekread.testing.server import Fault

pytestmark = pytest.mark.anyio


def rows(query: str, **options: Any) -> list[dict[str, str]]:
    return [{"title": f"T {query}", "href": "https://e.org", "body": f"{sorted(options.items())}"}]


@pytest.mark.proves("S0-24", "X-16")
async def test_a_host_may_bring_the_function_itself() -> None:
    """S0-13: called with the query and `max_results`, answered with title, href and body."""
    [result] = (await run(DuckDuckGo(text=rows).search(Query(text="tea", limit=7)), seconds=5)).results
    assert (result.title, result.url) == ("T tea", "https://e.org")
    assert result.snippet == "[('max_results', 7)]"


@pytest.mark.proves("X-8")
async def test_wishes_have_their_names() -> None:
    query = Query(text="x", freshness="week", country="DE", safe_search="strict", page=2)
    [result] = (await run(DuckDuckGo(text=rows).search(query), seconds=5)).results
    assert result.snippet == (
        "[('max_results', 5), ('page', 2), ('region', 'de-de'), ('safesearch', 'on'), ('timelimit', 'w')]"
    )


@pytest.mark.proves("S3-20")
async def test_a_search_is_one_form_sent_to_duckduckgo_alone() -> None:
    """S3-3: no key, and no other engine is asked."""
    with simulators.start("duckduckgo") as simulator:
        [request] = await wire(
            ProviderCase(DuckDuckGo(**simulator.settings()), simulator), freshness="day", country="GB"
        )
    assert (request.host, request.path) == ("html.duckduckgo.com", "/html/")
    assert request.form | {"q": ""} == {"q": "", "b": "", "l": "uk-en", "df": "d"}


async def test_news_come_from_the_news_page_with_their_dates() -> None:
    with simulators.start("duckduckgo") as simulator:
        found = await search(ProviderCase(DuckDuckGo(**simulator.settings()), simulator), "tea", search_type="news")
    assert [request.path for request in simulator.received] == ["/", "/news.js"]
    assert found.results[0].url == "https://www.example.org/tea/1"
    assert str(found.results[0].published_date).startswith("2026-10-30")


async def test_news_without_a_token_are_blocked() -> None:
    with simulators.start("duckduckgo") as simulator:
        simulator.fail(Fault(200, "<html>Please prove that you are human</html>"))
        with pytest.raises(Blocked):
            await search(ProviderCase(DuckDuckGo(**simulator.settings()), simulator), search_type="news")


async def test_a_certificate_of_an_unknown_authority_is_refused() -> None:
    with simulators.start("duckduckgo") as simulator, pytest.raises(Unreachable):
        await search(ProviderCase(DuckDuckGo(proxy=SecretStr(simulator.url)), simulator))


def failing(error: Exception) -> Callable[..., Any]:
    def text(query: str, **options: Any) -> Any:
        raise error

    return text


@pytest.mark.parametrize(
    ("raised", "meant"),
    [
        (DDGSException("No results found."), SuspiciousEmpty),
        (TimeoutException("timed out"), TimedOut),
        (RatelimitException("202"), RateLimited),
        (DDGSException("DNSError: no such host"), Unreachable),
        (DDGSException(ValueError("Expecting value")), BadReply),
        (DDGSException("_extract_vqd() Could not extract vqd."), Blocked),
    ],
)
async def test_the_librarys_exceptions_are_translated(raised: Exception, meant: type[ProviderError]) -> None:
    """No results is never an empty list: it is also how DuckDuckGo blocks."""
    with pytest.raises(ProviderError) as caught:
        await run(DuckDuckGo(text=failing(raised)).search(Query(text="x")), seconds=5)
    assert type(caught.value) is meant


async def test_no_results_after_the_whole_wait_is_a_timeout() -> None:
    """The library gives up waiting in silence, and then reports that there are no results."""
    late = DuckDuckGo(text=failing(DDGSException("No results found.")), timeout=0)
    with pytest.raises(TimedOut):
        await run(late.search(Query(text="x")), seconds=5)


async def test_no_more_than_four_searches_run_at_a_time() -> None:
    """A stuck thread cannot be stopped, so there must not be ever more of them."""
    release, running, most = threading.Event(), [], []

    def text(query: str, **options: Any) -> list[dict[str, str]]:
        running.append(query)
        most.append(len(running))
        release.wait(5)
        running.pop()
        return rows(query)

    provider = DuckDuckGo(text=text)
    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(partial(run, provider.search(Query(text=str(number))), seconds=10))
        await anyio.wait_all_tasks_blocked()
        release.set()
    assert len(most) == 8
    assert max(most) <= 4


async def test_a_search_given_up_before_a_thread_was_free_is_never_begun() -> None:
    release, begun = threading.Event(), []

    def text(query: str, **options: Any) -> list[dict[str, str]]:
        begun.append(query)
        release.wait(5)
        return rows(query)

    provider = DuckDuckGo(text=text)
    async with anyio.create_task_group() as group:
        for number in range(4):
            group.start_soon(partial(run, provider.search(Query(text=str(number))), seconds=10))
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(TimedOut):
            await run(provider.search(Query(text="late")), seconds=0.05)
        release.set()
    [result] = (await run(provider.search(Query(text="next")), seconds=5)).results
    assert result.title == "T next"
    assert sorted(begun) == ["0", "1", "2", "3", "next"]


@pytest.mark.process
def test_a_search_that_never_ends_does_not_keep_the_process_alive() -> None:
    script = """
        import anyio, contextlib, threading
        from seekread.options import Query
        from seekread.calling.perform import run
        from seekread.provider import TimedOut
        from seekread.providers.duckduckgo import DuckDuckGo

        begun = threading.Event()

        def stuck(query, **options):
            begun.set()
            threading.Event().wait()

        async def main():
            # On a busy machine the time may be up before the search has begun.
            while not begun.is_set():
                with contextlib.suppress(TimedOut):
                    await run(DuckDuckGo(text=stuck).search(Query(text="x")), seconds=0.2)
            print("late", flush=True)

        anyio.run(main)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "late\n"), done.stderr


@pytest.mark.parametrize(
    ("country", "language", "expected"),
    [("US", None, "us-en"), ("GB", "en", "uk-en"), ("CH", "fr", "ch-fr"), ("CH", None, "ch-de"), ("JP", "ja", "jp-jp"),
     ("AT", "en", "at-de"), ("XX", None, None), (None, "de", None), ("SI", None, "sl-sl")],
)  # fmt: skip
def test_regions_are_duckduckgos_own(country: str | None, language: str | None, expected: str | None) -> None:
    assert region(Query(text="x", country=country, language=language)) == expected


@pytest.mark.proves("S3-27")
def test_the_delay_is_a_setting_and_the_caveat_is_declared() -> None:
    """S3-40."""
    assert DuckDuckGo().delay_seconds == 1.0
    assert DuckDuckGo(delay_seconds=2.5).delay_seconds == 2.5
    assert "not the only provider in production" in traits(DuckDuckGo).caveat


def test_the_password_of_a_proxy_does_not_show() -> None:
    assert "hunter2" not in repr(DuckDuckGo(proxy=SecretStr("http://me:hunter2@127.0.0.1:8080")))
