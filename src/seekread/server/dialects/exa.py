"""
Exa's API: `Exa(api_key=TOKEN, base_url="http://127.0.0.1:8787/compat/exa")`.

Reference: https://docs.exa.ai/reference/search, https://docs.exa.ai/reference/get-contents
"""

import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.models import Page, PageShape, SearchResult
from seekread.outcomes import MEANINGS
from seekread.render.failure import explain_page
from seekread.server.dialects.dialect import (
    Dialect,
    Texts,
    html_of,
    longest_text,
    open_each,
    scores,
    search,
    sent,
    two_letters,
)
from seekread.server.dialects.offers import Foreign, absent, answered, only
from seekread.server.keys import HeaderKey
from seekread.server.problems import Problem

MOST_URLS = 100
TAGS: Mapping[int, str] = {400: "INVALID_REQUEST_BODY", 401: "INVALID_API_KEY", 503: "SERVICE_OVERLOADED"}
CRAWL_TAGS: Mapping[int, str] = {404: "CRAWL_NOT_FOUND", 504: "CRAWL_TIMEOUT"}
NO_SUMMARY = "ask for text and let your model sum it up"
REFUSED_CONTENTS = {
    "summary": NO_SUMMARY,
    "subpages": "name the pages in urls",
    "extras": "ask for text; its links stand in it",
    "context": "ask for text",
}


class PageText(Foreign):
    """How the text of a page is wanted."""

    known: ClassVar = frozenset({"verbosity"})

    maxCharacters: int | None = Field(default=None, ge=1)  # noqa: N815 - the wire's name
    includeHtmlTags: bool = False  # noqa: N815


class Highlights(Foreign):
    """Which passages of a page are wanted."""

    query: str | None = None
    maxCharacters: int | None = Field(default=None, ge=1)  # noqa: N815


class Contents(Foreign):
    """What is wanted of pages."""

    refused: ClassVar = REFUSED_CONTENTS
    known: ClassVar = frozenset({"livecrawlTimeout", "filterEmptyResults"})

    text: bool | PageText | None = None
    highlights: bool | Highlights | None = None
    maxAgeHours: float | None = None  # noqa: N815
    livecrawl: str | None = None

    @property
    def wants_text(self) -> PageText | None:
        """How the text is wanted, if it is."""
        return self.text if isinstance(self.text, PageText) else PageText() if self.text else None

    @property
    def wants_highlights(self) -> Highlights | None:
        """Which passages are wanted, if any are."""
        return self.highlights if isinstance(self.highlights, Highlights) else Highlights() if self.highlights else None

    @property
    def max_age(self) -> float | None:
        """Seconds a page may be old; below zero, however old it is."""
        if self.maxAgeHours is not None:
            return self.maxAgeHours * 3600 if self.maxAgeHours >= 0 else None
        return 0.0 if self.livecrawl in {"always", "preferred"} else None


class ExaSearch(Foreign):
    """What `/search` is sent."""

    refused: ClassVar = {
        "includeText": "put the phrase into quotation marks in the query",
        "excludeText": "put a minus before the word in the query",
        "additionalQueries": "search for each",
        "outputSchema": "ask for text and let your model fill the schema",
        "systemPrompt": "put what matters into the query",
        "stream": "an answer comes at once",
        "context": "ask for contents.text",
    }
    known: ClassVar = frozenset({"type", "useAutoprompt", "startCrawlDate", "endCrawlDate"})

    query: str
    numResults: int = Field(default=10, ge=1)  # noqa: N815
    includeDomains: Texts = ()  # noqa: N815
    excludeDomains: Texts = ()  # noqa: N815
    startPublishedDate: str | None = None  # noqa: N815
    endPublishedDate: str | None = None  # noqa: N815
    category: str | None = None
    userLocation: str | None = None  # noqa: N815
    moderation: bool = False
    contents: Contents | None = None


class ExaContents(Contents):
    """What `/contents` is sent."""

    urls: Texts = ()
    ids: Texts = ()


async def exa_search(request: Request) -> Response:
    asked, started = await sent(request, ExaSearch), time.perf_counter()
    response = await search(
        asked.query,
        limit=asked.numResults,
        search_type="news" if only("category", filter(None, [asked.category]), ["news"]) else None,
        allowed_domains=asked.includeDomains,
        blocked_domains=asked.excludeDomains,
        date_from=(asked.startPublishedDate or "")[:10],
        date_to=(asked.endPublishedDate or "")[:10],
        country=two_letters(asked.userLocation),
        safe_search="strict" if asked.moderation else None,
    )
    contents = asked.contents or Contents()
    text, highlights = contents.wants_text, contents.wants_highlights
    pages = await read(contents, [result.url for result in response.results]) if text else []
    texts = {page.url: text_of(page, text) for page in pages if text and page.success}
    results = [
        {
            **found(result, score),
            # What an engine says of a page that cannot be read is no less its text, and its status says so.
            **({"text": texts.get(result.url, longest_text(result))} if text else {}),
            **(passages([result.snippet, *result.extra_snippets]) if highlights else {}),
        }
        for result, score in zip(response.results, scores(response.results), strict=True)
    ]
    body = {"requestId": uuid.uuid4().hex, "resolvedSearchType": "auto", "results": results, **costs(started)}
    statuses = {"statuses": list(map(status, pages))} if pages else {}
    return answered({**body, **statuses}, asked, contents, text, highlights)


async def exa_contents(request: Request) -> Response:
    """Pages; one that cannot be read has a status that says so, and no result."""
    asked, started = await sent(request, ExaContents), time.perf_counter()
    urls = asked.urls or asked.ids
    if not 1 <= len(urls) <= MOST_URLS:
        raise InvalidQuery(f"send between 1 and {MOST_URLS} urls, not {len(urls)}")
    highlights = asked.wants_highlights
    if highlights and not highlights.query:
        raise InvalidQuery("highlights need a query here: send what they should answer as highlights.query")
    text = asked.wants_text or (None if highlights else PageText())
    pages = await read(asked, urls) if text else []
    answering = await open_each(urls, max_age=asked.max_age, query=highlights.query) if highlights else []
    parts = {page.url: passages([page.content]) for page in answering if page.success}
    results = [
        {**page_found(page), **({"text": text_of(page, text)} if text else {}), **parts.get(page.url, {})}
        for page in pages or answering
        if page.success
    ]
    body = {"requestId": uuid.uuid4().hex, "results": results, "statuses": list(map(status, pages or answering))}
    return answered({**body, **costs(started)}, asked, text, highlights)


async def read(contents: Contents, urls: Sequence[str]) -> list[Page]:
    """Pages as they are wanted."""
    text = contents.wants_text
    shape = PageShape(html=bool(text and text.includeHtmlTags))
    return await open_each(urls, max_age=contents.max_age, shape=shape)


def text_of(page: Page, text: PageText) -> str:
    """The text of a page, as long and as marked up as it is wanted; HTML is never cut into pieces."""
    if text.includeHtmlTags:
        return html_of(page)
    return page.content[: text.maxCharacters] if text.maxCharacters else page.content


def found(result: SearchResult, score: float) -> dict[str, Any]:
    """A result."""
    return {
        "id": result.url,
        "url": result.url,
        "title": result.title,
        "score": score,
        "publishedDate": f"{result.published_date}T00:00:00.000Z" if result.published_date else None,
        "author": None,
    }


def page_found(page: Page) -> dict[str, Any]:
    """A page as a result."""
    return {
        "id": page.url,
        "url": page.url,
        "title": page.title,
        "publishedDate": page.metadata.get("date"),
        "author": page.metadata.get("author"),
    }


def passages(texts: Sequence[str]) -> dict[str, Any]:
    """Highlights, the best first."""
    kept = [text for text in dict.fromkeys(texts) if text]
    return {"highlights": kept, "highlightScores": [round(1 / rank, 4) for rank in range(1, len(kept) + 1)]}


def status(page: Page) -> dict[str, Any]:
    """How reading a page ended."""
    if page.success:
        return {"id": page.url, "status": "success", "source": "cached" if page.cached else "crawled"}
    told = {
        "tag": CRAWL_TAGS.get(MEANINGS[page.outcome].status, "CRAWL_UNKNOWN_ERROR"),
        "httpStatusCode": page.status or MEANINGS[page.outcome].status,
        "message": explain_page(page),
    }
    return {"id": page.url, "status": "error", "error": told}


def costs(started: float) -> dict[str, Any]:
    return {"searchTime": round((time.perf_counter() - started) * 1000, 1), "costDollars": {"total": 0}}


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    """A failure as its clients understand it."""
    tag = TAGS.get(problem.status) or problem.type.rpartition(":")[2].upper()
    body = {"requestId": uuid.uuid4().hex, "error": problem.detail or problem.title, "tag": tag}
    return JSONResponse(body, problem.status, dict(headers))


DIALECT = Dialect(
    name="exa",
    prefixes=("/compat/exa",),
    routes=(
        Route("/compat/exa/search", exa_search, methods=["POST"]),
        Route("/compat/exa/contents", exa_contents, methods=["POST"]),
        absent("/compat/exa/findSimilar", "search for what the page is about"),
        absent("/compat/exa/answer", "search, and let your model answer"),
    ),
    failure=failure,
    keys=(HeaderKey("x-api-key"),),
)
