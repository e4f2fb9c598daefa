"""
Clean what a provider handed over: entities, tags, white space, invisible characters, dates, source.

Every text that a model may see is washed as a page is: what nobody can read is not there. The whole text of a page that
an engine brings along is foreign Markdown, and passes the gate as a page does.
"""

import html
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime

import anyio

from seekread.errors import ProviderError
from seekread.hostnames import source_of
from seekread.models import SearchResult
from seekread.page.gate import code_block, gated, says_nothing
from seekread.page.invisible import one_line, visible
from seekread.provider import Found
from seekread.searching.dates import parse_date

INLINE_TAG = re.compile(r"</?(?:b|strong|em|i|u|span|mark)\b[^<>]*>", re.IGNORECASE)
TAG = re.compile(r"</?[A-Za-z!][^<>]*>")
UNFINISHED = re.compile(r"(?:<[^<>]{0,200}|&#?\w{0,20})$")
"""A tag or an entity that a cut left without its end."""

TITLE, SNIPPET, EXTRA, CONTENT, LINE = 500, 5_000, 2_000, 200_000, 100
"""Most characters of each text. It is cut before it is cleaned, so that no reply takes long."""
MOST_EXTRA = 20


Silencer = Callable[[str], Awaitable[str]]
"""Lets foreign Markdown pass the gate, away from the event loop."""


async def silenced_in_thread(text: str) -> str:
    """Foreign Markdown that has passed the gate, in a thread of this process."""
    return (await anyio.to_thread.run_sync(gated, text)).text


async def silenced(result: SearchResult, silencer: Callable[[], Silencer], seconds: float) -> SearchResult:
    """
    A result whose content may be shown as Markdown.

    Most contents say nothing, and nobody is asked about them. One that cannot pass in the time there is becomes code.
    """
    if not result.content:
        return result
    if says_nothing(result.content):
        return result.model_copy(update={"content": gated(result.content).text})
    content = code_block(result.content)
    with anyio.move_on_after(seconds), suppress(ProviderError):
        content = await silencer()(result.content)
    return result.model_copy(update={"content": content})


def clipped(text: object, most: int) -> str:
    """The beginning of a text."""
    whole = text if isinstance(text, str) else str(text or "")
    return whole if len(whole) <= most else UNFINISHED.sub("", whole[:most])


def clean_text(text: object, most: int = SNIPPET) -> str:
    """Plain text on one line: tags stripped, then entities resolved, invisible characters and doubled spaces gone."""
    if not text:
        return ""
    stripped = clipped(text, most)
    if "<" in stripped:
        stripped = TAG.sub(" ", INLINE_TAG.sub("", stripped))
    return one_line(html.unescape(stripped))


def clean_found(found: Found, provider: str, now: datetime) -> Found:
    """What a provider found, as the caller sees it."""
    return Found(
        [clean_result(result, provider, now) for result in found.results],
        answer=found.answer and visible(found.answer[:CONTENT]),
        notes=tuple(map(visible, found.notes)),
        query=found.query and visible(found.query),
        unmet=found.unmet,
        cost=found.cost,
    )


def clean_result(result: SearchResult, provider: str, now: datetime) -> SearchResult:
    """A result as the caller sees it."""
    url = visible(result.url.strip())
    cleaned: dict[str, object] = {
        "title": clean_text(result.title, TITLE) or url,
        "url": url,
        "snippet": clean_text(result.snippet, SNIPPET),
        "source": source_of(url),
        "providers": result.providers or (provider,),
    }
    if result.extra_snippets:
        extra = (clean_text(snippet, EXTRA) for snippet in result.extra_snippets[:MOST_EXTRA])
        cleaned["extra_snippets"] = tuple(filter(None, extra))
    if result.content:
        cleaned["content"] = visible(result.content[:CONTENT])
    if result.age or result.published_date is not None:
        age, day = clipped(result.age, LINE), clipped(result.published_date, LINE)
        cleaned["age"] = clean_text(age)
        cleaned["published_date"] = parse_date(day, now) or parse_date(age, now)
    return result.model_copy(update=cleaned)
