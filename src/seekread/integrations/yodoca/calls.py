"""What yodoca's two tools say, and which arguments they take."""

import json
from typing import Any

from seekread.errors import InvalidQuery
from seekread.options import OPEN, SEARCH
from seekread.render.tool_results import OpenPageToolResult

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
            "description": "URLs of several pages to read at once, beside url",
        },
    },
    "required": ["url", "max_length", "urls"],
    "additionalProperties": False,
}
SEARCH_OPTIONS = {name: SEARCH[name] for name in ("query", "limit", "allowed_domains", "freshness")}
LENGTH_OPTION = {"max_length": OPEN["max_length"]}
"""What the tools take beside addresses, under every name models use for it; whom to ask is not a model's choice."""


def arguments_in(text: str) -> dict[str, Any]:
    """A call's arguments out of the JSON a model wrote."""
    try:
        arguments = json.loads(text or "{}")
    except ValueError:
        raise InvalidQuery("the arguments are not valid JSON; send an object") from None
    if not isinstance(arguments, dict):
        raise InvalidQuery("the arguments must be a JSON object")
    return arguments


def addresses(url: Any, urls: Any) -> list[str]:
    """The addresses of a call, each once: `url` comes first, whatever else `urls` holds."""
    given = [*(url if isinstance(url, list) else [url]), *(urls if isinstance(urls, list) else [urls])]
    return list(dict.fromkeys(item.strip() for item in given if isinstance(item, str) and item.strip()))


def unread(url: str, error: str) -> OpenPageToolResult:
    """A page that nobody tried to read."""
    return OpenPageToolResult(url=url, title="", content="", content_length=0, status="error", error=error)
