"""What yodoca's two tools say, which arguments they take, and how a page or a failure becomes a result."""

import inspect
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from seekread.arguments import sent_value, whole_number
from seekread.errors import InvalidQuery, SeekreadError
from seekread.models import ReadResult
from seekread.options import OPEN, SEARCH
from seekread.providers.shapes import as_page
from seekread.redact import redact
from seekread.render.failure import outcome_of
from seekread.render.pages import OpenPageToolResult

logger = logging.getLogger("seekread.integrations.yodoca")

OVERFETCH = 3
"""Times as many results are fetched where domains are filtered afterwards."""

WEB_SEARCH = (
    "Find relevant pages for a query: titles, URLs and snippets. "
    "Judge the snippets first, then read only the pages you need with open_page."
)
OPEN_PAGE = (
    "Read a page as Markdown when snippets from web_search are insufficient and the full page content is needed. "
    "If the content is truncated, refine the query or ask the user. Give url for one page, urls for several."
)
WEB_SEARCH_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Search query text"},
        "limit": {"type": "integer", "description": "Maximum number of results to return. Default: 5."},
        "allowed_domains": {
            "type": "array",
            "items": {"type": "string"},
            "description": (
                'Restrict results to these domains (e.g. ["wikipedia.org", "github.com"]). Empty = no restriction.'
            ),
        },
        "time_range": {
            "type": "string",
            "enum": ["d", "w", "m", "y", "all"],
            "description": "Filter by recency: d (day), w (week), m (month), y (year), all. Default: all.",
        },
    },
    "required": ["query", "limit", "allowed_domains", "time_range"],
    "additionalProperties": False,
}
OPEN_PAGE_SCHEMA = {
    "type": "object",
    "properties": {
        "url": {"type": ["string", "null"], "description": "URL of the page to read"},
        "max_length": {
            "type": ["integer", "null"],
            "description": (
                "Override max_page_length for this call. "
                "Useful when the agent needs a shorter excerpt to save context budget."
            ),
        },
        "urls": {
            "type": ["array", "null"],
            "items": {"type": "string"},
            "description": "URLs of several pages to read at once, instead of url",
        },
    },
    "required": ["url", "max_length", "urls"],
    "additionalProperties": False,
}
TOOL_ARGUMENTS = sorted(WEB_SEARCH_SCHEMA["properties"])
UNDERSTOOD = {name for option in ("query", "limit", "allowed_domains", "freshness") for name in SEARCH[option].names}
"""Its arguments under every name models use for them."""


def known_only(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments this tool has, under the names models use for them; others are named."""
    given = {name: value for name, value in arguments.items() if value is not None}
    if unknown := given.keys() - UNDERSTOOD:
        raise InvalidQuery(f"unknown argument {', '.join(sorted(unknown))}; known are {', '.join(TOOL_ARGUMENTS)}")
    return given


def filters_for(
    searcher: Any, domains: list[str], time_range: str, limit: int
) -> tuple[dict[str, Any], list[str], int]:
    """The filters a provider takes, a note for what it cannot do, and how many results to ask for."""
    asked: dict[str, Any] = {}
    if domains:
        asked["allowed_domains"] = domains
    if time_range != "all":
        asked["time_range"] = time_range
    taken = {name: value for name, value in asked.items() if understands(searcher.search, name)}
    missing = [] if "time_range" in taken or time_range == "all" else ["time_range could not be applied"]
    return taken, missing, limit * OVERFETCH if domains and "allowed_domains" not in taken else limit


def page_length(arguments: Mapping[str, Any]) -> int | None:
    """How many characters were asked for, under any of its names."""
    if unknown := arguments.keys() - set(OPEN["max_length"].names):
        raise InvalidQuery(f"unknown argument {', '.join(sorted(unknown))}; known are url, urls, max_length")
    given = sent_value(arguments, OPEN["max_length"])
    length = whole_number(given)
    if given is not None and (length is None or length < 1):
        raise InvalidQuery(f"max_length must be a whole number of at least 1, not {given!r}")
    return length


def read_arguments(text: str) -> dict[str, Any]:
    """A call's arguments out of the JSON a model wrote."""
    try:
        arguments = json.loads(text or "{}")
    except ValueError:
        raise InvalidQuery("the arguments are not valid JSON; send an object") from None
    if not isinstance(arguments, dict):
        raise InvalidQuery("the arguments must be a JSON object")
    return arguments


def beginning_of_page(page: ReadResult, length: int) -> ReadResult:
    """The beginning of a page, cut at a paragraph where one ends, with both lengths."""
    if not page.success:
        return page
    from seekread.page.window import window

    part = window(page.content, 0, length)
    original = max(page.original_length or 0, part.total) if not page.truncated else page.original_length
    return page.model_copy(
        update={
            "content": part.content,
            "content_length": len(part.content),
            "original_length": original,
            "truncated": part.truncated or page.truncated,
        }
    )


async def read_with(reader: Any, url: str) -> ReadResult:
    """What a reader brought, whatever class of its own it brought it in; what it raised is a failed read."""
    try:
        return as_page(await reader.read_url(url))
    except SeekreadError as error:
        return ReadResult(url=url, success=False, error=str(error), outcome=outcome_of(error) or "bad_reply")
    except Exception as error:  # a reader may be anybody's code
        logger.exception("a reader failed")
        reason = redact(f"{type(error).__name__}: {error}")
        return ReadResult(url=url, success=False, error=reason, outcome="bad_reply")


def unread(url: str, error: str) -> OpenPageToolResult:
    """A page that nobody tried to read."""
    return OpenPageToolResult(url=url, title="", content="", content_length=0, status="error", error=error)


def name_of(provider: Any) -> str:
    return str(getattr(provider, "service", type(provider).__name__))


async def tried(provider: Any) -> str:
    """Try a key that was just given; the reason when it does not work."""
    if not hasattr(provider, "search"):
        return ""
    try:
        await provider.search("test", limit=1)
    except SeekreadError as error:
        return redact(str(error))
    return ""


def understands(search: Callable[..., Any], name: str) -> bool:
    """Say whether a provider's search takes a filter of that name."""
    parameters = inspect.signature(search).parameters
    return name in parameters or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
