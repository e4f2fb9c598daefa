"""The envelope."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from seekread.models import SearchResponse
from seekread.render.envelope import envelope, failure

NOON = datetime(2025, 10, 29, 12, tzinfo=UTC).timestamp()


@pytest.mark.proves("S1-8", "S1-9", "S1-10", "S1-11", "S1-47", "X-9", "X-10")
def test_the_envelope_is_pinned(response: SearchResponse, golden: Callable[[str], str]) -> None:
    """The query that was sent, the type asked for, a time that ends in Z."""
    made = envelope(response, source="brave_search", now=NOON)
    assert json.dumps(made, indent=2, ensure_ascii=False) + "\n" == golden("envelope.json")
    assert made["data"]["metadata"]["timestamp"] == "2025-10-29T12:00:00Z"


@pytest.mark.proves("S1-12")
def test_nothing_found_is_a_success(nothing: SearchResponse) -> None:
    """The document's own example."""
    made = envelope(nothing, source="brave_search", now=NOON)
    assert made == {
        "success": True,
        "data": {
            "query": "rare thing",
            "results": [],
            "total_results": 0,
            "metadata": {
                "source": "brave_search",
                "search_type": "general",
                "timestamp": "2025-10-29T12:00:00Z",
                "api_latency_ms": 156,
            },
        },
        "error": None,
    }


@pytest.mark.proves("S1-13")
def test_a_failure_has_a_text_and_no_data() -> None:
    assert failure("no") == {"success": False, "data": None, "error": "no"}
