"""
Firecrawl's scrape, search, map and crawl in its version 2, scrape and search in version 1.

`Firecrawl(api_key=TOKEN, api_url="http://127.0.0.1:8787")` drops a path from the address it is given, so version 2
stands at the root. `V1FirecrawlApp(api_key=TOKEN, api_url="http://127.0.0.1:8787/compat/firecrawl")` does not, and at
the root its `/v1` is our own.

Reference: https://docs.firecrawl.dev/api-reference/v2-introduction, https://docs.firecrawl.dev/api-reference/v1-introduction
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.models import Page, PageShape, SearchResponse, SearchResult
from seekread.outcomes import MEANINGS
from seekread.render.failure import explain_page
from seekread.server.dialects import firecrawl_sites
from seekread.server.dialects.dialect import (
    Dialect,
    Texts,
    html_of,
    longest_text,
    open_each,
    open_whole,
    search,
    sent,
    two_letters,
)
from seekread.server.dialects.firecrawl_sites import Format, kind_of
from seekread.server.dialects.offers import Foreign, absent, answered, only
from seekread.server.dialects.tbs import recency
from seekread.server.problems import Problem, unread

FORMATS = ("markdown", "links", "html", "rawHtml")
SOURCES = ("web", "news")
STATUS = {502: 500, 504: 408}
"""Its clients ask again on 502 whatever went wrong, and know 408 as a timeout."""
ROOTS = ("/v2", "/compat/firecrawl/v2")
OLD_ROOT = "/compat/firecrawl/v1"
# Other jobs of theirs; until there are such things here, they say that they are not.
JOBS = ("batch/scrape", "batch/scrape/{id}", "extract", "extract/{id}")


class ScrapeOptions(Foreign):
    """How a page is to be read."""

    refused: ClassVar = {
        "actions": "a page is read as it is opened",
        "headers": "the operator sets page_headers under [read] for pages behind a login",
        "extract": "ask for markdown and let your model extract",
        "jsonOptions": "ask for markdown and let your model extract",
        "changeTrackingOptions": "compare two readings",
    }
    known: ClassVar = frozenset(
        {"origin", "integration", "timeout", "removeBase64Images", "blockAds", "storeInCache", "parsers", "parsePDF"}
    )

    formats: tuple[Format, ...] = ()
    onlyMainContent: bool = True  # noqa: N815 - the wire's name
    includeTags: Texts = ()  # noqa: N815
    excludeTags: Texts = ()  # noqa: N815
    maxAge: int | None = Field(default=None, ge=0)  # noqa: N815

    @property
    def wanted(self) -> frozenset[str]:
        """The formats that are wanted."""
        return only("formats", map(kind_of, self.formats), FORMATS)

    @property
    def shape(self) -> PageShape:
        """Which elements of a page, and which HTML."""
        return PageShape(
            only=self.includeTags,
            without=self.excludeTags,
            whole=not self.onlyMainContent,
            html="html" in self.wanted,
            source="rawHtml" in self.wanted,
        )

    @property
    def max_age(self) -> float | None:
        """Seconds a page may be old."""
        return None if self.maxAge is None else self.maxAge / 1000


class Scrape(ScrapeOptions):
    """What `/scrape` is sent."""

    url: str
    formats: tuple[Format, ...] = ("markdown",)


class FirecrawlSearch(Foreign):
    """What `/search` is sent."""

    refused: ClassVar = {
        "categories": "name their sites in includeDomains",
        "filter": "write operators such as site: into the query",
    }
    known: ClassVar = frozenset({"origin", "integration", "timeout", "ignoreInvalidURLs", "highlights"})

    query: str
    limit: int = Field(default=5, ge=1)
    sources: tuple[Format, ...] = ("web",)
    tbs: str | None = None
    country: str | None = None
    lang: str | None = None
    safe: bool = False
    includeDomains: Texts = ()  # noqa: N815
    excludeDomains: Texts = ()  # noqa: N815
    scrapeOptions: ScrapeOptions | None = None  # noqa: N815


async def scrape(request: Request) -> Response:
    asked = await sent(request, Scrape)
    page = await open_whole(asked.url, max_age=asked.max_age, shape=asked.shape)
    if not page.success:
        raise unread(page)
    return answered({"success": True, "data": document(page, asked.wanted)}, asked)


async def firecrawl_search(request: Request) -> Response:
    """Version 2: a list for each source."""
    asked = await sent(request, FirecrawlSearch)
    found: dict[str, Any] = {}
    for kind in dict.fromkeys(map(kind_of, asked.sources or ("web",))):
        only("sources", [kind], SOURCES)
        found[kind] = await rows(asked, kind)
    body = {"success": True, "data": found, "warning": None, "creditsUsed": 0}
    return answered(body, asked, asked.scrapeOptions)


async def old_search(request: Request) -> Response:
    """Version 1: one list."""
    asked = await sent(request, FirecrawlSearch)
    body = {"success": True, "data": await rows(asked, "web"), "warning": None}
    return answered(body, asked, asked.scrapeOptions)


async def rows(asked: FirecrawlSearch, kind: str) -> list[dict[str, Any]]:
    """The results of one source, with their pages where those are wanted."""
    response = await search(
        asked.query,
        limit=asked.limit,
        search_type="news" if kind == "news" else None,
        country=two_letters(asked.country),
        language=asked.lang,
        safe_search="strict" if asked.safe else None,
        allowed_domains=asked.includeDomains,
        blocked_domains=asked.excludeDomains,
        **recency(asked.tbs),
    )
    read = await documents(response, asked.scrapeOptions)
    return [
        {**row(result, rank, kind), **read.get(result.url, {})} for rank, result in enumerate(response.results, start=1)
    ]


async def documents(response: SearchResponse, options: ScrapeOptions | None) -> dict[str, dict[str, Any]]:
    """The pages behind results as documents; of one that cannot be read its metadata say why."""
    if options is None or not options.wanted:
        return {}
    pages = await open_each([r.url for r in response.results], max_age=options.max_age, shape=options.shape)
    return {page.url: document(page, options.wanted) if page.success else unread_document(page) for page in pages}


def unread_document(page: Page) -> dict[str, Any]:
    """A page that could not be read: no text, and why."""
    status = page.status or MEANINGS[page.outcome].status
    return {"metadata": {"sourceURL": page.url, "statusCode": status, "error": explain_page(page)}}


def document(page: Page, wanted: frozenset[str]) -> dict[str, Any]:
    """A page as a document."""
    facts = {
        "title": page.title,
        "description": page.metadata.get("description"),
        "language": page.metadata.get("language"),
        "publishedTime": page.metadata.get("date"),
        "sourceURL": page.url,
        "url": page.final_url or page.url,
        "statusCode": page.status or 200,
        "contentType": page.content_type,
        "cacheState": "hit" if page.cached else "miss",
        "creditsUsed": 0,
    }
    found: dict[str, Any] = {"metadata": {name: value for name, value in facts.items() if value is not None}}
    if "markdown" in wanted:
        found["markdown"] = page.content
    if "html" in wanted:
        found["html"] = html_of(page)
    if "rawHtml" in wanted:
        found["rawHtml"] = page.markup.source
    if "links" in wanted:
        found["links"] = [link.url for link in page.links]
    return found


def row(result: SearchResult, rank: int, kind: str) -> dict[str, Any]:
    shared = {"url": result.url, "title": result.title, "position": rank}
    if kind == "news":
        return {**shared, "snippet": longest_text(result), "date": result.published_date}
    return {**shared, "description": longest_text(result)}


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    """A failure as its clients understand it."""
    body = {"success": False, "error": problem.detail or problem.title, "code": problem.type.rpartition(":")[2].upper()}
    return JSONResponse(body, STATUS.get(problem.status, problem.status), dict(headers))


DIALECT = Dialect(
    name="firecrawl",
    prefixes=("/v2", "/compat/firecrawl"),
    routes=(
        *(Route(f"{root}/scrape", scrape, methods=["POST"]) for root in (*ROOTS, OLD_ROOT)),
        *(Route(f"{root}/search", firecrawl_search, methods=["POST"]) for root in ROOTS),
        Route(f"{OLD_ROOT}/search", old_search, methods=["POST"]),
        *(route for root in ROOTS for route in firecrawl_sites.routes_at(root)),
        *(absent(f"{root}/{job}", "scrape the pages you know") for root in (*ROOTS, OLD_ROOT) for job in JOBS),
        *(absent(f"{OLD_ROOT}/{job}", "crawl with version 2") for job in ("map", "crawl", "crawl/{id}")),
    ),
    failure=failure,
)
