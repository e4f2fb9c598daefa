"""
Open WebUI's external search and external loader.

`EXTERNAL_WEB_SEARCH_URL=http://127.0.0.1:8787/compat/openwebui/search`,
`EXTERNAL_WEB_LOADER_URL=http://127.0.0.1:8787/compat/openwebui/loader`, and a token as their `…_API_KEY`.

Reference: https://docs.openwebui.com/features/web-search/external
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.models import Page
from seekread.server.dialects.dialect import Dialect, Texts, longest_text, open_each, search, sent
from seekread.server.dialects.offers import Foreign
from seekread.server.problems import Problem, unread

MOST_URLS = 50


class OpenWebUISearch(Foreign):
    """What the search is sent."""

    query: str
    count: int = Field(default=5, ge=1)


class Load(Foreign):
    """What the loader is sent."""

    urls: Texts


async def external_search(request: Request) -> Response:
    asked = await sent(request, OpenWebUISearch)
    response = await search(asked.query, limit=asked.count)
    rows = [{"link": r.url, "title": r.title, "snippet": longest_text(r)} for r in response.results]
    return JSONResponse(rows)


async def external_loader(request: Request) -> Response:
    """
    Pages as documents.

    One that cannot be read is left out, because whatever stands in its place would be taken for its text; when none
    can be read, that is a failure.
    """
    asked = await sent(request, Load)
    if not 1 <= len(asked.urls) <= MOST_URLS:
        raise InvalidQuery(f"send between 1 and {MOST_URLS} urls, not {len(asked.urls)}")
    pages = await open_each(asked.urls)
    read = [page for page in pages if page.success]
    if not read:
        raise unread(pages[0])
    return JSONResponse([{"page_content": page.content, "metadata": metadata(page)} for page in read])


def metadata(page: Page) -> dict[str, Any]:
    return {"source": page.url, "title": page.title, "final_url": page.final_url, "fetched_at": page.fetched_at}


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    """A failure as its clients understand it."""
    return JSONResponse({"detail": problem.detail or problem.title}, problem.status, dict(headers))


DIALECT = Dialect(
    name="openwebui",
    prefixes=("/compat/openwebui",),
    routes=(
        Route("/compat/openwebui/search", external_search, methods=["POST"]),
        Route("/compat/openwebui/loader", external_loader, methods=["POST"]),
    ),
    failure=failure,
)
