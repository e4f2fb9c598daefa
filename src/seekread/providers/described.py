"""Results that the settings describe: where they stand in a reply, and what each field is called there."""

from collections.abc import Mapping
from typing import Any

from seekread.provider import SearchResult
from seekread.providers.json_paths import rows_at, text_at, value_at

FIELDS = {"title": "title", "url": "url", "snippet": "snippet"}
"""What the fields of a result are called unless the settings say otherwise."""
KNOWN = ("title", "url", "snippet", "content", "published_date", "age", "score")


def unknown_field(fields: Mapping[str, str]) -> str | None:
    """The first field that a result does not have."""
    return next((name for name in fields if name not in KNOWN), None)


def described_results(data: Any, place: str, fields: Mapping[str, str]) -> list[SearchResult]:
    """The rows at a place as results; a row without an address is a bad reply."""
    return [described_result(row, {**FIELDS, **fields}) for row in rows_at(data, *filter(None, place.split(".")))]


def described_result(row: Any, fields: Mapping[str, str]) -> SearchResult:
    if not isinstance(url := value_at(row, fields["url"]), str):
        raise TypeError(f"a result has no {fields['url']}")
    score = value_at(row, fields["score"]) if "score" in fields else None
    return SearchResult(
        title=text_at(row, fields["title"]),
        url=url,
        snippet=text_at(row, fields["snippet"]),
        content=text_at(row, fields.get("content", "")) or None,
        published_date=text_at(row, fields.get("published_date", "")) or None,
        age=text_at(row, fields.get("age", "")),
        score=score if isinstance(score, float | int) else None,
    )
