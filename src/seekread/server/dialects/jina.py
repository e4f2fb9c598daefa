"""
Jina's reader: the address of a page behind `http://127.0.0.1:8787/compat/jina/`.

Text by default; JSON for clients that accept nothing else. What a GET says in headers a POST may say in its body too.

Reference: https://github.com/jina-ai/reader
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from seekread.errors import InvalidQuery
from seekread.models import Page, PageShape
from seekread.page.link_styles import restyled
from seekread.page.plain import plain_text
from seekread.server.dialects.dialect import Dialect, html_of, open_whole, sent_somehow
from seekread.server.dialects.offers import Foreign, left_out, only
from seekread.server.problems import Problem, unread

ONE_SLASH = re.compile(r"^(https?):/(?!/)", re.IGNORECASE)
FORMATS = ("content", "markdown", "html", "text")
LINK_STYLES = ("all", "text", "none")
NAMES: Mapping[int | str, tuple[int, str]] = {
    400: (40001, "ParamValidationError"),
    401: (40103, "AuthenticationRequiredError"),
    403: (45102, "SecurityCompromiseError"),
    404: (42206, "AssertionFailureError"),
    429: (42903, "RateLimitTriggeredError"),
    "overloaded": (50303, "ServiceNodeResourceDrainError"),
}
"""What the service calls its errors, by our outcome or status."""
HEADERS = {
    "x-respond-with": "respondWith",
    "x-return-format": "respondWith",
    "x-target-selector": "targetSelector",
    "x-remove-selector": "removeSelector",
    "x-no-cache": "noCache",
    "x-cache-tolerance": "cacheTolerance",
    "x-retain-links": "retainLinks",
    "x-max-tokens": "maxTokens",
    "x-wait-for-selector": "waitForSelector",
    "x-with-images-summary": "withImagesSummary",
    "x-with-links-summary": "withLinksSummary",
    "x-with-generated-alt": "withGeneratedAlt",
    "x-token-budget": "tokenBudget",
    "x-set-cookie": "setCookies",
    "x-proxy-url": "proxyUrl",
    "x-timeout": "timeout",
    "x-engine": "engine",
    "x-locale": "locale",
    "x-user-agent": "userAgent",
    "x-referer": "referer",
    "x-with-iframe": "withIframe",
    "x-with-shadow-dom": "withShadowDom",
}
"""The headers of a GET, and what a body calls the same."""


class JinaRead(Foreign):
    """How a page is to be read."""

    refused: ClassVar = {
        "html": "send the url of a page",
        "pdf": "send the url of a page",
        "file": "send the url of a page",
        "setCookies": "the operator sets page_headers under [read] for pages behind a login",
        "proxyUrl": "the operator sets a proxy",
        "injectPageScript": "a page is read as it is opened",
        "instruction": "ask for text and let your model do that",
        "jsonSchema": "ask for text and let your model fill it",
        "tokenBudget": "send maxTokens, or X-Max-Tokens",
    }
    known: ClassVar = frozenset({"timeout", "engine"})

    url: str = ""
    respondWith: str = "content"  # noqa: N815 - the wire's name
    targetSelector: str | tuple[str, ...] = ()  # noqa: N815
    removeSelector: str | tuple[str, ...] = ()  # noqa: N815
    noCache: bool = False  # noqa: N815
    cacheTolerance: float | None = None  # noqa: N815
    retainLinks: str = "all"  # noqa: N815
    maxTokens: int | None = None  # noqa: N815

    @property
    def form(self) -> str:
        """How the page is wanted: content is its main content as Markdown, markdown all of it."""
        [form] = only("respondWith", [self.respondWith], FORMATS)
        return form

    @property
    def shape(self) -> PageShape:
        """Which elements of the page, and whether as HTML; all but `content` means all of it."""
        return PageShape(
            only=selectors(self.targetSelector),
            without=selectors(self.removeSelector),
            whole=self.form != "content",
            html=self.form == "html",
        )

    @property
    def max_age(self) -> float | None:
        """How old the page may be."""
        return 0.0 if self.noCache else self.cacheTolerance


async def posted(request: Request) -> Response:
    asked = await sent_somehow(request, JinaRead)
    said = asked.model_dump(exclude_unset=True)
    return await page_response(request, JinaRead.model_validate({**in_headers(request), **said}))


async def named(request: Request) -> Response:
    """The address stands behind ours, its own query with it."""
    path = request.path_params["url"]
    query = f"?{request.url.query}" if request.url.query else ""
    # Proxies on the way like to make one slash of two.
    url = ONE_SLASH.sub(r"\1://", path) + query
    return await page_response(request, JinaRead.model_validate({**in_headers(request), "url": url}))


def in_headers(request: Request) -> dict[str, str]:
    """What the headers of a request ask for."""
    return {name: text for header, name in HEADERS.items() if (text := request.headers.get(header))}


async def page_response(request: Request, asked: JinaRead) -> Response:
    if not asked.url:
        raise InvalidQuery("put the address of a page behind this one")
    url = asked.url if "://" in asked.url else f"https://{asked.url}"
    page = await open_whole(url, max_age=asked.max_age, shape=asked.shape)
    if not page.success:
        raise unread(page)
    content = content_of(page, asked)
    if wants_json(request):
        answer = {"code": 200, "status": 20000, "data": data(page, content)}
        return JSONResponse(answer, headers=left_out(asked))
    headers = {"x-usage-tokens": str(page.tokens), **left_out(asked)}
    # HTML is text too: what a page says is never rendered at our address.
    bare = asked.form in {"html", "text"}
    return PlainTextResponse(content if bare else page_as_text(page, content), headers=headers)


def wants_json(request: Request) -> bool:
    """Whether a client accepts nothing else."""
    return request.headers.get("accept", "").strip() == "application/json"


def selectors(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """One selector or several; a list of them in one text is a selector too."""
    return (given,) if isinstance(given, str) and given.strip() else tuple(given or ())


def content_of(page: Page, asked: JinaRead) -> str:
    """A page in the form that is wanted; HTML is never cut into pieces."""
    if asked.form == "html":
        return html_of(page)
    links = only("retainLinks", [asked.retainLinks], LINK_STYLES)
    text = page.content if links == {"all"} else restyled(page.content, "none").text
    text = plain_text(text) if asked.form == "text" else text
    # Tokens are estimated at four bytes.
    return text.encode()[: asked.maxTokens * 4].decode(errors="ignore") if asked.maxTokens else text


def page_as_text(page: Page, content: str) -> str:
    """A page as text with a head."""
    published = page.metadata.get("date", "")
    head = [
        f"Title: {' '.join(page.title.split())}",
        f"URL Source: {page.url}",
        f"Published Time: {published}" if published else "",
    ]
    return "\n\n".join([*filter(None, head), f"Markdown Content:\n{content}"])


def data(page: Page, content: str) -> dict[str, Any]:
    """A page as JSON."""
    return {
        "title": page.title,
        "description": page.metadata.get("description", ""),
        "url": page.url,
        "content": content,
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
