"""
Jina's reader: the address of a page behind `http://127.0.0.1:8787/compat/jina/`.

Text by default; JSON for clients that accept nothing else.

Reference: https://github.com/jina-ai/reader
"""

import re
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.models import Page
from seekread.server.dialects.dialect import Dialect, Foreign, open_whole, sent
from seekread.server.problems import Problem, unread

ONE_SLASH = re.compile(r"^(https?):/(?!/)", re.IGNORECASE)
NAMES: Mapping[int | str, tuple[int, str]] = {
    400: (40001, "ParamValidationError"),
    401: (40103, "AuthenticationRequiredError"),
    403: (45102, "SecurityCompromiseError"),
    404: (42206, "AssertionFailureError"),
    429: (42903, "RateLimitTriggeredError"),
    "overloaded": (50303, "ServiceNodeResourceDrainError"),
}
"""What the service calls its errors, by our outcome or status."""


class JinaRead(Foreign):
    """What a POST is sent."""

    url: str


async def posted(request: Request) -> Response:
    return await page_response(request, (await sent(request, JinaRead)).url)


async def named(request: Request) -> Response:
    """The address stands behind ours, its own query with it."""
    path = request.path_params["url"]
    query = f"?{request.url.query}" if request.url.query else ""
    # Proxies on the way like to make one slash of two.
    return await page_response(request, ONE_SLASH.sub(r"\1://", path) + query)


async def page_response(request: Request, url: str) -> Response:
    if not url:
        raise InvalidQuery("put the address of a page behind this one")
    page = await open_whole(url if "://" in url else f"https://{url}", max_age=max_age(request))
    if not page.success:
        raise unread(page)
    if request.headers.get("accept", "").strip() == "application/json":
        return JSONResponse({"code": 200, "status": 20000, "data": data(page)})
    return PlainTextResponse(page_as_text(page), headers={"x-usage-tokens": str(page.tokens)})


def max_age(request: Request) -> float | None:
    """How old the page may be, as the client's headers say."""
    if request.headers.get("x-no-cache", "").lower() in {"true", "1"}:
        return 0.0
    tolerance = request.headers.get("x-cache-tolerance", "")
    return float(tolerance) if tolerance.isascii() and tolerance.isdecimal() else None


def page_as_text(page: Page) -> str:
    """A page as text with a head."""
    published = page.metadata.get("date", "")
    head = [
        f"Title: {' '.join(page.title.split())}",
        f"URL Source: {page.url}",
        f"Published Time: {published}" if published else "",
    ]
    return "\n\n".join([*filter(None, head), f"Markdown Content:\n{page.content}"])


def data(page: Page) -> dict[str, Any]:
    """A page as JSON."""
    return {
        "title": page.title,
        "description": page.metadata.get("description", ""),
        "url": page.url,
        "content": page.content,
        "publishedTime": page.metadata.get("date"),
        "links": {link.text: link.url for link in page.links},
        "usage": {"tokens": page.tokens},
    }


def failure(problem: Problem, headers: Mapping[str, str]) -> Response:
    """A failure as its clients understand it, which is JSON always."""
    known = NAMES.get(problem.outcome or "") or NAMES.get(problem.status)
    status, name = known or (problem.status * 100, "ServiceError")
    message = problem.detail or problem.title
    body = {"data": None, "code": problem.status, "status": status, "name": name, "message": message}
    return JSONResponse({**body, "readableMessage": f"{name}: {message}"}, problem.status, dict(headers))


DIALECT = Dialect(
    name="jina",
    prefixes=("/compat/jina",),
    routes=(
        Route("/compat/jina/", posted, methods=["POST"]),
        Route("/compat/jina/{url:path}", named, methods=["GET"]),
    ),
    failure=failure,
)
