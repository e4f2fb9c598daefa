"""The JSON envelope `{success, data, error}`: data on success, a text on failure, never both."""

from datetime import UTC, datetime
from typing import Any

from seekread.models import SearchResponse, SearchResult


def envelope(response: SearchResponse, *, source: str, now: float) -> dict[str, Any]:
    """A response in the envelope; nothing found is a success with no results."""
    return {
        "success": True,
        "data": {
            "query": response.query_sent or response.query,
            "results": [envelope_row(result) for result in response.results],
            "total_results": len(response.results),
            "metadata": {
                "source": source,
                "search_type": response.search_type,
                "timestamp": datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
                "api_latency_ms": response.latency_ms,
            },
        },
        "error": None,
    }


def failure(message: str) -> dict[str, Any]:
    """A failure in the envelope."""
    return {"success": False, "data": None, "error": message}


def envelope_row(result: SearchResult) -> dict[str, Any]:
    return {
        "title": result.title,
        "url": result.url,
        "description": result.snippet,
        "age": result.age,
        "published_date": result.published_date,
        "source": result.source,
        "extra_snippets": list(result.extra_snippets),
    }
