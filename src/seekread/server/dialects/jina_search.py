"""
Jina's search: `http://127.0.0.1:8787/compat/jina-search/?q=…`, or the words behind the slash.

Each result is read, as there, unless `X-Respond-With: no-content` says that the list is enough. A search that finds
nothing is an empty list here; there it is an error, which nobody can tell from a failure.

Reference: https://github.com/jina-ai/reader
"""

from typing import Any, ClassVar
from urllib.parse import unquote

from pydantic import AliasChoices, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from seekread.models import SearchResult
from seekread.options import SEARCH
from seekread.render.failure import explain_page
from seekread.server.dialects.dialect import Dialect, Texts, longest_text, open_each, search, sent_somehow, two_letters
from seekread.server.dialects.jina import JinaRead, content_of, failure, in_headers, wants_json
from seekread.server.dialects.offers import left_out, only
from seekread.server.keys import HeaderKey

NO_CONTENT = "no-content"
KINDS = ("web", "news")


class JinaSearchAsked(JinaRead):
    """What a search is sent, in its address, in headers or in a body."""

    refused: ClassVar = {
        **JinaRead.refused,
        "ext": "write filetype: into q",
        "filetype": "write filetype: into q",
        "intitle": "write the words into q",
    }
    known: ClassVar = frozenset({*JinaRead.known, "provider", "engine", "fallback", "nfpr"})

    q: str = ""
    num: int = Field(default=5, ge=1, validation_alias=AliasChoices("num", "count"))
    page: int = Field(default=1, ge=1, le=SEARCH["page"].most)
    type: str = "web"
    gl: str | None = None
    hl: str | None = None
    site: Texts = ()


async def jina_search(request: Request) -> Response:
    asked = await sent_somehow(request, JinaSearchAsked)
    said = asked.model_dump(exclude_unset=True)
    words = {"q": unquote(request.path_params["q"])} if request.path_params.get("q") else {}
    site = {"site": request.headers["x-site"].split(",")} if "x-site" in request.headers else {}
    return await results_response(
        request, JinaSearchAsked.model_validate({**in_headers(request), **words, **site, **said})
    )


async def results_response(request: Request, asked: JinaSearchAsked) -> Response:
    response = await search(
        asked.q,
        limit=asked.num,
        page=asked.page,
        search_type="news" if only("type", [asked.type], KINDS) == {"news"} else None,
        country=two_letters(asked.gl),
        language=asked.hl,
        allowed_domains=[site.strip() for site in asked.site],
    )
    contents = await contents_of([result.url for result in response.results], asked)
    rows = [{**row(result), "content": "", **contents.get(result.url, {})} for result in response.results]
    if wants_json(request):
        return JSONResponse({"code": 200, "status": 20000, "data": rows}, headers=left_out(asked))
    text = "\n\n".join(as_text(number, each) for number, each in enumerate(rows, start=1))
    return PlainTextResponse(text, headers=left_out(asked))


async def contents_of(urls: list[str], asked: JinaSearchAsked) -> dict[str, dict[str, str]]:
    """The pages behind the results, as they are wanted; one that cannot be read has a warning instead."""
    if asked.respondWith == NO_CONTENT:
        return {}
    pages = await open_each(urls, max_age=asked.max_age, shape=asked.shape)
    return {
        page.url: {"content": content_of(page, asked)} if page.success else {"warning": explain_page(page)}
        for page in pages
    }


def row(result: SearchResult) -> dict[str, Any]:
    """A result as JSON."""
    dated = {"date": result.published_date} if result.published_date else {}
    return {"title": result.title, "url": result.url, "description": longest_text(result), **dated}


def as_text(number: int, found: dict[str, Any]) -> str:
    """A result as text, each line of its head with its number."""
    head = [
        f"[{number}] Title: {' '.join(found['title'].split())}",
        f"[{number}] URL Source: {found['url']}",
        f"[{number}] Description: {' '.join(found['description'].split())}",
    ]
    head += [f"[{number}] Warning: {' '.join(found['warning'].split())}"] if "warning" in found else []
    return "\n".join([*head, *([f"\n{found['content']}"] if found["content"] else [])])


DIALECT = Dialect(
    name="jina-search",
    prefixes=("/compat/jina-search",),
    routes=(
        *(
            Route(path, jina_search, methods=["GET", "POST"])
            for path in ("/compat/jina-search", "/compat/jina-search/")
        ),
        Route("/compat/jina-search/{q:path}", jina_search, methods=["GET"]),
    ),
    failure=failure,
    keys=(HeaderKey("Authorization"),),
)
