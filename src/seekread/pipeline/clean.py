"""Clean what a provider handed over: entities, tags, white space, invisible characters, dates, source."""

import html
import re
from datetime import datetime

from seekread.domains import source_of
from seekread.models import SearchResult
from seekread.pipeline.dates import parse_date

INLINE_TAG = re.compile(r"</?(?:b|strong|em|i|u|span|mark)\b[^<>]*>", re.IGNORECASE)
TAG = re.compile(r"</?[A-Za-z!][^<>]*>")
INVISIBLE = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Controls, bidi overrides, zero-width and tag characters: seen by a model, not by a person."""


def clean_text(text: object) -> str:
    """Plain text on one line: tags stripped, then entities resolved, invisible characters and doubled spaces gone."""
    if not text:
        return ""
    stripped = TAG.sub(" ", INLINE_TAG.sub("", str(text)))
    return " ".join(INVISIBLE.sub("", html.unescape(stripped)).split())


def clean_result(result: SearchResult, provider: str, now: datetime) -> SearchResult:
    """A result as the caller sees it."""
    return result.model_copy(
        update={
            "title": clean_text(result.title) or result.url,
            "url": result.url.strip(),
            "snippet": clean_text(result.snippet),
            "extra_snippets": tuple(filter(None, map(clean_text, result.extra_snippets))),
            "age": clean_text(result.age),
            "published_date": parse_date(result.published_date, now) or parse_date(result.age, now),
            "source": source_of(result.url),
            "providers": result.providers or (provider,),
        }
    )
