"""How programs search and read: what comes back has its type, and what makes no sense is an error before it runs."""

from typing import assert_type

import seekread
from seekread import (
    AllFailed,
    Attempt,
    BlockingSeekread,
    CheckedQuotation,
    Citation,
    InvalidQuery,
    Misconfigured,
    NotConfigured,
    OpenOptions,
    Outcome,
    Page,
    ProviderError,
    ReadResult,
    Refused,
    SearchOptions,
    SearchResponse,
    SearchResult,
    Seekread,
    SeekreadError,
    Snapshot,
    Source,
)


async def searching(web: Seekread) -> None:
    response = await web.search(
        "tea", limit=3, freshness="week", allowed_domains=["a.org"], max_age=60, provider="brave"
    )
    assert_type(response, SearchResponse)
    assert_type(response.results, tuple[SearchResult, ...])
    assert_type(response.sources, tuple[Source, ...])
    assert_type(response.attempts, tuple[Attempt, ...])
    assert_type(response.outcome, Outcome)
    assert_type(response.answer, str | None)
    assert_type(response.results[0].published_date, str | None)
    assert_type(response.results[0].citation_id, int | None)
    options: SearchOptions = {"limit": 3, "country": "DE"}
    assert_type(await web.search("tea", **options), SearchResponse)


async def searching_wrongly(web: Seekread) -> None:
    web.search("tea").results  # type: ignore[attr-defined]
    await web.search()  # type: ignore[call-arg]
    await web.search(5)  # type: ignore[arg-type]
    await web.search("tea", 3)  # type: ignore[arg-type, call-arg]
    await web.search("tea", limit="many")  # type: ignore[arg-type]
    await web.search("tea", freshnes="week")  # type: ignore[call-arg]
    response = await web.search("tea")
    response.results.append(response.results[0])  # type: ignore[attr-defined]
    response.result  # type: ignore[attr-defined]
    outcome: Outcome = "nothing"  # type: ignore[assignment]
    del outcome


async def reading(web: Seekread) -> None:
    page = await web.open_page("https://example.org/", max_length=500, query="tea", reader=["builtin", "jina"])
    assert_type(page, Page)
    assert_type(page, ReadResult)
    assert_type(page.next_offset, int | None)
    assert_type(page.content, str)
    assert_type(await web.open_pages(["https://example.org/"]), tuple[Page, ...])
    options: OpenOptions = {"max_length": 500, "offset": 10}
    assert_type(await web.open_page("https://example.org/", **options), Page)
    snapshot = await web.snapshot(page.snapshot or "")
    assert_type(snapshot, Snapshot)
    assert_type(snapshot.section("Tea"), str | None)
    citation = snapshot.quote("words")
    assert_type(citation, Citation | None)
    assert_type(snapshot.check_quote("water"), CheckedQuotation)
    if citation:
        assert_type(citation.start, int)
    assert_type(snapshot.check_quote("words").differences, tuple[str, ...])


async def reading_wrongly(web: Seekread) -> None:
    await web.open_page(["https://example.org/"])  # type: ignore[arg-type]
    await web.open_page("https://example.org/", length=5)  # type: ignore[call-arg]
    page = await web.open_page("https://example.org/")
    page.content + page.next_offset  # type: ignore[operator]
    (await web.snapshot("x")).quote("words").start  # type: ignore[union-attr]


def blocking() -> None:
    with BlockingSeekread("brave", settings={"limit": 3}) as web:
        assert_type(web.search("tea", limit=3), SearchResponse)
        assert_type(web.open_page("https://example.org/"), Page)
        web.search("tea", limits=3)  # type: ignore[call-arg]
    assert_type(seekread.search("tea", language="de"), SearchResponse)
    assert_type(seekread.open_page("https://example.org/", section="Tea"), Page)
    assert_type(seekread.extract("<p>Tea</p>", "https://example.org/"), Page)
    assert_type(seekread.__version__, str)
    seekread.serch("tea")  # type: ignore[attr-defined]


async def failing(web: Seekread) -> None:
    try:
        await web.search("tea")
    except AllFailed as error:
        assert_type(error.response, SearchResponse)
        assert_type(error.outcome, Outcome)
        error.reply  # type: ignore[attr-defined]
    except (InvalidQuery, Misconfigured) as error:
        assert_type(error, InvalidQuery | Misconfigured)
        error.outcome  # type: ignore[union-attr]


def told(error: SeekreadError) -> str:
    match error:
        case Refused():
            assert_type(error.code, str)
        case NotConfigured() | ProviderError():
            assert_type(error.outcome, Outcome)
            assert_type(error.status, int | None)
            assert_type(error.retry_after, float | None)
    return str(error)
